#include <limits.h>
#include <string.h>

#include "model/count/clip.h"
#include "model/count/groups.h"

/* The states that one dimension takes. */
typedef struct states {
    unsigned n;
    sc_clip_state at[SC_CLIP_STATES];
} states;

/* A dimension, and how often it is in each state. */
typedef struct unit {
    unsigned dim;
    states of;
    sc_u128 count[SC_CLIP_STATES];
} unit;

/* Two dimensions whose spatial loops under the level move the tensor along a common rank, at least
 * one of them with a remainder. */
typedef struct pair {
    unsigned dim[2], n[2];
    uint64_t step[2]; /* a + step[0], b - step[1] is the same place; 0 = never */
    sc_clip_row row[2][SC_CLIP_ROWS];
} pair;

/* What a step brings: a box, less a box inside it that was there. */
typedef struct delta {
    uint64_t words;
    uint64_t size[SC_MAX_RANKS], cut_low[SC_MAX_RANKS], cut_high[SC_MAX_RANKS];
} delta;

typedef struct sum {
    sc_clip *c;
    const sc_clip_view *v;
    const sc_plan_tensor *tensor;
    unsigned n_units;
    unit *unit; /* [n_units] */
    bool paired;
    pair *pair;                       /* of paired */
    sc_clip_state state[SC_MAX_DIMS]; /* of the relevant dimensions, while they are walked */
    sc_u128 total;
} sum;

static unsigned state_index(states *s, const sc_clip_state *x)
{
    unsigned i = 0;
    while (i < s->n && (s->at[i].now != x->now || s->at[i].before != x->before ||
                        s->at[i].back != x->back || s->at[i].inner != x->inner))
        i++;
    if (i == s->n)
        s->at[s->n++] = *x;
    return i;
}

static void fill_unit(unit *u, sc_clip *c, const sc_clip_view *v, unsigned d)
{
    sc_clip_row row[SC_CLIP_ROWS];
    const unsigned n = sc_clip_rows(row, c, v, v->level, d);
    u->dim = d;
    u->of.n = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < row[i].n; k++) {
            const struct sc_clip_segment *s = &row[i].at[k];
            const unsigned known = u->of.n, x = state_index(&u->of, &s->state);
            if (x == known)
                u->count[x] = 0;
            u->count[x] += (sc_u128)row[i].count * (s->high - s->low);
        }
}

/* The tile's box in the present state. */
static uint64_t box_of(uint64_t *size, const sum *s, bool before)
{
    uint64_t extent[SC_MAX_DIMS];
    for (unsigned d = 0; d < s->c->plan->n_dims; d++)
        extent[d] = before ? s->state[d].before : s->state[d].now;
    return sc_nest_box(size, s->tensor->rank, s->tensor->n_ranks, extent, &s->c->overflow);
}

/* Leave out what the tile before, one movement back, holds of the tile. */
static void cut(delta *out, const sum *s, const uint64_t *move)
{
    uint64_t before[SC_MAX_RANKS], common = 1;
    box_of(before, s, true);
    for (unsigned r = 0; r < s->tensor->n_ranks; r++) {
        const int64_t by = (int64_t)move[r], end = (int64_t)before[r] - by;
        out->cut_low[r] = by < 0 ? (uint64_t)-by : 0;
        out->cut_high[r] = end < 0 ? 0 : (uint64_t)end;
        if (out->cut_high[r] > out->size[r])
            out->cut_high[r] = out->size[r];
        common *= out->cut_high[r] > out->cut_low[r] ? out->cut_high[r] - out->cut_low[r] : 0;
    }
    out->words -= common;
    for (unsigned r = 0; r < s->tensor->n_ranks && common == 0; r++)
        out->cut_low[r] = out->cut_high[r] = 0;
}

/* Is the innermost loop that moved the tile kept from sliding by a still one inside it? */
static bool spoiled(const sum *s, unsigned mover)
{
    return s->c->options->reuse_pre_2025 && mover > s->c->nest->first[s->v->level];
}

/* The step's movement, and the innermost loop that moved the tile since: the loop of the step
 * itself if none did. */
static unsigned movement(uint64_t *move, const sum *s)
{
    const sc_nest_loop *loop = &s->c->nest->loop[s->v->loop];
    unsigned mover = UINT_MAX;
    for (unsigned d = 0; d < s->c->plan->n_dims; d++) {
        uint64_t by[SC_MAX_RANKS];
        if (!(s->tensor->relevant >> d & 1))
            continue;
        if (s->state[d].inner < mover)
            mover = s->state[d].inner;
        sc_nest_move(by, s->tensor, d, (loop->dim == d ? loop->step : 0) - s->state[d].back);
        for (unsigned r = 0; r < s->tensor->n_ranks; r++)
            move[r] += by[r];
    }
    return mover < s->v->loop ? mover : s->v->loop;
}

/* What a step brings into a child in the present states. */
static void delta_of(delta *out, const sum *s)
{
    uint64_t move[SC_MAX_RANKS] = {0}, first[SC_MAX_RANKS];
    *out = (delta){0};
    out->words = box_of(out->size, s, false);
    if (s->v->steps != SC_CLIP_LOOP)
        return;
    const unsigned mover = movement(move, s);
    const sc_nest_loop *loop = &s->c->nest->loop[mover];
    sc_nest_move(first, s->tensor, loop->dim, loop->step);
    bool still = true, same = !spoiled(s, mover);
    for (unsigned r = 0; r < s->tensor->n_ranks; r++) {
        still &= move[r] == 0;
        same &= move[r] == first[r];
    }
    if (still || same)
        cut(out, s, move);
}

static void add_words(sum *s, uint64_t words, sc_u128 times)
{
    sc_clip_mul(&times, words, &s->c->overflow);
    s->c->overflow |= __builtin_add_overflow(s->total, times, &s->total);
}

/* Children of a row of each side, those of segment x of the one and y of the other: bit x of
 * mask[y] says that they take the same delta. */
static void add_places(sum *s, const sc_clip_row *a, const sc_clip_row *b, const unsigned *mask,
                       uint64_t words, sc_u128 times)
{
    sc_clip_block block = {.step = {s->pair->step[0], s->pair->step[1]}};
    uint64_t places;
    for (unsigned y = 0; y < b->n; y++) {
        block.row[y].low = b->at[y].low;
        block.row[y].high = b->at[y].high;
        block.row[y].n = 0;
        for (unsigned x = 0; x < a->n; x++)
            if (mask[y] >> x & 1)
                block.row[y].at[block.row[y].n++] = (sc_clip_span){a->at[x].low, a->at[x].high};
    }
    block.n = b->n;
    if (!sc_clip_places(&places, &block))
        s->c->tangled = true;
    sc_clip_mul(&times, places, &s->c->overflow);
    add_words(s, words, times);
}

/* The children of two rows: those that take the same in the same place share it. */
static void add_rows(sum *s, const sc_clip_row *a, const sc_clip_row *b, sc_u128 times)
{
    delta got[3][3];
    unsigned left[3];
    for (unsigned y = 0; y < b->n; y++) {
        left[y] = (1u << a->n) - 1;
        for (unsigned x = 0; x < a->n; x++) {
            s->state[s->pair->dim[0]] = a->at[x].state;
            s->state[s->pair->dim[1]] = b->at[y].state;
            delta_of(&got[y][x], s);
        }
    }
    for (unsigned y = 0; y < b->n; y++)
        while (left[y]) {
            const delta *one = &got[y][__builtin_ctz(left[y])];
            unsigned mask[3] = {0};
            for (unsigned v = y; v < b->n; v++)
                for (unsigned x = 0; x < a->n; x++)
                    if (memcmp(one, &got[v][x], sizeof *one) == 0)
                        mask[v] |= 1u << x;
            for (unsigned v = y; v < b->n; v++)
                left[v] &= ~mask[v];
            if (one->words > 0)
                add_places(s, a, b, mask, one->words, times);
        }
}

static void add_pair(sum *s, sc_u128 times)
{
    for (unsigned i = 0; i < s->pair->n[0]; i++)
        for (unsigned k = 0; k < s->pair->n[1]; k++) {
            const sc_clip_row *a = &s->pair->row[0][i], *b = &s->pair->row[1][k];
            sc_u128 more = (sc_u128)a->count * b->count;
            sc_clip_mul(&more, times, &s->c->overflow);
            add_rows(s, a, b, more);
        }
}

static void walk(sum *s, unsigned at, sc_u128 times)
{
    if (at == s->n_units) {
        delta got;
        if (s->paired) {
            add_pair(s, times);
            return;
        }
        delta_of(&got, s);
        add_words(s, got.words, times);
        return;
    }
    const unit *u = &s->unit[at];
    for (unsigned x = 0; x < u->of.n; x++) {
        sc_u128 more = times;
        s->state[u->dim] = u->of.at[x];
        sc_clip_mul(&more, u->count[x], &s->c->overflow);
        walk(s, at + 1, more);
    }
}

static bool is_perfect(const sc_clip *c, unsigned d)
{
    for (unsigned l = 0; l < c->nest->n_levels; l++)
        if (c->last_time[l][d] + 1 != c->time[l][d] || c->last_space[l][d] + 1 != c->space[l][d])
            return false;
    return true;
}

static void refuse(sc_clip *c, const sc_clip_view *v, unsigned level)
{
    if (!c->tangled) {
        c->tangled_level = level;
        c->tangled_tensor = v->tensor;
    }
    c->tangled = true;
}

/* The whole fan as one factor, groups of its children. */
static void share_tangled(sc_clip *c, const sc_clip_view *v, const sc_fan *f, unsigned level,
                          sc_u128 *times, sc_u128 *parts)
{
    bool perfect = true;
    for (unsigned s = 0; s < f->n; s++)
        if (f->relevant >> s & 1) {
            perfect &= is_perfect(c, c->nest->spatial[level][s].dim);
            sc_clip_mul(parts, f->factor[s], &c->overflow);
        }
    const uint64_t groups = perfect ? sc_fan_groups(f) : 0;
    if (groups == 0)
        refuse(c, v, level);
    sc_clip_mul(times, groups, &c->overflow);
}

/* Two loops on a rank: a factor if their dimensions divide, else walked with the rest. */
static void share_pair(sum *s, const sc_fan *f, const struct sc_fan_pair *p, unsigned level,
                       sc_u128 *times, sc_u128 *parts)
{
    sc_clip *c = s->c;
    const unsigned a = c->nest->spatial[level][p->a].dim, b = c->nest->spatial[level][p->b].dim;
    const uint64_t m = f->factor[p->a], n = f->factor[p->b];
    if (is_perfect(c, a) && is_perfect(c, b)) {
        sc_u128 places = (sc_u128)m * n;
        sc_clip_mul(parts, places, &c->overflow);
        if (p->step_a && m > p->step_a && n > p->step_b)
            places -= (sc_u128)(m - p->step_a) * (n - p->step_b);
        sc_clip_mul(times, places, &c->overflow);
        return;
    }
    if (!p->step_a)
        return;          /* no two children in one place */
    bool spread = false; /* further in too */
    for (unsigned l = level + 1; l <= s->v->level; l++)
        spread |= c->space[l][a] > 1 || c->space[l][b] > 1;
    if (spread || s->paired) {
        refuse(c, s->v, level);
        return;
    }
    s->paired = true;
    const bool swap = n > m; /* rows are taken along the longer side */
    s->pair->dim[0] = swap ? b : a;
    s->pair->dim[1] = swap ? a : b;
    s->pair->step[0] = swap ? p->step_b : p->step_a;
    s->pair->step[1] = swap ? p->step_a : p->step_b;
    for (unsigned side = 0; side < 2; side++)
        s->pair->n[side] = sc_clip_rows(s->pair->row[side], c, s->v, level, s->pair->dim[side]);
}

/* Sharing among children that differ in dimensions which move the tensor. */
static void share(sum *s, sc_u128 *times, sc_u128 *parts)
{
    for (unsigned l = 0; l <= s->v->level && !s->tensor->plain; l++) {
        sc_fan fan;
        if (!(s->v->shared >> l & 1) || s->c->nest->n_spatial[l] < 2)
            continue;
        sc_fan_build(&fan, s->c->nest, s->tensor, l);
        if (fan.tangled)
            share_tangled(s->c, s->v, &fan, l, times, parts);
        for (unsigned i = 0; i < fan.n_pairs; i++)
            share_pair(s, &fan, &fan.pair[i], l, times, parts);
    }
}

sc_u128 sc_clip_words(sc_clip *c, const sc_clip_view *v)
{
    const sc_plan_tensor *t = &c->plan->tensor[v->tensor];
    unit units[SC_MAX_DIMS];
    pair both;
    sum s = {.c = c, .v = v, .tensor = t, .unit = units, .pair = &both};
    sc_u128 times = 1, parts = 1;
    both.dim[0] = both.dim[1] = SC_MAX_DIMS; /* none */
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        s.state[d] = (sc_clip_state){1, 1, 0, UINT_MAX};
    for (unsigned d = 0; d < c->plan->n_dims; d++)
        if (!(t->relevant >> d & 1))
            sc_clip_mul(&times, sc_clip_idle_count(c, v, d), &c->overflow);
    if (times == 0)
        return 0;
    share(&s, &times, &parts);
    for (unsigned d = 0; d < c->plan->n_dims; d++)
        if (t->relevant >> d & 1 && !(s.paired && (d == both.dim[0] || d == both.dim[1])))
            fill_unit(&s.unit[s.n_units++], c, v, d);
    if (c->tangled)
        return 0;
    walk(&s, 0, times);
    return s.total / parts;
}
