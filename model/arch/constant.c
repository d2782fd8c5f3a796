#include "model/arch/constant.h"

#include <string.h>

#include "workloads/einsum.h"

static const struct {
    const char *text;
    sc_unit unit;
} UNITS[] = {{"B", SC_UNIT_BYTES}, {"Hz", SC_UNIT_HZ},     {"B/s", SC_UNIT_BYTES_PER_S},
             {"W", SC_UNIT_WATT},  {"J", SC_UNIT_JOULE},   {"s", SC_UNIT_SECOND},
             {"m", SC_UNIT_METRE}, {"m2", SC_UNIT_AREA_M2}};

sc_unit sc_unit__of(const char *text)
{
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (strcmp(text, UNITS[i].text) == 0)
            return UNITS[i].unit;
    return SC_UNIT_NONE;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool sc_name__ok(const char *text)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (!is_letter(text[n]) && (n == 0 || text[n] < '0' || text[n] > '9'))
            return false;
    return n > 0 && n < SC_NAME_LEN;
}

const char *sc_arena__text(sc_arena *arena, const sc_node *at, const char *text)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a text that was read is no NULL
    const char *copy = sc_arena_strndup(arena, text, strlen(text));
    if (!copy)
        sc_node_fail(at, SC_ENOMEM);
    return copy;
}

bool sc_constant__read(sc_constant *out, sc_arena *arena, const sc_node *map, size_t i)
{
    static const char *const KEYS[] = {"value", "unit", "source"};
    const sc_node *entry = sc_node_item(map, i);
    const sc_node *key = sc_node_key_node(map, i);
    const char *unit = NULL, *source = NULL;
    sc_constant c = {.line = sc_node_line(key), .column = sc_node_column(key)};

    bool ok = sc_map_only(entry, KEYS, 3);
    ok = sc_map_text(&unit, entry, "unit") && ok;
    ok = sc_map_text(&source, entry, "source") && ok;
    ok = sc_map_number(&c.value, entry, "value", unit ? sc_unit__of(unit) : SC_UNIT_NONE) && ok;
    if (!ok)
        return false;
    c.name = sc_arena__text(arena, key, sc_node_key(map, i));
    c.unit = sc_arena__text(arena, key, unit);
    c.source = sc_arena__text(arena, key, source);
    if (!c.name || !c.unit || !c.source)
        return false;
    *out = c;
    return true;
}

const sc_constant *sc_constants__find(const sc_constants *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i].name, name) == 0)
            return &list->item[i];
    return NULL;
}

/* Where an entry of that name goes: its old place, or the end of the list. */
static sc_constant *slot_of(sc_constants *list, const sc_node *key, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i].name, name) == 0)
            return &list->item[i];
    if (list->n == SC_MAX_CONSTANTS) {
        sc_node_error(key, "more than %d constants", SC_MAX_CONSTANTS);
        return NULL;
    }
    return &list->item[list->n];
}

void sc_constants__read(sc_constants *list, sc_arena *arena, const sc_node *map)
{
    if (!map)
        return;
    if (!list->item &&
        !(list->item = sc_arena_calloc(arena, SC_MAX_CONSTANTS, sizeof *list->item))) {
        sc_node_fail(map, SC_ENOMEM);
        return;
    }
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const sc_node *key = sc_node_key_node(map, i);
        if (!sc_name__ok(sc_node_text(key))) {
            sc_node_error(key, "a name is a letter or _ followed by letters, digits or _");
            continue;
        }
        sc_constant *slot = slot_of(list, key, sc_node_text(key));
        if (!slot)
            continue;
        if (!sc_constant__read(slot, arena, map, i)) /* its name stays known: no second error */
            slot->name = sc_arena__text(arena, key, sc_node_text(key));
        if (slot->name && slot == &list->item[list->n])
            list->n++;
    }
}
