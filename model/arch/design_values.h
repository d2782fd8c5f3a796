#ifndef MODEL_ARCH_DESIGN_VALUES_H
#define MODEL_ARCH_DESIGN_VALUES_H
/** A design inside model/arch, and the ways its values are written. */
#include "core/yaml.h"
#include "model/arch/form.h"

struct sc_design {
    sc_template *t;
    char *name, *spec;
    uint32_t *index; /* [params of t], canonical */
    sc_arch arch;
    sc_budget budget;
    sc_hash128 fingerprint;
};

/**
 * Apply `name=value,name=value` over index, in place.
 * @return SC_OK; SC_EINVAL with one line for each assignment that is wrong (no '=', unknown or
 *         repeated name, value outside its domain); index is then undefined. SC_ENOMEM.
 */
sc_status sc_design__assign(uint32_t *index, const sc_template *t,
                            const char *assignments) SC_MUST_USE;

/** Apply the `values:` map of a design file; errors are recorded at their nodes. */
void sc_design__assign_map(uint32_t *index, const sc_template *t, const sc_node *values);

/** The spec that opens a point again: `fast:pes_x=8,...`, its active parameters in order. Free with
 *  sc_free. */
sc_status sc_design__spec(char **out, const sc_template *t, const uint32_t *index) SC_MUST_USE;

/** What names a point: a hash of the template's and of every value. */
sc_status sc_design__fingerprint(sc_hash128 *out, const sc_template *t,
                                 const uint32_t *index) SC_MUST_USE;
#endif
