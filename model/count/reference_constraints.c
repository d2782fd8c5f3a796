#include "model/count/reference_constraints.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "model/count/reference_arch.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { MAX_DEPTH = 64 }; /* of an architecture */

typedef struct constraint_reader {
    sc_reference_constraints *c;
    const sc_reference_dims *dims;
    const sc_arch *a;
} constraint_reader;

static const char *const used_keys[] = {"target",      "type",        "factors", "factors_only",
                                        "permutation", "split",       "keep",    "bypass",
                                        "keep_only",   "bypass_only", "min",     "max"};
static const char *const idle_keys[] = {"name",
                                        "node_type",
                                        "no_reuse",
                                        "no_temporal_reuse",
                                        "no_coalesce",
                                        "no_link_transfer",
                                        "no_multicast_no_unicast",
                                        "rmw_first_update",
                                        "passthrough",
                                        "no_passthrough",
                                        "must_iterate_over_dataspaces",
                                        "no_iteration_over_dataspaces",
                                        "maximize_dims",
                                        "maximize_dims_capacity",
                                        "max_overbooked_proportion",
                                        "force_overbook",
                                        "remainders",
                                        "metadata",
                                        "parallel"};

static void check_keys(const sc_node *n)
{
    const sc_reference_keys keys = {used_keys, COUNT_OF(used_keys), idle_keys, COUNT_OF(idle_keys),
                                    false};
    sc_reference_check_keys(n, &keys);
}

/* One dimension's factor, with what was asked before. */
static void merge_factor(sc_reference_factor *to, sc_reference_factor f, const sc_node *at,
                         const char *dim, uint64_t bound)
{
    if (f.relation == SC_FACTOR_FREE)
        return;
    if (f.relation != SC_FACTOR_AT_MOST && f.value > bound)
        sc_node_error(at, "a factor of %llu of dimension %s, whose bound is %llu",
                      (unsigned long long)f.value, dim, (unsigned long long)bound);
    if (to->relation == SC_FACTOR_EQUAL && f.relation == SC_FACTOR_EQUAL && to->value != f.value)
        sc_node_error(at,
                      "dimension %s has a factor of %llu here and of %llu in an earlier "
                      "constraint of this level",
                      dim, (unsigned long long)f.value, (unsigned long long)to->value);
    if (to->relation != SC_FACTOR_EQUAL)
        *to = f;
}

static void read_rule(const constraint_reader *r, sc_reference_rule *rule, const sc_node *n)
{
    static const char *const names[] = {"factors", "factors_only"};
    sc_reference_factor factor[SC_MAX_DIMS];
    uint8_t order[SC_MAX_DIMS];
    unsigned named = 0;
    const sc_node *factors = sc_reference_get(n, names, 2);
    const sc_node *permutation = sc_reference_key(n, "permutation");
    const sc_node *split = sc_reference_key(n, "split");
    const bool only = factors && factors == sc_reference_key(n, "factors_only");
    if (!sc_reference_factors(factor, r->dims, factors, true) ||
        (permutation && !sc_reference_order(order, &named, r->dims, permutation)))
        return;
    for (unsigned d = 0; d < r->dims->e->n_dims; d++) {
        if (only && factor[d].relation == SC_FACTOR_FREE)
            factor[d] = (sc_reference_factor){SC_FACTOR_EQUAL, 1};
        merge_factor(&rule->factor[d], factor[d], factors, r->dims->e->dim_name[d],
                     r->dims->e->bound[d]);
    }
    if (named > 0) {
        rule->named = named;
        memcpy(rule->order, order, sizeof order);
    }
    if (split && !sc_node_is_null(split))
        rule->has_split = sc_reference_count(&rule->split, split, 0);
}

/* Tensors of a list; a single name is one too. */
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
        const int t = sc_reference_find(one ? list : sc_node_item(list, i), "tensor of the problem",
                                        (const char(*)[SC_NAME_LEN])names, r->dims->e->n_tensors);
        if (t >= 0)
            bits |= (uint8_t)(1u << t);
    }
    return bits;
}

static void read_bypass(const constraint_reader *r, unsigned level, const sc_node *n)
{
    const uint8_t all = (uint8_t)((1u << r->dims->e->n_tensors) - 1);
    const sc_node *keep_only = sc_reference_key(n, "keep_only");
    const sc_node *bypass_only = sc_reference_key(n, "bypass_only");
    uint8_t keep = read_tensors(r, sc_reference_key(n, "keep"));
    uint8_t bypass = read_tensors(r, sc_reference_key(n, "bypass"));
    if (keep_only) {
        keep |= read_tensors(r, keep_only);
        bypass |= (uint8_t)(all & ~keep);
    }
    if (bypass_only) {
        bypass |= read_tensors(r, bypass_only);
        keep |= (uint8_t)(all & ~bypass);
    }
    keep |= r->c->keep[level];
    bypass |= r->c->bypass[level];
    if (keep & bypass)
        sc_node_error(n, "tensor %s is both kept and bypassed at %s",
                      r->dims->e->tensor[__builtin_ctz(keep & bypass)].name,
                      r->a->level[level].name);
    r->c->keep[level] = keep;
    r->c->bypass[level] = bypass;
}

enum { TEMPORAL, SPATIAL, BYPASS };

static void read_block(const constraint_reader *r, const sc_node *target, unsigned type,
                       const sc_node *n)
{
    check_keys(n);
    const int level = sc_reference_target(r->a, target, type == SPATIAL);
    if (level < 0)
        return;
    r->c->n++;
    if (type == TEMPORAL)
        read_rule(r, &r->c->temporal[level], n);
    else if (type == SPATIAL)
        read_rule(r, &r->c->spatial[level], n);
    else
        read_bypass(r, (unsigned)level, n);
}

static void read_directive(const constraint_reader *r, const sc_node *n)
{
    static const char *const types[] = {"temporal",    "spatial",     "bypass",
                                        "datatype",    "dataspace",   "bypassing",
                                        "utilization", "parallelism", "max_overbooked_proportion"};
    size_t type;
    if (sc_node_kind_of(n) != SC_NODE_MAP) {
        sc_node_error(n, "a constraint must be a map with target and type");
        return;
    }
    const sc_node *target = sc_map_node(n, "target");
    if (!sc_map_choice(&type, n, "type", types, COUNT_OF(types)) || !target)
        return;
    if (type > 5)
        sc_node_warning(n, "'%s' has no effect here", types[type]);
    else
        read_block(r, target, type < BYPASS ? (unsigned)type : BYPASS, n);
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

void sc_reference_constraints_add(sc_reference_constraints *c, const sc_node *section,
                                  const sc_reference_dims *dims, const sc_arch *a)
{
    const constraint_reader r = {c, dims, a};
    const sc_node *list = list_of(section);
    if (!list || sc_node_is_null(list))
        return;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE) {
        sc_node_error(list, "constraints must be a list of directives");
        return;
    }
    for (size_t i = 0; i < sc_node_count(list); i++)
        read_directive(&r, sc_node_item(list, i));
}

/* The constraints of one component or container. */
static void read_own(const constraint_reader *r, const sc_node *node)
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
    const uint8_t all = (uint8_t)((1u << r->dims->e->n_tensors) - 1);
    for (size_t i = 0; i < sc_node_count(branches); i++) {
        const sc_node *name = sc_reference_key(sc_node_item(branches, i), "name");
        for (unsigned l = 0; name && l < r->a->n_levels; l++)
            if (strcmp(r->a->level[l].name, sc_node_text(name)) == 0 && r->c->keep[l])
                r->c->bypass[l] |= (uint8_t)(all & ~r->c->keep[l]);
    }
}

static void visit(const constraint_reader *r, const sc_node *node, unsigned depth)
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

void sc_reference_constraints_of(sc_reference_constraints *c, const sc_node *architecture,
                                 const sc_reference_dims *dims, const sc_arch *a)
{
    const constraint_reader r = {c, dims, a};
    visit(&r, architecture, 0);
}
