#include "model/mapper/exact_frontier.h"

#include <string.h>

#include "core/mem.h"

enum { BUCKETS = 1 << 14, ROOM = 1 << 17 };

bool sc_frontier_init(sc_frontier *f)
{
    *f = (sc_frontier){.room = ROOM};
    f->head = sc_calloc(BUCKETS, sizeof *f->head);
    f->entry = sc_malloc(ROOM * sizeof *f->entry); /* touched as it fills */
    return f->head && f->entry;
}

void sc_frontier_clear(sc_frontier *f)
{
    sc_free(f->head);
    sc_free(f->entry);
    *f = (sc_frontier){0};
}

static size_t bucket_of(uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 50); /* 14 bits */
}

void sc_frontier_reset(sc_frontier *f)
{
    for (size_t i = 0; i < f->n; i++)
        f->head[bucket_of(f->entry[i].key)] = 0;
    f->n = 0;
}

static bool beats(const double *a, const double *b, double margin)
{
    if (a[0] + margin > b[0])
        return false;
    for (unsigned i = 1; i < SC_FRONTIER_SIZES; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

bool sc_frontier_add(sc_frontier *f, uint64_t key, const double *size, double margin)
{
    uint32_t *head = &f->head[bucket_of(key)];
    for (uint32_t i = *head; i > 0; i = f->entry[i - 1].next)
        if (f->entry[i - 1].key == key && beats(f->entry[i - 1].size, size, margin))
            return false;
    if (f->n == f->room)
        return true;
    struct sc_frontier_entry *e = &f->entry[f->n++];
    e->key = key;
    e->next = *head;
    memcpy(e->size, size, sizeof e->size);
    *head = (uint32_t)f->n;
    return true;
}
