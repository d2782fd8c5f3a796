#ifndef MODEL_ARCH_PARAM_H
#define MODEL_ARCH_PARAM_H
#include "core/buf.h"
#include "model/arch/formula.h"

enum { SC_MAX_VALUES = 65536 }; /* of one parameter */

/** Read the `parameters:` list into the scope; when: [SC_TEMPLATE_PARAMS], a formula that is 1 for
 * those without a condition. Errors are recorded. */
void sc_params__read(sc_scope *s, sc_formula *when, const sc_node *list);

/** Value of a parameter as users write it: "16MiB", "private", "8". */
void sc_param__text(sc_buf *out, const sc_param *p, size_t value_index);

/**
 * Index of the value that a text names, with units for a parameter that has them.
 * @return SC_OK; SC_EINVAL with the nearest allowed values; *index untouched then.
 */
sc_status sc_param__find(uint32_t *index, const sc_param *p, const char *text) SC_MUST_USE;
#endif
