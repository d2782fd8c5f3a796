#ifndef CORE_BUF_H
#define CORE_BUF_H
/** Growable text. The first failure sticks (later appends do nothing), so a writer checks once, at
 *  sc_buf_take(). Appending costs O(1) a byte over the life of the buffer. One thread at a time. */
#include <stddef.h>

#include "scantle/error.h"

typedef struct sc_buf {
    char *text; /* NUL-terminated once anything was appended; NULL before */
    size_t length, capacity;
    sc_status status; /* SC_OK, or SC_ENOMEM since an append failed */
} sc_buf;

void sc_buf_init(sc_buf *b);
/** Free the text; the buffer is empty and usable again. */
void sc_buf_clear(sc_buf *b);
void sc_buf_append(sc_buf *b, const char *bytes, size_t n);
void sc_buf_puts(sc_buf *b, const char *text);
/** As printf, in the C locale: a decimal point is a point. */
void sc_buf_printf(sc_buf *b, const char *fmt, ...) SC_PRINTF(2, 3);
/** Text as XML/HTML character data and attribute value: & < > " ' escaped, characters that XML has
 *  not (controls, U+FFFE, U+FFFF) dropped, broken UTF-8 replaced by U+FFFD. */
void sc_buf_xml(sc_buf *b, const char *text);
/** Hand the text over (free with sc_free); *out is "" rather than NULL when nothing was added. The
 *  buffer is empty afterwards, whatever the outcome. @return SC_OK or SC_ENOMEM. */
sc_status sc_buf_take(sc_buf *b, char **out) SC_MUST_USE;
#endif
