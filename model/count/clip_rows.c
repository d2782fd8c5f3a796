#include <limits.h>

#include "model/count/clip.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* How the loops of one dimension lie about the steps looked at. Steps in time of a child are
 * numbered 0, 1, ... as the loops of the dimension alone make them. */
typedef struct stride {
    uint64_t inside; /* steps under one iteration of the loop looked at, or all, or one */
    uint64_t factor; /* of that loop; 0 if it runs over another dimension or there is none */
} stride;

static stride stride_of(sc_clip *c, const sc_clip_view *v, unsigned d)
{
    const sc_nest *n = c->nest;
    stride s = {1, 0};
    unsigned end = n->n_loops;
    if (v->steps == SC_CLIP_EVERY)
        return s;
    if (v->steps == SC_CLIP_LOOP) {
        end = v->loop;
        s.factor = n->loop[v->loop].dim == d ? n->loop[v->loop].factor : 0;
    }
    for (unsigned q = n->first[v->level]; q < end; q++)
        if (n->loop[q].dim == d)
            sc_nest_mul(&s.inside, n->loop[q].factor, &c->overflow);
    return s;
}

/* Of the iterations numbered below `end`: those that an increment begins. */
static uint64_t begun(const stride *s, uint64_t end)
{
    return s->factor ? end - ceil_div(end, s->factor) : end;
}

static bool is_begun(const stride *s, uint64_t at)
{
    return !s->factor || at % s->factor != 0;
}

/* The state of a child that has `steps` steps of its own, in the last iteration or an earlier. */
static sc_clip_state state_of(const sc_clip *c, const sc_clip_view *v, unsigned d, const stride *s,
                              uint64_t steps, bool is_last, uint64_t rest)
{
    const sc_nest *n = c->nest;
    const uint64_t full = c->full[v->level][d];
    sc_clip_state out = {full, full, 0, UINT_MAX};
    uint64_t inside = (steps - 1) % s->inside; /* the last step within its iteration */
    if (is_last && inside == 0)
        out.now = rest;
    if (v->steps != SC_CLIP_LOOP)
        return out;
    if (is_last && !s->factor)
        out.before = rest;
    for (unsigned q = n->first[v->level]; q < v->loop; q++) {
        if (n->loop[q].dim != d)
            continue;
        const bool moved = !is_last || s->factor || inside % n->loop[q].factor != 0;
        inside /= n->loop[q].factor;
        if (!moved)
            continue;
        out.back += n->loop[q].step;
        if (out.inner == UINT_MAX)
            out.inner = q;
    }
    return out;
}

static void add_segment(sc_clip_row *r, uint64_t low, uint64_t high, const sc_clip_state *s)
{
    if (low < high)
        r->at[r->n++] = (struct sc_clip_segment){low, high, *s};
}

/* Rows in which all `fan` children along the loop have the same steps. */
static unsigned add_even(sc_clip_row *out, const sc_clip *c, const sc_clip_view *v, unsigned d,
                         const stride *s, uint64_t fan, uint64_t times, uint64_t steps)
{
    const uint64_t end = ceil_div(steps, s->inside), full = c->full[v->level][d];
    unsigned n = 0;
    if (times == 0 || end == 0)
        return 0;
    for (unsigned is_last = 0; is_last < 2; is_last++) {
        const uint64_t count = is_last ? is_begun(s, end - 1) : begun(s, end - 1);
        if (count == 0)
            continue;
        const sc_clip_state state = state_of(c, v, d, s, steps, is_last, full);
        out[n] = (sc_clip_row){.count = times * count};
        add_segment(&out[n++], 0, fan, &state);
    }
    return n;
}

/* The children among which the last step of all falls: below the last digit, at it, above. */
typedef struct sections {
    uint64_t low[4];   /* first child of each; the end */
    uint64_t steps[3]; /* of each child, falling */
} sections;

static void add_row(sc_clip_row *out, const sc_clip *c, const sc_clip_view *v, unsigned d,
                    const stride *s, const sections *of, uint64_t iteration)
{
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t end = ceil_div(of->steps[i], s->inside);
        if (iteration >= end || of->low[i] == of->low[i + 1])
            continue;
        const uint64_t rest = (i == 1 ? c->rest : c->full)[v->level][d];
        const sc_clip_state state = state_of(c, v, d, s, of->steps[i], iteration == end - 1, rest);
        add_segment(out, of->low[i], of->low[i + 1], &state);
    }
}

/* Iterations between two ends are alike, and the last ones of each section stand alone. */
static unsigned add_last(sc_clip_row *out, const sc_clip *c, const sc_clip_view *v, unsigned d,
                         const stride *s, const sections *of)
{
    uint64_t from = 0;
    unsigned n = 0;
    for (unsigned i = 3; i-- > 0;) {
        const uint64_t end = ceil_div(of->steps[i], s->inside);
        for (unsigned last = 0; last < 2 && end > 0; last++) {
            const uint64_t to = last ? end : end - 1;
            if (to <= from || of->low[i] == of->low[i + 1])
                continue;
            out[n] = (sc_clip_row){.count = begun(s, to) - begun(s, from)};
            if (out[n].count > 0)
                add_row(&out[n++], c, v, d, s, of, from);
            from = to;
        }
    }
    return n;
}

static uint64_t product(sc_clip *c, uint64_t (*f)[SC_MAX_DIMS], unsigned from, unsigned to,
                        unsigned d)
{
    uint64_t v = 1;
    for (unsigned l = from; l < to; l++)
        sc_nest_mul(&v, f[l][d], &c->overflow);
    return v;
}

unsigned sc_clip_rows(sc_clip_row out[SC_CLIP_ROWS], sc_clip *c, const sc_clip_view *v,
                      unsigned row, unsigned d)
{
    const stride s = stride_of(c, v, d);
    const unsigned level = v->level;
    unsigned n = 0;
    uint64_t steps = 0; /* before the last one, in the loops so far */
    for (unsigned l = 0; l <= row; l++) {
        steps = steps * c->time[l][d] + c->last_time[l][d];
        if (l == row || c->space[l][d] == 1)
            continue;
        const uint64_t at = c->last_space[l][d], fan = c->space[row][d];
        const uint64_t under = product(c, c->time, l + 1, level + 1, d);
        const uint64_t times = product(c, c->space, l + 1, row, d);
        n += add_even(out + n, c, v, d, &s, fan, at * times, (steps + 1) * under);
        n += add_even(out + n, c, v, d, &s, fan, (c->space[l][d] - 1 - at) * times, steps * under);
    }
    const uint64_t at = c->last_space[row][d], under = product(c, c->time, row + 1, level + 1, d);
    sections of = {{0, at, at + 1, c->space[row][d]}, {(steps + 1) * under, 0, steps * under}};
    for (unsigned l = row + 1; l <= level; l++)
        steps = steps * c->time[l][d] + c->last_time[l][d];
    of.steps[1] = steps + 1;
    return n + add_last(out + n, c, v, d, &s, &of);
}

/* Children of one spatial loop below its last digit, and above it, that are counted. */
static void sides(uint64_t *below, uint64_t *above, const sc_clip *c, const sc_clip_view *v,
                  unsigned l, unsigned d)
{
    const bool one = v->shared >> l & 1;
    const uint64_t at = c->last_space[l][d];
    *below = one ? at > 0 : at;
    *above = one ? 0 : c->space[l][d] - 1 - at;
}

sc_u128 sc_clip_idle_count(sc_clip *c, const sc_clip_view *v, unsigned d)
{
    const stride s = stride_of(c, v, d);
    uint64_t steps = 0, under = product(c, c->time, 0, v->level + 1, d), inner = 1;
    sc_u128 total = 0;
    bool whole = true; /* the children at the last digits are counted */
    for (unsigned l = 0; l <= v->level; l++)
        inner *= v->shared >> l & 1 ? 1 : c->space[l][d];
    for (unsigned l = 0; l <= v->level; l++) {
        uint64_t below, above;
        steps = steps * c->time[l][d] + c->last_time[l][d];
        under /= c->time[l][d];
        inner /= v->shared >> l & 1 ? 1 : c->space[l][d];
        sides(&below, &above, c, v, l, d);
        total += (sc_u128)below * inner * begun(&s, ceil_div((steps + 1) * under, s.inside));
        total += (sc_u128)above * inner * begun(&s, ceil_div(steps * under, s.inside));
        if (v->shared >> l & 1 && c->last_space[l][d] > 0) {
            whole = false; /* the one child that is counted lies below */
            break;
        }
    }
    return whole ? total + begun(&s, ceil_div(steps + 1, s.inside)) : total;
}

uint64_t sc_clip_used(sc_clip *c, unsigned level, unsigned d)
{
    uint64_t steps = 0, used = 0, inner = product(c, c->space, 0, level, d);
    for (unsigned l = 0; l < level; l++) {
        const uint64_t at = c->last_space[l][d];
        steps |= c->last_time[l][d];
        inner /= c->space[l][d];
        used += inner * at;
        if (steps > 0)
            used += inner * (c->space[l][d] - 1 - at);
    }
    return used + 1;
}
