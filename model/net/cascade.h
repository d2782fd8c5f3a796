#ifndef MODEL_NET_CASCADE_H
#define MODEL_NET_CASCADE_H
/**
 * Attention as one step: softmax(q k^T) v in tiles of some query rows and some keys, so that no
 * score leaves the innermost buffer. Time, traffic and energy of a choice of tiles, and the best
 * choice. See docs/algorithms/cascade.md. Milakov, Gimelshein, arXiv:1805.02867 (running maximum
 * and sum); Dao et al., arXiv:2205.14135 (rescaled partial results).
 */
#include "model/net/op_cost.h"

/** The products of one softmax on one design. */
typedef struct sc_cascade {
    const sc_arch *a;
    uint64_t heads;              /* sets of keys and values: batch times their heads */
    uint64_t rows;               /* queries of a set, of all heads that share it */
    uint64_t keys;               /* scores of a row */
    uint64_t width, value_width; /* of a query and a key; of a value and a result */
    sc_tensor q, k, s, p, v, o;  /* scores s and p before and behind the exp */
    int inner;                   /* level of the tiles */
    uint64_t units;              /* its instances */
    uint64_t arrays;             /* under one of them; 1 for plain MACs */
    uint64_t across_x, across_y; /* columns and rows of an array, or plain MACs */
    double lanes;                /* under one instance */
} sc_cascade;

/** How it runs. Each unit takes one set of keys at a time and block after block of its rows. */
typedef struct sc_cascade_choice {
    uint64_t queries, keys;      /* of a tile */
    uint64_t beside;             /* units on different rows of one set; divides units */
    int home;                    /* level that keys and values of the sets at work are read from
                                    again, 0 = the outermost */
    int stages;                  /* tiles of scores: 1: array and lanes take turns, 2: overlap */
    sc_dataflow scores, context; /* of both products on an array */
} sc_cascade_choice;

/** @return false if the ops, or the design, are not of the form in docs/algorithms/cascade.md. */
bool sc_cascade_init(sc_cascade *out, const sc_op *qk, const sc_op *softmax, const sc_op *av,
                     const sc_arch *a);

/** Whether the tiles fit the innermost buffer, and keys and values their home. */
bool sc_cascade_fits(const sc_cascade *c, const sc_cascade_choice *w);

/** Cost of a choice that fits, as one op of the slots q; k and v; result. Scores count at the
 *  innermost buffer as input (p) and output (s). Allocates nothing. */
void sc_cascade_cost(sc_op_cost *out, const sc_cascade *c, const sc_cascade_choice *w);

/** Dataflows that either product may take. @param[out] flow  [SC_DATAFLOWS]. @return how many; of
 *  plain MACs one, which is a name only. */
int sc_cascade_dataflows(sc_dataflow *flow, const sc_cascade *c);

/** Cycles below which no dataflows, home or stages bring these tiles, side by side like that. */
double sc_cascade_floor(const sc_cascade *c, uint64_t queries, uint64_t keys, uint64_t beside);

typedef struct sc_cascade_best {
    bool found; /* some tiles fit */
    sc_cascade_choice choice;
    sc_op_cost cost;
    uint64_t choices; /* of the space */
    uint64_t priced;  /* of them; a bound, or the buffers, ruled out the others */
} sc_cascade_best;

/**
 * Least cycles, then least energy, then first, over all of: tiles that cut rows and keys into equal
 * parts (all of different size up to SC_CASCADE_PARTS of them; else into 2^i and 3 * 2^i parts),
 * units beside, homes, stages, dataflows. Exhaustive: the optimum of that space. Cost: 0.3 ms
 * in the median, some 30 at most. Threads: safe. Allocates nothing.
 */
void sc_cascade_search(sc_cascade_best *out, const sc_cascade *c);

enum { SC_CASCADE_PARTS = 32 };
#endif
