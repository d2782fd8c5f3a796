#ifndef CORE_ORDER_H
#define CORE_ORDER_H
/** Stable sort of item numbers by a comparison with a context, which qsort() has not. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether item a must stand before item b; a strict weak order. */
typedef bool (*sc_before_fn)(const void *context, uint32_t a, uint32_t b);

/** Sort item [n] in place; equal ones keep their order. Merge sort, O(n log n), allocates nothing.
 *  scratch: [n]. */
void sc_order_sort(uint32_t *item, uint32_t *scratch, size_t n, sc_before_fn before,
                   const void *context);
#endif
