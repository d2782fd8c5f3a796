#ifndef MODEL_NET_MEMORY_H
#define MODEL_NET_MEMORY_H
/** What a network keeps in the main memory while it runs, and whether a design's has the room. See
 * docs/algorithms/network.md. */
#include "model/arch/arch.h"
#include "workloads/graph.h"

/** Bytes. */
typedef struct sc_memory_need {
    double weights;     /* parameters of all ops */
    double cache;       /* keys and values of earlier positions */
    double activations; /* most that is alive at once: made, and still to be read */
    double have;        /* room of the outermost level; 0 = not stated, taken as unbounded */
} sc_memory_need;

/** When each tensor of a network is read for the last time. */
typedef struct sc_memory_plan sc_memory_plan;

/** @param w  kept, not copied. @return SC_OK or SC_ENOMEM. Cost: O(ops + operands). */
sc_status sc_memory_plan_create(sc_memory_plan **out, const sc_workload *w) SC_MUST_USE;
void sc_memory_plan_destroy(sc_memory_plan *p); /* NULL is fine */

/**
 * Ops run one after the other; a tensor takes its room from the op that makes it to the last that
 * reads it, a network input from the start, a result that nobody reads to the end. Elements are as
 * wide as the op that makes them is on this chip. Nothing is overwritten in place.
 * Threads: safe. Allocates nothing. Cost: O(ops).
 */
void sc_memory_need_of(sc_memory_need *out, const sc_memory_plan *p, const sc_arch *a);

/** Bytes by which it does not fit; 0 = it does, or nobody says how much there is. */
double sc_memory_over(const sc_memory_need *n);
#endif
