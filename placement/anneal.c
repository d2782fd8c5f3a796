/** A run of annealing: chains in parallel, a budget, progress, and a file to go on from. */
#include "placement/anneal.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/mem.h"
#include "core/run.h"
#include "placement/anneal_state.h"

enum { MAGIC = 0x53504353, FORM = 1, MOST_STATE_BYTES = 1 << 30 };
static const double save_every_s = 10, show_every_s = 0.1;

typedef struct running {
    const sc_place_run *run;
    const char *state; /* NULL if the run is not kept */
    sc_hash128 name;   /* of all that the result depends on */
    sc_chain *chain;   /* [n] */
    uint32_t n;
    int threads;
    double began, shown, saved; /* sc_now(); began: less what earlier parts of the run took */
    uint64_t first_moves;       /* of the parts before */
} running;

static uint64_t sum_moves(const running *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n; i++)
        sum += r->chain[i].moves;
    return sum;
}

/* The chain with the best placement; the first of equals. */
static uint32_t best_chain(const running *r)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < r->n; i++)
        if (r->chain[i].best_cost.proxy < r->chain[best].best_cost.proxy)
            best = i;
    return best;
}

/* ---- the file to go on from ---- */

static void put_doubles(sc_buf *b, const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sc_blob_double(b, value[i]);
}

static void put_canvas(sc_buf *b, const sc_canvas *c)
{
    const double values[] = {c->width_um,       c->height_um,       c->columns,
                             c->rows,           c->h_routes_per_um, c->v_routes_per_um,
                             c->h_routes_macro, c->v_routes_macro,  c->smoothing};
    put_doubles(b, values, sizeof values / sizeof *values);
    for (size_t i = 0; i < c->n_blockages; i++) {
        const sc_blockage *k = &c->blockage[i];
        put_doubles(b, (double[]){k->x0_um, k->y0_um, k->x1_um, k->y1_um, k->rate}, 5);
    }
}

/* A block, where it begins, and what is asked of it. */
static void put_block(sc_buf *b, const sc_block *block, const sc_spot *spot,
                      const sc_place_rules *rules, uint32_t number)
{
    const sc_rect *region = sc_rules_region(rules, number);
    double margin[2], halo[2];

    sc_rules_margin(margin, rules, number, SC_ORIENT_N);
    sc_rules_halo(halo, rules, number, SC_ORIENT_N);
    const double values[] = {block->kind,      block->width_um,
                             block->height_um, spot->x_um,
                             spot->y_um,       spot->orient,
                             spot->fixed,      sc_rules_orients(rules, number, spot->orient),
                             region != NULL};
    put_doubles(b, values, sizeof values / sizeof *values);
    put_doubles(b, margin, 2);
    put_doubles(b, halo, 2);
    if (region != NULL)
        put_doubles(b, (double[]){region->x0_um, region->y0_um, region->x1_um, region->y1_um}, 4);
}

static void put_nets(sc_buf *b, const sc_netlist *list)
{
    for (size_t net = 0; net < list->n_nets; net++) {
        sc_blob_double(b, list->net_weight[net]);
        sc_blob_u32(b, list->net_first[net + 1] - list->net_first[net]);
        for (uint32_t k = list->net_first[net]; k < list->net_first[net + 1]; k++) {
            const sc_pin *pin = &list->pin[list->net_pin[k]];
            put_doubles(b, (double[]){pin->block, pin->dx_um, pin->dy_um}, 3);
        }
    }
}

/* All that moves depend on: the same name, the same run. */
static sc_status name_run(sc_hash128 *out, const sc_netlist *list, const sc_canvas *canvas,
                          const sc_spot *spot, const sc_place_options *o,
                          const sc_anneal_rule *rule, const sc_place_run *run)
{
    const double values[] = {
        o->wirelength_weight, o->density_weight, o->congestion_weight, o->congestion_columns,
        o->congestion_rows,   rule->hot,         rule->cold,           run->seconds,
        run->chains};
    char *text = NULL;
    sc_buf b;

    sc_buf_init(&b);
    put_doubles(&b, values, sizeof values / sizeof *values);
    sc_blob_u64(&b, run->seed);
    sc_blob_u64(&b, run->moves);
    put_canvas(&b, canvas);
    for (uint32_t i = 0; i < list->n_blocks; i++)
        put_block(&b, &list->block[i], &spot[i], o->rules, i);
    put_nets(&b, list);
    const size_t n = b.length;
    const sc_status st = sc_buf_take(&b, &text);
    if (st == SC_OK)
        *out = sc_hash128_of(text, n);
    sc_free(text);
    return st;
}

static sc_status save(running *r, double now)
{
    char *bytes = NULL;
    sc_buf b;

    if (r->state == NULL)
        return SC_OK;
    sc_buf_init(&b);
    sc_blob_u32(&b, MAGIC);
    sc_blob_u32(&b, FORM);
    sc_blob_u64(&b, r->name.hi);
    sc_blob_u64(&b, r->name.lo);
    sc_blob_double(&b, now - r->began);
    for (uint32_t i = 0; i < r->n; i++)
        sc_chain_save(&b, &r->chain[i]);
    const size_t n = b.length;
    sc_status st = sc_buf_take(&b, &bytes);
    if (st == SC_OK)
        st = sc_file_write(r->state, bytes, n);
    sc_free(bytes);
    r->saved = now;
    return st;
}

static sc_status load_text(running *r, const char *bytes, size_t n)
{
    sc_blob b = {.at = (const unsigned char *)bytes, .left = n};
    sc_status st = SC_OK;

    const uint32_t magic = sc_blob_read_u32(&b), form = sc_blob_read_u32(&b);
    if (magic != MAGIC || form != FORM)
        return sc_fail(SC_EPARSE, "%s: error: this is no state of a placement's run", r->state);
    sc_hash128 name;
    name.hi = sc_blob_read_u64(&b);
    name.lo = sc_blob_read_u64(&b);
    if (!sc_hash_equal(name, r->name))
        return sc_fail(SC_EINVAL,
                       "%s: error: the state of another run (netlist, start, options, seed, budget "
                       "or chains differ); name another file or remove this one",
                       r->state);
    const double seconds = sc_blob_read_double(&b);
    for (uint32_t i = 0; i < r->n && st == SC_OK; i++)
        st = sc_chain_load(&r->chain[i], &b);
    if (st != SC_OK || b.left != 0 || b.broken || !(seconds >= 0))
        return sc_fail(SC_EPARSE,
                       "%s: error: the state of the run is damaged; remove it to begin "
                       "anew",
                       r->state);
    r->began -= seconds;
    r->first_moves = sum_moves(r);
    return SC_OK;
}

static sc_status load(running *r)
{
    char *bytes = NULL;
    size_t n = 0;

    if (r->state == NULL || !sc_file_exists(r->state))
        return SC_OK;
    sc_status st = sc_file_read(&bytes, &n, r->state, MOST_STATE_BYTES);
    if (st == SC_OK)
        st = load_text(r, bytes, n);
    sc_free(bytes);
    return st;
}

/* ---- the run ---- */

/* Share of the budget that is spent. */
static double spent(const running *r, double now)
{
    const double moves = (double)sum_moves(r) / r->n;
    const double by_moves = r->run->moves > 0 ? moves / (double)r->run->moves : 0;
    const double by_time = r->run->seconds > 0 ? (now - r->began) / r->run->seconds : 0;
    return fmax(by_moves, by_time);
}

/* @return whether the caller asks to stop. */
static bool show(running *r, double now)
{
    const sc_chain *best = &r->chain[best_chain(r)];
    const double share = spent(r, now), seconds = now - r->began;
    const uint64_t moves = sum_moves(r);
    uint64_t accepted = 0;

    r->shown = now;
    if (r->run->progress == NULL)
        return false;
    for (uint32_t i = 0; i < r->n; i++)
        accepted += r->chain[i].accepted;
    const sc_place_progress p = {
        .run = {.done = moves,
                .total = r->run->moves * r->n,
                .feasible = moves,
                .best = best->best_cost.proxy,
                .elapsed_s = seconds,
                .rate_per_s =
                    seconds > 0 ? (double)(moves - r->first_moves) / seconds : (double)NAN,
                .eta_s = share > 0 ? seconds * (1 - share) / share : (double)NAN},
        .best = best->best_cost,
        .accepted = moves > 0 ? (double)accepted / (double)moves : 0,
        .temperature = best->temperature};
    return r->run->progress(&p, r->run->payload) != 0;
}

/* All chains some moves on. */
static void advance(running *r, uint64_t n, double share)
{
    const uint64_t limit = r->run->moves;
    const double by_time = r->run->seconds > 0 ? share : -1;

#pragma omp parallel for num_threads(r->threads) schedule(dynamic, 1)
    for (uint32_t i = 0; i < r->n; i++)
        sc_chain_run(&r->chain[i], n, limit, by_time);
}

/* Why the run is over now; SC_RUNNING if it is not. */
static sc_stop over(const running *r, double now)
{
    if (r->run->moves > 0 && sum_moves(r) >= r->run->moves * r->n)
        return SC_STOP_BUDGET;
    if (r->run->seconds > 0 && now - r->began >= r->run->seconds)
        return SC_STOP_TIME;
    return SC_RUNNING;
}

/* The clock is looked at after so many moves that it is about every hundredth of a second, however
 * long a move takes. */
static sc_status loop(running *r, sc_stop *stop)
{
    uint64_t n = 1;
    double now = sc_now();
    sc_status st = SC_OK;

    while ((*stop = over(r, now)) == SC_RUNNING && st == SC_OK) {
        const double last = now;
        advance(r, n, spent(r, now));
        now = sc_now();
        if (now - last < 0.005 && n < 4096)
            n *= 2;
        else if (now - last > 0.02 && n > 1)
            n /= 2;
        if (now - r->saved >= save_every_s)
            st = save(r, now);
        if (now - r->shown >= show_every_s && show(r, now)) {
            *stop = SC_STOP_INTERRUPT;
            break;
        }
    }
    return st == SC_OK ? save(r, now) : st;
}

static void finish(sc_spot *spot, sc_place_outcome *out, running *r, const sc_netlist *list)
{
    sc_chain *best = &r->chain[best_chain(r)];
    sc_chain_keep_best(best);
    sc_cost_set(best->cost, best->best);
    memcpy(spot, best->best, list->n_blocks * sizeof *spot);
    out->best = sc_cost_now(best->cost);
    out->chain = best_chain(r);
    for (uint32_t i = 0; i < r->n; i++) {
        out->moves += r->chain[i].moves;
        out->accepted += r->chain[i].accepted;
    }
    out->seconds = sc_now() - r->began;
}

static int threads_of(const sc_place_run *run)
{
    const int most = run->threads > 0 ? run->threads : omp_get_max_threads();
    return most < (int)run->chains ? most : (int)run->chains;
}

sc_status sc_anneal(sc_spot *spot, sc_place_outcome *out, const sc_netlist *list,
                    const sc_canvas *canvas, const sc_place_options *options,
                    const sc_anneal_rule *rule, const sc_place_run *run)
{
    const double now = sc_now();
    running r = {.run = run,
                 .state = run->state,
                 .n = run->chains,
                 .threads = threads_of(run),
                 .began = now,
                 .shown = now,
                 .saved = now};
    sc_place_outcome outcome = {0};

    r.chain = sc_calloc(r.n, sizeof *r.chain);
    sc_status st = r.chain != NULL ? SC_OK : SC_ENOMEM;
    if (st == SC_OK && r.state != NULL)
        st = name_run(&r.name, list, canvas, spot, options, rule, run);
    for (uint32_t i = 0; i < r.n && st == SC_OK; i++)
        st = sc_chain_init(&r.chain[i], list, canvas, spot, options, rule, run->seed, i);
    if (st == SC_OK)
        outcome.start = sc_cost_now(r.chain[0].cost);
    if (st == SC_OK)
        st = load(&r);
    if (st == SC_OK && r.chain[0].n_hard + r.chain[0].n_soft > 0)
        st = loop(&r, &outcome.stop);
    else
        outcome.stop = SC_STOP_EXHAUSTED; /* nothing can move */
    if (st == SC_OK) {
        finish(spot, &outcome, &r, list);
        *out = outcome;
    }
    for (uint32_t i = 0; i < r.n && r.chain != NULL; i++)
        sc_chain_clear(&r.chain[i]);
    sc_free(r.chain);
    return st;
}
