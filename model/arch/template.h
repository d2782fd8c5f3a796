#ifndef MODEL_ARCH_TEMPLATE_H
#define MODEL_ARCH_TEMPLATE_H
/**
 * Templates: parameters with domains and conditions, and level attributes as expressions over them.
 * A template plus one value a parameter gives an sc_arch, its area and its TDP. Files:
 * configs/templates, form: docs/formats/template.md.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/hash.h"
#include "core/param.h"
#include "core/units.h"
#include "model/arch/arch.h"
#include "scantle/design.h"

/** One parameter: an ordered list of values. A point of the space is one index a parameter. */
typedef struct sc_param {
    const char *name, *about;
    sc_param_kind kind;
    size_t n_values;
    const double *values;      /* [n_values] in base units; a categorical one: 0, 1, 2, ... */
    const char *const *labels; /* [n_values] of a categorical one, else NULL */
    size_t fallback;           /* index taken when inactive, and the default */
    sc_unit unit;              /* of the values, for reading and printing; SC_UNIT_NONE: a number */
    const char *when;          /* text of its condition; NULL: always active */
} sc_param;

typedef struct sc_template sc_template;

/** Load by built-in name or path. @return as sc_design_open. The object is immutable: threads share
 * it. */
sc_status sc_template_open(sc_template **out, const char *name_or_path) SC_MUST_USE;
void sc_template_destroy(sc_template *t); /* NULL is fine; designs made from it live on */
const char *sc_template_name(const sc_template *t);
size_t sc_template_params(const sc_template *t); /* 0 to 64 */
/** Parameter i, in the order of the file; NULL past the end. Borrowed. */
const sc_param *sc_template_param(const sc_template *t, size_t i);
sc_hash128 sc_template_hash(const sc_template *t); /* of the template and its technology table */

/** Whether the condition of parameter i holds (a condition without a value does not). It depends on
 *  the parameters before i, which must be canonical. index: [params]. */
bool sc_template_active(const sc_template *t, size_t i, const uint32_t *index);

/** Replace the index of every inactive parameter by its fallback; doing it again changes nothing.
 *  index: [params], each in range, in place. Allocates nothing. */
void sc_template_canonical(const sc_template *t, uint32_t *index);

/** Items of an area or power sum, in a fixed order. */
enum { SC_MAX_ITEMS = 24 };
typedef struct sc_item {
    char name[SC_NAME_LEN];
    double area_mm2, tdp_w;
} sc_item;

typedef struct sc_budget {
    uint32_t n_items;
    sc_item item[SC_MAX_ITEMS]; /* components; sums below are exact sums over them in order */
    double area_mm2, tdp_w;
    double leak_w;         /* leakage and idle clock of the whole chip (part of tdp_w) */
    double clock_share;    /* clock and control power as a share of dynamic power */
    double area_limit_mm2; /* a larger chip is infeasible; 0 = the template has no limit */
} sc_budget;

/** Area and TDP of a canonical point, nothing else: the cheap first check of a trial.
 *  Allocates nothing; safe from many threads.
 *  @return SC_OK; SC_EINVAL if an index is out of range; SC_ERANGE, naming the expression, if one
 *          has no value or a wrong one. *out is untouched on failure. */
sc_status sc_template_budget(sc_budget *out, const sc_template *t,
                             const uint32_t *index) SC_MUST_USE;

/** The chain of a canonical point, padding zeroed, so it can be compared and hashed as bytes.
 *  @return as sc_template_budget. Allocates nothing; safe from many threads. */
sc_status sc_template_arch(sc_arch *out, const sc_template *t, const uint32_t *index) SC_MUST_USE;

/** A design from a point, made canonical (search uses this; people use sc_design_open). The
 *  template may be destroyed before it. @return as sc_template_budget; SC_ENOMEM. */
sc_status sc_design_create(sc_design **out, const sc_template *t,
                           const uint32_t *index) SC_MUST_USE;
const sc_arch *sc_design_arch(const sc_design *d);
/** sc_design_calibrate() with one that is read. @return SC_OK; SC_EINVAL unless the design is one
 *  square array. */
sc_status sc_design_use_calibration(sc_design *d, const sc_calibration *c) SC_MUST_USE;
const sc_budget *sc_design_budget(const sc_design *d);
/** The template a design is a point of, and which: [params], canonical. Borrowed. */
const sc_template *sc_design_template(const sc_design *d);
const uint32_t *sc_design_index(const sc_design *d);
#endif
