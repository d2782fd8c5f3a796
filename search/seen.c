#include "search/seen.h"

#include <string.h>

#include "core/mem.h"

enum { FIRST_SLOTS = 64 };
static const size_t MAX_POINTS = (size_t)1 << 31;

void sc_seen_clear(sc_seen *s)
{
    sc_free(s->key);
    sc_free(s->told);
    sc_free(s->slot);
    *s = (sc_seen){0};
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA'14, doi:10.1145/2660193.2660195): keys may be ranks in a
 * grid, whose low bits alone would cluster. */
static uint64_t mix(uint64_t key)
{
    uint64_t z = key + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Slot that holds the key, or the empty one where it belongs. */
static size_t find(const uint32_t *slot, size_t n_slots, const uint64_t *keys, uint64_t key)
{
    size_t at = (size_t)mix(key) & (n_slots - 1);
    while (slot[at] != 0 && keys[slot[at] - 1] != key)
        at = (at + 1) & (n_slots - 1);
    return at;
}

static sc_status grow_slots(sc_seen *s, size_t wanted)
{
    size_t n_slots = s->n_slots ? s->n_slots : FIRST_SLOTS;
    while (n_slots < 2 * wanted)
        n_slots *= 2;
    if (n_slots == s->n_slots)
        return SC_OK;
    uint32_t *slot = sc_calloc(n_slots, sizeof *slot);
    if (!slot)
        return SC_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        slot[find(slot, n_slots, s->key, s->key[i])] = (uint32_t)(i + 1);
    sc_free(s->slot);
    s->slot = slot;
    s->n_slots = n_slots;
    return SC_OK;
}

sc_status sc_seen_reserve(sc_seen *s, size_t more)
{
    if (more > MAX_POINTS - s->n)
        return sc_fail(SC_ERANGE, "more than %zu points in one search", MAX_POINTS);
    const size_t wanted = s->n + more;
    if (wanted > s->capacity) {
        const size_t capacity = wanted > 2 * s->capacity ? wanted : 2 * s->capacity;
        uint64_t *key = sc_realloc_array(s->key, capacity, sizeof *key);
        if (!key)
            return SC_ENOMEM;
        s->key = key;
        unsigned char *told = sc_realloc_array(s->told, capacity, sizeof *told);
        if (!told)
            return SC_ENOMEM;
        s->told = told;
        s->capacity = capacity;
    }
    return grow_slots(s, wanted);
}

sc_seen_state sc_seen_state_of(const sc_seen *s, uint64_t key)
{
    if (s->n == 0)
        return SC_SEEN_NEVER;
    const uint32_t slot = s->slot[find(s->slot, s->n_slots, s->key, key)];
    return slot == 0 ? SC_SEEN_NEVER : s->told[slot - 1] ? SC_SEEN_TOLD : SC_SEEN_PENDING;
}

void sc_seen_add(sc_seen *s, uint64_t key, bool told)
{
    s->slot[find(s->slot, s->n_slots, s->key, key)] = (uint32_t)(s->n + 1);
    s->key[s->n] = key;
    s->told[s->n] = told;
    s->n++;
    s->n_told += told;
    s->told_sum += told ? mix(key) : 0;
}

bool sc_seen_tell(sc_seen *s, uint64_t key)
{
    const uint32_t slot = s->slot[find(s->slot, s->n_slots, s->key, key)];
    if (slot == 0) {
        sc_seen_add(s, key, true);
        return true;
    }
    if (s->told[slot - 1])
        return false;
    s->told[slot - 1] = 1;
    s->n_told++;
    s->told_sum += mix(key);
    return true;
}
