#ifndef MODEL_COUNT_CONSTRAINTS_YAML_H
#define MODEL_COUNT_CONSTRAINTS_YAML_H
/** Constraint files (docs/formats/constraints.md). */
#include "core/yaml.h"
#include "model/count/constraints.h"

/**
 * Read what a file asks of mappings of one op on one design.
 * @param[out] out  untouched on failure; levels that the file does not name are free.
 * @param root      the document's root. @param e  the op. @param a  the design.
 * @return false after recording every fault with its place: unknown keys, levels, dimensions and
 *         tensors, a level or dimension twice, a factor of no number or above the bound, limits
 * that leave no factor, a tensor both kept and bypassed. Cost: linear in the text.
 */
bool sc_map_constraints_read(sc_map_constraints *out, const sc_node *root, const sc_einsum *e,
                             const sc_arch *a);
#endif
