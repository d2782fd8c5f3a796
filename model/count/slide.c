#include "model/count/slide.h"

#include <string.h>

void sc_moves_build(sc_moves *v, const sc_nest *n, const sc_plan_tensor *t)
{
    for (unsigned j = 0; j < n->n_loops; j++)
        if (t->relevant >> n->loop[j].dim & 1)
            sc_nest_move(v->by[j], t, n->loop[j].dim, n->loop[j].step);
}

static unsigned first_moving(const sc_nest *n, const sc_plan_tensor *t, unsigned first)
{
    unsigned j = first;
    while (j < n->n_loops && !(t->relevant >> n->loop[j].dim & 1))
        j++;
    return j;
}

/* Words of a box that the box before, one movement back, did not cover. */
static uint64_t uncovered(uint64_t volume, const uint64_t *size, const uint64_t *move,
                          unsigned n_ranks)
{
    uint64_t common = 1;
    for (unsigned r = 0; r < n_ranks; r++)
        common *= size[r] > move[r] ? size[r] - move[r] : 0;
    return volume - common;
}

/* An increment of loop j puts the loops inside it back by one iteration each (the recursion looks
 * at iterations 0 and 1 of every loop), so it moves the tile by T = c_j - sum of their movements.
 * `back` is that sum. */
static sc_step step_of(const uint64_t *c, const uint64_t *back, const uint64_t *c_first,
                       unsigned n_ranks)
{
    bool kept = true, same = true;
    for (unsigned r = 0; r < n_ranks; r++) {
        kept &= c[r] == back[r];
        same &= c[r] == back[r] + c_first[r];
    }
    return kept ? SC_STEP_KEPT : same ? SC_STEP_SUB : SC_STEP_FULL;
}

void sc_slide_build(sc_slide *s, const sc_nest *n, const sc_moves *v, const sc_plan_tensor *t,
                    unsigned tensor, unsigned level, bool pre_2025)
{
    uint64_t back[SC_MAX_RANKS];
    s->first = n->first[level];
    s->moving = first_moving(n, t, s->first);
    s->volume = s->sub = n->tile[level + 1][tensor];
    memset(s->step + s->first, SC_STEP_KEPT, s->moving - s->first);
    if (s->moving == n->n_loops)
        return;
    const uint64_t *c_first = v->by[s->moving];
    /* Under the older rule a stationary loop inside resets the stride before every step. */
    if (!pre_2025 || s->moving == s->first)
        s->sub = uncovered(s->volume, n->size[level + 1][tensor], c_first, t->n_ranks);
    const sc_step partial = s->sub < s->volume ? SC_STEP_SUB : SC_STEP_FULL;
    s->step[s->moving] = (uint8_t)partial;
    memcpy(back, c_first, sizeof back);
    for (unsigned j = s->moving + 1; j < n->n_loops; j++) {
        s->step[j] = SC_STEP_FULL;
        if (!(t->relevant >> n->loop[j].dim & 1))
            continue;
        const sc_step step = step_of(v->by[j], back, c_first, t->n_ranks);
        s->step[j] = (uint8_t)(step == SC_STEP_SUB ? partial : step);
        for (unsigned r = 0; r < t->n_ranks; r++)
            back[r] += v->by[j][r];
    }
}

void sc_slide_plain(sc_slide *s, const sc_nest *n, const sc_plan_tensor *t, unsigned tensor,
                    unsigned level)
{
    s->first = n->first[level];
    s->moving = first_moving(n, t, s->first);
    s->volume = s->sub = n->tile[level + 1][tensor];
    memset(s->step + s->first, SC_STEP_KEPT, s->moving - s->first);
    memset(s->step + s->moving, SC_STEP_FULL, n->n_loops - s->moving);
}

void sc_slide_macs(sc_slide *s, const sc_nest *n)
{
    s->first = s->moving = 0;
    s->volume = s->sub = 1;
    memset(s->step, SC_STEP_FULL, n->n_loops);
}

uint64_t sc_slide_total(const sc_slide *s, const sc_nest *n, bool *overflow)
{
    uint64_t total = s->volume;
    sc_nest_mul(&total, n->outer[s->moving], overflow);
    /* As if every step from `moving` outwards were full; less what the others save. No product
     * below passes the total. */
    for (unsigned j = s->moving; j < n->n_loops; j++) {
        if (s->step[j] == SC_STEP_FULL)
            continue;
        const uint64_t saved = s->step[j] == SC_STEP_SUB ? s->volume - s->sub : s->volume;
        total -= saved * (n->loop[j].factor - 1) * n->outer[j + 1];
    }
    return total;
}
