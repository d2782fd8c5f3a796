#ifndef MODEL_ARCH_ARCH_H
#define MODEL_ARCH_ARCH_H
/**
 * An accelerator as the counting engine and the mapper see it: a chain of storage levels, outermost
 * first, then compute. Plain data, no pointers: copied freely, compared and hashed by the caller.
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/arch/calibration.h"
#include "workloads/einsum.h"

enum { SC_MAX_LEVELS = 12, SC_LEAD_LEN = 8 };

/** Where a design may want a dimension first: along X or Y of a level's children, or in its tiles.
 */
enum { SC_LEAD_X, SC_LEAD_Y, SC_LEAD_TILE, SC_LEADS };

/**
 * One storage level. A level counts in one of two ways. word_bits > 0 (reference-tool files):
 * sizes, tiles and bandwidths are words of that width whatever the tensor. word_bits == 0 (our
 * templates): sizes are bytes, a tile takes its tensor's bits rounded up to bytes, bandwidths are
 * bytes a cycle.
 */
typedef struct sc_level {
    char name[SC_NAME_LEN];
    uint64_t instances;          /* on the whole chip, >= 1 */
    uint64_t fanout_x, fanout_y; /* children built under ONE instance along X and Y, >= 1 */
    bool bounded;                /* false: capacity is no limit (DRAM) */
    bool partitioned; /* true: a buffer a role, capacity[role]; false: capacity[0] shared */
    uint64_t capacity[SC_ROLES]; /* of one instance; 0 = nothing can be kept */
    double buffers;              /* >= 1; effective capacity = floor(capacity / buffers) */
    uint32_t word_bits;          /* see above */
    uint32_t block_bits;         /* one physical access moves so many bits; word_bits == 0 only */
    uint32_t block_words;        /* the same in words; word_bits > 0 only */
    uint32_t cluster_size; /* instances that share one access energy (reference files), >= 1 */
    uint32_t output_bits;  /* bits an output element takes here (wider partial sums); 0 = own */
    double compression[SC_ROLES]; /* elements of a role come and go in so many times fewer bits;
                                     0 = 1; word_bits == 0 only */
    double read_bw, write_bw, shared_bw; /* of one instance, per cycle; 0 = no limit */
    uint8_t may_keep, must_keep;         /* bit 1 << role */
    bool no_multicast; /* true: one access a child, though children share the word */
    bool no_reduction; /* true: children's partial sums are not added on the way up */
    bool no_overlap;   /* true: what is below waits while words come and go here: times add up */
    char lead[SC_LEADS][SC_LEAD_LEN]; /* dimension that mappings take first, of an op that has it;
                                         "" = any */
    double read_pj, write_pj, update_pj; /* one block access */
    double leak_pj;                      /* per cycle and instance */
    double gated[SC_ROLES]; /* share of a role's reads whose energy gating spares on average */
    double wire_pj; /* of read_pj and update_pj: the wires between one instance and its children */
} sc_level;

typedef enum sc_dataflow { SC_OS, SC_WS, SC_IS, SC_DATAFLOWS } sc_dataflow; /* which tensor stays */

typedef struct sc_compute {
    char name[SC_NAME_LEN];
    uint64_t instances;    /* MAC units on the chip */
    double mac_pj;         /* one multiply-accumulate */
    double gated;          /* share of them whose energy gating spares on average */
    uint64_t rows, cols;   /* of one systolic array; 0 = plain MACs under the innermost level */
    uint8_t dataflows;     /* bit 1 << sc_dataflow the array can run */
    bool double_buffered;  /* the next stationary tile loads while this one runs */
    uint32_t operand_bits; /* elements are at most so wide on this chip; 0 = the network's own */
    uint32_t mac_bits;     /* of the numbers that a MAC multiplies; 0 = not stated. Told only */
} sc_compute;

typedef struct sc_vector_unit {
    uint64_t lanes;    /* on the whole chip; 0 = no vector unit */
    double op_pj;      /* one lane operation (multiply-add class) */
    double special_pj; /* one exp, division or square root */
    bool in_line;      /* results of the array pass through the lanes on their way out */
} sc_vector_unit;

typedef struct sc_arch {
    uint32_t n_levels;
    sc_level level[SC_MAX_LEVELS]; /* 0 = outermost (DRAM) */
    sc_compute compute;
    sc_vector_unit vector;
    double clock_hz;
    uint64_t native_batch;      /* samples run together, >= 1 */
    sc_calibration calibration; /* of measured cycles; name "" = none */
} sc_arch;

/** Whether its MACs are one array as wide as high: the form that calibrations are of. */
static inline bool sc_arch_is_one_square(const sc_arch *a)
{
    const sc_compute *c = &a->compute;
    return c->rows > 0 && c->rows == c->cols && c->instances == c->rows * c->cols;
}
#endif
