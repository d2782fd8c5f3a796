#include "search/pool.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/order.h"
#include "search/pareto.h"

static bool allocate(sc_pool *p)
{
    p->point = sc_calloc(p->capacity, p->n * sizeof *p->point);
    p->value = sc_calloc(p->capacity, p->m * sizeof *p->value);
    p->violation = sc_calloc(p->capacity, sizeof *p->violation);
    p->rank = sc_calloc(p->capacity, sizeof *p->rank);
    p->crowding = sc_calloc(p->capacity, sizeof *p->crowding);
    p->order = sc_calloc(p->capacity, sizeof *p->order);
    p->scratch = sc_calloc(p->capacity, sizeof *p->scratch);
    p->distance = sc_calloc(p->capacity, sizeof *p->distance);
    return p->point && p->value && p->violation && p->rank && p->crowding && p->order &&
           p->scratch && p->distance;
}

size_t sc_pool_population(const sc_optimizer *o, size_t share)
{
    const size_t grown = o->seen.n_told / share;
    if (o->options.population)
        return o->options.population;
    return grown < SC_POOL_LEAST ? SC_POOL_LEAST : grown > SC_POOL_MOST ? SC_POOL_MOST : grown;
}

size_t sc_pool_batch(const sc_optimizer *o, size_t population)
{
    const size_t part = population / SC_POOL_BATCH_SHARE;
    return o->options.batch ? o->options.batch : part > 1 ? part : 1;
}

sc_status sc_pool_create(sc_pool **out, size_t n, size_t m, size_t capacity)
{
    sc_pool *p = sc_calloc(1, sizeof *p);
    if (!p)
        return SC_ENOMEM;
    p->n = n;
    p->m = m;
    p->capacity = capacity;
    sc_status st = allocate(p) ? SC_OK : SC_ENOMEM;
    if (st == SC_OK)
        st = sc_pareto_work_create(&p->work, capacity);
    if (st == SC_OK)
        *out = p;
    else
        sc_pool_destroy(p);
    return st;
}

void sc_pool_destroy(sc_pool *p)
{
    if (!p)
        return;
    sc_free(p->point);
    sc_free(p->value);
    sc_free(p->violation);
    sc_free(p->rank);
    sc_free(p->crowding);
    sc_free(p->order);
    sc_free(p->scratch);
    sc_free(p->distance);
    sc_pareto_work_destroy(p->work);
    sc_free(p);
}

size_t sc_pool_add(sc_pool *p, const sc_trial *t)
{
    const size_t row = p->n_rows++;
    const bool feasible = t->state == SC_TRIAL_FEASIBLE;

    memcpy(p->point + row * p->n, t->point, p->n * sizeof *p->point);
    for (size_t j = 0; j < p->m; j++)
        p->value[row * p->m + j] = feasible ? t->objectives[j] : 0.0;
    p->violation[row] = feasible ? 0.0 : t->state == SC_TRIAL_FAILED ? HUGE_VAL : t->violation;
    return row;
}

void sc_pool_copy_row(sc_pool *p, size_t to, const sc_pool *source, size_t from)
{
    if (p == source && to == from)
        return;
    memcpy(p->point + to * p->n, source->point + from * p->n, p->n * sizeof *p->point);
    memcpy(p->value + to * p->m, source->value + from * p->m, p->m * sizeof *p->value);
    p->violation[to] = source->violation[from];
    p->rank[to] = source->rank[from];
    p->crowding[to] = source->crowding[from];
}

static bool by_rank(const void *context, uint32_t a, uint32_t b)
{
    const sc_pool *p = context;
    return p->rank[a] < p->rank[b];
}

static bool by_grade(const void *context, uint32_t a, uint32_t b)
{
    return sc_pool_better(context, a, b);
}

bool sc_pool_better(const sc_pool *p, uint32_t a, uint32_t b)
{
    return p->rank[a] != p->rank[b] ? p->rank[a] < p->rank[b] : p->crowding[a] > p->crowding[b];
}

void sc_pool_grade(sc_pool *p)
{
    sc_pareto_sort(p->rank, p->value, p->violation, p->n_rows, p->m, p->work);
    for (size_t i = 0; i < p->n_rows; i++)
        p->order[i] = (uint32_t)i;
    sc_order_sort(p->order, p->scratch, p->n_rows, by_rank, p);
    for (size_t first = 0, end; first < p->n_rows; first = end) {
        const uint32_t *front = p->order + first;
        for (end = first + 1; end < p->n_rows && p->rank[p->order[end]] == p->rank[*front];)
            end++;
        if (p->violation[*front] > 0.0) {
            for (size_t k = 0; k < end - first; k++)
                p->distance[k] = 0.0; /* values of infeasible rows mean nothing */
        } else {
            sc_pareto_crowding(p->distance, p->value, front, end - first, p->m, p->work);
        }
        for (size_t k = 0; k < end - first; k++)
            p->crowding[front[k]] = p->distance[k];
    }
}

static void sort_first(sc_pool *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p->order[i] = (uint32_t)i;
    sc_order_sort(p->order, p->scratch, n, by_grade, p);
}

void sc_pool_sort(sc_pool *p)
{
    sort_first(p, p->n_rows);
}

void sc_pool_sort_kept(sc_pool *p)
{
    sort_first(p, p->n_kept);
}

void sc_pool_keep_best(sc_pool *p, size_t n)
{
    sc_pool_grade(p);
    if (p->n_rows > n) {
        size_t kept = 0;
        sc_pool_sort(p);
        for (size_t i = 0; i < p->n_rows; i++)
            p->scratch[p->order[i]] = i < n;
        for (size_t i = 0; i < p->n_rows; i++)
            if (p->scratch[i])
                sc_pool_copy_row(p, kept++, p, i);
        p->n_rows = n;
    }
    p->n_kept = p->n_rows;
}

void sc_pool_drop_first(sc_pool *p, size_t k)
{
    const size_t left = p->n_rows - k;
    memmove(p->point, p->point + k * p->n, left * p->n * sizeof *p->point);
    memmove(p->value, p->value + k * p->m, left * p->m * sizeof *p->value);
    memmove(p->violation, p->violation + k, left * sizeof *p->violation);
    memmove(p->rank, p->rank + k, left * sizeof *p->rank);
    memmove(p->crowding, p->crowding + k, left * sizeof *p->crowding);
    p->n_rows = left;
    p->n_kept = p->n_kept > k ? p->n_kept - k : 0;
}

bool sc_pool_is_blind(const sc_pool *p, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        if (p->violation[i] != p->violation[first] || p->violation[i] == 0.0)
            return false;
    return true;
}

bool sc_pool_is_news(const sc_pool *p, const sc_pool *source, size_t k)
{
    const double *value = source->value + k * p->m, violation = source->violation[k];
    for (size_t i = 0; i < p->n_rows; i++) {
        const double *other = p->value + i * p->m;
        if (p == source && i == k)
            continue;
        if ((p->violation[i] == violation && memcmp(other, value, p->m * sizeof *value) == 0) ||
            sc_pareto_compare_constrained(other, p->violation[i], value, violation, p->m) < 0)
            return false;
    }
    return true;
}

void sc_pool_save(const sc_pool *p, size_t first, sc_buf *b)
{
    for (size_t i = first; i < p->n_rows; i++) {
        for (size_t j = 0; j < p->n; j++)
            sc_blob_u32(b, p->point[i * p->n + j]);
        for (size_t j = 0; j < p->m; j++)
            sc_blob_double(b, p->value[i * p->m + j]);
        sc_blob_double(b, p->violation[i]);
        sc_blob_u32(b, i < p->n_kept ? p->rank[i] : 0);
        sc_blob_double(b, i < p->n_kept ? p->crowding[i] : 0.0);
    }
}

size_t sc_pool_row_bytes(const sc_pool *p)
{
    return 4 * p->n + 8 * p->m + 20;
}

static bool load_row(sc_pool *p, size_t i, const sc_optimizer *o, sc_blob *in)
{
    uint32_t *point = p->point + i * p->n;
    bool good = true;

    for (size_t j = 0; j < p->n; j++) {
        point[j] = sc_blob_read_u32(in);
        good &= point[j] < o->problem.cardinality[j];
    }
    for (size_t j = 0; j < p->m; j++) {
        p->value[i * p->m + j] = sc_blob_read_double(in);
        good &= isfinite(p->value[i * p->m + j]) != 0;
    }
    p->violation[i] = sc_blob_read_double(in);
    p->rank[i] = sc_blob_read_u32(in);
    p->crowding[i] = sc_blob_read_double(in);
    return good && !in->broken && p->violation[i] >= 0.0 && p->crowding[i] >= 0.0 &&
           sc_seen_state_of(&o->seen, sc_opt_key(o, point)) == SC_SEEN_TOLD;
}

bool sc_pool_load(sc_pool *p, size_t n, const sc_optimizer *o, sc_blob *in)
{
    if (n > p->capacity)
        return false;
    p->n_rows = n;
    for (size_t i = 0; i < n; i++)
        if (!load_row(p, i, o, in))
            return false;
    return true;
}

void sc_pool_save_kept(const sc_pool *p, sc_buf *b)
{
    sc_blob_u64(b, p->n_kept);
    sc_blob_u64(b, p->n_rows);
    sc_pool_save(p, 0, b);
}

bool sc_pool_load_kept(sc_pool *p, size_t batch, const sc_optimizer *o, sc_blob *in)
{
    const uint64_t n_kept = sc_blob_read_u64(in);
    const size_t n_rows = sc_blob_read_count(in, sc_pool_row_bytes(p));

    if (in->broken || n_kept > n_rows || n_rows - n_kept >= batch || n_rows >= p->capacity ||
        !sc_pool_load(p, n_rows, o, in))
        return false;
    p->n_kept = (size_t)n_kept;
    return true;
}
