#ifndef SEARCH_SPACE_H
#define SEARCH_SPACE_H
/**
 * A design space: parameters with ordered lists of values, conditions under which a parameter
 * counts, and constraints that are known before any evaluation. File form: docs/formats/space.md.
 *
 * Build it (create, add, restrict, when, require), then share it: no function below changes a
 * const sc_space, and those are safe from many threads. Every building step leaves a whole space
 * behind, on failure the one before it.
 *
 * An inactive parameter stands at its fallback value in every expression, fingerprint and text,
 * whatever its index; in a canonical point its index is the resting index: that of the fallback, or
 * 0 if a restriction removed the fallback.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/hash.h"
#include "core/units.h"
#include "core/yaml.h"
#include "search/problem.h"

typedef enum sc_space_kind {
    SC_SPACE_LOG2,       /* powers of two */
    SC_SPACE_INT,        /* evenly spaced integers */
    SC_SPACE_ORDINAL,    /* any strictly ascending numbers */
    SC_SPACE_CATEGORICAL /* labels without an order */
} sc_space_kind;

const char *sc_space_kind_name(sc_space_kind k); /* "log2", "int", "ordinal", "categorical" */

/** One parameter. As an argument: borrowed, copied. As a result: the values left after restriction.
 */
typedef struct sc_space_param {
    const char *name; /* letter or _, then letters, digits, _; unique; shorter than 64 bytes */
    sc_space_kind kind;
    sc_unit unit; /* what a text may write its values in; SC_UNIT_NONE: plain numbers */
    size_t n_values;
    const double *values;      /* [n_values] strictly ascending, finite; categorical: ignored on
                                  the way in, 0, 1, 2, ... (label numbers) on the way out */
    const char *const *labels; /* [n_values] distinct, not empty; categorical only, else NULL */
    size_t fallback;           /* in: index among values. Out: the resting index */
} sc_space_param;

typedef struct sc_space sc_space;

/** An empty space. */
sc_status sc_space_create(sc_space **out, const char *name) SC_MUST_USE;
void sc_space_destroy(sc_space *s); /* NULL is fine */

/** Append a parameter. @return SC_OK; SC_EINVAL (name, values, caps of problem.h, over 2^22 values
 *  in all); SC_ENOMEM. */
sc_status sc_space_add(sc_space *s, const sc_space_param *p) SC_MUST_USE;

/** Keep only some values of parameter i: keep is [n >= 1], strictly ascending CURRENT indices. One
 *  value fixes the parameter. The fallback of an inactive parameter stays what it was.
 *  @return SC_OK; SC_EINVAL; SC_ENOMEM. */
sc_status sc_space_restrict(sc_space *s, size_t i, const uint32_t *keep, size_t n) SC_MUST_USE;

/** Parameter i counts only when the expression over parameter names is true (not 0, not NaN).
 *  Parameters it names are settled first, those that are inactive at their fallback.
 *  @return SC_OK; SC_EPARSE (expression); SC_EINVAL if conditions would depend on each other in a
 *          circle, i has a condition, or i is no parameter; SC_ENOMEM. */
sc_status sc_space_when(sc_space *s, size_t i, const char *expression) SC_MUST_USE;

/** Known constraint: the expression must be TRUE (not 0, not NaN) of a canonical point, or the
 *  point is never proposed. Write `a * b <= 64`, not `a * b - 64`.
 *  @return SC_OK; SC_EPARSE; SC_EINVAL for an empty or used name; SC_ENOMEM. */
sc_status sc_space_require(sc_space *s, const char *name, const char *expression) SC_MUST_USE;

/**
 * Known constraint by a callback: whether a point is a member of a set, e.g. a recorded table. It
 * is given indices into the values as ADDED (before restriction), and must be pure and safe from
 * many threads; payload is borrowed. text says what it asks, where the expression of a constraint
 * would stand, and names the set for sc_space_hash().
 * @return as sc_space_require().
 */
typedef bool (*sc_space_member_fn)(const void *payload, const uint32_t *origin);
sc_status sc_space_require_member(sc_space *s, const char *name, const char *text,
                                  sc_space_member_fn fn, const void *payload) SC_MUST_USE;

/**
 * Canonical form by a callback instead of conditions, e.g. of a hardware template. It is given
 * indices into the values as ADDED (before restriction) and overwrites those of inactive parameters
 * by their fallback; it must be pure, idempotent and safe from many threads. payload is borrowed.
 * Exclusive with sc_space_when (SC_EINVAL).
 */
typedef void (*sc_space_canonical_fn)(const void *payload, uint32_t *index);
sc_status sc_space_set_canonical(sc_space *s, sc_space_canonical_fn fn,
                                 const void *payload) SC_MUST_USE;

/* ---- reading YAML. Each records what is wrong at its node and returns false. ---- */

/** Parameters with their conditions: the list under `parameters:`. */
bool sc_space_read_parameters(sc_space *s, const sc_node *list);
/** Restrictions: the map under `restrict:`; a value fixes, a sequence keeps. */
bool sc_space_read_restrict(sc_space *s, const sc_node *map);
/** Known constraints: the map `name: expression` under `constraints:`. */
bool sc_space_read_constraints(sc_space *s, const sc_node *map);
/** A whole space file: version, name, about, parameters, restrict, constraints.
 *  @return SC_OK; SC_EPARSE with every error at its place; what sc_yaml_open() returns; SC_ENOMEM.
 */
sc_status sc_space_open(sc_space **out, const char *path) SC_MUST_USE;
sc_status sc_space_from_yaml(sc_space **out, const sc_yaml *y) SC_MUST_USE;

/* ---- looking at it ---- */

const char *sc_space_name(const sc_space *s);
size_t sc_space_params(const sc_space *s);
const sc_space_param *sc_space_param_at(const sc_space *s, size_t i);
size_t sc_space_find(const sc_space *s, const char *name);   /* SIZE_MAX if none */
const char *sc_space_condition(const sc_space *s, size_t i); /* its text; NULL if none */
size_t sc_space_constraints(const sc_space *s);
const char *sc_space_constraint_name(const sc_space *s, size_t i);
const char *sc_space_constraint_text(const sc_space *s, size_t i);
/** Names the content: parameters, values, conditions, constraints; not the space's name. What a
 *  canonical callback does is not part of it. */
sc_hash128 sc_space_hash(const sc_space *s);

/** Sizes; a uint64_t is 0 where the number passes 2^64 - 1, the double is then rounded. */
typedef struct sc_space_size {
    double product; /* of the numbers of values */
    uint64_t product_exact;
    bool counted;    /* whether the rest was counted: it is, unless the parameters named in
                        conditions and constraints have over 2^27 / (parameters + conditions +
                        constraints) combinations (a canonical callback counts as naming all) */
    double distinct; /* canonical points */
    uint64_t distinct_exact;
    double valid; /* canonical points that keep the known constraints */
    uint64_t valid_exact;
} sc_space_size;
/** Cost: O(combinations of the parameters named in conditions and constraints), capped. */
void sc_space_size_of(const sc_space *s, sc_space_size *out);

/**
 * How many points each constraint rejects; several may reject the same one.
 * @param[out] rejected  [sc_space_constraints()].
 * @param[out] points    that were looked at: all canonical ones, or the sample.
 * @return whether they are a sample, because there are too many combinations to count: 2^16 points
 *         drawn at random, the same each time. Cost: as sc_space_size_of(), or 2^16 points.
 */
bool sc_space_rejections(const sc_space *s, double *rejected, double *points);

/** The problem of this space; arrays and context are borrowed from s. */
void sc_space_problem(const sc_space *s, size_t n_objectives, sc_problem *out);

/* ---- points: uint32_t index[params] ---- */

/** Canonical form, in place; active [params] or NULL. Under a canonical callback a parameter that
 *  stands at its fallback is reported active. */
void sc_space_canonical(const sc_space *s, uint32_t *index, bool *active);
/** First known constraint that a canonical point breaks; SIZE_MAX if it keeps all. */
size_t sc_space_broken(const sc_space *s, const uint32_t *index);
/** Value of each parameter of a canonical point, inactive ones at their fallback. values: [params]
 */
void sc_space_values(const sc_space *s, const uint32_t *index, double *values);
/** Indices into the values as added (a template's own), inactive ones at their fallback. */
void sc_space_origin(const sc_space *s, const uint32_t *index, uint32_t *origin);

/** Names a canonical point by the names and values of its parameters: equal across spaces (and
 *  restrictions) with the same parameters in the same order. Cost: O(params). */
sc_hash128 sc_space_fingerprint(const sc_space *s, const uint32_t *index);

/** Append `a=1,b=2`: numbers by the fewest digits that read back equal, labels bare or in '...'
 *  with ' doubled. Failures stick in b. */
void sc_space_text(const sc_space *s, const uint32_t *index, sc_buf *b);
/** Read that form, in any order, numbers with a unit if the parameter has one; a parameter that is
 *  not named takes its fallback (resting index). The result is canonical; known constraints are not
 *  checked. @return SC_OK; SC_EINVAL (unknown or repeated name, value outside its list), *index
 *  untouched. index: [params]. */
sc_status sc_space_parse(const sc_space *s, const char *text, uint32_t *index) SC_MUST_USE;

/** Place of a point in the grid, last parameter fastest, and back. Only where product_exact > 0 and
 *  rank < product_exact. */
uint64_t sc_space_rank(const sc_space *s, const uint32_t *index);
void sc_space_unrank(const sc_space *s, uint64_t rank, uint32_t *index);
#endif
