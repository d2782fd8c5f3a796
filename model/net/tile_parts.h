#ifndef MODEL_NET_TILE_PARTS_H
#define MODEL_NET_TILE_PARTS_H
/** Shared by the maker of groups and what chooses among them. */
#include "model/net/residency_parts.h"
#include "model/net/tile_plan.h"

/** Runs of one shape: their front. */
typedef struct tile_shape {
    sc_hash128 hash;
    uint32_t run;      /* the first of them */
    size_t first, n;   /* points */
    double limit;      /* cycles that its ops take by themselves */
    double least_chip; /* of all tiles that fit, those of no point included */
} tile_shape;

/** Best way to run the ops before one. */
typedef struct tile_best {
    double cycles, dram_bytes;
    uint32_t run, point; /* the last step's; run = none: an op by itself */
} tile_best;

/** Steps between whose first and last a tensor lies in the buffer; from > to: it does not. */
typedef struct tile_span {
    size_t from, to;
} tile_span;

#define SC_TILE_NONE UINT32_MAX

struct sc_tiles {
    const sc_network *n;
    const sc_workload *w;
    size_t *first_reader, *last_reader; /* [ops] number of ops: none */
    size_t n_runs, n_shapes;
    sc_tile_run *run;  /* [n_runs] by last op */
    tile_shape *shape; /* [n_shapes] */
    size_t table_size; /* a power of 2 */
    uint32_t *table;   /* [table_size] 1 + shape, 0 = free */
    const sc_arch *a;
    const sc_op_cost *cost;
    const sc_mapping *mapping;
    const sc_cascades *cascades;
    sc_softmax_rule softmax;
    sc_tile_prices *prices;
    sc_tile_front *front; /* of the search at work */
    size_t n_points, most_points;
    sc_tile_point *points;
    sc_tiles_counts counts;
    size_t n_taken;
    sc_tile_taken *taken; /* [ops] */
    uint32_t *group_of;   /* [ops] 1 + taken, 0 = none */
    sc_op_cost *empty;    /* [ops] of members that are not the last */
    tile_best *best;      /* [ops + 1] */
    double *live;         /* [ops] bytes of tensors that stay */
    tile_span *span;      /* [inputs + ops] */
    size_t *used;         /* [inputs + ops] step that used a tensor last */
};

/** No member runs as a cascade or has a measured time, and no line is parted. */
bool sc_tiles__is_open(const sc_tiles *t, const sc_tile_run *r);
#endif
