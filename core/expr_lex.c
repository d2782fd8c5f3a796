#include "core/expr_lex.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

/* Letters by value, not by isalpha(): the meaning of a file must not depend on the locale. */
static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (begins_name(text[n]) || is_digit(text[n]) ||
           (text[n] == '.' && begins_name(text[n + 1])))
        n++;
    return n;
}

static sc_status read_number(sc_token *out, const char *text)
{
    static const struct {
        char suffix[3];
        int power;
    } binary[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}};
    out->length = sc_number_span(text);
    const sc_status st = sc_number_read(&out->number, text, out->length, 0);
    if (st != SC_OK)
        return sc_fail(SC_EPARSE, "%s", sc_error_message());
    const size_t tail = name_length(text + out->length);
    if (tail == 0)
        return SC_OK;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        if (tail == 2 && memcmp(text + out->length, binary[i].suffix, 2) == 0) {
            out->length += tail;
            out->number = ldexp(out->number, binary[i].power);
            return isfinite(out->number) ? SC_OK : sc_fail(SC_EPARSE, "too large a number");
        }
    }
    out->start += out->length;
    return sc_fail(SC_EPARSE, "only Ki, Mi, Gi or Ti can follow a number directly");
}

static sc_status read_label(sc_token *out, const char *text)
{
    const char *end = strchr(text + 1, text[0]);
    if (!end)
        return sc_fail(SC_EPARSE, "this quote is never closed");
    out->start++;
    out->length = (size_t)(end - text) - 1;
    return SC_OK;
}

static sc_status read_operator(sc_token *out, const char *text)
{
    static const struct {
        char spelling[3];
        sc_token_kind kind;
    } operators[] = {
        /* two characters before their first one alone */
        {"<=", SC_TOKEN_LE},    {">=", SC_TOKEN_GE},      {"==", SC_TOKEN_EQ},
        {"!=", SC_TOKEN_NE},    {"&&", SC_TOKEN_AND},     {"||", SC_TOKEN_OR},
        {"//", SC_TOKEN_WHOLE}, {"<", SC_TOKEN_LT},       {">", SC_TOKEN_GT},
        {"!", SC_TOKEN_NOT},    {"+", SC_TOKEN_PLUS},     {"-", SC_TOKEN_MINUS},
        {"*", SC_TOKEN_STAR},   {"/", SC_TOKEN_SLASH},    {"%", SC_TOKEN_PERCENT},
        {"^", SC_TOKEN_CARET},  {"?", SC_TOKEN_QUESTION}, {":", SC_TOKEN_COLON},
        {"(", SC_TOKEN_OPEN},   {")", SC_TOKEN_CLOSE},    {",", SC_TOKEN_COMMA},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const size_t n = strlen(operators[i].spelling);
        if (strncmp(text, operators[i].spelling, n) == 0) {
            out->kind = operators[i].kind;
            out->length = n;
            return SC_OK;
        }
    }
    switch (*text) {
    case '=': return sc_fail(SC_EPARSE, "a single '=' is no operator: compare with ==");
    case '&': return sc_fail(SC_EPARSE, "a single '&' is no operator: write &&");
    case '|': return sc_fail(SC_EPARSE, "a single '|' is no operator: write ||");
    default: break;
    }
    char one[5] = "", shown[SC_SHOWN_LEN];
    const size_t span = sc_utf8_span(text, strlen(text));
    memcpy(one, text, span ? span : 1);
    return sc_fail(SC_EPARSE, "'%s' means nothing in an expression", sc_text_show(shown, one));
}

sc_status sc_token_next(sc_token *out, const char *text, size_t *at)
{
    sc_status st = SC_OK;
    *at += strspn(text + *at, " \t\r\n");
    const char *from = text + *at;
    *out = (sc_token){.kind = SC_TOKEN_END, .start = *at};
    if (*from == '\0')
        return SC_OK;
    if (begins_name(*from)) {
        out->kind = SC_TOKEN_NAME;
        out->length = name_length(from);
    } else if (is_digit(*from) || (*from == '.' && is_digit(from[1]))) {
        out->kind = SC_TOKEN_NUMBER;
        st = read_number(out, from);
    } else if (*from == '\'' || *from == '"') {
        out->kind = SC_TOKEN_LABEL;
        st = read_label(out, from);
    } else {
        st = read_operator(out, from);
    }
    if (st == SC_OK)
        *at = out->start + out->length + (out->kind == SC_TOKEN_LABEL);
    return st;
}
