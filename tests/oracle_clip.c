#include "oracle_clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NEST = 64, MAX_CHILDREN = 4096, MAX_WORDS = 4096 };

typedef struct loop {
    unsigned dim, level;
    bool space;
    uint64_t factor, step;
} loop;

/* One boundary: all loops at or above `level`, in time (innermost first) and in space. */
typedef struct boundary {
    const sc_einsum *e;
    const sc_tensor *t;
    unsigned n_time, n_space, level;
    loop time[MAX_NEST], space[MAX_NEST]; /* space: the level's own innermost loop first */
    uint64_t extent[SC_MAX_DIMS];         /* of a child's tile */
    unsigned children;                    /* of all instances */
} boundary;

/* A child, by its digits in space, and what it holds. */
typedef struct child {
    uint64_t digit[MAX_NEST];
    bool started;
    uint64_t time_digit[MAX_NEST]; /* at its last step */
    int64_t low[SC_MAX_RANKS], size[SC_MAX_RANKS];
} child;

static void check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "oracle: %s\n", what);
        abort();
    }
}

static void add_loops(loop *out, unsigned *n, uint64_t *extent, const sc_loops *loops,
                      unsigned level)
{
    for (unsigned i = 0; i < loops->n; i++) {
        const unsigned d = loops->dim[i];
        if (out && loops->factor[i] > 1) {
            check(*n < MAX_NEST, "too many loops");
            out[(*n)++] = (loop){d, level, false, loops->factor[i], extent[d]};
        }
        extent[d] *= loops->factor[i];
    }
}

static void open_boundary(boundary *b, const sc_einsum *e, unsigned tensor, const sc_mapping *m,
                          unsigned level)
{
    uint64_t extent[SC_MAX_DIMS];
    memset(b, 0, sizeof *b);
    b->e = e;
    b->t = &e->tensor[tensor];
    b->level = level;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        extent[d] = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        if (l == level)
            memcpy(b->extent, extent, sizeof extent);
        add_loops(l <= level ? b->space : NULL, &b->n_space, extent, &m->level[l].spatial, l);
        add_loops(l <= level ? b->time : NULL, &b->n_time, extent, &m->level[l].temporal, l);
    }
    b->children = 1;
    for (unsigned i = 0; i < b->n_space; i++)
        b->children *= (unsigned)b->space[i].factor;
    check(b->children <= MAX_CHILDREN, "too many children");
}

static void place(child *c, const boundary *b, unsigned id)
{
    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < b->n_space; i++) {
        c->digit[i] = id % b->space[i].factor;
        id /= (unsigned)b->space[i].factor;
    }
}

static bool next(uint64_t *digit, const loop *l, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (++digit[i] < l[i].factor)
            return true;
        digit[i] = 0;
    }
    return false;
}

/* First index and number of indices of every dimension; false if the child has no work. */
static bool where(uint64_t *low, uint64_t *extent, const boundary *b, const child *c,
                  const uint64_t *time_digit)
{
    for (unsigned d = 0; d < b->e->n_dims; d++)
        low[d] = 0;
    for (unsigned i = 0; i < b->n_time; i++)
        low[b->time[i].dim] += time_digit[i] * b->time[i].step;
    for (unsigned i = 0; i < b->n_space; i++)
        low[b->space[i].dim] += c->digit[i] * b->space[i].step;
    for (unsigned d = 0; d < b->e->n_dims; d++) {
        if (low[d] >= b->e->bound[d])
            return false;
        extent[d] = b->e->bound[d] - low[d];
        if (extent[d] > b->extent[d])
            extent[d] = b->extent[d];
    }
    return true;
}

static void project(int64_t *out, const sc_tensor *t, const uint64_t *point)
{
    for (unsigned r = 0; r < t->n_ranks; r++) {
        out[r] = 0;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            out[r] += t->rank[r].coef[k] * (int64_t)point[t->rank[r].dim[k]];
    }
}

static void move_of(int64_t *out, const boundary *b, const loop *l)
{
    uint64_t point[SC_MAX_DIMS] = {0};
    point[l->dim] = l->step;
    project(out, b->t, point);
}

/* What a step brings: the box, less the part of it that was there. */
typedef struct delta {
    uint64_t words;
    int64_t low[SC_MAX_RANKS], size[SC_MAX_RANKS];
    int64_t cut_low[SC_MAX_RANKS], cut_high[SC_MAX_RANKS]; /* inside the box, from its corner */
} delta;

static uint64_t volume_of(const int64_t *size, unsigned n)
{
    uint64_t v = 1;
    for (unsigned r = 0; r < n; r++)
        v *= (uint64_t)size[r];
    return v;
}

/* The step's movement, a loop that went back counted as one iteration back; and that of the
 * innermost loop that moved the tile since. @return whether what was there may be kept. */
static bool movement(int64_t *t, const boundary *b, const child *c, const uint64_t *now, bool old)
{
    const unsigned n = b->t->n_ranks;
    int64_t first[SC_MAX_RANKS] = {0};
    unsigned j = 0, mover;
    memset(t, 0, SC_MAX_RANKS * sizeof *t);
    while (now[j] == 0)
        j++;
    mover = j;
    for (unsigned q = j + 1; q-- > 0;) {
        int64_t by[SC_MAX_RANKS];
        bool moves = false;
        move_of(by, b, &b->time[q]);
        for (unsigned r = 0; r < n; r++)
            moves |= by[r] != 0;
        if (q < j && c->time_digit[q] == 0)
            continue;
        for (unsigned r = 0; r < n; r++)
            t[r] += q == j ? by[r] : -by[r];
        if (moves)
            mover = q;
    }
    move_of(first, b, &b->time[mover]);
    bool still = true, same = !(old && mover > 0);
    for (unsigned r = 0; r < n; r++) {
        still &= t[r] == 0;
        same &= t[r] == first[r];
    }
    return still || same;
}

static void step(delta *out, const boundary *b, child *c, const uint64_t *time_digit,
                 const uint64_t *low, const uint64_t *extent, bool holds, bool old)
{
    const unsigned n = b->t->n_ranks;
    uint64_t top[SC_MAX_DIMS];
    int64_t t[SC_MAX_RANKS];
    memset(out, 0, sizeof *out);
    project(out->low, b->t, low);
    for (unsigned d = 0; d < b->e->n_dims; d++)
        top[d] = extent[d] - 1;
    project(out->size, b->t, top);
    for (unsigned r = 0; r < n; r++)
        out->size[r]++;
    out->words = volume_of(out->size, n);
    if (holds && c->started && movement(t, b, c, time_digit, old)) {
        int64_t common[SC_MAX_RANKS];
        bool any = true;
        for (unsigned r = 0; r < n; r++) { /* the box before lies from -t on */
            out->cut_low[r] = t[r] > 0 ? 0 : -t[r];
            out->cut_high[r] = c->size[r] - t[r] < out->size[r] ? c->size[r] - t[r] : out->size[r];
            common[r] = out->cut_high[r] - out->cut_low[r];
            any &= common[r] > 0;
        }
        if (any)
            out->words -= volume_of(common, n);
        for (unsigned r = 0; r < n && !any; r++)
            out->cut_low[r] = out->cut_high[r] = 0;
    }
    c->started = true;
    memcpy(c->time_digit, time_digit, sizeof c->time_digit);
    memcpy(c->size, out->size, sizeof c->size);
}

/* Children that share: in the same place at every level from `top` on, for the same words. */
static bool together(const boundary *b, const child *x, const delta *dx, const child *y,
                     const delta *dy, unsigned top, const bool *alone)
{
    int64_t apart[SC_MAX_LEVELS][SC_MAX_RANKS] = {{0}};
    if (memcmp(dx, dy, sizeof *dx) != 0)
        return false;
    for (unsigned i = 0; i < b->n_space; i++) {
        int64_t by[SC_MAX_RANKS];
        const loop *l = &b->space[i];
        if ((l->level < top || alone[l->level]) && x->digit[i] != y->digit[i])
            return false;
        move_of(by, b, l);
        for (unsigned r = 0; r < b->t->n_ranks; r++)
            apart[l->level][r] += ((int64_t)x->digit[i] - (int64_t)y->digit[i]) * by[r];
    }
    for (unsigned l = 0; l < SC_MAX_LEVELS; l++)
        for (unsigned r = 0; r < b->t->n_ranks; r++)
            if (apart[l][r] != 0)
                return false;
    return true;
}

typedef struct flow {
    uint64_t served, received;
} flow;

/* Accesses of all instances of level `top` for the children under `b`'s level. */
static flow run(const boundary *b, unsigned top, const bool *alone, bool holds, bool old)
{
    static child all[MAX_CHILDREN];
    static delta got[MAX_CHILDREN];
    static unsigned opens[MAX_CHILDREN];
    uint64_t digit[MAX_NEST] = {0};
    flow f = {0, 0};
    for (unsigned i = 0; i < b->children; i++)
        place(&all[i], b, i);
    do {
        unsigned n = 0;
        for (unsigned i = 0; i < b->children; i++) {
            uint64_t low[SC_MAX_DIMS], extent[SC_MAX_DIMS];
            if (!where(low, extent, b, &all[i], digit))
                continue;
            step(&got[i], b, &all[i], digit, low, extent, holds, old);
            f.received += got[i].words;
            if (got[i].words == 0)
                continue;
            unsigned k = 0;
            while (k < n &&
                   !together(b, &all[opens[k]], &got[opens[k]], &all[i], &got[i], top, alone))
                k++;
            if (k == n) {
                opens[n++] = i;
                f.served += got[i].words;
            }
        }
    } while (next(digit, b->time, b->n_time));
    return f;
}

static uint64_t used_under(const boundary *b)
{
    uint64_t used = 0;
    for (unsigned i = 0; i < b->children; i++) {
        uint64_t digit[MAX_NEST] = {0}, low[SC_MAX_DIMS], extent[SC_MAX_DIMS];
        child c;
        place(&c, b, i);
        used += where(low, extent, b, &c, digit);
    }
    return used;
}

/* The box that so many indices of every dimension span, no more than there are. */
static uint64_t box(const sc_einsum *e, const sc_tensor *t, const uint64_t *extent)
{
    int64_t size[SC_MAX_RANKS];
    uint64_t top[SC_MAX_DIMS];
    for (unsigned d = 0; d < e->n_dims; d++)
        top[d] = (extent[d] < e->bound[d] ? extent[d] : e->bound[d]) - 1;
    project(size, t, top);
    for (unsigned r = 0; r < t->n_ranks; r++)
        size[r]++;
    return volume_of(size, t->n_ranks);
}

static bool is_dense(const sc_tensor *t)
{
    for (unsigned r = 0; r < t->n_ranks; r++)
        if (t->rank[r].n_terms > 1 || t->rank[r].coef[0] > 1)
            return false;
    return true;
}

/* Output words that the instances of a level work on, each counted by itself. */
static uint64_t partition(const sc_einsum *e, const sc_mapping *m, unsigned level, uint64_t used)
{
    static boundary b;
    const sc_tensor *t = &e->tensor[e->output];
    if (level > 0 && is_dense(t))
        return oracle_clip_words(e, e->output, m, level - 1).first;
    uint64_t extent[SC_MAX_LEVELS][SC_MAX_DIMS], spread[SC_MAX_LEVELS][SC_MAX_DIMS], part;
    for (unsigned l = 0; l < m->n_levels; l++) {
        open_boundary(&b, e, e->output, m, l);
        memcpy(spread[l], b.extent, sizeof b.extent);
        add_loops(NULL, NULL, spread[l], &m->level[l].spatial, l);
        memcpy(extent[l], spread[l], sizeof b.extent);
        add_loops(NULL, NULL, extent[l], &m->level[l].temporal, l);
    }
    part = box(e, t, extent[0]);
    for (unsigned l = 1; l <= level; l++)
        part = part * box(e, t, extent[l]) / box(e, t, spread[l - 1]);
    return part * used;
}

static uint64_t nearest(uint64_t total, uint64_t used)
{
    return (2 * total + used) / (2 * used);
}

static void count_level(sc_counts *out, unsigned tensor, unsigned level, bool outermost,
                        const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                        const sc_count_options *o)
{
    static boundary b;
    bool alone[SC_MAX_LEVELS];
    sc_access *at = &out->at[level][tensor];
    const uint64_t used = out->used_instances[level];
    unsigned inner = level;
    uint64_t content, share = 0, reads, part;
    for (unsigned l = 0; l < m->n_levels; l++)
        alone[l] = tensor == e->output ? a->level[l].no_reduction : a->level[l].no_multicast;
    while (inner + 1 < m->n_levels && !(m->level[inner + 1].keep >> tensor & 1))
        inner++;
    open_boundary(&b, e, tensor, m, inner);
    content = run(&b, level, alone, inner + 1 < m->n_levels, o->reuse_pre_2025).served;
    if (!outermost) {
        open_boundary(&b, e, tensor, m, level - 1);
        share = run(&b, level - 1, alone, true, o->reuse_pre_2025).received;
    }
    open_boundary(&b, e, tensor, m, level);
    add_loops(NULL, NULL, b.extent, &m->level[level].spatial, level);
    add_loops(NULL, NULL, b.extent, &m->level[level].temporal, level);
    at->tile = box(e, b.t, b.extent);
    if (tensor != e->output) {
        at->reads = nearest(content, used);
        at->fills = share / used;
        return;
    }
    part = o->charge_first_read ? 0 : partition(e, m, level, used);
    reads = content + (o->charge_drain ? share : 0);
    at->updates = nearest(content, used);
    at->reads = nearest(reads > part ? reads - part : 0, used);
    at->fills = nearest(share > part ? share - part : 0, used);
}

void oracle_clip(sc_counts *out, const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                 const sc_count_options *o)
{
    static boundary b;
    uint64_t digit[MAX_NEST] = {0};
    memset(out, 0, sizeof *out);
    out->used_instances[0] = 1;
    for (unsigned l = 0; l < m->n_levels; l++) {
        open_boundary(&b, e, 0, m, l);
        *(l + 1 < m->n_levels ? &out->used_instances[l + 1] : &out->used_macs) = used_under(&b);
    }
    do { /* all steps: every MAC of every child */
        uint64_t busy = 0;
        for (unsigned i = 0; i < b.children; i++) {
            uint64_t low[SC_MAX_DIMS], extent[SC_MAX_DIMS];
            child c;
            place(&c, &b, i);
            busy += where(low, extent, &b, &c, digit);
        }
        out->compute_cycles += busy > 0;
        out->macs += busy;
    } while (next(digit, b.time, b.n_time));
    for (unsigned i = 0; i < e->n_tensors; i++) {
        bool outermost = true;
        for (unsigned l = 0; l < m->n_levels; l++) {
            if (!(m->level[l].keep >> i & 1))
                continue;
            count_level(out, i, l, outermost, e, a, m, o);
            outermost = false;
        }
    }
}

/* Index of a word in a row-major box of the whole tensor. */
static uint64_t word_at(const boundary *b, const uint64_t *point)
{
    uint64_t word = 0;
    for (unsigned r = 0; r < b->t->n_ranks; r++) {
        const sc_rank *rank = &b->t->rank[r];
        uint64_t at = 0, size = 1;
        for (unsigned k = 0; k < rank->n_terms; k++) {
            at += (uint64_t)rank->coef[k] * point[rank->dim[k]];
            size += (uint64_t)rank->coef[k] * (b->e->bound[rank->dim[k]] - 1);
        }
        word = word * size + at;
    }
    check(word < MAX_WORDS, "tensor too large");
    return word;
}

/* Words that the indices of a tile touch. */
static void touch(bool *words, const boundary *b, const uint64_t *low, const uint64_t *extent)
{
    uint64_t digit[SC_MAX_DIMS] = {0}, point[SC_MAX_DIMS];
    unsigned d = 0;
    memset(words, 0, MAX_WORDS * sizeof *words);
    while (d < b->e->n_dims) {
        for (d = 0; d < b->e->n_dims; d++)
            point[d] = low[d] + digit[d];
        words[word_at(b, point)] = true;
        for (d = 0; d < b->e->n_dims; d++) {
            if (++digit[d] < extent[d])
                break;
            digit[d] = 0;
        }
    }
}

oracle_words oracle_clip_words(const sc_einsum *e, unsigned tensor, const sc_mapping *m,
                               unsigned level)
{
    static boundary b;
    static bool held[MAX_CHILDREN][MAX_WORDS], ever[MAX_CHILDREN][MAX_WORDS], now[MAX_WORDS];
    static unsigned served[MAX_CHILDREN][MAX_WORDS]; /* step in which an instance read a word */
    const bool macs = level + 1 == m->n_levels;      /* they hold nothing */
    uint64_t digit[MAX_NEST] = {0}, top[SC_MAX_DIMS], own = 1;
    oracle_words sum = {0, 0, 0};
    unsigned step_number = 0;
    open_boundary(&b, e, tensor, m, level);
    for (unsigned i = 0; i < b.n_space && b.space[i].level == level; i++)
        own *= b.space[i].factor;
    for (unsigned d = 0; d < e->n_dims; d++)
        top[d] = e->bound[d] - 1;
    const uint64_t n_words = word_at(&b, top) + 1;
    for (unsigned i = 0; i < b.children; i++) {
        memset(held[i], 0, n_words);
        memset(ever[i], 0, n_words);
        memset(served[i], 0, n_words * sizeof **served);
    }
    do {
        step_number++;
        for (unsigned i = 0; i < b.children; i++) {
            uint64_t low[SC_MAX_DIMS], extent[SC_MAX_DIMS];
            child c;
            place(&c, &b, i);
            if (!where(low, extent, &b, &c, digit))
                continue;
            touch(now, &b, low, extent);
            for (uint64_t w = 0; w < n_words; w++) {
                if (now[w] && (macs || !held[i][w])) {
                    unsigned *last = &served[i / own][w];
                    sum.served += *last != step_number;
                    *last = step_number;
                    sum.received++;
                    sum.first += !ever[i][w];
                    ever[i][w] = true;
                }
                held[i][w] = now[w];
            }
        }
    } while (next(digit, b.time, b.n_time));
    return sum;
}

uint64_t oracle_clip_size(const sc_mapping *m)
{
    uint64_t size = 1;
    for (unsigned l = 0; l < m->n_levels; l++) {
        const sc_loops *loops[2] = {&m->level[l].temporal, &m->level[l].spatial};
        for (unsigned k = 0; k < 2; k++)
            for (unsigned i = 0; i < loops[k]->n; i++)
                size *= loops[k]->factor[i];
    }
    return size;
}
