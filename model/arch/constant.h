#ifndef MODEL_ARCH_CONSTANT_H
#define MODEL_ARCH_CONSTANT_H
/** Named figures of technology tables and templates: none without a unit and a source. */
#include "core/mem.h"
#include "core/yaml.h"

typedef struct sc_constant {
    const char *name;
    double value; /* in base units where the unit is one of core/units.h */
    const char *unit, *source;
    int line, column;
} sc_constant;

/** Growing list on an arena, capped. */
typedef struct sc_constants {
    sc_constant *item; /* [n] */
    size_t n;
} sc_constants;

enum { SC_MAX_CONSTANTS = 128 };

/**
 * Read `NAME: {value: 56 GB/s, unit: B/s, source: "..."}` entries into the list; an entry whose
 * name is already there replaces it (a file that extends another), except within one map, where
 * YAML itself forbids it. Errors are recorded at their nodes.
 * @param map  may be NULL: nothing to read.
 */
void sc_constants__read(sc_constants *list, sc_arena *arena, const sc_node *map);

/** NULL if there is none of that name. Cost: O(n). */
const sc_constant *sc_constants__find(const sc_constants *list, const char *name);

/** One figure `{value, unit, source}` under the name of its key. @return false after recording. */
bool sc_constant__read(sc_constant *out, sc_arena *arena, const sc_node *map, size_t i);

/** Whether text is a name for expressions: a letter or _, then letters, digits or _; <= 47 bytes.
 */
bool sc_name__ok(const char *text);

/** Copy of a text on the arena; NULL after recording out of memory at the node. */
const char *sc_arena__text(sc_arena *arena, const sc_node *at, const char *text);

/** The kind of quantity a unit's text names ("B", "Hz", "B/s", "W", "J", "s", "m"), for parsing its
 *  values; SC_UNIT_NONE for any other, whose values are plain numbers. */
sc_unit sc_unit__of(const char *text);
#endif
