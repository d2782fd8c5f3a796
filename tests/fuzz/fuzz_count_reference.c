/* Architecture, problem, energy table and mapping of the reference tool from one document, counted
 * and reported. */
#include <jansson.h>
#include <stdlib.h>

#include "fuzz.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_case.h"
#include "model/count/reference_mapping.h"
#include "workloads/reference_problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_yaml *doc = NULL;
    sc_reference_case c = {.mapped = false};
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    json_t *report = NULL;
    bool feasible;
    if (sc_yaml_parse(&doc, "fuzz", (const char *)data, size) != SC_OK)
        return 0;
    const sc_node *root = sc_yaml_root(doc), *ert = sc_node_get(root, "ERT");
    const sc_node *macros = sc_node_get(root, "macro");
    o.links = SC_LINKS_REFERENCE;
    if (sc_reference_arch_read(&c.arch, doc, sc_node_get(root, "architecture"), macros) == SC_OK &&
        (!ert || sc_reference_ert_read(&c.arch, doc, ert) == SC_OK) &&
        sc_reference_problem_read(&c.problem, doc, sc_node_get(root, "problem"), macros, 8) ==
            SC_OK &&
        sc_reference_mapping_read(&c.mapping, doc, sc_node_get(root, "mapping"), macros, &c.problem,
                                  &c.arch) == SC_OK &&
        sc_reference_report(&report, &feasible, &c, &c.mapping, &o) == SC_OK)
        json_decref(report);
    sc_yaml_close(doc);
    return 0;
}
