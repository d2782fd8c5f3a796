#ifndef SEARCH_POOL_H
#define SEARCH_POOL_H
/**
 * Trials that an optimiser keeps, and their order from best to worst: feasible ones by front, then
 * by crowding distance (large first), infeasible ones after them by violation, failed ones last;
 * ties go to the one told earlier. With one objective that is the order of its values. One meaning
 * of "better" for every method that compares trials as if they had one value.
 * Reference: the crowded comparison of section III-B with the constrained dominance of section VI,
 * Deb, Pratap, Agarwal, Meyarivan, IEEE Trans. Evol. Comput. 6(2) 2002, doi:10.1109/4235.996017.
 *
 * Rows stand in the order they were put in. Those below n_kept were graded; those from there on
 * wait to be. Nothing here allocates but the creation.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/opt.h"

typedef struct sc_pool {
    size_t n, m, capacity; /* parameters, objectives, most rows */
    size_t n_kept, n_rows;
    uint32_t *point;   /* [capacity][n] */
    double *value;     /* [capacity][m], zeros unless feasible */
    double *violation; /* [capacity] 0 = feasible, HUGE_VAL = failed */
    uint32_t *rank;    /* [capacity] front of a graded row */
    double *crowding;  /* [capacity] in that front */
    uint32_t *order; /* [capacity] rows by front after a grading, best first after sc_pool_sort() */
    uint32_t *scratch; /* [capacity] */
    double *distance;  /* [capacity] */
    struct sc_pareto_work *work;
} sc_pool;

enum {
    SC_POOL_LEAST = 10,       /* a population that grows with the trials told, ... */
    SC_POOL_MOST = 100,       /* ... between these */
    SC_POOL_BATCH_SHARE = 16, /* of a population: trials gathered before it is renewed */
};

/** Rows to keep now: the option, or one of `share` trials told. A population in step with what is
 *  known is greedy while trials are few. */
size_t sc_pool_population(const sc_optimizer *o, size_t share);

/** Trials to gather before a renewal, which sorts everything: one while sorting is cheap. */
size_t sc_pool_batch(const sc_optimizer *o, size_t population);

/** Room for so many rows of a problem's trials. @return SC_OK, SC_ENOMEM. */
sc_status sc_pool_create(sc_pool **out, size_t n, size_t m, size_t capacity) SC_MUST_USE;
void sc_pool_destroy(sc_pool *p); /* NULL is fine */

/** Append a trial, for which there is room. @return its row. */
size_t sc_pool_add(sc_pool *p, const sc_trial *t);
/** Overwrite row `to` of p with row `from` of another pool of the same shape (or of p itself). */
void sc_pool_copy_row(sc_pool *p, size_t to, const sc_pool *source, size_t from);

/** Front and crowding of every row; `order` is left sorted by front.
 *  Cost: that of sc_pareto_sort() and sc_pareto_crowding(). */
void sc_pool_grade(sc_pool *p);
/** Whether graded row a is better than graded row b. */
bool sc_pool_better(const sc_pool *p, uint32_t a, uint32_t b);
/** `order` of all rows, which are graded, from best to worst; and of the kept ones alone. */
void sc_pool_sort(sc_pool *p);
void sc_pool_sort_kept(sc_pool *p);
/** Grade all rows, drop all but the n best, the rest in the order put in; they are the kept ones.
 */
void sc_pool_keep_best(sc_pool *p, size_t n);
/** Drop the first k rows, whatever they are worth. */
void sc_pool_drop_first(sc_pool *p, size_t k);

/** Whether n rows from `first` on teach nothing: none is feasible, and all miss by the same. */
bool sc_pool_is_blind(const sc_pool *p, size_t first, size_t n);

/** Whether no row of p but row k of `source` itself is as good as that one or better: the same
 *  values, or constrained dominance. O(rows m). */
bool sc_pool_is_news(const sc_pool *p, const sc_pool *source, size_t k);

/** Rows from `first` on; grades of the kept ones, zeros for the others. */
void sc_pool_save(const sc_pool *p, size_t first, sc_buf *b);
size_t sc_pool_row_bytes(const sc_pool *p); /**< that a saved row takes */
/** Read n rows, at most the capacity; each must be a point that o was told. n_kept is the caller's
 *  to set. @return false if they make no sense; the pool is then not to be used. */
bool sc_pool_load(sc_pool *p, size_t n, const sc_optimizer *o, sc_blob *in);

/** The whole of a pool that is renewed by sc_pool_keep_best() whenever `batch` rows wait. */
void sc_pool_save_kept(const sc_pool *p, sc_buf *b);
bool sc_pool_load_kept(sc_pool *p, size_t batch, const sc_optimizer *o, sc_blob *in);
#endif
