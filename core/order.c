#include "core/order.h"

#include <string.h>

enum { RUN = 8 }; /* insertion sort is the faster one up to about here */

static void sort_run(uint32_t *item, size_t n, sc_before_fn before, const void *context)
{
    for (size_t i = 1; i < n; i++) {
        const uint32_t moved = item[i];
        size_t j = i;
        for (; j > 0 && before(context, moved, item[j - 1]); j--)
            item[j] = item[j - 1];
        item[j] = moved;
    }
}

static void merge(uint32_t *out, const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
                  sc_before_fn before, const void *context)
{
    while (n_a > 0 && n_b > 0) {
        if (before(context, *b, *a)) {
            *out++ = *b++;
            n_b--;
        } else {
            *out++ = *a++;
            n_a--;
        }
    }
    memcpy(out, a, n_a * sizeof *a);
    memcpy(out + n_a, b, n_b * sizeof *b);
}

void sc_order_sort(uint32_t *item, uint32_t *scratch, size_t n, sc_before_fn before,
                   const void *context)
{
    uint32_t *from = item, *to = scratch;

    for (size_t i = 0; i < n; i += RUN)
        sort_run(item + i, n - i < RUN ? n - i : RUN, before, context);
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            const size_t n_a = n - i < width ? n - i : width;
            const size_t n_b = n - i - n_a < width ? n - i - n_a : width;
            merge(to + i, from + i, n_a, from + i + n_a, n_b, before, context);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, n * sizeof *item);
}
