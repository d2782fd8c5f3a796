#ifndef MODEL_COUNT_REFERENCE_CASE_H
#define MODEL_COUNT_REFERENCE_CASE_H
/** A problem, an architecture and maybe a mapping from files of the reference tool, and the form in
 *  which their counts are reported. The mapper uses both for a best mapping. */
#include <jansson.h>

#include "model/count/constraints.h"
#include "model/count/view.h"
#include "scantle/reference.h"

typedef struct sc_reference_case {
    sc_einsum problem;
    sc_arch arch;
    sc_mapping mapping;
    sc_map_constraints constraints; /* of the files; without any, of what the reference grants */
    unsigned n_constraints;         /* directives read */
    bool mapped;                    /* a mapping was asked for and read */
    bool ert;                       /* energies are those of an energy reference table */
} sc_reference_case;

/** Read the files; mapping_path may be NULL. Logs their warnings.
 *  @param[out] out  untouched on failure. @return as sc_reference_map. */
sc_status sc_reference_case_read(sc_reference_case *out, const char *architecture_path,
                                 const char *problem_path, const char *mapping_path,
                                 const sc_reference_options *o) SC_MUST_USE;

/** The same from one text in memory that has all sections; `name` stands in messages.
 *  @param text  [length], a NUL behind. */
sc_status sc_reference_case_read_text(sc_reference_case *out, const char *name, const char *text,
                                      size_t length) SC_MUST_USE;

/** How those rules count. @return SC_OK; SC_EINVAL for unknown links. */
sc_status sc_reference_count_options(sc_count_options *out,
                                     const sc_reference_options *o) SC_MUST_USE;

/** Let the constraints that say how any mapping is counted take effect: copies of their own instead
 *  of multicasts under the levels that ask for it, and no links. Links are under all levels or
 * none; where only some forbid them, that is logged. */
void sc_reference_case_rules(sc_reference_case *c, sc_count_options *o);

/** Count and cost a mapping of the case (its own, or one that a mapper found) into the report of
 *  sc_reference_map, as an object that can be added to.
 *  @param[out] report  owned by the caller: json_decref. @return as sc_reference_map. */
sc_status sc_reference_report(json_t **report, bool *feasible, const sc_reference_case *c,
                              const sc_mapping *m, const sc_count_options *o) SC_MUST_USE;

/** One entry of the reasons why nothing fits. @param[out] ok  cleared without memory. */
json_t *sc_reference_reason(const char *code, const char *where, uint64_t need, uint64_t have,
                            bool *ok);

/** How a mapping is shown to people. */
typedef enum sc_reference_form { SC_REFERENCE_LOOPS, SC_REFERENCE_PICTURE } sc_reference_form;

/** A mapping of the case, its own or one that a mapper found, as text or SVG.
 *  @param design       what the architecture is called. @param certificate  NULL = none.
 *  @return SC_OK; SC_EINVAL if it does not fit; SC_ERANGE; SC_ENOMEM. */
sc_status sc_reference_show(char **text, sc_reference_form form, const sc_reference_case *c,
                            const sc_mapping *m, const sc_count_options *o, const char *design,
                            const sc_certificate *certificate) SC_MUST_USE;
#endif
