#include "store/ranges.h"

#include <string.h>

#include "core/mem.h"
#include "store/bytes.h"

enum { RANGE_BYTES = 16 };

void sc_ranges__clear(sc_ranges *r)
{
    sc_free(r->range);
    *r = (sc_ranges){0};
}

/* Number of ranges that begin at or before i. */
static size_t begun(const sc_ranges *r, uint64_t i)
{
    size_t low = 0;
    size_t high = r->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->range[middle].first <= i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sc_ranges__has(const sc_ranges *r, uint64_t i)
{
    const size_t k = begun(r, i);
    return k > 0 && i < r->range[k - 1].end;
}

uint64_t sc_ranges__count(const sc_ranges *r)
{
    uint64_t count = 0;
    for (size_t k = 0; k < r->n; k++)
        count += r->range[k].end - r->range[k].first;
    return count;
}

static sc_status reserve(sc_ranges *r, size_t n)
{
    if (n <= r->capacity)
        return SC_OK;
    const size_t capacity = n < 8 ? 8 : 2 * n;
    sc_range *range = sc_realloc_array(r->range, capacity, sizeof *range);
    if (!range)
        return SC_ENOMEM;
    r->range = range;
    r->capacity = capacity;
    return SC_OK;
}

sc_status sc_ranges__add(sc_ranges *r, uint64_t i)
{
    const size_t k = begun(r, i); /* the new index lies after range k - 1 and before range k */
    const bool after = k > 0 && r->range[k - 1].end == i;
    const bool before = k < r->n && r->range[k].first == i + 1;
    sc_status st;

    if (after && before) { /* closes the gap between two ranges */
        r->range[k - 1].end = r->range[k].end;
        r->n--;
        memmove(&r->range[k], &r->range[k + 1], (r->n - k) * sizeof *r->range);
    } else if (after) {
        r->range[k - 1].end++;
    } else if (before) {
        r->range[k].first--;
    } else {
        if (r->n == SC_RANGES_MAX)
            return sc_fail(SC_ERANGE, "trial indices have over %d gaps", SC_RANGES_MAX);
        if ((st = reserve(r, r->n + 1)) != SC_OK)
            return st;
        memmove(&r->range[k + 1], &r->range[k], (r->n - k) * sizeof *r->range);
        r->range[k] = (sc_range){i, i + 1};
        r->n++;
    }
    return SC_OK;
}

sc_status sc_ranges__copy(sc_ranges *to, const sc_ranges *from)
{
    const sc_status st = reserve(to, from->n);
    if (st != SC_OK)
        return st;
    if (from->n)
        memcpy(to->range, from->range, from->n * sizeof *to->range);
    to->n = from->n;
    return SC_OK;
}

size_t sc_ranges__bytes(const sc_ranges *r)
{
    return RANGE_BYTES * r->n;
}

void sc_ranges__encode(const sc_ranges *r, unsigned char *out)
{
    for (size_t k = 0; k < r->n; k++) {
        sc_put_u64(out + RANGE_BYTES * k, r->range[k].first);
        sc_put_u64(out + RANGE_BYTES * k + 8, r->range[k].end);
    }
}

sc_status sc_ranges__decode(sc_ranges *r, const unsigned char *bytes, size_t n)
{
    sc_ranges read = {0};
    const size_t ranges = n / RANGE_BYTES;
    uint64_t last = 0;
    sc_status st;

    if (n % RANGE_BYTES != 0 || ranges > SC_RANGES_MAX)
        return sc_fail(SC_EPARSE, "ranges of %zu bytes", n);
    if ((st = reserve(&read, ranges)) != SC_OK)
        return st;
    for (size_t k = 0; k < ranges; k++) {
        const sc_range range = {sc_get_u64(bytes + RANGE_BYTES * k),
                                sc_get_u64(bytes + RANGE_BYTES * k + 8)};
        if (range.end <= range.first || (k > 0 && range.first <= last)) {
            sc_ranges__clear(&read);
            return sc_fail(SC_EPARSE, "ranges out of order");
        }
        last = range.end;
        read.range[read.n++] = range;
    }
    sc_ranges__clear(r);
    *r = read;
    return SC_OK;
}
