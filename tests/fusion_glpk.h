#ifndef TESTS_FUSION_GLPK_H
#define TESTS_FUSION_GLPK_H
/* A fusion problem as an integer program, for GLPK. */
#include "model/net/fusion.h"

typedef struct glpk_fusion {
    bool finished; /* optimal is proved */
    double cycles; /* of the best one found; INFINITY = none */
} glpk_fusion;

/* At most so many ms. */
glpk_fusion solve_by_glpk(const sc_fusion_problem *p, int most_ms);
#endif
