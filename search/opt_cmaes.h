#ifndef SEARCH_OPT_CMAES_H
#define SEARCH_OPT_CMAES_H
/** The state of CMA-ES, and its parts that keep, rank and save rows of trials. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/opt.h"
#include "search/opt_gauss.h"
#include "search/pool.h"

enum {
    SC_CMAES_BEST = 64,     /* best points kept, of one front */
    SC_CMAES_PENDING = 1024 /* draws remembered until they are told; older ones count as foreign */
};

/** Draws not told yet, oldest first. */
struct cmaes_pending {
    size_t n, n_ordered, n_labels;
    uint32_t *place; /* [SC_CMAES_PENDING] first n: slots in the order drawn; then the free ones */
    uint64_t *key, *run; /* [SC_CMAES_PENDING] */
    double *x;           /* [SC_CMAES_PENDING][n_ordered] */
    uint32_t *label;     /* [SC_CMAES_PENDING][n_labels] */
};

sc_status sc_cmaes_pending_create(struct cmaes_pending *p, size_t n_ordered,
                                  size_t n_labels) SC_MUST_USE;
void sc_cmaes_pending_clear(struct cmaes_pending *p);
/** Remember a draw; the oldest is forgotten when there are too many. */
void sc_cmaes_pending_add(struct cmaes_pending *p, uint64_t key, uint64_t run, const double *x,
                          const uint32_t *label);
/** Take a draw out. @return its run, or 0 with x and label untouched if there is none. O(n). */
uint64_t sc_cmaes_pending_take(struct cmaes_pending *p, uint64_t key, double *x, uint32_t *label);

/**
 * Order row together with best, best ones first; each row gets the weight of its place among the
 * rows, equals share theirs. all: scratch, with room for both.
 */
void sc_cmaes_weigh(double *weight, const double *rank_weight, sc_pool *all, const sc_pool *row,
                    const sc_pool *best);
/** Offer row k of a pool to the best. @return whether it entered, as news. */
bool sc_cmaes_keep(sc_pool *best, const sc_pool *row, size_t k);

struct cmaes {
    size_t n_ordered, n_labels;
    uint32_t ordered[SC_MAX_PARAMS], ordered_count[SC_MAX_PARAMS]; /* parameters, cardinalities */
    uint32_t label[SC_MAX_PARAMS], label_count[SC_MAX_PARAMS];
    size_t lambda; /* population of the first run */
    sc_gauss gauss;
    sc_gauss_rates rates; /* of the present run */
    sc_categories categories;
    double *weight;      /* [SC_GAUSS_ROWS] scratch */
    sc_pool *row;        /* told of the present generation */
    double *x;           /* [SC_GAUSS_ROWS][n_ordered] and as they were drawn */
    uint32_t *category;  /* [SC_GAUSS_ROWS][n_labels] */
    sc_pool *best, *all; /* points of the best front so far; scratch */
    struct cmaes_pending pending;
    sc_sequence *sequence;
    uint64_t runs, doublings, spent[2]; /* evaluations of large and of small runs */
    uint64_t draws, known, idle;        /* points drawn, and met before; generations without news */
    bool small;                         /* the present run */
    bool sighted;                       /* a point is feasible, or violations differ */
};

void sc_cmaes_save_rows(const struct cmaes *s, sc_buf *b);
void sc_cmaes_save_pending(const struct cmaes_pending *p, sc_buf *b);
void sc_cmaes_save_gauss(const sc_gauss *g, sc_buf *b);
void sc_cmaes_save_categories(const sc_categories *c, sc_buf *b);
/* Into fresh ones; false if the bytes make no sense. */
bool sc_cmaes_load_rows(const sc_optimizer *o, sc_blob *in);
bool sc_cmaes_load_pending(struct cmaes *s, sc_blob *in);
bool sc_cmaes_load_gauss(sc_gauss *g, sc_blob *in);
bool sc_cmaes_load_categories(sc_categories *c, sc_blob *in);
#endif
