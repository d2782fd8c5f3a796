#include "core/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long fail_countdown = -1;
static atomic_long live;

void sc_mem_fail_after(long countdown)
{
    atomic_store(&fail_countdown, countdown);
}

long sc_mem_live(void)
{
    return atomic_load(&live);
}

static int injected_failure(void)
{
    return atomic_load(&fail_countdown) >= 0 && atomic_fetch_sub(&fail_countdown, 1) == 0;
}

static void *no_memory(size_t size)
{
    sc_fail(SC_ENOMEM, "no memory for %zu bytes", size);
    return NULL;
}

static int overflows(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size;
}

void *sc_malloc(size_t size)
{
    void *p = injected_failure() ? NULL : malloc(size ? size : 1);
    if (!p)
        return no_memory(size);
    atomic_fetch_add(&live, 1);
    return p;
}

void *sc_calloc(size_t count, size_t size)
{
    if (overflows(count, size))
        return no_memory(SIZE_MAX);
    void *p = sc_malloc(count * size);
    if (p)
        memset(p, 0, count * size);
    return p;
}

void *sc_realloc_array(void *p, size_t count, size_t size)
{
    if (!p)
        return overflows(count, size) ? no_memory(SIZE_MAX) : sc_malloc(count * size);
    if (overflows(count, size))
        return no_memory(SIZE_MAX);
    const size_t wanted = count * size;
    const size_t bytes = wanted ? wanted : 1;
    void *q = injected_failure() ? NULL : realloc(p, bytes);
    return q ? q : no_memory(bytes);
}

char *sc_strdup(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = sc_malloc(n);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

void sc_free(void *p)
{
    if (p) {
        atomic_fetch_sub(&live, 1);
        free(p);
    }
}

void sc_release(void *p)
{
    sc_free(p);
}
