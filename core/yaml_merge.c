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
