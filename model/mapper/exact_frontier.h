#ifndef MODEL_MAPPER_EXACT_FRONTIER_H
#define MODEL_MAPPER_EXACT_FRONTIER_H
/**
 * Inside the exact mapper: partial mappings that have the same tile and keep the same at a level
 * have the same future; of those only the ones that no other beats in everything are followed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SC_FRONTIER_SIZES = 9 };

/** Partial mappings met with one spatial choice. */
typedef struct sc_frontier {
    uint32_t *head; /* [buckets] 1 + an entry; 0: none */
    struct sc_frontier_entry {
        uint64_t key;
        uint32_t next; /* 1 + an entry */
        double size[SC_FRONTIER_SIZES];
    } * entry; /* [room] */
    size_t n, room;
} sc_frontier;

/** @return false without memory. */
bool sc_frontier_init(sc_frontier *f);
void sc_frontier_clear(sc_frontier *f);
/** Forget all. */
void sc_frontier_reset(sc_frontier *f);

/**
 * Keep a partial mapping unless one with the same key is not larger in any size, and smaller in the
 * first by at least `margin`. Once the room is used up nothing more is kept.
 * @return false if it is beaten.
 */
bool sc_frontier_add(sc_frontier *f, uint64_t key, const double *size, double margin);
#endif
