#ifndef MODEL_MAPPER_ARRAY_H
#define MODEL_MAPPER_ARRAY_H
/** Systolic arrays inside a mapping: which loops may lie on rows and columns, and their ramps. */
#include "model/count/mapping.h"

/** Level whose spatial block is the systolic array, -1 if the design has plain MACs. */
int sc_array_level(const sc_arch *a);

/** Innermost level with a buffer that tiles are grown in: the one above the array's registers. */
int sc_inner_buffer(const sc_arch *a);

/** The op's dimension that the level's design wants first at a place (SC_LEAD_*); -1: any. */
int sc_level_lead(const sc_level *l, const sc_einsum *e, int place);

/** Tensor index of the dataflow's stationary operand in this einsum, -1 if it has none. */
int sc_array_stationary(const sc_einsum *e, sc_dataflow f);

/** Where a dimension may lie on the array under a dataflow. */
typedef enum sc_array_place {
    SC_PLACE_NONE,
    SC_PLACE_ROWS,
    SC_PLACE_COLUMNS,
    SC_PLACE_DIAGONAL /* moves all three tensors: groups side by side on the diagonal */
} sc_array_place;
sc_array_place sc_array_place_of(const sc_einsum *e, sc_dataflow f, unsigned dim);

/** Dataflow of a mapping: the tensor its register level keeps. SC_DATAFLOWS if there is no array.
 */
sc_dataflow sc_array_dataflow(const sc_einsum *e, const sc_arch *a, const sc_mapping *m);

/**
 * Cycles of the MACs with array ramps. The mapping runs P = compute cycles / T passes of T cycles,
 * T = the product of the innermost temporal loops that leave the stationary tensor in place. One
 * buffer: P * (T + 2R + C - 2) for WS and IS, P * (T + R + C - 2) for OS (model.md section 4).
 * Double-buffered: the next load (WS, IS) or the drain (OS), R cycles, hides behind a pass:
 * (P - 1) * max(T, R) and one whole pass with its ramp, which is never more than with one buffer.
 * Plain MACs: the compute cycles themselves.
 * With `clip`, factors past a bound of the op make last passes shorter: the sum over all passes, of
 * which each dimension makes two kinds. The compute cycles must be those of the bounds.
 */
double sc_array_cycles(const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                       uint64_t compute_cycles, bool clip);

/** The least cycles of so many steps of the MACs, in passes at most `pass` steps long (the longer
 *  the fewer); SC_DATAFLOWS: plain MACs, the steps themselves. */
double sc_array_ramped(const sc_arch *a, sc_dataflow f, double steps, double pass);
#endif
