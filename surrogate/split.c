#include "surrogate/split.h"

#include <math.h>
#include <stdbool.h>

#include "core/mem.h"
#include "core/order.h"

enum { DOMAIN_SPLIT = 0x53504c54 }; /* "SPLT" */

void sc_split_shuffle(uint32_t *item, size_t n, sc_rng *r)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = gsl_rng_uniform_int(&r->gsl, i);
        const uint32_t moved = item[i - 1];
        item[i - 1] = item[k];
        item[k] = moved;
    }
}

sc_status sc_split_random(uint32_t *fold, size_t n, size_t k, uint64_t seed)
{
    sc_rng r;
    if (k < 2 || k > n || n > UINT32_MAX)
        return sc_fail(SC_EINVAL, "split: %zu folds of %zu rows", k, n);
    for (size_t i = 0; i < n; i++)
        fold[i] = (uint32_t)(i % k);
    sc_rng_init(&r, seed, DOMAIN_SPLIT, 0);
    sc_split_shuffle(fold, n, &r);
    return SC_OK;
}

static bool lower(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *v = context;
    return v[a] < v[b];
}

static bool higher(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *v = context;
    return v[a] > v[b];
}

/* Number groups from 0 in the order of their first row; those without one get their own. room:
 * [2 n]. @return how many. */
static uint32_t number_groups(uint32_t *number, const uint32_t *group, size_t n, uint32_t *room)
{
    uint32_t *item = room, groups = 0;
    for (size_t i = 0; i < n; i++)
        item[i] = (uint32_t)i;
    sc_order_sort(item, room + n, n, lower, group);
    for (size_t i = 0; i < n; i++) {
        const bool joined =
            i > 0 && group[item[i]] == group[item[i - 1]] && group[item[i]] != UINT32_MAX;
        groups += !joined;
        number[item[i]] = groups - 1;
    }
    return groups;
}

sc_status sc_split_groups(uint32_t *fold, size_t *folds, const uint32_t *group, size_t n, size_t k,
                          uint64_t seed)
{
    sc_rng r;
    sc_status st = SC_OK;
    if (k < 2 || n < 2 || n > UINT32_MAX)
        return sc_fail(SC_EINVAL, "split: %zu folds of %zu rows", k, n);
    uint32_t *room = sc_calloc(n, 6 * sizeof *room); /* work, numbers, sizes, order, place */
    size_t *held = sc_calloc(k, sizeof *held);
    if (!room || !held) {
        st = SC_ENOMEM;
        goto done;
    }
    uint32_t *number = room + 2 * n, *size = room + 3 * n, *order = room + 4 * n;
    uint32_t *place = room + 5 * n;
    const uint32_t groups = number_groups(number, group, n, room);
    if (groups < 2) {
        st = sc_fail(SC_EINVAL, "split: all rows are of one group, so none can be held out");
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        size[number[i]]++;
    for (uint32_t g = 0; g < groups; g++)
        order[g] = g;
    sc_rng_init(&r, seed, DOMAIN_SPLIT, 1);
    sc_split_shuffle(order, groups, &r);
    sc_order_sort(order, room, groups, higher, size);
    *folds = groups < k ? groups : k;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t least = 0;
        for (uint32_t f = 1; f < *folds; f++)
            least = held[f] < held[least] ? f : least;
        held[least] += size[order[g]];
        place[order[g]] = least;
    }
    for (size_t i = 0; i < n; i++)
        fold[i] = place[number[i]];
done:
    sc_free(room);
    sc_free(held);
    return st;
}

static bool worse(const void *context, uint32_t a, uint32_t b)
{
    const double *v = context;
    return isnan(v[a]) ? !isnan(v[b]) : v[a] < v[b];
}

sc_status sc_split_worst(uint32_t *fold, const double *value, size_t n, double fraction)
{
    const double wanted = floor(fraction * (double)n);
    if (!(wanted >= 1.0 && wanted < (double)n) || n > UINT32_MAX)
        return sc_fail(SC_EINVAL, "split: the worst %g of %zu rows", fraction, n);
    uint32_t *room = sc_calloc(n, 2 * sizeof *room);
    if (!room)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        room[i] = (uint32_t)i;
    sc_order_sort(room, room + n, n, worse, value);
    for (size_t i = 0; i < n; i++)
        fold[room[i]] = i >= (size_t)wanted;
    sc_free(room);
    return SC_OK;
}
