#ifndef MODEL_COUNT_REFERENCE_MAPPING_H
#define MODEL_COUNT_REFERENCE_MAPPING_H
/** Mappings of the public reference tool (`mapping: [{target, type, factors, permutation}]`). */
#include "core/yaml.h"
#include "model/count/mapping.h"

/**
 * Read a mapping of one problem on one design.
 *
 * temporal and spatial directives: factors as "R=3,S=3", "C1 M16" or a list; a factor may be a name
 * bound in @p macros, 0 is the whole dimension; dimensions not named have factor 1. permutation,
 * innermost first, with or without blanks and commas; dimensions it leaves out stand outside the
 * others in the problem's order. split counts permutation entries on X; without it all lie on X.
 * bypass directives (also called datatype, dataspace, bypassing): keep and bypass; what neither
 * names is kept. In place of a list tiles (`node-type: Tile`) may stand in one another, a `subtree`
 * of one each, down to an Op. Levels without a directive loop over nothing and keep everything.
 * @param[out] out   passes sc_mapping_check; untouched on failure.
 * @param macros     names to integers, of any document; NULL if there is none.
 * @return SC_OK; SC_EPARSE with every error as file:line:column, among them factors that do not
 *         multiply to a bound; SC_ENOMEM. Cost: linear in the text.
 */
sc_status sc_reference_mapping_read(sc_mapping *out, const sc_yaml *doc, const sc_node *mapping,
                                    const sc_node *macros, const sc_einsum *e,
                                    const sc_arch *a) SC_MUST_USE;
#endif
