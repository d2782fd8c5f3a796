#include "model/count/reference_mapping.h"

#include <string.h>

#include "core/text.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_factors.h"
#include "model/count/reference_node.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

typedef struct mapping_reader {
    const sc_einsum *e;
    const sc_arch *a;
    const sc_node *macros; /* may be NULL */
    sc_mapping m;
    uint64_t product[SC_MAX_DIMS];
    uint64_t rest[SC_MAX_LEVELS][2][SC_MAX_DIMS]; /* in time and in space; 0: none is given */
    bool has_rest[SC_MAX_DIMS];
    bool temporal[SC_MAX_LEVELS], spatial[SC_MAX_LEVELS]; /* directives met */
    bool known; /* every factor so far could be read: products mean something */
} mapping_reader;

static void read_loops(mapping_reader *r, sc_loops *out, uint64_t *rest, const sc_node *directive)
{
    const sc_reference_dims dims = {r->e, r->macros};
    sc_reference_factor factor[SC_MAX_DIMS];
    uint8_t order[SC_MAX_DIMS];
    unsigned inner, outer;
    const bool factors =
        sc_reference_factors(factor, &dims, sc_reference_key(directive, "factors"), false);
    if (!sc_reference_order(order, &inner, &outer, &dims,
                            sc_reference_key(directive, "permutation")) ||
        !factors) {
        r->known = false;
        return;
    }
    out->n = r->e->n_dims;
    for (unsigned i = 0; i < out->n; i++) {
        out->dim[i] = order[i];
        const sc_reference_factor *f = &factor[order[i]];
        out->factor[i] = f->relation == SC_FACTOR_FREE ? 1 : f->value;
        rest[order[i]] = f->rest;
        r->has_rest[order[i]] |= f->rest > 0;
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
        const int t = sc_reference_position(sc_node_item(list, i), "tensor of the problem",
                                            (const char(*)[SC_NAME_LEN])names, r->e->n_tensors);
        if (t >= 0 && kept)
            *keep |= (uint8_t)(1u << t);
        else if (t >= 0)
            *keep &= (uint8_t) ~(1u << t);
    }
}

/* Options that would change what is counted. */
static void refuse_options(const sc_node *directive)
{
    static const char *const names[] = {"no_reuse",
                                        "no_temporal_reuse",
                                        "no_coalesce",
                                        "no_link_transfer",
                                        "rmw_first_update",
                                        "no_multicast_no_unicast",
                                        "no_multicast_no_reduction",
                                        "rmw_on_first_writeback"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const sc_node *n = sc_reference_key(directive, names[i]);
        if (n && sc_node_count(n) > 0)
            sc_node_error(n, "'%s' is not modelled", names[i]);
    }
}

static void read_spatial(mapping_reader *r, sc_block *b, uint64_t *rest, const sc_node *directive)
{
    const sc_node *split = sc_reference_key(directive, "split");
    uint64_t on_x = SC_MAX_DIMS;
    read_loops(r, &b->spatial, rest, directive);
    if (split && sc_reference_count(&on_x, split, 0) && on_x > SC_MAX_DIMS)
        on_x = SC_MAX_DIMS;
    b->split = (uint8_t)on_x;
}

/* Kinds of directives, as the tool writes them and as tools beside it do. */
static const char *const types[] = {"temporal",  "spatial",  "bypass",  "datatype", "dataspace",
                                    "bypassing", "Temporal", "Spatial", "skew"};
enum { TEMPORAL, SPATIAL, BYPASS, CAPITAL = 6, SKEW = 8 };

static bool read_type(size_t *type, const sc_node *directive)
{
    if (!sc_map_choice(type, directive, "type", types, COUNT_OF(types)))
        return false;
    if (*type == SKEW) {
        sc_node_error(directive, "skewed loops are not modelled");
        return false;
    }
    if (*type >= CAPITAL)
        *type -= CAPITAL;
    return true;
}

static void read_directive(mapping_reader *r, const sc_node *directive)
{
    static const char *const used[] = {"target", "type", "factors", "permutation",
                                       "split",  "keep", "bypass",  "subtree"};
    static const char *const idle[] = {"node_type",        "name",
                                       "no_reuse",         "no_temporal_reuse",
                                       "no_coalesce",      "no_link_transfer",
                                       "rmw_first_update", "no_multicast_no_unicast",
                                       "passthrough",      "no_passthrough",
                                       "multicast",        "no_multicast_no_reduction",
                                       "remainders",       "rmw_on_first_writeback"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    size_t type = TEMPORAL;
    if (sc_node_kind_of(directive) != SC_NODE_MAP) {
        sc_node_error(directive, "a directive must be a map with target and type");
        return;
    }
    sc_reference_check_keys(directive, &keys);
    refuse_options(directive);
    const bool typed = read_type(&type, directive);
    const sc_node *target = sc_map_node(directive, "target");
    const int level = target ? sc_reference_target(r->a, target, typed && type == SPATIAL) : -1;
    if (!typed || level < 0) {
        r->known = false;
        return;
    }
    sc_block *b = &r->m.level[level];
    bool *met = type == TEMPORAL ? &r->temporal[level] : &r->spatial[level];
    if (type >= BYPASS) {
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
    if (type == TEMPORAL)
        read_loops(r, &b->temporal, r->rest[level][0], directive);
    else
        read_spatial(r, b, r->rest[level][1], directive);
}

/* Tiles in one another, as a tool beside this one writes them, down to the one op inside. */
static void read_tiles(mapping_reader *r, const sc_node *tile)
{
    while (tile) {
        const sc_node *inside = sc_reference_key(tile, "subtree");
        const sc_node *kind = sc_reference_key(tile, "node_type");
        if (kind && strcmp(sc_node_text(kind), "Op") == 0)
            return;
        if (kind && strcmp(sc_node_text(kind), "Tile") != 0) {
            sc_node_error(kind, "'%s' nodes join several ops, which is not modelled",
                          sc_node_text(kind));
            r->known = false;
            return;
        }
        if (inside && (sc_node_kind_of(inside) != SC_NODE_SEQUENCE || sc_node_count(inside) > 1)) {
            sc_node_error(inside, "a subtree of more than one tile is not modelled");
            r->known = false;
            return;
        }
        read_directive(r, tile);
        tile = sc_node_item(inside, 0);
    }
}

/* The factor of dimension d in a block; NULL if it has none. */
static uint64_t *factor_in(sc_loops *loops, unsigned d)
{
    for (unsigned i = 0; i < loops->n; i++)
        if (loops->dim[i] == d)
            return &loops->factor[i];
    return NULL;
}

/* Steps that factors and remainders make: the last one's digits, outermost first, are the
 * remainders less one. Where a loop is always in its last iteration, its remainder is all it ever
 * runs, and becomes its factor. @return 0 if they are more than 2^64 - 1. */
static uint64_t take_rests(mapping_reader *r, unsigned d)
{
    uint64_t last = 0;
    bool outermost = true;
    for (unsigned i = 0; i < 2u * r->m.n_levels; i++) {
        sc_block *b = &r->m.level[i / 2];
        uint64_t *factor = factor_in(i % 2 ? &b->spatial : &b->temporal, d);
        const uint64_t given = r->rest[i / 2][i % 2][d];
        if (!factor)
            continue;
        if (outermost && given > 0)
            *factor = given;
        const uint64_t rest = given > 0 ? given : *factor;
        if (__builtin_mul_overflow(last, *factor, &last) ||
            __builtin_add_overflow(last, rest - 1, &last))
            return 0;
        outermost &= rest == 1;
    }
    return last + 1;
}

static void check_products(mapping_reader *r, const sc_node *mapping)
{
    for (unsigned d = 0; d < r->e->n_dims; d++) {
        const uint64_t made = r->has_rest[d] ? take_rests(r, d) : r->product[d];
        if (made != r->e->bound[d])
            sc_node_error(mapping,
                          "dimension %s: the factors %sof all levels %s %llu, its bound is %llu",
                          r->e->dim_name[d], r->has_rest[d] ? "and remainders " : "",
                          r->has_rest[d] ? "make" : "multiply to", (unsigned long long)made,
                          (unsigned long long)r->e->bound[d]);
    }
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
        r.m.level[l].keep =
            (uint8_t)(sc_reference_is_fanout(&a->level[l]) ? 0 : (1u << e->n_tensors) - 1);
    if (sc_reference_key(mapping, "node_type"))
        read_tiles(&r, mapping);
    else if (sc_node_kind_of(mapping) != SC_NODE_SEQUENCE)
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
