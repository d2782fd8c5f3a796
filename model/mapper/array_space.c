#include "model/mapper/array_space.h"

#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"

static bool wants_first(const sc_arch *a)
{
    for (unsigned l = 0; l < a->n_levels; l++)
        for (int k = 0; k < SC_LEADS; k++)
            if (a->level[l].lead[k][0])
                return true;
    return false;
}

static sc_array_grid grid_under(const sc_array_space *s, int level)
{
    const sc_level *v = &s->a->level[level];
    return (sc_array_grid){level, v->fanout_x, v->fanout_y, v->fanout_x * v->fanout_y, false};
}

static bool add_grid(sc_array_space *s, int level)
{
    if (s->n_grids == SC_ARRAY_GRIDS)
        return false;
    s->grid[s->n_grids++] = grid_under(s, level);
    return true;
}

static bool find_grids(sc_array_space *s)
{
    s->n_grids = 0;
    s->arrays = (sc_array_grid){-1, 1, 1, 1, false};
    for (int l = (int)s->a->n_levels; l-- > 0;) {
        if (l == s->array || s->a->level[l].fanout_x * s->a->level[l].fanout_y == 1)
            continue;
        if (l >= s->inner && s->arrays.level >= 0)
            return false;
        if (l >= s->inner)
            s->arrays = grid_under(s, l);
        else if (!add_grid(s, l))
            return false;
    }
    return s->n_grids > 0 || add_grid(s, s->inner - 1);
}

static bool find_levels(sc_array_space *s)
{
    const sc_arch *a = s->a;
    s->plain = sc_array_level(a) < 0;
    s->array = s->plain ? (int)a->n_levels - 1 : sc_array_level(a);
    s->inner = sc_inner_buffer(a);
    s->n_outer = 0;
    const sc_level *inner = &a->level[s->inner];
    s->ported =
        !inner->no_overlap && (inner->read_bw > 0 || inner->write_bw > 0 || inner->shared_bw > 0);
    if (s->inner < 1 || (s->plain && s->inner != s->array) || wants_first(a) || !find_grids(s))
        return false;
    for (int l = s->inner - 1; l >= 0; l--) {
        if (l > 0 && a->level[l].may_keep == 0)
            continue;
        if (s->n_outer == SC_ARRAY_OUTER)
            return false;
        const unsigned k = s->n_outer++;
        s->outer[k] = l;
        s->scope[k] = 0;
        for (unsigned i = 0; i < s->n_grids; i++) {
            s->scope[k] += s->grid[i].level >= l;
            s->grid[i].between |= s->grid[i].level < l;
        }
    }
    return true;
}

bool sc_array_space_suits(const sc_arch *a)
{
    sc_array_space s = {.a = a};
    return find_levels(&s);
}

/* Dimensions joined to d by ranks of the tensor, itself included; 0 if it is alone. */
static uint16_t window_of(const sc_tensor *t, unsigned d)
{
    uint16_t joined = (uint16_t)(1u << d), before = 0;
    while (joined != before) {
        before = joined;
        for (unsigned r = 0; r < t->n_ranks; r++) {
            uint16_t rank = 0;
            for (unsigned k = 0; k < t->rank[r].n_terms; k++)
                rank |= (uint16_t)(1u << t->rank[r].dim[k]);
            if (rank & joined)
                joined |= rank;
        }
    }
    return joined == 1u << d ? 0 : joined;
}

bool sc_array_space_init(sc_array_space *s, const sc_scorer *with)
{
    memset(s, 0, sizeof *s);
    s->with = with;
    s->e = with->e;
    s->a = with->a;
    s->n_dims = with->e->n_dims;
    s->n_tensors = with->e->n_tensors;
    if (with->sequential >= 0 || with->clip || !find_levels(s))
        return false;
    s->alone = UINT16_MAX;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        const sc_tensor *tensor = &s->e->tensor[t];
        const bool scaled = tensor->role == SC_ROLE_INPUT;
        s->moves[t] = with->plan.tensor[t].relevant;
        for (unsigned d = 0; d < s->n_dims; d++)
            if (s->moves[t] >> d & 1)
                s->window[t][d] = window_of(tensor, d);
        s->compulsory[t] = sc_footprint_touched(tensor, s->e->bound);
        for (unsigned d = 0; d < s->n_dims; d++)
            if (s->window[t][d])
                s->alone &= (uint16_t) ~(1u << d);
        for (unsigned l = 0; l < s->a->n_levels; l++) {
            const sc_level *v = &s->a->level[l];
            const double unit = v->word_bits > 0 ? 1 : sc_level_moved_bits(v, tensor) / 8.0;
            s->units[l][t] = scaled ? unit * with->input_share : unit;
            if ((int)l == s->inner)
                s->worked[t] = unit;
        }
    }
    s->gaps =
        sc_footprint_words(&s->e->tensor[s->e->output], s->e->bound) > s->compulsory[s->e->output];
    return true;
}

/* Different places that a window's loops reach along its ranks, at least, over those of one tile.
 * In a rank n and m places of two dimensions make n + m - 1 sums or more. */
static double swept(const sc_tensor *t, uint16_t dims, const sc_extents *tile,
                    const sc_extents *steps, double one)
{
    double all = 1;
    for (unsigned r = 0; r < t->n_ranks; r++) {
        double places = 1;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++) {
            const unsigned d = t->rank[r].dim[k];
            places += (double)(tile->of[d] * (dims >> d & 1 ? steps->of[d] : 1)) - 1;
        }
        all *= places;
    }
    return all / one;
}

/* Share of the places of all n steps of dimension d that a rank's tile reaches anew. The box of a
 * tile without gaps, in multiples of what divides every distance in it and the step: what a step
 * adds to the first tile. With gaps the next tile may fill them or hit the same places again: n
 * steps reach one place more each, at least. */
static double rank_share(const sc_rank *r, const sc_extents *tile, const sc_extents *apart,
                         unsigned d, double n, bool box)
{
    uint64_t side = 0, step = 0, unit = 0;
    for (unsigned k = 0; k < r->n_terms; k++) {
        const unsigned of = r->dim[k];
        const uint64_t coef = (uint64_t)r->coef[k];
        side += coef * (tile->of[of] - 1);
        if (tile->of[of] > 1)
            unit = sc_footprint_gcd(unit, coef);
        if (of == d)
            step += coef * tile->of[d] * apart->of[d];
    }
    if (step == 0 || step > side)
        return 1;
    unit = box ? 1 : sc_footprint_gcd(unit, step);
    side /= unit;
    step /= unit;
    const double reach = (double)side + 1, far = (double)step;
    const double places = box ? reach : sc_footprint_places(r, tile->of);
    if (places < reach)
        return (places + n - 1) / (places * n);
    return (reach + far * (n - 1)) / (reach * n);
}

/* Share of the words of all steps that a window's loops bring if nothing breaks into them: where
 * one dimension moves, what a step adds; where several do, what they sweep, once. */
static double window_share(const sc_array_space *s, unsigned tensor, uint16_t dims,
                           const sc_extents *tile, const sc_extents *apart, const sc_extents *steps,
                           double one, bool box)
{
    const sc_tensor *t = &s->e->tensor[tensor];
    unsigned moving = 0, d = 0;
    double all = 1;
    for (unsigned k = 0; k < s->n_dims; k++)
        if (dims >> k & 1 && steps->of[k] > 1) {
            moving++;
            d = k;
            all *= (double)steps->of[k];
        }
    if (moving == 0)
        return 1;
    if (moving > 1)
        return sc_smaller(1, sc_larger(1, swept(t, dims, tile, steps, one)) / all);
    const double n = (double)steps->of[d];
    double least = 1;
    for (unsigned r = 0; r < t->n_ranks; r++)
        least = sc_smaller(least, rank_share(&t->rank[r], tile, apart, d, n, box));
    return least;
}

void sc_array_words(sc_words *out, const sc_array_space *s, unsigned tensor, const sc_extents *tile,
                    const sc_extents *apart, const sc_extents *steps, bool box)
{
    const sc_tensor *t = &s->e->tensor[tensor];
    const double one = box ? sc_footprint_words(t, tile->of) : sc_footprint_touched(t, tile->of);
    double moving = one, all = one, least = 1;
    uint16_t seen = 0;
    for (unsigned d = 0; d < s->n_dims; d++) {
        all *= (double)steps->of[d];
        if (s->moves[tensor] >> d & 1)
            moving *= (double)steps->of[d];
    }
    out->one = one;
    for (unsigned d = 0; d < s->n_dims; d++)
        out->by[d] = all;
    for (unsigned d = 0; d < s->n_dims; d++) {
        const uint16_t dims = s->window[tensor][d];
        if (dims == 0 || seen >> d & 1)
            continue;
        seen |= dims;
        const double share = window_share(s, tensor, dims, tile, apart, steps, one, box);
        least = sc_smaller(least, share);
        for (unsigned k = d; k < s->n_dims; k++)
            if (dims >> k & 1)
                out->by[k] *= share;
    }
    out->still = moving * least;
}

unsigned sc_array_ways(sc_way *way, uint64_t extent, uint64_t lanes)
{
    unsigned n = 0;
    for (uint64_t steps = 1; steps <= extent && n < SC_MAX_LANES;) {
        const uint64_t needed = sc_factor_rounds(extent, steps);
        if (needed <= lanes)
            way[n++] = (sc_way){(uint16_t)needed, (uint32_t)steps};
        if (needed == 1)
            break;
        steps = needed - 1 > lanes ? sc_factor_rounds(extent, lanes)
                                   : sc_factor_rounds(extent, needed - 1);
    }
    return n;
}

/* Whether the level serves each of its children by itself. */
static bool alone(const sc_array_space *s, unsigned tensor, int level)
{
    const sc_level *v = &s->a->level[level];
    return tensor == s->e->output ? v->no_reduction : v->no_multicast;
}

double sc_array_groups(const sc_array_space *s, unsigned tensor, int level, const sc_extents *grid)
{
    const bool all = level >= 0 && alone(s, tensor, level);
    double groups = 1;
    uint16_t seen = 0;
    for (unsigned d = 0; d < s->n_dims; d++) {
        if (!(all || s->moves[tensor] >> d & 1) || seen >> d & 1)
            continue;
        const uint16_t w = all ? 0 : s->window[tensor][d];
        double side = (double)grid->of[d];
        for (unsigned k = d + 1; k < s->n_dims; k++)
            if (w >> k & 1)
                side += (double)(grid->of[k] - 1);
        seen |= w;
        groups *= side;
    }
    return groups;
}

double sc_array_sharers(const sc_array_space *s, unsigned tensor, const sc_array_grid *grid)
{
    return grid->children == 1 || alone(s, tensor, grid->level) ? 1 : (double)grid->children;
}

void sc_array_divide(sc_scoped *words, const sc_array_space *s, unsigned from)
{
    for (unsigned i = from; i-- > 0;)
        for (unsigned t = 0; t < s->n_tensors; t++)
            words->of[i][t] = words->of[i + 1][t] / (double)s->grid[i].children;
}

double sc_array_prefill_bw(const sc_array_space *s)
{
    const sc_level *outer = &s->a->level[0];
    double bw = outer->read_bw > 0 ? outer->read_bw : outer->shared_bw;
    if (outer->shared_bw > 0)
        bw = sc_smaller(bw, outer->shared_bw);
    return outer->no_overlap || bw <= 0 ? 0 : bw;
}

double sc_array_prefill(const sc_array_space *s, const sc_extents *all)
{
    const double bw = sc_array_prefill_bw(s);
    double units = 0;
    for (unsigned t = 0; t < s->n_tensors; t++)
        if (s->e->tensor[t].role != SC_ROLE_OUTPUT)
            units += sc_footprint_units(&s->a->level[0], &s->e->tensor[t],
                                        sc_footprint_words(&s->e->tensor[t], all->of));
    return bw > 0 ? ceil(units / bw) : 0;
}

static double over(double units, double bandwidth)
{
    return bandwidth > 0 ? units / bandwidth : 0;
}

double sc_array_inner_time(const sc_array_space *s, unsigned set, const double *worked,
                           const double *fills)
{
    const sc_level *v = &s->a->level[s->inner];
    double read = 0, write = 0;
    if (!s->ported)
        return 0;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        if (!(set >> t & 1))
            continue;
        const double units = worked[t] * s->worked[t];
        if (t == s->e->output) {
            write += units;
            read += s->gaps ? 0 : units; /* else what is read may all be first */
        } else {
            read += units;
            write += fills ? fills[t] * s->units[s->inner][t] : 0;
        }
    }
    return sc_larger(over(read + write, v->shared_bw),
                     sc_larger(over(read, v->read_bw), over(write, v->write_bw)));
}

double sc_array_time(const sc_array_space *s, double mac_cycles, const sc_traffic *t)
{
    const double slack = 1 - 1e-12; /* sums in another order than the engine's */
    double longest = ceil(mac_cycles * slack), serial = 0;
    for (unsigned k = 0; k < s->n_outer; k++) {
        const sc_level *v = &s->a->level[s->outer[k]];
        const double time =
            sc_larger(over(t->read[k] + t->write[k], v->shared_bw),
                      sc_larger(over(t->read[k], v->read_bw), over(t->write[k], v->write_bw)));
        const double cycles = ceil(time * slack);
        if (v->no_overlap)
            serial += cycles;
        else
            longest = sc_larger(longest, cycles);
    }
    return longest + serial;
}
