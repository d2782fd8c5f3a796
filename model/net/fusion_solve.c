#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/net/fusion_fill.h"
#include "model/net/fusion_label.h"
#include "model/net/fusion_spare.h"

enum {
    DEFAULT_WORK = 10000000, /* arcs and labels: some hundredths of a second */
    FIRST_WIDTH = 16,        /* labels a node keeps at first */
    MOST_LABELS = 4,         /* of each width an arc: work in a span that can still be halved */
    FIRST_LEVELS = 8,        /* of what is left of the budget, at first */
    MORE_LEVELS = 32,        /* of weights of few sizes */
    FEW_WEIGHTS = 6,         /* where no more sizes are to be told apart */
    FILL_NODES = 20000,      /* of a knapsack */
    WIDER = 8                /* times as many, in a span of one room */
};

typedef struct open_span {
    sc_fusion_span span;
    int width;
} open_span;

typedef struct search {
    const sc_fusion_graph *g;
    sc_fusion_paths paths;
    sc_fusion_labels *labels;
    sc_fusion_fill *fill;
    open_span *open; /* [n] */
    size_t n, room;
    bool from_last;    /* labels go that way */
    int first_levels;  /* of what is left of the budget, while labels are few */
    double gap, slack; /* relative; cycles a layer */
    uint64_t most_work;
} search;

static double tolerance(const search *s)
{
    return 0.5 * s->gap * s->paths.best.cycles;
}

/* Below this a span may still hold something better. */
static double enough(const search *s)
{
    return s->paths.best.cycles - tolerance(s);
}

static sc_status push(search *s, const open_span *span)
{
    if (span->span.bound >= enough(s))
        return SC_OK;
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 64;
        open_span *more = sc_realloc_array(s->open, room, sizeof *more);
        if (!more)
            return SC_ENOMEM;
        s->open = more;
        s->room = room;
    }
    s->open[s->n++] = *span;
    return SC_OK;
}

/* The one of least bound, of equals the one opened first. */
static open_span pop(search *s)
{
    size_t at = 0;
    for (size_t i = 1; i < s->n; i++)
        if (s->open[i].span.bound < s->open[at].span.bound)
            at = i;
    const open_span best = s->open[at];
    s->n--;
    memmove(&s->open[at], &s->open[at + 1], (s->n - at) * sizeof *s->open);
    return best;
}

/* Every path passes every layer, so its peak is at least the largest of their smallest uses. */
static double least_peak(const sc_fusion_graph *g)
{
    double peak = 0.0;
    for (size_t i = 0; i < g->n_layers; i++) {
        double least = (double)INFINITY;
        for (size_t k = g->first_arc[i]; k < g->first_arc[i + 1]; k++)
            least = fmin(least, g->arc[k].use);
        peak = fmax(peak, least);
    }
    return peak;
}

static sc_status label(search *s, open_span *at)
{
    double bound;
    const uint64_t left = s->most_work - s->paths.work,
                   cap = MOST_LABELS * (uint64_t)at->width * s->g->n_arcs;
    const sc_fusion_label_options o = {.slack = s->slack,
                                       .tolerance = tolerance(s),
                                       .from_last = s->from_last,
                                       .width = at->width,
                                       .work =
                                           at->span.from < at->span.to && cap < left ? cap : left};
    (void)sc_fusion_forward(&s->paths, at->span.to, at->span.price);
    sc_fusion_fill_run(s->fill, &s->paths, s->paths.now.arc, FILL_NODES);
    sc_fusion_backward(&s->paths, at->span.to, at->span.price);
    const int levels = at->width > FIRST_WIDTH ? SC_FUSION_LEVELS : s->first_levels;
    sc_status st = sc_fusion_rest(&s->paths, &at->span, s->from_last, levels);
    if (st != SC_OK)
        return st;
    st = sc_fusion_labels_run(&bound, s->labels, &s->paths, &at->span, &o);
    if (st == SC_OK)
        at->span.bound = fmax(at->span.bound, bound);
    return st;
}

/* Two halves by room; a span of one room again with more labels a node. */
static sc_status split(search *s, const open_span *at)
{
    const sc_fusion_span *whole = &at->span;
    const double middle = whole->from + (whole->to - whole->from) / 2.0;
    open_span part[2] = {*at, *at};
    part[0].span.to = middle;
    part[1].span.from = nextafter(middle, (double)INFINITY);
    if (!(whole->from < whole->to)) {
        part[0] = *at;
        part[0].width *= WIDER;
        return push(s, &part[0]);
    }
    for (int i = 0; i < 2; i++) {
        sc_fusion_span_bound(&part[i].span, &s->paths, enough(s), tolerance(s) / 4.0);
        const sc_status st = push(s, &part[i]);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

/* @param[out] bound  no path is shorter. s->paths.best is the best one found. */
static sc_status run(double *bound, search *s)
{
    open_span root = {.span = {.from = least_peak(s->g), .to = s->paths.capacity},
                      .width = FIRST_WIDTH};
    (void)sc_fusion_forward(&s->paths, root.span.to, 1e9 * s->paths.capacity); /* nothing pinned */
    sc_fusion_span_bound(&root.span, &s->paths, (double)INFINITY, tolerance(s) / 4.0);
    sc_status st = push(s, &root);
    while (st == SC_OK && s->n > 0 && s->paths.work < s->most_work) {
        open_span at = pop(s);
        if (at.span.bound >= enough(s))
            continue;
        if ((st = label(s, &at)) != SC_OK)
            break;
        if (at.span.bound >= enough(s))
            continue;
        st = s->paths.work < s->most_work ? split(s, &at) : push(s, &at);
    }
    *bound = enough(s);
    for (size_t i = 0; i < s->n; i++)
        *bound = fmin(*bound, s->open[i].span.bound);
    *bound -= (double)s->g->n_layers * s->slack;
    return st;
}

/* Large weights are decided first, so that what they leave is known when small ones are: labels
 * begin at the end that has more bytes. */
static bool heavy_end(const sc_fusion_graph *g)
{
    double bytes[2] = {0.0, 0.0};
    for (size_t i = 0; i < g->n_layers; i++) {
        double most = 0.0;
        for (size_t k = g->first_arc[i]; k < g->first_arc[i + 1]; k++)
            most = fmax(most, g->arc[k].weight);
        bytes[2 * i >= g->n_layers] += most;
    }
    return bytes[1] > bytes[0];
}

/* Whether all weights are of few sizes, as in networks of one block repeated. */
static bool few_sizes(const sc_fusion_graph *g)
{
    double size[FEW_WEIGHTS];
    int n = 0;
    for (size_t k = 0; k < g->n_arcs; k++) {
        int i = 0;
        while (i < n && size[i] != g->arc[k].weight)
            i++;
        if (i == FEW_WEIGHTS)
            return false;
        if (i == n)
            size[n++] = g->arc[k].weight;
    }
    return true;
}

static sc_status search_graph(double *bound, sc_fusion_choice *c, uint64_t *work,
                              const sc_fusion_graph *g, const sc_fusion_problem *p,
                              const sc_fusion_options *o, double slack)
{
    search s = {.g = g,
                .from_last = heavy_end(g),
                .first_levels = few_sizes(g) ? MORE_LEVELS : FIRST_LEVELS,
                .gap = o->gap,
                .slack = slack,
                .most_work = o->work ? o->work : DEFAULT_WORK};
    sc_status st = sc_fusion_paths_init(&s.paths, g, p->capacity_bytes);
    if (st != SC_OK || (st = sc_fusion_labels_create(&s.labels, g)) != SC_OK ||
        (st = sc_fusion_fill_create(&s.fill, g)) != SC_OK || (st = run(bound, &s)) != SC_OK)
        goto done;
    if (c)
        sc_fusion_graph_choice(c, g, p, s.paths.best.arc);
    *work += s.paths.work;
done:
    sc_free(s.open);
    sc_fusion_labels_destroy(s.labels);
    sc_fusion_fill_destroy(s.fill);
    sc_fusion_paths_clear(&s.paths);
    return st;
}

static sc_status check_options(const sc_fusion_options *o)
{
    if (o->version != 1)
        return sc_fail(SC_EINVAL, "fusion options: version must be 1");
    return o->gap >= 0.0 && o->gap < 1.0
               ? SC_OK
               : sc_fail(SC_EINVAL, "fusion options: gap must be at least 0 and below 1");
}

/* Cycles with nothing resident, and a bound without any capacity. */
static void extremes(double *plain, double *ideal, const sc_fusion_problem *p)
{
    *plain = *ideal = 0.0;
    for (size_t i = 0; i < p->n_steps; i++) {
        double t = 0.0;
        for (int l = 0; l < p->n_lines; l++)
            t = fmax(t, p->step[i].cycles[l]);
        *plain += t;
        *ideal += t - sc_fusion_potential(p, i);
    }
}

static sc_status solve_into(sc_fusion_solution *out, const sc_fusion_problem *p,
                            const sc_fusion_options *o)
{
    double ideal, bound;
    sc_fusion_graph *g = NULL;
    extremes(&out->plain_cycles, &ideal, p);
    /* Arcs and labels that are given up for others cost n_steps * slack each: a quarter of the gap.
     */
    const double slack = o->gap * fmax(0.0, ideal) / (8.0 * (double)p->n_steps);
    sc_status st = sc_fusion_graph_create(&g, p, slack, SC_FUSION_SPILL_OUT);
    if (st != SC_OK ||
        (st = search_graph(&bound, &out->choice, &out->work, g, p, o, slack)) != SC_OK)
        goto done;
    if (g->narrowed) {
        sc_fusion_graph_destroy(g);
        g = NULL;
        if ((st = sc_fusion_graph_create(&g, p, slack, SC_FUSION_SPILL_FREE)) != SC_OK ||
            (st = search_graph(&bound, NULL, &out->work, g, p, o, slack)) != SC_OK)
            goto done;
    }
    if ((st = sc_fusion_spare(&out->choice, p)) != SC_OK ||
        (st = sc_fusion_binaries(&out->binaries, p)) != SC_OK ||
        (st = sc_fusion_value_of(&out->value, NULL, p, &out->choice)) != SC_OK)
        goto done;
    bound -= (double)p->n_steps * slack;
    out->bound_cycles = fmin(out->value.cycles, fmax(bound, ideal));
    out->gap =
        out->value.cycles > 0.0 ? (out->value.cycles - out->bound_cycles) / out->value.cycles : 0.0;
    out->proved = out->gap <= o->gap;
done:
    sc_fusion_graph_destroy(g);
    return st;
}

sc_status sc_fusion_solve(sc_fusion_solution *out, const sc_fusion_problem *p,
                          const sc_fusion_options *o)
{
    sc_fusion_solution s = {0};
    sc_status st = check_options(o);
    if (st != SC_OK || (st = sc_fusion_check(p)) != SC_OK)
        return st;
    s.choice.pinned = sc_calloc(p->n_steps, sizeof(bool));
    s.choice.from_buffer = sc_calloc(p->n_reads, sizeof(bool));
    s.choice.unwritten = sc_calloc(p->n_tensors, sizeof(bool));
    st = s.choice.pinned && s.choice.from_buffer && s.choice.unwritten ? solve_into(&s, p, o)
                                                                       : SC_ENOMEM;
    if (st != SC_OK) {
        sc_fusion_solution_clear(&s);
        return st;
    }
    *out = s;
    return SC_OK;
}

void sc_fusion_solution_clear(sc_fusion_solution *s)
{
    if (!s)
        return;
    sc_free(s->choice.pinned);
    sc_free(s->choice.from_buffer);
    sc_free(s->choice.unwritten);
    *s = (sc_fusion_solution){0};
}
