/** Moves that an annealing chain tries. */
#include <math.h>

#include "placement/anneal_state.h"

/* Shares of the moves, of 100. */
static const int share_of_kind[SC_MOVE_KINDS] = {15, 10, 5, 40, 10, 20};

static double uniform(sc_chain *c)
{
    return gsl_rng_uniform(&c->rng.gsl);
}

static uint32_t pick(sc_chain *c, uint32_t n)
{
    return (uint32_t)(uniform(c) * n);
}

/* ---- proposals: false if the move is not legal or changes nothing ---- */

/* A place at most a share of the canvas away from (x, y) along either axis, where the block may be.
 */
static void put_near(sc_chain *c, sc_move *m, double x, double y, double share)
{
    double low[2], high[2];

    sc_room_bounds(low, high, &c->room, m->block, m->spot.orient);
    x += (2 * uniform(c) - 1) * share * c->canvas->width_um;
    y += (2 * uniform(c) - 1) * share * c->canvas->height_um;
    m->spot.x_um = fmin(fmax(x, low[0]), high[0]);
    m->spot.y_um = fmin(fmax(y, low[1]), high[1]);
}

static bool shift_hard(sc_chain *c, sc_move *m)
{
    put_near(c, m, m->spot.x_um, m->spot.y_um, c->reach[SC_HARD_SHIFT].share);
    return sc_room_free(&c->room, m->block, &m->spot);
}

/* Two hard macros change places; their boxes are lifted while that is looked at. */
static bool swap_hard(sc_chain *c, sc_move m[2])
{
    const sc_spot was[2] = {m[0].spot, m[1].spot};

    m[0].spot.x_um = was[1].x_um;
    m[0].spot.y_um = was[1].y_um;
    m[1].spot.x_um = was[0].x_um;
    m[1].spot.y_um = was[0].y_um;
    sc_room_lift(&c->room, m[1].block);
    bool free = sc_room_free(&c->room, m[0].block, &m[0].spot);
    if (free) {
        sc_room_put(&c->room, m[0].block, &m[0].spot);
        free = sc_room_free(&c->room, m[1].block, &m[1].spot);
        sc_room_put(&c->room, m[0].block, &was[0]);
    }
    sc_room_put(&c->room, m[1].block, &was[1]);
    return free;
}

/* Another of the orientations that the macro may have. One that turns it by 90 degrees needs other
 * room, and where that reaches out of bounds the macro is pushed in. */
static bool turn_hard(sc_chain *c, sc_move *m)
{
    const uint8_t may = c->orients[m->block];
    const sc_orient was = m->spot.orient;
    uint32_t others = 0;

    for (int o = 0; o < SC_ORIENTS; o++)
        others += o != (int)was && (may >> o & 1) != 0;
    if (others == 0)
        return false;
    uint32_t skip = pick(c, others);
    for (int o = 0; o < SC_ORIENTS; o++) {
        if (o == (int)was || (may >> o & 1) == 0 || skip-- > 0)
            continue;
        m->spot.orient = (sc_orient)o;
        break;
    }
    if (sc_orient_is_turned(was) == sc_orient_is_turned(m->spot.orient))
        return true;
    put_near(c, m, m->spot.x_um, m->spot.y_um, 0);
    return sc_room_free(&c->room, m->block, &m->spot);
}

static bool shift_soft(sc_chain *c, sc_move *m)
{
    put_near(c, m, m->spot.x_um, m->spot.y_um, c->reach[SC_SOFT_SHIFT].share);
    return true;
}

/* Places change, orientations stay: those of soft macros mean nothing. */
static bool swap_soft(sc_chain *c, sc_move m[2])
{
    const sc_spot was = m[0].spot;
    put_near(c, &m[0], m[1].spot.x_um, m[1].spot.y_um, 0);
    put_near(c, &m[1], was.x_um, was.y_um, 0);
    return true;
}

/* A soft macro goes near to a block that one of its nets meets. */
static bool join_soft(sc_chain *c, sc_move *m)
{
    uint32_t to = 0;
    if (!sc_cost_neighbour(&to, c->cost, m->block, pick(c, UINT32_MAX), pick(c, UINT32_MAX)))
        return false;
    const sc_spot *spot = &sc_cost_spots(c->cost)[to];
    put_near(c, m, spot->x_um, spot->y_um, c->reach[SC_SOFT_JOIN].share);
    return true;
}

/* ---- one move ---- */

static sc_move_kind pick_kind(sc_chain *c)
{
    int at = (int)pick(c, 100);
    for (int k = 0; k < SC_MOVE_KINDS; k++) {
        if (at < share_of_kind[k])
            return (sc_move_kind)k;
        at -= share_of_kind[k];
    }
    return SC_SOFT_SHIFT;
}

size_t sc_chain_propose(sc_chain *c, sc_move_kind *kind, sc_move m[2])
{
    const sc_move_kind k = *kind = pick_kind(c);
    const bool hard = k <= SC_HARD_TURN, two = k == SC_HARD_SWAP || k == SC_SOFT_SWAP;
    const uint32_t *of = hard ? c->hard : c->soft, n = hard ? c->n_hard : c->n_soft;
    const sc_spot *spot = sc_cost_spots(c->cost);
    bool done = false;

    if (n < (two ? 2 : 1))
        return 0;
    const uint32_t first = pick(c, n);
    m[0] = (sc_move){of[first], spot[of[first]]};
    if (two) {
        const uint32_t second = (first + 1 + pick(c, n - 1)) % n;
        m[1] = (sc_move){of[second], spot[of[second]]};
    }
    switch (k) {
    case SC_HARD_SHIFT: done = shift_hard(c, m); break;
    case SC_HARD_SWAP: done = swap_hard(c, m); break;
    case SC_HARD_TURN: done = turn_hard(c, m); break;
    case SC_SOFT_SHIFT: done = shift_soft(c, m); break;
    case SC_SOFT_SWAP: done = swap_soft(c, m); break;
    case SC_SOFT_JOIN: done = join_soft(c, m); break;
    case SC_MOVE_KINDS: break;
    }
    return done ? 1 + (size_t)two : 0;
}
