#ifndef SURROGATE_FIT_H
#define SURROGATE_FIT_H
/**
 * One network learned from samples: batches of feasible and infeasible ones, a sum of losses, Adam,
 * early stopping. Page: docs/algorithms/training.md.
 *
 * The network has two results a sample: the score (higher is better) and the logit of being
 * feasible.
 */
#include "surrogate/base.h"
#include "surrogate/samples.h"

typedef enum sc_score_loss { SC_SCORE_SQUARED, SC_SCORE_PAIRS, SC_SCORE_LIST } sc_score_loss;

typedef struct sc_fit_options {
    /* network */
    bool attention; /* fields as tokens under attention, else one vector under dense layers */
    uint32_t width, layers; /* of dense layers; of tokens and transformer layers */
    uint32_t heads, experts;
    bool skip; /* the real inputs reach the heads beside the layers: a line, and what bends it */
    uint32_t embedding; /* width of a code's row, without attention */
    sc_activation activation;
    /* losses */
    sc_score_loss loss;
    bool base_alone;    /* the score is the base's; the network learns feasibility only */
    bool within_groups; /* pairs of one group only */
    double temperature; /* of list */
    double alpha;       /* negatives found by ascent, pushed down */
    double beta;        /* infeasible ones, pushed down */
    double below;       /* infeasible ones, ranked below feasible ones */
    double feasibility; /* of the logit; only used when some are infeasible */
    double limit;       /* past which a score is pushed no further, in deviations of the target */
    uint32_t climb;     /* steps of the ascent */
    double stride;      /* of one step, in deviations of a feature */
    /* steps */
    uint32_t batch, epochs; /* samples of each kind a step; passes over the feasible ones */
    uint32_t patience;      /* epochs without a better validation; 0: all epochs */
    double rate, decay, longest;
    uint64_t seed;
} sc_fit_options;
#define SC_FIT_OPTIONS_INIT                                                                        \
    {                                                                                              \
        .width = 256, .layers = 2, .heads = 8, .experts = 1, .embedding = 8,                       \
        .activation = SC_ACT_RELU, .temperature = 1.0, .feasibility = 1.0, .limit = 10.0,          \
        .climb = 20, .stride = 0.05, .batch = 256, .epochs = 60, .rate = 1e-3, .decay = 1e-2,      \
        .longest = 1.0                                                                             \
    }

/** NULL, or what is wrong. */
const char *sc_fit_options_check(const sc_fit_options *o);

/** The network of the options for rows of that encoder. @return SC_OK; SC_EINVAL; SC_ENOMEM. */
sc_status sc_fit_net(sc_nn **out, const sc_encoder *e, const sc_fit_options *o) SC_MUST_USE;

typedef enum sc_role { SC_ROLE_LEARN, SC_ROLE_VALIDATE, SC_ROLE_HELD } sc_role;

/** What learning did. */
typedef struct sc_fit_result {
    uint32_t epochs;     /* passes made */
    uint32_t best_epoch; /* whose weights were kept, from 1 */
    double validation;   /* its figure: Kendall's tau of the validating ones; NaN if none */
} sc_fit_result;

/**
 * Learn weights [sc_nn_weights()].
 * @param base   what the score begins from; NULL: 0. The network learns the rest.
 * @param role   [n] an sc_role each.
 * @param member the stream of random numbers is (seed, member).
 * @return SC_OK; SC_EINVAL without a sample that has a target; SC_ENOMEM. Allocates before the
 * first step only. Determinism: bitwise. Threads: safe on distinct outputs.
 */
sc_status sc_fit(sc_real *weights, sc_fit_result *result, const sc_nn *net, const sc_base *base,
                 const sc_encoder *e, const sc_samples *s, const uint8_t *role,
                 const sc_fit_options *o, uint64_t member) SC_MUST_USE;

/** What one member learned. */
typedef struct sc_learned {
    const sc_nn *net;
    const sc_real *weights;
    const sc_base *base; /* NULL: none */
    bool base_alone;     /* as in the options */
} sc_learned;

/** Results of the first n samples, [n][2], a workspace's batch at a time. */
void sc_fit_predict(sc_real *out, const sc_learned *l, sc_nn_work *w, size_t batch,
                    const sc_samples *s, size_t n);

/** What an ascent needs. */
typedef struct sc_climber {
    const sc_nn *net;
    const sc_real *weights;
    const sc_base *base; /* NULL: none */
    const sc_encoder *e;
    sc_nn_work *work; /* a learning one */
    sc_real *d;       /* room for [n][2] */
    uint32_t steps;
    double stride; /* of a real input, a step */
} sc_climber;

/** Move samples uphill in their score: reals along the sign of their derivative by a stride, one
 *  label a step to the level of largest first-order gain; after each step back into the range
 *  learned from, at the end onto levels. real: [n][reals], code: [n][codes], in place. No
 *  allocation. */
void sc_fit_climb(sc_real *real, uint32_t *code, size_t n, const sc_climber *c);
#endif
