#ifndef MODEL_NET_TILE_OP_H
#define MODEL_NET_TILE_OP_H
/**
 * One op on a part of its result: some samples, rows and columns. Along which axes an op may be
 * cut, what of its operands a part needs, and what the part costs where all of its operands lie in
 * the global buffer. See docs/algorithms/fused_tiles.md.
 */
#include "model/net/op_cost.h"

/** Axes of a tile beside the batch: rows (h; tokens of a sequence) and columns (w). */
enum { SC_TILE_ROWS, SC_TILE_COLUMNS, SC_TILE_AXES };

/** What a part of the result needs of an operand along an axis. */
typedef enum sc_tile_reach {
    SC_TILE_BARRED, /* the op is not cut along the axis */
    SC_TILE_WHOLE,  /* all of the operand, whatever the part */
    SC_TILE_WINDOW  /* results [lo, hi) need [lo * stride - pad, (hi - 1) * stride - pad + kernel)
                     */
} sc_tile_reach;

typedef struct sc_tile_window {
    sc_tile_reach reach;
    uint64_t kernel, stride, pad; /* kernel: from the first tap to the last */
} sc_tile_window;

/** Whether an op may be in a group at all: not recurrent, no gather, nothing cached. */
bool sc_tile_may(const sc_op *op);

sc_tile_window sc_tile_window_of(const sc_op *op, size_t operand, int axis);

/** Extent of the result, and of what is read of an operand, along an axis. */
uint64_t sc_tile_out(const sc_op *op, int axis);
uint64_t sc_tile_in(const sc_op *op, size_t operand, int axis);

/** The op with a smaller result. Operands, name and spec are the op's own.
 *  @param extent  [SC_TILE_AXES], at most the op's, smaller only along axes it may be cut. */
void sc_tile_part(sc_op *out, const sc_op *op, uint64_t batch, const uint64_t extent[SC_TILE_AXES]);

/** What one call of a member, an op on a part, takes; bytes of the whole chip. */
typedef struct sc_tile_cost {
    bool fits;
    double chip_cycles;                /* array or lanes, and the levels inside the buffer */
    double read[SC_SLOTS];             /* from the buffer, operands and result there */
    double written[SC_SLOTS];          /* to the buffer; fills of operands left out */
    double dram_read, dram_written;    /* rows that turn back at the main memory all the same */
    double weight_read, weight_filled; /* weights from the main memory, through the buffer */
    double weight_through;             /* read from the buffer where they are so streamed */
    double weight_block;               /* room of what the mapping keeps of them there */
    double weight_first;               /* that work waits for */
    double rows;                       /* room of rows that lanes keep there */
} sc_tile_cost;

/**
 * A part as an op: a MAC op runs the mapping of the whole op, each factor of what is cut reduced
 * to what is left for it, from the innermost loop outwards (padding counted); lanes as ever.
 * @param mapping  of the whole op; not looked at for lanes.
 * @return SC_OK, also where it does not fit (misfit); SC_ERANGE. Allocates nothing. Cost: some 2
 * us.
 */
sc_status sc_tile_price(sc_op_cost *out, const sc_op *op, const sc_mapping *mapping, uint64_t batch,
                        const uint64_t extent[SC_TILE_AXES], const sc_arch *a,
                        sc_softmax_rule softmax) SC_MUST_USE;

/** The design as a mapper sees it for parts whose operands lie in the buffer: the main memory sets
 *  no pace. */
sc_arch sc_tile_inside(const sc_arch *a);

/** What a group needs to know of it. Level 1 is the buffer. */
void sc_tile_cost_of(sc_tile_cost *out, const sc_op *op, const sc_op_cost *c, const sc_arch *a);

/** Cycles of so many bytes at the limits of a level. */
double sc_tile_level_cycles(const sc_level *l, double read, double written);
#endif
