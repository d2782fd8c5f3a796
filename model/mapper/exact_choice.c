#include "model/mapper/exact_choice.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

/* Tiles of one choice, in time: divisors of what its factors leave of the bounds. */
typedef struct lattice {
    const sc_space *x;
    const sc_grid_choice *g;
    unsigned n[SC_MAX_DIMS];
    uint16_t *divisor[SC_MAX_DIMS]; /* [n] index among those of the bound */
    uint16_t rest[SC_MAX_DIMS];     /* all of it */
    size_t stride[SC_MAX_DIMS], points;
} lattice;

static uint16_t rest_of(const sc_space *x, const sc_grid_choice *g, unsigned d)
{
    const sc_xdim *v = &x->dim[d];
    return v->over[(v->n - 1) * v->n + g->outer[x->n_levels].at[d]];
}

static bool divides(const sc_xdim *v, uint16_t whole, unsigned part)
{
    return v->over[whole * v->n + part] != SC_NO_DIVISOR;
}

size_t sc_choice_tiles(const sc_space *x, const sc_grid_choice *g)
{
    size_t points = 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const uint16_t rest = rest_of(x, g, d);
        size_t n = 0;
        for (unsigned k = 0; k <= rest; k++)
            n += divides(&x->dim[d], rest, k);
        points *= n;
    }
    return points;
}

/* Tiles of all children of a level together, if none has a loop in time: index of a divisor. */
static uint16_t side_by_side(const lattice *y, unsigned level, unsigned d)
{
    const sc_xdim *v = &y->x->dim[d];
    const sc_grid_choice *g = y->g;
    return v->over[g->outer[y->x->n_levels].at[d] * v->n + g->outer[level].at[d]];
}

/* Where the tiles of a level are in its tables. */
static void set_offsets(sc_tables *t, const lattice *y, unsigned level)
{
    for (unsigned d = 0; d < y->x->n_dims; d++) {
        const sc_xdim *v = &y->x->dim[d];
        const uint16_t fan = side_by_side(y, level, d);
        for (unsigned k = 0; k < y->n[d]; k++)
            t->offset[level][d][v->times[fan * v->n + y->divisor[d][k]]] =
                (uint32_t)(k * y->stride[d]);
    }
}

static sc_status allot(sc_choice_tables *c, lattice *y)
{
    const sc_space *x = y->x;
    size_t index = 0, figures = 0;
    c->tables.wide = x->timed ? 4 : 1;
    for (unsigned d = 0; d < x->n_dims; d++)
        index += x->dim[d].n;
    if (!c->index && !(c->index = sc_calloc((x->n_levels + 1) * index, sizeof *c->index)))
        return SC_ENOMEM;
    for (unsigned l = 1; l < x->n_levels; l++)
        figures += (2 * x->level[l].n_sets + x->n_tensors) * y->points * c->tables.wide;
    if (figures > c->room) {
        sc_free(c->figures);
        c->room = 0;
        if (!(c->figures = sc_calloc(figures, sizeof *c->figures)))
            return SC_ENOMEM;
        c->room = figures;
    }
    uint32_t *at = c->index;
    for (unsigned l = 0; l < x->n_levels; l++)
        for (unsigned d = 0; d < x->n_dims; at += x->dim[d++].n)
            c->tables.offset[l][d] = at;
    double *table = c->figures;
    for (unsigned l = 1; l < x->n_levels; l++)
        for (unsigned k = 0; k < x->level[l].n_sets; k++) {
            c->tables.own[l][x->level[l].set[k]] = table;
            table += y->points * c->tables.wide;
            c->tables.least[l][x->level[l].set[k]] = table;
            table += y->points * c->tables.wide;
        }
    for (unsigned l = 1; l < x->n_levels; l++)
        for (unsigned i = 0; i < x->n_tensors; i++) {
            c->tables.alone[l][i] = (x->level[l].may & ~x->level[l].must) >> i & 1 ? table : NULL;
            table += y->points * c->tables.wide;
        }
    return SC_OK;
}

/* least = the minimum of own over all tiles that contain a tile, figure by figure. */
static void fill_least(const lattice *y, double *least, const double *own, unsigned wide)
{
    if (least != own)
        memcpy(least, own, y->points * wide * sizeof *own);
    for (unsigned d = 0; d < y->x->n_dims; d++) {
        const sc_xdim *v = &y->x->dim[d];
        for (size_t i = 0; i < y->points; i++) {
            const size_t at = i / y->stride[d] % y->n[d];
            for (size_t j = at + 1; j < y->n[d]; j++) {
                if (!divides(v, y->divisor[d][j], y->divisor[d][at]))
                    continue;
                double *to = &least[i * wide];
                const double *from = &least[(i + (j - at) * y->stride[d]) * wide];
                for (unsigned w = 0; w < wide; w++)
                    to[w] = from[w] < to[w] ? from[w] : to[w];
            }
        }
    }
}

static void look_at_tile(sc_tables *t, const lattice *y, unsigned level, size_t at)
{
    const sc_space *x = y->x;
    sc_xtile tile;
    sc_xstep step;
    tile.blocks = level;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_xdim *v = &x->dim[d];
        const uint16_t time = y->divisor[d][at / y->stride[d] % y->n[d]];
        tile.shape.at[d] = v->times[side_by_side(y, level, d) * v->n + time];
        tile.left[d] = (double)v->divisor[v->over[y->rest[d] * v->n + time]];
        tile.spread[d] = (double)sc_shape_extent(x, &y->g->fan[level - 1], d);
    }
    sc_xtile_init(&tile, x);
    sc_grid_step(&step, x, y->g, level - 1, &tile, false);
    sc_tables_set(t, x, level, &tile, &step, at);
}

static void drop_dead(sc_tables *t, const lattice *y, double *own, double dead)
{
    for (size_t i = 0; i < y->points; i++)
        if (own[i * t->wide] >= dead)
            for (unsigned w = 0; w < t->wide; w++)
                own[i * t->wide + w] = HUGE_VAL;
}

static void fill(sc_choice_tables *c, const lattice *y, double dead)
{
    const sc_space *x = y->x;
    for (unsigned l = 0; l < x->n_levels; l++)
        set_offsets(&c->tables, y, l);
    for (unsigned l = 0; l < x->n_levels; l++) {
        c->tables.used[l] = y->g->used[l];
        for (unsigned i = 0; i < x->n_tensors; i++)
            c->tables.pass[l][i] = sc_grid_least_passed(x, y->g, l, i);
    }
    for (unsigned l = 1; l < x->n_levels; l++) {
        for (size_t at = 0; at < y->points; at++)
            look_at_tile(&c->tables, y, l, at);
        for (unsigned k = 0; k < x->level[l].n_sets; k++) {
            const unsigned set = x->level[l].set[k];
            drop_dead(&c->tables, y, c->tables.own[l][set], dead);
            fill_least(y, c->tables.least[l][set], c->tables.own[l][set], c->tables.wide);
        }
        for (unsigned i = 0; i < x->n_tensors; i++)
            if (c->tables.alone[l][i])
                fill_least(y, c->tables.alone[l][i], c->tables.alone[l][i], c->tables.wide);
    }
}

sc_status sc_choice_build(sc_choice_tables *c, const sc_space *x, const sc_grid_choice *g,
                          double dead)
{
    lattice y = {.x = x, .g = g, .points = 1};
    size_t n = 0;
    sc_status st;
    for (unsigned d = 0; d < x->n_dims; d++)
        n += x->dim[d].n;
    uint16_t *divisor = sc_calloc(n + 1, sizeof *divisor);
    if (!divisor)
        return SC_ENOMEM;
    uint16_t *next = divisor;
    for (unsigned d = 0; d < x->n_dims; d++) {
        y.divisor[d] = next;
        y.rest[d] = rest_of(x, g, d);
        for (unsigned k = 0; k <= y.rest[d]; k++)
            if (divides(&x->dim[d], y.rest[d], k))
                y.divisor[d][y.n[d]++] = (uint16_t)k;
        next += y.n[d];
        y.stride[d] = y.points;
        y.points *= y.n[d];
    }
    if ((st = allot(c, &y)) == SC_OK)
        fill(c, &y, dead);
    sc_free(divisor);
    return st;
}

void sc_choice_clear(sc_choice_tables *c)
{
    sc_free(c->figures);
    sc_free(c->index);
    *c = (sc_choice_tables){.room = 0};
}
