#ifndef MODEL_NET_JSON_SET_H
#define MODEL_NET_JSON_SET_H
#include <jansson.h>
#include <stdbool.h>

/** Set a key, taking the value over. Jansson reports out of memory by a NULL value, on which the
 * set fails too: one flag gathers every failure of a whole document. */
static inline void sc_json_set(json_t *object, const char *key, json_t *value, bool *ok)
{
    if (json_object_set_new(object, key, value) != 0)
        *ok = false;
}

static inline void sc_json_append(json_t *list, json_t *value, bool *ok)
{
    if (json_array_append_new(list, value) != 0)
        *ok = false;
}
#endif
