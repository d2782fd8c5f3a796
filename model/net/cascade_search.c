#include <math.h>

#include "model/net/cascade.h"

/* Sizes of equal parts, largest first. */
typedef struct sizes {
    int n;
    uint64_t at[4 * 64];
} sizes;

static void put(sizes *s, uint64_t size)
{
    if (s->n == 0 || s->at[s->n - 1] > size)
        s->at[s->n++] = size;
}

static uint64_t part(uint64_t whole, uint64_t parts)
{
    return whole / parts + (whole % parts != 0);
}

/* Of parts of one number the smallest size is the best: less is padded. */
static void list_sizes(sizes *out, uint64_t whole)
{
    uint64_t parts = 1;
    out->n = 0;
    while (out->n <= SC_CASCADE_PARTS) {
        put(out, part(whole, parts));
        const uint64_t size = out->at[out->n - 1];
        if (size == 1)
            return;
        parts = part(whole, size - 1); /* the fewest of a smaller size */
    }
    out->n = 0;
    for (parts = 1; parts < 2 * whole && parts < 1ull << 62; parts *= 2) {
        put(out, part(whole, parts));
        if (parts > 1 && parts / 2 * 3 < 2 * whole)
            put(out, part(whole, parts / 2 * 3));
    }
}

static bool better(const sc_op_cost *a, const sc_op_cost *b)
{
    return a->cycles < b->cycles || (a->cycles == b->cycles && a->energy_pj < b->energy_pj);
}

static void try_one(sc_cascade_best *best, const sc_cascade *c, const sc_cascade_choice *w)
{
    sc_op_cost cost;
    sc_cascade_cost(&cost, c, w);
    best->priced++;
    if (!isfinite(cost.cycles) || (best->found && !better(&cost, &best->cost)))
        return;
    best->found = true;
    best->choice = *w;
    best->cost = cost;
}

/* The dataflows, at a home and with a number of stages. */
static void try_dataflows(sc_cascade_best *best, const sc_cascade *c, sc_cascade_choice w,
                          const sc_dataflow *flow, int flows)
{
    for (int i = 0; i < flows; i++)
        for (int j = 0; j < flows; j++) {
            w.scores = flow[i];
            w.context = flow[j];
            try_one(best, c, &w);
        }
}

void sc_cascade_search(sc_cascade_best *out, const sc_cascade *c)
{
    sc_dataflow flow[SC_DATAFLOWS];
    sizes queries, keys;
    const int flows = sc_cascade_dataflows(flow, c);
    *out = (sc_cascade_best){.found = false};
    list_sizes(&queries, c->rows);
    list_sizes(&keys, c->keys);
    for (int q = 0; q < queries.n; q++)
        for (int k = 0; k < keys.n; k++)
            for (uint64_t beside = 1; beside <= c->units; beside++) {
                sc_cascade_choice w = {
                    .queries = queries.at[q], .keys = keys.at[k], .beside = beside};
                if (c->units % beside != 0)
                    continue;
                out->choices += 2 * (uint64_t)c->inner * (uint64_t)(flows * flows);
                w.stages = 1;
                if (!sc_cascade_fits(c, &w) ||
                    (out->found &&
                     sc_cascade_floor(c, w.queries, w.keys, beside) > out->cost.cycles))
                    continue;
                for (w.home = 0; w.home < c->inner; w.home++)
                    for (w.stages = 1; w.stages <= 2; w.stages++)
                        if (sc_cascade_fits(c, &w))
                            try_dataflows(out, c, w, flow, flows);
            }
}
