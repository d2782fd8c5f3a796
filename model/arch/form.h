#ifndef MODEL_ARCH_FORM_H
#define MODEL_ARCH_FORM_H
/** A template as read: what model/arch shares between reading it and building points of it. */
#include <stdatomic.h>

#include "model/arch/formula.h"
#include "model/arch/parts.h"
#include "model/arch/tech.h"

/** The attributes of a level that are formulas. */
typedef enum sc_slot {
    SC_SLOT_PRESENT,
    SC_SLOT_X, /* instances under the parent */
    SC_SLOT_Y,
    SC_SLOT_PARTITIONED, /* 1: a buffer a role, 0: one of the summed size */
    SC_SLOT_SIZE,        /* bytes; [SC_ROLES] slots, the first alone for a level without roles */
    SC_SLOT_BUFFERS = SC_SLOT_SIZE + SC_ROLES,
    SC_SLOT_BANKS, /* that a buffer consists of */
    SC_SLOT_WORD,  /* bits that one access to a bank moves */
    SC_SLOT_OUTPUT_BITS,
    SC_SLOT_COMPRESSION,                            /* of what comes and goes; [SC_ROLES] slots */
    SC_SLOT_GATED = SC_SLOT_COMPRESSION + SC_ROLES, /* share of reads; [SC_ROLES] slots */
    SC_SLOT_CHANNELS = SC_SLOT_GATED + SC_ROLES,    /* DRAM channels or stacks */
    SC_SLOT_READ,                                   /* limits of bandwidth; [SC_RATES] slots */
    SC_SLOT_PEAK_READ = SC_SLOT_READ + 3,           /* what TDP charges; the same three */
    SC_SLOTS = SC_SLOT_PEAK_READ + 3
} sc_slot;

enum { SC_RATE_READ, SC_RATE_WRITE, SC_RATE_SHARED, SC_RATES };

/** Kinds of access with an energy of their own: words leave for a child, come from the parent, come
 *  back from a child. */
enum { SC_ACCESS_READ, SC_ACCESS_WRITE, SC_ACCESS_UPDATE, SC_ACCESSES };

typedef struct sc_level_form {
    char name[SC_NAME_LEN];
    sc_storage storage;
    bool by_role;  /* a size a role was given */
    bool bounded;  /* a size was given */
    bool has_peak; /* else the bandwidth is the peak */
    bool no_multicast, no_reduction, no_overlap;
    char lead[SC_LEADS][SC_LEAD_LEN];
    uint8_t may_keep, must_keep;
    bool measured;                       /* access_pj is the user's own, of this very level */
    double access_pj[SC_ACCESSES];       /* of 64 bits; register, DRAM, measured */
    bool leaks;                          /* leak_pj is the user's own, and not by area */
    double leak_pj;                      /* of one instance in one cycle */
    double phy_mm2;                      /* of a channel; DRAM */
    const sc_curve *energy[SC_ACCESSES]; /* SRAM */
    const sc_curve *density;             /* SRAM, and registers with an area */
    bool per_second[2];                  /* bandwidth [0] and peak [1] are in B/s, not B a cycle */
    sc_formula f[SC_SLOTS];
} sc_level_form;

typedef struct sc_compute_form {
    char name[SC_NAME_LEN];
    sc_formula x, y;       /* under the innermost level */
    sc_formula rows, cols; /* 0: no array */
    sc_formula gated;      /* share of MACs */
    uint8_t dataflows;
    bool double_buffered;
    uint32_t operand_bits, mac_bits;
    double mac_pj, mac_mm2;
    bool leaks; /* as of a level */
    double leak_pj;
} sc_compute_form;

typedef struct sc_item_form {
    char name[SC_NAME_LEN];
    sc_formula area_mm2, power_w;
} sc_item_form;

enum {
    SC_MAX_EXTRA = SC_MAX_ITEMS - SC_MAX_LEVELS - 5 /* compute, vector, overhead, clock, leakage */
};

struct sc_template {
    atomic_int refs;
    sc_arena *arena;
    sc_tech *tech;
    const char *name, *about, *source;
    const char *spec; /* what opens it again: the built-in name or the path */
    sc_constants constants, published;
    sc_scope scope;
    sc_formula when[SC_TEMPLATE_PARAMS];
    sc_formula clock_hz, native_batch;
    size_t n_levels, n_extra;
    sc_level_form level[SC_MAX_LEVELS];
    sc_compute_form compute;
    sc_formula lanes; /* of the vector unit, on the chip */
    double lane_mm2, lane_op_pj, lane_special_pj;
    bool in_line;
    sc_item_form extra[SC_MAX_EXTRA];
    sc_formula area_limit_mm2; /* 0: none */
    sc_hash128 hash;
};

/** Read `levels:`, `compute:`, `vector:`, `items:` and `limits:` of the document that has them. The
 * scope, the technology and `clock` are there already. Errors are recorded. */
void sc_form__read_chain(sc_template *t, const sc_node *root);

/** A chain and what its budget needs beyond it. */
typedef struct sc_built {
    sc_arch arch;
    const sc_level_form *form[SC_MAX_LEVELS]; /* of arch.level */
    double channels[SC_MAX_LEVELS];
    double peak[SC_MAX_LEVELS][SC_RATES]; /* bytes a cycle of one instance */
    double banks[SC_MAX_LEVELS];
    double area_mm2[SC_MAX_LEVELS]; /* of all instances of a level, without overhead */
} sc_built;

/** Area of every level of a chain whose levels and compute are there, and from it the length and
 *  energy of the wires between a level and its children. */
void sc_form__wires(sc_built *b, const sc_template *t);

/** Build a point. @return SC_OK; SC_EINVAL if an index is out of range; SC_ERANGE naming the
 *  expression. *out is undefined on failure. No allocation. */
sc_status sc_form__build(sc_built *out, const sc_template *t, sc_point *p) SC_MUST_USE;
/** Check the indices and begin a point. */
sc_status sc_form__point(sc_point *out, const sc_template *t, const uint32_t *index) SC_MUST_USE;
/** As sc_template_open, from a text; name stands in messages, and relative references are seen from
 *  its folder. */
sc_status sc_template__parse(sc_template **out, const char *name, const char *text,
                             size_t n) SC_MUST_USE;
/** One more user of the template; sc_template_destroy() takes one away. */
sc_template *sc_template__ref(const sc_template *t);
/** Area and TDP of a chain built. */
sc_status sc_form__budget(sc_budget *out, const sc_template *t, const sc_built *b,
                          sc_point *p) SC_MUST_USE;
#endif
