#ifndef MODEL_MAPPER_EXACT_BOUND_H
#define MODEL_MAPPER_EXACT_BOUND_H
/** Inside the exact mapper: energies below which no completion of a partial mapping can go. */
#include <math.h>

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
    double used, child_used; /* instances of b and of the child */
    double part, child_part; /* output words whose first read, or fill, is of nothing: all of b's
                                instances, all of the child's */
    /* Words of a window tensor that rounding may take off: of those served to children that do not
     * keep it, and of the children's fills. */
    double slack, child_slack;
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

/** Words less what rounding may take off of those that a level serves.
 *  @param whole  the children keep the tensor, or are MACs. */
double sc_bound_rounded(const sc_space *x, const sc_xstep *s, unsigned tensor, bool whole,
                        double words);

/** Energy over the boundary.
 *  @param served  words of the level, rounding taken off.
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

/** What lies outside a tile takes, at least: each figure by itself, not all of one mapping. */
typedef struct sc_outside {
    double pj;            /* HUGE_VAL: nothing fits */
    double reads, writes; /* of the outermost level, in units of its bandwidths, all together */
    double cycles;        /* of the levels inside that one */
} sc_outside;

/** Per level but the outermost, set it keeps and tile: least of its fills and all outside, of this
 *  tile, and of the best tile that contains it. */
typedef struct sc_tables {
    /* Where a tile is: the sum over the dimensions, by its extent's index. */
    uint32_t *offset[SC_MAX_LEVELS][SC_MAX_DIMS];
    unsigned wide;                            /* doubles a tile: 1, energy; 4, an sc_outside */
    double *own[SC_MAX_LEVELS][SC_ALL_MASKS]; /* NULL: the level never keeps it */
    double *least[SC_MAX_LEVELS][SC_ALL_MASKS];
    /* Least of one tensor by itself that the level keeps, as far as to the next level that must
     * keep it, whose fills are in the other tables; NULL: the level must, or never does. */
    double *alone[SC_MAX_LEVELS][SC_MAX_TENSORS];
    /* Of words that all children under a level ask for, those that it asks for or serves. */
    double pass[SC_MAX_LEVELS][SC_MAX_TENSORS];
    double used[SC_MAX_LEVELS]; /* instances, at most */
} sc_tables;

static inline sc_outside sc_tables_at(const sc_tables *t, const double *table, size_t at)
{
    if (t->wide == 1)
        return (sc_outside){table[at], 0, 0, 0};
    table += 4 * at;
    return (sc_outside){table[0], table[1], table[2], table[3]};
}

/** What of two lists of figures comes to: the sum; of cycles, the longer. */
static inline sc_outside sc_outside_sum(sc_outside a, sc_outside b)
{
    return (sc_outside){a.pj + b.pj, a.reads + b.reads, a.writes + b.writes,
                        a.cycles > b.cycles ? a.cycles : b.cycles};
}

/** Figure by figure. */
static inline sc_outside sc_outside_least(sc_outside a, sc_outside b)
{
    return (sc_outside){a.pj < b.pj ? a.pj : b.pj, a.reads < b.reads ? a.reads : b.reads,
                        a.writes < b.writes ? a.writes : b.writes,
                        a.cycles < b.cycles ? a.cycles : b.cycles};
}

#define SC_OUTSIDE_NONE                                                                            \
    (sc_outside)                                                                                   \
    {                                                                                              \
        HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL                                                     \
    }

/** What each tensor's words that cross a boundary take: if the level outside keeps the tensor, and
 *  if it does not and they come from further out, all that follows from that there. */
typedef struct sc_parts {
    double kept[SC_MAX_TENSORS]; /* pJ */
    sc_outside passed[SC_MAX_TENSORS];
} sc_parts;

/**
 * @param at        a tile of the level outside, or one inside it.
 * @param mask      what the children keep.
 * @param received  words of each tensor, @param handed  of them from neighbours, at most.
 * @param share     of words that the children do not keep: those asked for in turn.
 */
void sc_bound_parts(sc_parts *p, const sc_space *x, const sc_tables *t, size_t at,
                    const sc_xstep *s, uint8_t mask, const double *received, const double *handed,
                    const double *share);

/** Cycles in which a level's bandwidths allow so much, `used` instances together. */
double sc_bound_cycles(const sc_level *l, double used, double reads, double writes);

/** Words that count against bandwidths when a level serves so many; they are added.
 *  @param part  of the output: words whose first read is of nothing. */
void sc_bound_traffic(const sc_space *x, unsigned level, unsigned tensor, double words, double part,
                      double *reads, double *writes);

/**
 * Least of everything outside a tile, for each set that the next level may keep.
 * @param[out] base   [masks] fills of the tile's level, and what levels outside serve for them, but
 *                    not what fills that next level and all outside it: that is in the tables.
 * @param      at     in the tables, a tile of the next level or one inside it.
 * @param      mask   what the tile's level keeps.
 * @param      pending  [n_tensors] words asked for from inside, of tensors not in mask.
 */
void sc_bound_outside(sc_outside *base, const sc_space *x, const sc_tables *t, size_t at,
                      const sc_xstep *s, uint8_t mask, const sc_xtile *tile, const double *pending);

/** Fill in a tile's figures for all sets that its level may keep.
 *  @param tile  initialised. @param step  the boundary over it. */
void sc_tables_set(const sc_tables *t, const sc_space *x, unsigned level, const sc_xtile *tile,
                   const sc_xstep *step, size_t at);

/** Tables for whatever lies side by side: energies. Cost: O(lattice * levels * sets * tensors).
 *  @return SC_OK; SC_ENOMEM. */
sc_status sc_tables_build(sc_tables *t, const sc_space *x, struct sc_arena *arena) SC_MUST_USE;
#endif
