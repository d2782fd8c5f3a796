#ifndef CORE_INTERN_H
#define CORE_INTERN_H
/** Texts by number, in the order in which they came: a set that grows, looked up in O(1). */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

typedef struct sc_intern {
    char *bytes; /* texts one behind the other, each ended by a NUL */
    size_t n_bytes, byte_capacity;
    size_t n, capacity;
    size_t *at;     /* [n] where a text begins */
    uint32_t *slot; /* [slots] number + 1, 0 = free */
    size_t slots;   /* a power of two, or 0 */
} sc_intern;        /* all zero: empty */

void sc_intern_clear(sc_intern *s);
/** Number of a text, new or not. @param most  SC_ERANGE (no message) past so many.
 *  Cost: O(length), amortised. @return SC_OK; SC_ERANGE; SC_ENOMEM. */
sc_status sc_intern_add(uint32_t *out, sc_intern *s, const char *text, size_t most) SC_MUST_USE;
/** UINT32_MAX if it is not there. */
uint32_t sc_intern_find(const sc_intern *s, const char *text);
const char *sc_intern_text(const sc_intern *s, uint32_t i);
#endif
