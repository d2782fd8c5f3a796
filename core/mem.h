#ifndef CORE_MEM_H
#define CORE_MEM_H
/**
 * Heap and arena. Every allocation of the library goes through sc_malloc and its kin, so that a
 * test can make the n-th one fail and can check that nothing leaks.
 */
#include <stddef.h>

#include "scantle/error.h"

/** @return memory, or NULL with SC_ENOMEM recorded. A size of 0 gives a unique pointer.
 *  sc_calloc and sc_realloc_array check count * size for overflow. Thread-safe. */
void *sc_malloc(size_t size);
void *sc_calloc(size_t count, size_t size);
void *sc_realloc_array(void *p, size_t count, size_t size); /**< p survives a failure */
char *sc_strdup(const char *text);
void sc_free(void *p); /**< NULL is fine */

/** Test seam. When countdown reaches zero that allocation fails once; negative = never. */
void sc_mem_fail_after(long countdown);
long sc_mem_live(void); /**< allocations not yet freed */

/** Bump allocator for everything one import or one evaluation needs; freed as a whole.
 *  Not thread-safe: one arena, one thread. */
typedef struct sc_arena sc_arena;
sc_status sc_arena_create(sc_arena **out, size_t block_bytes) SC_MUST_USE;
void sc_arena_destroy(sc_arena *a); /**< NULL is fine */
/** @return count*size zeroed bytes aligned for any type, or NULL with the failure recorded. */
void *sc_arena_calloc(sc_arena *a, size_t count, size_t size);
char *sc_arena_strndup(sc_arena *a, const char *text, size_t length);
size_t sc_arena_bytes(const sc_arena *a); /**< bytes handed out so far */
#endif
