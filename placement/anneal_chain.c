/** One chain of annealing: a move is accepted or not, ranges and temperature follow. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "placement/anneal_state.h"

const sc_anneal_rule sc_anneal_usual = {.hot = 5e-5, .cold = 2e-6};
const sc_anneal_rule sc_anneal_scratch = {.hot = 4e-4, .cold = 2e-6};

enum {
    DOMAIN = 0x504c4143, /* of random streams */
    BATCH = 256,         /* moves at one temperature */
    WINDOW = 512,        /* moves of a kind between changes of its range */
    STRETCH = 16384      /* moves between places that a run can go on from: whole batches */
};

/* ---- one move ---- */

/* Moves of a kind go further while more than 0.44 of them are accepted, less far otherwise. */
static void note(sc_reach *r, bool accepted)
{
    r->accepted += accepted;
    if (++r->tried < WINDOW)
        return;
    r->share *= 1 - 0.44 + (double)r->accepted / r->tried;
    r->share = fmin(fmax(r->share, 1e-4), 1);
    r->tried = r->accepted = 0;
}

void sc_chain_keep_best(sc_chain *c)
{
    if (c->best_is_now)
        memcpy(c->best, sc_cost_spots(c->cost), c->list->n_blocks * sizeof *c->best);
    c->best_is_now = false;
}

/* @return whether a move was made. */
static bool step(sc_chain *c)
{
    sc_move m[2];
    sc_move_kind k;
    const size_t n = sc_chain_propose(c, &k, m);

    if (n == 0)
        return false;
    const double u = gsl_rng_uniform(&c->rng.gsl);
    const double limit = c->now - c->temperature * log(u + 1e-300);
    sc_chain_keep_best(c);
    const double proxy = sc_cost_try(c->cost, m, n);
    const bool accepted = proxy <= limit;
    note(&c->reach[k], accepted);
    if (!accepted) {
        sc_cost_reject(c->cost);
        return false;
    }
    sc_cost_accept(c->cost);
    c->now = sc_cost_now(c->cost).proxy;
    for (size_t i = 0; i < n && k <= SC_HARD_TURN; i++)
        sc_room_put(&c->room, m[i].block, &m[i].spot);
    if (c->now < c->best_cost.proxy) {
        c->best_cost = sc_cost_now(c->cost);
        c->best_is_now = true;
    }
    return true;
}

/* Count the cost anew, so that what follows depends on where blocks stand alone and not on how they
 * came there, and note what to go on from. */
static void keep(sc_chain *c)
{
    const size_t bytes = c->list->n_blocks * sizeof *c->best;
    sc_chain_keep_best(c);
    sc_cost_recount(c->cost);
    c->now = sc_cost_now(c->cost).proxy;
    c->kept.moves = c->moves;
    c->kept.accepted = c->accepted;
    c->kept.drawn = c->rng.stream.drawn;
    c->kept.best_cost = c->best_cost;
    memcpy(c->kept.reach, c->reach, sizeof c->reach);
    memcpy(c->kept.now, sc_cost_spots(c->cost), bytes);
    memcpy(c->kept.best, c->best, bytes);
}

void sc_chain_run(sc_chain *c, uint64_t n, uint64_t limit, double share)
{
    const double fall = c->rule->cold / c->rule->hot;

    if (share >= 0)
        c->temperature = c->rule->hot * pow(fall, fmin(share, 1));
    for (; n > 0 && (limit == 0 || c->moves < limit); n--) {
        if (c->moves % STRETCH == 0 && c->kept.moves != c->moves)
            keep(c);
        if (share < 0 && c->moves % BATCH == 0)
            c->temperature = c->rule->hot * pow(fall, (double)c->moves / (double)limit);
        c->accepted += step(c);
        c->moves++;
    }
    if (limit > 0 && c->moves == limit && c->kept.moves != limit)
        keep(c);
}

/* ---- life ---- */

sc_status sc_chain_init(sc_chain *c, const sc_netlist *list, const sc_canvas *canvas,
                        const sc_spot *spot, const sc_place_options *options,
                        const sc_anneal_rule *rule, uint64_t seed, uint64_t index)
{
    const size_t n = list->n_blocks;

    *c = (sc_chain){.list = list, .canvas = canvas, .rule = rule};
    sc_rng_init(&c->rng, seed, DOMAIN, index);
    c->best = sc_calloc(3 * n + 1, sizeof *c->best);
    c->hard = sc_calloc(2 * n + 1, sizeof *c->hard);
    c->orients = sc_calloc(n + 1, sizeof *c->orients);
    if (c->best == NULL || c->hard == NULL || c->orients == NULL)
        return SC_ENOMEM;
    c->soft = c->hard + n;
    c->kept.now = c->best + n;
    c->kept.best = c->best + 2 * n;
    for (uint32_t b = 0; b < n; b++) {
        c->orients[b] = sc_rules_orients(options->rules, b, spot[b].orient);
        if (list->block[b].kind == SC_BLOCK_HARD && !spot[b].fixed)
            c->hard[c->n_hard++] = b;
        if (list->block[b].kind == SC_BLOCK_SOFT && !spot[b].fixed)
            c->soft[c->n_soft++] = b;
    }
    for (int k = 0; k < SC_MOVE_KINDS; k++)
        c->reach[k].share = k == SC_SOFT_JOIN ? 0.05 : 0.25;
    sc_status st = sc_cost_create(&c->cost, list, canvas, spot, options);
    if (st != SC_OK)
        return st;
    c->best_cost = sc_cost_now(c->cost);
    memcpy(c->best, spot, n * sizeof *spot);
    keep(c);
    return sc_room_init(&c->room, list, canvas, options->rules, spot);
}

void sc_chain_clear(sc_chain *c)
{
    sc_cost_destroy(c->cost);
    sc_room_clear(&c->room);
    sc_free(c->best);
    sc_free(c->hard);
    sc_free(c->orients);
    *c = (sc_chain){0};
}

/* ---- saved ---- */

static void save_spots(sc_buf *b, const sc_spot *spot, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sc_blob_double(b, spot[i].x_um);
        sc_blob_double(b, spot[i].y_um);
        sc_blob_u32(b, (uint32_t)spot[i].orient);
    }
}

void sc_chain_save(sc_buf *b, const sc_chain *c)
{
    const sc_chain_kept *k = &c->kept;
    const double cost[] = {k->best_cost.hpwl_um, k->best_cost.wirelength, k->best_cost.density,
                           k->best_cost.congestion, k->best_cost.proxy};

    sc_blob_u64(b, k->moves);
    sc_blob_u64(b, k->accepted);
    sc_blob_u64(b, k->drawn);
    for (int i = 0; i < SC_MOVE_KINDS; i++) {
        sc_blob_double(b, k->reach[i].share);
        sc_blob_u32(b, k->reach[i].tried);
        sc_blob_u32(b, k->reach[i].accepted);
    }
    for (size_t i = 0; i < sizeof cost / sizeof *cost; i++)
        sc_blob_double(b, cost[i]);
    save_spots(b, k->now, c->list->n_blocks);
    save_spots(b, k->best, c->list->n_blocks);
}

/* Fixed ones stay fixed. */
static bool load_spots(sc_spot *spot, size_t n, sc_blob *b)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        spot[i].x_um = sc_blob_read_double(b);
        spot[i].y_um = sc_blob_read_double(b);
        const uint32_t orient = sc_blob_read_u32(b);
        ok = ok && orient < SC_ORIENTS && isfinite(spot[i].x_um) && isfinite(spot[i].y_um);
        spot[i].orient = orient < SC_ORIENTS ? (sc_orient)orient : SC_ORIENT_N;
    }
    return ok && !b->broken;
}

sc_status sc_chain_load(sc_chain *c, sc_blob *b)
{
    const size_t n = c->list->n_blocks;
    sc_chain_kept *k = &c->kept;
    double cost[5];

    k->moves = sc_blob_read_u64(b);
    k->accepted = sc_blob_read_u64(b);
    k->drawn = sc_blob_read_u64(b);
    for (int i = 0; i < SC_MOVE_KINDS; i++) {
        k->reach[i].share = sc_blob_read_double(b);
        k->reach[i].tried = sc_blob_read_u32(b);
        k->reach[i].accepted = sc_blob_read_u32(b);
    }
    for (size_t i = 0; i < sizeof cost / sizeof *cost; i++)
        cost[i] = sc_blob_read_double(b);
    if (!load_spots(k->now, n, b) || !load_spots(k->best, n, b))
        return SC_EPARSE;
    k->best_cost = (sc_place_cost){cost[0], cost[1], cost[2], cost[3], cost[4]};
    c->moves = k->moves;
    c->accepted = k->accepted;
    c->best_cost = k->best_cost;
    c->best_is_now = false;
    memcpy(c->reach, k->reach, sizeof c->reach);
    memcpy(c->best, k->best, n * sizeof *c->best);
    sc_rng_seek(&c->rng, k->drawn);
    sc_cost_set(c->cost, k->now);
    c->now = sc_cost_now(c->cost).proxy;
    for (uint32_t h = 0; h < c->n_hard; h++)
        sc_room_put(&c->room, c->hard[h], &k->now[c->hard[h]]);
    return SC_OK;
}
