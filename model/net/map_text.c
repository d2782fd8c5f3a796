#include <math.h>

#include "core/units.h"
#include "model/net/map_result.h"
#include "model/net/padding.h"

static void indent(sc_buf *b, int depth)
{
    sc_buf_printf(b, "%*s", 2 * depth + 2, "");
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
        sc_buf_printf(b, "parallel-for %s in 0..%llu on %s\n", e->dim_name[block->spatial.dim[i]],
                      (unsigned long long)block->spatial.factor[i], sc_spatial_axis(block, i));
    }
}

/* What a limit is, and what it would have to be. */
static void text_blocker(sc_buf *b, const sc_map_result *r, const sc_mapped_op *op,
                         const sc_blocker *w)
{
    const unsigned long long need = w->need, have = w->have;
    char where[SC_BLOCKER_WHERE];
    sc_blocker_where(where, w, &op->mapped.padded, &r->arch);
    sc_buf_printf(b, "  %s: ", where);
    switch (w->code) {
    case SC_BLOCKER_CAPACITY:
        sc_buf_printf(b, "holds %llu B, %llu B are needed", have, need);
        break;
    case SC_BLOCKER_FACTOR:
        sc_buf_printf(b, "factor %llu is asked for, %llu would do", have, need);
        break;
    case SC_BLOCKER_KEEP: sc_buf_puts(b, "has to be kept"); break;
    case SC_BLOCKER_BYPASS: sc_buf_puts(b, "has to pass by"); break;
    case SC_BLOCKER_MESH_X:
    case SC_BLOCKER_MESH_Y:
        sc_buf_printf(b, "%llu children along %c, %llu are needed", have,
                      w->code == SC_BLOCKER_MESH_X ? 'X' : 'Y', need);
        break;
    case SC_BLOCKER_ORDER: sc_buf_puts(b, "an order is asked for"); break;
    case SC_BLOCKER_SPLIT:
        sc_buf_printf(b, "split %llu is asked for, %llu would do", have, need);
        break;
    case SC_BLOCKER_DATAFLOW:
        sc_buf_puts(b, "none of the dataflows of the array does what is asked");
        break;
    case SC_BLOCKER_SEQUENTIAL: sc_buf_puts(b, "steps wait for one another: outermost"); break;
    }
    sc_buf_puts(b, "\n");
}

static void text_blockers(sc_buf *b, const sc_map_result *r, const sc_mapped_op *op)
{
    if (op->n_blockers == 0) {
        sc_buf_puts(b, "no mapping that obeys the constraints was found; too many to tell why\n");
        return;
    }
    sc_buf_puts(b, op->n_blockers == 1
                       ? "no mapping obeys the constraints, because of one limit:\n"
                       : "no mapping obeys the constraints; without any one of these limits there "
                         "are some:\n");
    for (unsigned i = 0; i < op->n_blockers; i++)
        text_blocker(b, r, op, &op->blocker[i]);
}

static void text_padding(sc_buf *b, const sc_mapped_op *op)
{
    const sc_einsum *padded = &op->mapped.padded;
    if (sc_padding_share(padded->n_dims, op->bound, padded->bound) <= 0.0)
        return;
    sc_buf_puts(b, "  padded ");
    sc_padding_text(b, padded, op->bound, padded->bound);
    sc_buf_puts(b, "\n");
}

/* @return false for an op that does not fit, whose line says so. */
static bool text_totals(sc_buf *b, const sc_map_result *r, const sc_mapped_op *op)
{
    const sc_mapped *m = &op->mapped;
    char sure[32];
    sc_mapping_view v;
    sc_buf_printf(b, "%s: ", op->name);
    if (m->misfit.code == SC_MISFIT_CONSTRAINTS) {
        text_blockers(b, r, op);
        return false;
    }
    if (m->misfit.code != SC_FITS) {
        const char *unit = m->misfit.code == SC_MISFIT_CAPACITY ? " B" : "";
        sc_buf_printf(b, "does not fit: %s at level %s, needs %llu%s, has %llu%s\n",
                      sc_misfit_name(m->misfit.code), r->arch.level[m->misfit.level].name,
                      (unsigned long long)m->misfit.need, unit, (unsigned long long)m->misfit.have,
                      unit);
        return false;
    }
    sc_mapped_op_view(&v, r, op);
    if (op->calibrated)
        sc_buf_printf(b, "%.0f cycles by the calibration; the model: ", op->cycles);
    sc_buf_printf(b, "%.0f cycles (bound %.0f, %s), utilisation %.1f %%, %.4g uJ, %s\n",
                  m->total_cycles, m->lower_bound_cycles, sc_certificate_text(sure, v.certificate),
                  100.0 * v.utilization, m->cost.energy_pj * 1e-6, v.dataflow);
    text_padding(b, op);
    return true;
}

static void text_size(sc_buf *b, const sc_map_result *r)
{
    char size[SC_MAP_SIZE_TEXT];
    if (r->sized)
        sc_buf_printf(b, "  map space: %s mappings of perfect factors, capacities aside\n",
                      sc_map_size_text(size, &r->size));
}

static void text_search(sc_buf *b, const sc_certificate *c)
{
    char time[32];
    sc_buf_printf(b, "  least %s: %llu mapping%s counted", c->goal,
                  (unsigned long long)c->evaluations, c->evaluations == 1 ? "" : "s");
    if (c->nodes > 0)
        sc_buf_printf(b, ", %llu partial ones bounded", (unsigned long long)c->nodes);
    if (isfinite(c->seconds)) {
        sc_quantity_format(time, sizeof time, c->seconds, SC_UNIT_SECOND);
        sc_buf_printf(b, ", %s", time);
    }
    sc_buf_puts(b, "\n");
}

static void text_levels(sc_buf *b, const sc_map_result *r, const sc_mapped *m)
{
    int depth = 0;
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
}

static void text_op(sc_buf *b, const sc_map_result *r, const sc_mapped_op *op, bool loops)
{
    sc_mapping_view v;
    const bool fits = text_totals(b, r, op);
    text_size(b, r);
    if (fits) {
        if (loops || isfinite(op->certificate.seconds))
            text_search(b, &op->certificate);
        if (loops) {
            sc_mapped_op_view(&v, r, op);
            sc_view_loops(b, &v);
        } else {
            text_levels(b, r, &op->mapped);
        }
    }
    sc_buf_puts(b, "\n");
}

static sc_status text(char **out, const sc_map_result *r, bool loops)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_printf(&b, "%s on %s, batch %llu; tiles %s\n\n", r->workload, r->spec,
                  (unsigned long long)r->batch, loops ? "of one instance" : "in words");
    if (r->arch.calibration.name[0])
        sc_buf_printf(
            &b, "calibration %s: cycles of convolutions and matrix products by the calibration\n\n",
            r->arch.calibration.name);
    for (size_t i = 0; i < r->n_ops; i++)
        text_op(&b, r, &r->ops[i], loops);
    return sc_buf_take(&b, out);
}

sc_status sc_map_result_text(char **out, const sc_map_result *r)
{
    return text(out, r, false);
}

sc_status sc_map_result_loops(char **out, const sc_map_result *r)
{
    return text(out, r, true);
}
