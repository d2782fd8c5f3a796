#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "model/net/fusion_path.h"

enum { SINGLE = 5 }; /* levels kept for single weights below those that are summed */

/* ---- levels ---- */

/* The largest weight below the given size, and how many layers have it; 0 = none. */
static double next_weight(sc_fusion_paths *s, double below, int *count)
{
    const sc_fusion_graph *g = s->g;
    double most = 0.0;
    *count = 0;
    for (size_t i = 0; i < g->n_layers; i++)
        for (size_t k = g->first_arc[i]; k < g->first_arc[i + 1]; k++) {
            const double w = g->arc[k].weight;
            if (w >= below || w < most)
                continue;
            *count = w > most ? 0 : *count;
            most = w;
            if (w > 0.0) {
                ++*count;
                break; /* once a layer: an arc of a larger weight starts anew */
            }
        }
    s->work += g->n_arcs / 4;
    return most;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void insert(sc_fusion_paths *s, double level)
{
    for (int l = 0; l < s->n_levels; l++)
        if (s->level[l] == level)
            return;
    s->level[s->n_levels++] = level;
}

/* All sums of those so far and up to `count` of a weight that are below the budget. @return false,
 * and nothing changed, if they are more than `most`. */
static bool add_sums(sc_fusion_paths *s, double weight, int count, double budget, int most)
{
    const int before = s->n_levels;
    for (int l = -1; l < before; l++) /* -1: the sum of nothing, which is no level */
        for (int k = 1; k <= count; k++) {
            const double sum = (l < 0 ? 0.0 : s->level[l]) + k * weight;
            if (sum >= budget)
                break;
            if (s->n_levels == most) {
                s->n_levels = before;
                return false;
            }
            insert(s, sum);
        }
    return true;
}

static void choose_levels(sc_fusion_paths *s, double budget, int most)
{
    int count;
    double weight = next_weight(s, nextafter(budget, 0.0), &count);
    s->n_levels = 0;
    while (weight > 0.0 && add_sums(s, weight, count, budget, most - SINGLE - 1))
        weight = next_weight(s, weight, &count);
    for (int k = 0; weight > 0.0 && k < SINGLE; k++) { /* much alike: one level */
        insert(s, weight);
        weight = next_weight(s, weight / 1.5, &count);
    }
    insert(s, nextafter(budget, (double)INFINITY));
    qsort(s->level, (size_t)s->n_levels, sizeof *s->level, ascending);
}

/* ---- ways ---- */

static void shorten(double *rest, const double *over, const double *price, const sc_fusion_arc *a)
{
    for (int k = 0; k < SC_FUSION_PRICES; k++) {
        const double v = over[k] + (a->cycles + price[k] * a->weight);
        rest[k] = v < rest[k] ? v : rest[k];
    }
}

/* Level behind the pinning of a weight: less than level[l] - weight is left. */
static int level_behind(const sc_fusion_paths *s, int l, double weight)
{
    const double left = s->level[l] - weight;
    while (l > 0 && s->level[l - 1] >= left)
        l--;
    return l;
}

static void walk(sc_fusion_paths *s, int l, double most_use, bool to_first)
{
    const sc_fusion_graph *g = s->g;
    const size_t end = to_first ? 0 : g->n_nodes - 1;
    double(*rest)[SC_FUSION_PRICES] = &s->rest[(size_t)l * g->n_nodes];
    for (size_t n = 0; n < g->n_nodes; n++)
        for (int k = 0; k < SC_FUSION_PRICES; k++)
            rest[n][k] = n == end ? 0.0 : (double)INFINITY;
    for (size_t i = 0; i < g->n_arcs; i++) {
        const sc_fusion_arc *a = &g->arc[to_first ? i : g->n_arcs - 1 - i];
        if (a->use > most_use || a->weight >= s->level[l])
            continue;
        const int then = a->weight > 0.0 ? level_behind(s, l, a->weight) : l;
        const double(*over)[SC_FUSION_PRICES] =
            (const double(*)[SC_FUSION_PRICES]) & s->rest[(size_t)then * g->n_nodes];
        if (to_first)
            shorten(rest[a->to], over[a->from], s->price, a);
        else
            shorten(rest[a->from], over[a->to], s->price, a);
    }
    s->work += 3 * g->n_arcs;
}

sc_status sc_fusion_rest(sc_fusion_paths *s, const sc_fusion_span *span, bool to_first, int levels)
{
    static const double times[SC_FUSION_PRICES] = {0.0, 0.03, 0.12, 0.35, 0.7, 1.0, 1.5, 4.0};
    for (int k = 0; k < SC_FUSION_PRICES; k++)
        s->price[k] = span->price * times[k];
    choose_levels(s, s->capacity - span->from, levels);
    if (s->rest_room < (size_t)s->n_levels) {
        sc_free(s->rest);
        s->rest_room = 0;
        s->rest = sc_calloc((size_t)s->n_levels, s->g->n_nodes * sizeof *s->rest);
        if (!s->rest)
            return SC_ENOMEM;
        s->rest_room = (size_t)s->n_levels;
    }
    for (int l = 0; l < s->n_levels; l++) /* each leads to itself and to lower ones only */
        walk(s, l, span->to, to_first);
    return SC_OK;
}

double sc_fusion_rest_bound(const sc_fusion_paths *s, uint32_t node, double taken)
{
    const double left = s->capacity - taken;
    double most = 0.0;
    int l = 0;
    while (l + 1 < s->n_levels && left >= s->level[l])
        l++;
    const double *rest = s->rest[(size_t)l * s->g->n_nodes + node];
    for (int k = 0; k < SC_FUSION_PRICES; k++) {
        const double v = rest[k] - s->price[k] * left;
        most = v > most ? v : most;
    }
    return most;
}
