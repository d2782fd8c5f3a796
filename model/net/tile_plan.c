#include "model/net/tile_plan.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/net/residency.h"
#include "model/net/tile_parts.h"

/* ---- groups of a network ---- */

static bool read_in_full(const sc_workload *w, const sc_operand *o)
{
    const sc_shape *r = &o->read;
    if (o->producer < 0) {
        const sc_shape *s = &w->inputs[-1 - o->producer].shape;
        return s->c == r->c && s->d == r->d && s->h == r->h && s->w == r->w;
    }
    const sc_op *p = &w->ops[o->producer];
    return p->cout == r->c && p->od == r->d && p->oh == r->h && p->ow == r->w;
}

/* A tensor read in full is one however many members read it. */
static bool add_outside(sc_tile_edge *e, sc_tile_group *g, const sc_workload *w,
                        const sc_operand *o, double width)
{
    uint32_t at = 0;
    const bool full = read_in_full(w, o);
    while (at < g->n_outside && !(full && g->outside[at].producer == o->producer &&
                                  g->outside[at].full && g->outside[at].width == width))
        at++;
    if (at == SC_TILE_OUTSIDE)
        return false;
    if (at == g->n_outside)
        g->outside[g->n_outside++] = (sc_tile_outside){o->producer, full, o->read, width};
    *e = (sc_tile_edge){false, (uint8_t)at};
    return true;
}

/* What does not depend on the design; widths in bits. */
static bool make_group(sc_tile_group *g, const sc_tiles *t, size_t first, size_t last)
{
    const sc_workload *w = t->w;
    memset(g, 0, sizeof *g);
    g->batch = w->ops[last].batch;
    g->n = (uint32_t)(last - first + 1);
    for (uint32_t m = 0; m < g->n; m++) {
        const sc_op *op = &w->ops[first + m];
        if (!sc_tile_may(op) || op->batch != g->batch || op->n_operands > SC_TILE_OPERANDS ||
            op->n_operands == 0)
            return false;
        g->op[m] = op;
        g->unique[m] = (uint32_t)sc_network_unique_of(t->n, first + m);
        g->last_reader[m] = m;
        g->leaves[m] = m + 1 < g->n && t->last_reader[first + m] > last;
        for (uint32_t k = 0; k < op->n_operands; k++) {
            const int32_t from = op->operands[k].producer;
            if (from >= (int32_t)first) {
                g->edge[m][k] = (sc_tile_edge){true, (uint8_t)(from - (int32_t)first)};
                g->last_reader[from - (int32_t)first] = m;
            } else if (!add_outside(&g->edge[m][k], g, w, &op->operands[k], op->bits)) {
                return false;
            }
        }
    }
    return true;
}

bool sc_tiles_group_of(sc_tile_group *g, const sc_tiles *t, const sc_tile_run *r)
{
    if (!make_group(g, t, r->first, r->last))
        return false;
    g->a = t->a;
    g->softmax = t->softmax;
    for (uint32_t m = 0; m < g->n; m++) {
        g->mapping[m] = &t->mapping[SC_TILE_MAPPINGS * g->unique[m]];
        g->sample[m] = &t->mapping[SC_TILE_MAPPINGS * g->unique[m] + 1];
        if (g->sample[m]->n_levels == 0)
            g->sample[m] = NULL;
        g->width[m] = sc_op_bits_on(g->op[m], t->a) / 8.0;
        g->least[m] = sc_op_is_mac(g->op[m])
                          ? (double)g->op[m]->macs / (double)t->a->compute.instances
                          : t->cost[g->unique[m]].compute_cycles;
        g->weights[m] = sc_residency__weight_bytes(g->op[m], t->a);
    }
    for (uint32_t k = 0; k < g->n_outside; k++) {
        const sc_op as = {.bits = (uint32_t)g->outside[k].width};
        g->outside[k].width = sc_op_bits_on(&as, t->a) / 8.0;
    }
    return true;
}

static sc_hash128 hash_of(const sc_tile_group *g)
{
    uint64_t word[2 + SC_TILE_MEMBERS * (2 + SC_TILE_OPERANDS) + 5 * SC_TILE_OUTSIDE];
    size_t n = 0;
    word[n++] = g->n;
    for (uint32_t m = 0; m < g->n; m++) {
        word[n++] = g->unique[m];
        word[n++] = g->leaves[m];
        for (size_t k = 0; k < g->op[m]->n_operands; k++)
            word[n++] = (uint64_t)g->edge[m][k].inside << 8 | g->edge[m][k].from;
    }
    for (uint32_t k = 0; k < g->n_outside; k++) {
        const sc_tile_outside *o = &g->outside[k];
        word[n++] = o->shape.c;
        word[n++] = o->shape.d;
        word[n++] = o->shape.h;
        word[n++] = o->shape.w;
        word[n++] = (uint64_t)o->width;
    }
    return sc_hash128_of(word, n * sizeof *word);
}

/* ---- runs ---- */

/* Readers of each op, the first and the last; the number of ops: none. */
static void find_readers(sc_tiles *t)
{
    const size_t n = t->w->n_ops;
    for (size_t i = 0; i < n; i++) {
        t->first_reader[i] = n;
        t->last_reader[i] = 0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < t->w->ops[i].n_operands; k++) {
            const int32_t from = t->w->ops[i].operands[k].producer;
            if (from < 0)
                continue;
            if (t->first_reader[from] == n)
                t->first_reader[from] = i;
            t->last_reader[from] = i;
        }
    for (size_t i = 0; i < n; i++)
        if (t->last_reader[i] == 0)
            t->last_reader[i] = n;
}

/* Shape of a group among those known, at open addresses. */
static uint32_t shape_of(sc_tiles *t, sc_hash128 h, uint32_t run)
{
    size_t i = (size_t)h.lo & (t->table_size - 1);
    while (t->table[i] && !sc_hash_equal(t->shape[t->table[i] - 1].hash, h))
        i = (i + 1) & (t->table_size - 1);
    if (t->table[i] == 0) {
        t->shape[t->n_shapes] = (tile_shape){.hash = h, .run = run};
        t->table[i] = (uint32_t)++t->n_shapes;
    }
    return t->table[i] - 1;
}

/* Ordered by their last op. */
static void find_runs(sc_tiles *t)
{
    for (size_t last = 1; last < t->w->n_ops; last++)
        for (size_t first = last; first-- > 0 && last - first < SC_TILE_MEMBERS;) {
            sc_tile_group g;
            if (t->first_reader[first] > last)
                break; /* it passes nothing on */
            if (!make_group(&g, t, first, last))
                continue;
            const uint32_t at = (uint32_t)t->n_runs++;
            t->run[at] = (sc_tile_run){(uint32_t)first, (uint32_t)last, 0};
            t->run[at].shape = shape_of(t, hash_of(&g), at);
        }
}

sc_status sc_tiles_create(sc_tiles **out, const sc_network *n)
{
    sc_tiles *t = sc_calloc(1, sizeof *t);
    sc_status st = SC_ENOMEM;
    if (!t)
        return SC_ENOMEM;
    t->n = n;
    t->w = sc_network_workload(n);
    const size_t ops = t->w->n_ops, runs = ops * (SC_TILE_MEMBERS - 1);
    t->table_size = 64;
    while (t->table_size < 2 * runs)
        t->table_size *= 2;
    t->first_reader = sc_calloc(ops, sizeof *t->first_reader);
    t->last_reader = sc_calloc(ops, sizeof *t->last_reader);
    t->run = sc_calloc(runs, sizeof *t->run);
    t->shape = sc_calloc(runs, sizeof *t->shape);
    t->table = sc_calloc(t->table_size, sizeof *t->table);
    t->group_of = sc_calloc(ops, sizeof *t->group_of);
    t->taken = sc_calloc(ops, sizeof *t->taken);
    t->empty = sc_calloc(ops, sizeof *t->empty);
    t->best = sc_calloc(ops + 1, sizeof *t->best);
    t->live = sc_calloc(ops, sizeof *t->live);
    t->span = sc_calloc(ops + t->w->n_inputs, sizeof *t->span);
    t->used = sc_calloc(ops + t->w->n_inputs, sizeof *t->used);
    t->front = sc_calloc(1, sizeof *t->front);
    if (!t->first_reader || !t->last_reader || !t->run || !t->shape || !t->table || !t->group_of ||
        !t->taken || !t->empty || !t->best || !t->live || !t->span || !t->used || !t->front ||
        (st = sc_tile_prices_create(&t->prices)) != SC_OK) {
        sc_tiles_destroy(t);
        return st;
    }
    find_readers(t);
    find_runs(t);
    *out = t;
    return SC_OK;
}

void sc_tiles_destroy(sc_tiles *t)
{
    if (!t)
        return;
    sc_tile_prices_destroy(t->prices);
    sc_free(t->first_reader);
    sc_free(t->last_reader);
    sc_free(t->run);
    sc_free(t->shape);
    sc_free(t->table);
    sc_free(t->group_of);
    sc_free(t->taken);
    sc_free(t->empty);
    sc_free(t->best);
    sc_free(t->live);
    sc_free(t->span);
    sc_free(t->used);
    sc_free(t->front);
    sc_free(t->points);
    sc_free(t);
}

/* ---- prices ---- */

bool sc_tiles_possible(const sc_arch *a)
{
    return sc_residency_level(a) == 1 && !a->level[0].no_overlap && !a->level[1].no_overlap;
}

/* In line, an op and what is passed to it are not parted. */
static bool parts_a_line(const sc_tiles *t, const sc_tile_run *r)
{
    for (size_t i = 0; t->a->vector.in_line && i < t->w->n_ops; i++) {
        const int32_t from = sc_network_passed_from(t->n, i);
        const bool reader = i >= r->first && i <= r->last;
        const bool maker = from >= (int32_t)r->first && from <= (int32_t)r->last;
        if (from >= 0 && reader != maker)
            return true;
    }
    return false;
}

static bool is_open(const sc_tiles *t, const sc_tile_run *r)
{
    for (size_t i = r->first; i <= r->last; i++)
        if (sc_cascades_chain(t->cascades, i) ||
            t->cost[sc_network_unique_of(t->n, i)].modelled_cycles > 0.0)
            return false;
    return !parts_a_line(t, r);
}

static sc_status keep_points(sc_tiles *t, tile_shape *s)
{
    const sc_tile_front *f = t->front;
    if (t->n_points + f->n > t->most_points) {
        const size_t most = 2 * (t->n_points + f->n) + 1024;
        sc_tile_point *more = sc_realloc_array(t->points, most, sizeof *more);
        if (!more)
            return SC_ENOMEM;
        t->points = more;
        t->most_points = most;
    }
    s->first = t->n_points;
    s->n = f->n;
    if (f->n > 0)
        memcpy(&t->points[t->n_points], f->point, f->n * sizeof *f->point);
    t->n_points += f->n;
    return SC_OK;
}

static sc_status price(sc_tiles *t, tile_shape *s)
{
    sc_tile_group g;
    const sc_tile_run *r = &t->run[s->run];
    s->n = 0;
    if (s->limit <= 0.0 || !sc_tiles_group_of(&g, t, r))
        return SC_OK;
    const sc_status st = sc_tile_search(
        t->front, &g, t->prices, (double)sc_level_room(&t->a->level[1], SC_ROLE_INPUT), s->limit);
    t->counts.choices += t->front->choices;
    t->counts.priced += t->front->priced;
    t->counts.dropped += t->front->dropped;
    s->least_chip = t->front->least_chip;
    return st == SC_OK ? keep_points(t, s) : st;
}

/* A group whose chip alone takes what its ops do by themselves is of no use: the most of all runs
 * of a shape, 0 where none is open. */
static void set_limits(sc_tiles *t, const double *step_cycles)
{
    for (size_t i = 0; i < t->n_shapes; i++)
        t->shape[i].limit = 0.0;
    for (size_t k = 0; k < t->n_runs; k++) {
        const sc_tile_run *r = &t->run[k];
        double apart = 0.0;
        if (!is_open(t, r))
            continue;
        for (size_t i = r->first; i <= r->last; i++)
            apart += step_cycles ? step_cycles[i] : t->cost[sc_network_unique_of(t->n, i)].cycles;
        t->shape[r->shape].limit = fmax(t->shape[r->shape].limit, apart);
    }
}

sc_status sc_tiles_price(sc_tiles *t, const sc_op_cost *cost, const sc_mapping *mapping,
                         const sc_arch *a, const sc_cascades *cascades, sc_softmax_rule softmax,
                         const double *step_cycles)
{
    sc_status st = SC_OK;
    t->a = a;
    t->cost = cost;
    t->mapping = mapping;
    t->cascades = cascades;
    t->softmax = softmax;
    t->n_points = 0;
    t->counts = (sc_tiles_counts){.runs = t->n_runs, .shapes = t->n_shapes};
    sc_tiles_clear(t);
    sc_tile_prices_clear(t->prices);
    set_limits(t, step_cycles);
    for (size_t i = 0; i < t->n_shapes && st == SC_OK; i++)
        st = price(t, &t->shape[i]);
    return st;
}

sc_tiles_counts sc_tiles_count(const sc_tiles *t)
{
    sc_tiles_counts c = t->counts;
    c.priced_parts = sc_tile_prices_count(t->prices);
    return c;
}

bool sc_tiles__is_open(const sc_tiles *t, const sc_tile_run *r)
{
    return is_open(t, r);
}
