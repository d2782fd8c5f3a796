#include "model/mapper/exact_spatial.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/mapper/exact_served.h"

enum { MAX_SPREADS = 1 << 19 };

/* Can the factors be laid on X and Y, each dimension on one of them? */
static bool fits_mesh(const sc_space *x, unsigned level, const sc_shape *fan)
{
    const sc_level *l = &x->a->level[level];
    uint64_t factor[SC_MAX_DIMS];
    unsigned n = 0;
    for (unsigned d = 0; d < x->n_dims; d++)
        if (fan->at[d] > 0)
            factor[n++] = sc_shape_extent(x, fan, d);
    for (unsigned on_x = 0; on_x < 1u << n; on_x++) {
        uint64_t side[2] = {1, 1};
        for (unsigned i = 0; i < n; i++)
            side[!(on_x >> i & 1)] *= factor[i];
        if (side[0] <= l->fanout_x && side[1] <= l->fanout_y)
            return true;
    }
    return false;
}

/* One walk over the factors of all spatial levels. */
typedef struct listing {
    const sc_space *x;
    sc_spreads *out;
    sc_arena *arena;
    sc_status status;
    sc_spread now;
    sc_shape rest; /* bound / factors so far */
    sc_symmetries symmetries;
} listing;

static void keep(listing *w)
{
    sc_spreads *out = w->out;
    if (out->n == out->room) {
        out->cut = out->n >= MAX_SPREADS;
        if (out->cut)
            return;
        const size_t room = out->room ? 2 * out->room : 256;
        sc_spread *more = sc_arena_calloc(w->arena, room, sizeof *more);
        if (!more) {
            w->status = SC_ENOMEM;
            return;
        }
        if (out->n > 0)
            memcpy(more, out->at, out->n * sizeof *more);
        out->at = more;
        out->room = room;
    }
    out->at[out->n++] = w->now;
}

static void list_from(listing *w, unsigned fan, unsigned d, uint64_t used)
{
    const sc_space *x = w->x;
    if (w->status != SC_OK || w->out->cut)
        return;
    if (fan == w->out->n_fans) {
        if (sc_symmetries_first(&w->symmetries, x, w->now.fan, fan))
            keep(w);
        return;
    }
    const unsigned level = w->out->level[fan];
    if (d == x->n_dims) {
        if (fits_mesh(x, level, &w->now.fan[fan]))
            list_from(w, fan + 1, 0, 1);
        return;
    }
    const sc_xdim *v = &x->dim[d];
    const uint16_t rest = w->rest.at[d];
    for (unsigned k = 0; k <= rest; k++) {
        const uint16_t after = v->over[rest * v->n + k];
        const uint64_t factor = v->divisor[k];
        if (used > x->level[level].fan / factor)
            break;
        if (after == SC_NO_DIVISOR || !sc_space_allows(x, level, true, d, factor))
            continue;
        w->now.fan[fan].at[d] = (uint16_t)k;
        w->rest.at[d] = after;
        list_from(w, fan, d + 1, used * factor);
    }
    w->now.fan[fan].at[d] = 0;
    w->rest.at[d] = rest;
}

sc_status sc_spreads_list(sc_spreads *out, const sc_space *x, sc_arena *arena)
{
    listing w = {.x = x, .out = out, .arena = arena, .status = SC_OK};
    memset(out, 0, sizeof *out);
    sc_symmetries_find(&w.symmetries, x);
    for (unsigned l = x->n_levels; l-- > 0;) {
        if (x->level[l].fan == 1)
            continue;
        if (out->n_fans == SC_MAX_FANS)
            return sc_fail(SC_ERANGE, "more than %d levels with several children", SC_MAX_FANS);
        out->level[out->n_fans++] = l;
    }
    for (unsigned d = 0; d < x->n_dims; d++)
        w.rest.at[d] = (uint16_t)(x->dim[d].n - 1);
    list_from(&w, 0, 0, 1);
    return w.status;
}

void sc_grid_choose(sc_grid_choice *g, const sc_space *x, const sc_spreads *s, size_t i, bool near)
{
    memset(g->fan, 0, sizeof g->fan);
    memset(g->outer, 0, sizeof g->outer);
    for (unsigned f = 0; f < s->n_fans; f++)
        g->fan[s->level[f]] = s->at[i].fan[f];
    g->used[0] = 1;
    for (unsigned l = 0; l < x->n_levels; l++) {
        g->used[l + 1] = g->used[l];
        for (unsigned d = 0; d < x->n_dims; d++) {
            const sc_xdim *v = &x->dim[d];
            g->used[l + 1] *= (double)v->divisor[g->fan[l].at[d]];
            g->outer[l + 1].at[d] = v->times[g->outer[l].at[d] * v->n + g->fan[l].at[d]];
        }
    }
    for (unsigned l = 0; l < x->n_levels; l++) {
        if (near)
            sc_near_init(&g->near[l], x, &g->fan[l], l);
        else
            g->near[l] = (sc_near){.any = true};
    }
}

/* Different tiles among the children along one component, at least, and whether neighbours along
 * it may hand words on: the tile must move between them, which one dimension alone cannot do. */
static double places_of(const sc_space *x, const sc_xtensor *t, unsigned component,
                        const sc_shape *fan, const double *left, bool *linked)
{
    double places = 1;
    unsigned spread = 0, moving = 0;
    for (unsigned d = 0; d < x->n_dims; d++) {
        if (!(t->members[component] >> d & 1))
            continue;
        const bool here = fan->at[d] > 0;
        spread += here;
        moving += here || left[d] > 1;
        if (here)
            places += (double)sc_shape_extent(x, fan, d) - 1;
    }
    *linked = spread > 0 && moving > 1;
    return places;
}

/* Children along one component, and the longest side of them: so many have different tiles. */
static void size_of(const sc_space *x, const sc_xtensor *t, unsigned component, const sc_shape *fan,
                    double *side, double *all)
{
    *side = *all = 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const double factor = (double)sc_shape_extent(x, fan, d);
        if (!(t->members[component] >> d & 1))
            continue;
        *side = fmax(*side, factor);
        *all *= factor;
    }
}

/* MACs hold nothing and ask for a word at every step, so those side by side that need the same one
 * may hand it to each other as long as no loop moves it. What is left is asked for once a sweep of
 * the loops that do not move the tensor, or, along windows, cancel out. */
static double once_a_sweep(const sc_space *x, const sc_xtensor *t, const sc_shape *fan,
                           const double *left)
{
    double sweep = 1;
    bool spread = false;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const uint16_t members = t->relevant >> d & 1 ? t->members[t->component[d]] : 0;
        if (members != 0 && (members & (members - 1)) == 0)
            continue;
        spread |= fan->at[d] > 0;
        sweep *= left[d];
    }
    return spread ? 1 / sweep : 1;
}

/* What neighbours leave to the parent at best, by what they can do in some arrangement. Where they
 * can do nothing it serves all; how many groups there are is then known exactly too. */
static void look_at_neighbours(sc_xstep *s, const sc_space *x, const sc_grid_choice *g,
                               unsigned tensor, const sc_xtile *child)
{
    if (!sc_served_known(g, s->level) || s->linked[tensor] >= s->share[tensor])
        return;
    const sc_served best = sc_served_least(x, g, s->level, tensor, child);
    if (!(s->unicast >> tensor & 1))
        s->share[tensor] = fmax(s->share[tensor], best.all);
    const double share = s->share[tensor];
    if (!best.any) {
        s->left[tensor] = s->linked[tensor] = s->passed[tensor] = share;
        return;
    }
    const double left = fmin(share, s->unicast >> tensor & 1 ? best.alone : best.groups);
    s->left[tensor] = fmax(s->left[tensor], left);
    s->linked[tensor] = fmax(s->linked[tensor], left);
    s->passed[tensor] = fmax(s->passed[tensor], fmin(share, best.ratio));
}

/* What neighbours may hand on of one tensor, by the innermost loop. */
static void set_handed(sc_xstep *s, const sc_space *x, const sc_grid_choice *g, unsigned tensor,
                       const sc_xtile *child)
{
    const bool macs = s->level + 1 == x->n_levels;
    for (unsigned d = 0; d <= x->n_dims; d++)
        s->handed[tensor][d] = macs ? 1 : sc_grid_may_hand(child, x, tensor, g, d, s->level);
}

void sc_grid_step(sc_xstep *s, const sc_space *x, const sc_grid_choice *g, unsigned b,
                  const sc_xtile *child, bool closely)
{
    const double *left = child->left;
    const sc_level *l = &x->a->level[b];
    const sc_xtensor *out = &x->tensor[x->output];
    const double fan = g->used[b + 1] / g->used[b];
    s->level = b;
    s->used = g->used[b];
    s->child_used = g->used[b + 1];
    s->slack = s->child_slack = 0;
    s->unicast = 0;
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const sc_xtensor *t = &x->tensor[i];
        double groups = 1, longest = 1, most = 1, row = 1;
        for (unsigned c = 0; c < t->n_components; c++) {
            bool linked;
            double side, all;
            const double places = places_of(x, t, c, &g->fan[b], left, &linked);
            groups *= places;
            size_of(x, t, c, &g->fan[b], &side, &all);
            most *= all / side;
            if (!linked || x->o->count.links == SC_LINKS_NONE)
                continue;
            longest = fmax(longest, places);
            row = fmax(row, all);
        }
        for (unsigned d = 0; d < x->n_dims; d++)
            if (!(t->relevant >> d & 1))
                most *= (double)sc_shape_extent(x, &g->fan[b], d);
        const bool unicast = i == x->output ? l->no_reduction : l->no_multicast;
        if (unicast) {
            groups = fan;
            longest = row;
        }
        s->share[i] = groups / fan;
        s->linked[i] = s->left[i] = s->share[i] / longest;
        s->passed[i] = longest > 1 && !unicast ? 1 / most : s->share[i];
        if (b + 1 == x->n_levels && x->o->count.links != SC_LINKS_NONE) {
            s->linked[i] = s->share[i] * once_a_sweep(x, t, &g->fan[b], left);
            s->left[i] = s->linked[i] < s->share[i] ? 0 : s->share[i];
        }
        if (unicast)
            s->unicast |= (uint8_t)(1u << i);
        if (closely)
            look_at_neighbours(s, x, g, i, child);
        if (s->linked[i] < s->share[i])
            set_handed(s, x, g, i, child);
    }
    const bool links = x->o->count.links != SC_LINKS_NONE;
    s->slack = links ? s->used : 0;
    s->child_slack = links && fan > 1 ? s->child_used : 0;
    s->peers = x->o->count.links == SC_LINKS_REFERENCE ? 1 / s->used : 1;
    double first = 1, first_child = 1;
    for (unsigned d = 0; d < x->n_dims; d++)
        if (!out->dense || !(out->relevant >> d & 1)) {
            first *= (double)sc_shape_extent(x, &g->outer[b], d);
            first_child *= (double)sc_shape_extent(x, &g->outer[b + 1], d);
        }
    s->part = out->words * first;
    s->child_part = out->words * first_child;
}

double sc_grid_least_passed(const sc_space *x, const sc_grid_choice *g, unsigned b, unsigned tensor)
{
    const sc_xtensor *t = &x->tensor[tensor];
    const sc_level *l = &x->a->level[b];
    const double fan = g->used[b + 1] / g->used[b];
    double groups = 1, most = 1, any[SC_MAX_DIMS];
    bool linked = false;
    if (tensor == x->output ? l->no_reduction : l->no_multicast)
        return 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        any[d] = 2; /* some loop may be left */
        if (!(t->relevant >> d & 1))
            most *= (double)sc_shape_extent(x, &g->fan[b], d);
    }
    for (unsigned c = 0; c < t->n_components; c++) {
        double side, all;
        bool moves;
        groups *= places_of(x, t, c, &g->fan[b], any, &moves);
        size_of(x, t, c, &g->fan[b], &side, &all);
        most *= all / side;
        linked = linked || moves;
    }
    return linked && x->o->count.links != SC_LINKS_NONE ? 1 / most : groups / fan;
}

uint8_t sc_grid_linked(const sc_xstep *s, const sc_space *x)
{
    uint8_t linked = 0;
    for (unsigned i = 0; i < x->n_tensors; i++)
        if (s->linked[i] < s->share[i])
            linked |= (uint8_t)(1u << i);
    return linked;
}

static bool axes_fit(const sc_arrangement *a, const sc_space *x, const sc_grid_choice *g,
                     unsigned level)
{
    uint64_t side[2] = {1, 1};
    for (unsigned i = 0; i < a->n; i++)
        side[i >= a->split] *= sc_shape_extent(x, &g->fan[level], a->dim[i]);
    return side[0] <= x->a->level[level].fanout_x && side[1] <= x->a->level[level].fanout_y;
}

/* The next order of the dimensions in counting order; false, the first again, after the last. */
static bool next_order(uint8_t *dim, unsigned n)
{
    unsigned i = n;
    while (i > 1 && dim[i - 2] > dim[i - 1])
        i--;
    for (unsigned a = i > 0 ? i - 1 : 0, b = n; a + 1 < b; a++) {
        const uint8_t swap = dim[a];
        dim[a] = dim[--b];
        dim[b] = swap;
    }
    if (i < 2)
        return false;
    unsigned j = i - 1;
    while (dim[j] < dim[i - 2])
        j++;
    const uint8_t swap = dim[j];
    dim[j] = dim[i - 2];
    dim[i - 2] = swap;
    return true;
}

bool sc_arrangement_next(sc_arrangement *a, const sc_space *x, const sc_grid_choice *g,
                         unsigned level)
{
    do {
        if (a->split > 0) {
            a->split--;
            continue;
        }
        a->split = a->n;
        if (!next_order(a->dim, a->n))
            return false;
    } while (!axes_fit(a, x, g, level));
    return true;
}

bool sc_arrangement_first(sc_arrangement *a, const sc_space *x, const sc_grid_choice *g,
                          unsigned level)
{
    a->n = 0;
    for (unsigned d = 0; d < x->n_dims; d++)
        if (g->fan[level].at[d] > 0)
            a->dim[a->n++] = (uint8_t)d;
    a->split = a->n;
    return axes_fit(a, x, g, level) || sc_arrangement_next(a, x, g, level);
}

bool sc_arrangement_differs(const sc_arrangement *a, const sc_arrangement *b, const sc_space *x)
{
    return a->n != b->n || memcmp(a->dim, b->dim, a->n) != 0 ||
           (x->o->count.links != SC_LINKS_REFERENCE && a->split != b->split);
}
