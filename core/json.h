#ifndef CORE_JSON_H
#define CORE_JSON_H
/** JSON over jansson: bounded reading, fixed-form writing. Callers use json_t directly.
 *  jansson allocates with malloc, or with what the program gave to json_set_alloc_funcs(). */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/number.h"
#include "scantle/error.h"

/** Parse an object or an array. Duplicate keys, NaN, numbers out of range, broken UTF-8 and
 *  trailing text are refused; at most 64 MiB, 64 levels and 4 Mi values.
 *  @param[out] out  owned by the caller: json_decref.
 *  @return SC_OK; SC_EPARSE as `name:line:column: error: ...` (columns count characters);
 *          SC_ENOMEM, or SC_EPARSE where jansson takes memory that ran out inside a string for a
 *          mistake in it. Cost: O(n). */
sc_status sc_json_parse(json_t **out, const char *name, const char *text, size_t n) SC_MUST_USE;
/** The same from a file, gzip too. @return also sc_file_read()'s SC_ENOTFOUND, SC_EIO. */
sc_status sc_json_open(json_t **out, const char *path) SC_MUST_USE;

/** Write with keys in insertion order, reals in the fewest digits that read back equal and with a
 *  point or exponent, so that they stay reals. pretty: one value a line, indented by 2.
 *  @param value  NULL is taken for a value that ran out of memory while it was built.
 *  @return SC_OK; SC_EINVAL if nested more than 64 deep; SC_ENOMEM. Free with sc_free. */
sc_status sc_json_write(char **out, const json_t *value, int pretty) SC_MUST_USE;

/** json_real that yields null for NaN and infinity, which JSON has not. NULL on out of memory. */
json_t *sc_json_real(double v);
/** Beyond 2^63 - 1 as a real. NULL on out of memory. */
json_t *sc_json_count(uint64_t v);
/** sc_json_real as an integer where v is whole and below 2^53 in size: 32, not 32.0. */
json_t *sc_json_number(double v);

/** Set a key, taking the value over. Jansson reports out of memory by a NULL value, on which the
 * set fails too: one flag gathers every failure of a whole document. */
static inline void sc_json_set(json_t *object, const char *key, json_t *value, bool *ok)
{
    if (json_object_set_new(object, key, value) != 0)
        *ok = false;
}

/** The same of one more entry of a list. */
static inline void sc_json_append(json_t *list, json_t *value, bool *ok)
{
    if (json_array_append_new(list, value) != 0)
        *ok = false;
}
#endif
