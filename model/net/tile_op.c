#include "model/net/tile_op.h"

#include <math.h>
#include <string.h>

#include "model/mapper/score.h"
#include "model/net/residency_parts.h"

bool sc_tile_may(const sc_op *op)
{
    return !op->recurrent && op->kind != SC_OP_EMBED && op->cache_elems == 0;
}

uint64_t sc_tile_out(const sc_op *op, int axis)
{
    return axis == SC_TILE_ROWS ? op->oh : op->ow;
}

uint64_t sc_tile_in(const sc_op *op, size_t operand, int axis)
{
    const sc_shape *s = &op->operands[operand].read;
    return axis == SC_TILE_ROWS ? s->h : s->w;
}

static const sc_tile_window barred = {SC_TILE_BARRED, 0, 0, 0};
static const sc_tile_window whole = {SC_TILE_WHOLE, 0, 0, 0};
static const sc_tile_window same = {SC_TILE_WINDOW, 1, 1, 0};

static sc_tile_window slides(const sc_op *op, int axis)
{
    if (axis == SC_TILE_ROWS)
        return (sc_tile_window){SC_TILE_WINDOW, (op->r - 1) * op->dilation_h + 1, op->stride_h,
                                op->pad_top};
    return (sc_tile_window){SC_TILE_WINDOW, (op->s - 1) * op->dilation_w + 1, op->stride_w,
                            op->pad_left};
}

/* Position by position, or one position for all. */
static sc_tile_window pointwise(const sc_op *op, size_t operand, int axis)
{
    const uint64_t in = sc_tile_in(op, operand, axis), out = sc_tile_out(op, axis);
    if (in == out)
        return same;
    return in == 1 ? whole : barred;
}

sc_tile_window sc_tile_window_of(const sc_op *op, size_t operand, int axis)
{
    const bool flat = op->d == 1 && op->od == 1 && op->t == 1;
    if (!flat)
        return barred;
    switch (op->kind) {
    case SC_OP_CONV:
    case SC_OP_DWCONV:
    case SC_OP_POOL: return slides(op, axis);
    case SC_OP_ADD:
    case SC_OP_MUL:
    case SC_OP_ACTIVATION:
    case SC_OP_BATCHNORM:
    case SC_OP_LAYERNORM:
    case SC_OP_RMSNORM:
    case SC_OP_MATMUL: return pointwise(op, operand, axis);
    case SC_OP_CONCAT: /* of channels */
        return sc_tile_in(op, operand, axis) == sc_tile_out(op, axis) ? same : barred;
    case SC_OP_SOFTMAX: /* over the last extent, which is not cut */
        return axis == SC_TILE_ROWS && op->ow > 1 ? same : barred;
    case SC_OP_BMM: /* rows of the first operand and the result, all of the second */
        if (axis != SC_TILE_ROWS)
            return barred;
        return operand == 0 ? same : whole;
    default: return barred;
    }
}

static uint64_t needed(const sc_op *op, size_t operand, int axis, uint64_t extent)
{
    const uint64_t in = sc_tile_in(op, operand, axis);
    const sc_tile_window w = sc_tile_window_of(op, operand, axis);
    if (extent == sc_tile_out(op, axis) || w.reach != SC_TILE_WINDOW)
        return in;
    const uint64_t need = (extent - 1) * w.stride + w.kernel;
    return need < in ? need : in;
}

/* v of the whole, for so much of the result; whole numbers divide where v is a multiple of it. */
static uint64_t of_part(uint64_t v, double share)
{
    return (uint64_t)ceil((double)v * share - 1e-6);
}

void sc_tile_part(sc_op *out, const sc_op *op, uint64_t batch, const uint64_t extent[SC_TILE_AXES])
{
    const uint64_t h = extent[SC_TILE_ROWS], w = extent[SC_TILE_COLUMNS];
    const double share = (double)batch / (double)op->batch * ((double)h / (double)op->oh) *
                         ((double)w / (double)op->ow);
    sc_op p = *op;
    p.batch = batch;
    p.oh = h;
    p.ow = w;
    p.in_elems = 0;
    for (size_t k = 0; k < op->n_operands; k++) {
        const sc_shape *r = &op->operands[k].read;
        p.in_elems += batch * r->c * r->d * needed(op, k, SC_TILE_ROWS, h) *
                      needed(op, k, SC_TILE_COLUMNS, w);
    }
    if (op->n_operands > 0) {
        p.h = needed(op, 0, SC_TILE_ROWS, h);
        p.w = needed(op, 0, SC_TILE_COLUMNS, w);
    }
    p.out_elems = batch * op->cout * op->od * h * w;
    p.macs = of_part(op->macs, share);
    p.passed_elems = of_part(op->passed_elems, share);
    p.passed_macs = of_part(op->passed_macs, share);
    if (op->kind == SC_OP_BMM) {
        p.m = h;
        p.count = op->count / op->batch * batch;
    } else if (sc_op_is_mac(op)) {
        p.m = of_part(op->m, share);
    }
    *out = p;
}

/* ---- price ---- */

static void shrink(uint64_t *factor, uint64_t *left)
{
    if (*factor > *left)
        *factor = *left;
    *left = (*left + *factor - 1) / *factor;
}

/* The loops of one block over a dimension, the inner first: across, then in time. */
static void shrink_block(sc_block *b, unsigned dim, uint64_t *left)
{
    for (int i = 0; i < b->spatial.n; i++)
        if (b->spatial.dim[i] == dim)
            shrink(&b->spatial.factor[i], left);
    for (int i = 0; i < b->temporal.n; i++)
        if (b->temporal.dim[i] == dim)
            shrink(&b->temporal.factor[i], left);
}

static uint64_t product(const sc_mapping *m, unsigned dim)
{
    uint64_t p = 1;
    for (int level = 0; level < m->n_levels; level++) {
        const sc_block *b = &m->level[level];
        for (int i = 0; i < b->spatial.n; i++)
            p *= b->spatial.dim[i] == dim ? b->spatial.factor[i] : 1;
        for (int i = 0; i < b->temporal.n; i++)
            p *= b->temporal.dim[i] == dim ? b->temporal.factor[i] : 1;
    }
    return p;
}

/* Factors of dimensions that the part has less of; bounds become what factors multiply to. */
static void cut(sc_mapping *m, sc_einsum *part, const sc_einsum *all)
{
    for (unsigned d = 0; d < part->n_dims; d++) {
        uint64_t left = part->bound[d];
        if (left < all->bound[d])
            for (int level = m->n_levels - 1; level >= 0; level--)
                shrink_block(&m->level[level], d, &left);
        part->bound[d] = product(m, d);
    }
}

sc_status sc_tile_price(sc_op_cost *out, const sc_op *op, const sc_mapping *mapping, uint64_t batch,
                        const uint64_t extent[SC_TILE_AXES], const sc_arch *a,
                        sc_softmax_rule softmax)
{
    const sc_cost_options with = {.rules = SC_RULES_INIT};
    sc_op part;
    sc_einsum all, e;
    sc_mapped r;
    sc_tile_part(&part, op, batch, extent);
    if (!sc_op_is_mac(op)) {
        sc_vector_cost_of(out, &part, a, softmax);
        return SC_OK;
    }
    sc_status st = sc_op_einsum_on(&all, op, a);
    if (st != SC_OK || (st = sc_op_einsum_on(&e, &part, a)) != SC_OK)
        return st;
    const sc_map_options o = sc_op_map_options(&part, &e, &with);
    memset(&r, 0, sizeof r);
    r.mapping = *mapping;
    r.padded = e;
    cut(&r.mapping, &r.padded, &all);
    sc_scorer scorer;
    sc_scorer_init(&scorer, &r.padded, a, &o);
    r.misfit = sc_mapping_fit(&r.mapping, &r.padded, a);
    if (r.misfit.code == SC_FITS && (st = sc_score(&r, &scorer, &r.mapping)) != SC_OK)
        return st;
    sc_op_cost_mapped(out, &r, a);
    return SC_OK;
}

sc_arch sc_tile_inside(const sc_arch *a)
{
    sc_arch inside = *a;
    inside.level[0].read_bw = inside.level[0].write_bw = inside.level[0].shared_bw = 0.0;
    return inside;
}

double sc_tile_level_cycles(const sc_level *l, double read, double written)
{
    double cycles = 0.0;
    if (l->read_bw > 0.0)
        cycles = fmax(cycles, read / l->read_bw);
    if (l->write_bw > 0.0)
        cycles = fmax(cycles, written / l->write_bw);
    if (l->shared_bw > 0.0)
        cycles = fmax(cycles, (read + written) / l->shared_bw);
    return cycles;
}

void sc_tile_cost_of(sc_tile_cost *out, const sc_op *op, const sc_op_cost *c, const sc_arch *a)
{
    const sc_op_traffic *t = &c->traffic;
    sc_moved in = {{0.0}, {0.0}}, weight = {{0.0}, {0.0}}, made = {{0.0}, {0.0}};
    double chip = c->compute_cycles, serial = 0.0;
    memset(out, 0, sizeof *out);
    out->fits = c->misfit.code == SC_FITS;
    if (!out->fits)
        return;
    for (uint32_t level = 2; level < a->n_levels; level++) {
        if (a->level[level].no_overlap)
            serial += c->level_cycles[level];
        else
            chip = fmax(chip, c->level_cycles[level]);
    }
    out->chip_cycles = chip + serial;
    sc_residency__spare_input(&in, t, SC_SLOT_IN, 1.0);
    sc_residency__spare_input(&weight, t, SC_SLOT_WEIGHT, 1.0);
    sc_residency__spare_output(&made, t);
    const sc_moved *spared[SC_SLOTS] = {&in, &weight, &made};
    for (int slot = 0; slot < SC_SLOTS; slot++) {
        out->read[slot] = fmax(0.0, t->read[1][slot] - spared[slot]->read[1]);
        out->written[slot] = fmax(0.0, t->written[1][slot] - spared[slot]->written[1]);
        if (slot == SC_SLOT_WEIGHT)
            continue;
        out->dram_read += fmax(0.0, t->read[0][slot] - spared[slot]->read[0]);
        out->dram_written += fmax(0.0, t->written[0][slot] - spared[slot]->written[0]);
    }
    out->rows = t->rows;
    if (op->weight_is_activation)
        return;
    out->weight_read = t->read[0][SC_SLOT_WEIGHT];
    out->weight_filled = t->filled[SC_SLOT_WEIGHT];
    out->weight_through = t->read[1][SC_SLOT_WEIGHT];
    out->weight_block = t->tile[SC_SLOT_WEIGHT];
    out->weight_first = t->first[SC_SLOT_WEIGHT];
}
