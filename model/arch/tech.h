#ifndef MODEL_ARCH_TECH_H
#define MODEL_ARCH_TECH_H
/**
 * A technology table: energies, areas and power constants of one node, each with its source. Files:
 * configs/technology, form: docs/formats/technology.md.
 */
#include "core/hash.h"
#include "model/arch/constant.h"
#include "model/arch/curve.h"

enum { SC_MAX_CURVES = 16 };

typedef struct sc_tech {
    sc_arena *arena; /* owns what the fields below point at */
    const char *name, *about;
    double node_nm;
    sc_constants constants;
    size_t n_curves;
    sc_curve curve[SC_MAX_CURVES];
    /* what every budget takes */
    double overhead_share;    /* of the other area */
    double leakage_w_per_mm2; /* leakage and idle clock */
    double clock_share;       /* of dynamic power */
    sc_hash128 hash;          /* of the figures, not of names and sources */
} sc_tech;

/**
 * Load a table by built-in name or path.
 * @param beside  path of the file that refers to it, for relative paths; may be NULL.
 * @return SC_OK; SC_ENOTFOUND; SC_EPARSE with file:line:column; SC_EIO; SC_ENOMEM.
 */
sc_status sc_tech__open(sc_tech **out, const char *name_or_path, const char *beside) SC_MUST_USE;
void sc_tech__destroy(sc_tech *t); /* NULL is fine */

/** The figure PREFIX + SUFFIX ("bf16", "_mul_pj"). @return false after recording at the node that
 *  asks for it, with the table's name and the prefixes it has. */
bool sc_tech__figure(double *out, const sc_tech *t, const sc_node *at, const char *prefix,
                     const char *suffix);
/** The curve PREFIX + SUFFIX, as above; NULL after recording. */
const sc_curve *sc_tech__curve(const sc_tech *t, const sc_node *at, const char *prefix,
                               const char *suffix);
#endif
