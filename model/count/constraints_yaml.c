#include "model/count/constraints_yaml.h"

#include <string.h>

#include "core/number.h"
#include "core/text.h"

enum { FORM_VERSION = 1 };

static const char rest[] = "rest"; /* of the dimensions, in an order */

typedef struct reader {
    const sc_einsum *e;
    const sc_arch *a;
    const char *dims[SC_MAX_DIMS + 1]; /* and `rest` */
    const char *tensors[SC_MAX_TENSORS];
    const char *levels[SC_MAX_LEVELS];
} reader;

/* "=", "<=" or ">=" of a factor, and where its number begins. */
typedef struct factor_text {
    char name[SC_NAME_LEN];
    char relation; /* '=', '<' or '>' */
    size_t value;  /* in bytes */
} factor_text;

static bool split_factor(factor_text *out, const sc_node *n)
{
    const char *text = sc_node_text(n);
    const size_t length = strcspn(text, "<>=");
    const bool strict = text[length] && text[length] != '=';
    if (length == 0 || length >= sizeof out->name || !text[length] ||
        (strict && text[length + 1] != '=')) {
        sc_node_error(n, "'%.40s' is no limit: write DIMENSION=FACTOR, <=FACTOR or >=FACTOR", text);
        return false;
    }
    memcpy(out->name, text, length);
    out->name[length] = '\0';
    out->relation = text[length];
    out->value = length + 1 + strict;
    return true;
}

static bool find_dim(size_t *dim, const reader *r, const sc_node *n, const char *name)
{
    char hint[SC_SUGGEST_LEN];
    for (*dim = 0; *dim < r->e->n_dims; ++*dim)
        if (strcmp(r->dims[*dim], name) == 0)
            return true;
    sc_node_error(n, "'%s' is no dimension of op %s%s", name, r->e->name,
                  sc_did_you_mean(hint, sc_nearest(name, r->dims, r->e->n_dims)));
    return false;
}

static bool read_factor(sc_loop_limits *limits, const reader *r, const sc_node *n)
{
    factor_text f;
    int64_t value;
    size_t d;
    if (!split_factor(&f, n) || !find_dim(&d, r, n, f.name))
        return false;
    if (sc_integer_read(&value, sc_node_text(n) + f.value) != SC_OK || value < 1) {
        sc_node_error_at(n, f.value, "a factor is a whole number from 1");
        return false;
    }
    if (f.relation != '<' && (uint64_t)value > r->e->bound[d]) {
        sc_node_error_at(n, f.value, "%lld is more than %s of op %s, which is %llu",
                         (long long)value, f.name, r->e->name, (unsigned long long)r->e->bound[d]);
        return false;
    }
    uint64_t *to = f.relation == '='   ? limits->fixed
                   : f.relation == '<' ? limits->max
                                       : limits->min;
    if (to[d] != (f.relation == '>')) {
        sc_node_error(n, "dimension %s has such a limit already", f.name);
        return false;
    }
    to[d] = (uint64_t)value;
    return true;
}

static bool read_factors(sc_loop_limits *limits, const reader *r, const sc_node *block)
{
    const sc_node *list = sc_node_get(block, "factors") ? sc_map_sequence(block, "factors") : NULL;
    bool ok = list || !sc_node_get(block, "factors");
    for (size_t i = 0; i < sc_node_count(list); i++)
        ok &= read_factor(limits, r, sc_node_item(list, i));
    for (unsigned d = 0; ok && d < r->e->n_dims; d++) {
        const uint64_t fixed = limits->fixed[d], min = limits->min[d], max = limits->max[d];
        if ((max > 0 && min > max) || (fixed > 0 && (fixed < min || (max > 0 && fixed > max)))) {
            sc_node_error(list, "the limits of dimension %s leave no factor", r->dims[d]);
            ok = false;
        }
    }
    return ok;
}

/* Outermost first: those before `rest` are the outermost loops, those behind it the innermost. */
static bool read_order(sc_loop_limits *limits, const reader *r, const sc_node *block)
{
    const sc_node *list = sc_node_get(block, "order") ? sc_map_sequence(block, "order") : NULL;
    const size_t n = sc_node_count(list);
    size_t gap = SIZE_MAX, d;
    unsigned seen = 0;
    if (!list)
        return !sc_node_get(block, "order");
    for (size_t i = 0; i < n; i++) {
        if (!sc_node_choice(&d, sc_node_item(list, i), r->dims, r->e->n_dims + 1u))
            return false;
        if (seen >> d & 1) {
            sc_node_error(sc_node_item(list, i), "'%s' stands twice", r->dims[d]);
            return false;
        }
        seen |= 1u << d;
        if (d == r->e->n_dims)
            gap = i;
        else if (gap == SIZE_MAX)
            limits->order[SC_MAX_DIMS - 1 - i] = (uint8_t)d;
        else
            limits->order[n - 1 - i] = (uint8_t)d;
    }
    if (gap == SIZE_MAX && n != r->e->n_dims) {
        sc_node_error(list, "an order names all %u dimensions, or says where the `rest` stands",
                      r->e->n_dims);
        return false;
    }
    limits->n_outer = (uint8_t)(gap == SIZE_MAX ? n : gap);
    limits->n_inner = (uint8_t)(gap == SIZE_MAX ? 0 : n - 1 - gap);
    limits->order_total = limits->n_inner + limits->n_outer == r->e->n_dims;
    return true;
}

static bool read_block(sc_loop_limits *limits, int *split, const reader *r, const sc_node *level,
                       const char *key)
{
    static const char *const keys[] = {"factors", "order", "split"};
    const sc_node *block = sc_node_get(level, key);
    int64_t on_x;
    if (!block)
        return true;
    if (!(block = sc_map_map(level, key)))
        return false;
    bool ok = sc_map_only(block, keys, split ? 3 : 2);
    ok &= read_factors(limits, r, block);
    ok &= read_order(limits, r, block);
    if (!split || !sc_node_get(block, "split"))
        return ok;
    if (!sc_map_integer(&on_x, block, "split"))
        return false;
    if (on_x < 0) {
        sc_node_error(sc_node_get(block, "split"), "a split is a whole number from 0");
        return false;
    }
    *split = on_x > r->e->n_dims ? r->e->n_dims : (int)on_x;
    return ok;
}

static bool read_tensors(uint8_t *bits, const reader *r, const sc_node *level, const char *key)
{
    const sc_node *list = sc_node_get(level, key) ? sc_map_sequence(level, key) : NULL;
    bool ok = list || !sc_node_get(level, key);
    for (size_t i = 0; i < sc_node_count(list); i++) {
        size_t t;
        if (sc_node_choice(&t, sc_node_item(list, i), r->tensors, r->e->n_tensors))
            *bits |= (uint8_t)(1u << t);
        else
            ok = false;
    }
    return ok;
}

static bool read_level(sc_level_limits *limits, const reader *r, const sc_node *n)
{
    static const char *const keys[] = {"level",   "keep",  "bypass",   "temporal",
                                       "spatial", "links", "multicast"};
    bool links, multicast;
    bool ok = sc_map_only(n, keys, sizeof keys / sizeof *keys);
    ok &= read_tensors(&limits->must_keep, r, n, "keep");
    ok &= read_tensors(&limits->must_bypass, r, n, "bypass");
    ok &= read_block(&limits->temporal, NULL, r, n, "temporal");
    ok &= read_block(&limits->spatial, &limits->split, r, n, "spatial");
    if (!sc_map_bool_or(&links, n, "links", true) ||
        !sc_map_bool_or(&multicast, n, "multicast", true))
        return false;
    limits->no_links = !links;
    limits->no_multicast = !multicast;
    if (limits->must_keep & limits->must_bypass) {
        sc_node_error(n, "tensor %s is both kept and bypassed",
                      r->tensors[__builtin_ctz(limits->must_keep & limits->must_bypass)]);
        ok = false;
    }
    return ok;
}

static reader make_reader(const sc_einsum *e, const sc_arch *a)
{
    reader r = {.e = e, .a = a};
    for (unsigned d = 0; d < e->n_dims; d++)
        r.dims[d] = e->dim_name[d];
    r.dims[e->n_dims] = rest;
    for (unsigned t = 0; t < e->n_tensors; t++)
        r.tensors[t] = e->tensor[t].name;
    for (unsigned l = 0; l < a->n_levels; l++)
        r.levels[l] = a->level[l].name;
    return r;
}

bool sc_map_constraints_read(sc_map_constraints *out, const sc_node *root, const sc_einsum *e,
                             const sc_arch *a)
{
    static const char *const keys[] = {"version", "op", "levels"};
    const reader r = make_reader(e, a);
    sc_map_constraints c;
    unsigned seen = 0;
    bool ok = sc_map_version(root, FORM_VERSION);
    ok &= sc_map_only(root, keys, 3);
    sc_map_constraints_init(&c, a->n_levels);
    const sc_node *levels = sc_map_sequence(root, "levels");
    ok &= levels != NULL;
    for (size_t i = 0; i < sc_node_count(levels); i++) {
        const sc_node *n = sc_node_item(levels, i);
        size_t l;
        if (!sc_map_choice(&l, n, "level", r.levels, a->n_levels)) {
            ok = false;
            continue;
        }
        if (seen >> l & 1) {
            sc_node_error(n, "level '%s' stands twice", r.levels[l]);
            ok = false;
        }
        seen |= 1u << l;
        ok &= read_level(&c.level[l], &r, n);
    }
    if (ok)
        *out = c;
    return ok;
}
