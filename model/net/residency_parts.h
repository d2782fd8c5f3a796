#ifndef MODEL_NET_RESIDENCY_PARTS_H
#define MODEL_NET_RESIDENCY_PARTS_H
/** Shared by the maker of fusion problems and what applies their solutions. */
#include "model/net/residency.h"

#define SC_NO_READ SIZE_MAX

enum { SC_SLOT_IN, SC_SLOT_WEIGHT, SC_SLOT_OUT }; /* slots of sc_op_traffic */

/* Limits of traffic of the two outermost levels. */
typedef enum sc_limit_of { SC_LIMIT_READ, SC_LIMIT_WRITTEN, SC_LIMIT_BOTH } sc_limit_of;

typedef struct sc_limit {
    int level;
    sc_limit_of of;
    double rate; /* bytes a cycle */
} sc_limit;

/* A line: the chip or a limit, and what adds to it because it overlaps with nothing. */
typedef struct sc_residency_line {
    int n;
    bool chip;
    sc_limit limit[3];
} sc_residency_line;

/* Bytes that go through the two levels. */
typedef struct sc_moved {
    double read[2], written[2];
} sc_moved;

/* What one read of a step is. */
typedef struct sc_part {
    double share[2]; /* of the traffic of the input's slot and the weight's */
} sc_part;

struct sc_residency {
    const sc_network *n;
    const sc_workload *w;
    const sc_cascades *cascades; /* NULL: none */
    const sc_tiles *tiles;       /* NULL: none */
    sc_fusion_step *step;        /* [ops] */
    sc_fusion_read *read;        /* [operands] */
    sc_part *part;               /* [operands] */
    sc_fusion_tensor *tensor;    /* [inputs + ops] */
    size_t *maker;        /* [ops] step that makes the op's result; in line, not the op itself */
    size_t *after;        /* [operands] the next read of the tensor; SC_NO_READ = none */
    size_t *first, *last; /* [inputs + ops] reads of a tensor */
    sc_fusion_problem problem;
    int n_lines;
    sc_residency_line line[SC_FUSION_MAX_LINES];
};

/** Bytes that an input or weights no longer move where the buffer serves them: nothing from the
 * main memory and no fills; what went past the buffer is read from it now. Added to *m. */
void sc_residency__spare_input(sc_moved *m, const sc_op_traffic *t, int slot, double share);

/** The same of a result that is never written to the main memory: its partial sums stay as well. */
void sc_residency__spare_output(sc_moved *m, const sc_op_traffic *t);

/** Bytes that the buffer takes in addition where a tensor stays after a step that was not served by
 *  it: read by the step, made by it. */
double sc_residency__hold_read(const sc_op_traffic *t, const sc_part *p, double bytes);
double sc_residency__hold_made(const sc_op_traffic *t);

/** Energy of bytes of a slot at one of the two levels, by the access energies of the level, pJ. */
double sc_residency__energy_pj(const sc_level *l, const sc_moved *m, int level, int slot);

/** Bytes of weights or parameters that could be pinned; 0 = none. */
double sc_residency__weight_bytes(const sc_op *op, const sc_arch *a);

/** What op i costs as cascades and groups are. */
const sc_op_cost *sc_residency__cost(const sc_residency *r, const sc_op_cost *cost, size_t i);

/** Cycles by which work starts sooner if the first tile comes from the buffer. */
double sc_residency__sooner(const sc_op_cost *c, const sc_arch *a, int slot, double share);
#endif
