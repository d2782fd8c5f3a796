#include <math.h>
#include <string.h>

#include "model/net/tile_parts.h"

/* ---- what stays around a group ---- */

static size_t tensor_of(const sc_tiles *t, int32_t producer)
{
    return producer < 0 ? (size_t)(-1 - producer) : t->w->n_inputs + (size_t)producer;
}

static void add_span(tile_span *s, size_t from, size_t to)
{
    if (s->from > s->to) {
        *s = (tile_span){from, to};
        return;
    }
    s->from = from < s->from ? from : s->from;
    s->to = to > s->to ? to : s->to;
}

/* From the step that used each tensor before a read that is served to that read. */
static void find_spans(sc_tiles *t, const sc_tile_around *o)
{
    const sc_fusion_problem *p = o->problem;
    size_t *used = t->used;
    for (size_t k = 0; k < p->n_tensors; k++) {
        t->span[k] = (tile_span){1, 0};
        used[k] = 0;
    }
    memset(t->live, 0, p->n_steps * sizeof *t->live);
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
            const uint32_t at = p->read[r].tensor;
            if (o->solution->choice.from_buffer[r])
                add_span(&t->span[at], used[at], i);
            used[at] = i;
        }
        if (s->made >= 0)
            used[s->made] = i;
    }
    for (size_t k = 0; k < p->n_tensors; k++)
        for (size_t i = t->span[k].from; i <= t->span[k].to; i++)
            t->live[i] += p->tensor[k].bytes;
}

/* Bytes of tensors that stay at a step and are not the group's own. */
static double live_at(const sc_tiles *t, const sc_fusion_problem *p, const sc_tile_run *r,
                      const sc_tile_group *g, size_t i)
{
    double bytes = t->live[i];
    for (uint32_t m = 0; m + 1 < g->n; m++) {
        const size_t k = t->w->n_inputs + r->first + m;
        if (!g->leaves[m] && i >= t->span[k].from && i <= t->span[k].to)
            bytes -= p->tensor[k].bytes;
    }
    return bytes;
}

static bool first_read_served(const sc_tiles *t, const sc_tile_around *o, const sc_tile_run *r,
                              int32_t producer)
{
    const sc_fusion_problem *p = o->problem;
    const size_t k = tensor_of(t, producer);
    for (size_t i = r->first; i <= r->last; i++)
        for (size_t at = p->step[i].first_read; at < p->step[i].first_read + p->step[i].n_reads;
             at++)
            if (p->read[at].tensor == k)
                return o->solution->choice.from_buffer[at];
    return false;
}

/* What a group finds around it. */
typedef struct surroundings {
    double room;
    double served; /* share of what it reads that lies in the buffer */
    bool pinned;   /* all of its weights are */
    bool handed;   /* its result stays and is not written */
} surroundings;

static surroundings look_around(const sc_tiles *t, const sc_tile_around *o, const sc_tile_run *r,
                                const sc_tile_group *g)
{
    surroundings s = {.room = (double)sc_level_room(&t->a->level[1], SC_ROLE_INPUT),
                      .pinned = true};
    double most = 0.0, all = 0.0, served = 0.0;
    if (!o)
        return (surroundings){.room = s.room};
    s.room -= o->solution->value.pinned_bytes;
    for (size_t i = r->first; i <= r->last; i++) {
        const bool pinned = o->solution->choice.pinned[i];
        most = fmax(most, live_at(t, o->problem, r, g, i));
        s.room += pinned ? o->problem->step[i].weight_bytes : 0.0;
        s.pinned = s.pinned && (pinned || g->weights[i - r->first] <= 0.0);
    }
    s.room -= most;
    for (uint32_t k = 0; k < g->n_outside; k++) {
        const sc_shape *at = &g->outside[k].shape;
        const double bytes =
            (double)at->c * (double)at->d * (double)at->h * (double)at->w * g->outside[k].width;
        all += bytes;
        served += first_read_served(t, o, r, g->outside[k].producer) ? bytes : 0.0;
    }
    s.served = all > 0.0 ? served / all : 0.0;
    s.handed = o->solution->choice.unwritten[t->w->n_inputs + r->last];
    return s;
}

/* A point as it would run there. */
static sc_tile_lines lines_there(const sc_tile_lines *l, const surroundings *s)
{
    sc_tile_lines at = *l;
    at.in_read *= 1.0 - s->served;
    at.first *= 1.0 - s->served;
    if (s->handed)
        at.out_written = 0.0;
    if (s->pinned) {
        at.bytes -= at.weight_bytes;
        at.weight_once = at.weight_again = at.weight_filled = at.weight_first = 0.0;
    }
    return at;
}

/* ---- the order of execution ---- */

static bool better(double cycles, double dram, const tile_best *than)
{
    return cycles < than->cycles || (cycles == than->cycles && dram < than->dram_bytes);
}

/* What an op takes by itself; the main memory's bytes where it does not say otherwise. */
static void alone(double *cycles, double *dram, const sc_tiles *t, const sc_tile_around *o,
                  size_t i)
{
    const sc_op_cost *c = sc_cascades_cost(t->cascades, t->n, t->cost, i);
    *cycles = o ? o->step_cycles[i] : c->cycles;
    *dram = c->level_bytes[0];
}

static void try_run(sc_tiles *t, const sc_tile_around *o, uint32_t run)
{
    const sc_tile_run *r = &t->run[run];
    const tile_shape *shape = &t->shape[r->shape];
    const tile_best *before = &t->best[r->first];
    sc_tile_group g;
    if (shape->n == 0 || !sc_tiles__is_open(t, r) || !sc_tiles_group_of(&g, t, r))
        return;
    const surroundings s = look_around(t, o, r, &g);
    for (size_t i = 0; i < shape->n; i++) {
        const sc_tile_lines l = lines_there(&t->points[shape->first + i].lines, &s);
        if (l.bytes > s.room)
            continue;
        const double cycles = before->cycles + sc_tile_cycles(&l, t->a);
        const double dram = before->dram_bytes + sc_tile_dram_bytes(&l);
        if (better(cycles, dram, &t->best[r->last + 1]))
            t->best[r->last + 1] = (tile_best){cycles, dram, run, (uint32_t)i};
    }
}

static sc_status add_taken(sc_tiles *t, uint32_t run, const sc_tile_point *point)
{
    const sc_tile_run *r = &t->run[run];
    sc_tile_taken *to = &t->taken[t->n_taken++];
    sc_tile_group g;
    sc_tile_shape shape;
    *to = (sc_tile_taken){.run = run, .first = r->first, .last = r->last, .point = *point};
    if (!sc_tiles_group_of(&g, t, r) || !sc_tile_shape_of(&shape, &g, &point->choice))
        return sc_fail(SC_EINVAL, "op %s ends no group", t->w->ops[r->last].name);
    const sc_status st = sc_tile_group_cost(&to->cost, &g, &point->choice);
    if (st != SC_OK)
        return st;
    to->n_outside = g.n_outside;
    for (uint32_t k = 0; k < g.n_outside; k++) {
        to->producer[k] = g.outside[k].producer;
        to->read_bytes[k] = shape.read[k];
    }
    for (uint32_t m = 0; m < g.n; m++) {
        const size_t i = r->first + m;
        to->weight_bytes += g.weights[m];
        if (m + 1 < g.n && !g.leaves[m])
            to->inside_bytes += (double)g.op[m]->out_elems * g.width[m];
        sc_op_cost *none = &t->empty[i];
        const sc_op_cost *own = &t->cost[g.unique[m]];
        memset(none, 0, sizeof *none);
        none->bound = sc_op_is_mac(g.op[m]) ? SC_BOUND_COMPUTE : SC_BOUND_VECTOR;
        memcpy(none->padded, own->padded, sizeof none->padded);
        memcpy(to->cost.padded, own->padded, sizeof none->padded); /* of the last */
        t->group_of[i] = (uint32_t)t->n_taken;
    }
    return SC_OK;
}

sc_status sc_tiles_choose(sc_tiles *t, const sc_tile_around *around)
{
    const size_t n = t->w->n_ops;
    size_t run = 0;
    sc_status st = SC_OK;
    sc_tiles_clear(t);
    if (around)
        find_spans(t, around);
    t->best[0] = (tile_best){0.0, 0.0, SC_TILE_NONE, 0};
    for (size_t i = 0; i < n; i++) {
        double cycles, dram;
        alone(&cycles, &dram, t, around, i);
        t->best[i + 1] =
            (tile_best){t->best[i].cycles + cycles, t->best[i].dram_bytes + dram, SC_TILE_NONE, 0};
        for (; run < t->n_runs && t->run[run].last == i; run++)
            try_run(t, around, (uint32_t)run);
    }
    for (size_t i = n; i > 0 && st == SC_OK;) {
        const tile_best *b = &t->best[i];
        if (b->run == SC_TILE_NONE) {
            i--;
            continue;
        }
        const sc_tile_run *r = &t->run[b->run];
        st = add_taken(t, b->run, &t->points[t->shape[r->shape].first + b->point]);
        i = r->first;
    }
    return st;
}

size_t sc_tiles_picks(const sc_tiles *t, sc_tile_pick *pick)
{
    for (size_t i = 0; i < t->n_taken; i++)
        pick[i] = (sc_tile_pick){t->taken[i].run, t->taken[i].point};
    return t->n_taken;
}

sc_status sc_tiles_take(sc_tiles *t, const sc_tile_pick *pick, size_t n)
{
    sc_status st = SC_OK;
    sc_tiles_clear(t);
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = add_taken(t, pick[i].run, &pick[i].point);
    return st;
}

void sc_tiles_clear(sc_tiles *t)
{
    t->n_taken = 0;
    memset(t->group_of, 0, t->w->n_ops * sizeof *t->group_of);
}

/* Everything served that can be, whatever it takes of the buffer. */
static double least_cycles(const sc_fusion_problem *p, size_t i)
{
    const sc_fusion_step *s = &p->step[i];
    double longest = 0.0;
    for (int l = 0; l < p->n_lines; l++) {
        double cycles =
            s->cycles[l] - fmax(0.0, s->made_gain.cycles[l]) - fmax(0.0, s->weight.cycles[l]);
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++)
            cycles -= fmax(0.0, p->read[r].gain.cycles[l]);
        longest = fmax(longest, cycles);
    }
    return longest;
}

double sc_tiles_bound(const sc_tiles *t, const sc_fusion_problem *problem)
{
    size_t run = 0;
    t->best[0].cycles = 0.0;
    for (size_t i = 0; i < t->w->n_ops; i++) {
        double least = t->best[i].cycles + least_cycles(problem, i);
        for (; run < t->n_runs && t->run[run].last == i; run++) {
            const tile_shape *s = &t->shape[t->run[run].shape];
            if (s->n > 0)
                least = fmin(least, t->best[t->run[run].first].cycles + s->least_chip);
        }
        t->best[i + 1].cycles = least;
    }
    return t->best[t->w->n_ops].cycles;
}

const sc_tile_taken *sc_tiles_taken(const sc_tiles *t, size_t *n)
{
    *n = t->n_taken;
    return t->taken;
}

const sc_tile_taken *sc_tiles_group(const sc_tiles *t, size_t op)
{
    return t && t->group_of[op] ? &t->taken[t->group_of[op] - 1] : NULL;
}

const sc_op_cost *sc_tiles_cost(const sc_tiles *t, size_t op)
{
    const sc_tile_taken *g = sc_tiles_group(t, op);
    if (!g)
        return NULL;
    return g->last == op ? &g->cost : &t->empty[op];
}
