#include "workloads/names.h"

#include <string.h>

#include "core/hash.h"
#include "core/mem.h"

enum { FIRST_CAPACITY = 64 };

/* Slot of the key, or the free one where it would go; the table is never full. */
static struct sc_names_slot *find(struct sc_names_slot *slots, size_t capacity, const char *key)
{
    size_t i = (size_t)sc_hash64_of(key, strlen(key)) & (capacity - 1);
    while (slots[i].key && strcmp(slots[i].key, key) != 0)
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

bool sc_names_get(const sc_names *m, int32_t *value, const char *key)
{
    const struct sc_names_slot *slot = m->capacity ? find(m->slots, m->capacity, key) : NULL;
    if (!slot || !slot->key)
        return false;
    *value = slot->value;
    return true;
}

static sc_status grow(sc_names *m)
{
    const size_t capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY;
    struct sc_names_slot *slots = sc_calloc(capacity, sizeof *slots);
    if (!slots)
        return SC_ENOMEM;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->slots[i].key)
            *find(slots, capacity, m->slots[i].key) = m->slots[i];
    sc_free(m->slots);
    m->slots = slots;
    m->capacity = capacity;
    return SC_OK;
}

sc_status sc_names_put(sc_names *m, const char *key, int32_t value)
{
    const sc_status st = 2 * (m->used + 1) > m->capacity ? grow(m) : SC_OK;
    if (st != SC_OK)
        return st;
    *find(m->slots, m->capacity, key) = (struct sc_names_slot){key, value};
    m->used++;
    return SC_OK;
}

void sc_names_clear(sc_names *m)
{
    sc_free(m->slots);
    *m = (sc_names){0};
}
