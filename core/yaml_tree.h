#ifndef CORE_YAML_TREE_H
#define CORE_YAML_TREE_H
/** What stands behind sc_yaml and sc_node; shared by the files core/yaml_*.c alone. */
#include <stdarg.h>

#include "core/buf.h"
#include "core/mem.h"
#include "core/yaml.h"

/* 48 bytes: a file at the node cap takes 200 MB. */
struct sc_node {
    sc_yaml *doc;
    const char *tag; /* "" if none */
    union {
        const char *text;            /* of a scalar */
        const sc_node *const *items; /* a sequence: values; a map: key 0, value 0, key 1, ... */
    };
    const uint32_t *slots; /* of a map past SC_SMALL_MAP: index of its keys, see sc_slot_of */
    uint32_t line, column; /* 1-based */
    union {
        uint32_t count;       /* values of a sequence or map */
        uint32_t text_column; /* where a scalar's text begins, if its source shows it byte for byte
                                 on one line; else 0 */
    };
    uint8_t kind; /* sc_node_kind */
    bool plain;   /* a scalar without quotes */
};

struct sc_yaml {
    sc_arena *arena;
    char *name;
    const sc_node *root;
    sc_buf errors, warnings; /* one a line, each line ended */
    size_t n_errors, n_warnings;
    sc_status failed; /* a failure that is not the document's, or SC_OK */
};

enum { SC_SMALL_MAP = 16 }; /* up to here a walk over the keys beats a hash */

/** The i-th name of whatever owner is. */
typedef const char *(*sc_name_at)(const void *owner, size_t i);

/** Slots needed to index so many names: a power of two, at most half of them taken. */
size_t sc_slots_for(size_t names);

/** Hash lookup. slots: [n_slots], 0 = free, else 1 + the index of a name. @return the slot that
 *  holds the name, or the free one where it belongs. */
size_t sc_slot_of(const uint32_t *slots, size_t n_slots, const char *name, sc_name_at at,
                  const void *owner);

/** sc_name_at of a map's keys. */
const char *sc_map_key_at(const void *map, size_t i);

/** Whether a key is << without quotes. */
bool sc_yaml_is_merge(const sc_node *key);

/** Put what the merge key (<<) of a finished map brings in behind its own pairs: those of one map
 *  or of a list of maps, whose keys it does not have; of two in a list that have a key, the
 * earlier. A value of another kind is recorded as an error. Cost: linear in the pairs; what an
 * alias stands for is counted when the alias is met. @return SC_OK; SC_ENOMEM. */
sc_status sc_yaml_merge(sc_node *map) SC_MUST_USE;

/** Whether so many errors are recorded that the next ones will only be counted. */
bool sc_yaml_is_full(const sc_yaml *y);

/** Record an error at a place. */
void sc_yaml_error(sc_yaml *y, uint32_t line, uint32_t column, const char *fmt, ...)
    SC_PRINTF(4, 5);
#endif
