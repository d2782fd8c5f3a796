#include <string.h>

#include "core/yaml_tree.h"

/* Pairs of key and value that are taken into a map, each key once. */
typedef struct merge {
    const sc_node **items; /* key 0, value 0, key 1, ... */
    size_t n, room;        /* pairs */
    uint32_t *slots;       /* [sc_slots_for(room)] */
} merge;

bool sc_yaml_is_merge(const sc_node *key)
{
    return key->kind == SC_NODE_SCALAR && key->plain && strcmp(key->text, "<<") == 0;
}

static const char *merged_key_at(const void *owner, size_t i)
{
    return ((const merge *)owner)->items[2 * i]->text;
}

/* A key that is there already hides the one that comes. */
static void take_pairs(merge *m, const sc_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const sc_node *key = map->items[2 * i];
        if (sc_yaml_is_merge(key))
            continue;
        const size_t slot =
            sc_slot_of(m->slots, sc_slots_for(m->room), key->text, merged_key_at, m);
        if (m->slots[slot])
            continue;
        m->items[2 * m->n] = key;
        m->items[2 * m->n + 1] = map->items[2 * i + 1];
        m->slots[slot] = (uint32_t)++m->n;
    }
}

/* Pairs that a value of << stands for; SIZE_MAX if it is no map and no list of maps. */
static size_t pairs_of(const sc_node *value)
{
    size_t pairs = 0;
    if (value->kind == SC_NODE_MAP)
        return value->count;
    if (value->kind != SC_NODE_SEQUENCE)
        return SIZE_MAX;
    for (size_t i = 0; i < value->count; i++) {
        if (value->items[i]->kind != SC_NODE_MAP)
            return SIZE_MAX;
        pairs += value->items[i]->count;
    }
    return pairs;
}

static sc_status merge_value(sc_node *map, const sc_node *value, size_t pairs)
{
    merge m = {.room = map->count + pairs};
    m.items = sc_arena_calloc(map->doc->arena, 2 * m.room, sizeof *m.items);
    m.slots = sc_calloc(sc_slots_for(m.room), sizeof *m.slots);
    if (!m.items || !m.slots) {
        sc_free(m.slots);
        return SC_ENOMEM;
    }
    take_pairs(&m, map);
    if (value->kind == SC_NODE_MAP)
        take_pairs(&m, value);
    else
        for (size_t i = 0; i < value->count; i++)
            take_pairs(&m, value->items[i]);
    sc_free(m.slots);
    map->items = m.items;
    map->count = (uint32_t)m.n;
    return SC_OK;
}

sc_status sc_yaml_merge(sc_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const sc_node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        if (!sc_yaml_is_merge(key))
            continue;
        const size_t pairs = pairs_of(value);
        if (pairs != SIZE_MAX)
            return merge_value(map, value, pairs);
        sc_yaml_error(map->doc, key->line, key->column,
                      "a merge key (<<) takes a map or a list of maps");
    }
    return SC_OK;
}

/* ---- defaults, merged in depth ---- */

enum {
    MAX_MERGED = 1000000, /* nodes made or joined */
    MAX_KEYS = 256,       /* of a merged map: keys are compared each with each */
    MAX_DEPTH = 64        /* of the tree */
};

typedef struct deep {
    sc_yaml *doc;
    const char *key;
    size_t merged;
    sc_status status;
} deep;

static bool stop(deep *d, sc_status st)
{
    if (d->status == SC_OK)
        d->status = st;
    return false;
}

static bool refuse(deep *d, const sc_node *at, const char *what)
{
    sc_yaml_error(d->doc, at->line, at->column, "'%s' %s", d->key, what);
    return stop(d, SC_EPARSE);
}

/* A sequence or map of up to so many values at the place of another. */
static sc_node *make_like(deep *d, const sc_node *like, size_t room)
{
    const size_t width = like->kind == SC_NODE_MAP ? 2 : 1;
    sc_node *n = sc_arena_calloc(d->doc->arena, 1, sizeof *n);
    const sc_node **items = sc_arena_calloc(d->doc->arena, width * room + 1, sizeof *items);
    d->merged += room + 1;
    if (d->merged > MAX_MERGED || (like->kind == SC_NODE_MAP && room > MAX_KEYS)) {
        (void)refuse(d, like, "stands for too many values");
        return NULL;
    }
    if (!n || !items) {
        (void)stop(d, SC_ENOMEM);
        return NULL;
    }
    *n = *like;
    memcpy(items, like->items, width * like->count * sizeof *items);
    n->items = items;
    n->slots = NULL;
    return n;
}

static const sc_node *merge_nodes(deep *d, const sc_node *own, const sc_node *other,
                                  unsigned depth);

/* Put a pair of another map into one that has room for it. */
static bool take_pair(deep *d, sc_node *map, const sc_node *key, const sc_node *value,
                      unsigned depth)
{
    const sc_node **items = (const sc_node **)(uintptr_t)map->items;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(items[2 * i]->text, key->text) == 0) {
            items[2 * i + 1] = merge_nodes(d, items[2 * i + 1], value, depth);
            return items[2 * i + 1] != NULL;
        }
    items[2 * (size_t)map->count] = key;
    items[2 * (size_t)map->count + 1] = value;
    map->count++;
    return true;
}

/* Own with what the other has beside; NULL on failure. Own is not changed. */
static const sc_node *merge_nodes(deep *d, const sc_node *own, const sc_node *other, unsigned depth)
{
    if (own->kind != other->kind || own->kind == SC_NODE_SCALAR ||
        strcmp(own->tag, "!nomerge") == 0)
        return own;
    if (depth == MAX_DEPTH) {
        (void)refuse(d, own, "merges too deep");
        return NULL;
    }
    sc_node *n = make_like(d, own, (size_t)own->count + other->count);
    if (!n)
        return NULL;
    if (own->kind == SC_NODE_SEQUENCE) {
        memcpy((void *)(uintptr_t)(n->items + own->count), other->items,
               other->count * sizeof *other->items);
        n->count += other->count;
        return n;
    }
    for (size_t i = 0; i < other->count; i++)
        if (!take_pair(d, n, other->items[2 * i], other->items[2 * i + 1], depth + 1))
            return NULL;
    return n;
}

/* The map without its key for defaults, then merged with each of them. */
static bool fill_in(deep *d, sc_node *map, size_t at)
{
    const sc_node *defaults = map->items[2 * at + 1];
    const size_t n = defaults->kind == SC_NODE_SEQUENCE ? defaults->count : 1;
    sc_node *rest = make_like(d, map, map->count);
    if (!rest)
        return false;
    const sc_node **items = (const sc_node **)(uintptr_t)rest->items;
    rest->count--;
    memmove(items + 2 * at, items + 2 * at + 2, 2 * (rest->count - at) * sizeof *items);
    const sc_node *whole = rest;
    rest->tag = "";
    for (size_t i = 0; i < n; i++) {
        const sc_node *one = defaults->kind == SC_NODE_SEQUENCE ? defaults->items[i] : defaults;
        if (one->kind != SC_NODE_MAP)
            return refuse(d, map->items[2 * at], "takes a map or a list of maps");
        if (!(whole = merge_nodes(d, whole, one, 0)))
            return false;
    }
    map->items = whole->items;
    map->count = whole->count;
    map->slots = NULL;
    return true;
}

/* What stands below comes first, so that defaults are whole before they are taken. */
static bool visit(deep *d, sc_node *n)
{
    const size_t width = n->kind == SC_NODE_MAP ? 2 : 1;
    for (size_t i = 0; n->kind != SC_NODE_SCALAR && i < n->count; i++)
        if (!visit(d, (sc_node *)(uintptr_t)n->items[width * i + width - 1]))
            return false;
    for (size_t i = 0; n->kind == SC_NODE_MAP && i < n->count; i++)
        if (strcmp(n->items[2 * i]->text, d->key) == 0)
            return fill_in(d, n, i);
    return true;
}

sc_status sc_yaml_merge_deep(sc_yaml *y, const char *key)
{
    deep d = {y, key, 0, SC_OK};
    (void)visit(&d, (sc_node *)(uintptr_t)y->root);
    if (d.status == SC_ENOMEM)
        y->failed = SC_ENOMEM;
    return d.status == SC_OK ? SC_OK : sc_yaml_status(y);
}
