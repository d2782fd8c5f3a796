#ifndef MODEL_COUNT_REFERENCE_ARCH_H
#define MODEL_COUNT_REFERENCE_ARCH_H
/** Architectures of the public reference tool (`architecture: {subtree: [...]}`,
 *  `{nodes: [...]}`) and its energy reference tables. See docs/algorithms/counting.md. */
#include "core/yaml.h"
#include "model/arch/arch.h"
#include "model/count/reference_component.h"

/**
 * Read an architecture: `subtree` and `local` (versions 0.2 and 0.3), `nodes` (version 0.4, see
 * reference_walk.h), or `storage` and `arithmetic` (the oldest, innermost first). Components stand
 * outermost first; the compute class ends the chain. Sizes are words, energies those of the
 * reference's built-in table.
 *
 * Numbers of copies multiply down the tree (`PE[0..15]`, `RF[0..3]`), or stand as `instances`.
 * meshX defaults to instances / meshY, or to instances. Keys are taken with - or _; values may be
 * expressions over the component's attributes, those of its containers, and @p names.
 * @param[out] out  untouched on failure.
 * @param doc       the document of @p architecture; takes errors and warnings.
 * @param names     names bound outside the architecture, of any document; NULL if there are none.
 * @return SC_OK; SC_EPARSE with every error as file:line:column; SC_ENOMEM. Cost: linear in text.
 */
sc_status sc_reference_arch_read(sc_arch *out, const sc_yaml *doc, const sc_node *architecture,
                                 const sc_node *names) SC_MUST_USE;

/** The same, and what the file says beside. */
sc_status sc_reference_arch_describe(sc_arch *out, sc_reference_origin *origin, const sc_yaml *doc,
                                     const sc_node *architecture, const sc_node *names) SC_MUST_USE;

/** Index of the level a directive's `target` names: a level, or a container of version 0.4 with
 *  copies, whose level is `inter_NAME_spatial`; there, loops over the copies of a component are
 *  told by its own name too (`spatial`); or its number, counted from the innermost, 0. @return -1
 * after recording, with a suggestion. */
int sc_reference_target(const sc_arch *a, const sc_node *target, bool spatial);

/** Whether a level is a fan-out that stores nothing. */
bool sc_reference_is_fanout(const sc_level *l);

/**
 * Replace the energies of components that stand in an energy table (`ERT: {tables: [...]}`):
 * read, write, update (the write energy where it is missing), leak, compute. Where an action stands
 * several times, the largest counts.
 * @return as sc_reference_arch_read.
 */
sc_status sc_reference_ert_read(sc_arch *arch, const sc_yaml *doc, const sc_node *ert) SC_MUST_USE;
#endif
