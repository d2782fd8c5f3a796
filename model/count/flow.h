#ifndef MODEL_COUNT_FLOW_H
#define MODEL_COUNT_FLOW_H
/** Inside the counting room: what one tensor's level serves to its children, and what becomes of it
 *  when levels keep nothing. */
#include "model/count/groups.h"
#include "model/count/slide.h"

/** One tensor of one mapping, and all it is counted with. */
typedef struct sc_flow_input {
    const sc_count_plan *plan;
    const sc_arch *arch;
    const sc_mapping *mapping;
    const sc_count_options *options;
    const sc_nest *nest;
    const sc_moves *moves; /* of the tensor; NULL if plain and no links */
    unsigned tensor;
} sc_flow_input;

/** Words one instance of a level serves over the whole run, by how many children share them. */
typedef struct sc_served_words {
    unsigned n;
    struct sc_served_size {
        uint64_t children, groups;
        double words;
    } at[64];
    double other, other_weighted; /* what found no room above: words, words * children */
    double linked;                /* words the children hand to each other */
} sc_served_words;

/** Exact whole numbers, when every child of a level is served alike. Per instance of level l. */
typedef struct sc_flow {
    uint64_t child[SC_MAX_LEVELS];   /* words one child receives */
    uint64_t groups[SC_MAX_LEVELS];  /* accesses that serve one word to all children */
    uint64_t content[SC_MAX_LEVELS]; /* accesses of level l */
    /* Averages that need not be whole: the fields above are then not used further. */
    bool uneven;
    uint64_t plain[SC_MAX_LEVELS]; /* of child: what does not come over links */
    sc_served_words served[SC_MAX_LEVELS];
} sc_flow;

/** Fill `flow` for all levels. Sets *overflow past 2^64. */
void sc_flow_build(sc_flow *flow, const sc_flow_input *in, bool *overflow);

/** The part of the whole output that falls to one instance of each level, by tile sizes. */
void sc_flow_partitions(uint64_t *out, const sc_flow_input *in);

/** Turn a flow into reads, fills and updates of every level: out[l] of the tensor. */
void sc_flow_even(sc_access (*out)[SC_MAX_TENSORS], sc_flow *flow, const sc_flow_input *in,
                  bool *overflow);
/** The same in double arithmetic, in the order of operations the reference uses, so that its
 *  rounding is met. Exact below 2^53. */
void sc_flow_uneven(sc_access (*out)[SC_MAX_TENSORS], sc_flow *flow, const sc_flow_input *in);
#endif
