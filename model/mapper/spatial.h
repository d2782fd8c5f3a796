#ifndef MODEL_MAPPER_SPATIAL_H
#define MODEL_MAPPER_SPATIAL_H
/** Which dimensions lie on the array and on the grid of processing elements: candidates, best
 * first. */
#include "model/mapper/array.h"
#include "model/mapper/limits.h"

typedef struct sc_spatial {
    sc_loops loops[SC_MAX_LEVELS]; /* of the spatial block under each level */
    uint8_t split[SC_MAX_LEVELS], diagonal[SC_MAX_LEVELS];
    uint64_t steps[SC_MAX_DIMS]; /* temporal iterations left: ceil(bound / spatial extent), with
                                    limits also of what loops in time start from */
    sc_dataflow dataflow;        /* SC_DATAFLOWS without an array */
    bool divisors;               /* factors divide the steps that they share out */
    double cycles; /* least possible with this choice, ramps of short passes included */
    double words;  /* words into the grid if nothing were reused in time */
    bool broken;   /* a factor asked for has no room: no choice */
} sc_spatial;

enum {
    SC_SPATIAL_OF_DATAFLOW = 3, /* which dataflow is best shows only in the tiles it allows */
    SC_MAX_SPATIAL = SC_SPATIAL_OF_DATAFLOW * SC_DATAFLOWS
};

/** The best distinct choices of each dataflow, sorted by (cycles, words, found first).
 *  @param floor_cycles  choices faster than this count as equally fast (memory sets the pace).
 *  @param divisors      no dimension is padded: factors divide the bounds.
 *  @return how many, 0 if none fits the innermost buffer even one element at a time; then *misfit
 *          says by how much the last try missed. Allocates nothing.
 *  @param limits  every choice obeys them; NULL: none. */
int sc_spatial_choices(sc_spatial out[SC_MAX_SPATIAL], sc_misfit *misfit, const sc_einsum *e,
                       const sc_arch *a, double floor_cycles, bool divisors,
                       const sc_limits *limits);

/** Whether two choices lay the op out alike. */
bool sc_spatial_same(const sc_spatial *x, const sc_spatial *y, const sc_einsum *e);
#endif
