#include "surrogate/metrics.h"

#include <math.h>
#include <stdbool.h>

#include "core/mem.h"
#include "core/order.h"

/* Room for an order, a scratch and ranks. */
typedef struct room {
    uint32_t *item, *scratch;
    double *value[2];
} room;

static void room_clear(room *r)
{
    sc_free(r->item);
    sc_free(r->value[0]);
}

static sc_status room_init(room *r, size_t n)
{
    *r = (room){0};
    r->item = sc_calloc(n, 2 * sizeof *r->item);
    r->value[0] = sc_calloc(n, 2 * sizeof *r->value[0]);
    if (!r->item || !r->value[0]) {
        room_clear(r);
        return SC_ENOMEM;
    }
    r->scratch = r->item + n;
    r->value[1] = r->value[0] + n;
    for (size_t i = 0; i < n; i++)
        r->item[i] = (uint32_t)i;
    return SC_OK;
}

static sc_status check(const double *v, size_t n)
{
    if (n < 2 || n > UINT32_MAX)
        return sc_fail(SC_EINVAL, "a figure of %zu predictions: it takes two or more", n);
    for (size_t i = 0; i < n; i++)
        if (isnan(v[i]))
            return sc_fail(SC_EINVAL, "prediction or value %zu is not a number", i);
    return SC_OK;
}

/* Check both lists and make room. */
static sc_status begin(room *r, const double *a, const double *b, size_t n)
{
    sc_status st = check(a, n);
    if (st == SC_OK)
        st = check(b, n);
    return st == SC_OK ? room_init(r, n) : st;
}

static bool lower(const void *context, uint32_t a, uint32_t b)
{
    const double *v = context;
    return v[a] < v[b];
}

static bool higher(const void *context, uint32_t a, uint32_t b)
{
    const double *v = context;
    return v[a] > v[b];
}

typedef struct both {
    const double *a, *b;
} both;

static bool lower_then(const void *context, uint32_t i, uint32_t j)
{
    const both *v = context;
    return v->a[i] < v->a[j] || (v->a[i] == v->a[j] && v->b[i] < v->b[j]);
}

/* ---- Kendall ---- */

/* Sort v by merging, scratch as long; how many pairs stood in the wrong order. */
static double sort_count(double *v, double *scratch, size_t n)
{
    double swaps = 0.0;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            const size_t middle = at + width < n ? at + width : n;
            const size_t end = middle + width < n ? middle + width : n;
            size_t i = at, j = middle, k = at;
            while (i < middle || j < end) {
                if (j == end || (i < middle && v[i] <= v[j])) {
                    scratch[k++] = v[i++];
                } else {
                    swaps += (double)(middle - i);
                    scratch[k++] = v[j++];
                }
            }
        }
        for (size_t i = 0; i < n; i++)
            v[i] = scratch[i];
    }
    return swaps;
}

static double pairs_of(size_t n)
{
    return 0.5 * (double)n * ((double)n - 1.0);
}

/* Pairs within runs of equal items of an ordered list; also of equal b within them. */
static double tied_pairs(const room *r, const double *a, const double *b, size_t n)
{
    double pairs = 0.0;
    for (size_t i = 0, run = 0; i < n; i++) {
        run++;
        const uint32_t now = r->item[i], next = i + 1 < n ? r->item[i + 1] : now;
        if (i + 1 < n && a[now] == a[next] && (!b || b[now] == b[next]))
            continue;
        pairs += pairs_of(run);
        run = 0;
    }
    return pairs;
}

sc_status sc_metric_tau(double *out, const double *a, const double *b, size_t n)
{
    room r;
    const sc_status st = begin(&r, a, b, n);
    if (st != SC_OK)
        return st;
    sc_order_sort(r.item, r.scratch, n, lower_then, &(both){a, b});
    const double tied_a = tied_pairs(&r, a, NULL, n), tied_both = tied_pairs(&r, a, b, n);
    for (size_t i = 0; i < n; i++)
        r.value[0][i] = b[r.item[i]];
    const double swaps = sort_count(r.value[0], r.value[1], n);
    sc_order_sort(r.item, r.scratch, n, lower, b);
    const double tied_b = tied_pairs(&r, b, NULL, n), all = pairs_of(n);
    *out = (all - tied_a - tied_b + tied_both - 2.0 * swaps) /
           (sqrt(all - tied_a) * sqrt(all - tied_b));
    room_clear(&r);
    return SC_OK;
}

/* ---- ranks ---- */

/* Ranks from 1, the mean of them where values are equal. */
static void mean_ranks(double *rank, room *r, const double *v, size_t n)
{
    sc_order_sort(r->item, r->scratch, n, lower, v);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && v[r->item[end]] == v[r->item[i]];)
            end++;
        for (size_t k = i; k < end; k++)
            rank[r->item[k]] = 0.5 * ((double)i + (double)end + 1.0);
    }
}

sc_status sc_metric_spearman(double *out, const double *a, const double *b, size_t n)
{
    room r;
    const sc_status st = begin(&r, a, b, n);
    if (st != SC_OK)
        return st;
    mean_ranks(r.value[0], &r, a, n);
    mean_ranks(r.value[1], &r, b, n);
    const double mean = 0.5 * ((double)n + 1.0);
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double x = r.value[0][i] - mean, y = r.value[1][i] - mean;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    *out = ab / (sqrt(aa) * sqrt(bb));
    room_clear(&r);
    return SC_OK;
}

sc_status sc_metric_auc(double *out, const double *score, const uint8_t *label, size_t n)
{
    room r;
    const sc_status st = begin(&r, score, score, n);
    if (st != SC_OK)
        return st;
    mean_ranks(r.value[0], &r, score, n);
    double positive = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++)
        if (label[i]) {
            positive += 1.0;
            sum += r.value[0][i];
        }
    *out = (sum - 0.5 * positive * (positive + 1.0)) / (positive * ((double)n - positive));
    room_clear(&r);
    return SC_OK;
}

/* ---- errors and the best ---- */

sc_status sc_metric_relative_error(double *mean, double *median, const double *predicted,
                                   const double *actual, size_t n)
{
    room r;
    const sc_status st = begin(&r, predicted, actual, n);
    if (st != SC_OK)
        return st;
    double sum = 0.0;
    bool defined = true;
    for (size_t i = 0; i < n; i++) {
        defined &= actual[i] != 0.0;
        r.value[0][i] = defined ? fabs(predicted[i] / actual[i] - 1.0) : 0.0;
        sum += r.value[0][i];
    }
    sc_order_sort(r.item, r.scratch, n, lower, r.value[0]);
    const double *v = r.value[0];
    *mean = defined ? sum / (double)n : (double)NAN;
    *median = defined ? 0.5 * (v[r.item[(n - 1) / 2]] + v[r.item[n / 2]]) : (double)NAN;
    room_clear(&r);
    return SC_OK;
}

sc_status sc_metric_regret(double *out, const double *score, const double *actual, size_t n,
                           size_t k)
{
    room r;
    const sc_status st = begin(&r, score, actual, n);
    if (st != SC_OK)
        return st;
    double best = -(double)INFINITY, found = -(double)INFINITY;
    sc_order_sort(r.item, r.scratch, n, higher, score);
    for (size_t i = 0; i < n; i++) {
        best = fmax(best, actual[i]);
        if (i < k)
            found = fmax(found, actual[r.item[i]]);
    }
    *out = k ? best - found : (double)NAN;
    room_clear(&r);
    return SC_OK;
}

sc_status sc_metric_retention(double *out, const double *score, const double *actual, size_t n,
                              size_t top, size_t kept)
{
    room r;
    const sc_status st = begin(&r, score, actual, n);
    if (st != SC_OK)
        return st;
    const size_t looked = top < n ? top : n;
    double *in = r.value[0], both_have = 0.0;
    sc_order_sort(r.item, r.scratch, n, higher, score);
    for (size_t i = 0; i < n && i < kept; i++)
        in[r.item[i]] = 1.0;
    for (size_t i = 0; i < n; i++)
        r.item[i] = (uint32_t)i;
    sc_order_sort(r.item, r.scratch, n, higher, actual);
    for (size_t i = 0; i < looked; i++)
        both_have += in[r.item[i]];
    *out = looked ? both_have / (double)looked : (double)NAN;
    room_clear(&r);
    return SC_OK;
}

sc_status sc_metric_coverage(double *out, const double *low, const double *high,
                             const double *actual, size_t n)
{
    sc_status st = check(low, n);
    if (st == SC_OK)
        st = check(high, n);
    if (st == SC_OK)
        st = check(actual, n);
    if (st != SC_OK)
        return st;
    size_t inside = 0;
    for (size_t i = 0; i < n; i++)
        inside += low[i] <= actual[i] && actual[i] <= high[i];
    *out = (double)inside / (double)n;
    return SC_OK;
}
