#ifndef MODEL_MAPPER_LOCAL_H
#define MODEL_MAPPER_LOCAL_H
/** Local search: small changes of one mapping, each evaluated exactly. */
#include "model/mapper/limits.h"
#include "model/mapper/score.h"
#include "model/mapper/scored.h"

/** A mapping and what it scores. */
typedef struct sc_point {
    sc_mapping mapping;
    double cycles, energy_pj; /* HUGE_VAL: not scored */
} sc_point;

/** Fewer cycles, then less energy. */
bool sc_point_better(const sc_point *x, const sc_point *y);

/** One search: its op and design, what it may still spend, and room to evaluate in. */
typedef struct sc_local {
    const sc_scorer *scorer;
    const sc_limits *limits; /* that every mapping obeys; NULL: none */
    uint64_t left;           /* evaluations */
    sc_status status;        /* first failure; nothing more is tried after it */
    sc_mapped scratch;
    sc_scored *scored; /* what was counted before is looked up */
} sc_local;

/** Score p's mapping, with limits in the order they ask for; it stays unscored if it does not fit
 * or obey, or nothing is left to spend. */
void sc_local_score(sc_local *s, sc_point *p);

/** Loop orders (each level around each tensor) and what each level keeps, until nothing improves.
 */
void sc_local_arrange(sc_local *s, sc_point *p);

/** All moves until nothing improves: the above, factors between levels, exchanged factors of two
 *  dimensions, and factors between time and the grid of children. */
void sc_local_polish(sc_local *s, sc_point *p);
#endif
