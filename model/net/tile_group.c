#include "model/net/tile_group.h"

#include <math.h>
#include <string.h>

#include "model/net/residency_parts.h"

static double sum(const double v[SC_SLOTS])
{
    return v[SC_SLOT_IN] + v[SC_SLOT_WEIGHT] + v[SC_SLOT_OUT];
}

/* Adds what one member does in all of its calls. */
static void add_member(sc_tile_lines *l, const sc_tile_group *g, const sc_tile_shape *s,
                       const sc_tile_cost *c, uint32_t m, bool stays)
{
    const double calls = s->calls[m], own = g->weights[m];
    const bool streamed = own > 0.0 && !stays;
    const double extra = g->a->level[1].buffers < 2.0 && calls > 1.0 ? 2.0 : 1.0;
    double read[SC_SLOTS], filled = streamed ? c->weight_filled : 0.0;
    memcpy(read, c->read, sizeof read);
    if (streamed)
        read[SC_SLOT_WEIGHT] = c->weight_through;
    l->chip += calls * fmax(c->chip_cycles, sc_tile_level_cycles(&g->a->level[1], sum(read),
                                                                 sum(c->written) + filled));
    for (int slot = 0; slot < SC_SLOTS; slot++) {
        l->buffer_read[slot] += calls * read[slot];
        l->buffer_written[slot] += calls * c->written[slot];
    }
    l->other_read += calls * c->dram_read;
    l->other_written += calls * c->dram_written;
    if (m == 0 && own > 0.0)
        l->weight_first = fmin(own, c->weight_first);
    if (streamed) {
        l->weight_again += calls * c->weight_read;
        l->weight_filled += calls * filled;
        l->weight_bytes += extra * c->weight_block;
    } else {
        l->weight_once += own;
        l->weight_filled += own;
        l->weight_bytes += own;
    }
}

void sc_tile_lines_of(sc_tile_lines *out, const sc_tile_group *g, const sc_tile_shape *s,
                      const sc_tile_cost *cost, uint32_t stay)
{
    double live = 0.0;
    memset(out, 0, sizeof *out);
    for (uint32_t m = 0; m < g->n; m++) {
        add_member(out, g, s, &cost[m], m, stay >> m & 1);
        live = fmax(live, s->live_bytes[m] + cost[m].rows);
    }
    for (uint32_t k = 0; k < g->n_outside; k++)
        out->in_read += s->read[k];
    out->out_written = sc_tile_result_bytes(g);
    out->other_written += s->left_bytes;
    out->buffer_read[SC_SLOT_OUT] += out->out_written + s->left_bytes;
    out->first = fmin(s->first_bytes, out->in_read);
    out->tiles = s->tiles;
    out->inside_bytes = s->kept_bytes + live;
    out->bytes = s->in_bytes + s->out_bytes + out->inside_bytes + out->weight_bytes;
}

double sc_tile_dram_bytes(const sc_tile_lines *l)
{
    return l->in_read + l->weight_once + l->weight_again + l->other_read + l->out_written +
           l->other_written;
}

/* Until the first operands are there. */
static double prefill(const sc_tile_lines *l, const sc_arch *a)
{
    return ceil(sc_tile_level_cycles(&a->level[0], l->first + l->weight_first, 0.0));
}

/* A share of the tiles, with so many bytes of weights on their way. */
static double tiles_cycles(const sc_tile_lines *l, const sc_arch *a, double share, double weights)
{
    const double in = share * (l->in_read + l->weight_again + l->other_read) + weights;
    const double out = share * (l->out_written + l->other_written);
    const double once = fmin(l->weight_filled, l->weight_once);
    const double filled = share * (l->in_read + l->weight_filled - once) + weights;
    const double dram = sc_tile_level_cycles(&a->level[0], in, out);
    const double buffer = sc_tile_level_cycles(&a->level[1], share * sum(l->buffer_read),
                                               share * sum(l->buffer_written) + filled);
    return fmax(share * l->chip, fmax(dram, buffer));
}

double sc_tile_cycles(const sc_tile_lines *l, const sc_arch *a)
{
    const double first = 1.0 / l->tiles;
    double cycles = tiles_cycles(l, a, first, l->weight_once);
    if (l->tiles > 1.0)
        cycles += tiles_cycles(l, a, 1.0 - first, 0.0);
    return ceil(cycles) + prefill(l, a);
}

/* ---- one call ---- */

static void repeat(sc_tile_cost *c, double times)
{
    for (int slot = 0; slot < SC_SLOTS; slot++) {
        c->read[slot] *= times;
        c->written[slot] *= times;
    }
    c->chip_cycles *= times;
    c->dram_read *= times;
    c->dram_written *= times;
    c->weight_read *= times;
    c->weight_filled *= times;
    c->weight_through *= times;
}

static double turn(const sc_tile_cost *c, const sc_arch *a)
{
    if (!c->fits)
        return (double)INFINITY;
    return fmax(c->chip_cycles, sc_tile_level_cycles(&a->level[1], sum(c->read), sum(c->written)));
}

sc_status sc_tile_call_price(sc_tile_cost *cost, sc_op_cost *c, double *times,
                             const sc_tile_group *g, uint32_t member, uint64_t batch,
                             const uint64_t extent[SC_TILE_AXES])
{
    const sc_op *op = g->op[member];
    const bool sampled = sc_op_is_mac(op) && g->sample[member];
    sc_op_cost all, one;
    sc_tile_cost single;
    sc_status st = SC_OK;
    *times = 1.0;
    *cost = (sc_tile_cost){.fits = false};
    if (!sampled || batch > 1) {
        st = sc_tile_price(&all, op, g->mapping[member], batch, extent, g->a, g->softmax);
        if (st != SC_OK)
            return st;
        sc_tile_cost_of(cost, op, &all, g->a);
    }
    if (sampled) {
        st = sc_tile_price(&one, op, g->sample[member], 1, extent, g->a, g->softmax);
        if (st != SC_OK)
            return st;
        sc_tile_cost_of(&single, op, &one, g->a);
        repeat(&single, (double)batch);
        if (batch == 1 || turn(&single, g->a) < turn(cost, g->a)) {
            *cost = single;
            *times = (double)batch;
            all = one;
        }
    }
    if (c)
        *c = all;
    return SC_OK;
}

/* ---- as one op ---- */

/* Energy, and what passes the levels inside the buffer, of all calls of a member. */
static void add_inner(sc_op_cost *out, const sc_op_cost *c, const sc_arch *a, double calls)
{
    out->compute_pj += calls * c->compute_pj;
    out->energy_pj += calls * c->compute_pj;
    for (uint32_t level = 2; level < a->n_levels; level++) {
        out->level_bytes[level] += calls * c->level_bytes[level];
        out->level_cycles[level] += calls * c->level_cycles[level];
        for (int slot = 0; slot < SC_SLOTS; slot++) {
            out->tensor_pj[level][slot] += calls * c->tensor_pj[level][slot];
            out->energy_pj += calls * c->tensor_pj[level][slot];
        }
    }
}

static void set_traffic(sc_op_traffic *t, const sc_tile_lines *l, const sc_tile_shape *s)
{
    t->read[0][SC_SLOT_IN] = l->in_read + l->other_read;
    t->read[0][SC_SLOT_WEIGHT] = l->weight_once + l->weight_again;
    t->written[0][SC_SLOT_OUT] = l->out_written + l->other_written;
    t->again = l->other_read;
    t->twice = l->other_written;
    memcpy(t->read[1], l->buffer_read, sizeof t->read[1]);
    memcpy(t->written[1], l->buffer_written, sizeof t->written[1]);
    t->written[1][SC_SLOT_IN] += l->in_read;
    t->written[1][SC_SLOT_WEIGHT] += l->weight_filled;
    t->filled[SC_SLOT_IN] = l->in_read;
    t->filled[SC_SLOT_WEIGHT] = l->weight_filled;
    t->tile[SC_SLOT_IN] = s->in_bytes;
    t->tile[SC_SLOT_WEIGHT] = l->weight_bytes;
    t->tile[SC_SLOT_OUT] = s->out_bytes;
    t->rows = l->inside_bytes;
    t->first[SC_SLOT_IN] = l->first;
    t->first[SC_SLOT_WEIGHT] = l->weight_first;
    t->through = 1u << SC_SLOT_IN | 1u << SC_SLOT_OUT;
    if (l->weight_filled > 0.0)
        t->through |= 1u << SC_SLOT_WEIGHT;
}

/* The two outermost levels: bytes, energy, cycles. */
static void set_outer(sc_op_cost *out, const sc_arch *a)
{
    for (int level = 0; level < 2; level++) {
        double read = 0.0, written = 0.0;
        for (int slot = 0; slot < SC_SLOTS; slot++) {
            sc_moved m = {{0.0}, {0.0}};
            m.read[level] = out->traffic.read[level][slot];
            m.written[level] = out->traffic.written[level][slot];
            const double pj = sc_residency__energy_pj(&a->level[level], &m, level, slot);
            out->tensor_pj[level][slot] = pj;
            out->energy_pj += pj;
            read += m.read[level];
            written += m.written[level];
        }
        out->level_bytes[level] = read + written;
        out->level_cycles[level] = ceil(sc_tile_level_cycles(&a->level[level], read, written));
    }
}

static void set_time(sc_op_cost *out, const sc_tile_lines *l, const sc_arch *a)
{
    double longest = l->chip;
    out->compute_cycles = ceil(l->chip);
    out->bound = SC_BOUND_COMPUTE;
    for (int level = 0; level < 2; level++)
        if (out->level_cycles[level] > longest) {
            longest = out->level_cycles[level];
            out->bound = level;
        }
    for (uint32_t level = 2; level < a->n_levels; level++) /* within the members' turns */
        out->level_cycles[level] = fmin(out->level_cycles[level], out->compute_cycles);
    out->prefill_cycles = prefill(l, a);
    out->cycles = sc_tile_cycles(l, a);
}

sc_status sc_tile_group_cost(sc_op_cost *out, const sc_tile_group *g, const sc_tile_choice *w)
{
    sc_tile_shape s;
    sc_tile_lines l;
    sc_tile_cost cost[SC_TILE_MEMBERS];
    double macs = 0.0, times;
    memset(out, 0, sizeof *out);
    if (!sc_tile_shape_of(&s, g, w))
        return sc_fail(SC_EINVAL, "op %s: a group cannot be cut so", g->op[g->n - 1]->name);
    for (uint32_t m = 0; m < g->n; m++) {
        sc_op_cost c;
        uint64_t extent[SC_TILE_AXES];
        sc_tile_call(extent, &s, m);
        const sc_status st = sc_tile_call_price(&cost[m], &c, &times, g, m, s.batch, extent);
        if (st != SC_OK)
            return st;
        add_inner(out, &c, g->a, s.calls[m] * times);
        macs += (double)g->op[m]->macs;
    }
    sc_tile_lines_of(&l, g, &s, cost, w->stay);
    set_traffic(&out->traffic, &l, &s);
    set_outer(out, g->a);
    set_time(out, &l, g->a);
    out->lower_bound_cycles = macs / (double)g->a->compute.instances;
    out->compulsory_bytes = sc_tile_dram_bytes(&l);
    return SC_OK;
}
