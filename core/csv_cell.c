#include "core/csv_cell.h"

#include <stddef.h>

sc_status sc_cell_fail(const char *name, uint32_t line, uint32_t column, const char *what)
{
    return sc_fail(SC_EPARSE, "%s:%u:%u: error: %s", name, line, column, what);
}

static void step(sc_csv_cursor *c)
{
    if (*c->at == '\n') {
        c->line++;
        c->column = 1;
    } else if (((unsigned char)*c->at & 0xC0) != 0x80) {
        c->column++;
    }
    c->at++;
}

/* Bytes of the line end at the cursor: 1, 2, or 0 if there is none. */
static size_t line_end(const char *at, const char *end)
{
    if (at < end && *at == '\n')
        return 1;
    return end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

static bool is_separator(const sc_csv_cursor *c, char byte)
{
    return byte == c->separator || (c->separator == ' ' && byte == '\t');
}

static bool ends_cell(const sc_csv_cursor *c)
{
    return c->at == c->end || is_separator(c, *c->at) || line_end(c->at, c->end) > 0;
}

/* Move a quoted text one byte down over its opening quote, doubled quotes made single. */
static sc_status read_quoted(sc_csv_cursor *c, char **stop)
{
    const uint32_t line = c->line, column = c->column;
    char *to = c->at;
    step(c);
    for (;;) {
        if (c->at == c->end)
            return sc_cell_fail(c->name, line, column, "this quote is never closed");
        const bool quote = *c->at == '"';
        if (quote)
            step(c);
        if (quote && (c->at == c->end || *c->at != '"'))
            break;
        *to++ = *c->at;
        step(c);
    }
    if (!ends_cell(c))
        return sc_cell_fail(c->name, c->line, c->column, "text after a closing quote");
    *stop = to;
    return SC_OK;
}

static sc_status read_bare(sc_csv_cursor *c, char **stop)
{
    for (; !ends_cell(c); step(c))
        if (*c->at == '"')
            return sc_cell_fail(c->name, c->line, c->column,
                                "a quote inside a cell (quote the whole cell and double this one)");
    *stop = c->at;
    return SC_OK;
}

static void skip_blanks(sc_csv_cursor *c)
{
    while (c->separator == ' ' && c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        step(c);
}

/* The end of the text is looked at before its NUL is put there: for a bare cell it is the very
 * separator or line end. */
sc_status sc_cell_next(sc_cell *out, sc_csv_cursor *c, bool *last)
{
    sc_status st;
    char *stop = NULL;
    skip_blanks(c);
    const sc_cell it = {.text = c->at, .line = c->line, .column = c->column};
    const bool quoted = c->at < c->end && *c->at == '"';
    if ((st = quoted ? read_quoted(c, &stop) : read_bare(c, &stop)) != SC_OK)
        return st;
    const bool blanks = c->separator == ' ';
    skip_blanks(c);
    const size_t end = line_end(c->at, c->end);
    const bool at_end = end > 0 || c->at == c->end;
    *last = at_end; /* also behind trailing blanks; a last comma has an empty cell behind it */
    if (!at_end && !blanks)
        step(c);
    for (size_t skip = end; skip > 0; skip--)
        step(c);
    *stop = '\0';
    *out = it;
    return SC_OK;
}

bool sc_cell_blank_line(sc_csv_cursor *c)
{
    const char *at = c->at;
    while (at < c->end && (*at == ' ' || *at == '\t'))
        at++;
    const size_t end = line_end(at, c->end);
    if (end == 0 && at < c->end)
        return false;
    while (c->at < at + end)
        step(c);
    return true;
}
