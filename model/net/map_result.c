#include "model/net/map_result.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/text.h"
#include "model/count/constraints_yaml.h"
#include "model/mapper/array.h"
#include "model/mapper/array_exact.h"
#include "model/net/calibrated.h"
#include "model/net/network.h"
#include "model/net/rules.h"

static sc_status no_such_op(const sc_workload *w, const char *name)
{
    const char **names = sc_calloc(w->n_ops, sizeof *names);
    if (!names)
        return SC_ENOMEM;
    for (size_t i = 0; i < w->n_ops; i++)
        names[i] = w->ops[i].name;
    const char *near = sc_nearest(name, names, w->n_ops);
    const sc_status st =
        near ? sc_fail(SC_ENOTFOUND, "no op '%s' in %s (did you mean '%s'?)", name, w->name, near)
             : sc_fail(SC_ENOTFOUND, "no op '%s' in %s; 'scantle workload show' lists them", name,
                       w->name);
    sc_free(names);
    return st;
}

/* The ops that the request asks for: positions in the workload. */
static sc_status select_ops(size_t *chosen, size_t *n, const sc_workload *w, const char *name)
{
    bool known = name == NULL;
    *n = 0;
    for (size_t i = 0; i < w->n_ops; i++) {
        const bool named = name && strcmp(w->ops[i].name, name) == 0;
        known |= named;
        if (sc_op_is_mac(&w->ops[i]) && (!name || named))
            chosen[(*n)++] = i;
    }
    if (!known)
        return no_such_op(w, name);
    if (*n == 0)
        return sc_fail(SC_EINVAL, "%s%s has no multiply-accumulates to map",
                       name ? "op " : "network ", name ? name : w->name);
    return SC_OK;
}

/* For each chosen op the first with the same shape: such ops have the same mappings. */
static sc_status find_alike(size_t *first, const sc_workload *w, const size_t *chosen, size_t n)
{
    sc_hash128 *shape = sc_calloc(n, sizeof *shape);
    sc_status st = shape ? SC_OK : SC_ENOMEM;
    for (size_t i = 0; i < n && st == SC_OK; i++) {
        st = sc_op_shape_hash(&shape[i], &w->ops[chosen[i]]);
        first[i] = 0;
        while (memcmp(&shape[first[i]], &shape[i], sizeof *shape) != 0)
            first[i]++;
    }
    sc_free(shape);
    return st;
}

/* certificate.seconds is set, whether it is asked for or not. */
static sc_status map_one(sc_mapped_op *out, const sc_op *op, const sc_arch *a,
                         const sc_cost_options *how, const sc_map_constraints *limits)
{
    sc_einsum e;
    const double start = omp_get_wtime();
    sc_status st = sc_op_einsum_on(&e, op, a);
    if (st != SC_OK)
        return st;
    sc_map_options o = sc_op_map_options(op, &e, how);
    o.constraints = limits;
    memcpy(out->bound, e.bound, sizeof out->bound);
    st = sc_map_op(&out->mapped, &e, a, &o);
    if (st == SC_OK && out->mapped.misfit.code == SC_MISFIT_CONSTRAINTS) {
        out->mapped.padded = e; /* whose names the reasons use */
        st = sc_map_blockers(out->blocker, &out->n_blockers, &e, a, &o);
    }
    if (st == SC_OK)
        out->mapped.lower_bound_cycles = fmax(
            out->mapped.lower_bound_cycles, sc_map_tight_bound(&e, a, o.input_share, o.sequential));
    out->certificate.seconds = omp_get_wtime() - start;
    return st;
}

/* The same mapping under its own name; without constraints there are no blockers. */
static void copy_alike(sc_mapped_op *out, const sc_mapped_op *of, const sc_op *op)
{
    out->mapped = of->mapped;
    (void)sc_text_copy(out->mapped.padded.name, SC_NAME_LEN, op->name);
    memcpy(out->bound, of->bound, sizeof out->bound);
    out->certificate = of->certificate;
}

/* Map each op that is the first of its shape. limits: [n_ops], NULL: none. */
static sc_status map_first(sc_map_result *r, const sc_workload *w, const size_t *chosen,
                           const sc_map_request *request, const sc_map_constraints *limits,
                           const size_t *alike)
{
    const long long n = (long long)r->n_ops;
    const int threads = request->threads > 0 ? request->threads : omp_get_max_threads();
    const sc_cost_options how = {.map_budget = request->map_budget,
                                 .map_nodes = request->map_nodes,
                                 .rules = request->rules};
    long long failed = n;
    sc_status worst = SC_OK;
    char message[256] = "";
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (long long i = 0; i < n; i++) {
        if (alike[i] != (size_t)i)
            continue;
        const sc_status st =
            map_one(&r->ops[i], &w->ops[chosen[i]], &r->arch, &how, limits ? &limits[i] : NULL);
        if (st != SC_OK) {
#pragma omp critical(sc_map_failed)
            if (i < failed) {
                failed = i;
                worst = st;
                (void)snprintf(message, sizeof message, "%s", sc_error_message());
            }
        }
    }
    return worst == SC_OK ? SC_OK : sc_fail(worst, "%s", message);
}

/* limits: [n_ops], each op's own, so that none is mapped for another; NULL: none. */
static sc_status map_all(sc_map_result *r, const sc_workload *w, const size_t *chosen,
                         const sc_map_request *request, const sc_map_constraints *limits)
{
    size_t *alike = sc_calloc(r->n_ops, sizeof *alike);
    sc_status st = alike ? SC_OK : SC_ENOMEM;
    for (size_t i = 0; st == SC_OK && limits && i < r->n_ops; i++)
        alike[i] = i;
    if (st == SC_OK && !limits)
        st = find_alike(alike, w, chosen, r->n_ops);
    if (st == SC_OK)
        st = map_first(r, w, chosen, request, limits, alike);
    for (size_t i = 0; i < r->n_ops && st == SC_OK; i++)
        if (alike[i] != i)
            copy_alike(&r->ops[i], &r->ops[alike[i]], &w->ops[chosen[i]]);
    sc_free(alike);
    return st;
}

/* The mapping that the file gives for one op. The bound is of the op itself, as that of a search
 * is, not of the padded one. Faults are recorded in the document. */
static sc_status score_one(sc_mapped_op *out, const sc_op *op, const sc_arch *a,
                           const sc_node *entry, bool is_set)
{
    sc_einsum e, padded;
    sc_mapping m;
    const double start = omp_get_wtime();
    sc_status st = sc_op_einsum_on(&e, op, a);
    if (st != SC_OK)
        return st;
    if (!(is_set ? sc_mapping_read_entry(&m, &padded, entry, &e, a)
                 : sc_mapping_read(&m, &padded, entry, &e, a)))
        return SC_OK;
    const sc_cost_options how = {.rules = SC_RULES_INIT};
    const sc_map_options o = sc_op_map_options(op, &e, &how);
    memcpy(out->bound, e.bound, sizeof out->bound);
    st = sc_map_score(&out->mapped, &padded, a, &m, &o);
    if (st == SC_EINVAL || st == SC_ERANGE) {
        sc_node_error(entry, "%s", sc_error_message());
        return SC_OK;
    }
    out->mapped.lower_bound_cycles = sc_map_tight_bound(&e, a, o.input_share, o.sequential);
    out->certificate.seconds = omp_get_wtime() - start;
    return st;
}

static sc_status score_file(sc_map_result *r, const sc_workload *w, const size_t *chosen,
                            const sc_yaml *y, bool others)
{
    const sc_node *root = sc_yaml_root(y);
    const sc_node **entry = sc_calloc(r->n_ops, sizeof *entry);
    sc_status st = SC_OK;
    if (!entry)
        return SC_ENOMEM;
    if (sc_mapping_entries(entry, root, r->ops, r->n_ops, others))
        for (size_t i = 0; i < r->n_ops && st == SC_OK; i++)
            if (entry[i])
                st = score_one(&r->ops[i], &w->ops[chosen[i]], &r->arch, entry[i],
                               sc_mapping_is_set(root));
    sc_free(entry);
    return st == SC_OK ? sc_yaml_status(y) : st;
}

/* How many mappings there are, where one op alone is asked for: some ms. An op too large for that
 * is mapped all the same. limits: of the op, NULL: none. */
static sc_status measure_space(sc_map_result *r, const sc_workload *w, const size_t *chosen,
                               const sc_map_constraints *limits)
{
    const sc_op *op = &w->ops[chosen[0]];
    sc_einsum e;
    sc_status st;
    if (r->n_ops != 1)
        return SC_OK;
    if ((st = sc_op_einsum_on(&e, op, &r->arch)) != SC_OK)
        return st;
    const sc_cost_options options = {.rules = SC_RULES_INIT};
    const sc_map_size_options how = {.constraints = limits,
                                     .arrays = true,
                                     .sequential = sc_op_map_options(op, &e, &options).sequential};
    st = sc_map_size_of(&r->size, &e, &r->arch, &how);
    r->sized = true;
    return st == SC_ERANGE ? SC_OK : st;
}

/* The rules of counting that constraints ask for: words that children share are sent to each. */
static void apply_rules(sc_arch *a, const sc_map_constraints *limits)
{
    for (unsigned l = 0; l < a->n_levels; l++) {
        a->level[l].no_multicast |= limits->level[l].no_multicast;
        a->level[l].no_reduction |= limits->level[l].no_multicast;
    }
}

/* Map all ops so that they obey what the file asks for. */
static sc_status map_constrained(sc_map_result *r, const sc_workload *w, const size_t *chosen,
                                 const sc_map_request *request)
{
    sc_map_constraints *limits = NULL;
    sc_blocker *blockers = NULL;
    sc_yaml *y = NULL;
    bool ok = true;
    sc_status st;
    if ((st = sc_yaml_open(&y, request->constraints)) != SC_OK)
        return st;
    limits = sc_calloc(r->n_ops, sizeof *limits);
    blockers = sc_arena_calloc(r->arena, r->n_ops * SC_MAX_BLOCKERS, sizeof *blockers);
    st = limits && blockers ? SC_OK : SC_ENOMEM;
    for (size_t i = 0; i < r->n_ops && st == SC_OK && ok; i++) {
        sc_einsum e;
        r->ops[i].blocker = blockers + i * SC_MAX_BLOCKERS;
        if ((st = sc_op_einsum_on(&e, &w->ops[chosen[i]], &r->arch)) == SC_OK)
            ok = sc_map_constraints_read(&limits[i], sc_yaml_root(y), &e, &r->arch);
    }
    if (st == SC_OK && (st = sc_yaml_status(y)) == SC_OK) {
        apply_rules(&r->arch, &limits[0]); /* levels are the design's, whatever the op */
        st = map_all(r, w, chosen, request, limits);
        if (st == SC_OK)
            st = measure_space(r, w, chosen, limits);
    }
    sc_free(limits);
    sc_yaml_close(y);
    return st;
}

static sc_status fill(sc_map_result *r, const sc_design *d, const sc_workload *w,
                      const size_t *chosen)
{
    const char *spec = sc_design_spec(d);
    r->arch = *sc_design_arch(d);
    r->batch = w->batch;
    r->spec = sc_arena_strndup(r->arena, spec, strlen(spec));
    r->workload = sc_arena_strndup(r->arena, w->name, strlen(w->name));
    r->ops = sc_arena_calloc(r->arena, r->n_ops, sizeof *r->ops);
    if (!r->spec || !r->workload || !r->ops)
        return SC_ENOMEM;
    for (size_t i = 0; i < r->n_ops; i++) {
        const sc_op *op = &w->ops[chosen[i]];
        r->ops[i].name = sc_arena_strndup(r->arena, op->name, strlen(op->name));
        r->ops[i].macs = op->macs;
        if (!r->ops[i].name)
            return SC_ENOMEM;
    }
    return SC_OK;
}

static void finish_ops(sc_map_result *r, bool timing)
{
    for (size_t i = 0; i < r->n_ops; i++) {
        sc_mapped_op *op = &r->ops[i];
        const sc_mapped *m = &op->mapped;
        op->cycles = m->total_cycles;
        op->calibrated = r->arch.calibration.name[0] && m->misfit.code == SC_FITS &&
                         sc_calibrated_cycles(&op->cycles, m, &r->arch);
        op->certificate = (sc_certificate){
            .goal = "cycles",
            .value = m->total_cycles,
            .bound = m->lower_bound_cycles,
            .optimal = m->misfit.code == SC_FITS && m->total_cycles <= m->lower_bound_cycles,
            .evaluations = m->evaluations,
            .seconds = timing ? op->certificate.seconds : (double)NAN};
    }
}

const char *sc_map_nodes_idle(const sc_design *d, const sc_rules *rules)
{
    if (rules->mapping == SC_MAPPING_PLAIN)
        return "under a fixed rule of mapping, which looks for no better one";
    if (rules->padding == SC_PADDING_OFF)
        return "without padding: the search for a proof pads";
    if (!sc_array_exact_suits(sc_design_arch(d)))
        return "on this design: the search for a proof is of systolic arrays or plain MACs in "
               "grids at up to two levels outside the innermost buffer, with free dimensions";
    return NULL;
}

/* The op asked for, or the one that a file of one mapping is of. @return NULL: all. */
static const char *wanted_op(const sc_map_request *request, const sc_yaml *y)
{
    if (request->op || !y || sc_mapping_is_set(sc_yaml_root(y)))
        return request->op;
    return sc_map_text_or(sc_yaml_root(y), "op", NULL);
}

/* select_ops for the request; an op that only the file names is looked for at its place there. */
static sc_status select_wanted(size_t *chosen, size_t *n, const sc_workload *w,
                               const sc_map_request *request, const sc_yaml *y)
{
    const char *name = wanted_op(request, y);
    const sc_status st = select_ops(chosen, n, w, name);
    if (st != SC_ENOTFOUND || request->op)
        return st;
    sc_node_error(sc_node_get(sc_yaml_root(y), "op"), "%s", sc_error_message());
    return sc_yaml_status(y);
}

sc_status sc_map_network(sc_map_result **out, const sc_design *d, const sc_workload *w,
                         const sc_map_request *request)
{
    sc_workload *at_batch = NULL;
    sc_map_result *r = NULL;
    sc_yaml *y = NULL;
    size_t *chosen = NULL;
    sc_status st;
    uint64_t batch;

    if (request->version != 1)
        return sc_fail(SC_EINVAL, "map request: version must be 1");
    if (request->mapping && request->constraints)
        return sc_fail(SC_EINVAL, "map request: constraints are for a search, not for a mapping");
    if ((st = sc_rules_check(&request->rules)) != SC_OK)
        return st;
    if ((request->mapping && (st = sc_yaml_open(&y, request->mapping)) != SC_OK) ||
        (st = sc_network_batch(&batch, sc_design_arch(d), w, request->batch)) != SC_OK ||
        (st = sc_workload_with_batch(&at_batch, w, batch)) != SC_OK)
        goto done;
    st = SC_ENOMEM;
    if (!(r = sc_calloc(1, sizeof *r)) || sc_arena_create(&r->arena, 0) != SC_OK ||
        !(chosen = sc_calloc(at_batch->n_ops, sizeof *chosen)))
        goto done;
    if ((st = select_wanted(chosen, &r->n_ops, at_batch, request, y)) != SC_OK ||
        (st = fill(r, d, at_batch, chosen)) != SC_OK)
        goto done;
    st = y                      ? score_file(r, at_batch, chosen, y, request->op != NULL)
         : request->constraints ? map_constrained(r, at_batch, chosen, request)
                                : map_all(r, at_batch, chosen, request, NULL);
    if (st == SC_OK && !request->constraints)
        st = measure_space(r, at_batch, chosen, NULL);
    if (st != SC_OK)
        goto done;
    finish_ops(r, request->timing != 0);
    *out = r;
    r = NULL;
done:
    sc_yaml_close(y);
    sc_free(chosen);
    sc_map_result_destroy(r);
    sc_workload_destroy(at_batch);
    return st;
}

void sc_map_result_destroy(sc_map_result *r)
{
    if (!r)
        return;
    sc_arena_destroy(r->arena);
    sc_free(r);
}

int sc_map_result_feasible(const sc_map_result *r)
{
    for (size_t i = 0; i < r->n_ops; i++)
        if (r->ops[i].mapped.misfit.code != SC_FITS)
            return 0;
    return 1;
}

sc_status sc_map_result_yaml(char **out, const sc_map_result *r, size_t i)
{
    if (i >= r->n_ops)
        return sc_fail(SC_EINVAL, "no mapped op %zu: there are %zu", i, r->n_ops);
    if (r->ops[i].mapped.misfit.code != SC_FITS)
        return sc_fail(SC_EINVAL, "op %s has no mapping that fits", r->ops[i].name);
    return sc_mapping_write(out, &r->ops[i].mapped, &r->arch, r->ops[i].name);
}

sc_status sc_map_result_yaml_all(char **out, const sc_map_result *r)
{
    for (size_t i = 0; i < r->n_ops; i++)
        if (r->ops[i].mapped.misfit.code != SC_FITS)
            return sc_fail(SC_EINVAL, "op %s has no mapping that fits", r->ops[i].name);
    return sc_mapping_write_set(out, r);
}

static const char *dataflow_name(const sc_map_result *r, const sc_mapped *m)
{
    switch (sc_array_dataflow(&m->padded, &r->arch, &m->mapping)) {
    case SC_OS: return "output stationary";
    case SC_WS: return "weight stationary";
    case SC_IS: return "input stationary";
    case SC_DATAFLOWS: break;
    }
    return "no array";
}

void sc_mapped_op_view(sc_mapping_view *out, const sc_map_result *r, const sc_mapped_op *op)
{
    const sc_mapped *m = &op->mapped;
    *out = (sc_mapping_view){.op = op->name,
                             .design = r->spec,
                             .einsum = &m->padded,
                             .arch = &r->arch,
                             .mapping = &m->mapping,
                             .counts = &m->counts,
                             .cost = &m->cost,
                             .cycles = op->cycles,
                             .compute_cycles = m->compute_cycles,
                             .utilization = (double)op->macs /
                                            (op->cycles * (double)r->arch.compute.instances),
                             .dataflow = dataflow_name(r, m),
                             .certificate = &op->certificate};
}

sc_status sc_map_result_picture(char **svg, const sc_map_result *r, size_t i)
{
    sc_mapping_view view;
    if (i >= r->n_ops)
        return sc_fail(SC_EINVAL, "no mapped op %zu: there are %zu", i, r->n_ops);
    if (r->ops[i].mapped.misfit.code != SC_FITS)
        return sc_fail(SC_EINVAL, "op %s has no mapping that fits", r->ops[i].name);
    sc_mapped_op_view(&view, r, &r->ops[i]);
    return sc_view_picture(svg, &view);
}
