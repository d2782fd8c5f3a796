#include <math.h>

#include "core/mem.h"
#include "core/order.h"
#include "search/pareto.h"

struct corner {
    double x, y;
};

/* Scratch of one call. Level m of the recursion sorts into its own row of order. */
struct volume {
    const double *values; /* [..][m_all] */
    const double *ref;    /* [m_all] */
    size_t m_all, n_all;
    uint32_t *order;      /* [m_all][n_all] */
    uint32_t *scratch;    /* [n_all] */
    struct corner *stair; /* [n_all] x ascending, y descending: the 2-D front so far */
};

struct column {
    const struct volume *v;
    size_t j;
};

static double value(const struct volume *v, uint32_t item, size_t j)
{
    return v->values[item * v->m_all + j];
}

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct column *c = context;
    return value(c->v, a, c->j) < value(c->v, b, c->j);
}

/* Items ascending by objective j, in the row of scratch that belongs to it. */
static uint32_t *ascending(const struct volume *v, const uint32_t *item, size_t n, size_t j)
{
    const struct column c = {v, j};
    uint32_t *order = v->order + j * v->n_all;
    for (size_t i = 0; i < n; i++)
        order[i] = item[i];
    sc_order_sort(order, v->scratch, n, before, &c);
    return order;
}

/* Put a corner into the staircase; the area that it adds. */
static double stair_add(struct corner *stair, size_t *n, struct corner c, const double *ref)
{
    size_t low = 0, high = *n; /* first corner with x not below c.x */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (stair[middle].x < c.x)
            low = middle + 1;
        else
            high = middle;
    }
    double top = low > 0 ? stair[low - 1].y : ref[1];
    if (top <= c.y || (low < *n && stair[low].x == c.x && stair[low].y <= c.y))
        return 0.0;
    double area = 0.0, left = c.x;
    size_t end = low;
    for (; end < *n && stair[end].y >= c.y; end++) {
        area += (stair[end].x - left) * (top - c.y);
        left = stair[end].x;
        top = stair[end].y;
    }
    area += ((end < *n ? stair[end].x : ref[0]) - left) * (top - c.y);
    if (end == low) { /* nothing leaves: one place more */
        for (size_t i = *n; i > low; i--)
            stair[i] = stair[i - 1];
        ++*n;
    } else if (end > low + 1) {
        for (size_t i = end; i < *n; i++)
            stair[i - (end - low - 1)] = stair[i];
        *n -= end - low - 1;
    }
    stair[low] = c;
    return area;
}

static double volume_2d(const struct volume *v, const uint32_t *item, size_t n)
{
    const uint32_t *order = ascending(v, item, n, 0);
    double area = 0.0, top = v->ref[1];
    for (size_t i = 0; i < n; i++) {
        const double y = value(v, order[i], 1);
        if (y < top) {
            area += (v->ref[0] - value(v, order[i], 0)) * (top - y);
            top = y;
        }
    }
    return area;
}

static double volume_3d(const struct volume *v, const uint32_t *item, size_t n)
{
    const uint32_t *order = ascending(v, item, n, 2);
    double sum = 0.0, area = 0.0;
    size_t n_stair = 0;
    for (size_t i = 0; i < n; i++) {
        const struct corner c = {value(v, order[i], 0), value(v, order[i], 1)};
        const double next = i + 1 < n ? value(v, order[i + 1], 2) : v->ref[2];
        area += stair_add(v->stair, &n_stair, c, v->ref);
        sum += area * (next - value(v, order[i], 2));
    }
    return sum;
}

/* Slices along objective m - 1, each the volume of what lies below it in the others. Depth: m. */
static double volume_of(const struct volume *v, const uint32_t *item, size_t n, size_t m)
{
    if (m == 2)
        return volume_2d(v, item, n);
    if (m == 3)
        return volume_3d(v, item, n);
    const uint32_t *order = ascending(v, item, n, m - 1);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double low = value(v, order[i], m - 1);
        const double high = i + 1 < n ? value(v, order[i + 1], m - 1) : v->ref[m - 1];
        if (high > low)
            sum += (high - low) * volume_of(v, order, i + 1, m - 1);
    }
    return sum;
}

static sc_status check(const double *values, size_t n, size_t m, const double *ref)
{
    if (m < 1 || m > SC_MAX_OBJECTIVES)
        return sc_fail(SC_EINVAL, "hypervolume: %zu objectives, must be 1 to %d", m,
                       SC_MAX_OBJECTIVES);
    if (n > UINT32_MAX)
        return sc_fail(SC_EINVAL, "hypervolume: %zu points are too many", n);
    for (size_t j = 0; j < m; j++)
        if (!isfinite(ref[j]))
            return sc_fail(SC_EINVAL, "hypervolume: reference %zu is not finite", j);
    for (size_t i = 0; i < n * m; i++)
        if (!isfinite(values[i]))
            return sc_fail(SC_EINVAL, "hypervolume: objective %zu of point %zu is not finite",
                           i % m, i / m);
    return SC_OK;
}

/* Points strictly below the reference. @return how many. */
static size_t inside(uint32_t *item, const double *values, size_t n, size_t m, const double *ref)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool below = true;
        for (size_t j = 0; j < m; j++)
            below &= values[i * m + j] < ref[j];
        if (below)
            item[kept++] = (uint32_t)i;
    }
    return kept;
}

static double length_1d(const double *values, size_t n, double ref)
{
    double low = ref;
    for (size_t i = 0; i < n; i++)
        low = values[i] < low ? values[i] : low;
    return ref - low;
}

sc_status sc_hypervolume(double *out, const double *values, size_t n, size_t m, const double *ref)
{
    sc_status st = check(values, n, m, ref);
    struct volume v = {values, ref, m, n, NULL, NULL, NULL};
    uint32_t *item = NULL;

    if (st != SC_OK)
        return st;
    if (m == 1) {
        *out = length_1d(values, n, ref[0]);
        return SC_OK;
    }
    item = sc_calloc(n, sizeof *item);
    v.order = sc_calloc(n, m * sizeof *v.order);
    v.scratch = sc_calloc(n, sizeof *v.scratch);
    v.stair = sc_calloc(n, sizeof *v.stair);
    if (!item || !v.order || !v.scratch || !v.stair) {
        st = SC_ENOMEM;
        goto done;
    }
    *out = volume_of(&v, item, inside(item, values, n, m, ref), m);
done:
    sc_free(item);
    sc_free(v.order);
    sc_free(v.scratch);
    sc_free(v.stair);
    return st;
}
