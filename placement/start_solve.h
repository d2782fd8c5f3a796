#ifndef PLACEMENT_START_SOLVE_H
#define PLACEMENT_START_SOLVE_H
/** Springs along one axis, and where they come to rest. */
#include <stddef.h>
#include <stdint.h>

#include "core/mem.h"

/** A spring between two movable points: weight * (x[a] - x[b] - gap)^2 / 2. */
typedef struct sc_spring {
    uint32_t a, b;
    double weight, gap;
} sc_spring;

typedef struct sc_springs {
    uint32_t n; /* points */
    size_t n_springs, capacity;
    sc_spring *spring; /* [capacity] */
    double *pull;      /* [n] weight of springs to places that stand */
    double *target;    /* [n] sum of weight * place over these */
    double *work;      /* [5 n] of the solver */
} sc_springs;

/** @param capacity  springs between movable points at most. @return SC_OK; SC_ENOMEM. */
sc_status sc_springs_init(sc_springs *s, uint32_t n, size_t capacity) SC_MUST_USE;
void sc_springs_clear(sc_springs *s);
/** Begin anew without springs. */
void sc_springs_reset(sc_springs *s);
/** A spring between two points; at most as many as there is capacity for. */
void sc_springs_join(sc_springs *s, uint32_t a, uint32_t b, double weight, double gap);
/** A spring from a point to a place. */
void sc_springs_pull(sc_springs *s, uint32_t a, double weight, double place);
/** Move x [n] to rest, to a millionth of the forces at the start or 200 steps: conjugate gradients
 *  with the diagonal as preconditioner (Hestenes, Stiefel, 1952). Cost: O(springs) a step. */
void sc_springs_solve(sc_springs *s, double *x);
#endif
