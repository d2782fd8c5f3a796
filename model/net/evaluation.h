#ifndef MODEL_NET_EVALUATION_H
#define MODEL_NET_EVALUATION_H
/** What stands behind the opaque sc_evaluation: shared by its maker and its JSON writer. */
#include "core/json.h"
#include "core/mem.h"
#include "model/net/fused.h"

/** A bound as people name it: "compute", "vector" or the level. */
const char *sc_bound_name(const sc_evaluation *e, int bound);

/** Of an op's result. */
typedef struct sc_op_extent {
    uint64_t rows, columns;
} sc_op_extent;

/** One op with everything its row shows. */
typedef struct sc_op_detail {
    sc_op_result row;
    const sc_op_cost *cost;  /* in the evaluation's arena, ops of one shape share it; with fusion
                                those of the fused network */
    double plain_cycles;     /* without fusion, by itself */
    double plain_dram_bytes; /* the same */
    sc_op_extent extent;
    const sc_einsum *einsum; /* of a MAC op that runs, in the arena; else NULL */
    const char *tensors[SC_MAX_TENSORS];
    bool lanes; /* it runs on the vector unit, not on the array */
} sc_op_detail;

struct sc_evaluation {
    sc_arena *arena;
    const char *design, *spec, *workload;
    uint64_t batch;
    double clock_hz;
    uint32_t network_bits, element_bits; /* widest element of a MAC op: the network's, the chip's */
    uint32_t mac_bits;                   /* of what a MAC multiplies, 0 = not stated */
    sc_calibration calibration;          /* name "": none */
    sc_rules rules;
    double padding;        /* share of all MACs done that are padding */
    sc_fused *fused;       /* fusion is on; else NULL */
    sc_tiles *tiles;       /* ops may run tile by tile; else NULL */
    sc_cascades *cascades; /* attention may run as cascades; else NULL */
    size_t n_inputs;
    const char **input_names; /* [n_inputs] of the network */
    sc_network_result result;
    uint32_t n_levels;
    const char *level_names[SC_MAX_LEVELS];
    size_t n_reasons;
    sc_reason *reasons; /* [n_reasons] */
    size_t n_ops;
    sc_op_detail *ops; /* [n_ops], execution order */
};

/** Which attention ran as cascades, with which tiles; null where it may not. */
json_t *sc_cascades_json(const sc_evaluation *e, bool *ok);

/** Which ops ran tile by tile, with which tiles; null where they may not. */
json_t *sc_tiles_json(const sc_evaluation *e, bool *ok);

/** Where each tensor lives, cycles before and after, the bound; null without fusion. */
json_t *sc_fused_json(const sc_evaluation *e, bool *ok);
#endif
