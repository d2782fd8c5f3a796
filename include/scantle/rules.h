#ifndef SCANTLE_RULES_H
#define SCANTLE_RULES_H
/**
 * @file scantle/rules.h
 * @brief Switches of an evaluation, one for each part of the method, so that each can be measured
 * by leaving it out. The first choice of each is the default.
 */
#include <stddef.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

/** How ops are mapped. */
typedef enum sc_mapping_rule {
    SC_MAPPING_SEARCH, /**< the best mapping found */
    SC_MAPPING_PLAIN   /**< one by a fixed rule: docs/algorithms/plain_mapping.md */
} sc_mapping_rule;

/** Whether a dimension that does not divide may be padded to one that does. */
typedef enum sc_padding_rule {
    SC_PADDING_ON, /**< padded work is counted in full: docs/algorithms/padding.md */
    SC_PADDING_OFF /**< dimensions are split by their divisors alone, on the array and in time */
} sc_padding_rule;

/** How a softmax passes over its rows: docs/algorithms/softmax.md. */
typedef enum sc_softmax_rule {
    SC_SOFTMAX_BEST,  /**< whichever takes less time, then less energy; op by op */
    SC_SOFTMAX_THREE, /**< 5 accesses and 1 exp an element */
    SC_SOFTMAX_TWO    /**< 3 accesses and 3 exp an element */
} sc_softmax_rule;

/** Whether tensors stay in the chip's global buffer between ops: docs/algorithms/fusion.md. */
typedef enum sc_fusion_rule {
    SC_FUSION_OFF, /**< every op reads from the main memory and writes to it */
    SC_FUSION_ON   /**< the best choice of activations that stay and weights that are pinned */
} sc_fusion_rule;

/** Whether softmax(q k^T) v may run as one step: docs/algorithms/cascade.md. */
typedef enum sc_attention_rule {
    SC_ATTENTION_APART,  /**< two products and a softmax, the scores a tensor between them */
    SC_ATTENTION_CASCADE /**< in tiles that stay in the innermost buffer, where that is faster */
} sc_attention_rule;

/** Whether ops that follow one another may run tile by tile: docs/algorithms/fused_tiles.md. */
typedef enum sc_tiles_rule {
    SC_TILES_OFF, /**< what an op makes is whole before the next one begins */
    SC_TILES_ON   /**< in tiles that stay in the global buffer, where that is faster */
} sc_tiles_rule;

typedef struct sc_rules {
    sc_mapping_rule mapping;
    sc_padding_rule padding;
    sc_softmax_rule softmax;
    sc_fusion_rule fusion;
    sc_attention_rule attention;
    sc_tiles_rule tiles;
} sc_rules;
#define SC_RULES_INIT                                                                              \
    {                                                                                              \
        SC_MAPPING_SEARCH, SC_PADDING_ON, SC_SOFTMAX_BEST, SC_FUSION_OFF, SC_ATTENTION_APART,      \
            SC_TILES_OFF                                                                           \
    }

/** One rung of the ladder of ablations: the method up to one of its parts. */
typedef struct sc_rung {
    const char *name;  /**< of the part that it adds */
    const char *about; /**< what it adds, for people */
    sc_rules rules;
} sc_rung;

/**
 * The ladder, from the datapath alone (plain mapping, no padding, softmax in three passes, no
 * fusion) over `mapping`, `padding` and `fusion` to `softmax`, the steps of Zhang et al.,
 * ASPLOS'22, doi:10.1145/3503222.3507767, in a fixed order; then `attention` and `tiles`, which go
 * past them to the whole method. Each rung changes one switch of the one before.
 * @return the i-th rung, NULL past the end. Threads: safe.
 */
SC_API const sc_rung *sc_rung_at(size_t i);
#ifdef __cplusplus
}
#endif
#endif
