#include "placement/pbtext.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c) /* of a name or a number */
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '+' || c == '-';
}

static sc_status fail_at(const sc_pb *p, uint32_t line, uint32_t column, const char *fmt, ...)
    SC_PRINTF(4, 5);
static sc_status fail_at(const sc_pb *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    char what[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return sc_fail(SC_EPARSE, "%s:%u:%u: error: %s", p->file, line, column, what);
}

static uint32_t column_of(const sc_pb *p)
{
    return (uint32_t)(p->at - p->line_start) + 1;
}

void sc_pb_begin(sc_pb *p, const char *file, char *text)
{
    *p = (sc_pb){.file = file, .line_start = text, .line = 1};
    p->at = text;
}

/* Pass over blanks and comments, and over separators where a field may follow. */
static void skip_blanks(sc_pb *p, bool separators)
{
    for (;; p->at++) {
        const char c = *p->at;
        if (c == '#')
            p->at += strcspn(p->at, "\n");
        if (*p->at == '\n') {
            p->line++;
            p->line_start = p->at + 1;
        } else if (*p->at == '\0' || (c != ' ' && c != '\t' && c != '\r' &&
                                      !(separators && (c == ',' || c == ';')))) {
            return;
        }
    }
}

/* A name or a bare value of at most SC_PB_WORD - 1 characters. */
static sc_status read_word(sc_pb *p, char out[SC_PB_WORD], const char *what)
{
    size_t n = 0;
    while (is_word(p->at[n]))
        n++;
    if (n == 0 && *p->at == '\0')
        return fail_at(p, p->line, column_of(p), "the file ends where %s should stand", what);
    if (n == 0)
        return fail_at(p, p->line, column_of(p), "'%c' stands where %s should", *p->at, what);
    if (n >= SC_PB_WORD)
        return fail_at(p, p->line, column_of(p), "%s of %zu characters; the most are %d", what, n,
                       SC_PB_WORD - 1);
    memcpy(out, p->at, n);
    out[n] = '\0';
    p->at += n;
    return SC_OK;
}

/* Value of up to `most` digits of a base at *from, which moves behind them. */
static int read_digits(const char **from, int base, int most)
{
    int value = 0;
    for (int i = 0; i < most; i++, (*from)++) {
        const char c = **from;
        const int digit = is_digit(c)              ? c - '0'
                          : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                          : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                                   : base;
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    return value;
}

/* The character behind a backslash; *from moves behind it. -1 if there is no such escape. */
static int read_escape(const char **from)
{
    static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    const char c = **from;
    const char *known = c != '\0' ? strchr(names, c) : NULL;

    if (known != NULL) {
        (*from)++;
        return values[known - names];
    }
    if (c >= '0' && c <= '7')
        return read_digits(from, 8, 3);
    if (c != 'x' && c != 'X')
        return -1;
    const char *digits = ++*from;
    const int value = read_digits(from, 16, 2);
    return *from > digits ? value : -1;
}

/* One string in quotes, appended at *to inside the text. */
static sc_status read_string(sc_pb *p, char **to)
{
    const char quote = *p->at, *from = p->at + 1;
    const uint32_t column = column_of(p);

    while (*from != quote) {
        int c = (unsigned char)*from;
        if (c == '\0' || c == '\n')
            return fail_at(p, p->line, column, "the string is not closed on its line");
        from++;
        if (c == '\\' && (c = read_escape(&from)) <= 0)
            return fail_at(p, p->line, (uint32_t)(from - p->line_start) + 1,
                           c < 0 ? "no such escape in a string" : "a NUL byte in a string");
        *(*to)++ = (char)c;
    }
    p->at += from - p->at + 1;
    return SC_OK;
}

/* A value: strings one behind the other, or a word. */
static sc_status read_value(sc_pb *p)
{
    sc_status st = SC_OK;

    p->kind = SC_PB_VALUE;
    p->item_line = p->line;
    p->item_column = column_of(p);
    p->quoted = *p->at == '"' || *p->at == '\'';
    if (!p->quoted) {
        p->text = p->word;
        return read_word(p, p->word, "a value");
    }
    char *start = p->at + 1, *to = start;
    while (st == SC_OK && (*p->at == '"' || *p->at == '\'')) {
        if ((st = read_string(p, &to)) == SC_OK)
            skip_blanks(p, false);
    }
    *to = '\0'; /* at the closing quote at the latest */
    p->text = start;
    return st;
}

static sc_status open_message(sc_pb *p)
{
    if (p->depth == SC_PB_DEPTH)
        return fail_at(p, p->line, column_of(p), "messages are nested more than %d deep",
                       SC_PB_DEPTH);
    p->kind = SC_PB_OPEN;
    p->item_line = p->line;
    p->item_column = column_of(p);
    p->closer[p->depth++] = *p->at == '{' ? '}' : '>';
    p->at++;
    return SC_OK;
}

static sc_status close_message(sc_pb *p)
{
    if (p->depth == 0 || p->closer[p->depth - 1] != *p->at)
        return fail_at(p, p->line, column_of(p), "'%c' closes nothing", *p->at);
    p->kind = SC_PB_CLOSE;
    p->item_line = p->line;
    p->item_column = column_of(p);
    p->depth--;
    p->at++;
    return SC_OK;
}

/* The next value of a list, or the field behind it. */
static sc_status next_of_list(sc_pb *p)
{
    skip_blanks(p, true);
    if (*p->at != ']')
        return read_value(p);
    p->at++;
    p->in_list = false;
    return sc_pb_next(p);
}

sc_status sc_pb_next(sc_pb *p)
{
    sc_status st = SC_OK;

    if (p->in_list)
        return next_of_list(p);
    skip_blanks(p, true);
    if (*p->at == '}' || *p->at == '>')
        return close_message(p);
    if (*p->at == '\0') {
        p->kind = SC_PB_END;
        return p->depth == 0 ? SC_OK
                             : fail_at(p, p->line, column_of(p),
                                       "the file ends inside a message; its last '%c' is missing",
                                       p->closer[p->depth - 1]);
    }
    if (!is_letter(*p->at))
        return fail_at(p, p->line, column_of(p), "'%c' stands where a field should", *p->at);
    if ((st = read_word(p, p->name, "a field")) != SC_OK)
        return st;
    skip_blanks(p, false);
    const bool colon = *p->at == ':';
    if (colon) {
        p->at++;
        skip_blanks(p, false);
    }
    if (*p->at == '{' || *p->at == '<')
        return open_message(p);
    if (!colon)
        return fail_at(p, p->line, column_of(p), "':' or '{' should stand after '%s'", p->name);
    if (*p->at == '[') {
        p->at++;
        p->in_list = true;
        return next_of_list(p);
    }
    return read_value(p);
}

sc_status sc_pb_skip(sc_pb *p)
{
    const int outside = p->depth - 1;
    sc_status st = SC_OK;
    while (st == SC_OK && p->depth > outside)
        st = sc_pb_next(p);
    return st;
}

sc_status sc_pb_number(double *out, const sc_pb *p)
{
    const size_t n = p->quoted ? 0 : sc_number_span(p->text);
    /* the format allows a suffix of f */
    if (n == 0 || (strcmp(p->text + n, "") != 0 && strcmp(p->text + n, "f") != 0))
        return fail_at(p, p->item_line, p->item_column, "'%s' is no finite number", p->text);
    if (sc_number_read(out, p->text, n, 0) != SC_OK)
        return fail_at(p, p->item_line, p->item_column, "'%s' is no number that can be held",
                       p->text);
    return SC_OK;
}
