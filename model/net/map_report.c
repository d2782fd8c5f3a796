#include <math.h>

#include "core/json.h"
#include "model/net/calibrated.h"
#include "model/net/map_result.h"
#include "model/net/padding.h"

static json_t *loops_json(const sc_loops *loops, const sc_einsum *e, int from, int to, bool *ok)
{
    json_t *list = json_array();
    for (int i = to; i-- > from;) {
        json_t *loop = json_object();
        sc_json_set(loop, "dim", json_string(e->dim_name[loops->dim[i]]), ok);
        sc_json_set(loop, "factor", json_integer((json_int_t)loops->factor[i]), ok);
        sc_json_append(list, loop, ok);
    }
    return list;
}

static json_t *tensor_json(const sc_mapping_view *v, int level, int tensor, bool *ok)
{
    const sc_access *at = &v->counts->at[level][tensor];
    json_t *o = json_object();
    sc_tile_view t;
    sc_tile_view_of(&t, v, level, tensor);
    sc_json_set(o, "name", json_string(v->einsum->tensor[tensor].name), ok);
    sc_json_set(o, "tile_words", json_integer((json_int_t)t.words), ok);
    sc_json_set(o, "tile_bytes", json_integer((json_int_t)t.bytes), ok);
    sc_json_set(o, "capacity_share", sc_json_real(t.share), ok);
    sc_json_set(o, "reads", json_integer((json_int_t)at->reads), ok);
    sc_json_set(o, "fills", json_integer((json_int_t)at->fills), ok);
    sc_json_set(o, "updates", json_integer((json_int_t)at->updates), ok);
    sc_json_set(o, "loads", json_integer((json_int_t)t.loads), ok);
    sc_json_set(o, "reuse", sc_json_real(t.reuse), ok);
    sc_json_set(o, "energy_pj", sc_json_real(v->cost->tensor_pj[level][tensor]), ok);
    return o;
}

/* What the level's instances hold and move, a tensor a row. */
static void use_json(json_t *o, const sc_mapping_view *v, int level, bool *ok)
{
    json_t *tensors = json_array();
    for (int t = 0; t < v->einsum->n_tensors; t++)
        if (v->mapping->level[level].keep >> t & 1)
            sc_json_append(tensors, tensor_json(v, level, t, ok), ok);
    sc_json_set(o, "instances", json_integer((json_int_t)v->arch->level[level].instances), ok);
    sc_json_set(o, "used_instances", json_integer((json_int_t)v->counts->used_instances[level]),
                ok);
    sc_json_set(o, "cycles", sc_json_real(v->cost->level_cycles[level]), ok);
    sc_json_set(o, "energy_pj", sc_json_real(sc_level_energy(v, level)), ok);
    sc_json_set(o, "tensors", tensors, ok);
}

static json_t *level_json(const sc_map_result *r, const sc_mapping_view *v, const sc_mapped *m,
                          int level, bool *ok)
{
    const sc_block *b = &m->mapping.level[level];
    json_t *o = json_object(), *tiles = json_object();
    sc_json_set(o, "level", json_string(r->arch.level[level].name), ok);
    for (int t = 0; t < m->padded.n_tensors; t++)
        if (b->keep & 1u << t)
            sc_json_set(tiles, m->padded.tensor[t].name,
                        json_integer((json_int_t)m->counts.at[level][t].tile), ok);
    sc_json_set(o, "tile_words", tiles, ok);
    sc_json_set(o, "temporal", loops_json(&b->temporal, &m->padded, 0, b->temporal.n, ok), ok);
    sc_json_set(o, "x", loops_json(&b->spatial, &m->padded, 0, b->split, ok), ok);
    sc_json_set(o, "y", loops_json(&b->spatial, &m->padded, b->split, b->spatial.n, ok), ok);
    sc_json_set(o, "diagonal_mask", json_integer(b->diagonal), ok);
    use_json(o, v, level, ok);
    return o;
}

static json_t *reason_json(const char *code, const char *where, double need, double have, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "code", json_string(code), ok);
    sc_json_set(o, "where", json_string(where), ok);
    sc_json_set(o, "need", sc_json_real(need), ok);
    sc_json_set(o, "have", sc_json_real(have), ok);
    sc_json_set(o, "excess", sc_json_real(need - have), ok);
    return o;
}

static json_t *reasons_json(const sc_map_result *r, const sc_mapped_op *op, bool *ok)
{
    const sc_misfit *misfit = &op->mapped.misfit;
    json_t *list = json_array();
    for (unsigned i = 0; i < op->n_blockers; i++) {
        const sc_blocker *b = &op->blocker[i];
        char where[SC_BLOCKER_WHERE];
        sc_blocker_where(where, b, &op->mapped.padded, &r->arch);
        sc_json_append(
            list,
            reason_json(sc_blocker_name(b->code), where, (double)b->need, (double)b->have, ok), ok);
    }
    if (op->n_blockers == 0)
        sc_json_append(list,
                       reason_json(sc_misfit_name(misfit->code), r->arch.level[misfit->level].name,
                                   (double)misfit->need, (double)misfit->have, ok),
                       ok);
    return list;
}

static json_t *op_json(const sc_map_result *r, const sc_mapped_op *op, bool *ok)
{
    const sc_mapped *m = &op->mapped;
    const bool fits = m->misfit.code == SC_FITS;
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(op->name), ok);
    sc_json_set(o, "feasible", json_boolean(fits), ok);
    sc_json_set(o, "reasons", fits ? json_array() : reasons_json(r, op, ok), ok);
    if (!fits)
        return o;
    sc_mapping_view v;
    sc_mapped_op_view(&v, r, op);
    json_t *levels = json_array();
    for (int level = 0; level < m->mapping.n_levels; level++)
        sc_json_append(levels, level_json(r, &v, m, level, ok), ok);
    sc_json_set(o, "macs", json_integer((json_int_t)op->macs), ok);
    sc_json_set(o, "cycles", sc_json_real(op->cycles), ok);
    if (r->arch.calibration.name[0]) {
        sc_json_set(o, "calibrated", json_boolean(op->calibrated), ok);
        sc_json_set(o, "modelled_cycles", sc_json_real(m->total_cycles), ok);
    }
    sc_json_set(o, "compute_cycles", sc_json_real(m->compute_cycles), ok);
    sc_json_set(o, "lower_bound", sc_json_real(m->lower_bound_cycles), ok);
    sc_json_set(o, "gap", sc_json_real(sc_certificate_gap(&op->certificate)), ok);
    sc_json_set(o, "optimal", json_boolean(op->certificate.optimal), ok);
    sc_json_set(o, "utilization", sc_json_real(v.utilization), ok);
    sc_json_set(o, "energy_pj", sc_json_real(m->cost.energy_pj), ok);
    sc_json_set(o, "dataflow", json_string(v.dataflow), ok);
    sc_json_set(o, "evaluations", json_integer((json_int_t)op->certificate.evaluations), ok);
    if (isfinite(op->certificate.seconds))
        sc_json_set(o, "seconds", sc_json_real(op->certificate.seconds), ok);
    sc_json_set(o, "mapping", levels, ok);
    sc_json_set(o, "padding", sc_padding_json(&m->padded, op->bound, m->padded.bound, ok), ok);
    json_t *clip = json_array();
    for (int d = 0; d < m->padded.n_dims; d++)
        if (sc_mapped_clips(m, d))
            sc_json_append(clip, json_string(m->padded.dim_name[d]), ok);
    if (json_array_size(clip) > 0)
        sc_json_set(o, "clip", clip, ok);
    else
        json_decref(clip);
    return o;
}

sc_status sc_map_result_json(char **out, const sc_map_result *r)
{
    bool ok = true;
    json_t *o = json_object(), *list = json_array();
    sc_json_set(o, "design", json_string(r->spec), &ok);
    sc_json_set(o, "workload", json_string(r->workload), &ok);
    sc_json_set(o, "batch", json_integer((json_int_t)r->batch), &ok);
    sc_json_set(o, "calibration", sc_calibration_json(&r->arch.calibration, &ok), &ok);
    sc_json_set(o, "feasible", json_boolean(sc_map_result_feasible(r)), &ok);
    if (r->sized)
        sc_json_set(o, "map_space", sc_map_size_json(&r->size, &ok), &ok);
    for (size_t i = 0; i < r->n_ops; i++)
        sc_json_append(list, op_json(r, &r->ops[i], &ok), &ok);
    sc_json_set(o, "op_list", list, &ok);
    const sc_status st =
        ok ? sc_json_write(out, o, 1) : sc_fail(SC_ENOMEM, "no memory for the mappings' JSON");
    json_decref(o);
    return st;
}
