#ifndef MODEL_MAPPER_SCORED_H
#define MODEL_MAPPER_SCORED_H
/** Inside the heuristic mapper: what mappings of one op on one design scored, so that none is
 * counted again soon after. */
#include "model/count/mapping.h"

enum { SC_SCORED = 2048 };

/** Each mapping has one place, by its name; the newer one stays. */
typedef struct sc_scored {
    uint64_t name[SC_SCORED][2]; /* 128-bit hash; 0, 0: free */
    double cycles[SC_SCORED], energy_pj[SC_SCORED];
} sc_scored;

/** Where a mapping is remembered: its place, and whether it is there. */
typedef struct sc_scored_at {
    uint64_t name[2];
    unsigned place;
    bool known;
} sc_scored_at;

/** Forget all. */
void sc_scored_clear(sc_scored *s);

/** Look a mapping up. Loops of one iteration make no difference. Cost: some 50 ns. */
sc_scored_at sc_scored_find(const sc_scored *s, const sc_mapping *m);

/** Remember what it scored. */
void sc_scored_put(sc_scored *s, const sc_scored_at *at, double cycles, double energy_pj);
#endif
