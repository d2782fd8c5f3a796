#include "model/count/reference_walk.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { MAX_DEPTH = 8 }; /* of lists of nodes in one another */

typedef enum node_tag { CONTAINER, COMPONENT, PARALLEL, HIERARCHICAL, NOTHING, TAGS } node_tag;

static const char *const tags[] = {"!Container", "!Component", "!Parallel", "!Hierarchical",
                                   "!Nothing"};

static node_tag tag_of(const sc_node *n)
{
    const char *tag = sc_node_tag(n);
    unsigned t = 0;
    if (strcmp(tag, "!ArrayContainer") == 0)
        return CONTAINER;
    if (strcmp(tag, "!Element") == 0) /* what the first of this version called them */
        return COMPONENT;
    while (t < TAGS && strcmp(tag, tags[t]) != 0)
        t++;
    return (node_tag)t;
}

static void refuse_tag(const sc_node *n)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    const char *tag = sc_node_tag(n);
    if (!*tag)
        sc_node_error(n, "a node needs one of the tags !Container, !Component, !Parallel, "
                         "!Hierarchical and !Nothing");
    else if (strcmp(tag, "!Pipelined") == 0)
        sc_node_error(n, "'!Pipelined' is not modelled: levels form one chain");
    else
        sc_node_error(n, "unknown tag '%s'%s", sc_text_show(shown, tag),
                      sc_did_you_mean(hint, sc_nearest(tag, tags, COUNT_OF(tags))));
}

/* Copies per instance outside along one axis, 1 if not given. */
static uint64_t read_axis(const sc_reference_scope *scope, const sc_node *spatial, const char *name)
{
    uint64_t copies = 1;
    const sc_node *v = sc_reference_key(spatial, name);
    if (v)
        (void)sc_reference_whole(&copies, v, scope, 1);
    return copies;
}

/* Multiply the place by a node's own `spatial`, and put a fan-out level before it. */
static void open_spatial(sc_reference_builder *b, sc_reference_place *place, const sc_node *n)
{
    static const char *const used[] = {"meshX", "meshY"};
    const sc_reference_keys keys = {used, COUNT_OF(used), NULL, 0, false};
    const sc_node *spatial = sc_reference_key(n, "spatial");
    char name[SC_NAME_LEN], level[SC_NAME_LEN + 16];
    uint64_t copies;
    if (!spatial || sc_node_is_null(spatial))
        return;
    if (sc_node_kind_of(spatial) != SC_NODE_MAP) {
        sc_node_error(spatial, "spatial must be a map of meshX and meshY");
        return;
    }
    sc_reference_check_keys(spatial, &keys);
    sc_reference_scope scope = b->scope; /* and the node's own attributes */
    if (scope.n < SC_REFERENCE_SCOPES)
        scope.map[scope.n++] = sc_reference_key(n, "attributes");
    const uint64_t x = read_axis(&scope, spatial, "meshX"), y = read_axis(&scope, spatial, "meshY");
    if (x == 1 && y == 1)
        return;
    const sc_node *name_node = sc_map_node(n, "name");
    if (!name_node || !sc_reference_name(name, sizeof name, &copies, name_node))
        return;
    (void)snprintf(level, sizeof level, "inter_%s_spatial", name);
    if (strlen(level) >= SC_NAME_LEN) {
        sc_node_error(name_node, "the name of a node with copies may have at most %d bytes",
                      SC_NAME_LEN - 1 - (int)strlen("inter__spatial"));
        return;
    }
    sc_reference_fanout(b, n, level, place->x, place->y);
    if (__builtin_mul_overflow(place->x, x, &place->x) ||
        __builtin_mul_overflow(place->y, y, &place->y) ||
        __builtin_mul_overflow(place->x, place->y, &place->copies) || place->copies > INT64_MAX) {
        sc_node_error(spatial, "more than 2^63 - 1 copies");
        *place = (sc_reference_place){1, 1, 1};
    }
}

static void open_container(sc_reference_builder *b, sc_reference_place *place, const sc_node *n)
{
    static const char *const used[] = {"name", "attributes", "spatial", "constraints", "enabled"};
    static const char *const idle[] = {"class",           "subclass",       "required_actions",
                                       "max_utilization", "power_gated_at", "min_utilization",
                                       "area_scale",      "energy_scale"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    const sc_node *attributes = sc_reference_key(n, "attributes");
    sc_reference_check_keys(n, &keys);
    if (!sc_reference_enabled(n))
        return;
    if (attributes && !sc_node_is_null(attributes)) {
        if (sc_node_kind_of(attributes) != SC_NODE_MAP)
            sc_node_error(attributes, "attributes must be a map");
        else if (b->scope.n == SC_REFERENCE_SCOPES - 1)
            sc_node_error(n, "more than %d containers with attributes", SC_REFERENCE_SCOPES - 2);
        else
            b->scope.map[b->scope.n++] = attributes;
        sc_reference_note_origin(b, attributes);
    }
    open_spatial(b, place, n);
}

static void walk(sc_reference_builder *b, sc_reference_place *place, const sc_node *owner,
                 unsigned depth);

/* What a branch opens ends with it: copies that are not those of the chain would make it a tree. */
static void walk_branch(sc_reference_builder *b, sc_reference_place place, const sc_node *n,
                        unsigned depth)
{
    const sc_reference_place before = place;
    const unsigned scopes = b->scope.n;
    if (tag_of(n) == COMPONENT) {
        open_spatial(b, &place, n);
        sc_reference_component(b, n, place);
    } else if (tag_of(n) == HIERARCHICAL || tag_of(n) == PARALLEL) {
        walk(b, &place, n, depth + 1);
    } else if (tag_of(n) != NOTHING) {
        sc_node_error(n, "a branch of !Parallel is a !Component, !Hierarchical or !Nothing");
    }
    b->scope.n = scopes;
    if (place.x != before.x || place.y != before.y)
        sc_node_error(n, "copies inside a branch of !Parallel are not modelled: levels form one "
                         "chain");
}

static void walk_node(sc_reference_builder *b, sc_reference_place *place, const sc_node *n,
                      unsigned depth)
{
    const unsigned scopes = b->scope.n;
    const sc_node *branches;
    switch (tag_of(n)) {
    case CONTAINER: open_container(b, place, n); break;
    case COMPONENT:
        if (!sc_reference_enabled(n))
            break;
        open_spatial(b, place, n);
        sc_reference_component(b, n, *place);
        break;
    case PARALLEL:
        branches = sc_map_sequence(n, "nodes");
        for (size_t i = 0; i < sc_node_count(branches); i++)
            walk_branch(b, *place, sc_node_item(branches, i), depth);
        break;
    case HIERARCHICAL:
        walk(b, place, n, depth + 1);
        b->scope.n = scopes;
        break;
    case NOTHING: break;
    case TAGS: refuse_tag(n); break;
    }
}

static void walk(sc_reference_builder *b, sc_reference_place *place, const sc_node *owner,
                 unsigned depth)
{
    static const char *const used[] = {"nodes", "version"};
    static const char *const idle[] = {"name"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    const sc_node *nodes = sc_map_sequence(owner, "nodes");
    if (depth == MAX_DEPTH) {
        sc_node_error(owner, "nodes more than %d deep", MAX_DEPTH);
        return;
    }
    sc_reference_check_keys(owner, &keys);
    for (size_t i = 0; i < sc_node_count(nodes); i++) {
        const sc_node *n = sc_node_item(nodes, i);
        if (sc_node_kind_of(n) == SC_NODE_MAP || tag_of(n) == NOTHING)
            walk_node(b, place, n, depth);
        else
            sc_node_error(n, "a node must be a map");
    }
}

void sc_reference_walk(sc_reference_builder *b, const sc_node *list)
{
    sc_reference_place place = {1, 1, 1};
    b->inherits = true;
    walk(b, &place, list, 0);
}
