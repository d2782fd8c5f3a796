#include "workloads/reference_size.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/expr.h"
#include "core/number.h"
#include "core/text.h"

enum {
    MAX_SYMBOLS = 128,
    MAX_EXPRESSION = 512 /* bytes */
};

static bool is_number(const char *text)
{
    const size_t span = sc_number_span(text);
    return span > 0 && text[span] == '\0';
}

static bool is_name(const char *text)
{
    size_t i = 0;
    while (isalnum((unsigned char)text[i]) || text[i] == '_')
        i++;
    return i > 0 && !text[i] && !isdigit((unsigned char)text[0]);
}

/* Names of numbers among the macros. @return how many. */
static size_t read_symbols(sc_symbol *symbol, double *value, const sc_node *macros)
{
    size_t n = 0;
    for (size_t i = 0; i < sc_node_count(macros) && n < MAX_SYMBOLS; i++)
        if (is_number(sc_node_text(sc_node_item(macros, i))) &&
            sc_node_number(&value[n], sc_node_item(macros, i), SC_UNIT_NONE))
            symbol[n++] = (sc_symbol){.name = sc_node_key(macros, i)};
    return n;
}

/* An expression over macros whose value is a whole number; ** is a power, as in Python. */
static bool read_expression(int64_t *out, const sc_node *macros, const sc_node *n)
{
    char shown[SC_SHOWN_LEN], text[MAX_EXPRESSION], *power;
    sc_symbol symbol[MAX_SYMBOLS];
    double value[MAX_SYMBOLS];
    sc_expr *e = NULL;
    size_t at = 0;
    if (!sc_text_copy(text, sizeof text, sc_node_text(n))) {
        sc_node_error(n, "an expression of more than %d bytes", MAX_EXPRESSION - 1);
        return false;
    }
    while ((power = strstr(text, "**")))
        memcpy(power, " ^", 2);
    const size_t symbols = read_symbols(symbol, value, macros);
    const sc_status st = sc_expr_compile(&e, text, symbol, symbols, &at);
    if (st != SC_OK) {
        if (st == SC_EPARSE)
            sc_node_error_at(n, at, "'%s' has no value: %s", sc_text_show(shown, sc_node_text(n)),
                             sc_error_message());
        else
            sc_node_fail(n, st);
        return false;
    }
    const double v = sc_expr_eval(e, value);
    sc_expr_destroy(e);
    if (!(v == floor(v) && fabs(v) <= 0x1p53)) {
        sc_node_error(n, "the expression is %g, must be a whole number", v);
        return false;
    }
    *out = (int64_t)v;
    return true;
}

bool sc_reference_size(int64_t *out, const sc_node *macros, const sc_node *n, int64_t least)
{
    const char *text = sc_node_text(n);
    const sc_node *bound = n;
    int64_t value;
    if (is_name(text))
        bound = macros ? sc_node_get(macros, text) : NULL;
    if (!bound) {
        sc_node_error(n, "'%s' is no number and no macro of that name is given", text);
        return false;
    }
    if (*sc_node_text(bound) && !is_number(sc_node_text(bound))
            ? !read_expression(&value, macros, bound)
            : !sc_node_integer(&value, bound))
        return false;
    if (value < least) {
        sc_node_error(n, "%lld, must be at least %lld", (long long)value, (long long)least);
        return false;
    }
    *out = value;
    return true;
}
