#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "core/mem.h"

enum { DEFAULT_BLOCK_BYTES = 1 << 16 };

typedef struct block {
    struct block *next;
    size_t used, capacity;
    alignas(max_align_t) unsigned char data[];
} block;

struct sc_arena {
    block *head;
    size_t block_bytes;
    size_t handed_out;
};

sc_status sc_arena_create(sc_arena **out, size_t block_bytes)
{
    sc_arena *a = sc_malloc(sizeof *a);
    if (!a)
        return SC_ENOMEM;
    *a = (sc_arena){.block_bytes = block_bytes ? block_bytes : DEFAULT_BLOCK_BYTES};
    *out = a;
    return SC_OK;
}

void sc_arena_destroy(sc_arena *a)
{
    if (!a)
        return;
    for (block *b = a->head, *next; b; b = next) {
        next = b->next;
        sc_free(b);
    }
    sc_free(a);
}

/* Only the newest block is looked at: a scan of all would make n small items cost O(n^2). */
static block *block_with_room(sc_arena *a, size_t want)
{
    block *b = a->head;
    if (b && b->capacity - b->used >= want)
        return b;
    const size_t capacity = want > a->block_bytes ? want : a->block_bytes;
    b = sc_malloc(sizeof *b + capacity);
    if (!b)
        return NULL;
    *b = (block){.next = a->head, .capacity = capacity};
    a->head = b;
    return b;
}

void *sc_arena_calloc(sc_arena *a, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size && count > (SIZE_MAX / 2 - align) / size) {
        sc_fail(SC_ENOMEM, "%zu items of %zu bytes overflow", count, size);
        return NULL;
    }
    const size_t want = (count * size + align - 1) / align * align;
    block *b = block_with_room(a, want);
    if (!b)
        return NULL;
    void *p = b->data + b->used;
    b->used += want;
    a->handed_out += want;
    memset(p, 0, want);
    return p;
}

char *sc_arena_strndup(sc_arena *a, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? sc_arena_calloc(a, length + 1, 1) : NULL;
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

size_t sc_arena_bytes(const sc_arena *a)
{
    return a->handed_out;
}
