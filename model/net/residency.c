#include "model/net/residency_parts.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/mapper/array.h"

int sc_residency_level(const sc_arch *a)
{
    if (sc_inner_buffer(a) < 1 || a->level[0].instances != 1 || a->level[0].word_bits > 0)
        return 0;
    const sc_level *l = &a->level[1];
    const uint8_t all = (1u << SC_ROLES) - 1;
    return l->instances == 1 && l->bounded && !l->partitioned && (l->may_keep & all) == all ? 1 : 0;
}

sc_status sc_residency_create(sc_residency **out, const sc_network *n)
{
    sc_residency *r = sc_calloc(1, sizeof *r);
    if (!r)
        return SC_ENOMEM;
    r->n = n;
    r->w = sc_network_workload(n);
    size_t operands = 0;
    for (size_t i = 0; i < r->w->n_ops; i++)
        operands += r->w->ops[i].n_operands;
    const size_t tensors = r->w->n_inputs + r->w->n_ops;
    r->step = sc_calloc(r->w->n_ops, sizeof *r->step);
    r->read = sc_calloc(operands, sizeof *r->read);
    r->part = sc_calloc(operands, sizeof *r->part);
    r->tensor = sc_calloc(tensors, sizeof *r->tensor);
    r->maker = sc_calloc(r->w->n_ops, sizeof *r->maker);
    r->after = sc_calloc(operands, sizeof *r->after);
    r->first = sc_calloc(tensors, sizeof *r->first);
    r->last = sc_calloc(tensors, sizeof *r->last);
    if (!r->step || !r->read || !r->part || !r->tensor || !r->maker || !r->after || !r->first ||
        !r->last) {
        sc_residency_destroy(r);
        return SC_ENOMEM;
    }
    *out = r;
    return SC_OK;
}

void sc_residency_destroy(sc_residency *r)
{
    if (!r)
        return;
    sc_free(r->step);
    sc_free(r->read);
    sc_free(r->part);
    sc_free(r->tensor);
    sc_free(r->maker);
    sc_free(r->after);
    sc_free(r->first);
    sc_free(r->last);
    sc_free(r);
}

/* ---- lines ---- */

static int limits_of(sc_limit *out, const sc_arch *a, int level)
{
    const sc_level *l = &a->level[level];
    int n = 0;
    if (l->read_bw > 0.0)
        out[n++] = (sc_limit){level, SC_LIMIT_READ, l->read_bw};
    if (l->write_bw > 0.0)
        out[n++] = (sc_limit){level, SC_LIMIT_WRITTEN, l->write_bw};
    if (l->shared_bw > 0.0)
        out[n++] = (sc_limit){level, SC_LIMIT_BOTH, l->shared_bw};
    return n;
}

/* Every line so far, once with each of the limits: transfers that nothing overlaps with. */
static void add_to_all(sc_residency *r, const sc_limit *limits, int n)
{
    const int lines = r->n_lines;
    if (n == 0)
        return;
    for (int k = n - 1; k >= 0; k--)
        for (int i = 0; i < lines; i++) {
            sc_residency_line *to = &r->line[k * lines + i];
            *to = r->line[i];
            to->limit[to->n++] = limits[k];
        }
    r->n_lines = n * lines;
}

/* At most 12: the chip and 3 limits with 3 more, or the chip with 3 times 3. */
static void list_lines(sc_residency *r, const sc_arch *a)
{
    sc_limit limits[2][3];
    int n[2];
    r->n_lines = 1;
    r->line[0] = (sc_residency_line){.chip = true};
    for (int level = 0; level < 2; level++) {
        n[level] = limits_of(limits[level], a, level);
        for (int k = 0; k < n[level] && !a->level[level].no_overlap; k++)
            r->line[r->n_lines++] = (sc_residency_line){.n = 1, .limit = {limits[level][k]}};
    }
    for (int level = 0; level < 2; level++)
        if (a->level[level].no_overlap)
            add_to_all(r, limits[level], n[level]);
}

static double cycles_on(const sc_residency_line *l, const sc_moved *m)
{
    double cycles = 0.0;
    for (int k = 0; k < l->n; k++) {
        const sc_limit *at = &l->limit[k];
        double bytes = at->of == SC_LIMIT_WRITTEN ? 0.0 : m->read[at->level];
        bytes += at->of == SC_LIMIT_READ ? 0.0 : m->written[at->level];
        cycles += bytes / at->rate;
    }
    return cycles;
}

/* ---- what an operand changes ---- */

static bool passes(const sc_op_traffic *t, int slot)
{
    return t->through >> slot & 1;
}

void sc_residency__spare_input(sc_moved *m, const sc_op_traffic *t, int slot, double share)
{
    const double from_dram = t->read[0][slot] - (slot == SC_SLOT_IN ? t->again : 0.0);
    m->read[0] += share * from_dram;
    m->written[1] += share * t->filled[slot];
    if (!passes(t, slot))
        m->read[1] -= share * from_dram;
}

void sc_residency__spare_output(sc_moved *m, const sc_op_traffic *t)
{
    const double out = t->written[0][SC_SLOT_OUT] - t->twice, back = t->read[0][SC_SLOT_OUT];
    m->written[0] += out;
    m->read[0] += back;
    if (passes(t, SC_SLOT_OUT)) {
        m->read[1] += fmin(t->read[1][SC_SLOT_OUT], out);
        m->written[1] += t->filled[SC_SLOT_OUT];
    } else {
        m->written[1] -= out;
        m->read[1] -= back;
    }
}

double sc_residency__hold_read(const sc_op_traffic *t, const sc_part *p, double bytes)
{
    for (int slot = SC_SLOT_IN; slot <= SC_SLOT_WEIGHT; slot++)
        if (p->share[slot] > 0.0 && t->filled[slot] > 0.0)
            return 0.0; /* it comes through the buffer anyway */
    return bytes;
}

double sc_residency__hold_made(const sc_op_traffic *t)
{
    return passes(t, SC_SLOT_OUT) ? 0.0 : t->written[0][SC_SLOT_OUT] - t->twice;
}

double sc_residency__sooner(const sc_op_cost *c, const sc_arch *a, int slot, double share)
{
    const sc_level *dram = &a->level[0], *buffer = &a->level[1];
    double slow = dram->read_bw > 0.0 ? dram->read_bw : dram->shared_bw;
    double fast = buffer->read_bw > 0.0 ? buffer->read_bw : buffer->shared_bw;
    if (dram->shared_bw > 0.0)
        slow = fmin(slow, dram->shared_bw);
    if (buffer->shared_bw > 0.0)
        fast = fmin(fast, buffer->shared_bw);
    if (c->prefill_cycles <= 0.0 || slow <= 0.0)
        return 0.0;
    const double bytes = share * c->traffic.first[slot];
    return fmax(0.0, bytes / slow - (fast > 0.0 ? bytes / fast : 0.0));
}

static sc_fusion_gain gain_of(const sc_residency *r, const sc_op_cost *c, const sc_moved *spared,
                              double prefill)
{
    sc_fusion_gain g = {.dram_bytes = fmax(0.0, spared->read[0] + spared->written[0])};
    for (int l = 0; l < r->n_lines && c->modelled_cycles <= 0.0; l++)
        g.cycles[l] = cycles_on(&r->line[l], spared) + prefill;
    return g;
}

static void hold(sc_fusion_gain *g, const sc_residency *r, const sc_op_cost *c, double bytes)
{
    const sc_moved extra = {.written = {0.0, bytes}};
    for (int l = 0; l < r->n_lines && c->modelled_cycles <= 0.0; l++)
        g->hold[l] = cycles_on(&r->line[l], &extra);
}

static sc_fusion_gain read_gain(const sc_residency *r, const sc_op_cost *c, const sc_arch *a,
                                const sc_part *p, double bytes)
{
    const sc_op_traffic *t = &c->traffic;
    sc_moved spared = {{0.0}, {0.0}};
    double prefill = 0.0, tile = 0.0;
    for (int slot = SC_SLOT_IN; slot <= SC_SLOT_WEIGHT; slot++) {
        if (p->share[slot] <= 0.0)
            continue;
        sc_residency__spare_input(&spared, t, slot, p->share[slot]);
        prefill += sc_residency__sooner(c, a, slot, p->share[slot]);
        tile += p->share[slot] * t->tile[slot];
    }
    sc_fusion_gain g = gain_of(r, c, &spared, prefill);
    g.block_bytes = fmin(floor(tile), bytes);
    hold(&g, r, c, sc_residency__hold_read(t, p, bytes));
    return g;
}

static sc_fusion_gain made_gain(const sc_residency *r, const sc_op_cost *c, double bytes)
{
    const sc_op_traffic *t = &c->traffic;
    sc_moved spared = {{0.0}, {0.0}};
    sc_residency__spare_output(&spared, t);
    sc_fusion_gain g = gain_of(r, c, &spared, 0.0);
    g.block_bytes = fmin(t->tile[SC_SLOT_OUT], bytes);
    hold(&g, r, c, sc_residency__hold_made(t));
    return g;
}

/* ---- steps ---- */

static double elements(const sc_op *op, const sc_operand *o)
{
    return (double)op->batch * (double)o->read.c * (double)o->read.d * (double)o->read.h *
           (double)o->read.w;
}

static int slot_of(const sc_op *op, size_t operand)
{
    return op->weight_is_activation && operand == 1 ? SC_SLOT_WEIGHT : SC_SLOT_IN;
}

static size_t tensor_of(const sc_residency *r, int32_t producer)
{
    return producer < 0 ? (size_t)(-1 - producer) : r->w->n_inputs + (size_t)producer;
}

/* Whether the operand comes in line, or is not a tensor that the op streams. */
static bool not_moved(const sc_residency *r, const sc_arch *a, size_t i, int32_t producer)
{
    const bool in_line =
        a->vector.in_line && producer >= 0 && producer == sc_network_passed_from(r->n, i);
    return in_line || r->w->ops[i].kind == SC_OP_EMBED;
}

/* The step's read of a tensor, a new one unless it reads it already. */
static size_t read_of(sc_residency *r, sc_fusion_step *s, uint32_t t)
{
    size_t at = s->first_read;
    while (at < s->first_read + s->n_reads && r->read[at].tensor != t)
        at++;
    if (at < s->first_read + s->n_reads)
        return at;
    r->read[at].tensor = t;
    r->part[at] = (sc_part){{0.0, 0.0}};
    s->n_reads++;
    r->after[at] = SC_NO_READ;
    if (r->last[t] == SC_NO_READ)
        r->first[t] = at;
    else
        r->after[r->last[t]] = at;
    r->last[t] = at;
    return at;
}

/* What step i reads of op `of`'s operands, the `skip` first left out. */
static void add_reads(sc_residency *r, double total[2], const sc_arch *a, size_t i, size_t of,
                      size_t skip)
{
    const sc_op *op = &r->w->ops[of];
    total[op->weight_is_activation ? SC_SLOT_WEIGHT : SC_SLOT_IN] += (double)op->cache_elems;
    for (size_t k = skip; k < op->n_operands; k++) {
        if (not_moved(r, a, of, op->operands[k].producer))
            continue;
        const size_t at = read_of(r, &r->step[i], (uint32_t)tensor_of(r, op->operands[k].producer));
        r->part[at].share[slot_of(op, k)] += elements(op, &op->operands[k]);
        total[slot_of(op, k)] += elements(op, &op->operands[k]);
    }
}

/* A group reads what comes from outside, halos that are fetched again included. */
static void add_group_reads(sc_residency *r, double total[2], const sc_tile_taken *g, size_t i)
{
    for (uint32_t k = 0; k < g->n_outside; k++) {
        const size_t at = read_of(r, &r->step[i], (uint32_t)tensor_of(r, g->producer[k]));
        r->part[at].share[SC_SLOT_IN] += g->read_bytes[k];
        total[SC_SLOT_IN] += g->read_bytes[k];
    }
}

static void list_reads(sc_residency *r, const sc_arch *a, size_t i)
{
    const sc_tile_taken *group = sc_tiles_group(r->tiles, i);
    const sc_cascade_chain *chain = sc_cascades_chain(r->cascades, i);
    sc_fusion_step *s = &r->step[i];
    double total[2] = {0.0, 0.0};
    s->first_read = r->problem.n_reads;
    s->n_reads = 0;
    if (group) {
        if (group->last == i)
            add_group_reads(r, total, group, i);
    } else if (!chain) {
        add_reads(r, total, a, i, i, 0);
    } else if (chain->av == i) { /* queries, keys; values, but not the scores */
        add_reads(r, total, a, i, chain->qk, 0);
        add_reads(r, total, a, i, i, 1);
    }
    for (size_t at = s->first_read; at < s->first_read + s->n_reads; at++)
        for (int slot = SC_SLOT_IN; slot <= SC_SLOT_WEIGHT; slot++)
            r->part[at].share[slot] /= fmax(1.0, total[slot]);
    r->problem.n_reads += s->n_reads;
}

static void set_lines(sc_fusion_step *s, const sc_residency *r, const sc_op_cost *c,
                      const sc_arch *a)
{
    sc_moved all = {{0.0}, {0.0}};
    double chip = c->compute_cycles, longest = 0.0;
    for (int level = 0; level < 2; level++)
        for (int slot = 0; slot < SC_SLOTS; slot++) {
            all.read[level] += c->traffic.read[level][slot];
            all.written[level] += c->traffic.written[level][slot];
        }
    for (uint32_t level = 2; level < a->n_levels; level++)
        if (!a->level[level].no_overlap)
            chip = fmax(chip, c->level_cycles[level]);
    for (int l = 0; l < r->n_lines; l++) {
        s->cycles[l] = cycles_on(&r->line[l], &all) + (r->line[l].chip ? chip : 0.0);
        longest = fmax(longest, s->cycles[l]);
    }
    /* The first fill, rounding, and transfers of inner levels that overlap with nothing. A measured
     * time is not taken apart. */
    for (int l = 0; l < r->n_lines; l++)
        s->cycles[l] =
            c->modelled_cycles > 0.0 ? c->cycles : fmax(0.0, s->cycles[l] + (c->cycles - longest));
}

double sc_residency__weight_bytes(const sc_op *op, const sc_arch *a)
{
    const double width = sc_op_bits_on(op, a) / 8.0;
    if (sc_op_is_mac(op))
        return op->weight_is_activation ? 0.0 : (double)op->weights * width;
    return op->kind == SC_OP_EMBED ? 0.0 : (double)op->other_params * width;
}

static void set_step(sc_residency *r, const sc_op_cost *c, const sc_arch *a, size_t i)
{
    const sc_op *op = &r->w->ops[i];
    sc_fusion_step *s = &r->step[i];
    const sc_part whole = {{0.0, 1.0}};
    set_lines(s, r, c, a);
    s->work_bytes = c->traffic.rows;
    for (int slot = 0; slot < SC_SLOTS; slot++)
        s->work_bytes += c->traffic.tile[slot];
    const sc_tile_taken *group = sc_tiles_group(r->tiles, i);
    s->weight_bytes = sc_residency__weight_bytes(op, a);
    if (group)
        s->weight_bytes = group->last == i ? group->weight_bytes : 0.0;
    s->weight = (sc_fusion_gain){.dram_bytes = 0.0};
    if (s->weight_bytes > 0.0)
        s->weight = read_gain(r, c, a, &whole, s->weight_bytes);
    for (size_t k = s->first_read; k < s->first_read + s->n_reads; k++)
        r->read[k].gain = read_gain(r, c, a, &r->part[k], r->tensor[r->read[k].tensor].bytes);
    s->made_gain = (sc_fusion_gain){.dram_bytes = 0.0};
    if (s->made >= 0)
        s->made_gain = made_gain(r, c, r->tensor[s->made].bytes);
}

/* Sizes, and which step makes what: lanes in line put their result in the place of the array's. */
static void list_tensors(sc_residency *r, const sc_arch *a)
{
    const sc_workload *w = r->w;
    for (size_t k = 0; k < w->n_inputs; k++) {
        const sc_shape s = w->inputs[k].shape;
        const sc_op as = {.bits = w->bits};
        r->tensor[k] =
            (sc_fusion_tensor){.bytes = (double)w->batch * (double)s.c * (double)s.d * (double)s.h *
                                        (double)s.w * sc_op_bits_on(&as, a) / 8.0};
    }
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_tile_taken *group = sc_tiles_group(r->tiles, i);
        const int32_t from = a->vector.in_line && !group ? sc_network_passed_from(r->n, i) : -1;
        r->maker[i] = from >= 0 ? r->maker[from] : i;
        r->step[i].made = -1;
        const sc_cascade_chain *chain = sc_cascades_chain(r->cascades, i);
        if (group ? group->last == i : !chain || chain->av == i) /* else it is never whole */
            r->step[r->maker[i]].made = (int32_t)(w->n_inputs + i);
        r->tensor[w->n_inputs + i] = (sc_fusion_tensor){
            .bytes = (double)w->ops[i].out_elems * sc_op_bits_on(&w->ops[i], a) / 8.0};
    }
}

void sc_residency_set_tiles(sc_residency *r, const sc_tiles *t)
{
    r->tiles = t;
}

const sc_op_cost *sc_residency__cost(const sc_residency *r, const sc_op_cost *cost, size_t i)
{
    const sc_op_cost *group = sc_tiles_cost(r->tiles, i);
    return group ? group : sc_cascades_cost(r->cascades, r->n, cost, i);
}

const sc_fusion_problem *sc_residency_problem(sc_residency *r, const sc_op_cost *cost,
                                              const sc_cascades *cascades, const sc_arch *a)
{
    const sc_workload *w = r->w;
    r->cascades = cascades;
    const size_t tensors = w->n_inputs + w->n_ops;
    list_lines(r, a);
    list_tensors(r, a);
    r->problem =
        (sc_fusion_problem){.n_lines = r->n_lines,
                            .capacity_bytes = (double)sc_level_room(&a->level[1], SC_ROLE_INPUT),
                            .n_steps = w->n_ops,
                            .n_tensors = tensors,
                            .step = r->step,
                            .tensor = r->tensor,
                            .read = r->read};
    for (size_t t = 0; t < tensors; t++)
        r->first[t] = r->last[t] = SC_NO_READ;
    for (size_t i = 0; i < w->n_ops; i++)
        list_reads(r, a, i);
    for (size_t t = 0; t < tensors; t++)
        r->tensor[t].leaves = r->first[t] == SC_NO_READ;
    for (size_t i = 0; i < w->n_ops; i++)
        set_step(r, sc_residency__cost(r, cost, i), a, i);
    return &r->problem;
}
