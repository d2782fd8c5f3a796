#ifndef MODEL_ARCH_TECH_H
#define MODEL_ARCH_TECH_H
/**
 * A technology table: energies, areas and power constants of one node, each with its source. Files:
 * configs/technology, form: docs/formats/technology.md.
 */
#include "core/buf.h"
#include "core/hash.h"
#include "model/arch/constant.h"
#include "model/arch/curve.h"
#include "model/arch/ert.h"

enum {
    SC_MAX_CURVES = 16,
    SC_MAX_MEASURED = 64,
    SC_TABLE_WORD = 64 /* bits of the access that energies of memories are stated for */
};

typedef struct sc_tech {
    sc_arena *arena;         /* owns what the fields below point at, with the bases' */
    struct sc_tech *base[2]; /* the table extended, or the two stood between; NULL: none */
    const char *name, *about;
    double node_nm;
    sc_constants constants;
    size_t n_curves;
    sc_curve curve[SC_MAX_CURVES];
    /* what every budget takes */
    double overhead_share;     /* of the other area */
    double leakage_w_per_mm2;  /* leakage and idle clock */
    double clock_share;        /* of dynamic power */
    double wire_pj_per_bit_mm; /* 0 if the table has none */
    double dynamic_scale;      /* of energies on the die: the square of the supply's share */
    double fixed_share;        /* of an SRAM access of 64 bits, what does not grow with its width */
    /* the user's own energies of named components */
    size_t n_measured;
    sc_ert_entry measured[SC_MAX_MEASURED]; /* accesses of 64 bits */
    const char *ert;                        /* where they stand */
    sc_hash128 hash;                        /* of the figures, not of names and sources */
} sc_tech;

/**
 * Load a table by built-in name or path, with the tables it builds on.
 * @param beside  path of the file that refers to it, for relative paths; may be NULL.
 * @return SC_OK; SC_ENOTFOUND; SC_EPARSE with file:line:column; SC_EIO; SC_ENOMEM.
 */
sc_status sc_tech__open(sc_tech **out, const char *name_or_path, const char *beside) SC_MUST_USE;

/** A table that stands in another file, as the value of its `technology`: a map with the keys of a
 *  table's file, of which `version` and `name` may be left out.
 *  @param y  document of the node; takes the errors. @return as sc_tech__open. */
sc_status sc_tech__read(sc_tech **out, const sc_yaml *y, const sc_node *map,
                        const char *path) SC_MUST_USE;
void sc_tech__destroy(sc_tech *t); /* NULL is fine */

/** The figure PREFIX + SUFFIX ("bf16", "_mul_pj"). @return false after recording at the node that
 *  asks for it, with the table's name and the prefixes it has. */
bool sc_tech__figure(double *out, const sc_tech *t, const sc_node *at, const char *prefix,
                     const char *suffix);
/** The curve PREFIX + SUFFIX, as above; NULL after recording. */
const sc_curve *sc_tech__curve(const sc_tech *t, const sc_node *at, const char *prefix,
                               const char *suffix);
/** A curve by its whole name; NULL, without recording, if there is none. */
const sc_curve *sc_tech__optional_curve(const sc_tech *t, const char *name);
/** The same by prefix and suffix. */
const sc_curve *sc_tech__optional_curve_of(const sc_tech *t, const char *prefix,
                                           const char *suffix);
/** The user's own energies of a component; NULL if there are none. */
const sc_ert_entry *sc_tech__measured(const sc_tech *t, const char *name);

/* Parts of reading a table; errors are recorded in the document. */

/** Room for one curve more of that name: its old place, or the end; NULL after recording. */
sc_curve *sc_tech__slot(sc_tech *t, const sc_node *at, const char *name);
/** Take the figures of t->base[0]. */
void sc_tech__inherit(sc_tech *t, const sc_node *at);
/** Take what lies between the two bases at t->node_nm. */
void sc_tech__scale(sc_tech *t, const sc_node *at);
/** Take the files that the keys `sram` (of one class of memories or of several) and `ert` name,
 * seen from the folder of path.
 *  @param text  what they hold is appended, for the hash. */
void sc_tech__import(sc_tech *t, sc_buf *text, const sc_node *map, const char *path);
#endif
