#include "model/count/reference_case.h"

sc_status sc_reference_show(char **text, sc_reference_form form, const sc_reference_case *c,
                            const sc_mapping *m, const sc_count_options *o, const char *design,
                            const sc_certificate *certificate)
{
    sc_counts counts;
    sc_cost cost;
    sc_buf b;
    if (sc_mapping_fit(m, &c->problem, &c->arch).code != SC_FITS)
        return sc_fail(SC_EINVAL, "the mapping does not fit: there is nothing to show");
    const sc_status st = sc_count(&counts, &c->problem, &c->arch, m, o);
    if (st != SC_OK)
        return st;
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, &c->problem, &c->arch);
    const sc_mapping_view view = {.op = c->problem.name[0] ? c->problem.name : "problem",
                                  .design = design,
                                  .einsum = &c->problem,
                                  .arch = &c->arch,
                                  .mapping = m,
                                  .counts = &counts,
                                  .cost = &cost,
                                  .cycles = cost.cycles,
                                  .compute_cycles = (double)counts.compute_cycles,
                                  .utilization = (double)counts.macs / cost.cycles /
                                                 (double)c->arch.compute.instances,
                                  .certificate = certificate};
    if (form == SC_REFERENCE_PICTURE)
        return sc_view_picture(text, &view);
    sc_buf_init(&b);
    sc_view_loops(&b, &view);
    return sc_buf_take(&b, text);
}

static sc_status show_files(char **text, sc_reference_form form, const char *const path[3],
                            const sc_reference_options *o)
{
    sc_reference_case c;
    sc_count_options options;
    sc_status st;
    if (!path[0] || !path[1] || !path[2])
        return sc_fail(SC_EINVAL, "an architecture, a problem and a mapping file are needed");
    if ((st = sc_reference_count_options(&options, o)) != SC_OK ||
        (st = sc_reference_case_read(&c, path[0], path[1], path[2], o)) != SC_OK)
        return st;
    sc_reference_case_rules(&c, &options);
    return sc_reference_show(text, form, &c, &c.mapping, &options, path[0], NULL);
}

sc_status sc_reference_picture(char **svg, const char *architecture_path, const char *problem_path,
                               const char *mapping_path, const sc_reference_options *o)
{
    const char *const path[] = {architecture_path, problem_path, mapping_path};
    return show_files(svg, SC_REFERENCE_PICTURE, path, o);
}

sc_status sc_reference_loops(char **text, const char *architecture_path, const char *problem_path,
                             const char *mapping_path, const sc_reference_options *o)
{
    const char *const path[] = {architecture_path, problem_path, mapping_path};
    return show_files(text, SC_REFERENCE_LOOPS, path, o);
}
