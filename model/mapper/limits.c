#include "model/mapper/limits.h"

#include <string.h>

#include "model/mapper/factor.h"

const sc_loop_limits *sc_limits_of(const sc_map_constraints *c, int level, int block)
{
    const sc_level_limits *l = &c->level[level];
    return block == SC_IN_SPACE ? &l->spatial : &l->temporal;
}

static uint64_t product_or_most(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* The smallest factor from `min` to `most` that divides `rest` and leaves `others` of it or more;
 * else the minimum. Only divisors of bounds are met: a loop to `rest` ends soon after sqrt. */
static uint64_t dividing_start(uint64_t min, uint64_t most, uint64_t rest, uint64_t others)
{
    uint64_t best = 0;
    for (uint64_t k = 1; k <= rest / k; k++) {
        const uint64_t pair[] = {k, rest / k};
        for (int i = 0; rest % k == 0 && i < 2; i++)
            if (pair[i] >= min && pair[i] <= most && rest / pair[i] >= others &&
                (best == 0 || pair[i] < best))
                best = pair[i];
    }
    return best ? best : min;
}

static void init_dim(sc_limits *l, const sc_einsum *e, unsigned d)
{
    uint64_t rest = e->bound[d], minima = 1;
    for (int i = 0; i < SC_BLOCKS * l->c->n_levels; i++) {
        const sc_loop_limits *asked = sc_limits_of(l->c, i / SC_BLOCKS, i % SC_BLOCKS);
        if (asked->fixed[d] > 0)
            rest = sc_factor_rounds(rest, asked->fixed[d]);
        else
            minima = product_or_most(minima, asked->min[d]);
    }
    for (int i = SC_BLOCKS * l->c->n_levels - 1; i >= 0; i--) {
        const sc_loop_limits *asked = sc_limits_of(l->c, i / SC_BLOCKS, i % SC_BLOCKS);
        uint64_t *least = &l->least[i / SC_BLOCKS][i % SC_BLOCKS][d];
        uint64_t *most = &l->most[i / SC_BLOCKS][i % SC_BLOCKS][d];
        *least = asked->fixed[d] > 0 ? asked->fixed[d] : asked->min[d];
        *most = asked->fixed[d] > 0 ? asked->fixed[d]
                : asked->max[d] > 0 ? asked->max[d]
                                    : UINT64_MAX;
        if (asked->fixed[d] > 0 || asked->min[d] == 1)
            continue;
        if (minima < UINT64_MAX)
            minima /= asked->min[d];
        *least = dividing_start(asked->min[d], *most, rest, minima);
        rest = sc_factor_rounds(rest, *least);
    }
}

uint16_t sc_limits_outside_steps(const sc_loop_limits *asked, const sc_einsum *e, int sequential)
{
    uint8_t rank[SC_MAX_DIMS];
    uint16_t outside = 0;
    if (sequential < 0 || e->bound[sequential] == 1)
        return 0;
    sc_loop_ranks(rank, asked);
    for (unsigned d = 0; d < e->n_dims; d++)
        outside |= (uint16_t)((rank[d] > rank[sequential]) << d);
    return outside;
}

void sc_limits_init(sc_limits *l, const sc_map_constraints *c, const sc_einsum *e, int sequential)
{
    memset(l, 0, sizeof *l);
    l->c = c;
    for (int d = 0; d < e->n_dims; d++) {
        if (d != sequential) {
            init_dim(l, e, (unsigned)d);
            continue;
        }
        for (int i = 0; i < SC_BLOCKS * c->n_levels; i++)
            l->least[i / SC_BLOCKS][i % SC_BLOCKS][d] = l->most[i / SC_BLOCKS][i % SC_BLOCKS][d] =
                1;
    }
    const uint16_t outside = sc_limits_outside_steps(&c->level[0].temporal, e, sequential);
    for (int d = 0; d < e->n_dims; d++)
        if (outside >> d & 1)
            l->most[0][SC_IN_TIME][d] = l->least[0][SC_IN_TIME][d];
}

uint64_t sc_limits_left(const sc_limits *l, const sc_einsum *e, unsigned dim)
{
    uint64_t start = 1;
    for (int i = 0; i < SC_BLOCKS * l->c->n_levels; i++)
        start = product_or_most(start, l->least[i / SC_BLOCKS][i % SC_BLOCKS][dim]);
    return sc_factor_rounds(e->bound[dim], start);
}

uint64_t sc_limits_outside(const sc_limits *l, int level, unsigned dim)
{
    uint64_t room = 1;
    for (int i = 0; i < level; i++) {
        const uint64_t most = l->most[i][SC_IN_TIME][dim];
        if (most == UINT64_MAX)
            return most;
        room = product_or_most(room, most / l->least[i][SC_IN_TIME][dim]);
    }
    return room;
}

uint8_t sc_limits_keepable(const sc_limits *l, int level, uint8_t keep)
{
    return (uint8_t)(keep & ~l->c->level[level].must_bypass);
}

typedef struct placed {
    uint8_t dim, rank;
    bool diagonal;
    uint64_t factor;
} placed;

/* Stable, by insertion into a list of their own; a few loops. */
static void sort_range(sc_block *b, unsigned from, unsigned to, const uint8_t rank[SC_MAX_DIMS])
{
    placed list[SC_MAX_DIMS];
    unsigned n = 0;
    for (unsigned i = from; i < to; i++, n++) {
        const uint8_t dim = b->spatial.dim[i];
        const placed p = {dim, rank[dim], b->diagonal >> i & 1, b->spatial.factor[i]};
        unsigned at = n;
        for (; at > 0 && list[at - 1].rank > p.rank; at--)
            list[at] = list[at - 1];
        list[at] = p;
    }
    for (unsigned i = 0; i < n; i++) {
        b->spatial.dim[from + i] = list[i].dim;
        b->spatial.factor[from + i] = list[i].factor;
        b->diagonal &= (uint8_t) ~(1u << (from + i));
        b->diagonal |= (uint8_t)(list[i].diagonal << (from + i));
    }
}

void sc_limits_sort(sc_loops *loops, const sc_loop_limits *asked, int outermost)
{
    uint8_t rank[SC_MAX_DIMS];
    sc_block b = {.spatial = *loops};
    sc_loop_ranks(rank, asked);
    if (outermost >= 0)
        rank[outermost] = UINT8_MAX;
    sort_range(&b, 0, loops->n, rank);
    *loops = b.spatial;
}

void sc_limits_sort_sides(sc_block *b, const sc_level_limits *asked)
{
    uint8_t rank[SC_MAX_DIMS];
    sc_loop_ranks(rank, &asked->spatial);
    sort_range(b, 0, b->split, rank);
    sort_range(b, b->split, b->spatial.n, rank);
}

/* The loops of one axis behind those there are. @return their product. */
static double lay_side(sc_block *b, const sc_einsum *e, const uint64_t *factor, unsigned which,
                       unsigned diagonal)
{
    double side = 1.0;
    for (unsigned d = 0; d < e->n_dims; d++) {
        if (factor[d] == 1 || !(which >> d & 1))
            continue;
        side *= (double)factor[d];
        b->diagonal |= (uint8_t)((diagonal >> d & 1) << b->spatial.n);
        b->spatial.dim[b->spatial.n] = (uint8_t)d;
        b->spatial.factor[b->spatial.n++] = factor[d];
    }
    return side;
}

bool sc_limits_lay(sc_block *b, const sc_level *l, const sc_level_limits *asked, const sc_einsum *e,
                   const uint64_t *factor, const sc_sides *fixed)
{
    unsigned all = 0;
    for (unsigned d = 0; d < e->n_dims; d++)
        all |= factor[d] > 1 ? 1u << d : 0;
    for (unsigned on_x = fixed ? fixed->on_x & all : all;; on_x = (on_x - 1) & all) {
        sc_block laid = {.keep = b->keep, .temporal = b->temporal};
        const unsigned diagonal = fixed ? fixed->diagonal : 0;
        const double x = lay_side(&laid, e, factor, on_x, diagonal);
        laid.split = laid.spatial.n;
        double y = lay_side(&laid, e, factor, all & ~on_x, 0);
        for (unsigned d = 0; d < e->n_dims; d++)
            y *= diagonal >> d & 1 ? (double)factor[d] : 1.0;
        sc_limits_sort_sides(&laid, asked);
        if (x <= (double)l->fanout_x && y <= (double)l->fanout_y &&
            sc_map_constraints_places(asked, &laid, e)) {
            *b = laid;
            return true;
        }
        if (on_x == 0 || fixed)
            return false;
    }
}
