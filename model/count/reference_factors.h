#ifndef MODEL_COUNT_REFERENCE_FACTORS_H
#define MODEL_COUNT_REFERENCE_FACTORS_H
/** Inside the counting room: factors and permutations as mappings and constraints write them. */
#include "model/count/reference_node.h"

/** What a text of factors says about one dimension. */
typedef enum sc_factor_relation {
    SC_FACTOR_FREE, /* nothing */
    SC_FACTOR_EQUAL,
    SC_FACTOR_AT_MOST,
    SC_FACTOR_AT_LEAST
} sc_factor_relation;

typedef struct sc_reference_factor {
    sc_factor_relation relation;
    uint64_t value; /* 0 in the text is the whole dimension */
    uint64_t rest;  /* of "R=7,5": iterations the last time; 0 = none is given */
} sc_reference_factor;

/** The dimensions of a problem, and integers that names are bound to (NULL: none). */
typedef struct sc_reference_dims {
    const sc_einsum *e;
    const sc_node *macros;
} sc_reference_dims;

/** Read "R=3,S=3", "C1 M16" or a list of such texts; with relations also "C<=16", "C>2", without
 *  them also remainders "R=7,5", "R7,5".
 *  @param[out] factor  [n_dims]. @param n  NULL or empty: all free. @return false after recording.
 */
bool sc_reference_factors(sc_reference_factor *factor, const sc_reference_dims *dims,
                          const sc_node *n, bool relations);

/** Read "KMN", "K M,N" or a list, innermost first: all dimensions, those that are named, then the
 *  rest in the problem's order. Names behind a gap ("KM__H" or "KM*H") are the outermost instead.
 *  @param[out] order  [n_dims]; [0, n_inner) and [n_dims - n_outer, n_dims) are named.
 *  @return false after recording. */
bool sc_reference_order(uint8_t *order, unsigned *n_inner, unsigned *n_outer,
                        const sc_reference_dims *dims, const sc_node *n);
#endif
