#ifndef SURROGATE_RECIPE_H
#define SURROGATE_RECIPE_H
/**
 * How a log is best learned from, found by trying: base, network and loss by what parts of the log
 * that were held out say. Page: docs/algorithms/recipe.md.
 */
#include "surrogate/ensemble.h"

typedef struct sc_recipe {
    const char *name; /* static */
    double score;     /* of the trial: order of what was held out, at most 1 */
} sc_recipe;

/**
 * Set base, network, loss and epochs of *io by trials on at most 4000 of the rows; target, scale,
 * goal, seed and threads are taken as they are. Where whole groups are held out the score is the
 * mean of tau over all and inside groups; else of tau of rows held out and of the best fifth when
 * only the others are learned from.
 * @return SC_OK; as sc_ensemble_learn(). Cost: some forty short trainings. Determinism: bitwise.
 */
sc_status sc_recipe_choose(sc_ensemble_options *io, sc_recipe *out, const sc_dataset *d,
                           const uint32_t *row, size_t n) SC_MUST_USE;
#endif
