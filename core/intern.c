#include "core/intern.h"

#include <string.h>

#include "core/hash.h"
#include "core/mem.h"

void sc_intern_clear(sc_intern *s)
{
    sc_free(s->bytes);
    sc_free(s->at);
    sc_free(s->slot);
    *s = (sc_intern){0};
}

const char *sc_intern_text(const sc_intern *s, uint32_t i)
{
    return s->bytes + s->at[i];
}

/* The slot that holds a text, or the free one where it belongs. */
static size_t place_of(const sc_intern *s, const char *text)
{
    size_t i = (size_t)sc_hash64_of(text, strlen(text)) & (s->slots - 1);
    while (s->slot[i] && strcmp(sc_intern_text(s, s->slot[i] - 1), text) != 0)
        i = (i + 1) & (s->slots - 1);
    return i;
}

uint32_t sc_intern_find(const sc_intern *s, const char *text)
{
    if (s->slots == 0)
        return UINT32_MAX;
    const uint32_t slot = s->slot[place_of(s, text)];
    return slot ? slot - 1 : UINT32_MAX;
}

static sc_status grow(sc_intern *s)
{
    const size_t slots = s->slots ? 2 * s->slots : 16;
    uint32_t *slot = sc_calloc(slots, sizeof *slot);
    if (!slot)
        return SC_ENOMEM;
    sc_free(s->slot);
    s->slot = slot;
    s->slots = slots;
    for (uint32_t i = 0; i < s->n; i++)
        s->slot[place_of(s, sc_intern_text(s, i))] = i + 1;
    return SC_OK;
}

static sc_status keep(sc_intern *s, const char *text)
{
    const size_t length = strlen(text) + 1;
    if (s->n == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 16;
        size_t *at = sc_realloc_array(s->at, capacity, sizeof *at);
        if (!at)
            return SC_ENOMEM;
        s->at = at;
        s->capacity = capacity;
    }
    if (s->byte_capacity - s->n_bytes < length) {
        const size_t capacity = 2 * (s->byte_capacity + length);
        char *bytes = sc_realloc_array(s->bytes, capacity, 1);
        if (!bytes)
            return SC_ENOMEM;
        s->bytes = bytes;
        s->byte_capacity = capacity;
    }
    memcpy(s->bytes + s->n_bytes, text, length);
    s->at[s->n++] = s->n_bytes;
    s->n_bytes += length;
    return SC_OK;
}

sc_status sc_intern_add(uint32_t *out, sc_intern *s, const char *text, size_t most)
{
    const uint32_t known = sc_intern_find(s, text);
    if (known != UINT32_MAX) {
        *out = known;
        return SC_OK;
    }
    if (s->n >= most)
        return SC_ERANGE;
    sc_status st = 2 * (s->n + 1) > s->slots ? grow(s) : SC_OK;
    if (st != SC_OK)
        return st;
    const size_t place = place_of(s, text);
    if ((st = keep(s, text)) != SC_OK)
        return st;
    s->slot[place] = (uint32_t)s->n;
    *out = (uint32_t)(s->n - 1);
    return SC_OK;
}
