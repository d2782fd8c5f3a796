#include "store/front.h"

#include <string.h>

#include "core/mem.h"
#include "store/bytes.h"

void sc_front__clear(sc_front *f)
{
    sc_free(f->index);
    sc_free(f->values);
    sc_free(f->gone);
    *f = (sc_front){.m = f->m};
}

static sc_status reserve_front(sc_front *f)
{
    if (f->n < f->capacity)
        return SC_OK;
    const size_t capacity = f->capacity ? 2 * f->capacity : 16;
    uint64_t *index = sc_realloc_array(f->index, capacity, sizeof *index);
    if (!index)
        return SC_ENOMEM;
    f->index = index;
    uint64_t *gone = sc_realloc_array(f->gone, capacity, sizeof *gone);
    if (!gone)
        return SC_ENOMEM;
    f->gone = gone;
    double *values = sc_realloc_array(f->values, capacity, f->m * sizeof *values);
    if (!values)
        return SC_ENOMEM;
    f->values = values;
    f->capacity = capacity;
    return SC_OK;
}

/* Whether a is at least as good as b in every value. */
static bool covers(const double *a, const double *b, size_t m)
{
    for (size_t i = 0; i < m; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

/* Whether the new vector must stay out because of member k. */
static bool is_refused_by(const sc_front *f, size_t k, uint64_t index, const double *values)
{
    const double *member = f->values + k * f->m;
    if (!covers(member, values, f->m))
        return false;
    return !covers(values, member, f->m) || f->index[k] < index; /* equal: the lower index */
}

sc_status sc_front__offer(sc_front *f, uint64_t index, const double *values, bool *entered)
{
    sc_status st;

    f->n_gone = 0;
    *entered = false;
    if (f->m == 0)
        return SC_OK;
    for (size_t k = 0; k < f->n; k++)
        if (is_refused_by(f, k, index, values))
            return SC_OK;
    if ((st = reserve_front(f)) != SC_OK)
        return st;
    size_t kept = 0;
    for (size_t k = 0; k < f->n; k++) {
        if (covers(values, f->values + k * f->m, f->m)) {
            f->gone[f->n_gone++] = f->index[k];
            continue;
        }
        f->index[kept] = f->index[k];
        memmove(f->values + kept * f->m, f->values + k * f->m, f->m * sizeof *values);
        kept++;
    }
    f->index[kept] = index;
    memcpy(f->values + kept * f->m, values, f->m * sizeof *values);
    f->n = kept + 1;
    *entered = true;
    return SC_OK;
}

/* ---- sample: a binary heap ---- */

void sc_sample__clear(sc_sample *s)
{
    sc_free(s->heap);
    *s = (sc_sample){.study = s->study, .wanted = s->wanted};
}

static uint64_t rank_of(sc_hash128 study, uint64_t index)
{
    unsigned char bytes[24];
    sc_put_u64(bytes, study.hi);
    sc_put_u64(bytes + 8, study.lo);
    sc_put_u64(bytes + 16, index);
    return sc_hash64_of(bytes, sizeof bytes);
}

static bool is_less(sc_sampled a, sc_sampled b)
{
    return a.rank != b.rank ? a.rank < b.rank : a.index < b.index;
}

static void swap(sc_sampled *a, sc_sampled *b)
{
    const sc_sampled kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(sc_sampled *heap, size_t k)
{
    while (k > 0 && is_less(heap[(k - 1) / 2], heap[k])) {
        swap(&heap[(k - 1) / 2], &heap[k]);
        k = (k - 1) / 2;
    }
}

static void sift_down(sc_sampled *heap, size_t n)
{
    for (size_t k = 0;;) {
        size_t largest = k;
        for (size_t child = 2 * k + 1; child <= 2 * k + 2 && child < n; child++)
            if (is_less(heap[largest], heap[child]))
                largest = child;
        if (largest == k)
            return;
        swap(&heap[k], &heap[largest]);
        k = largest;
    }
}

static sc_status reserve_sample(sc_sample *s)
{
    if (s->n < s->capacity)
        return SC_OK;
    const size_t capacity = s->capacity ? 2 * s->capacity : 16;
    sc_sampled *heap = sc_realloc_array(s->heap, capacity, sizeof *heap);
    if (!heap)
        return SC_ENOMEM;
    s->heap = heap;
    s->capacity = capacity;
    return SC_OK;
}

sc_status sc_sample__offer(sc_sample *s, uint64_t index, bool *entered, uint64_t *left)
{
    const sc_sampled item = {rank_of(s->study, index), index};
    sc_status st;

    *entered = false;
    *left = UINT64_MAX;
    if (s->n < s->wanted) {
        if ((st = reserve_sample(s)) != SC_OK)
            return st;
        s->heap[s->n] = item;
        sift_up(s->heap, s->n++);
        *entered = true;
    } else if (s->wanted > 0 && is_less(item, s->heap[0])) {
        *left = s->heap[0].index;
        s->heap[0] = item;
        sift_down(s->heap, s->n);
        *entered = true;
    }
    return SC_OK;
}
