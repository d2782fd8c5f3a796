#ifndef MODEL_COUNT_REFERENCE_CONSTRAINTS_H
#define MODEL_COUNT_REFERENCE_CONSTRAINTS_H
/** Inside the counting room: what the reference tool's files ask of a mapping. */
#include "model/count/constraints.h"
#include "model/count/reference_factors.h"
#include "model/count/reference_files.h"

/**
 * Read the constraints of all files: the sections `architecture_constraints`,
 * `mapspace_constraints`, `mapspace`, `constraints` and the `constraints` of components and
 * containers of an architecture.
 *
 * A section is a list of {target, type, factors, permutation, split, keep, bypass, ...}, such a
 * list under `targets` or `constraints`, or a name there that chooses a list `constraints_NAME`; a
 * directive may also hold its target and a list `constraints` of the others. What is asked later
 * adds to what was asked before. As in the reference a factor above its bound is the bound (with a
 * warning), the outermost level keeps what nothing bypasses there, and fan-outs store nothing and
 * loop in space alone. Links and multicast are carried where they are forbidden for all tensors.
 * What is not carried is warned of where it stands; contradictions, unknown targets, dimensions and
 * tensors are recorded as errors.
 * @param[out] c  of as many levels as the architecture. @return directives read.
 */
unsigned sc_reference_constraints_read(sc_map_constraints *c, const sc_reference_files *f,
                                       const sc_node *architecture, const sc_reference_dims *dims,
                                       const sc_arch *a);

/** Warn, where the mapping stands, of the first constraint that it breaks: it is counted all the
 *  same. */
void sc_reference_constraints_hold(const sc_node *mapping, const sc_map_constraints *c,
                                   const sc_mapping *m, const sc_einsum *e, const sc_arch *a);
#endif
