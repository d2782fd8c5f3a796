#include "model/net/fusion_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

typedef struct item {
    double gain, weight; /* cycles saved and bytes taken by the second arc instead of the first */
    uint32_t layer, arc;
} item;

struct sc_fusion_fill {
    const sc_fusion_graph *g;
    item *item; /* [n_layers] */
    size_t n;
    uint32_t *base;     /* [n_layers] arcs without pins */
    bool *in, *best_in; /* [n_layers] by item */
};

sc_status sc_fusion_fill_create(sc_fusion_fill **out, const sc_fusion_graph *g)
{
    sc_fusion_fill *f = sc_calloc(1, sizeof *f);
    if (!f)
        return SC_ENOMEM;
    f->g = g;
    f->item = sc_calloc(g->n_layers, sizeof *f->item);
    f->base = sc_calloc(g->n_layers, sizeof *f->base);
    f->in = sc_calloc(g->n_layers, sizeof *f->in);
    f->best_in = sc_calloc(g->n_layers, sizeof *f->best_in);
    if (!f->item || !f->base || !f->in || !f->best_in) {
        sc_fusion_fill_destroy(f);
        return SC_ENOMEM;
    }
    *out = f;
    return SC_OK;
}

void sc_fusion_fill_destroy(sc_fusion_fill *f)
{
    if (!f)
        return;
    sc_free(f->item);
    sc_free(f->base);
    sc_free(f->in);
    sc_free(f->best_in);
    sc_free(f);
}

/* Most cycles a byte first; of equals the large ones, so that small ones fill what is left. */
static int by_worth(const void *a, const void *b)
{
    const item *x = a, *y = b;
    const double l = x->gain * y->weight, r = y->gain * x->weight;
    if (fabs(l - r) > 1e-9 * (l + r))
        return l > r ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->layer > y->layer) - (x->layer < y->layer);
}

/* The least weight between the path's nodes, and the arc beside it that saves most a byte. */
static void list_items(sc_fusion_fill *f, const uint32_t *path)
{
    const sc_fusion_graph *g = f->g;
    f->n = 0;
    for (size_t i = 0; i < g->n_layers; i++) {
        const sc_fusion_arc *on = &g->arc[path[i]];
        uint32_t base = path[i], pin;
        for (size_t k = g->first_arc[i]; k < g->first_arc[i + 1]; k++)
            if (g->arc[k].from == on->from && g->arc[k].to == on->to &&
                g->arc[k].weight < g->arc[base].weight)
                base = (uint32_t)k;
        pin = f->base[i] = base;
        for (size_t k = g->first_arc[i]; k < g->first_arc[i + 1]; k++)
            if (g->arc[k].from == on->from && g->arc[k].to == on->to &&
                g->arc[k].weight > g->arc[base].weight && g->arc[k].cycles < g->arc[pin].cycles)
                pin = (uint32_t)k;
        if (pin != base)
            f->item[f->n++] = (item){g->arc[base].cycles - g->arc[pin].cycles,
                                     g->arc[pin].weight - g->arc[base].weight, (uint32_t)i, pin};
    }
}

/* The most that items from `at` on can add to so much room, parts of items included. */
static double fractional(const sc_fusion_fill *f, size_t at, double room)
{
    double gain = 0.0;
    for (; at < f->n && f->item[at].weight <= room; at++) {
        gain += f->item[at].gain;
        room -= f->item[at].weight;
    }
    return at < f->n ? gain + f->item[at].gain * (room / f->item[at].weight) : gain;
}

/* @return work. f->best_in: the best set found. */
static uint64_t knapsack(sc_fusion_fill *f, double room, uint64_t nodes, double worth)
{
    double gain = 0.0, best = -1.0;
    uint64_t work = 0;
    size_t at = 0;
    memset(f->in, 0, f->n * sizeof *f->in);
    for (;;) {
        for (; at < f->n; at++) {
            work++;
            if (f->item[at].weight <= room) {
                f->in[at] = true;
                room -= f->item[at].weight;
                gain += f->item[at].gain;
                continue;
            }
            work += 8; /* the fraction looks at a few */
            if (gain + fractional(f, at, room) <= best + worth)
                break;
        }
        if (at == f->n && gain > best) {
            best = gain;
            memcpy(f->best_in, f->in, f->n * sizeof *f->in);
        }
        /* leave out the last one that was taken, if that may lead to more */
        do {
            for (at = at < f->n ? at : f->n; at > 0 && !f->in[at - 1]; at--)
                work++;
            if (at == 0 || work > nodes)
                return work;
            at--;
            f->in[at] = false;
            room += f->item[at].weight;
            gain -= f->item[at].gain;
            work += 8;
        } while (gain + fractional(f, at + 1, room) <= best + worth);
        at++;
    }
}

void sc_fusion_fill_run(sc_fusion_fill *f, sc_fusion_paths *s, const uint32_t *path, uint64_t nodes)
{
    const sc_fusion_graph *g = f->g;
    double weight = 0.0, peak = 0.0, cycles = 0.0;
    list_items(f, path);
    s->work += g->n_arcs / 2 + f->n;
    for (size_t i = 0; i < g->n_layers; i++) {
        weight += g->arc[f->base[i]].weight;
        peak = fmax(peak, g->arc[f->base[i]].use);
    }
    if (weight + peak > s->capacity)
        return;
    qsort(f->item, f->n, sizeof *f->item, by_worth);
    s->work += knapsack(f, s->capacity - weight - peak, nodes, 1e-9 * s->best.cycles);
    for (size_t k = 0; k < f->n; k++)
        if (f->best_in[k])
            f->base[f->item[k].layer] = f->item[k].arc;
    weight = peak = 0.0;
    for (size_t i = 0; i < g->n_layers; i++) {
        const sc_fusion_arc *a = &g->arc[f->base[i]];
        cycles += a->cycles;
        weight += a->weight;
        peak = fmax(peak, a->use);
    }
    if (cycles >= s->best.cycles || weight + peak > s->capacity)
        return;
    s->best.cycles = cycles;
    s->best.weight = weight;
    s->best.peak = peak;
    memcpy(s->best.arc, f->base, g->n_layers * sizeof *f->base);
}
