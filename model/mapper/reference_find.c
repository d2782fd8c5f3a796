/* The best mapping of a case in files of the reference tool. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/mem.h"
#include "model/count/reference_case.h"
#include "model/mapper/exact.h"
#include "model/mapper/exact_fit.h"
#include "model/mapper/imperfect.h"
#include "model/mapper/map_size.h"

static sc_status read_objective(sc_goal_kind *out, const char *name)
{
    for (unsigned k = 0; k <= SC_GOAL_ED2P; k++)
        if (!name || strcmp(name, sc_goal_name((sc_goal_kind)k)) == 0) {
            *out = name ? (sc_goal_kind)k : SC_GOAL_EDP;
            return SC_OK;
        }
    return sc_fail(SC_EINVAL, "objective '%s' is none of energy, delay, edp, ed2p", name);
}

/* Names next to each other where all have one letter, else with commas between. */
static const char *separator(const sc_einsum *e)
{
    for (unsigned d = 0; d < e->n_dims; d++)
        if (strlen(e->dim_name[d]) != 1)
            return ",";
    return "";
}

static json_t *text_of(sc_buf *b, bool *ok)
{
    char *text = NULL;
    json_t *value = sc_buf_take(b, &text) == SC_OK ? json_string(text) : NULL;
    sc_free(text);
    *ok = *ok && value;
    return value;
}

/* A block as the reference writes it: factors, with the last iterations where those are fewer, and
 * all dimensions innermost first. */
static json_t *block_of(const sc_loops *loops, const uint64_t *last, const char *target,
                        const char *type, const sc_einsum *e, bool *ok)
{
    sc_buf factors, order;
    json_t *o = json_object();
    unsigned seen = 0;
    sc_buf_init(&factors);
    sc_buf_init(&order);
    for (unsigned i = 0; i < loops->n; i++) {
        const unsigned d = loops->dim[i];
        sc_buf_printf(&factors, "%s%s=%llu", i ? "," : "", e->dim_name[d],
                      (unsigned long long)loops->factor[i]);
        if (last[d] != loops->factor[i])
            sc_buf_printf(&factors, ",%llu", (unsigned long long)last[d]);
        sc_buf_printf(&order, "%s%s", i ? separator(e) : "", e->dim_name[loops->dim[i]]);
        seen |= 1u << loops->dim[i];
    }
    for (unsigned d = 0; d < e->n_dims; d++)
        if (!(seen >> d & 1)) {
            sc_buf_printf(&order, "%s%s", seen ? separator(e) : "", e->dim_name[d]);
            seen |= 1u << d;
        }
    sc_json_set(o, "target", json_string(target), ok);
    sc_json_set(o, "type", json_string(type), ok);
    sc_json_set(o, "factors", text_of(&factors, ok), ok);
    sc_json_set(o, "permutation", text_of(&order, ok), ok);
    return o;
}

static json_t *kept_of(uint8_t keep, const char *target, const sc_einsum *e, bool *ok)
{
    json_t *o = json_object(), *kept = json_array(), *passed = json_array();
    for (unsigned i = 0; i < e->n_tensors; i++)
        sc_json_append(keep >> i & 1 ? kept : passed, json_string(e->tensor[i].name), ok);
    sc_json_set(o, "target", json_string(target), ok);
    sc_json_set(o, "type", json_string("bypass"), ok);
    sc_json_set(o, "keep", kept, ok);
    sc_json_set(o, "bypass", passed, ok);
    return o;
}

static json_t *mapping_of(const sc_mapping *m, const sc_einsum *e, const sc_arch *a, bool *ok)
{
    uint64_t last[SC_MAX_LEVELS][2][SC_MAX_DIMS];
    json_t *list = json_array();
    sc_last_iterations(last, m, e);
    for (unsigned l = m->n_levels; l-- > 0;) {
        const sc_block *b = &m->level[l];
        const char *name = a->level[l].name;
        if (a->level[l].fanout_x * a->level[l].fanout_y > 1) {
            json_t *spatial = block_of(&b->spatial, last[l][1], name, "spatial", e, ok);
            sc_json_set(spatial, "split", json_integer(b->split), ok);
            sc_json_append(list, spatial, ok);
        }
        sc_json_append(list, block_of(&b->temporal, last[l][0], name, "temporal", e, ok), ok);
        sc_json_append(list, kept_of(b->keep, name, e, ok), ok);
    }
    return list;
}

static sc_certificate certificate(const sc_exact *x, const sc_exact_options *o, double seconds)
{
    return (sc_certificate){sc_goal_name(o->goal.kind),
                            x->value,
                            x->bound,
                            x->optimal,
                            x->nodes,
                            x->evaluations,
                            seconds};
}

static sc_status report_of(json_t **out, bool *feasible, const sc_reference_case *c,
                           const sc_exact *x, const sc_exact_options *o, double seconds)
{
    json_t *r = NULL;
    bool ok = true;
    const sc_certificate sure = certificate(x, o, seconds);
    const sc_status st = sc_reference_report(&r, feasible, c, &x->mapping, &o->count);
    if (st != SC_OK)
        return st;
    sc_json_set(r, "objective", json_string(sc_goal_name(o->goal.kind)), &ok);
    sc_json_set(r, "value", sc_json_real(x->value), &ok);
    sc_json_set(r, "lower_bound", sc_json_real(x->bound), &ok);
    sc_json_set(r, "optimal", json_boolean(x->optimal), &ok);
    sc_json_set(r, "gap", sc_json_real(sc_certificate_gap(&sure)), &ok);
    sc_json_set(r, "nodes", sc_json_count(x->nodes), &ok);
    sc_json_set(r, "evaluations", sc_json_count(x->evaluations), &ok);
    if (!isnan(seconds))
        sc_json_set(r, "seconds", sc_json_real(seconds), &ok);
    sc_json_set(r, "mapping", mapping_of(&x->mapping, &c->problem, &c->arch, &ok), &ok);
    if (!ok) {
        json_decref(r);
        return sc_fail(SC_ENOMEM, "out of memory for the report");
    }
    *out = r;
    return SC_OK;
}

static json_t *reason_of(const sc_blocker *b, const sc_reference_case *c, bool *ok)
{
    char where[SC_BLOCKER_WHERE];
    sc_blocker_where(where, b, &c->problem, &c->arch);
    return sc_reference_reason(sc_blocker_name(b->code), where, b->need, b->have, ok);
}

/* Nothing fits, or nothing was found in time: why. */
static sc_status why_not(json_t **out, json_t *reasons, bool ok)
{
    json_t *r = json_object();
    sc_json_set(r, "feasible", json_false(), &ok);
    sc_json_set(r, "reasons", reasons, &ok);
    sc_json_set(r, "cycles", json_null(), &ok);
    sc_json_set(r, "energy_pj", json_null(), &ok);
    if (!ok) {
        json_decref(r);
        return sc_fail(SC_ENOMEM, "out of memory for the report");
    }
    *out = r;
    return SC_OK;
}

/* The limits that together rule out every mapping. @param[out] out  NULL: some mapping fits. */
static sc_status blockers(json_t **out, const sc_reference_case *c, const sc_exact_options *o)
{
    sc_blocker blocker[SC_MAX_BLOCKERS];
    unsigned n;
    bool ok = true;
    const sc_status st = sc_exact_blockers(blocker, &n, &c->problem, &c->arch, o->constraints);
    if (st != SC_OK || n == 0)
        return st;
    json_t *reasons = json_array();
    for (unsigned i = 0; i < n; i++)
        sc_json_append(reasons, reason_of(&blocker[i], c, &ok), &ok);
    return why_not(out, reasons, ok);
}

/* The budget ended the search before its first mapping: one that fits, whatever it costs. */
static sc_status any_mapping(sc_exact *x, const sc_reference_case *c, const sc_exact_options *o)
{
    sc_count_plan plan;
    sc_fit fit;
    sc_status st = sc_fit_any(&fit, &c->problem, &c->arch, o->constraints);
    if (st != SC_OK || !fit.fits)
        return st;
    sc_count_plan_init(&plan, &c->problem);
    if ((st = sc_count_with(&x->counts, &plan, &c->arch, &fit.mapping, &o->count)) != SC_OK)
        return st;
    sc_cost_of(&x->cost, &x->counts, (double)x->counts.compute_cycles, &c->problem, &c->arch);
    x->found = true;
    x->optimal = false;
    x->mapping = fit.mapping;
    x->value = sc_goal_value(&o->goal, x->cost.energy_pj, x->cost.cycles);
    return SC_OK;
}

/* The space is too large to be walked for what stands in the way, or was walked for mappings alone.
 */
static sc_status unknown(json_t **out, const sc_exact *x, const char *code)
{
    bool ok = true;
    json_t *reasons = json_array(), *r = json_object();
    sc_json_set(r, "code", json_string(code), &ok);
    sc_json_set(r, "where", json_string("search"), &ok);
    sc_json_set(r, "need", json_null(), &ok);
    sc_json_set(r, "have", sc_json_count(x->nodes), &ok);
    sc_json_set(r, "excess", json_null(), &ok);
    sc_json_append(reasons, r, &ok);
    return why_not(out, reasons, ok);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sc_status show(sc_reference_best *made, const sc_reference_case *c, const sc_exact *x,
                      const sc_exact_options *o, const char *design,
                      const sc_reference_best_options *b, double seconds)
{
    const sc_certificate sure = certificate(x, o, seconds);
    sc_status st = SC_OK;
    if (b->loops)
        st = sc_reference_show(&made->loops, SC_REFERENCE_LOOPS, c, &x->mapping, &o->count, design,
                               &sure);
    if (b->picture && st == SC_OK)
        st = sc_reference_show(&made->picture, SC_REFERENCE_PICTURE, c, &x->mapping, &o->count,
                               design, &sure);
    return st;
}

/* Some mapping fits: the best, with its texts. */
static sc_status search(json_t **report, sc_reference_best *made, bool *feasible,
                        const sc_reference_case *c, const sc_exact_options *o, const char *design,
                        const sc_reference_best_options *b)
{
    sc_exact best;
    const double start = now();
    sc_status st = sc_exact_map(&best, &c->problem, &c->arch, o);
    if (st == SC_OK && !best.found)
        st = any_mapping(&best, c, o);
    if (st != SC_OK)
        return st;
    if (!best.found)
        return unknown(report, &best, o->node_budget > 0 ? "node_budget" : "limits");
    const double seconds = b->timing ? now() - start : (double)NAN;
    st = report_of(report, feasible, c, &best, o, seconds);
    return st == SC_OK ? show(made, c, &best, o, design, b, seconds) : st;
}

/* Words would pass between neighbours if factors were perfect. */
static bool has_links(const sc_reference_case *c, const sc_exact_options *o)
{
    bool side_by_side = false;
    for (unsigned l = 0; l < c->arch.n_levels; l++)
        side_by_side |= c->arch.level[l].fanout_x * c->arch.level[l].fanout_y > 1;
    return side_by_side && o->count.links != SC_LINKS_NONE;
}

/* What the search for imperfect mappings adds to a report. */
static sc_status add_imperfect(json_t *report, const sc_imperfect *f, bool links)
{
    bool ok = true;
    json_t *o = json_object();
    sc_json_set(o, "walked", json_boolean(f->walked), &ok);
    sc_json_set(o, "perfect_value", f->perfect_found ? sc_json_real(f->perfect_value) : json_null(),
                &ok);
    sc_json_set(o, "perfect_optimal", json_boolean(f->perfect_found && f->perfect_optimal), &ok);
    sc_json_set(o, "links_left_out", json_boolean(links), &ok);
    sc_json_set(report, "imperfect", o, &ok);
    return ok ? SC_OK : sc_fail(SC_ENOMEM, "out of memory for the report");
}

/* The same search over factors that need not divide, without links. */
static sc_status search_imperfect(json_t **report, sc_reference_best *made, bool *feasible,
                                  const sc_reference_case *c, const sc_exact_options *with,
                                  const char *design, const sc_reference_best_options *b)
{
    sc_exact_options o = *with;
    sc_imperfect found;
    const double start = now();
    o.count.links = SC_LINKS_NONE;
    sc_status st = sc_imperfect_map(&found, &c->problem, &c->arch, &o);
    if (st != SC_OK)
        return st;
    const double seconds = b->timing ? now() - start : (double)NAN;
    if (!found.best.found)
        st = unknown(report, &found.best, found.walked ? "no_mapping" : "node_budget");
    else if ((st = report_of(report, feasible, c, &found.best, &o, seconds)) == SC_OK)
        st = show(made, c, &found.best, &o, design, b, seconds);
    return st == SC_OK ? add_imperfect(*report, &found, has_links(c, with)) : st;
}

static sc_status add_size(json_t *report, const sc_reference_case *c, const sc_exact_options *o)
{
    const sc_map_size_options limits = {.constraints = o->constraints};
    sc_map_size size;
    bool ok = true;
    const sc_status st = sc_map_size_of(&size, &c->problem, &c->arch, &limits);
    if (st != SC_OK)
        return st;
    sc_json_set(report, "map_space", sc_map_size_json(&size, &ok), &ok);
    return ok ? SC_OK : sc_fail(SC_ENOMEM, "out of memory for the report");
}

sc_status sc_reference_find(sc_reference_best *out, const char *architecture_path,
                            const char *problem_path, const sc_reference_options *o,
                            const sc_reference_best_options *b)
{
    const sc_reference_best_options defaults = SC_REFERENCE_BEST_OPTIONS_INIT;
    sc_exact_options options = SC_EXACT_OPTIONS_INIT;
    sc_reference_best made = {0};
    sc_reference_case c;
    json_t *report = NULL;
    bool feasible = false;
    sc_status st;

    if (!architecture_path || !problem_path)
        return sc_fail(SC_EINVAL, "an architecture and a problem file are needed");
    b = b ? b : &defaults;
    options.node_budget = b->node_budget;
    if ((st = read_objective(&options.goal.kind, b->objective)) != SC_OK ||
        (st = sc_reference_count_options(&options.count, o)) != SC_OK ||
        (st = sc_reference_case_read(&c, architecture_path, problem_path, NULL, o)) != SC_OK)
        goto done;
    if (c.n_constraints > 0)
        options.constraints = &c.constraints;
    sc_reference_case_rules(&c, &options.count);
    if (b->imperfect)
        st = search_imperfect(&report, &made, &feasible, &c, &options, architecture_path, b);
    else if ((st = blockers(&report, &c, &options)) == SC_OK && !report)
        st = search(&report, &made, &feasible, &c, &options, architecture_path, b);
    if (st != SC_OK || (!b->imperfect && (st = add_size(report, &c, &options)) != SC_OK) ||
        (st = sc_json_write(&made.report, report, 1)) != SC_OK)
        goto done;
    made.feasible = feasible;
    *out = made;
    made = (sc_reference_best){0};
done:
    json_decref(report);
    sc_reference_best_clear(&made);
    return st;
}

void sc_reference_best_clear(sc_reference_best *b)
{
    if (!b)
        return;
    sc_free(b->report);
    sc_free(b->loops);
    sc_free(b->picture);
    *b = (sc_reference_best){0};
}
