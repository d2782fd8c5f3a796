#include "core/buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/locale.h"
#include "core/mem.h"
#include "core/text.h"

enum { FIRST_CAPACITY = 128 };

void sc_buf_init(sc_buf *b)
{
    *b = (sc_buf){0};
}

void sc_buf_clear(sc_buf *b)
{
    sc_free(b->text);
    sc_buf_init(b);
}

/* Room for n more bytes and the NUL. */
static bool reserve(sc_buf *b, size_t n)
{
    if (b->status != SC_OK)
        return false;
    if (n > SIZE_MAX / 2 - b->length - 1) {
        b->status = sc_fail(SC_ENOMEM, "a text of over %zu bytes", SIZE_MAX / 2);
        return false;
    }
    const size_t need = b->length + n + 1;
    if (need <= b->capacity)
        return true;
    size_t capacity = b->capacity ? b->capacity : FIRST_CAPACITY;
    while (capacity < need)
        capacity *= 2;
    char *grown = sc_realloc_array(b->text, capacity, 1);
    if (!grown) {
        b->status = SC_ENOMEM;
        return false;
    }
    b->text = grown;
    b->capacity = capacity;
    return true;
}

void sc_buf_append(sc_buf *b, const char *bytes, size_t n)
{
    if (!reserve(b, n))
        return;
    if (n > 0)
        memcpy(b->text + b->length, bytes, n);
    b->length += n;
    b->text[b->length] = '\0';
}

void sc_buf_puts(sc_buf *b, const char *text)
{
    sc_buf_append(b, text, strlen(text));
}

/* Format into the spare room, growing once if it was too small. */
SC_PRINTF(2, 0)
static void print_in_place(sc_buf *b, const char *fmt, va_list first, va_list second)
{
    if (!reserve(b, 0))
        return;
    const int n = vsnprintf(b->text + b->length, b->capacity - b->length, fmt, first);
    if (n < 0 || !reserve(b, (size_t)n)) {
        b->text[b->length] = '\0';
        b->status = b->status == SC_OK ? sc_fail(SC_ENOMEM, "formatting failed") : b->status;
        return;
    }
    (void)vsnprintf(b->text + b->length, b->capacity - b->length, fmt, second);
    b->length += (size_t)n;
}

void sc_buf_printf(sc_buf *b, const char *fmt, ...)
{
    va_list first, second;
    const sc_locale locale = sc_locale_enter_c();
    va_start(first, fmt);
    va_copy(second, first);
    print_in_place(b, fmt, first, second);
    va_end(second);
    va_end(first);
    sc_locale_leave(locale);
}

static const char *xml_entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

/* XML 1.0 section 2.2: of the controls only tab, newline and return are characters, and the two
 * last code points of the basic plane are none. */
static bool xml_has(const char *c, size_t span)
{
    if (span == 1)
        return (unsigned char)*c >= 0x20 || *c == '\t' || *c == '\n' || *c == '\r';
    return strncmp(c, "\xEF\xBF\xBE", span) != 0 && strncmp(c, "\xEF\xBF\xBF", span) != 0;
}

void sc_buf_xml(sc_buf *b, const char *text)
{
    for (size_t left = strlen(text), span; left > 0; text += span, left -= span) {
        span = sc_utf8_span(text, left);
        const char *entity = xml_entity(*text);
        if (span == 0) {
            sc_buf_puts(b, "\xEF\xBF\xBD");
            span = 1;
        } else if (entity) {
            sc_buf_puts(b, entity);
        } else if (xml_has(text, span)) {
            sc_buf_append(b, text, span);
        }
    }
}

sc_status sc_buf_take(sc_buf *b, char **out)
{
    sc_buf_append(b, "", 0); /* an empty buffer gets its NUL */
    const sc_status st = b->status;
    if (st == SC_OK) {
        *out = b->text;
        b->text = NULL;
    }
    sc_buf_clear(b);
    return st;
}
