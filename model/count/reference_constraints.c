#include "model/count/reference_constraints.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "model/count/reference_arch.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { MAX_DEPTH = 64 }; /* of an architecture */

typedef struct constraint_reader {
    sc_map_constraints *c;
    unsigned n; /* directives read */
    const sc_reference_dims *dims;
    const sc_arch *a;
    const sc_node *architecture;
} constraint_reader;

static const char *const used_keys[] = {"target",
                                        "type",
                                        "factors",
                                        "factors_only",
                                        "permutation",
                                        "split",
                                        "keep",
                                        "bypass",
                                        "keep_only",
                                        "bypass_only",
                                        "no_iteration_over_dataspaces",
                                        "must_iterate_over_dataspaces",
                                        "default_max_factor",
                                        "default_min_factor",
                                        "no_link_transfer",
                                        "no_multicast_no_reduction",
                                        "no_reuse",
                                        "datatypes",
                                        "attributes"};
static const char *const idle_keys[] = {"name",
                                        "node_type",
                                        "no_temporal_reuse",
                                        "no_coalesce",
                                        "no_multicast_no_unicast",
                                        "rmw_first_update",
                                        "rmw_on_first_writeback",
                                        "passthrough",
                                        "no_passthrough",
                                        "maximize_dims",
                                        "maximize_dims_capacity",
                                        "max_overbooked_proportion",
                                        "proportion",
                                        "force_overbook",
                                        "remainders",
                                        "metadata",
                                        "parallel",
                                        "min",
                                        "max"};

static void check_keys(const sc_node *n)
{
    const sc_reference_keys keys = {used_keys, COUNT_OF(used_keys), idle_keys, COUNT_OF(idle_keys),
                                    false};
    sc_reference_check_keys(n, &keys);
}

static unsigned long long wide(uint64_t v)
{
    return v;
}

/* ---- factors ---- */

static void fix(const constraint_reader *r, sc_loop_limits *limits, unsigned d, uint64_t value,
                const sc_node *at)
{
    const char *name = r->dims->e->dim_name[d];
    const uint64_t bound = r->dims->e->bound[d];
    if (value > bound) {
        sc_node_warning(at,
                        "a factor of %llu of dimension %s, whose bound is %llu: the bound is "
                        "taken",
                        wide(value), name, wide(bound));
        value = bound;
    }
    if (limits->fixed[d] > 0 && limits->fixed[d] != value)
        sc_node_error(at,
                      "dimension %s has a factor of %llu here and of %llu in an earlier "
                      "constraint of this level",
                      name, wide(value), wide(limits->fixed[d]));
    limits->fixed[d] = value;
}

/* One dimension's factor, with what was asked before. */
static void add_factor(const constraint_reader *r, sc_loop_limits *limits, unsigned d,
                       sc_reference_factor f, const sc_node *at)
{
    if (f.relation == SC_FACTOR_EQUAL)
        fix(r, limits, d, f.value, at);
    else if (f.relation == SC_FACTOR_AT_MOST && (limits->max[d] == 0 || f.value < limits->max[d]))
        limits->max[d] = f.value;
    else if (f.relation == SC_FACTOR_AT_LEAST && f.value > limits->min[d])
        limits->min[d] = f.value;
}

/* Whether what was asked of each dimension can be. */
static void check_factors(const constraint_reader *r, const sc_loop_limits *limits,
                          const sc_node *at)
{
    for (unsigned d = 0; d < r->dims->e->n_dims; d++) {
        const uint64_t fixed = limits->fixed[d], min = limits->min[d], bound = r->dims->e->bound[d];
        const uint64_t max = limits->max[d] > 0 && limits->max[d] < bound ? limits->max[d] : bound;
        if (min > max || (fixed > 0 && (fixed < min || fixed > max)))
            sc_node_error(at, "no factor of dimension %s is left: at least %llu, at most %llu%s",
                          r->dims->e->dim_name[d], wide(min), wide(max),
                          fixed > 0 ? ", and another one asked for" : "");
    }
}

static uint8_t all_tensors(const constraint_reader *r)
{
    return (uint8_t)((1u << r->dims->e->n_tensors) - 1);
}

/* Tensors of a list; a single name is one too, and * is all. */
static uint8_t read_tensors(const constraint_reader *r, const sc_node *list)
{
    char names[SC_MAX_TENSORS][SC_NAME_LEN];
    uint8_t bits = 0;
    if (!list || sc_node_is_null(list))
        return 0;
    for (unsigned i = 0; i < r->dims->e->n_tensors; i++)
        memcpy(names[i], r->dims->e->tensor[i].name, sizeof names[i]);
    const bool one = sc_node_kind_of(list) == SC_NODE_SCALAR;
    for (size_t i = 0; i < (one ? 1 : sc_node_count(list)); i++) {
        const sc_node *item = one ? list : sc_node_item(list, i);
        const int t =
            strcmp(sc_node_text(item), "*") == 0
                ? SC_MAX_TENSORS
                : sc_reference_position(item, "tensor of the problem",
                                        (const char(*)[SC_NAME_LEN])names, r->dims->e->n_tensors);
        if (t >= 0)
            bits = (uint8_t)(bits | (t < SC_MAX_TENSORS ? 1u << t : all_tensors(r)));
    }
    return bits;
}

/* No loops over dimensions that move the tensors, or (if must) over those that move none. */
static void read_iteration(const constraint_reader *r, sc_loop_limits *limits, const sc_node *list,
                           bool must)
{
    const uint8_t tensors = read_tensors(r, list);
    for (unsigned d = 0; list && d < r->dims->e->n_dims; d++) {
        bool moves = false;
        for (unsigned t = 0; t < r->dims->e->n_tensors; t++)
            moves |= (tensors >> t & 1) && sc_einsum_relevant(r->dims->e, t, d);
        if (moves != must)
            fix(r, limits, d, 1, list);
    }
}

/* What holds for dimensions whose factor nothing names. */
static void read_defaults(const constraint_reader *r, sc_loop_limits *limits, const sc_node *n,
                          const sc_reference_factor *factor)
{
    const sc_node *max = sc_reference_key(n, "default_max_factor");
    const sc_node *min = sc_reference_key(n, "default_min_factor");
    const sc_reference_scope scope = {{r->dims->macros}, 1};
    uint64_t most = 0, least = 1;
    if ((max && !sc_node_is_null(max) && !sc_reference_whole(&most, max, &scope, 1)) ||
        (min && !sc_node_is_null(min) && !sc_reference_whole(&least, min, &scope, 1)))
        return;
    for (unsigned d = 0; d < r->dims->e->n_dims; d++)
        if (factor[d].relation == SC_FACTOR_FREE) {
            if (most > 0)
                add_factor(r, limits, d, (sc_reference_factor){SC_FACTOR_AT_MOST, most, 0}, max);
            add_factor(r, limits, d, (sc_reference_factor){SC_FACTOR_AT_LEAST, least, 0}, min);
        }
}

static void read_factors(const constraint_reader *r, sc_loop_limits *limits, const sc_node *n)
{
    static const char *const keys[] = {"factors", "factors_only"};
    sc_reference_factor factor[SC_MAX_DIMS];
    bool named[SC_MAX_DIMS] = {false};
    for (unsigned k = 0; k < COUNT_OF(keys); k++) {
        const sc_node *at = sc_reference_key(n, keys[k]);
        if (!sc_reference_factors(factor, r->dims, at, true))
            return;
        for (unsigned d = 0; at && d < r->dims->e->n_dims; d++) {
            add_factor(r, limits, d, factor[d], at);
            named[d] |= factor[d].relation != SC_FACTOR_FREE;
            if (k == 1 && !named[d])
                fix(r, limits, d, 1, at);
        }
    }
    for (unsigned d = 0; d < r->dims->e->n_dims; d++)
        factor[d].relation = named[d] ? SC_FACTOR_EQUAL : SC_FACTOR_FREE;
    read_defaults(r, limits, n, factor);
    read_iteration(r, limits, sc_reference_key(n, "no_iteration_over_dataspaces"), false);
    read_iteration(r, limits, sc_reference_key(n, "must_iterate_over_dataspaces"), true);
    check_factors(r, limits, n);
}

/* ---- orders ---- */

/* One order after another: only an equal one fits. */
static bool is_same_order(const sc_loop_limits *limits, const uint8_t *order, unsigned inner,
                          unsigned outer, unsigned n_dims)
{
    return limits->n_inner == inner && limits->n_outer == outer &&
           memcmp(limits->order, order, inner) == 0 &&
           memcmp(limits->order + SC_MAX_DIMS - outer, order + n_dims - outer, outer) == 0;
}

static void read_order(const constraint_reader *r, sc_loop_limits *limits, const sc_node *n)
{
    uint8_t order[SC_MAX_DIMS];
    unsigned inner, outer;
    const unsigned n_dims = r->dims->e->n_dims;
    const sc_node *at = sc_reference_key(n, "permutation");
    if (!at || !sc_reference_order(order, &inner, &outer, r->dims, at) || inner + outer == 0)
        return;
    if (inner + outer + 1 == n_dims) /* the last one has one place left */
        inner++;
    if (limits->n_inner + limits->n_outer > 0 &&
        !is_same_order(limits, order, inner, outer, n_dims)) {
        sc_node_error(at, "a second permutation: an earlier constraint of this level has another");
        return;
    }
    memcpy(limits->order, order, inner);
    memcpy(limits->order + SC_MAX_DIMS - outer, order + n_dims - outer, outer);
    limits->n_inner = (uint8_t)inner;
    limits->n_outer = (uint8_t)outer;
    limits->order_total = inner + outer == n_dims;
}

/* ---- levels ---- */

/* What is forbidden for some tensors only is not carried. */
static void read_ban(const constraint_reader *r, bool *ban, const sc_node *list, const char *what)
{
    const uint8_t tensors = read_tensors(r, list);
    if (tensors == all_tensors(r))
        *ban = true;
    else if (tensors > 0)
        sc_node_warning(list, "'%s' of some tensors only has no effect here: name all of them",
                        what);
}

static void read_spatial(const constraint_reader *r, sc_level_limits *level, const sc_node *n)
{
    static const char *const bans[] = {"no_multicast_no_reduction", "no_reuse"};
    const sc_node *split = sc_reference_key(n, "split");
    const sc_node *links = sc_reference_key(n, "no_link_transfer");
    uint64_t on_x;
    read_ban(r, &level->no_links, links, "no_link_transfer");
    for (unsigned k = 0; k < COUNT_OF(bans); k++)
        read_ban(r, &level->no_multicast, sc_reference_key(n, bans[k]), bans[k]);
    if (!split || sc_node_is_null(split) || !sc_reference_count(&on_x, split, 0))
        return;
    const int most = r->dims->e->n_dims;
    const int value = on_x > (uint64_t)most ? most : (int)on_x;
    if (level->split >= 0 && level->split != value)
        sc_node_error(split, "a second split: an earlier constraint of this level has %d",
                      level->split);
    level->split = value;
}

static void read_bypass(const constraint_reader *r, unsigned level, const sc_node *n)
{
    const sc_node *keep_only = sc_reference_key(n, "keep_only");
    const sc_node *bypass_only = sc_reference_key(n, "bypass_only");
    sc_level_limits *limits = &r->c->level[level];
    uint8_t keep = read_tensors(r, sc_reference_key(n, "keep"));
    uint8_t bypass = read_tensors(r, sc_reference_key(n, "bypass"));
    if (keep_only) {
        keep |= read_tensors(r, keep_only);
        bypass |= (uint8_t)(all_tensors(r) & ~keep);
    }
    if (bypass_only) {
        bypass |= read_tensors(r, bypass_only);
        keep |= (uint8_t)(all_tensors(r) & ~bypass);
    }
    keep |= limits->must_keep;
    bypass |= limits->must_bypass;
    if (keep & bypass)
        sc_node_error(n, "tensor %s is both kept and bypassed at %s",
                      r->dims->e->tensor[__builtin_ctz(keep & bypass)].name,
                      r->a->level[level].name);
    limits->must_keep = keep;
    limits->must_bypass = bypass;
}

/* Kinds of constraints by the names they have; what stands behind the last carried one is not. */
enum { TEMPORAL, SPATIAL, BYPASS, LINKS = 6, MULTICAST, NOT_CARRIED = 10 };
static const char *const types[] = {"temporal",
                                    "spatial",
                                    "bypass",
                                    "datatype",
                                    "dataspace",
                                    "bypassing",
                                    "no_link_transfer",
                                    "no_multicast",
                                    "no_reduction",
                                    "no_multicast_no_reduction",
                                    "utilization",
                                    "parallelism",
                                    "max_overbooked_proportion",
                                    "skew"};

/* Whether a level, or that of a node's copies, has the name. */
static bool is_level(const constraint_reader *r, const char *name)
{
    char between[SC_NAME_LEN + 16];
    bool found = false;
    (void)snprintf(between, sizeof between, "inter_%.*s_spatial", SC_NAME_LEN - 1, name);
    for (unsigned l = 0; l < r->a->n_levels; l++)
        found |=
            strcmp(r->a->level[l].name, name) == 0 || strcmp(r->a->level[l].name, between) == 0;
    return found;
}

/* Whether a node of version 0.4 has the name and could have copies. */
static bool is_single(const sc_node *node, const char *name, unsigned depth)
{
    const sc_node *nodes = sc_node_get(node, "nodes");
    const sc_node *own = sc_reference_key(node, "name");
    if (own && strcmp(sc_node_text(own), name) == 0 &&
        (strstr(sc_node_tag(node), "Container") || sc_reference_key(node, "spatial")))
        return true;
    for (size_t i = 0; depth < MAX_DEPTH && i < sc_node_count(nodes); i++)
        if (is_single(sc_node_item(nodes, i), name, depth + 1))
            return true;
    return false;
}

static void read_block(constraint_reader *r, const sc_node *target, size_t type, const sc_node *n)
{
    char shown[SC_SHOWN_LEN];
    check_keys(n);
    if (!is_level(r, sc_node_text(target)) && is_single(r->architecture, sc_node_text(target), 0)) {
        sc_node_warning(target, "'%s' has one copy and no level: the constraint has no effect",
                        sc_text_show(shown, sc_node_text(target)));
        return;
    }
    const int level = sc_reference_target(r->a, target, type == SPATIAL);
    if (level < 0)
        return;
    sc_level_limits *limits = &r->c->level[level];
    r->n++;
    if (type == TEMPORAL || type == SPATIAL) {
        sc_loop_limits *loops = type == TEMPORAL ? &limits->temporal : &limits->spatial;
        static const char *const reuse[] = {"no_reuse"};
        const sc_node *idle = sc_reference_get(n, reuse, 1);
        if (type == TEMPORAL && sc_node_count(idle) > 0)
            sc_node_warning(idle, "'no_reuse' over time has no effect here");
        read_factors(r, loops, n);
        read_order(r, loops, n);
        if (type == SPATIAL)
            read_spatial(r, limits, n);
    } else if (type < LINKS) {
        read_bypass(r, (unsigned)level, n);
    } else {
        read_ban(r, type == LINKS ? &limits->no_links : &limits->no_multicast,
                 sc_reference_key(n, "datatypes"), types[type]);
    }
}

/* One constraint; its keys stand in it or under `attributes`. */
static void read_typed(constraint_reader *r, const sc_node *target, const sc_node *n)
{
    size_t type;
    const sc_node *attributes = sc_reference_key(n, "attributes");
    if (!sc_map_choice(&type, n, "type", types, COUNT_OF(types)) || !target)
        return;
    if (type >= NOT_CARRIED)
        sc_node_warning(n, "a constraint of type '%s' has no effect here", types[type]);
    else
        read_block(r, target, type, attributes ? attributes : n);
}

static void read_directive(constraint_reader *r, const sc_node *n)
{
    static const char *const targets[] = {"target", "name"};
    if (sc_node_kind_of(n) != SC_NODE_MAP) {
        sc_node_error(n, "a constraint must be a map with target and type");
        return;
    }
    const sc_node *target = sc_reference_get(n, targets, 2);
    const sc_node *list = sc_reference_key(n, "constraints");
    if (!target)
        (void)sc_map_node(n, "target"); /* says that it is missing */
    if (sc_node_kind_of(list) == SC_NODE_SEQUENCE)
        for (size_t i = 0; i < sc_node_count(list); i++)
            read_typed(r, target, sc_node_item(list, i));
    else
        read_typed(r, target, n);
}

/* The list of directives of a section; NULL if it has none, or after recording. */
static const sc_node *list_of(const sc_node *section)
{
    static const char *const used[] = {"targets", "constraints"};
    static const char *const idle[] = {"version", "template", "allow_overbooking"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), true};
    char name[SC_NAME_LEN + 16];
    if (sc_node_kind_of(section) != SC_NODE_MAP)
        return section;
    const sc_node *list = sc_reference_get(section, used, COUNT_OF(used));
    if (sc_node_kind_of(list) == SC_NODE_MAP)
        return list_of(list);
    if (list && sc_node_kind_of(list) == SC_NODE_SCALAR && !sc_node_is_null(list)) {
        (void)snprintf(name, sizeof name, "constraints_%.*s", SC_NAME_LEN, sc_node_text(list));
        const sc_node *chosen = sc_reference_key(section, name);
        if (!chosen)
            sc_node_error(list, "no '%s' in this section", name);
        return chosen;
    }
    sc_reference_check_keys(section, &keys);
    return list;
}

static void read_section(constraint_reader *r, const sc_node *section)
{
    const sc_node *list = list_of(section);
    if (!list || sc_node_is_null(list))
        return;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE) {
        sc_node_error(list, "constraints must be a list of directives");
        return;
    }
    for (size_t i = 0; i < sc_node_count(list); i++)
        read_directive(r, sc_node_item(list, i));
}

/* The constraints of one component or container. */
static void read_own(constraint_reader *r, const sc_node *node)
{
    static const char *const used[] = {"temporal", "spatial",  "dataspace",
                                       "bypass",   "datatype", "dataspaces"};
    static const char *const idle[] = {"targets", "utilization", "max_overbooked_proportion",
                                       "parallelism"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    const sc_node *own = sc_reference_key(node, "constraints");
    const sc_node *name = sc_reference_key(node, "name");
    if (!own || sc_node_is_null(own))
        return;
    if (!name) {
        if (strcmp(sc_node_tag(node), "!Nothing") != 0)
            sc_node_error(own, "constraints of a node without a name");
        return;
    }
    if (sc_node_kind_of(own) != SC_NODE_MAP) {
        sc_node_error(own, "constraints must be a map of temporal, spatial and dataspace");
        return;
    }
    sc_reference_check_keys(own, &keys);
    for (unsigned k = 0; k < COUNT_OF(used); k++) {
        const sc_node *block = sc_reference_key(own, used[k]);
        if (block && sc_node_kind_of(block) == SC_NODE_MAP && sc_node_count(block) > 0)
            read_block(r, name, k < BYPASS ? k : BYPASS, block);
    }
}

/* Branches of a !Parallel share the tensors out: what a branch keeps is all that goes through it.
 */
static void close_branches(const constraint_reader *r, const sc_node *branches)
{
    for (size_t i = 0; i < sc_node_count(branches); i++) {
        const sc_node *name = sc_reference_key(sc_node_item(branches, i), "name");
        for (unsigned l = 0; name && l < r->a->n_levels; l++) {
            sc_level_limits *limits = &r->c->level[l];
            if (strcmp(r->a->level[l].name, sc_node_text(name)) == 0 && limits->must_keep)
                limits->must_bypass |= (uint8_t)(all_tensors(r) & ~limits->must_keep);
        }
    }
}

static void visit(constraint_reader *r, const sc_node *node, unsigned depth)
{
    static const char *const lists[] = {"nodes", "local", "subtree"};
    if (depth == MAX_DEPTH || sc_node_kind_of(node) != SC_NODE_MAP)
        return;
    read_own(r, node);
    for (size_t k = 0; k < COUNT_OF(lists); k++) {
        const sc_node *list = sc_node_get(node, lists[k]);
        for (size_t i = 0; i < sc_node_count(list); i++)
            visit(r, sc_node_item(list, i), depth + 1);
    }
    if (strcmp(sc_node_tag(node), "!Parallel") == 0)
        close_branches(r, sc_node_get(node, "nodes"));
}

/* What the reference takes for granted. */
static void add_granted(const constraint_reader *r)
{
    sc_level_limits *outermost = &r->c->level[0];
    outermost->must_keep |= (uint8_t)(all_tensors(r) & ~outermost->must_bypass);
    for (unsigned l = 0; l < r->a->n_levels; l++) {
        sc_level_limits *limits = &r->c->level[l];
        if (!sc_reference_is_fanout(&r->a->level[l]))
            continue;
        limits->must_keep = 0;
        limits->must_bypass = all_tensors(r);
        for (unsigned d = 0; d < r->dims->e->n_dims; d++)
            limits->temporal.fixed[d] = 1;
    }
}

unsigned sc_reference_constraints_read(sc_map_constraints *c, const sc_reference_files *f,
                                       const sc_node *architecture, const sc_reference_dims *dims,
                                       const sc_arch *a)
{
    static const char *const sections[] = {"architecture_constraints", "arch_constraints",
                                           "mapspace_constraints", "mapspace", "constraints"};
    constraint_reader r = {c, 0, dims, a, architecture};
    sc_map_constraints_init(c, a->n_levels);
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < COUNT_OF(sections); k++) {
            const sc_node *n =
                f->doc[i] ? sc_reference_key(sc_yaml_root(f->doc[i]), sections[k]) : NULL;
            if (n)
                read_section(&r, n);
        }
    visit(&r, architecture, 0);
    add_granted(&r);
    return r.n;
}

void sc_reference_constraints_hold(const sc_node *mapping, const sc_map_constraints *c,
                                   const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    const sc_breach b = sc_map_constraints_check(c, m, e);
    if (b.code == SC_OBEYS)
        return;
    const char *of = b.dim >= 0      ? e->dim_name[b.dim]
                     : b.tensor >= 0 ? e->tensor[b.tensor].name
                                     : "the loops in space";
    sc_node_warning(mapping,
                    "the mapping breaks a constraint (%s) at %s%s: %s has %llu, asked for is %llu",
                    sc_breach_name(b.code), a->level[b.level].name, b.spatial ? " in space" : "",
                    of, wide(b.have), wide(b.need));
}
