#ifndef MODEL_MAPPER_ARRAY_EXACT_H
#define MODEL_MAPPER_ARRAY_EXACT_H
/** The fastest mapping of one op on a design of systolic arrays or plain MACs, with a proof or
 *  the gap that is left:
 *  docs/algorithms/array_mapper.md. */
#include "model/mapper/local.h"

/**
 * Search on from *best, a mapping of finite cycles. How far each dimension is padded is a choice.
 * Objective: least cycles; less energy only among the mappings that are met.
 * @param[out] proved  cycles that no mapping of the op undercuts: best->cycles if that is proved;
 *                     `floor` for designs of another form (array_space.h).
 * @param local   scores mappings; what it may spend is left alone.
 * @param floor   cycles that are known to be needed.
 * @param budget  partial mappings at most.
 * @return SC_OK; SC_ENOMEM; SC_ERANGE. Threads: safe. Memory: 1.9 MB. Determinism: a function of
 *         its arguments only. Cost: some 0.2 to 2 microseconds a partial mapping.
 */
sc_status sc_array_exact(double *proved, sc_point *best, sc_local *local, double floor,
                         uint64_t budget) SC_MUST_USE;

/** Whether a design has the form that the search knows (array_space.h), whatever the op: on others
 *  it does nothing. */
bool sc_array_exact_suits(const sc_arch *a);
#endif
