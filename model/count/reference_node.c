#include "model/count/reference_node.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/expr.h"
#include "core/mem.h"
#include "core/number.h"
#include "core/text.h"

enum {
    MAX_SYMBOLS = 256,
    MAX_USED = 64,       /* keys of one map that mean something */
    MAX_NESTING = 16,    /* of names that stand for expressions */
    MAX_EXPRESSION = 512 /* bytes */
};

const sc_node *sc_reference_get(const sc_node *map, const char *const *names, size_t n)
{
    if (sc_node_kind_of(map) != SC_NODE_MAP)
        return NULL;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < sc_node_count(map); i++)
            if (sc_reference_same(sc_node_key(map, i), names[k]))
                return sc_node_item(map, i);
    return NULL;
}

const sc_node *sc_reference_key(const sc_node *map, const char *name)
{
    return sc_reference_get(map, &name, 1);
}

/* Which of the names the key is; n if none. */
static size_t which(const char *key, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && !sc_reference_same(key, names[i]))
        i++;
    return i;
}

void sc_reference_check_keys(const sc_node *map, const sc_reference_keys *keys)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    const sc_node *seen[MAX_USED] = {NULL};
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const char *key = sc_node_key(map, i);
        const sc_node *at = sc_node_key_node(map, i);
        const size_t used = which(key, keys->used, keys->n_used);
        if (used < keys->n_used) {
            if (used < MAX_USED && seen[used])
                sc_node_error(at, "'%s' is '%s' of line %d again: leave one out",
                              sc_text_show(shown, key), keys->used[used], sc_node_line(seen[used]));
            else if (used < MAX_USED)
                seen[used] = at;
            continue;
        }
        if (which(key, keys->idle, keys->n_idle) < keys->n_idle) {
            sc_node_warning(at, "'%s' has no effect here", sc_text_show(shown, key));
            continue;
        }
        sc_near near;
        sc_near_begin(&near, key);
        for (size_t k = 0; k < keys->n_used; k++)
            sc_near_offer(&near, keys->used[k]);
        if (keys->open && !near.best)
            sc_node_warning(at, "'%s' is not known here and has no effect",
                            sc_text_show(shown, key));
        else
            sc_node_error(at, "unknown key '%s'%s", sc_text_show(shown, key),
                          sc_did_you_mean(hint, near.best));
    }
}

/* The number at *text, which moves behind it; false if there is none or it is too large. */
static bool take_number(uint64_t *out, const char **text)
{
    uint64_t v = 0;
    const char *p = *text;
    while (isdigit((unsigned char)*p)) {
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
            return false;
        p++;
    }
    const bool any = p != *text;
    *text = p;
    *out = v;
    return any;
}

/* What stands in brackets behind a name: "0..15]" or "8]". */
static bool take_range(uint64_t *copies, const char *text)
{
    uint64_t first, last;
    if (!take_number(&first, &text))
        return false;
    if (*text == ']') {
        *copies = first;
        return text[1] == '\0' && first > 0;
    }
    if (strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (!take_number(&last, &text) || strcmp(text, "]") != 0 || last < first)
        return false;
    return !__builtin_add_overflow(last - first, 1u, copies);
}

bool sc_reference_name(char *name, size_t size, uint64_t *copies, const sc_node *n)
{
    char shown[SC_SHOWN_LEN];
    const char *text = sc_node_text(n), *bracket = strchr(text, '[');
    const size_t length = bracket ? (size_t)(bracket - text) : strlen(text);
    if (sc_node_kind_of(n) != SC_NODE_SCALAR || length == 0 || length >= size) {
        sc_node_error(n, "a name must have 1 to %zu bytes before any [range]", size - 1);
        return false;
    }
    *copies = 1;
    if (bracket && !take_range(copies, bracket + 1)) {
        sc_node_error_at(n, length, "'%s' is no range: write it as [0..15] or [1..16]",
                         sc_text_show(shown, bracket));
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

bool sc_reference_count(uint64_t *out, const sc_node *n, uint64_t least)
{
    int64_t v;
    if (!sc_node_integer(&v, n))
        return false;
    if (v < 0 || (uint64_t)v < least) {
        sc_node_error(n, "%lld, must be at least %llu", (long long)v, (unsigned long long)least);
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

/* Names of a scope whose value is a scalar, inner ones first; an outer one of the same name is
 * hidden. Each is evaluated at most once. */
typedef struct symbol_table {
    sc_symbol symbol[MAX_SYMBOLS];
    const sc_node *bound[MAX_SYMBOLS];
    double value[MAX_SYMBOLS];
    enum { UNKNOWN, BEGUN, KNOWN } state[MAX_SYMBOLS];
    size_t n;
} symbol_table;

static void add_symbol(symbol_table *t, const char *name, const sc_node *value)
{
    if (t->n == MAX_SYMBOLS || sc_node_kind_of(value) != SC_NODE_SCALAR)
        return;
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->symbol[i].name, name) == 0)
            return;
    t->symbol[t->n] = (sc_symbol){.name = name};
    t->bound[t->n++] = value;
}

static void add_symbols(symbol_table *t, const sc_reference_scope *scope)
{
    for (unsigned k = scope->n; k-- > 0;) {
        const sc_node *map = scope->map[k];
        for (size_t i = 0; sc_node_kind_of(map) == SC_NODE_MAP && i < sc_node_count(map); i++)
            add_symbol(t, sc_node_key(map, i), sc_node_item(map, i));
    }
}

static bool is_number(const sc_node *n)
{
    const char *text = sc_node_text(n);
    const size_t span = sc_number_span(text);
    return span > 0 && text[span] == '\0';
}

static bool evaluate(double *out, const sc_node *n, symbol_table *t, unsigned depth);

/* Values of the names that an expression uses. */
static bool evaluate_names(symbol_table *t, const sc_expr *e, const sc_node *n, unsigned depth)
{
    char shown[SC_SHOWN_LEN];
    for (size_t i = 0; i < t->n; i++) {
        if (!sc_expr_uses(e, i) || t->state[i] == KNOWN)
            continue;
        if (depth == MAX_NESTING || t->state[i] == BEGUN || t->bound[i] == n) {
            sc_node_error(n, "'%s' stands for itself, or behind more than %d other names",
                          sc_text_show(shown, t->symbol[i].name), MAX_NESTING);
            return false;
        }
        t->state[i] = BEGUN;
        if (!evaluate(&t->value[i], t->bound[i], t, depth + 1))
            return false;
        t->state[i] = KNOWN;
    }
    return true;
}

/* The reference's expressions are Python's, whose power is written **. */
static sc_expr *compile(const sc_node *n, const symbol_table *t)
{
    char text[MAX_EXPRESSION], shown[SC_SHOWN_LEN], *power;
    sc_expr *e = NULL;
    size_t at = 0;
    if (!sc_text_copy(text, sizeof text, sc_node_text(n))) {
        sc_node_error(n, "an expression of more than %d bytes", MAX_EXPRESSION - 1);
        return NULL;
    }
    while ((power = strstr(text, "**")))
        memcpy(power, " ^", 2);
    const sc_status st = sc_expr_compile(&e, text, t->symbol, t->n, &at);
    if (st == SC_EPARSE)
        sc_node_error_at(n, at, "'%s' has no value: %s", sc_text_show(shown, sc_node_text(n)),
                         sc_error_message());
    else if (st != SC_OK)
        sc_node_fail(n, st);
    return e;
}

static bool evaluate(double *out, const sc_node *n, symbol_table *t, unsigned depth)
{
    if (sc_node_kind_of(n) != SC_NODE_SCALAR || !sc_node_text(n)[0] || is_number(n))
        return sc_node_number(out, n, SC_UNIT_NONE);
    sc_expr *e = compile(n, t);
    bool ok = e && evaluate_names(t, e, n, depth);
    if (ok) {
        *out = sc_expr_eval(e, t->value);
        ok = isfinite(*out);
        if (!ok)
            sc_node_error(n, "the expression has no value");
    }
    sc_expr_destroy(e);
    return ok;
}

bool sc_reference_value(double *out, const sc_node *n, const sc_reference_scope *scope)
{
    if (is_number(n))
        return sc_node_number(out, n, SC_UNIT_NONE);
    symbol_table *t = sc_calloc(1, sizeof *t);
    if (!t) {
        sc_node_fail(n, SC_ENOMEM);
        return false;
    }
    add_symbols(t, scope);
    const bool ok = evaluate(out, n, t, 0);
    sc_free(t);
    return ok;
}

bool sc_reference_whole(uint64_t *out, const sc_node *n, const sc_reference_scope *scope,
                        uint64_t least)
{
    double v;
    if (is_number(n) || sc_node_kind_of(n) != SC_NODE_SCALAR || !sc_node_text(n)[0])
        return sc_reference_count(out, n, least); /* exact past 2^53 */
    if (!sc_reference_value(&v, n, scope))
        return false;
    if (v != floor(v) || v < (double)least || v > 9007199254740992.0) {
        sc_node_error(n, "the expression is %g: must be a whole number of at least %llu", v,
                      (unsigned long long)least);
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

int sc_reference_position(const sc_node *n, const char *what, const char (*names)[SC_NAME_LEN],
                          unsigned n_names)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    const char *text = sc_node_text(n);
    sc_near near;
    sc_near_begin(&near, text);
    for (unsigned i = 0; i < n_names; i++) {
        if (strcmp(names[i], text) == 0)
            return (int)i;
        sc_near_offer(&near, names[i]);
    }
    sc_node_error(n, "'%s' is no %s%s", sc_text_show(shown, text), what,
                  sc_did_you_mean(hint, near.best));
    return -1;
}
