#include "core/json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"

enum { MAX_BYTES = 64 << 20, MAX_DEPTH = 64, MAX_VALUES = 4 << 20 };

static sc_status error_at(const char *name, const char *text, size_t offset, const char *what)
{
    const sc_place p = sc_text_place(text, offset);
    return sc_fail(SC_EPARSE, "%s:%d:%d: error: %s", name, p.line, p.column, what);
}

/* jansson recurses once a level and takes some 50 bytes a value: both are bounded by a walk over
 * the brackets and commas that stand outside strings. */
static sc_status check_size(const char *name, const char *text, size_t n)
{
    size_t depth = 0, values = 0;
    bool in_string = false;
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{') && ++depth > MAX_DEPTH)
            return error_at(name, text, i, "nested more than 64 deep");
        else if (!in_string && (c == ']' || c == '}') && depth > 0)
            depth--;
        if (!in_string && (c == ',' || c == '[' || c == '{') && ++values > MAX_VALUES)
            return error_at(name, text, i, "too many values");
    }
    return SC_OK;
}

static sc_status check_text(const char *name, const char *text, size_t n)
{
    if (n > MAX_BYTES)
        return error_at(name, text, 0, "over the limit of 64 MiB");
    if (n == 0)
        return error_at(name, text, 0, "the file is empty");
    const size_t bad = sc_text_bad_byte(text, n);
    if (bad < n)
        return error_at(name, text, bad,
                        text[bad] ? "not UTF-8 text" : "a NUL byte: this is no text file");
    return check_size(name, text, n);
}

sc_status sc_json_parse(json_t **out, const char *name, const char *text, size_t n)
{
    const sc_status st = check_text(name, text, n);
    if (st != SC_OK)
        return st;
    json_error_t e = {.line = 0}; /* jansson leaves the place of its error code as it was */
    json_t *value = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
    /* jansson names the want of memory in some places and gives no text in the others */
    if (!value && (json_error_code(&e) == json_error_out_of_memory || !e.text[0]))
        return sc_fail(SC_ENOMEM, "no memory to parse %s", name);
    if (!value)
        return sc_fail(SC_EPARSE, "%s:%d:%d: error: %s", name, e.line, e.column, e.text);
    *out = value;
    return SC_OK;
}

sc_status sc_json_open(json_t **out, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    sc_status st = sc_file_read(&text, &n, path, MAX_BYTES);
    if (st == SC_OK)
        st = sc_json_parse(out, path, text, n);
    sc_free(text);
    return st;
}

json_t *sc_json_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *sc_json_count(uint64_t v)
{
    return v <= INT64_MAX ? json_integer((json_int_t)v) : sc_json_real((double)v);
}

json_t *sc_json_number(double v)
{
    return v == floor(v) && fabs(v) < 0x1p53 ? json_integer((json_int_t)v) : sc_json_real(v);
}

typedef struct writer {
    sc_buf buf;
    bool pretty, too_deep;
} writer;

static void write_string(sc_buf *b, const char *text, size_t n)
{
    static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    sc_buf_puts(b, "\"");
    for (size_t i = 0, from = 0; i <= n; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool escape = i < n && (c < 0x20 || c == '"' || c == '\\');
        if (!escape && i < n)
            continue;
        sc_buf_append(b, text + from, i - from); /* what stood unescaped before */
        from = i + 1;
        const char *which = escape && c ? strchr(named, c) : NULL;
        if (which)
            sc_buf_printf(b, "\\%c", letters[which - named]);
        else if (escape)
            sc_buf_printf(b, "\\u%04x", c);
    }
    sc_buf_puts(b, "\"");
}

static void write_real(sc_buf *b, double v)
{
    char text[40];
    sc_double_text(text, sizeof text, v);
    sc_buf_puts(b, text);
    if (!strpbrk(text, ".e"))
        sc_buf_puts(b, ".0");
}

static void new_line(writer *w, int depth)
{
    if (w->pretty)
        sc_buf_printf(&w->buf, "\n%*s", 2 * depth, "");
}

static void write_value(writer *w, const json_t *v, int depth);

static void write_array(writer *w, const json_t *v, int depth)
{
    const size_t n = json_array_size(v);
    sc_buf_puts(&w->buf, "[");
    for (size_t i = 0; i < n; i++) {
        sc_buf_puts(&w->buf, i ? "," : "");
        new_line(w, depth + 1);
        write_value(w, json_array_get(v, i), depth + 1);
    }
    if (n > 0)
        new_line(w, depth);
    sc_buf_puts(&w->buf, "]");
}

static void write_object(writer *w, const json_t *v, int depth)
{
    json_t *object = (json_t *)(uintptr_t)v; /* jansson iterates over mutable objects only */
    const char *comma = "";
    sc_buf_puts(&w->buf, "{");
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        sc_buf_puts(&w->buf, comma);
        comma = ",";
        new_line(w, depth + 1);
        write_string(&w->buf, json_object_iter_key(i), strlen(json_object_iter_key(i)));
        sc_buf_puts(&w->buf, w->pretty ? ": " : ":");
        write_value(w, json_object_iter_value(i), depth + 1);
    }
    if (*comma)
        new_line(w, depth);
    sc_buf_puts(&w->buf, "}");
}

static void write_value(writer *w, const json_t *v, int depth)
{
    if (depth == MAX_DEPTH && (json_is_object(v) || json_is_array(v))) {
        w->too_deep = true;
        return;
    }
    switch (json_typeof(v)) {
    case JSON_OBJECT: write_object(w, v, depth); break;
    case JSON_ARRAY: write_array(w, v, depth); break;
    case JSON_STRING: write_string(&w->buf, json_string_value(v), json_string_length(v)); break;
    case JSON_INTEGER:
        sc_buf_printf(&w->buf, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        break;
    case JSON_REAL: write_real(&w->buf, json_real_value(v)); break;
    case JSON_TRUE: sc_buf_puts(&w->buf, "true"); break;
    case JSON_FALSE: sc_buf_puts(&w->buf, "false"); break;
    case JSON_NULL: sc_buf_puts(&w->buf, "null"); break;
    }
}

sc_status sc_json_write(char **out, const json_t *value, int pretty)
{
    writer w = {.pretty = pretty != 0};
    if (!value)
        return sc_fail(SC_ENOMEM, "no memory for a JSON value");
    sc_buf_init(&w.buf);
    write_value(&w, value, 0);
    if (w.too_deep) {
        sc_buf_clear(&w.buf);
        return sc_fail(SC_EINVAL, "a JSON value nested more than %d deep", MAX_DEPTH);
    }
    return sc_buf_take(&w.buf, out);
}
