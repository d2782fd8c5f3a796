#ifndef MODEL_NET_TILE_GROUP_H
#define MODEL_NET_TILE_GROUP_H
/**
 * A group: ops that follow one another, run tile by tile of the last one's result, what they make
 * for each other never whole. Its tiles, halos, room in the global buffer and time. See
 * docs/algorithms/fused_tiles.md. Alwani et al., MICRO'16, doi:10.1109/MICRO.2016.7783725 (halos
 * kept or made again); Mei et al., DeFiNES, HPCA'23, arXiv:2212.05344 (modes by axis).
 */
#include "model/net/tile_op.h"

enum { SC_TILE_MEMBERS = 12, SC_TILE_OUTSIDE = 16, SC_TILE_OPERANDS = 4 };

/** What one operand of a member is. */
typedef struct sc_tile_edge {
    bool inside;
    uint8_t from; /* member that makes it; else place among `outside` */
} sc_tile_edge;

/** What the group reads: one part of one tensor. Equal parts of a tensor that is read in full are
 *  one; other parts are each their own. */
typedef struct sc_tile_outside {
    int32_t producer; /* as in sc_operand; -1 - i: input i of the network */
    bool full;        /* all of it is read */
    sc_shape shape;   /* of one sample */
    double width;     /* bytes of an element */
} sc_tile_outside;

/** A directed graph of members in execution order. All but the last have a reader inside. */
typedef struct sc_tile_group {
    const sc_arch *a;
    sc_softmax_rule softmax;
    uint64_t batch;
    uint32_t n;
    const sc_op *op[SC_TILE_MEMBERS];
    const sc_mapping *mapping[SC_TILE_MEMBERS]; /* of the whole op */
    const sc_mapping *sample[SC_TILE_MEMBERS];  /* of one sample on sc_tile_inside(); NULL: none */
    uint32_t unique[SC_TILE_MEMBERS];           /* equal for members of equal shape */
    sc_tile_edge edge[SC_TILE_MEMBERS][SC_TILE_OPERANDS];
    bool leaves[SC_TILE_MEMBERS];          /* ops outside read it as well */
    uint32_t last_reader[SC_TILE_MEMBERS]; /* member; its own place: none inside */
    uint32_t n_outside;
    sc_tile_outside outside[SC_TILE_OUTSIDE];
    double width[SC_TILE_MEMBERS];   /* bytes of an element of the result */
    double least[SC_TILE_MEMBERS];   /* cycles of the chip that the op takes in any tiles */
    double weights[SC_TILE_MEMBERS]; /* bytes of weights or parameters; 0 = none */
} sc_tile_group;

/** Tiles of the last op's result, and how they are run. */
typedef struct sc_tile_choice {
    uint64_t batch;                /* samples */
    uint64_t extent[SC_TILE_AXES]; /* rows, columns */
    bool again[SC_TILE_AXES];      /* halos along the axis are made again, not kept */
    uint32_t stay;                 /* bit 1 << member: weights stay for all tiles; else they come
                                      from the main memory at each call */
} sc_tile_choice;

/** One tensor of a tile along an axis. */
typedef struct sc_tile_span {
    uint64_t held;  /* positions that lie in the buffer together */
    uint64_t fresh; /* of them made, or fetched, anew in a tile */
    uint64_t calls; /* how often that many are made, for the whole axis; 1 where it is not cut */
    uint64_t read;  /* positions that come from outside, over all tiles */
} sc_tile_span;

/** The tiles of a choice: room and calls, before any price. */
typedef struct sc_tile_shape {
    double tiles;
    uint64_t batch, rounds; /* samples of a tile; how many such for the batch */
    sc_tile_span inside[SC_TILE_MEMBERS][SC_TILE_AXES];
    sc_tile_span outside[SC_TILE_OUTSIDE][SC_TILE_AXES];
    double calls[SC_TILE_MEMBERS];
    double read[SC_TILE_OUTSIDE]; /* bytes from the main memory, halos fetched again included */
    double in_bytes, out_bytes;   /* room of operands from outside, and of the result */
    double first_bytes;           /* of the first tile's operands from outside */
    double kept_bytes;            /* of what passes inside: halos that stay from tile to tile */
    double live_bytes[SC_TILE_MEMBERS]; /* and at a member's turn what is passed on */
    double left_bytes; /* written to the main memory of results that leave, the last one's not */
} sc_tile_shape;

/** What the last one writes. */
double sc_tile_result_bytes(const sc_tile_group *g);

/** @return false if the group cannot be cut so. Allocates nothing. Cost: O(operands). */
bool sc_tile_shape_of(sc_tile_shape *out, const sc_tile_group *g, const sc_tile_choice *w);

/** Whether the group can be cut along an axis: every member and all that passes between them. */
bool sc_tile_may_cut(const sc_tile_group *g, int axis);

/** Whether any halo arises along an axis: kept or made again then differ. */
bool sc_tile_has_halo(const sc_tile_group *g, int axis);

/** What a group takes as one step. */
typedef struct sc_tile_lines {
    double bytes;        /* room: all of the below, weights included */
    double weight_bytes; /* of it weights, or their blocks */
    double inside_bytes; /* of it what passes from member to member */
    double chip;         /* sum over calls of the longer of chip and buffer: members take turns */
    double in_read, weight_once, weight_again, other_read; /* from the main memory, bytes */
    double out_written, other_written;
    double buffer_read[SC_SLOTS], buffer_written[SC_SLOTS]; /* of the buffer, fills left out */
    double weight_filled;       /* written to the buffer on the way in */
    double first, weight_first; /* bytes of the first tile that everything waits for */
    double tiles;
} sc_tile_lines;

/** Lines of a choice. @param cost  [n] of one call each; all fit. */
void sc_tile_lines_of(sc_tile_lines *out, const sc_tile_group *g, const sc_tile_shape *s,
                      const sc_tile_cost *cost, uint32_t stay);

/** Cycles of the step: the first tile with weights that stay on their way, then the others; in each
 *  the longest of chip and limits. */
double sc_tile_cycles(const sc_tile_lines *l, const sc_arch *a);

/** What all calls move at the main memory, bytes. */
double sc_tile_dram_bytes(const sc_tile_lines *l);

/** The extents of one call of a member. */
void sc_tile_call(uint64_t extent[SC_TILE_AXES], const sc_tile_shape *s, uint32_t member);

/**
 * One call of a member: of several samples by the faster of the whole op's mapping, cut, and the
 * sample's, cut and run for one sample after another; of one sample by the sample's.
 * @param[out] c  of one of `times` runs; NULL: not asked for. @param[out] cost  of all of them.
 * @return SC_OK; SC_ERANGE.
 */
sc_status sc_tile_call_price(sc_tile_cost *cost, sc_op_cost *c, double *times,
                             const sc_tile_group *g, uint32_t member, uint64_t batch,
                             const uint64_t extent[SC_TILE_AXES]) SC_MUST_USE;

/** The whole group as one op of the slots in, weights, result. @return SC_OK; SC_ERANGE. */
sc_status sc_tile_group_cost(sc_op_cost *out, const sc_tile_group *g,
                             const sc_tile_choice *w) SC_MUST_USE;
#endif
