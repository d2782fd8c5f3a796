#include "model/count/reference_case.h"
#include "model/count/view.h"

sc_status sc_reference_picture(char **svg, const char *architecture_path, const char *problem_path,
                               const char *mapping_path, const sc_reference_options *o)
{
    sc_reference_case c;
    sc_count_options options;
    sc_counts counts;
    sc_cost cost;
    sc_status st;
    if (!architecture_path || !problem_path || !mapping_path)
        return sc_fail(SC_EINVAL, "an architecture, a problem and a mapping file are needed");
    if ((st = sc_reference_count_options(&options, o)) != SC_OK ||
        (st = sc_reference_case_read(&c, architecture_path, problem_path, mapping_path, o)) !=
            SC_OK)
        return st;
    if (sc_mapping_fit(&c.mapping, &c.problem, &c.arch).code != SC_FITS)
        return sc_fail(SC_EINVAL, "the mapping does not fit: there is nothing to draw");
    if ((st = sc_count(&counts, &c.problem, &c.arch, &c.mapping, &options)) != SC_OK)
        return st;
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, &c.problem, &c.arch);
    const sc_mapping_view view = {.op = c.problem.name[0] ? c.problem.name : problem_path,
                                  .design = architecture_path,
                                  .einsum = &c.problem,
                                  .arch = &c.arch,
                                  .mapping = &c.mapping,
                                  .counts = &counts,
                                  .cost = &cost,
                                  .cycles = cost.cycles,
                                  .compute_cycles = (double)counts.compute_cycles,
                                  .utilization = (double)counts.macs / cost.cycles /
                                                 (double)c.arch.compute.instances};
    return sc_view_picture(svg, &view);
}
