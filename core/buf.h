#ifndef CORE_BUF_H
#define CORE_BUF_H
/** Growable text. The first failure sticks (later appends do nothing), so a writer checks once. */
#include <stddef.h>

#include "scantle/error.h"

typedef struct sc_buf {
    char *text; /* NUL-terminated once anything was appended; NULL before */
    size_t length, capacity;
    sc_status status;
} sc_buf;

void sc_buf_init(sc_buf *b);
void sc_buf_clear(sc_buf *b);
void sc_buf_append(sc_buf *b, const char *bytes, size_t n);
void sc_buf_puts(sc_buf *b, const char *text);
void sc_buf_printf(sc_buf *b, const char *fmt, ...) SC_PRINTF(2, 3);
/** Text as XML/HTML character data and attribute value: & < > " ' escaped, controls dropped. */
void sc_buf_xml(sc_buf *b, const char *text);
/** Hand the text over (free with sc_free); *out is "" rather than NULL when nothing was added. */
sc_status sc_buf_take(sc_buf *b, char **out) SC_MUST_USE;
#endif
