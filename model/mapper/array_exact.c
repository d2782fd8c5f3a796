#include "model/mapper/array_exact.h"

#include <string.h>

#include "core/mem.h"
#include "model/mapper/array_search.h"

/* ---- what is looked up on the way ---- */

static void list_keepings(sc_array_search *q)
{
    const sc_array_space *s = &q->space;
    const unsigned levels = s->n_outer - 1, bits = levels * s->n_tensors;
    q->n_keepings = 0;
    for (unsigned code = 0; code < 1u << bits && q->n_keepings < SC_MAX_KEEPINGS; code++) {
        sc_keeping k = {{0}};
        bool allowed = true;
        for (unsigned t = 0; t < s->n_tensors; t++) {
            k.at[t] = (uint8_t)(code >> (t * levels) & ((1u << levels) - 1));
            for (unsigned i = 0; i < levels; i++) {
                const sc_level *v = &s->a->level[s->outer[i]];
                const unsigned role = 1u << s->e->tensor[t].role;
                allowed &= k.at[t] >> i & 1 ? (v->may_keep & role) != 0 : !(v->must_keep & role);
            }
        }
        if (allowed)
            q->keeping[q->n_keepings++] = k;
    }
}

/* A dimension laid over n children divides the tensors that it moves by n, at most: log2 of that
 * for all tensors of a set together, over all ways to lay dimensions on the grid. */
static void list_divided(sc_array_search *q)
{
    for (unsigned set = 0; set < 1u << q->space.n_tensors; set++) {
        unsigned most = 0;
        for (unsigned i = 0; i < q->n_order; i++) {
            unsigned moved = 0;
            for (unsigned t = 0; t < q->space.n_tensors; t++)
                moved += set >> t & 1u & (unsigned)q->space.moves[t] >> q->order[i];
            most = moved > most ? moved : most;
        }
        q->divided[set] = most * log2(q->children);
    }
}

/* Every number of steps that some extent needs, with the least such extent; fewest steps first. */
static bool list_steps(sc_array_search *q, unsigned d)
{
    const uint64_t bound = q->space.e->bound[d];
    q->n_choices[d] = 0;
    if (bound > UINT32_MAX)
        return false;
    for (uint64_t steps = 1; steps <= bound;) {
        const uint64_t extent = (bound + steps - 1) / steps;
        if (q->n_choices[d] == SC_MAX_STEPS)
            return false;
        q->choice[d][q->n_choices[d]++] = (sc_outer_steps){(uint32_t)steps, (uint32_t)extent};
        if (extent == 1)
            break;
        steps = (bound + extent - 2) / (extent - 1); /* the fewest with a smaller extent */
    }
    return true;
}

static bool list_dims(sc_array_search *q)
{
    const sc_einsum *e = q->space.e;
    q->n_order = 0;
    for (unsigned d = 0; d < e->n_dims; d++) {
        if (!list_steps(q, d))
            return false;
        unsigned at = q->n_order;
        if (e->bound[d] == 1)
            continue;
        for (; at > 0 && e->bound[q->order[at - 1]] < e->bound[d]; at--)
            q->order[at] = q->order[at - 1];
        q->order[at] = d;
        q->n_order++;
    }
    return q->n_order > 0;
}

static void list_rooms(sc_array_search *q)
{
    const sc_level *inner = &q->space.a->level[q->space.inner];
    for (unsigned t = 0; t < q->space.n_tensors; t++)
        q->room[t] =
            (double)sc_level_room(inner, inner->partitioned ? q->space.e->tensor[t].role : 0);
}

/* @return false if there are too many on one axis. */
static bool count_lanes(sc_array_search *q)
{
    const sc_array_space *s = &q->space;
    const sc_level *macs = &s->a->level[s->array];
    q->children = 1;
    for (unsigned i = 0; i < s->n_grids; i++) {
        q->children *= (double)s->grid[i].children;
        if (s->grid[i].x > SC_MAX_LANES || s->grid[i].y > SC_MAX_LANES)
            return false;
    }
    if (s->arrays.x > SC_MAX_LANES || s->arrays.y > SC_MAX_LANES)
        return false;
    q->rows = s->plain ? macs->fanout_x * macs->fanout_y : s->a->compute.rows;
    q->cols = s->plain ? 1 : s->a->compute.cols;
    if (s->plain)
        return macs->fanout_x <= SC_MAX_LANES && macs->fanout_y <= SC_MAX_LANES;
    if (q->rows > SC_MAX_LANES || q->cols > SC_MAX_LANES)
        return false;
    for (uint64_t g = 1; g <= q->rows && g <= q->cols; g++) {
        const uint64_t along = q->rows / g, across = q->cols / g; /* whole lanes of a block */
        q->rows_of[g] = (double)along;
        q->cols_of[g] = (double)across;
    }
    return true;
}

static void list_dataflows(sc_array_search *q)
{
    const sc_array_space *s = &q->space;
    q->dataflows = s->plain ? 1u << SC_DATAFLOWS : 0;
    q->stays[SC_DATAFLOWS] = -1;
    q->ends_pass[SC_DATAFLOWS] = 0;
    for (unsigned d = 0; d < s->n_dims; d++)
        q->place[SC_DATAFLOWS][d] = SC_PLACE_ROWS;
    for (int f = 0; f < SC_DATAFLOWS; f++) {
        const int stays = sc_array_stationary(s->e, (sc_dataflow)f);
        q->stays[f] = stays;
        q->ends_pass[f] = stays >= 0 ? s->moves[stays] : 0;
        if (!s->plain && s->a->compute.dataflows >> f & 1 && stays >= 0)
            q->dataflows |= (uint8_t)(1u << f);
        for (unsigned d = 0; d < s->n_dims; d++)
            q->place[f][d] = sc_array_place_of(s->e, (sc_dataflow)f, d);
    }
}

/* Lanes along dimensions that leave a tensor in place share its words. So do lanes of plain MACs
 * along a window, n x m of which reach n + m - 1 places, n or m at least: all its dimensions but
 * one, the longest, count as shared. */
static void list_shared(sc_array_search *q)
{
    const sc_array_space *s = &q->space;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        q->shared[t] = (uint16_t)~s->moves[t];
        for (unsigned d = 0; s->plain && d < s->n_dims; d++) {
            bool longest = true;
            for (unsigned k = 0; k < s->n_dims; k++)
                if (s->window[t][d] >> k & 1 && k != d)
                    longest &= s->e->bound[k] < s->e->bound[d] + (k > d);
            if (s->window[t][d] && !longest)
                q->shared[t] |= (uint16_t)(1u << d);
        }
    }
}

static bool prepare(sc_array_search *q)
{
    if (!list_dims(q) || !count_lanes(q))
        return false;
    list_dataflows(q);
    list_shared(q);
    sc_swaps_find(&q->swaps, q->space.e);
    sc_flat_init(&q->flat, &q->space, q->order, q->n_order);
    list_divided(q);
    list_rooms(q);
    list_keepings(q);
    sc_array_list_forms(q);
    for (unsigned i = 0; i < q->space.n_grids; i++)
        if (!sc_grid_ways_init(&q->grid[i], &q->space, i))
            return false;
    return q->n_keepings > 0;
}

/* ---- the search ---- */

/* Once through all tiles, which are listed up to ever larger bounds: most are far above the best
 * mapping. */
static double prove_once(sc_array_search *q, double floor)
{
    static const double shares[] = {1.0 / 256, 1.0 / 16, 1};
    const double gap = q->best->cycles - floor;
    double proved = floor;
    double top = -1;
    q->listed = -1;
    q->n_tiles = 0;
    q->open = HUGE_VAL;
    q->cut = false;
    for (unsigned i = 0; i < sizeof shares / sizeof *shares && proved < q->best->cycles;) {
        const double limit = floor + gap * shares[i];
        q->to = limit;
        sc_array_list_tiles(q);
        if (sc_array_spent(q))
            break;
        const double before = top;
        top = sc_smaller(limit, q->rest);
        const double bound = sc_array_look_at_tiles(q, top);
        proved = sc_larger(proved, sc_smaller(sc_smaller(bound, top), q->best->cycles));
        if (sc_array_spent(q) || top <= before)
            break; /* no more tiles of one bound than there is room for can be looked at */
        const bool all = q->rest > limit;
        q->listed = all ? limit : nextafter(top, -1); /* some of this very bound found no room */
        i += all;
    }
    return proved;
}

/* Once through all mappings, from the lanes on where the op has no windows. */
static double prove_all(sc_array_search *q, double floor)
{
    double proved = floor;
    if (q->flat.is)
        proved = sc_flat_prove(q, floor);
    if (!q->flat.is) /* or its lanes found no room */
        proved = sc_larger(proved, prove_once(q, floor));
    return proved;
}

/* What is left to choose once lanes are known may take no more than a share of the nodes, so that a
 * bound that cannot be reached does not keep the others from a look; if that is what leaves a gap,
 * all again with more. If not, what others stood for is looked at itself. */
static double prove(sc_array_search *q, double floor)
{
    enum { LEAST_SHARE = 4096, MORE = 8 };
    double proved = floor;
    for (uint64_t part = LEAST_SHARE;;) {
        q->share = part > 0 ? q->budget / part + 1 : q->budget;
        proved = sc_larger(proved, prove_all(q, floor));
        if (proved >= q->best->cycles || sc_array_spent(q))
            return proved;
        if (q->cut && part > 0)
            part /= MORE;
        else if (q->flat.is && !q->flat.all)
            sc_flat_forget_splits(&q->flat, true);
        else
            return proved;
    }
}

sc_status sc_array_exact(double *proved, sc_point *best, sc_local *local, double floor,
                         uint64_t budget)
{
    *proved = floor;
    sc_array_search *q = sc_malloc(sizeof *q);
    if (!q)
        return SC_ENOMEM;
    q->local = local;
    q->best = best;
    q->nodes = 0;
    q->budget = budget;
    const uint64_t left = local->left;
    if (sc_array_space_init(&q->space, local->scorer) && prepare(q))
        *proved = sc_larger(floor, prove(q, floor));
    local->left = left;
    sc_free(q);
    return local->status;
}

bool sc_array_exact_suits(const sc_arch *a)
{
    return sc_array_space_suits(a);
}
