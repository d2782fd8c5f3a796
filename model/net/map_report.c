#include <string.h>

#include "core/buf.h"
#include "core/json.h"
#include "model/mapper/array.h"
#include "model/net/calibrated.h"
#include "model/net/map_result.h"

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

static double utilization(const sc_map_result *r, const sc_mapped_op *op)
{
    return (double)op->macs / (op->cycles * (double)r->arch.compute.instances);
}

/* By how much the mapping is slower than any mapping could be at best, as a share. */
static double gap(const sc_mapped *m)
{
    return m->total_cycles / m->lower_bound_cycles - 1.0;
}

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

static json_t *level_json(const sc_map_result *r, const sc_mapped *m, int level, bool *ok)
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
    return o;
}

static json_t *reasons_json(const sc_map_result *r, const sc_misfit *misfit, bool *ok)
{
    json_t *list = json_array(), *o = json_object();
    sc_json_set(o, "code", json_string(sc_misfit_name(misfit->code)), ok);
    sc_json_set(o, "where", json_string(r->arch.level[misfit->level].name), ok);
    sc_json_set(o, "excess", sc_json_real((double)misfit->need - (double)misfit->have), ok);
    sc_json_append(list, o, ok);
    return list;
}

static json_t *op_json(const sc_map_result *r, const sc_mapped_op *op, bool *ok)
{
    const sc_mapped *m = &op->mapped;
    const bool fits = m->misfit.code == SC_FITS;
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(op->name), ok);
    sc_json_set(o, "feasible", json_boolean(fits), ok);
    sc_json_set(o, "reasons", fits ? json_array() : reasons_json(r, &m->misfit, ok), ok);
    if (!fits)
        return o;
    json_t *levels = json_array();
    for (int level = 0; level < m->mapping.n_levels; level++)
        sc_json_append(levels, level_json(r, m, level, ok), ok);
    sc_json_set(o, "macs", json_integer((json_int_t)op->macs), ok);
    sc_json_set(o, "cycles", sc_json_real(op->cycles), ok);
    if (r->arch.calibration.name[0]) {
        sc_json_set(o, "calibrated", json_boolean(op->calibrated), ok);
        sc_json_set(o, "modelled_cycles", sc_json_real(m->total_cycles), ok);
    }
    sc_json_set(o, "compute_cycles", sc_json_real(m->compute_cycles), ok);
    sc_json_set(o, "lower_bound", sc_json_real(m->lower_bound_cycles), ok);
    sc_json_set(o, "gap", sc_json_real(gap(m)), ok);
    sc_json_set(o, "optimal", json_boolean(gap(m) <= 0.0), ok);
    sc_json_set(o, "utilization", sc_json_real(utilization(r, op)), ok);
    sc_json_set(o, "energy_pj", sc_json_real(m->cost.energy_pj), ok);
    sc_json_set(o, "dataflow", json_string(dataflow_name(r, m)), ok);
    sc_json_set(o, "evaluations", json_integer((json_int_t)m->evaluations), ok);
    sc_json_set(o, "mapping", levels, ok);
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
    for (size_t i = 0; i < r->n_ops; i++)
        sc_json_append(list, op_json(r, &r->ops[i], &ok), &ok);
    sc_json_set(o, "op_list", list, &ok);
    const sc_status st =
        ok ? sc_json_write(out, o, 1) : sc_fail(SC_ENOMEM, "no memory for the mappings' JSON");
    json_decref(o);
    return st;
}

static void indent(sc_buf *b, int depth)
{
    sc_buf_printf(b, "%*s", 2 * depth + 2, "");
}

static const char *axis_name(const sc_block *block, int i)
{
    if (i >= block->split)
        return "Y";
    return block->diagonal & 1u << i ? "X and Y" : "X";
}

/* One block's loops, outermost first, each a step further in. */
static void text_loops(sc_buf *b, const sc_block *block, const sc_einsum *e, int *depth)
{
    for (int i = block->temporal.n; i-- > 0; (*depth)++) {
        indent(b, *depth);
        sc_buf_printf(b, "for %s in 0..%llu\n", e->dim_name[block->temporal.dim[i]],
                      (unsigned long long)block->temporal.factor[i]);
    }
    for (int i = block->spatial.n; i-- > 0; (*depth)++) {
        indent(b, *depth);
        sc_buf_printf(b, "parallel %s in 0..%llu on %s\n", e->dim_name[block->spatial.dim[i]],
                      (unsigned long long)block->spatial.factor[i], axis_name(block, i));
    }
}

static void text_op(sc_buf *b, const sc_map_result *r, const sc_mapped_op *op)
{
    const sc_mapped *m = &op->mapped;
    int depth = 0;
    sc_buf_printf(b, "%s: ", op->name);
    if (m->misfit.code != SC_FITS) {
        sc_buf_printf(b, "does not fit: %s at level %s, needs %llu, has %llu\n\n",
                      sc_misfit_name(m->misfit.code), r->arch.level[m->misfit.level].name,
                      (unsigned long long)m->misfit.need, (unsigned long long)m->misfit.have);
        return;
    }
    if (op->calibrated)
        sc_buf_printf(b, "%.0f cycles by the calibration; the model: ", op->cycles);
    sc_buf_printf(b, "%.0f cycles (bound %.0f, gap %.1f %%), utilisation %.1f %%, %.4g uJ, %s\n",
                  m->total_cycles, m->lower_bound_cycles, 100.0 * gap(m),
                  100.0 * utilization(r, op), m->cost.energy_pj * 1e-6, dataflow_name(r, m));
    for (int level = 0; level < m->mapping.n_levels; level++) {
        const sc_block *block = &m->mapping.level[level];
        indent(b, depth);
        sc_buf_printf(b, "[%s]", r->arch.level[level].name);
        for (int t = 0; t < m->padded.n_tensors; t++)
            if (block->keep & 1u << t)
                sc_buf_printf(b, " %s %llu", m->padded.tensor[t].name,
                              (unsigned long long)m->counts.at[level][t].tile);
        sc_buf_puts(b, "\n");
        text_loops(b, block, &m->padded, &depth);
    }
    sc_buf_puts(b, "\n");
}

sc_status sc_map_result_text(char **out, const sc_map_result *r)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_printf(&b, "%s on %s, batch %llu; tiles in words\n\n", r->workload, r->spec,
                  (unsigned long long)r->batch);
    if (r->arch.calibration.name[0])
        sc_buf_printf(&b,
                      "calibration %s: cycles of convolutions and matrix products as measured\n\n",
                      r->arch.calibration.name);
    for (size_t i = 0; i < r->n_ops; i++)
        text_op(&b, r, &r->ops[i]);
    return sc_buf_take(&b, out);
}
