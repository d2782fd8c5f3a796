#include "placement/anneal.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "core/run.h"
#include "placement/room.h"

const sc_anneal_rule sc_anneal_usual = {.hot = 5e-5, .cold = 2e-6};
const sc_anneal_rule sc_anneal_scratch = {.hot = 4e-4, .cold = 2e-6};

enum {
    DOMAIN = 0x504c4143, /* of random streams */
    BATCH = 256,         /* moves at one temperature */
    WINDOW = 512         /* moves of a kind between changes of its range */
};

/* Kinds of moves. */
typedef enum kind {
    HARD_SHIFT,
    HARD_SWAP,
    HARD_TURN,
    SOFT_SHIFT,
    SOFT_SWAP,
    SOFT_JOIN,
    KINDS
} kind;

/* Shares of the moves, of 100. */
static const int share_of_kind[KINDS] = {15, 10, 5, 40, 10, 20};

/* How far a kind of move goes: so that a share of 0.44 is accepted (VPR). */
typedef struct reach {
    double share; /* of the canvas, to each side */
    int tried, accepted;
} reach;

typedef struct annealing {
    const sc_netlist *list;
    const sc_canvas *canvas;
    sc_cost *cost;
    sc_room room;
    sc_rng rng;
    uint32_t *hard, *soft; /* movable blocks of either kind */
    uint32_t n_hard, n_soft;
    uint8_t *orients; /* [n_blocks] that hard macros may have, as bits */
    reach reach[KINDS];
    sc_spot *best; /* [n_blocks] */
    double now, best_proxy;
    bool best_is_now; /* not copied to `best` yet */
    double temperature;
} annealing;

static double uniform(annealing *a)
{
    return gsl_rng_uniform(&a->rng.gsl);
}

static uint32_t pick(annealing *a, uint32_t n)
{
    return (uint32_t)(uniform(a) * n);
}

/* ---- proposals: false if the move is not legal or changes nothing ---- */

/* A place at most a share of the canvas away from (x, y) along either axis, where the block may be.
 */
static void put_near(annealing *a, sc_move *m, double x, double y, double share)
{
    double low[2], high[2];

    sc_room_bounds(low, high, &a->room, m->block, m->spot.orient);
    x += (2 * uniform(a) - 1) * share * a->canvas->width_um;
    y += (2 * uniform(a) - 1) * share * a->canvas->height_um;
    m->spot.x_um = fmin(fmax(x, low[0]), high[0]);
    m->spot.y_um = fmin(fmax(y, low[1]), high[1]);
}

static bool shift_hard(annealing *a, sc_move *m)
{
    put_near(a, m, m->spot.x_um, m->spot.y_um, a->reach[HARD_SHIFT].share);
    return sc_room_free(&a->room, m->block, &m->spot);
}

/* Two hard macros change places; their boxes are lifted while that is looked at. */
static bool swap_hard(annealing *a, sc_move m[2])
{
    const sc_spot was[2] = {m[0].spot, m[1].spot};

    m[0].spot.x_um = was[1].x_um;
    m[0].spot.y_um = was[1].y_um;
    m[1].spot.x_um = was[0].x_um;
    m[1].spot.y_um = was[0].y_um;
    sc_room_lift(&a->room, m[1].block);
    bool free = sc_room_free(&a->room, m[0].block, &m[0].spot);
    if (free) {
        sc_room_put(&a->room, m[0].block, &m[0].spot);
        free = sc_room_free(&a->room, m[1].block, &m[1].spot);
        sc_room_put(&a->room, m[0].block, &was[0]);
    }
    sc_room_put(&a->room, m[1].block, &was[1]);
    return free;
}

/* Another of the orientations that the macro may have. One that turns it by 90 degrees needs other
 * room, and where that reaches out of bounds the macro is pushed in. */
static bool turn_hard(annealing *a, sc_move *m)
{
    const uint8_t may = a->orients[m->block];
    const sc_orient was = m->spot.orient;
    uint32_t others = 0;

    for (int o = 0; o < SC_ORIENTS; o++)
        others += o != (int)was && (may >> o & 1) != 0;
    if (others == 0)
        return false;
    uint32_t skip = pick(a, others);
    for (int o = 0; o < SC_ORIENTS; o++) {
        if (o == (int)was || (may >> o & 1) == 0 || skip-- > 0)
            continue;
        m->spot.orient = (sc_orient)o;
        break;
    }
    if (sc_orient_is_turned(was) == sc_orient_is_turned(m->spot.orient))
        return true;
    put_near(a, m, m->spot.x_um, m->spot.y_um, 0);
    return sc_room_free(&a->room, m->block, &m->spot);
}

static bool shift_soft(annealing *a, sc_move *m)
{
    put_near(a, m, m->spot.x_um, m->spot.y_um, a->reach[SOFT_SHIFT].share);
    return true;
}

/* Places change, orientations stay: those of soft macros mean nothing. */
static bool swap_soft(annealing *a, sc_move m[2])
{
    const sc_spot was = m[0].spot;
    put_near(a, &m[0], m[1].spot.x_um, m[1].spot.y_um, 0);
    put_near(a, &m[1], was.x_um, was.y_um, 0);
    return true;
}

/* A soft macro goes near to a block that one of its nets meets. */
static bool join_soft(annealing *a, sc_move *m)
{
    uint32_t to = 0;
    if (!sc_cost_neighbour(&to, a->cost, m->block, pick(a, UINT32_MAX), pick(a, UINT32_MAX)))
        return false;
    const sc_spot *spot = &sc_cost_spots(a->cost)[to];
    put_near(a, m, spot->x_um, spot->y_um, a->reach[SOFT_JOIN].share);
    return true;
}

/* ---- one move ---- */

static kind pick_kind(annealing *a)
{
    int at = (int)pick(a, 100);
    for (int k = 0; k < KINDS; k++) {
        if (at < share_of_kind[k])
            return (kind)k;
        at -= share_of_kind[k];
    }
    return SOFT_SHIFT;
}

/* Fill the moves of a kind. @return how many, 0 if none can be made. */
static size_t propose(annealing *a, kind k, sc_move m[2])
{
    const bool hard = k <= HARD_TURN, two = k == HARD_SWAP || k == SOFT_SWAP;
    const uint32_t *of = hard ? a->hard : a->soft, n = hard ? a->n_hard : a->n_soft;
    const sc_spot *spot = sc_cost_spots(a->cost);
    bool done = false;

    if (n < (two ? 2 : 1))
        return 0;
    const uint32_t first = pick(a, n);
    m[0] = (sc_move){of[first], spot[of[first]]};
    if (two) {
        const uint32_t second = (first + 1 + pick(a, n - 1)) % n;
        m[1] = (sc_move){of[second], spot[of[second]]};
    }
    switch (k) {
    case HARD_SHIFT: done = shift_hard(a, m); break;
    case HARD_SWAP: done = swap_hard(a, m); break;
    case HARD_TURN: done = turn_hard(a, m); break;
    case SOFT_SHIFT: done = shift_soft(a, m); break;
    case SOFT_SWAP: done = swap_soft(a, m); break;
    case SOFT_JOIN: done = join_soft(a, m); break;
    case KINDS: break;
    }
    return done ? 1 + (size_t)two : 0;
}

/* Moves of a kind go further while more than 0.44 of them are accepted, less far otherwise. */
static void note(reach *r, bool accepted)
{
    r->accepted += accepted;
    if (++r->tried < WINDOW)
        return;
    r->share *= 1 - 0.44 + (double)r->accepted / r->tried;
    r->share = fmin(fmax(r->share, 1e-4), 1);
    r->tried = r->accepted = 0;
}

static void keep_best(annealing *a)
{
    if (a->best_is_now)
        memcpy(a->best, sc_cost_spots(a->cost), a->list->n_blocks * sizeof *a->best);
    a->best_is_now = false;
}

/* @return whether a move was made. */
static bool step(annealing *a)
{
    sc_move m[2];
    const kind k = pick_kind(a);
    const size_t n = propose(a, k, m);

    if (n == 0)
        return false;
    const double u = uniform(a), limit = a->now - a->temperature * log(u + 1e-300);
    if (a->best_is_now)
        keep_best(a);
    const double proxy = sc_cost_try(a->cost, m, n);
    const bool accepted = proxy <= limit;
    note(&a->reach[k], accepted);
    if (!accepted) {
        sc_cost_reject(a->cost);
        return false;
    }
    sc_cost_accept(a->cost);
    a->now = sc_cost_now(a->cost).proxy;
    for (size_t i = 0; i < n && k <= HARD_TURN; i++)
        sc_room_put(&a->room, m[i].block, &m[i].spot);
    if (a->now < a->best_proxy) {
        a->best_proxy = a->now;
        a->best_is_now = true;
    }
    return true;
}

/* ---- a run ---- */

static sc_status begin(annealing *a, const sc_place_rules *rules, uint64_t seed)
{
    const size_t n = a->list->n_blocks;

    a->best = sc_calloc(n, sizeof *a->best);
    a->hard = sc_calloc(2 * n, sizeof *a->hard);
    a->orients = sc_calloc(n, sizeof *a->orients);
    if (a->best == NULL || a->hard == NULL || a->orients == NULL)
        return SC_ENOMEM;
    a->soft = a->hard + n;
    const sc_spot *spot = sc_cost_spots(a->cost);
    for (uint32_t b = 0; b < n; b++) {
        a->orients[b] = sc_rules_orients(rules, b, spot[b].orient);
        if (a->list->block[b].kind == SC_BLOCK_HARD && !spot[b].fixed)
            a->hard[a->n_hard++] = b;
        if (a->list->block[b].kind == SC_BLOCK_SOFT && !spot[b].fixed)
            a->soft[a->n_soft++] = b;
    }
    for (int k = 0; k < KINDS; k++)
        a->reach[k].share = k == SOFT_JOIN ? 0.05 : 0.25;
    sc_rng_init(&a->rng, seed, DOMAIN, 0);
    a->now = a->best_proxy = sc_cost_now(a->cost).proxy;
    memcpy(a->best, spot, n * sizeof *spot);
    return sc_room_init(&a->room, a->list, a->canvas, rules, spot);
}

/* Share of the budget that is spent. */
static double spent(const sc_place_run *run, uint64_t moves, double seconds)
{
    const double by_moves = run->moves > 0 ? (double)moves / (double)run->moves : 0;
    const double by_time = run->seconds > 0 ? seconds / run->seconds : 0;
    return fmax(by_moves, by_time);
}

static bool wants_stop(const annealing *a, const sc_place_run *run, uint64_t moves, double share,
                       double seconds)
{
    const sc_progress p = {.done = moves,
                           .total = run->moves,
                           .feasible = moves,
                           .best = a->best_proxy,
                           .elapsed_s = seconds,
                           .rate_per_s = seconds > 0 ? (double)moves / seconds : 0,
                           .eta_s = share > 0 ? seconds * (1 - share) / share : (double)NAN};
    return run->progress != NULL && run->progress(&p, run->payload) != 0;
}

/* When the clock is looked at: after so many moves that it is about every hundredth of a second,
 * however long a move takes. */
typedef struct watch {
    double began, last, shown;
    uint64_t next, every;
} watch;

/* @return false once the caller asks to stop. */
static bool look(annealing *a, watch *w, double *share, const sc_place_run *run, uint64_t moves)
{
    const double now = sc_now();

    if (now - w->last < 0.005 && w->every < 4096)
        w->every *= 2;
    else if (now - w->last > 0.02 && w->every > 1)
        w->every /= 2;
    w->last = now;
    w->next = moves + w->every;
    *share = spent(run, moves, now - w->began);
    if (now - w->shown < 0.1)
        return true;
    w->shown = now;
    return !wants_stop(a, run, moves, *share, now - w->began);
}

static void loop(annealing *a, sc_place_outcome *out, const sc_anneal_rule *rule,
                 const sc_place_run *run)
{
    const double now = sc_now();
    watch w = {.began = now, .last = now, .shown = now, .next = 1, .every = 1};
    double share = 0;

    for (;; out->moves++) {
        if (out->moves % BATCH == 0) {
            share = run->seconds > 0 ? share : spent(run, out->moves, 0);
            a->temperature = rule->hot * pow(rule->cold / rule->hot, fmin(share, 1));
        }
        if (out->moves >= w.next && !look(a, &w, &share, run, out->moves)) {
            out->stop = SC_STOP_INTERRUPT;
            break;
        }
        if (run->moves > 0 && out->moves >= run->moves) {
            out->stop = SC_STOP_BUDGET;
            break;
        }
        if (run->seconds > 0 && share >= 1) {
            out->stop = SC_STOP_TIME;
            break;
        }
        out->accepted += step(a);
    }
    out->seconds = sc_now() - w.began;
}

sc_status sc_anneal(sc_cost *cost, sc_place_outcome *out, const sc_netlist *list,
                    const sc_canvas *canvas, const sc_place_rules *rules,
                    const sc_anneal_rule *rule, const sc_place_run *run)
{
    annealing a = {.list = list, .canvas = canvas, .cost = cost};

    *out = (sc_place_outcome){.start = sc_cost_now(cost)};
    sc_status st = begin(&a, rules, run->seed);
    if (st == SC_OK && a.n_hard + a.n_soft > 0)
        loop(&a, out, rule, run);
    else
        out->stop = SC_STOP_EXHAUSTED; /* nothing can move */
    if (st == SC_OK) {
        keep_best(&a);
        sc_cost_set(cost, a.best);
    }
    out->best = sc_cost_now(cost);
    sc_room_clear(&a.room);
    sc_free(a.orients);
    sc_free(a.hard);
    sc_free(a.best);
    return st;
}
