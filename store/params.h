#ifndef STORE_PARAMS_H
#define STORE_PARAMS_H
/** Parameters of a trial as text: `a=1,b='x, y'`. A value is bare, without , and ', or stands
 *  between single quotes with each ' of its own doubled. */
#include <stdbool.h>
#include <stddef.h>

#include "core/buf.h"
#include "scantle/error.h"

/** One assignment; pieces are borrowed from the text. */
typedef struct sc_param {
    const char *name, *value; /* value as written, its quotes included */
    size_t name_length, value_length;
    bool quoted;
} sc_param;

/** Read the assignment at *text and step over it and its comma. @return SC_OK; SC_EINVAL. */
sc_status sc_param__next(sc_param *out, const char **text) SC_MUST_USE;
bool sc_param__is(const sc_param *p, const char *name);
/** Append the value without quotes. */
void sc_param__value(const sc_param *p, sc_buf *b);

/** Whether the text assigns to names of the list only, in the list's order, none twice.
 *  @return SC_OK; SC_EINVAL saying what is wrong. */
sc_status sc_params__check(const char *text, const char *const *names, size_t n) SC_MUST_USE;
#endif
