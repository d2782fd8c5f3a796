#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/pareto.h"

struct sc_archive {
    size_t m, n, capacity;
    double *values;   /* [n][m]; m = 2: first ascending, second descending, both strictly */
    uint64_t *number; /* [n] */
};

sc_status sc_archive_create(sc_archive **out, size_t m)
{
    if (m < 1 || m > SC_MAX_OBJECTIVES)
        return sc_fail(SC_EINVAL, "archive: %zu objectives, must be 1 to %d", m, SC_MAX_OBJECTIVES);
    sc_archive *a = sc_calloc(1, sizeof *a);
    if (!a)
        return SC_ENOMEM;
    a->m = m;
    *out = a;
    return SC_OK;
}

void sc_archive_destroy(sc_archive *a)
{
    if (a) {
        sc_free(a->values);
        sc_free(a->number);
    }
    sc_free(a);
}

static sc_status make_room(sc_archive *a)
{
    if (a->n < a->capacity)
        return SC_OK;
    const size_t capacity = a->capacity ? 2 * a->capacity : 16;
    double *values = sc_realloc_array(a->values, capacity, a->m * sizeof *values);
    if (!values)
        return SC_ENOMEM;
    a->values = values;
    uint64_t *number = sc_realloc_array(a->number, capacity, sizeof *number);
    if (!number)
        return SC_ENOMEM;
    a->number = number;
    a->capacity = capacity;
    return SC_OK;
}

/* Put a row in the place of rows [from, to). */
static void replace(sc_archive *a, size_t from, size_t to, const double *values, uint64_t number)
{
    const size_t m = a->m, after = a->n - to;
    memmove(a->values + (from + 1) * m, a->values + to * m, after * m * sizeof *values);
    memmove(a->number + from + 1, a->number + to, after * sizeof number);
    memcpy(a->values + from * m, values, m * sizeof *values);
    a->number[from] = number;
    a->n = from + 1 + after;
}

static bool add_2d(sc_archive *a, const double *values, uint64_t number)
{
    size_t low = 0, high = a->n; /* first member whose first value is not below ours */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (a->values[2 * middle] < values[0])
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && a->values[2 * low - 1] <= values[1])
        return false;
    if (low < a->n && a->values[2 * low] == values[0] && a->values[2 * low + 1] <= values[1])
        return false;
    size_t end = low;
    while (end < a->n && a->values[2 * end + 1] >= values[1])
        end++;
    replace(a, low, end, values, number);
    return true;
}

static bool add_any(sc_archive *a, const double *values, uint64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->n; i++) {
        const double *row = a->values + i * a->m;
        const int order = sc_pareto_compare(row, values, a->m);
        if (order < 0 || (order == 0 && memcmp(row, values, a->m * sizeof *row) == 0))
            return false; /* nothing was removed: what dominates us dominates what we dominate */
        if (order > 0)
            continue;
        if (kept != i) {
            memcpy(a->values + kept * a->m, row, a->m * sizeof *row);
            a->number[kept] = a->number[i];
        }
        kept++;
    }
    replace(a, kept, a->n, values, number);
    return true;
}

sc_status sc_archive_add(sc_archive *a, const double *values, uint64_t number, bool *added)
{
    double row[SC_MAX_OBJECTIVES];
    for (size_t j = 0; j < a->m; j++) {
        if (!isfinite(values[j]))
            return sc_fail(SC_EINVAL, "archive: objective %zu of point %llu is not finite", j,
                           (unsigned long long)number);
        row[j] = values[j] + 0.0; /* -0 becomes 0, so that equal rows are equal bytes */
    }
    if (make_room(a) != SC_OK)
        return SC_ENOMEM;
    *added = a->m == 2 ? add_2d(a, row, number) : add_any(a, row, number);
    return SC_OK;
}

size_t sc_archive_count(const sc_archive *a)
{
    return a->n;
}

const double *sc_archive_values(const sc_archive *a, size_t i)
{
    return a->values + i * a->m;
}

uint64_t sc_archive_number(const sc_archive *a, size_t i)
{
    return a->number[i];
}
