#include "search/pareto.h"

#include <math.h>

#include "core/mem.h"
#include "core/order.h"

int sc_pareto_compare(const double *a, const double *b, size_t m)
{
    bool less = false, greater = false;
    for (size_t j = 0; j < m; j++) {
        less |= a[j] < b[j];
        greater |= a[j] > b[j];
    }
    return less == greater ? 0 : less ? -1 : 1;
}

int sc_pareto_compare_constrained(const double *a, double violation_a, const double *b,
                                  double violation_b, size_t m)
{
    if (violation_a != violation_b)
        return violation_a < violation_b ? -1 : 1;
    return violation_a > 0.0 ? 0 : sc_pareto_compare(a, b, m);
}

struct sc_pareto_work {
    size_t n;
    uint32_t *order, *scratch; /* [n] */
    uint32_t *last;            /* [n] last item of each front */
    uint32_t *previous;        /* [n] the item before it in its front, or itself if first */
};

sc_status sc_pareto_work_create(sc_pareto_work **out, size_t n)
{
    sc_pareto_work *w = sc_calloc(1, sizeof *w);
    uint32_t *all = w ? sc_calloc(n, 4 * sizeof *all) : NULL;
    if (!all) {
        sc_free(w);
        return SC_ENOMEM;
    }
    *w = (sc_pareto_work){n, all, all + n, all + 2 * n, all + 3 * n};
    *out = w;
    return SC_OK;
}

void sc_pareto_work_destroy(sc_pareto_work *w)
{
    if (w)
        sc_free(w->order);
    sc_free(w);
}

/* Items under a sort: which column counts first, and how many follow it. */
struct table {
    const double *values;
    const double *violation;
    const uint32_t *item; /* row of a sorted position; NULL = the position itself */
    size_t m, column;
};

/* Feasible before infeasible; those in lexicographic order, these by violation. */
static bool before_sorting(const void *context, uint32_t a, uint32_t b)
{
    const struct table *t = context;
    const double violation_a = t->violation ? t->violation[a] : 0.0;
    const double violation_b = t->violation ? t->violation[b] : 0.0;
    if (violation_a > 0.0 || violation_b > 0.0)
        return violation_a < violation_b;
    const double *row_a = t->values + a * t->m, *row_b = t->values + b * t->m;
    for (size_t j = 0; j < t->m; j++)
        if (row_a[j] != row_b[j])
            return row_a[j] < row_b[j];
    return false;
}

static bool before_in_column(const void *context, uint32_t a, uint32_t b)
{
    const struct table *t = context;
    return t->values[t->item[a] * t->m + t->column] < t->values[t->item[b] * t->m + t->column];
}

/* Does a member of this front dominate the item? Members came in lexicographic order, so the newest
 * are the likeliest; with two objectives the newest has the least second value and decides alone.
 */
static bool front_dominates(const sc_pareto_work *w, size_t front, const double *values,
                            uint32_t item, size_t m)
{
    for (uint32_t k = w->last[front];; k = w->previous[k]) {
        if (sc_pareto_compare(values + k * m, values + item * m, m) < 0)
            return true;
        if (m <= 2 || w->previous[k] == k)
            return false;
    }
}

/* First front that takes the item: domination by front k implies domination by every one before. */
static size_t find_front(const sc_pareto_work *w, size_t n_fronts, const double *values,
                         uint32_t item, size_t m)
{
    size_t low = 0, high = n_fronts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (front_dominates(w, middle, values, item, m))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t sc_pareto_sort(uint32_t *rank, const double *values, const double *violation, size_t n,
                      size_t m, sc_pareto_work *w)
{
    const struct table t = {values, violation, NULL, m, 0};
    size_t n_fronts = 0;
    double level = 0.0; /* violation of the newest front */

    for (size_t i = 0; i < n; i++)
        w->order[i] = (uint32_t)i;
    sc_order_sort(w->order, w->scratch, n, before_sorting, &t);
    for (size_t i = 0; i < n; i++) {
        const uint32_t item = w->order[i];
        size_t front;
        if (violation && violation[item] > 0.0) {
            front = violation[item] > level ? n_fronts : n_fronts - 1;
            level = violation[item];
        } else {
            front = find_front(w, n_fronts, values, item, m);
        }
        w->previous[item] = front < n_fronts ? w->last[front] : item;
        w->last[front] = item;
        rank[item] = (uint32_t)front;
        if (front == n_fronts)
            n_fronts++;
    }
    return n_fronts;
}

void sc_pareto_crowding(double *distance, const double *values, const uint32_t *item, size_t n,
                        size_t m, sc_pareto_work *w)
{
    for (size_t k = 0; k < n; k++)
        distance[k] = n <= 2 ? HUGE_VAL : 0.0;
    for (size_t j = 0; j < m && n > 2; j++) {
        const struct table t = {values, NULL, item, m, j};
        for (size_t k = 0; k < n; k++)
            w->order[k] = (uint32_t)k;
        sc_order_sort(w->order, w->scratch, n, before_in_column, &t);
        /* Halves, because the difference of two finite values may not be finite. */
        const double low = 0.5 * values[item[w->order[0]] * m + j];
        const double range = 0.5 * values[item[w->order[n - 1]] * m + j] - low;
        if (!(range > 0.0))
            continue;
        distance[w->order[0]] = distance[w->order[n - 1]] = HUGE_VAL;
        for (size_t k = 1; k + 1 < n; k++) {
            const double gap = 0.5 * values[item[w->order[k + 1]] * m + j] -
                               0.5 * values[item[w->order[k - 1]] * m + j];
            distance[w->order[k]] += gap / range;
        }
    }
}
