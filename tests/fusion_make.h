#ifndef TESTS_FUSION_MAKE_H
#define TESTS_FUSION_MAKE_H
/* Random fusion problems and a naive solver of small ones. */
#include "core/rng.h"
#include "model/net/fusion.h"

enum { FUSION_STEPS = 400, FUSION_READS = 3 * FUSION_STEPS };

typedef struct made_fusion {
    sc_fusion_problem p;
    sc_fusion_step step[FUSION_STEPS];
    sc_fusion_read read[FUSION_READS];
    sc_fusion_tensor tensor[FUSION_STEPS + 2];
} made_fusion;

enum fusion_shape { SHAPE_CHAIN, SHAPE_SKIPS, SHAPE_SQUEEZE, SHAPE_RESIDUAL, SHAPE_ANY, SHAPES };

/* Steps of the shape with random sizes and times; all numbers are whole, so that sums are exact. */
void make_fusion(made_fusion *m, sc_rng *r, enum fusion_shape shape, size_t steps);

/* Decisions: weights, gaps between uses, writes. */
size_t fusion_decisions(const sc_fusion_problem *p);

/* Least cycles over all choices, tried one by one; at most 24 decisions. */
double brute_fusion(const sc_fusion_problem *p);
#endif
