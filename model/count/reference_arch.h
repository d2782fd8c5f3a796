#ifndef MODEL_COUNT_REFERENCE_ARCH_H
#define MODEL_COUNT_REFERENCE_ARCH_H
/** Architectures of the public reference tool (`architecture: {subtree: [...]}`) and its energy
 *  reference tables. See docs/algorithms/counting.md. */
#include "core/yaml.h"
#include "model/arch/arch.h"

/**
 * Read an architecture: versions 0.2 to 0.4 of the form with subtree and local. Components stand
 * outermost first; the innermost compute class ends the chain. Sizes are words, energies those of
 * the reference's built-in table.
 *
 * Numbers of copies multiply down the tree (`PE[0..15]`, `RF[0..3]`), or stand as `instances`.
 * meshX defaults to instances / meshY, or to instances. Keys are taken with - or _.
 * @param[out] out  untouched on failure.
 * @param doc       the document of @p architecture; takes errors and warnings.
 * @return SC_OK; SC_EPARSE with every error as file:line:column; SC_ENOMEM. Cost: linear in text.
 */
sc_status sc_reference_arch_read(sc_arch *out, const sc_yaml *doc,
                                 const sc_node *architecture) SC_MUST_USE;

/**
 * Replace the energies of components that stand in an energy table (`ERT: {tables: [...]}`):
 * read, write, update (the write energy where it is missing), leak, compute. Where an action stands
 * several times, the largest counts.
 * @return as sc_reference_arch_read.
 */
sc_status sc_reference_ert_read(sc_arch *arch, const sc_yaml *doc, const sc_node *ert) SC_MUST_USE;
#endif
