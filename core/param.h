#ifndef CORE_PARAM_H
#define CORE_PARAM_H
/** Parameters with ordered lists of values, as files write them: `{name, kind, unit, default, when,
 * about}` and the values by kind. Templates and spaces share the form. */
#include "core/units.h"
#include "core/yaml.h"

typedef enum sc_param_kind {
    SC_PARAM_LOG2,       /* min, 2 min, 4 min .. max, behind those of `first` */
    SC_PARAM_INT,        /* min, min + step .. max */
    SC_PARAM_ORDINAL,    /* any numbers that ascend: `values` */
    SC_PARAM_CATEGORICAL /* labels: `values` */
} sc_param_kind;

/** What a parameter may be. Default and condition are the caller's to read: they need to know the
 *  other parameters. */
typedef struct sc_param_form {
    const char *name; /* text of the document; any, checked by the caller */
    sc_param_kind kind;
    sc_unit unit; /* SC_UNIT_NONE: plain numbers */
    size_t n_values;
    double *values;      /* [n_values] strictly ascending; categorical: 0, 1, 2, ... Heap */
    const char **labels; /* [n_values] distinct texts of the document; categorical only. Heap */
} sc_param_form;

/**
 * Read one parameter. What is wrong is recorded at its node: unknown keys, keys of another kind,
 * values that do not ascend, an empty or too long list.
 * @param most  values at the most.
 * @return false after recording an error. The kind and the name are set where they could be read,
 *         so that a caller may go on; *out is cleared with sc_param_form_clear() in any case.
 * Cost: O(values).
 */
bool sc_param_form_read(sc_param_form *out, const sc_node *n, size_t most);
void sc_param_form_clear(sc_param_form *p);
#endif
