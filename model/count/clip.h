#ifndef MODEL_COUNT_CLIP_H
#define MODEL_COUNT_CLIP_H
/**
 * Inside the counting room: mappings whose factors multiply to more than a bound, so that last
 * iterations are smaller. See docs/algorithms/counting.md, "Remainders".
 *
 * The loops of a dimension, outermost first (time, then space, level by level), are the digits of a
 * mixed-radix number: the index of an innermost step. Work are the numbers below the bound. So all
 * follows from the digits of the bound less one, and children fall into a few classes a dimension:
 * below, at or above the digit that is last.
 */
#include "model/count/nest.h"

/** Digits of every dimension, per level. */
typedef struct sc_clip {
    const sc_count_plan *plan;
    const sc_arch *arch;
    const sc_mapping *mapping;
    const sc_count_options *options;
    const sc_nest *nest;
    uint64_t time[SC_MAX_LEVELS][SC_MAX_DIMS], space[SC_MAX_LEVELS][SC_MAX_DIMS]; /* factors */
    uint64_t last_time[SC_MAX_LEVELS][SC_MAX_DIMS]; /* digits of bound - 1 */
    uint64_t last_space[SC_MAX_LEVELS][SC_MAX_DIMS];
    uint64_t full[SC_MAX_LEVELS][SC_MAX_DIMS]; /* extent of a child's tile */
    uint64_t rest[SC_MAX_LEVELS][SC_MAX_DIMS]; /* of the last one */
    bool overflow, tangled;
    unsigned tangled_level, tangled_tensor;
} sc_clip;

/** Steps of the nest that are looked at together. */
typedef enum sc_clip_steps {
    SC_CLIP_FIRST, /* the first of all */
    SC_CLIP_LOOP,  /* increments of one loop */
    SC_CLIP_EVERY  /* each, for children that hold nothing */
} sc_clip_steps;

/** One boundary as one tensor sees it: what level `level` hands down. */
typedef struct sc_clip_view {
    unsigned tensor, level;
    uint16_t shared; /* bit 1 << level: children in the same place under it share accesses */
    sc_clip_steps steps;
    unsigned loop; /* of the nest, SC_CLIP_LOOP only */
} sc_clip_view;

/** Where a dimension's tile stands in a step, and how the step came there. */
typedef struct sc_clip_state {
    uint64_t now, before; /* extents */
    uint64_t back;        /* indices that inner loops went back by, one iteration each */
    unsigned inner;       /* the innermost of these loops, UINT_MAX if none */
} sc_clip_state;

/** Children along one spatial loop (one child if there is none) in steps that are alike for them;
 *  `count` such steps and instances. Children that are idle stand in no segment. */
typedef struct sc_clip_row {
    uint64_t count;
    unsigned n;
    struct sc_clip_segment {
        uint64_t low, high; /* first child, and the one after the last */
        sc_clip_state state;
    } at[3];
} sc_clip_row;
enum { SC_CLIP_ROWS = 4 * SC_MAX_LEVELS + 6, SC_CLIP_STATES = 2 * SC_MAX_LEVELS + 8 };

/** All rows of a dimension, along its spatial loop at level `row`; between that and the view's
 * level it must have none. @return how many. */
unsigned sc_clip_rows(sc_clip_row out[SC_CLIP_ROWS], sc_clip *c, const sc_clip_view *v,
                      unsigned row, unsigned d);

/** Pairs of a step and a child in which a dimension that does not move the tensor has work. */
sc_u128 sc_clip_idle_count(sc_clip *c, const sc_clip_view *v, unsigned d);

/** Instances of a level that ever have work, of the spatial loops over one dimension. */
uint64_t sc_clip_used(sc_clip *c, unsigned level, unsigned d);

/** Words over all instances, steps and children of a view. */
sc_u128 sc_clip_words(sc_clip *c, const sc_clip_view *v);

/** Some children (x, y) of two spatial loops: lines of equal rows, y ascending, in each up to three
 *  intervals of x. (x + step[0], y - step[1]) is the place of (x, y). */
typedef struct sc_clip_span {
    uint64_t low, high; /* high is outside */
} sc_clip_span;
typedef struct sc_clip_block {
    uint64_t step[2];
    unsigned n;
    struct sc_clip_line {
        uint64_t low, high; /* of y */
        unsigned n;
        sc_clip_span at[3];
    } row[3];
} sc_clip_block;

/** Different places among them. Cost: O(rows^2 / step[1]) at most.
 *  @return false if the intervals break into too many. */
bool sc_clip_places(uint64_t *out, const sc_clip_block *b);

/** sc_count_with for such a mapping; `n` as sc_nest_build left it. */
sc_status sc_clip_count(sc_counts *out, const sc_count_plan *p, const sc_arch *a,
                        const sc_mapping *m, const sc_count_options *o, const sc_nest *n);

/** *acc *= factor, remembering an overflow in *flag. */
static inline void sc_clip_mul(sc_u128 *acc, sc_u128 factor, bool *flag)
{
    *flag |= __builtin_mul_overflow(*acc, factor, acc);
}
#endif
