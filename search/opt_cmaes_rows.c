/* Trials of CMA-ES: matched with their draws, ranked, the best ones kept. */
#include <string.h>

#include "core/mem.h"
#include "search/opt_cmaes.h"
#include "search/pareto.h"

/* ---- draws not told yet ---- */

sc_status sc_cmaes_pending_create(struct cmaes_pending *p, size_t n_ordered, size_t n_labels)
{
    *p = (struct cmaes_pending){.n_ordered = n_ordered, .n_labels = n_labels};
    p->place = sc_calloc(SC_CMAES_PENDING, sizeof *p->place);
    p->key = sc_calloc(SC_CMAES_PENDING, sizeof *p->key);
    p->run = sc_calloc(SC_CMAES_PENDING, sizeof *p->run);
    p->x = sc_calloc(SC_CMAES_PENDING, n_ordered * sizeof *p->x);
    p->label = sc_calloc(SC_CMAES_PENDING, n_labels * sizeof *p->label);
    if (!p->place || !p->key || !p->run || !p->x || !p->label) {
        sc_cmaes_pending_clear(p);
        return SC_ENOMEM;
    }
    for (uint32_t i = 0; i < SC_CMAES_PENDING; i++)
        p->place[i] = i;
    return SC_OK;
}

void sc_cmaes_pending_clear(struct cmaes_pending *p)
{
    sc_free(p->place);
    sc_free(p->key);
    sc_free(p->run);
    sc_free(p->x);
    sc_free(p->label);
    *p = (struct cmaes_pending){0};
}

/* Slot of the k-th draw becomes the first free one. */
static void forget(struct cmaes_pending *p, size_t k)
{
    const uint32_t slot = p->place[k];
    memmove(p->place + k, p->place + k + 1, (p->n - k - 1) * sizeof *p->place);
    p->place[--p->n] = slot;
}

void sc_cmaes_pending_add(struct cmaes_pending *p, uint64_t key, uint64_t run, const double *x,
                          const uint32_t *label)
{
    if (p->n == SC_CMAES_PENDING)
        forget(p, 0);
    const size_t slot = p->place[p->n++];
    p->key[slot] = key;
    p->run[slot] = run;
    memcpy(p->x + slot * p->n_ordered, x, p->n_ordered * sizeof *x);
    memcpy(p->label + slot * p->n_labels, label, p->n_labels * sizeof *label);
}

uint64_t sc_cmaes_pending_take(struct cmaes_pending *p, uint64_t key, double *x, uint32_t *label)
{
    for (size_t k = 0; k < p->n; k++) {
        const size_t slot = p->place[k];
        if (p->key[slot] != key)
            continue;
        memcpy(x, p->x + slot * p->n_ordered, p->n_ordered * sizeof *x);
        memcpy(label, p->label + slot * p->n_labels, p->n_labels * sizeof *label);
        forget(p, k);
        return p->run[slot];
    }
    return 0;
}

/* ---- ranking ---- */

void sc_cmaes_weigh(double *weight, const double *rank_weight, sc_pool *all, const sc_pool *row,
                    const sc_pool *best)
{
    const size_t n = row->n_rows;
    size_t place = 0;

    for (size_t i = 0; i < n; i++)
        sc_pool_copy_row(all, i, row, i);
    for (size_t i = 0; i < best->n_rows; i++)
        sc_pool_copy_row(all, n + i, best, i);
    all->n_rows = n + best->n_rows;
    sc_pool_grade(all);
    sc_pool_sort(all);
    for (size_t first = 0, end; first < all->n_rows; first = end) {
        double sum = 0.0;
        size_t members = 0;
        for (end = first;
             end < all->n_rows && !sc_pool_better(all, all->order[first], all->order[end]); end++)
            if (all->order[end] < n) {
                sum += rank_weight[place++];
                members++;
            }
        for (size_t i = first; i < end; i++)
            if (all->order[i] < n)
                weight[all->order[i]] = sum / (double)members;
    }
}

static int compare(const sc_pool *p, size_t i, const sc_pool *row, size_t k)
{
    return sc_pareto_compare_constrained(p->value + i * p->m, p->violation[i],
                                         row->value + k * p->m, row->violation[k], p->m);
}

bool sc_cmaes_keep(sc_pool *best, const sc_pool *row, size_t k)
{
    size_t kept = 0;
    if (!sc_pool_is_news(best, row, k))
        return false;
    for (size_t i = 0; i < best->n_rows; i++)
        if (compare(best, i, row, k) <= 0)
            sc_pool_copy_row(best, kept++, best, i);
    sc_pool_copy_row(best, kept, row, k);
    best->n_rows = kept + 1;
    if (best->n_rows > SC_CMAES_BEST)
        sc_pool_keep_best(best, SC_CMAES_BEST);
    best->n_kept = 0; /* grades are not kept */
    return true;
}
