#ifndef SEARCH_OPT_FIREFLY_H
#define SEARCH_OPT_FIREFLY_H
/** The arithmetic of the firefly search, for opt_firefly.c and its test:
 *  docs/algorithms/firefly.md. */
#include <stddef.h>
#include <stdint.h>

/** Flies for d parameters of more than one value: min(10 + round(0.5 (d^1.2 + d)), 1000). */
size_t sc_firefly_pool(size_t d);

/** How a parameter is seen and moved. */
typedef enum sc_firefly_kind {
    SC_FIREFLY_CONTINUOUS, /* ordered, more than ten values */
    SC_FIREFLY_DISCRETE,   /* ordered, ten values at most */
    SC_FIREFLY_CATEGORICAL,
    SC_FIREFLY_KINDS
} sc_firefly_kind;

/**
 * Share of the way to another fly, for the parameters of one kind: positive towards a better one,
 * negative away from a worse one. exp(-visibility * 10 * distance2 / dof), times 1.0 or -0.02.
 * @param distance2 sum over the parameters of the kind: squares of the difference as a share of
 *                  the range; 1 where categories differ.
 * @param dof       parameters of the kind with more than one value, > 0.
 */
double sc_firefly_pull(sc_firefly_kind kind, double distance2, size_t dof, int other_is_better);
#endif
