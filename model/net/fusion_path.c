#include "model/net/fusion_path.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

sc_status sc_fusion_paths_init(sc_fusion_paths *s, const sc_fusion_graph *g, double capacity)
{
    *s = (sc_fusion_paths){.g = g, .capacity = capacity};
    s->best.cycles = (double)INFINITY;
    s->ahead = sc_calloc(g->n_nodes, sizeof *s->ahead);
    s->behind = sc_calloc(g->n_nodes, sizeof *s->behind);
    s->through = sc_calloc(g->n_nodes, sizeof *s->through);
    s->now.arc = sc_calloc(g->n_layers, sizeof *s->now.arc);
    s->best.arc = sc_calloc(g->n_layers, sizeof *s->best.arc);
    return s->ahead && s->behind && s->through && s->now.arc && s->best.arc ? SC_OK : SC_ENOMEM;
}

void sc_fusion_paths_clear(sc_fusion_paths *s)
{
    sc_free(s->ahead);
    sc_free(s->behind);
    sc_free(s->through);
    sc_free(s->rest);
    sc_free(s->now.arc);
    sc_free(s->best.arc);
}

static void follow_back(sc_fusion_paths *s)
{
    const sc_fusion_graph *g = s->g;
    sc_fusion_path *p = &s->now;
    uint32_t node = (uint32_t)g->n_nodes - 1;
    p->cycles = p->weight = p->peak = 0.0;
    for (size_t i = g->n_layers; i-- > 0;) {
        const sc_fusion_arc *a = &g->arc[s->through[node]];
        p->arc[i] = s->through[node];
        p->cycles += a->cycles;
        p->weight += a->weight;
        p->peak = fmax(p->peak, a->use);
        node = a->from;
    }
    if (p->cycles < s->best.cycles && p->weight + p->peak <= s->capacity) {
        const sc_fusion_path other = s->best;
        s->best = *p;
        *p = other;
        memcpy(p->arc, s->best.arc, g->n_layers * sizeof *p->arc);
        p->cycles = s->best.cycles;
        p->weight = s->best.weight;
        p->peak = s->best.peak;
    }
}

double sc_fusion_forward(sc_fusion_paths *s, double most_use, double price)
{
    const sc_fusion_graph *g = s->g;
    double *ahead = s->ahead;
    for (size_t n = 1; n < g->n_nodes; n++)
        ahead[n] = (double)INFINITY;
    ahead[0] = 0.0;
    for (size_t k = 0; k < g->n_arcs; k++) {
        const sc_fusion_arc *a = &g->arc[k];
        const double v = ahead[a->from] + (a->cycles + price * a->weight);
        if (a->use <= most_use && v < ahead[a->to]) {
            ahead[a->to] = v;
            s->through[a->to] = (uint32_t)k;
        }
    }
    s->work += g->n_arcs;
    const double priced = ahead[g->n_nodes - 1];
    if (isfinite(priced))
        follow_back(s);
    return priced;
}

void sc_fusion_backward(sc_fusion_paths *s, double most_use, double price)
{
    const sc_fusion_graph *g = s->g;
    double *behind = s->behind;
    for (size_t n = 0; n + 1 < g->n_nodes; n++)
        behind[n] = (double)INFINITY;
    behind[g->n_nodes - 1] = 0.0;
    for (size_t k = g->n_arcs; k-- > 0;) {
        const sc_fusion_arc *a = &g->arc[k];
        const double v = behind[a->to] + (a->cycles + price * a->weight);
        if (a->use <= most_use && v < behind[a->from])
            behind[a->from] = v;
    }
    s->work += g->n_arcs;
}

/* The largest use within the span, and the smallest: its ends. @return whether there is any. */
static bool tighten(sc_fusion_span *span, sc_fusion_paths *s)
{
    double least = (double)INFINITY, most = -1.0;
    for (size_t k = 0; k < s->g->n_arcs; k++) {
        const double use = s->g->arc[k].use;
        if (use < span->from || use > span->to)
            continue;
        least = fmin(least, use);
        most = fmax(most, use);
    }
    s->work += s->g->n_arcs / 4;
    if (most < 0.0)
        return false;
    span->from = least;
    span->to = most;
    return true;
}

/* A path as a line over the price: cycles + price * weight. */
typedef struct line {
    double cycles, weight;
    bool known;
} line;

void sc_fusion_span_bound(sc_fusion_span *span, sc_fusion_paths *s, double enough, double exact)
{
    enum { ROUNDS = 24 };
    line over = {0}, under = {0}; /* paths that pin more, and no more, than there is room for */
    if (!tighten(span, s)) {
        span->bound = (double)INFINITY;
        return;
    }
    const double room = s->capacity - span->from;
    double price = span->price, ceiling = (double)INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        const double priced = sc_fusion_forward(s, span->to, price);
        const double bound = priced - price * room;
        if (bound > span->bound) {
            span->bound = bound;
            span->price = price;
        }
        if (span->bound >= enough || ceiling - span->bound <= exact)
            return;
        line *side = s->now.weight > room ? &over : &under;
        *side = (line){s->now.cycles, s->now.weight, true};
        if (side == &under && (price <= 0.0 || s->now.weight >= room))
            return; /* the price is right */
        if (!over.known) {
            price = i < 4 ? price / 2.0 : 0.0;
        } else if (!under.known) {
            price = price > 0.0 && i < 3 ? price * 2.0 : over.cycles + 1.0;
        } else {
            price = (under.cycles - over.cycles) / (over.weight - under.weight);
            ceiling = over.cycles + price * (over.weight - room);
        }
    }
}
