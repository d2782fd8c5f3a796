#ifndef MODEL_MAPPER_EXACT_BOUND_H
#define MODEL_MAPPER_EXACT_BOUND_H
/** Inside the exact mapper: energies below which no completion of a partial mapping can go. */
#include "model/mapper/exact_tile.h"

/** The boundary between level b and its child b + 1, the MACs under the innermost level. */
typedef struct sc_xstep {
    unsigned level;  /* b */
    uint8_t unicast; /* tensors of which b serves each child by itself, bit 1 << tensor */
    /* Words that b serves for one that its children receive together; the same of those steps whose
     * words neighbours hand on, and of all if neighbours hand on all they can; and of words that
     * the children do not keep. */
    double share[SC_MAX_TENSORS], left[SC_MAX_TENSORS], linked[SC_MAX_TENSORS],
        passed[SC_MAX_TENSORS];
    /* Share of what the children receive that neighbours may hand on, by the dimension of the
     * innermost loop outside the children; last: no loop. */
    double handed[SC_MAX_TENSORS][SC_MAX_DIMS + 1];
    double used, child_used;   /* instances of b and of the child */
    double part, child_part;   /* output words whose first read, or fill, is of nothing: all of b's
                                  instances, all of the child's */
    double slack, child_slack; /* words of a window tensor that rounding may take off */
    double peers; /* share of the words that neighbours hand on which the counts show: the reference
                     divides those of one instance of b by all instances of the child */
} sc_xstep;

/** Energy of serving so many words from a level: reads, or updates and reads of partial sums.
 *  @param words, part  of all its `used` instances together; 1: of as many as there may be. */
double sc_bound_serve(const sc_space *x, unsigned level, unsigned tensor, double words, double part,
                      double used);

/** Words that the level serves when all children receive so many, of which neighbours hand on so
 *  many at most. */
double sc_bound_served(const sc_xstep *s, unsigned tensor, double received, double handed);

/** Energy over the boundary.
 *  @param served  words of the level.
 *  @param spared  words that it does not serve because neighbours hand them on. */
double sc_bound_step(const sc_space *x, const sc_xstep *s, unsigned tensor, double served,
                     double spared);

/** Words by which the counts say that all children are filled, at least. */
double sc_bound_filled(const sc_space *x, const sc_xstep *s, unsigned tensor, double received,
                       double handed);

/** Energy of filling all instances of a level with so many words. */
double sc_bound_fill(const sc_space *x, unsigned level, unsigned tensor, double words, double part,
                     double used);

/** Words by which finished and partial sums leave a level, where that is charged. */
double sc_bound_drained(const sc_space *x, double words, double part);

/** Energy of each tensor's words that cross a boundary, at least: if the level outside keeps the
 *  tensor, and if it does not and they come from further out. */
typedef struct sc_parts {
    double kept[SC_MAX_TENSORS], passed[SC_MAX_TENSORS];
} sc_parts;

/**
 * @param mask      what the children keep.
 * @param received  words of each tensor, @param handed  of them from neighbours, at most.
 * @param share     of words that the children do not keep: those asked for in turn.
 */
void sc_bound_parts(sc_parts *p, const sc_space *x, const sc_xstep *s, uint8_t mask,
                    const double *received, const double *handed, const double *share);

/**
 * Least energy of everything outside a tile, for each set that the next level may keep.
 * @param[out] base   [masks] fills of the tile's level, and what levels outside serve for them, but
 *                    not what fills that next level and all outside it: that is in the tables.
 * @param      mask   what the tile's level keeps.
 * @param      pending  [n_tensors] words asked for from inside, of tensors not in mask.
 */
void sc_bound_outside(double *base, const sc_space *x, const sc_xstep *s, uint8_t mask,
                      const sc_xtile *tile, const double *pending);

/** Per level but the outermost, set it keeps and tile: least energy of its fills and all outside,
 *  of this tile, and of the best tile that contains it. HUGE_VAL where the set does not fit. */
typedef struct sc_tables {
    double *own[SC_MAX_LEVELS][SC_ALL_MASKS]; /* [lattice], NULL: the level never keeps it */
    double *least[SC_MAX_LEVELS][SC_ALL_MASKS];
} sc_tables;

/** Cost: O(lattice * levels * sets * tensors). @return SC_OK; SC_ENOMEM. */
sc_status sc_tables_build(sc_tables *t, const sc_space *x, struct sc_arena *arena) SC_MUST_USE;
#endif
