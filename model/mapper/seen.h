#ifndef MODEL_MAPPER_SEEN_H
#define MODEL_MAPPER_SEEN_H
/** Inside the heuristic mapper: what mappings of one op on one design scored, so that none is
 * counted again soon after. */
#include "model/count/mapping.h"

enum { SC_SEEN = 4096 };

/** Each mapping has one place, by its name; the newer one stays. All zeros: empty. */
typedef struct sc_seen {
    uint64_t name[SC_SEEN][2]; /* 128-bit hash; 0, 0: free */
    double cycles[SC_SEEN], energy_pj[SC_SEEN];
} sc_seen;

/** Where a mapping is remembered: its place, and whether it is there. */
typedef struct sc_seen_at {
    uint64_t name[2];
    unsigned place;
    bool known;
} sc_seen_at;

/** Look a mapping up. Loops of one iteration make no difference. Cost: some 50 ns. */
sc_seen_at sc_seen_find(const sc_seen *s, const sc_mapping *m);

/** Remember what it scored. */
void sc_seen_put(sc_seen *s, const sc_seen_at *at, double cycles, double energy_pj);
#endif
