#ifndef MODEL_COUNT_GROUPS_H
#define MODEL_COUNT_GROUPS_H
/**
 * Inside the counting room: which children of one instance need the same words. Children are
 * numbered by their spatial indices (digits), the innermost loop first; two need the same when
 * their tiles stand at the same offset in the tensor's rank space.
 */
#include "model/count/nest.h"

/** The spatial loops under one instance as one tensor sees them. */
typedef struct sc_fan {
    unsigned n, n_ranks;
    uint64_t children;
    uint64_t factor[SC_MAX_DIMS];             /* >= 2, innermost first */
    uint64_t move[SC_MAX_DIMS][SC_MAX_RANKS]; /* offset of one iteration, modulo 2^64 */
    uint16_t relevant;                        /* bit 1 << loop: moves the tensor */
    /* Relevant loops that move along common ranks, in pairs; the rest stand alone. */
    unsigned n_pairs;
    struct sc_fan_pair {
        uint8_t a, b;
        uint64_t step_a, step_b; /* a + step_a, b - step_b is the same place; 0 = never */
    } pair[SC_MAX_DIMS / 2];
    bool tangled; /* three or more loops share ranks: no pairs, counted row by row */
} sc_fan;

void sc_fan_build(sc_fan *f, const sc_nest *n, const sc_plan_tensor *t, unsigned level);

/**
 * Number of groups. Closed form unless tangled: a pair a, b of factors m, n whose places repeat
 * every (p, q) makes m n - max(0, m - p) max(0, n - q) places.
 * Cost: O(loops); tangled: O((children / largest factor)^2).
 * @return 0 for a tangled fan of more than 2^13 rows, which nobody would wait for.
 */
uint64_t sc_fan_groups(const sc_fan *f);

/** Groups by how many children share them, ascending. */
typedef struct sc_group_sizes {
    unsigned n;
    struct sc_group_size {
        uint64_t children; /* of one group */
        uint64_t groups;
    } at[64];
    bool cut; /* not complete: tangled, or more sizes than have room */
} sc_group_sizes;

/** Add groups of one size. */
void sc_group_sizes_add(sc_group_sizes *s, uint64_t children, uint64_t groups);

/** Sizes of all groups, in closed form too: of a pair, the number of runs of k equal places is the
 *  second difference of (m - (k - 1) p)(n - (k - 1) q). Cost: O(smaller factor of each pair). */
void sc_fan_sizes(sc_group_sizes *s, const sc_fan *f);

/**
 * Members of the group of one child, by its digits.
 * Each of `n` walks steps through the group on its own: digits a (and b) change by da, db; the
 * group is the product of the walks. Not for tangled fans.
 */
typedef struct sc_walks {
    unsigned n;
    struct sc_walk {
        uint8_t a, b; /* b = a: one digit only */
        int64_t da, db;
    } at[SC_MAX_DIMS];
} sc_walks;
void sc_fan_walks(sc_walks *w, const sc_fan *f);
#endif
