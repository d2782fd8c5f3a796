#ifndef MODEL_NET_OP_COST_H
#define MODEL_NET_OP_COST_H
/** What one op costs on one design, in cycles, bytes and picojoules; without names, so that ops of
 * the same shape share one. */
#include "core/hash.h"
#include "model/arch/arch.h"
#include "model/mapper/mapper.h"
#include "scantle/rules.h"
#include "workloads/graph.h"

enum { SC_BOUND_COMPUTE = -1, SC_BOUND_VECTOR = -2 };

/** How an op is run where there is a choice; the cheaper one is taken, by lanes against bandwidth.
 */
typedef enum sc_variant {
    SC_VARIANT_NONE,
    SC_VARIANT_THREE_PASS, /* softmax: 5 accesses and 1 exp an element */
    SC_VARIANT_TWO_PASS,   /* softmax: 3 accesses and 3 exp an element */
    SC_VARIANTS
} sc_variant;

/** What one way to run an op would cost. */
typedef struct sc_way {
    double cycles, energy_pj;
} sc_way;

const char *sc_variant_name(sc_variant v); /* "", "three-pass", "two-pass" */

enum { SC_SLOTS = 3 }; /* input, weight or parameters, output */

/** What an op moves at the two outermost levels, in bytes of the whole chip, by slot: what fusion
 *  looks at. */
typedef struct sc_op_traffic {
    double read[2][SC_SLOTS], written[2][SC_SLOTS];
    double filled[SC_SLOTS]; /* of written[1]: brought in from the outermost level */
    double tile[SC_SLOTS];   /* that level 1 keeps of the tensor at once, 0 = none */
    double rows;             /* that lanes keep there for later passes */
    double again, twice;     /* of read[0][0] and written[0][2]: by later passes over rows, which no
                                buffer holds */
    double first[SC_SLOTS];  /* of the first tiles, for which everything waits */
    uint8_t through;         /* bit 1 << slot: on its way it passes level 1 */
} sc_op_traffic;

typedef struct sc_op_cost {
    sc_misfit misfit;      /* code != SC_FITS: the op cannot run; the rest is 0 */
    double cycles;         /* with the prefill */
    double compute_cycles; /* of the array or the lanes alone */
    double prefill_cycles; /* until the first tile has arrived from the outermost level */
    double lower_bound_cycles;
    int bound;         /* level that sets the time, or SC_BOUND_* */
    double energy_pj;  /* dynamic, whole chip */
    double compute_pj; /* of it, MACs or lanes */
    double tensor_pj[SC_MAX_LEVELS][SC_MAX_TENSORS];
    double level_bytes[SC_MAX_LEVELS];  /* read and written at the level, whole chip */
    double level_cycles[SC_MAX_LEVELS]; /* that its bandwidth alone asks for, 0 = no limit */
    uint32_t serial;         /* bit 1 << level: its cycles overlap with no others and add to them */
    double compulsory_bytes; /* every operand in once, every result out once, at the outermost */
    double modelled_cycles;  /* where a calibration gives `cycles`: without it; else 0 */
    sc_variant variant;
    sc_op_traffic traffic;
    sc_way ways[SC_VARIANTS];     /* of an op with a variant: each of them */
    uint64_t padded[SC_MAX_DIMS]; /* of a MAC op: the bounds that its factors multiply to */
    uint64_t evaluations;
} sc_op_cost;

/** How ops are run. */
typedef struct sc_cost_options {
    uint64_t map_budget; /* evaluations of the mapper, 0 = its default */
    uint64_t map_nodes;  /* partial mappings of the exact search after it; 0 = none */
    sc_rules rules;
} sc_cost_options;

/** Names of the tensors of tensor_pj, by index, for an op of this kind: inputs first, output last.
 */
void sc_op_tensor_names(const char *names[SC_MAX_TENSORS], const sc_op *op);

/** As sc_op_einsum(), with no tensor wider than the chip's own operands. */
sc_status sc_op_einsum_on(sc_einsum *out, const sc_op *op, const sc_arch *a) SC_MUST_USE;

/** Bits of an element of the op on this chip. */
uint32_t sc_op_bits_on(const sc_op *op, const sc_arch *a);

/** What the mapper is told of an op beside its einsum. */
sc_map_options sc_op_map_options(const sc_op *op, const sc_einsum *e, const sc_cost_options *with);

/** Share of the input's bounding box that is not zero padding, in (0, 1]. */
double sc_op_input_share(const sc_op *op, const sc_einsum *e);

/**
 * Cost of a MAC op under the mapper's best mapping (or of a vector or movement op on the lanes).
 * Time of a MAC op: max(array with ramps, each level's bandwidth) + prefill (model.md section 5).
 * @return SC_OK; SC_ERANGE. Threads: safe. Allocates nothing.
 */
sc_status sc_op_cost_of(sc_op_cost *out, const sc_op *op, const sc_arch *a,
                        const sc_cost_options *o) SC_MUST_USE;

/** The same, and the mapping it is of; untouched where the op is no MAC op or does not fit.
 *  @param mapping  NULL: not asked for. */
sc_status sc_op_cost_with_mapping(sc_op_cost *out, sc_mapping *mapping, const sc_op *op,
                                  const sc_arch *a, const sc_cost_options *o) SC_MUST_USE;

/** A MAC op whose mapping is already known. Where the design has a calibration and the op a form it
 *  is of, `cycles` are measured ones: bound, bytes and energy stay the model's. */
void sc_op_cost_mapped(sc_op_cost *out, const sc_mapped *m, const sc_arch *a);

/** Cost on the vector lanes and the memories: elementwise, pooling, softmax, norms, gathers,
 *  movement. A design without lanes is a misfit of code SC_MISFIT_KEEP at level -1.
 *  @param softmax  how one is run; both ways are priced. */
void sc_vector_cost_of(sc_op_cost *out, const sc_op *op, const sc_arch *a, sc_softmax_rule softmax);

/** Names an op's shape and precision: equal for ops that cost the same on every design. */
sc_status sc_op_shape_hash(sc_hash128 *out, const sc_op *op) SC_MUST_USE;
#endif
