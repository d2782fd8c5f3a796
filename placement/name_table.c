#include "placement/name_table.h"

#include <string.h>

#include "core/hash.h"
#include "core/mem.h"

sc_status sc_name_table_init(sc_name_table *t, size_t most)
{
    size_t slots = 16;

    if (most > (size_t)1 << 30)
        return sc_fail(SC_ERANGE, "%zu names are more than a netlist can hold", most);
    while (slots < 2 * most)
        slots *= 2;
    *t = (sc_name_table){.key = sc_calloc(slots, sizeof *t->key),
                         .value = sc_calloc(slots, sizeof *t->value),
                         .n_slots = slots};
    if (t->key != NULL && t->value != NULL)
        return SC_OK;
    sc_name_table_clear(t);
    return SC_ENOMEM;
}

void sc_name_table_clear(sc_name_table *t)
{
    sc_free(t->key);
    sc_free(t->value);
    *t = (sc_name_table){0};
}

/* The slot that holds the name, or the empty one where it would stand. */
static size_t slot_of(const sc_name_table *t, const char *name)
{
    size_t at = (size_t)sc_hash64_of(name, strlen(name)) & (t->n_slots - 1);
    while (t->key[at] != NULL && strcmp(t->key[at], name) != 0)
        at = (at + 1) & (t->n_slots - 1);
    return at;
}

uint32_t sc_name_table_add(sc_name_table *t, const char *name, uint32_t value)
{
    const size_t at = slot_of(t, name);
    if (t->key[at] != NULL)
        return t->value[at];
    t->key[at] = name;
    t->value[at] = value;
    return SC_NAME_NONE;
}

uint32_t sc_name_table_find(const sc_name_table *t, const char *name)
{
    const size_t at = slot_of(t, name);
    return t->key[at] != NULL ? t->value[at] : SC_NAME_NONE;
}
