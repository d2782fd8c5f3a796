#ifndef WORKLOADS_NAMES_H
#define WORKLOADS_NAMES_H
/** Map from names to numbers: files may hold a million ops, so looking a name up must not be a
 * scan.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

typedef struct sc_names {
    struct sc_names_slot {
        const char *key; /* NULL = free */
        int32_t value;
    } * slots;
    size_t capacity, used; /* capacity: 0 or a power of two */
} sc_names;

/** @return whether the name is there; *value untouched if not. Cost: O(length) on average. */
bool sc_names_get(const sc_names *m, int32_t *value, const char *key);
/** Add a name that is not there yet; the key is borrowed. @return SC_OK; SC_ENOMEM. */
sc_status sc_names_put(sc_names *m, const char *key, int32_t value) SC_MUST_USE;
void sc_names_clear(sc_names *m);
#endif
