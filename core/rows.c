#define _DEFAULT_SOURCE /* gzFile over a file descriptor */
#include "core/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/number.h"
#include "core/rows_inner.h"
#include "core/text.h"

enum { GZIP_BUFFER = 1 << 17, BUFFER = 2 * SC_ROWS_LONGEST };

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

sc_status sc_rows__add_column(sc_rows *r, const char *name)
{
    if (r->n_columns == SC_ROWS_MOST_COLUMNS)
        return sc_fail(SC_EPARSE, "%s:1:1: error: over %d columns", r->name, SC_ROWS_MOST_COLUMNS);
    char **grown = sc_realloc_array(r->column, r->n_columns + 1, sizeof *grown);
    if (!grown)
        return SC_ENOMEM;
    r->column = grown;
    if (!(r->column[r->n_columns] = sc_strdup(name)))
        return SC_ENOMEM;
    r->n_columns++;
    return SC_OK;
}

sc_status sc_rows__make_cells(sc_rows *r)
{
    r->cell = sc_calloc(r->n_columns, sizeof *r->cell);
    return r->cell ? SC_OK : SC_ENOMEM;
}

/* ---- text ---- */

static sc_status open_file(sc_rows *r)
{
    int fd = -1;
    uint64_t size;
    const sc_status st = sc_file_open(&fd, &size, r->name);
    if (st != SC_OK)
        return st;
    r->file = gzdopen(fd, "rb"); /* takes the descriptor; plain files pass through */
    if (!r->file) {
        sc_file_close(fd);
        return sc_fail(SC_ENOMEM, "%s: out of memory", r->name);
    }
    (void)gzbuffer(r->file, GZIP_BUFFER);
    r->ended = false;
    r->from = r->to = 0;
    r->next_line = 1;
    r->count = 0;
    r->hash = sc_hash128_of("", 0);
    return SC_OK;
}

static void close_file(sc_rows *r)
{
    if (r->file)
        (void)gzclose(r->file);
    r->file = NULL;
}

static sc_status read_failure(sc_rows *r)
{
    int code = Z_OK;
    const char *why = gzerror(r->file, &code);
    if (code == Z_ERRNO)
        return sc_fail(SC_EIO, "%s: cannot be read", r->name);
    if (code == Z_OK || code == Z_STREAM_END)
        return SC_OK;
    return sc_fail(SC_EPARSE, "%s:1:1: error: broken gzip: %s", r->name,
                   code == Z_BUF_ERROR ? "it ends too soon" : why);
}

/* Move what is left to the front and fill up. */
static sc_status fill(sc_rows *r)
{
    if (r->from > 0)
        memmove(r->buffer, r->buffer + r->from, r->to - r->from);
    r->to -= r->from;
    r->from = 0;
    while (!r->ended && r->to < BUFFER) {
        const int n = gzread(r->file, r->buffer + r->to, (unsigned)(BUFFER - r->to));
        if (n <= 0) {
            r->ended = true;
            const sc_status st = read_failure(r);
            if (st != SC_OK)
                return st;
        } else {
            r->to += (size_t)n;
        }
    }
    return SC_OK;
}

/* Bytes of the record at r->from with its line end: up to a line end outside quotes. 0: there is
 * none in the buffer. */
static size_t record_length(const sc_rows *r)
{
    const char *from = r->buffer + r->from, *end = r->buffer + r->to, *at = from;
    bool inside = false;
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *stop = line ? line : end;
        for (const char *q = at; (q = memchr(q, '"', (size_t)(stop - q))) != NULL; q++)
            inside = !inside;
        if (!line)
            break;
        at = line + 1;
        if (!inside)
            return (size_t)(at - from);
    }
    return r->ended ? (size_t)(end - from) : 0;
}

/* The bytes of the next record; *n = 0 at the end of the file. */
static sc_status next_record(char **out, size_t *n, sc_rows *r)
{
    size_t length = record_length(r);
    sc_status st;
    if (length == 0 && !r->ended) {
        if ((st = fill(r)) != SC_OK)
            return st;
        length = record_length(r);
    }
    if (length > SC_ROWS_LONGEST || (length == 0 && !r->ended))
        return sc_cell_fail(r->name, r->next_line, 1,
                            "a row of over 1 MiB (is a quote never closed?)");
    const size_t bad = sc_text_bad_byte(r->buffer + r->from, length);
    if (bad < length) {
        const sc_place p = sc_text_place(r->buffer + r->from, bad);
        return sc_cell_fail(r->name, r->next_line + (uint32_t)p.line - 1, (uint32_t)p.column,
                            r->buffer[r->from + bad] ? "not UTF-8 text"
                                                     : "a NUL byte: this is no text file");
    }
    const sc_hash128 parts[2] = {r->hash, sc_hash128_of(r->buffer + r->from, length)};
    if (length > 0)
        r->hash = sc_hash128_of(parts, sizeof parts);
    *out = r->buffer + r->from;
    *n = length;
    r->from += length;
    return SC_OK;
}

/* Point a cursor at the next record that is not blank; at == end: there is none. A blank line is
 * looked at before the byte behind it is overwritten: records do not overlap. */
static sc_status next_line(sc_csv_cursor *c, sc_rows *r)
{
    for (;;) {
        char *text = NULL;
        size_t n = 0;
        const bool first = r->next_line == 1;
        const sc_status st = next_record(&text, &n, r);
        if (st != SC_OK)
            return st;
        const size_t skip = first && n >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
        *c = (sc_csv_cursor){.name = r->name,
                             .separator = r->separator,
                             .at = text + skip,
                             .end = text + n,
                             .line = r->next_line,
                             .column = 1};
        if (n == 0)
            return SC_OK;
        for (size_t i = 0; i < n; i++)
            r->next_line += text[i] == '\n';
        if (!sc_cell_blank_line(c) && c->at < c->end)
            return SC_OK;
    }
}

static void trim(sc_cell *it)
{
    char *text = (char *)it->text; /* in our own buffer */
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = '\0';
    const size_t lead = strspn(text, " \t");
    it->text += lead;
    it->column += (uint32_t)lead;
}

static sc_status read_heading(sc_rows *r)
{
    sc_csv_cursor c;
    sc_status st = next_line(&c, r);
    if (st != SC_OK)
        return st;
    if (c.at == c.end)
        return sc_cell_fail(r->name, 1, 1, "no row in it");
    for (bool last = false; !last;) {
        sc_cell it;
        if ((st = sc_cell_next(&it, &c, &last)) != SC_OK)
            return st;
        trim(&it);
        if ((st = r->cell ? SC_OK : sc_rows__add_column(r, it.text)) != SC_OK)
            return st;
    }
    return SC_OK;
}

static sc_status open_text(sc_rows *r, const sc_rows_form *form)
{
    const char *const *names = form->columns;
    sc_status st = open_file(r);
    r->separator = form->separator ? form->separator : ',';
    r->heading = names == NULL;
    if (st == SC_OK && !(r->buffer = sc_malloc(BUFFER + 1)))
        st = SC_ENOMEM;
    if (st == SC_OK && r->heading)
        st = read_heading(r);
    for (size_t i = 0; names && i < form->n_columns && st == SC_OK; i++)
        st = sc_rows__add_column(r, names[i]);
    return st == SC_OK ? sc_rows__make_cells(r) : st;
}

static sc_status next_text(bool *got, sc_rows *r)
{
    sc_csv_cursor c;
    size_t n = 0;
    sc_status st = next_line(&c, r);
    if (st != SC_OK)
        return st;
    *got = c.at < c.end;
    if (!*got)
        return SC_OK;
    r->line = c.line;
    for (bool last = false; !last; n++) {
        sc_cell it;
        if ((st = sc_cell_next(&it, &c, &last)) != SC_OK)
            return st;
        if (n == r->n_columns)
            return sc_fail(SC_EPARSE,
                           "%s:%u:%u: error: this row has more than the %zu cells of "
                           "the heading",
                           r->name, it.line, it.column, r->n_columns);
        trim(&it);
        r->cell[n] = it;
    }
    if (n < r->n_columns)
        return sc_fail(SC_EPARSE, "%s:%u:%u: error: this row has %zu cells, the heading has %zu",
                       r->name, r->cell[n - 1].line, r->cell[n - 1].column, n, r->n_columns);
    return SC_OK;
}

/* ---- both ---- */

sc_status sc_rows_open(sc_rows **out, const char *path, const sc_rows_form *form)
{
    const bool json = ends_with(path, ".json") || ends_with(path, ".json.gz");
    sc_rows *r = sc_calloc(1, sizeof *r);
    if (!r)
        return SC_ENOMEM;
    r->name = sc_strdup(path);
    const sc_status st = !r->name ? SC_ENOMEM
                         : json   ? sc_rows__json_open(r, form)
                                  : open_text(r, form);
    if (st != SC_OK) {
        sc_rows_close(r);
        return st;
    }
    *out = r;
    return SC_OK;
}

void sc_rows_close(sc_rows *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_columns; i++)
        sc_free(r->column[i]);
    sc_free(r->column);
    sc_free(r->cell);
    close_file(r);
    sc_free(r->buffer);
    sc_free(r->number);
    json_decref(r->root);
    sc_free(r->name);
    sc_free(r);
}

const char *sc_rows_name(const sc_rows *r)
{
    return r->name;
}

size_t sc_rows_columns(const sc_rows *r)
{
    return r->n_columns;
}

const char *sc_rows_column(const sc_rows *r, size_t i)
{
    return r->column[i];
}

size_t sc_rows_find(const sc_rows *r, const char *name, size_t *again)
{
    size_t first = SIZE_MAX;
    *again = SIZE_MAX;
    for (size_t i = 0; i < r->n_columns && *again == SIZE_MAX; i++)
        if (strcmp(r->column[i], name) == 0)
            *(first == SIZE_MAX ? &first : again) = i;
    return first;
}

sc_status sc_rows_next(bool *got, sc_rows *r)
{
    bool more = false;
    if (r->root)
        sc_rows__json_next(&more, r);
    const sc_status st = r->root ? SC_OK : next_text(&more, r);
    if (st != SC_OK)
        return st;
    if (more && r->count == SC_ROWS_MOST)
        return sc_fail(SC_EPARSE, "%s:%u:1: error: over %d rows", r->name, r->line, SC_ROWS_MOST);
    r->count += more;
    *got = more;
    return SC_OK;
}

const char *sc_rows_cell(const sc_rows *r, size_t column)
{
    return r->cell[column].text;
}

uint32_t sc_rows_line(const sc_rows *r)
{
    return r->line;
}

uint64_t sc_rows_count(const sc_rows *r)
{
    return r->count;
}

sc_status sc_rows_rewind(sc_rows *r)
{
    if (r->root) {
        sc_rows__json_rewind(r);
        return SC_OK;
    }
    close_file(r);
    const sc_status st = open_file(r);
    return st == SC_OK && r->heading ? read_heading(r) : st;
}

sc_hash128 sc_rows_hash(const sc_rows *r)
{
    return r->hash;
}

bool sc_rows_is_number(double *out, const char *text)
{
    const size_t n = strlen(text);
    return n > 0 && sc_number_span(text) == n && sc_number_read(out, text, n, 0) == SC_OK;
}

sc_status sc_rows_number(double *out, const sc_rows *r, size_t column)
{
    char shown[SC_SHOWN_LEN];
    const char *text = r->cell[column].text;
    if (sc_rows_is_number(out, text))
        return SC_OK;
    if (text[0] == '\0')
        return sc_rows_fail(r, column, "'%s' is missing here", r->column[column]);
    return sc_rows_fail(r, column, "'%s' is not a finite number", sc_text_show(shown, text));
}

sc_status sc_rows_fail(const sc_rows *r, size_t column, const char *fmt, ...)
{
    char message[640];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    if (!r->root)
        return sc_cell_fail(r->name, r->cell[column].line, r->cell[column].column, message);
    return sc_fail(SC_EPARSE, "%s: row %u%s%.100s%s, '%.60s': error: %s", r->name, r->line,
                   r->key ? " (" : "", r->key ? r->key : "", r->key ? ")" : "", r->column[column],
                   message);
}
