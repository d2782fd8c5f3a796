#include "model/net/fusion_label.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

static const uint32_t NONE = UINT32_MAX;

typedef struct label {
    double cycles, weight;
    double taken; /* weight and peak together: what must fit the capacity */
    double bound;
    uint32_t parent, arc, next; /* next of its node */
} label;

struct sc_fusion_labels {
    const sc_fusion_graph *g;
    label *label; /* [room] */
    uint32_t n, room;
    uint32_t *first; /* [n_nodes] list of a node */
    int *count;      /* [n_nodes] */
    double lost;     /* least bound of what was dropped for want of width */
    uint64_t work;
};

sc_status sc_fusion_labels_create(sc_fusion_labels **out, const sc_fusion_graph *g)
{
    sc_fusion_labels *l = sc_calloc(1, sizeof *l);
    if (!l)
        return SC_ENOMEM;
    l->g = g;
    l->first = sc_calloc(g->n_nodes, sizeof *l->first);
    l->count = sc_calloc(g->n_nodes, sizeof *l->count);
    if (!l->first || !l->count) {
        sc_fusion_labels_destroy(l);
        return SC_ENOMEM;
    }
    *out = l;
    return SC_OK;
}

void sc_fusion_labels_destroy(sc_fusion_labels *l)
{
    if (!l)
        return;
    sc_free(l->label);
    sc_free(l->first);
    sc_free(l->count);
    sc_free(l);
}

static sc_status make_room(sc_fusion_labels *l)
{
    if (l->n < l->room)
        return SC_OK;
    if (l->room > UINT32_MAX / 4)
        return sc_fail(SC_ENOMEM, "fusion: too many labels: give it less work");
    const uint32_t room = l->room ? 2 * l->room : 4096;
    label *more = sc_realloc_array(l->label, room, sizeof *more);
    if (!more)
        return SC_ENOMEM;
    l->label = more;
    l->room = room;
    return SC_OK;
}

/* Whether one of the node's labels makes the new one useless; those that it makes useless go. */
static bool is_dominated(sc_fusion_labels *l, uint32_t node, const label *new, double slack)
{
    uint32_t *link = &l->first[node];
    while (*link != NONE) {
        const label *e = &l->label[*link];
        l->work++;
        if (e->weight <= new->weight && e->taken <= new->taken && e->cycles <= new->cycles + slack)
            return true;
        if (new->weight <= e->weight &&new->taken <= e->taken &&new->cycles <= e->cycles) {
            *link = e->next;
            l->count[node]--;
        } else {
            link = &l->label[*link].next;
        }
    }
    return false;
}

/* A full node keeps those of least bound. @return whether the new one may come in. */
static bool push_out_worst(sc_fusion_labels *l, uint32_t node, const label *new)
{
    uint32_t *worst = &l->first[node];
    for (uint32_t *link = worst; *link != NONE; link = &l->label[*link].next)
        if (l->label[*link].bound > l->label[*worst].bound)
            worst = link;
    if (l->label[*worst].bound <= new->bound) {
        l->lost = fmin(l->lost, new->bound);
        return false;
    }
    l->lost = fmin(l->lost, l->label[*worst].bound);
    *worst = l->label[*worst].next;
    l->count[node]--;
    return true;
}

static sc_status offer(sc_fusion_labels *l, uint32_t node, label *new,
                       const sc_fusion_label_options *o)
{
    if (is_dominated(l, node, new, o->slack) ||
        (l->count[node] >= o->width && !push_out_worst(l, node, new)))
        return SC_OK;
    const sc_status st = make_room(l);
    if (st != SC_OK)
        return st;
    new->next = l->first[node];
    l->first[node] = l->n;
    l->count[node]++;
    l->label[l->n++] = *new;
    return SC_OK;
}

/* Everything of one node over one arc. */
static sc_status extend(sc_fusion_labels *l, const sc_fusion_paths *s, size_t arc,
                        const sc_fusion_label_options *o)
{
    const sc_fusion_arc *a = &l->g->arc[arc];
    const double limit = s->best.cycles - o->tolerance;
    const uint32_t here = o->from_last ? a->to : a->from, there = o->from_last ? a->from : a->to;
    for (uint32_t at = l->first[here]; at != NONE; at = l->label[at].next) {
        const label *from = &l->label[at];
        const double peak = fmax(from->taken - from->weight, a->use);
        label new = {.cycles = from->cycles + a->cycles,
                     .weight = from->weight + a->weight,
                     .parent = at,
                     .arc = (uint32_t)arc};
        l->work++;
        new.taken = new.weight + peak;
        if (new.taken > s->capacity)
            continue;
        new.bound = new.cycles + sc_fusion_rest_bound(s, there, new.taken);
        if (new.bound >= limit)
            continue;
        const sc_status st = offer(l, there, &new, o);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

static void keep_best(const sc_fusion_labels *l, sc_fusion_paths *s, bool from_last)
{
    uint32_t best = NONE;
    const size_t end = from_last ? 0 : l->g->n_nodes - 1, layers = l->g->n_layers;
    for (uint32_t at = l->first[end]; at != NONE; at = l->label[at].next)
        if (best == NONE || l->label[at].cycles < l->label[best].cycles)
            best = at;
    if (best == NONE || l->label[best].cycles >= s->best.cycles)
        return;
    sc_fusion_path *p = &s->best;
    p->cycles = l->label[best].cycles;
    p->weight = l->label[best].weight;
    p->peak = 0.0;
    for (size_t k = 0; k < layers; k++, best = l->label[best].parent) {
        const size_t i = from_last ? k : layers - 1 - k;
        p->arc[i] = l->label[best].arc;
        p->peak = fmax(p->peak, l->g->arc[p->arc[i]].use);
    }
}

/* What lies ahead of a stopped search. */
static double least_bound(const sc_fusion_labels *l, size_t layer)
{
    double least = l->lost;
    for (size_t n = l->g->first_node[layer]; n < l->g->first_node[layer + 1]; n++)
        for (uint32_t at = l->first[n]; at != NONE; at = l->label[at].next)
            least = fmin(least, l->label[at].bound);
    return least;
}

sc_status sc_fusion_labels_run(double *bound, sc_fusion_labels *l, sc_fusion_paths *s,
                               const sc_fusion_span *span, const sc_fusion_label_options *o)
{
    const sc_fusion_graph *g = l->g;
    const double gone = s->best.cycles - o->tolerance + span->price * (s->capacity - span->from);
    for (size_t n = 0; n < g->n_nodes; n++) {
        l->first[n] = NONE;
        l->count[n] = 0;
    }
    l->n = 0;
    l->work = 0;
    l->lost = (double)INFINITY;
    sc_status st = make_room(l);
    if (st != SC_OK)
        return st;
    l->label[l->n++] = (label){.taken = span->from, .bound = span->bound, .next = NONE};
    l->first[o->from_last ? g->n_nodes - 1 : 0] = 0;
    size_t done = 0;
    for (; done < g->n_layers && l->work <= o->work; done++) {
        const size_t i = o->from_last ? g->n_layers - 1 - done : done;
        for (size_t k = g->first_arc[i]; k < g->first_arc[i + 1]; k++) {
            const sc_fusion_arc *a = &g->arc[k];
            if (l->first[o->from_last ? a->to : a->from] == NONE || a->use > span->to ||
                s->ahead[a->from] + (a->cycles + span->price * a->weight) + s->behind[a->to] >=
                    gone)
                continue;
            if ((st = extend(l, s, k, o)) != SC_OK)
                return st;
        }
    }
    *bound = l->lost;
    if (done < g->n_layers)
        *bound = least_bound(l, o->from_last ? g->n_layers - done : done);
    else
        keep_best(l, s, o->from_last);
    s->work += l->work + g->n_arcs;
    return SC_OK;
}
