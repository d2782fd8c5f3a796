#include "model/count/reference_factors.h"

#include <ctype.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

static bool is_blank(char c)
{
    return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip(const char *text, size_t at)
{
    while (is_blank(text[at]))
        at++;
    return at;
}

/* The dimension whose name stands at a place, the longest one if several do; -1 if none. */
static int dim_at(size_t *length, const sc_einsum *e, const char *text)
{
    int found = -1;
    *length = 0;
    for (unsigned d = 0; d < e->n_dims; d++) {
        const size_t n = strlen(e->dim_name[d]);
        if (n > *length && strncmp(text, e->dim_name[d], n) == 0) {
            *length = n;
            found = (int)d;
        }
    }
    return found;
}

static void no_dimension(const sc_node *n, size_t at, const sc_einsum *e)
{
    char word[SC_NAME_LEN], hint[SC_SUGGEST_LEN];
    const char *text = sc_node_text(n) + at;
    size_t length = strcspn(text, " ,=\t\n\r");
    sc_near near;
    if (isdigit((unsigned char)*text)) {
        sc_node_error_at(n, at,
                         "a second number: a remainder follows its factor and a comma, as "
                         "in R=7,5, and constraints have none");
        return;
    }
    if (length >= sizeof word)
        length = sizeof word - 1;
    memcpy(word, text, length);
    word[length] = '\0';
    sc_near_begin(&near, word);
    for (unsigned d = 0; d < e->n_dims; d++)
        sc_near_offer(&near, e->dim_name[d]);
    sc_node_error_at(n, at, "no dimension of the problem stands here%s",
                     sc_did_you_mean(hint, near.best));
}

/* A factor at a place: digits, or the name of a macro. Moves *at behind it. */
static bool read_factor(uint64_t *out, size_t *at, const sc_reference_dims *r, const sc_node *n)
{
    const char *text = sc_node_text(n) + *at;
    char word[SC_NAME_LEN];
    int64_t value;
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    if (length == 0 || length >= sizeof word) {
        sc_node_error_at(n, *at, "a factor must follow its dimension, as in R=3 or R3");
        return false;
    }
    memcpy(word, text, length);
    word[length] = '\0';
    if (!isdigit((unsigned char)word[0])) {
        const sc_node *macro = sc_reference_key(r->macros, word);
        const sc_reference_scope scope = {{r->macros}, 1};
        if (!macro) {
            sc_node_error_at(n, *at, "'%s' is no number and no macro of that name is given", word);
            return false;
        }
        *at += length;
        return sc_reference_whole(out, macro, &scope, 0);
    }
    if (sc_integer_read(&value, word) != SC_OK) {
        sc_node_error_at(n, *at, "%s", sc_error_message());
        return false;
    }
    *at += length;
    *out = (uint64_t)value;
    return true;
}

/* "=", "<=", "<", ">=" or ">" at a place, or nothing, which is "=". Moves *at behind it. */
static sc_factor_relation read_relation(bool *strict, size_t *at, const char *text)
{
    const char sign = text[*at];
    *strict = false;
    if (sign == '<' || sign == '>') {
        *strict = text[*at + 1] != '=';
        *at += *strict ? 1 : 2;
        return sign == '<' ? SC_FACTOR_AT_MOST : SC_FACTOR_AT_LEAST;
    }
    *at += sign == '=';
    return SC_FACTOR_EQUAL;
}

/* "C < 4" is at most 3, "C > 4" at least 5. */
static bool make_strict(sc_reference_factor *f, const sc_node *n, size_t at)
{
    if (f->relation == SC_FACTOR_AT_MOST && f->value <= 1) {
        sc_node_error_at(n, at, "no factor is less than %llu", (unsigned long long)f->value);
        return false;
    }
    f->value += f->relation == SC_FACTOR_AT_MOST ? UINT64_MAX : 1;
    return true;
}

/* ",5" behind a factor, or nothing. Moves *at behind it. */
static bool read_rest(sc_reference_factor *f, size_t *at, const sc_reference_dims *r,
                      const sc_node *n)
{
    const char *text = sc_node_text(n);
    size_t from = *at;
    if (text[from] != ',')
        return true;
    from = skip(text, from);
    if (!isdigit((unsigned char)text[from]))
        return true; /* the next dimension */
    *at = from;
    if (!read_factor(&f->rest, at, r, n))
        return false;
    if (f->rest < 1 || f->rest > f->value) {
        sc_node_error_at(n, from, "a remainder is from 1 to its factor, %llu",
                         (unsigned long long)f->value);
        return false;
    }
    return true;
}

/* The dimension at a place with its factor. Moves *at behind them. */
static bool read_one(sc_reference_factor *factor, size_t *at, const sc_reference_dims *r,
                     const sc_node *n, bool relations)
{
    const char *text = sc_node_text(n);
    const size_t start = *at;
    size_t length;
    bool strict = false;
    const int d = dim_at(&length, r->e, text + *at);
    sc_reference_factor f = {SC_FACTOR_EQUAL, 0, 0};
    if (d < 0) {
        no_dimension(n, *at, r->e);
        return false;
    }
    *at = skip(text, *at + length);
    if (relations || text[*at] == '=')
        f.relation = read_relation(&strict, at, text);
    *at = skip(text, *at);
    if (!read_factor(&f.value, at, r, n) || (strict && !make_strict(&f, n, start)))
        return false;
    if (factor[d].relation != SC_FACTOR_FREE) {
        sc_node_error_at(n, start, "dimension %s stands twice", r->e->dim_name[d]);
        return false;
    }
    if (f.value == 0)
        f.value = r->e->bound[d];
    if (!relations && !read_rest(&f, at, r, n))
        return false;
    factor[d] = f;
    return true;
}

static bool read_text(sc_reference_factor *factor, const sc_reference_dims *r, const sc_node *n,
                      bool relations)
{
    const char *text = sc_node_text(n);
    for (size_t at = skip(text, 0); text[at] && text[at] != '#'; at = skip(text, at))
        if (!read_one(factor, &at, r, n, relations))
            return false;
    return true;
}

bool sc_reference_factors(sc_reference_factor *factor, const sc_reference_dims *dims,
                          const sc_node *n, bool relations)
{
    for (unsigned d = 0; d < dims->e->n_dims; d++)
        factor[d] = (sc_reference_factor){SC_FACTOR_FREE, 0, 0};
    if (!n || sc_node_is_null(n))
        return true;
    if (sc_node_kind_of(n) == SC_NODE_SCALAR)
        return read_text(factor, dims, n, relations);
    for (size_t i = 0; i < sc_node_count(n); i++) {
        const sc_node *item = sc_node_item(n, i);
        if (sc_node_kind_of(n) != SC_NODE_SEQUENCE || sc_node_kind_of(item) != SC_NODE_SCALAR) {
            sc_node_error(item, "factors are a text such as R=3,S=3, or a list of them");
            return false;
        }
        if (!read_text(factor, dims, item, relations))
            return false;
    }
    return true;
}

/* An order while its names come in. */
typedef struct order_reader {
    const sc_reference_dims *dims;
    uint8_t named[SC_MAX_DIMS];
    unsigned n, inner, seen; /* inner: names before the gap, if there is one */
    bool gap;
} order_reader;

static bool is_gap(char c)
{
    return c == '_' || c == '*';
}

/* The gap at a place; moves *at behind it. */
static bool read_gap(order_reader *r, size_t *at, const sc_node *n)
{
    const char *text = sc_node_text(n);
    if (r->gap) {
        sc_node_error_at(n, *at, "a second gap in one permutation");
        return false;
    }
    r->gap = true;
    r->inner = r->n;
    while (is_gap(text[*at]))
        *at = skip(text, *at + 1);
    return true;
}

static bool read_order_text(order_reader *r, const sc_node *n)
{
    const char *text = sc_node_text(n);
    size_t at = skip(text, 0), length;
    while (text[at] && text[at] != '#') {
        const int d = dim_at(&length, r->dims->e, text + at);
        if (d < 0 && is_gap(text[at])) {
            if (!read_gap(r, &at, n))
                return false;
            continue;
        }
        if (d < 0) {
            no_dimension(n, at, r->dims->e);
            return false;
        }
        if (r->seen >> d & 1) {
            sc_node_error_at(n, at, "dimension %s stands twice", r->dims->e->dim_name[d]);
            return false;
        }
        r->seen |= 1u << d;
        r->named[r->n++] = (uint8_t)d;
        at = skip(text, at + length);
    }
    return true;
}

bool sc_reference_order(uint8_t *order, unsigned *n_inner, unsigned *n_outer,
                        const sc_reference_dims *dims, const sc_node *n)
{
    order_reader r = {.dims = dims};
    const bool one = n && sc_node_kind_of(n) == SC_NODE_SCALAR;
    const size_t n_texts = one ? !sc_node_is_null(n) : sc_node_count(n);
    for (size_t i = 0; i < n_texts; i++)
        if (!read_order_text(&r, one ? n : sc_node_item(n, i)))
            return false;
    if (!r.gap)
        r.inner = r.n;
    unsigned at = r.inner;
    memcpy(order, r.named, r.inner);
    for (unsigned d = 0; d < dims->e->n_dims; d++)
        if (!(r.seen >> d & 1))
            order[at++] = (uint8_t)d;
    memcpy(order + at, r.named + r.inner, r.n - r.inner);
    *n_inner = r.inner;
    *n_outer = r.n - r.inner;
    return true;
}
