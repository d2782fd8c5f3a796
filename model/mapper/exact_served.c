#include "model/mapper/exact_served.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum { SLOTS = 1 << 12, MOST_HELD = SLOTS / 2, MOST_CHILDREN = 1 << 12, MOST_DIMS = 5 };

/* What an answer depends on, within one spatial choice. */
typedef struct question {
    uint16_t level, tensor;
    uint16_t at[SC_MAX_DIMS]; /* the child's tile along the dimensions that move the tensor */
    int32_t by[SC_MAX_RANKS]; /* the movement; the first INT32_MIN: any */
} question;

typedef struct place {
    int64_t at; /* of a child's tile, all ranks in one number */
    uint16_t child;
} place;

struct sc_served_memo {
    unsigned held;
    uint8_t taken[SLOTS];
    question asked[SLOTS];
    sc_served answer[SLOTS];
    /* While an answer is found. Children are numbered by their indices in the order of the
     * dimensions, or, `stand`, by where they stand. */
    place sorted[MOST_CHILDREN];
    int64_t place_of[MOST_CHILDREN];
    uint16_t group_of[MOST_CHILDREN], stand[MOST_CHILDREN];
    uint8_t waits[MOST_CHILDREN]; /* groups with a child that no neighbour serves */
};

struct sc_served_memo *sc_served_create(void)
{
    return sc_calloc(1, sizeof(struct sc_served_memo));
}

void sc_served_destroy(struct sc_served_memo *memo)
{
    sc_free(memo);
}

void sc_served_reset(struct sc_served_memo *memo)
{
    if (memo->held > 0)
        memset(memo->taken, 0, sizeof memo->taken);
    memo->held = 0;
}

bool sc_served_known(const sc_grid_choice *g, unsigned level)
{
    return g->memo && g->near[level].dims <= MOST_DIMS &&
           g->used[level + 1] / g->used[level] <= (double)MOST_CHILDREN;
}

static const sc_served unknown = {true, 0, 0, 0, 0};

/* ---- one movement ---- */

/* The children of one parent, and a movement. */
typedef struct fan {
    struct sc_served_memo *memo;
    unsigned children, groups, n; /* dimensions side by side */
    uint8_t dim[SC_MAX_DIMS];
    unsigned factor[SC_MAX_DIMS], weight[SC_MAX_DIMS]; /* by dimension: of its index in a number */
    int64_t step[SC_MAX_DIMS];                         /* by dimension: of an index in place */
    int64_t by;
} fan;

/* Ranks become digits of one number, each so wide that no sum of two tiles' distances leaves it.
 * @return false if they do not fit. */
static bool lay_out(fan *f, const sc_space *x, const sc_shape *spread, const sc_xtensor *t,
                    const sc_xtile *child, const double *by)
{
    double width = 1;
    memset(f->step, 0, sizeof f->step);
    f->by = 0;
    f->n = 0;
    f->children = 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        f->factor[d] = (unsigned)sc_shape_extent(x, spread, d);
        f->weight[d] = f->children;
        if (f->factor[d] > 1)
            f->dim[f->n++] = (uint8_t)d;
        f->children *= f->factor[d];
    }
    for (unsigned r = 0; r < t->n_ranks; r++) {
        double reach = 0;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++) {
            const unsigned d = t->rank[r].dim[k];
            const double step = (double)t->rank[r].coef[k] * child->extent[d];
            reach += step * (f->factor[d] - 1);
            f->step[d] += (int64_t)(step * width);
        }
        f->by += (int64_t)(by[r] * width);
        width *= 2 * (reach + fabs(by[r])) + 1;
        if (width > 0x1p50)
            return false;
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Children with the same tile make a group. */
static void group(fan *f)
{
    struct sc_served_memo *m = f->memo;
    for (unsigned c = 0; c < f->children; c++) {
        int64_t at = 0;
        for (unsigned i = 0; i < f->n; i++)
            at += (int64_t)(c / f->weight[f->dim[i]] % f->factor[f->dim[i]]) * f->step[f->dim[i]];
        m->place_of[c] = at;
        m->sorted[c] = (place){at, (uint16_t)c};
    }
    qsort(m->sorted, f->children, sizeof *m->sorted, by_place);
    f->groups = 0;
    for (unsigned c = 0; c < f->children; c++) {
        f->groups += c == 0 || m->sorted[c].at != m->sorted[c - 1].at;
        m->group_of[m->sorted[c].child] = (uint16_t)(f->groups - 1);
    }
}

/* Are some children whose numbers differ by a stride apart by the movement? As in exact_near.c. */
static bool may_meet(const fan *f, const sc_arrangement *a, unsigned stride)
{
    unsigned own[SC_MAX_DIMS];
    for (unsigned s = 0; s < a->n; s++) {
        own[s] = stride % f->factor[a->dim[s]];
        stride /= f->factor[a->dim[s]];
    }
    if (stride > 0)
        return false;
    for (unsigned carry = 0; carry < 1u << a->n >> 1; carry++) {
        int64_t apart = 0;
        for (unsigned s = 0; s < a->n; s++) {
            const unsigned in = s > 0 ? carry >> (s - 1) & 1 : 0;
            const int64_t gain =
                (int64_t)(own[s] + in) - (carry >> s & 1 ? (int64_t)f->factor[a->dim[s]] : 0);
            apart += gain * f->step[a->dim[s]];
        }
        if (apart == f->by || apart == -f->by)
            return true;
    }
    return false;
}

static void stand(fan *f, const sc_arrangement *a)
{
    for (unsigned id = 0; id < f->children; id++) {
        unsigned rest = id, child = 0;
        for (unsigned s = 0; s < a->n; s++) {
            const unsigned d = a->dim[s];
            child += rest % f->factor[d] * f->weight[d];
            rest /= f->factor[d];
        }
        f->memo->stand[id] = (uint16_t)child;
    }
}

/* Does the tile of one of a child's neighbours lie ahead of its own by the movement? */
static bool is_served(const fan *f, unsigned id, unsigned width)
{
    const struct sc_served_memo *m = f->memo;
    const int64_t ahead = m->place_of[m->stand[id]] + f->by;
    const unsigned column = id % width;
    return (column + 1 < width && id + 1 < f->children && m->place_of[m->stand[id + 1]] == ahead) ||
           (column > 0 && m->place_of[m->stand[id - 1]] == ahead) ||
           (id + width < f->children && m->place_of[m->stand[id + width]] == ahead) ||
           (id >= width && m->place_of[m->stand[id - width]] == ahead);
}

static void add_arrangement(sc_served *out, fan *f, const sc_arrangement *a, unsigned width)
{
    struct sc_served_memo *m = f->memo;
    unsigned groups = 0, alone = 0;
    if (!may_meet(f, a, 1) && !may_meet(f, a, width))
        return;
    stand(f, a);
    memset(m->waits, 0, f->groups);
    for (unsigned id = 0; id < f->children; id++) {
        if (is_served(f, id, width))
            continue;
        const unsigned in = m->group_of[m->stand[id]];
        alone++;
        groups += !m->waits[in];
        m->waits[in] = 1;
    }
    if (alone == f->children)
        return;
    out->any = true;
    out->groups = fmin(out->groups, (double)groups / f->children);
    out->alone = fmin(out->alone, (double)alone / f->children);
    if (groups < f->groups && alone > 0)
        out->ratio = fmin(out->ratio, (double)groups / alone);
}

/* Children in a row. The reference numbers them by the mesh's rows, wherever the axes part. */
static unsigned row_of(const fan *f, const sc_space *x, unsigned level, const sc_arrangement *a)
{
    unsigned width = 1;
    if (x->o->count.links == SC_LINKS_REFERENCE)
        return (unsigned)fmin((double)x->a->level[level].fanout_x, 2.0 * MOST_CHILDREN);
    for (unsigned s = 0; s < a->split; s++)
        width *= f->factor[a->dim[s]];
    return width;
}

static sc_served find(const sc_space *x, const sc_grid_choice *g, unsigned level, unsigned tensor,
                      const sc_xtile *child, const double *by)
{
    sc_arrangement a, last = {0};
    fan f = {.memo = g->memo};
    sc_served out = {false, 1, 1, 1, 1};
    if (!lay_out(&f, x, &g->fan[level], &x->tensor[tensor], child, by))
        return unknown;
    group(&f);
    out.all = out.groups = out.ratio = (double)f.groups / f.children;
    bool more = sc_arrangement_first(&a, x, g, level);
    for (; more; more = sc_arrangement_next(&a, x, g, level)) {
        if (!sc_arrangement_differs(&a, &last, x))
            continue;
        add_arrangement(&out, &f, &a, row_of(&f, x, level, &a));
        last = a;
    }
    return out;
}

/* ---- memory ---- */

static void ask(question *q, const sc_space *x, unsigned level, unsigned tensor,
                const sc_xtile *child)
{
    memset(q, 0, sizeof *q);
    q->level = (uint16_t)level;
    q->tensor = (uint16_t)tensor;
    for (unsigned d = 0; d < x->n_dims; d++)
        if (x->tensor[tensor].relevant >> d & 1)
            q->at[d] = child->shape.at[d];
}

static unsigned slot_of(const struct sc_served_memo *m, const question *q)
{
    uint32_t words[sizeof *q / sizeof(uint32_t)], hash = 2166136261u;
    memcpy(words, q, sizeof words);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * 16777619u;
    unsigned slot = (hash ^ hash >> 15) % SLOTS;
    while (m->taken[slot] && memcmp(&m->asked[slot], q, sizeof *q) != 0)
        slot = (slot + 1) % SLOTS;
    return slot;
}

static sc_served remember(struct sc_served_memo *m, const question *q, sc_served answer)
{
    if (m->held >= MOST_HELD)
        sc_served_reset(m);
    const unsigned slot = slot_of(m, q);
    m->held += !m->taken[slot];
    m->taken[slot] = 1;
    m->asked[slot] = *q;
    m->answer[slot] = answer;
    return answer;
}

sc_served sc_served_at(const sc_space *x, const sc_grid_choice *g, unsigned level, unsigned tensor,
                       const sc_xtile *child, const double *by)
{
    question q;
    ask(&q, x, level, tensor, child);
    for (unsigned r = 0; r < x->tensor[tensor].n_ranks; r++) {
        if (fabs(by[r]) > INT32_MAX)
            return unknown;
        q.by[r] = (int32_t)by[r];
    }
    const unsigned slot = slot_of(g->memo, &q);
    if (g->memo->taken[slot])
        return g->memo->answer[slot];
    return remember(g->memo, &q, find(x, g, level, tensor, child, by));
}

/* ---- any movement ---- */

/* Can loops outside the child move it so far? Along a rank they go by multiples of their steps. */
static bool is_within_reach(const sc_xtensor *t, const sc_xtile *child, const double *by)
{
    for (unsigned r = 0; r < t->n_ranks; r++) {
        double common = 0;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++) {
            const unsigned d = t->rank[r].dim[k];
            double a = (double)t->rank[r].coef[k] * child->extent[d] * child->spread[d];
            if (child->left[d] == 1)
                continue;
            while (a > 0) {
                const double over = fmod(common, a);
                common = a;
                a = over;
            }
        }
        if (common == 0 ? by[r] != 0 : fmod(by[r], common) != 0)
            return false;
    }
    return true;
}

/* Without neighbours. */
static sc_served start_of(const sc_space *x, const sc_grid_choice *g, unsigned level,
                          unsigned tensor, const sc_xtile *child)
{
    const double still[SC_MAX_RANKS] = {0};
    fan f = {.memo = g->memo};
    if (!lay_out(&f, x, &g->fan[level], &x->tensor[tensor], child, still))
        return unknown;
    group(&f);
    const double all = (double)f.groups / f.children;
    return (sc_served){false, all, all, 1, all};
}

static sc_served least_of(const sc_space *x, const sc_grid_choice *g, unsigned level,
                          unsigned tensor, const sc_xtile *child)
{
    const sc_xtensor *t = &x->tensor[tensor];
    const sc_near *near = &g->near[level];
    const bool holds = level + 1 < x->n_levels;
    double by[SC_MAX_RANKS] = {0};
    sc_served out = start_of(x, g, level, tensor, child);
    if (near->any)
        return (sc_served){true, out.all, 0, 0, 0};
    for (unsigned i = 0; i < 2 * near->n; i++) {
        const int16_t *apart = near->apart[i / 2];
        bool still = true;
        for (unsigned r = 0; r < t->n_ranks; r++) {
            by[r] = 0;
            for (unsigned k = 0; k < t->rank[r].n_terms; k++) {
                const unsigned d = t->rank[r].dim[k];
                by[r] += (double)apart[d] * (double)t->rank[r].coef[k] * child->extent[d];
            }
            by[r] = i % 2 ? -by[r] : by[r];
            still = still && by[r] == 0;
        }
        /* A tile that stands still brings in nothing, but to MACs. */
        if ((still && holds) || !is_within_reach(t, child, by))
            continue;
        const sc_served one = sc_served_at(x, g, level, tensor, child, by);
        if (!one.any)
            continue;
        out.any = true;
        out.groups = fmin(out.groups, one.groups);
        out.alone = fmin(out.alone, one.alone);
        out.ratio = fmin(out.ratio, one.ratio);
    }
    return out;
}

sc_served sc_served_least(const sc_space *x, const sc_grid_choice *g, unsigned level,
                          unsigned tensor, const sc_xtile *child)
{
    question q;
    ask(&q, x, level, tensor, child);
    q.by[0] = INT32_MIN;
    const unsigned slot = slot_of(g->memo, &q);
    if (g->memo->taken[slot])
        return g->memo->answer[slot];
    return remember(g->memo, &q, least_of(x, g, level, tensor, child));
}
