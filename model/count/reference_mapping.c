#include "model/count/reference_mapping.h"

#include <ctype.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "model/count/reference_node.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

typedef struct mapping_reader {
    const sc_einsum *e;
    const sc_arch *a;
    const sc_node *macros; /* may be NULL */
    sc_mapping m;
    uint64_t product[SC_MAX_DIMS];
    bool temporal[SC_MAX_LEVELS], spatial[SC_MAX_LEVELS]; /* directives met */
    bool known; /* every factor so far could be read: products mean something */
} mapping_reader;

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
        sc_node_error_at(n, at, "a second number: factors with a remainder are not counted");
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
static bool read_factor(uint64_t *out, size_t *at, const mapping_reader *r, const sc_node *n)
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
        const sc_node *macro = r->macros ? sc_node_get(r->macros, word) : NULL;
        if (!macro) {
            sc_node_error_at(n, *at, "'%s' is no number and no macro of that name is given", word);
            return false;
        }
        *at += length;
        return sc_reference_count(out, macro, 0);
    }
    if (sc_integer_read(&value, word) != SC_OK) {
        sc_node_error_at(n, *at, "%s", sc_error_message());
        return false;
    }
    *at += length;
    *out = (uint64_t)value;
    return true;
}

/* One text of factors into factor[n_dims]. */
static bool read_factor_text(uint64_t *factor, bool *seen, const mapping_reader *r,
                             const sc_node *n)
{
    const char *text = sc_node_text(n);
    size_t at = skip(text, 0), length;
    while (text[at]) {
        const size_t start = at;
        const int d = dim_at(&length, r->e, text + at);
        uint64_t value;
        if (d < 0) {
            no_dimension(n, at, r->e);
            return false;
        }
        at = skip(text, at + length);
        if (text[at] == '=')
            at = skip(text, at + 1);
        if (!read_factor(&value, &at, r, n))
            return false;
        if (seen[d]) {
            sc_node_error_at(n, start, "dimension %s stands twice", r->e->dim_name[d]);
            return false;
        }
        seen[d] = true;
        factor[d] = value == 0 ? r->e->bound[d] : value;
        at = skip(text, at);
    }
    return true;
}

static bool read_factors(uint64_t *factor, const mapping_reader *r, const sc_node *n)
{
    bool seen[SC_MAX_DIMS] = {false};
    for (unsigned d = 0; d < r->e->n_dims; d++)
        factor[d] = 1;
    if (!n || sc_node_is_null(n))
        return true;
    if (sc_node_kind_of(n) == SC_NODE_SCALAR)
        return read_factor_text(factor, seen, r, n);
    for (size_t i = 0; i < sc_node_count(n); i++) {
        const sc_node *item = sc_node_item(n, i);
        if (sc_node_kind_of(n) != SC_NODE_SEQUENCE || sc_node_kind_of(item) != SC_NODE_SCALAR) {
            sc_node_error(item, "factors are a text such as R=3,S=3, or a list of them");
            return false;
        }
        if (!read_factor_text(factor, seen, r, item))
            return false;
    }
    return true;
}

static bool read_order_text(uint8_t *order, unsigned *n_order, unsigned *seen,
                            const mapping_reader *r, const sc_node *n)
{
    const char *text = sc_node_text(n);
    for (size_t at = skip(text, 0), length; text[at]; at = skip(text, at + length)) {
        const int d = dim_at(&length, r->e, text + at);
        if (d < 0) {
            no_dimension(n, at, r->e);
            return false;
        }
        if (*seen >> d & 1) {
            sc_node_error_at(n, at, "dimension %s stands twice", r->e->dim_name[d]);
            return false;
        }
        *seen |= 1u << d;
        order[(*n_order)++] = (uint8_t)d;
    }
    return true;
}

/* All dimensions, innermost first: those the permutation names, then the rest. */
static bool read_order(uint8_t *order, const mapping_reader *r, const sc_node *n)
{
    unsigned seen = 0, n_order = 0;
    if (n && sc_node_kind_of(n) == SC_NODE_SCALAR && !sc_node_is_null(n)) {
        if (!read_order_text(order, &n_order, &seen, r, n))
            return false;
    } else if (n) {
        for (size_t i = 0; i < sc_node_count(n); i++)
            if (!read_order_text(order, &n_order, &seen, r, sc_node_item(n, i)))
                return false;
    }
    for (unsigned d = 0; d < r->e->n_dims; d++)
        if (!(seen >> d & 1))
            order[n_order++] = (uint8_t)d;
    return true;
}

static void read_loops(mapping_reader *r, sc_loops *out, const sc_node *directive)
{
    uint64_t factor[SC_MAX_DIMS];
    uint8_t order[SC_MAX_DIMS];
    const bool factors = read_factors(factor, r, sc_reference_key(directive, "factors"));
    if (!read_order(order, r, sc_reference_key(directive, "permutation")) || !factors) {
        r->known = false;
        return;
    }
    out->n = r->e->n_dims;
    for (unsigned i = 0; i < out->n; i++) {
        out->dim[i] = order[i];
        out->factor[i] = factor[order[i]];
        if (__builtin_mul_overflow(r->product[order[i]], out->factor[i], &r->product[order[i]]))
            r->product[order[i]] = 0; /* no product of factors: differs from every bound */
    }
}

/* Whether the tensors of a list are kept; names not there leave their bit alone. */
static void read_tensors(mapping_reader *r, uint8_t *keep, bool kept, const sc_node *list)
{
    char names[SC_MAX_TENSORS][SC_NAME_LEN];
    if (!list || sc_node_is_null(list))
        return;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE) {
        sc_node_error(list, "keep and bypass are lists of tensors");
        return;
    }
    for (unsigned i = 0; i < r->e->n_tensors; i++)
        memcpy(names[i], r->e->tensor[i].name, sizeof names[i]);
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const int t = sc_reference_find(sc_node_item(list, i), "tensor of the problem",
                                        (const char(*)[SC_NAME_LEN])names, r->e->n_tensors);
        if (t >= 0 && kept)
            *keep |= (uint8_t)(1u << t);
        else if (t >= 0)
            *keep &= (uint8_t) ~(1u << t);
    }
}

/* Index of the level a directive is for; -1 after recording. */
static int target_of(const mapping_reader *r, const sc_node *directive)
{
    char names[SC_MAX_LEVELS][SC_NAME_LEN];
    const sc_node *target = sc_map_node(directive, "target");
    for (unsigned l = 0; l < r->a->n_levels; l++)
        memcpy(names[l], r->a->level[l].name, sizeof names[l]);
    return target ? sc_reference_find(target, "storage level of the architecture",
                                      (const char(*)[SC_NAME_LEN])names, r->a->n_levels)
                  : -1;
}

static void read_spatial(mapping_reader *r, sc_block *b, const sc_node *directive)
{
    const sc_node *split = sc_reference_key(directive, "split");
    uint64_t on_x = SC_MAX_DIMS;
    read_loops(r, &b->spatial, directive);
    if (split && sc_reference_count(&on_x, split, 0) && on_x > SC_MAX_DIMS)
        on_x = SC_MAX_DIMS;
    b->split = (uint8_t)on_x;
}

static void read_directive(mapping_reader *r, const sc_node *directive)
{
    static const char *const used[] = {"target", "type", "factors", "permutation",
                                       "split",  "keep", "bypass"};
    static const char *const idle[] = {"node_type", "name"};
    static const char *const types[] = {"temporal", "spatial",   "bypass",
                                        "datatype", "dataspace", "bypassing"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    size_t type;
    if (sc_node_kind_of(directive) != SC_NODE_MAP) {
        sc_node_error(directive, "a directive must be a map with target and type");
        return;
    }
    sc_reference_check_keys(directive, &keys);
    const int level = target_of(r, directive);
    if (!sc_map_choice(&type, directive, "type", types, COUNT_OF(types)) || level < 0) {
        r->known = false;
        return;
    }
    sc_block *b = &r->m.level[level];
    bool *met = type == 0 ? &r->temporal[level] : &r->spatial[level];
    if (type > 1) {
        read_tensors(r, &b->keep, false, sc_reference_key(directive, "bypass"));
        read_tensors(r, &b->keep, true, sc_reference_key(directive, "keep"));
        return;
    }
    if (*met) {
        sc_node_error(directive, "a second %s directive of %s", types[type],
                      r->a->level[level].name);
        return;
    }
    *met = true;
    if (type == 0)
        read_loops(r, &b->temporal, directive);
    else
        read_spatial(r, b, directive);
}

static void check_products(const mapping_reader *r, const sc_node *mapping)
{
    for (unsigned d = 0; d < r->e->n_dims; d++)
        if (r->product[d] != r->e->bound[d])
            sc_node_error(mapping,
                          "dimension %s: the factors of all levels multiply to %llu, its bound is "
                          "%llu",
                          r->e->dim_name[d], (unsigned long long)r->product[d],
                          (unsigned long long)r->e->bound[d]);
}

static void check_kept(const mapping_reader *r, const sc_node *mapping)
{
    unsigned kept = 0;
    for (unsigned l = 0; l < r->m.n_levels; l++)
        kept |= r->m.level[l].keep;
    for (unsigned i = 0; i < r->e->n_tensors; i++)
        if (!(kept >> i & 1))
            sc_node_error(mapping, "no level keeps tensor %s", r->e->tensor[i].name);
}

sc_status sc_reference_mapping_read(sc_mapping *out, const sc_yaml *doc, const sc_node *mapping,
                                    const sc_node *macros, const sc_einsum *e, const sc_arch *a)
{
    mapping_reader r = {.e = e, .a = a, .macros = macros, .known = true};
    r.m.n_levels = (uint8_t)a->n_levels;
    for (unsigned d = 0; d < e->n_dims; d++)
        r.product[d] = 1;
    for (unsigned l = 0; l < a->n_levels; l++)
        r.m.level[l].keep = (uint8_t)((1u << e->n_tensors) - 1);
    if (sc_node_kind_of(mapping) != SC_NODE_SEQUENCE)
        sc_node_error(mapping, "the mapping must be a list of directives");
    for (size_t i = 0; sc_node_kind_of(mapping) == SC_NODE_SEQUENCE && i < sc_node_count(mapping);
         i++)
        read_directive(&r, sc_node_item(mapping, i));
    check_kept(&r, mapping);
    if (r.known && sc_yaml_status(doc) == SC_OK)
        check_products(&r, mapping);
    sc_status st = sc_yaml_status(doc);
    if (st == SC_OK && (st = sc_mapping_check(&r.m, e, a)) == SC_OK)
        *out = r.m;
    return st;
}
