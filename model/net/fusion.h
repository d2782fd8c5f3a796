#ifndef MODEL_NET_FUSION_H
#define MODEL_NET_FUSION_H
/**
 * Fusion as residency: which activations stay in the global buffer between the steps that make and
 * read them, and which weights are pinned there for good, so that the steps take least time. A
 * combinatorial problem of its own, without networks or designs, solved exactly with a bound. See
 * docs/algorithms/fusion.md. Zhang et al., ASPLOS'22, doi:10.1145/3503222.3507767, section on
 * fusion.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

/** A step takes the longest of some lines, in cycles: what the chip needs, what each limit of
 *  traffic asks for. Each is a constant plus what its operands change. */
enum { SC_FUSION_MAX_LINES = 12 };

/** What changes when an operand of a step is served by the buffer instead of the main memory. */
typedef struct sc_fusion_gain {
    double cycles[SC_FUSION_MAX_LINES]; /* taken off each line; negative: the line grows */
    double dram_bytes;                  /* no longer moved, >= 0 */
    double block_bytes; /* of the step's working blocks that are part of the resident tensor, in
                           [0, bytes of the tensor] */
    double
        hold[SC_FUSION_MAX_LINES]; /* cycles added to each line where the tensor stays in the
                        buffer after the step, though the step itself was not served by it; >= 0 */
} sc_fusion_gain;

typedef struct sc_fusion_read {
    uint32_t tensor;
    sc_fusion_gain gain;
} sc_fusion_read;

typedef struct sc_fusion_step {
    double cycles[SC_FUSION_MAX_LINES]; /* nothing resident, >= 0 */
    double work_bytes;                  /* working blocks in the buffer, nothing resident */
    double weight_bytes;                /* in the buffer when pinned; 0 = nothing to pin */
    sc_fusion_gain weight;              /* hold is not looked at */
    size_t first_read, n_reads;         /* in the problem's reads; distinct tensors */
    int32_t made;                       /* tensor it makes, -1 = none */
    sc_fusion_gain made_gain; /* where the tensor is not written to the main memory at all, which
                                 needs every reader served by the buffer */
} sc_fusion_step;

typedef struct sc_fusion_tensor {
    double bytes;
    bool leaves; /* wanted in the main memory in any case: a result of the network */
} sc_fusion_tensor;

/** Steps run in order. A tensor is made by at most one step and read by later ones; one that no
 *  step makes comes from the main memory and can stay only from its first reader on. */
typedef struct sc_fusion_problem {
    int n_lines;           /* 1 .. SC_FUSION_MAX_LINES */
    double capacity_bytes; /* of the buffer */
    size_t n_steps, n_tensors, n_reads;
    const sc_fusion_step *step;     /* [n_steps] */
    const sc_fusion_tensor *tensor; /* [n_tensors] */
    const sc_fusion_read *read;     /* [n_reads], by step */
} sc_fusion_problem;

/** What is resident. A read from the buffer means that the tensor stayed there since the step that
 *  used it before (made or read it), over all steps between. */
typedef struct sc_fusion_choice {
    bool *pinned;      /* [n_steps] the step's weights */
    bool *from_buffer; /* [n_reads] */
    bool *unwritten;   /* [n_tensors] never written to the main memory */
} sc_fusion_choice;

typedef struct sc_fusion_value {
    bool feasible;          /* it fits, and nothing is read that is nowhere */
    double cycles;          /* of all steps */
    double dram_bytes;      /* no longer moved */
    double pinned_bytes;    /* of weights */
    double peak_bytes;      /* most that working blocks and activations take at a step */
    size_t first_violation; /* step; n_steps = none */
} sc_fusion_value;

/** @return SC_OK; SC_EINVAL naming the step, tensor or read that is not as stated above. */
sc_status sc_fusion_check(const sc_fusion_problem *p) SC_MUST_USE;

/**
 * What a choice comes to. At a step the buffer holds: all pinned weights; working blocks less those
 * that are part of a resident operand; each activation that some later step reads from it and an
 * earlier one, or this one, left there, once.
 * @param[out] step_cycles  [n_steps], or NULL.
 * @return SC_OK; SC_ENOMEM. Cost: O(steps + reads + the live ranges of what is resident).
 */
sc_status sc_fusion_value_of(sc_fusion_value *out, double *step_cycles, const sc_fusion_problem *p,
                             const sc_fusion_choice *c) SC_MUST_USE;

/**
 * The same, step by step: lines, in cycles, and bytes without pinned weights.
 * @param[out] cycles  [n_steps]. @param[out] bytes  [n_steps].
 */
sc_status sc_fusion_lines_of(double (*cycles)[SC_FUSION_MAX_LINES], double *bytes,
                             const sc_fusion_problem *p, const sc_fusion_choice *c) SC_MUST_USE;

typedef struct sc_fusion_options {
    uint32_t version;
    double gap;    /* relative, at which it stops: proved; >= 0 */
    uint64_t work; /* arcs and labels looked at, at most; 0 = the default. Work, not time */
} sc_fusion_options;
#define SC_FUSION_OPTIONS_INIT                                                                     \
    {                                                                                              \
        1, 1e-6, 0                                                                                 \
    }

typedef struct sc_fusion_solution {
    sc_fusion_choice choice;
    sc_fusion_value value;
    double plain_cycles; /* with nothing resident */
    double bound_cycles; /* no choice takes fewer */
    double gap;          /* (value.cycles - bound_cycles) / value.cycles, 0 or more */
    bool proved;         /* gap is within what was asked for */
    uint64_t work;
    size_t binaries; /* decisions of the problem as an integer program */
} sc_fusion_solution;

/**
 * Least cycles, with a bound. Among choices of equal cycles one that moves fewer bytes is
 * preferred, without proof. Anytime: `work` bounds the effort and the gap is true wherever it
 * stopped. Method: shortest path with a budget of pinned bytes in the layered graph of resident
 * sets (Lagrangian price on bytes, branch on the room of activations, labels with dominance).
 * @param[out] out  release with sc_fusion_solution_clear().
 * @return SC_OK; SC_EINVAL (see sc_fusion_check, or an option); SC_ENOMEM.
 * Threads: safe on distinct outputs. Determinism: a function of its arguments.
 */
sc_status sc_fusion_solve(sc_fusion_solution *out, const sc_fusion_problem *p,
                          const sc_fusion_options *o) SC_MUST_USE;
void sc_fusion_solution_clear(sc_fusion_solution *s); /* NULL is fine */
#endif
