#include "model/mapper/local.h"

#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/tile.h"

static const uint64_t primes[] = {2, 3, 5, 7};
enum { N_PRIMES = sizeof primes / sizeof *primes, MAX_ROUNDS = 4 };

bool sc_point_better(const sc_point *x, const sc_point *y)
{
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles;
    return x->energy_pj < y->energy_pj;
}

/* Put the loops in time into the order asked for. @return false where the mapping then breaks what
 * else is asked. */
static bool obey(const sc_local *s, sc_mapping *m)
{
    for (int level = 0; s->limits && level < m->n_levels; level++)
        sc_limits_sort(&m->level[level].temporal, &s->limits->c->level[level].temporal,
                       level == 0 ? s->scorer->sequential : -1);
    return !s->limits || sc_map_constraints_check(s->limits->c, m, s->scorer->e).code == SC_OBEYS;
}

/* What *m scores: looked up, or counted while there is something left to spend. @return false where
 * it cannot be told. */
static bool look_or_count(sc_local *s, sc_point *q, const sc_mapping *m)
{
    const sc_scored_at at = sc_scored_find(s->scored, m);
    if (at.known) {
        q->cycles = s->scored->cycles[at.place];
        q->energy_pj = s->scored->energy_pj[at.place];
        return true;
    }
    if (s->left == 0 || sc_mapping_fit_padded(m, s->scorer->e, s->scorer->a).code != SC_FITS)
        return false;
    s->left--;
    if ((s->status = sc_score(&s->scratch, s->scorer, m)) != SC_OK) {
        s->left = 0;
        return false;
    }
    q->cycles = s->scratch.total_cycles;
    q->energy_pj = s->scratch.cost.energy_pj;
    sc_scored_put(s->scored, &at, q->cycles, q->energy_pj);
    return true;
}

/* Score *m exactly unless its MACs alone already take longer; move p there if it is better. */
static bool consider(sc_local *s, sc_point *p, sc_mapping *m)
{
    sc_point q = {.cycles = HUGE_VAL};
    if (s->status != SC_OK || !obey(s, m) || sc_score_floor(s->scorer, m) > p->cycles ||
        !look_or_count(s, &q, m) || !sc_point_better(&q, p))
        return false;
    p->mapping = *m;
    p->cycles = q.cycles;
    p->energy_pj = q.energy_pj;
    return true;
}

void sc_local_score(sc_local *s, sc_point *p)
{
    sc_mapping m = p->mapping;
    p->cycles = p->energy_pj = HUGE_VAL;
    (void)consider(s, p, &m);
}

/* ---- orders and keeping ---- */

static bool same_order(const sc_loops *x, const sc_loops *y)
{
    return memcmp(x->dim, y->dim, x->n) == 0;
}

/* Every level in turn, its loops around each tensor in turn. */
static bool try_orders(sc_local *s, sc_point *p)
{
    bool any = false;
    sc_mapping m;
    for (int level = 0; level < p->mapping.n_levels; level++) {
        if (p->mapping.level[level].temporal.n < 2)
            continue;
        for (unsigned t = 0; t < s->scorer->e->n_tensors; t++) {
            m = p->mapping;
            sc_order_around(&m.level[level].temporal, s->scorer->plan.tensor[t].relevant,
                            s->scorer->sequential);
            if (!same_order(&m.level[level].temporal, &p->mapping.level[level].temporal))
                any |= consider(s, p, &m);
        }
    }
    return any;
}

/* Let each tensor pass a level by, or be kept after all. */
static bool try_keep(sc_local *s, sc_point *p)
{
    bool any = false;
    sc_mapping m;
    for (int level = 1; level <= sc_inner_buffer(s->scorer->a); level++)
        for (int t = 0; t < s->scorer->e->n_tensors; t++) {
            m = p->mapping;
            m.level[level].keep = (uint8_t)(p->mapping.level[level].keep ^ 1u << t);
            any |= consider(s, p, &m);
        }
    return any;
}

void sc_local_arrange(sc_local *s, sc_point *p)
{
    bool improved = true;
    for (int round = 0; improved && round < MAX_ROUNDS; round++) {
        improved = try_orders(s, p);
        improved |= try_keep(s, p);
    }
}

/* ---- factors ---- */

static int find_loop(const sc_loops *loops, unsigned dim)
{
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return i;
    return -1;
}

static uint64_t factor_of(const sc_loops *loops, unsigned dim)
{
    const int i = find_loop(loops, dim);
    return i < 0 ? 1 : loops->factor[i];
}

static void remove_loop(sc_loops *loops, int i)
{
    loops->n--;
    for (; i < loops->n; i++) {
        loops->dim[i] = loops->dim[i + 1];
        loops->factor[i] = loops->factor[i + 1];
    }
}

static void insert_loop(sc_loops *loops, int at, unsigned dim, uint64_t factor)
{
    for (int i = loops->n; i > at; i--) {
        loops->dim[i] = loops->dim[i - 1];
        loops->factor[i] = loops->factor[i - 1];
    }
    loops->dim[at] = (uint8_t)dim;
    loops->factor[at] = factor;
    loops->n++;
}

/* Where a loop goes that is to be the outermost but for a pinned one. */
static int outer_end(const sc_loops *loops, int pinned)
{
    return loops->n > 0 && loops->dim[loops->n - 1] == pinned ? loops->n - 1 : loops->n;
}

/* Move a factor of a dimension; where the target has no loop of it yet, to its inner or outer end.
 * @return false if the source has no such factor. */
static bool move_factor(sc_loops *from, sc_loops *to, unsigned dim, uint64_t factor, bool inside,
                        int pinned)
{
    const int i = find_loop(from, dim), j = find_loop(to, dim);
    if (i < 0 || from->factor[i] % factor != 0)
        return false;
    from->factor[i] /= factor;
    if (from->factor[i] == 1)
        remove_loop(from, i);
    if (j >= 0)
        to->factor[j] *= factor;
    else
        insert_loop(to, inside ? 0 : outer_end(to, pinned), dim, factor);
    return true;
}

static bool holds_loops(const sc_local *s, int level)
{
    return level <= sc_inner_buffer(s->scorer->a) && s->scorer->a->level[level].may_keep != 0;
}

static bool try_move(sc_local *s, sc_point *p, unsigned dim, uint64_t factor, int from, int to)
{
    const sc_loops *target = &p->mapping.level[to].temporal;
    const bool fresh = find_loop(target, dim) < 0 && target->n > 0;
    bool any = false;
    for (int inside = 0; inside <= (fresh ? 1 : 0); inside++) {
        sc_mapping m = p->mapping;
        if (move_factor(&m.level[from].temporal, &m.level[to].temporal, dim, factor, inside,
                        s->scorer->sequential))
            any |= consider(s, p, &m);
        if (any)
            return true;
    }
    return any;
}

/* Single primes, and all that a level has of a dimension at once. */
static bool try_factors(sc_local *s, sc_point *p)
{
    bool any = false;
    const int inner = sc_inner_buffer(s->scorer->a);
    for (unsigned d = 0; d < s->scorer->e->n_dims; d++)
        for (int from = 0; (int)d != s->scorer->sequential && from <= inner; from++)
            for (int to = 0; to <= inner; to++) {
                if (from == to || !holds_loops(s, to))
                    continue;
                bool prime_moved = false;
                for (int i = 0; i < N_PRIMES; i++) {
                    const uint64_t have = factor_of(&p->mapping.level[from].temporal, d);
                    if (have % primes[i] == 0 && have > 1)
                        prime_moved |= try_move(s, p, d, primes[i], from, to);
                }
                const uint64_t all = factor_of(&p->mapping.level[from].temporal, d);
                if (!prime_moved && all > 1)
                    any |= try_move(s, p, d, all, from, to);
                any |= prime_moved;
            }
    return any;
}

/* One dimension gives a factor of two up to an outer level, another takes one from there: tiles of
 * about the same size but another shape. */
static bool try_exchanges(sc_local *s, sc_point *p)
{
    bool any = false;
    sc_mapping m;
    const int inner = sc_inner_buffer(s->scorer->a);
    for (int in = 1; in <= inner; in++)
        for (int out = 0; out < in; out++)
            for (unsigned up = 0; up < s->scorer->e->n_dims && holds_loops(s, in); up++)
                for (unsigned down = 0; down < s->scorer->e->n_dims; down++) {
                    sc_loops *inside = &m.level[in].temporal, *outside = &m.level[out].temporal;
                    if (up == down || (int)down == s->scorer->sequential || !holds_loops(s, out))
                        continue;
                    if (factor_of(&p->mapping.level[in].temporal, up) % 2 != 0 ||
                        factor_of(&p->mapping.level[out].temporal, down) % 2 != 0)
                        continue;
                    m = p->mapping;
                    if (move_factor(inside, outside, up, 2, true, s->scorer->sequential) &&
                        move_factor(outside, inside, down, 2, false, -1))
                        any |= consider(s, p, &m);
                }
    return any;
}

/* ---- the grid ---- */

/* Whether loop i over a level's children is where the design wants it, as the first of its axis. */
static bool leads(const sc_local *s, const sc_block *b, int level, int i)
{
    const sc_level *l = &s->scorer->a->level[level];
    return sc_level_lead(l, s->scorer->e, i < b->split ? SC_LEAD_X : SC_LEAD_Y) ==
           b->spatial.dim[i];
}

/* Factors between a level's loops in time and those over its children, the array's left alone.
 * Fewer children may be faster where memory sets the pace: their first tiles are smaller. */
static bool try_grid(sc_local *s, sc_point *p)
{
    bool any = false;
    const int array = sc_array_level(s->scorer->a);
    sc_mapping m;
    for (int level = 0; level < p->mapping.n_levels; level++)
        for (int i = 0; level != array && i < p->mapping.level[level].spatial.n; i++)
            for (int to_time = 0; to_time < 2; to_time++) {
                if (leads(s, &p->mapping.level[level], level, i))
                    continue;
                m = p->mapping;
                sc_loops *spatial = &m.level[level].spatial;
                sc_loops *temporal = &m.level[level].temporal;
                const int t = find_loop(temporal, spatial->dim[i]);
                if (to_time ? spatial->factor[i] % 2 != 0 : t < 0 || temporal->factor[t] % 2 != 0)
                    continue;
                if (to_time) {
                    spatial->factor[i] /= 2; /* 1 is a loop too: the split stays right */
                    if (t >= 0)
                        temporal->factor[t] *= 2;
                    else
                        insert_loop(temporal, outer_end(temporal, s->scorer->sequential),
                                    spatial->dim[i], 2);
                } else {
                    spatial->factor[i] *= 2;
                    if ((temporal->factor[t] /= 2) == 1)
                        remove_loop(temporal, t);
                }
                any |= consider(s, p, &m);
            }
    return any;
}

/* Keep a tensor that a level passes by, together with loops of outer levels that do not move it:
 * alone neither gains, as the tensor is kept for those loops, and they stay outside for want of it.
 */
static bool try_keep_with_loops(sc_local *s, sc_point *p)
{
    bool any = false;
    const int inner = sc_inner_buffer(s->scorer->a);
    for (int level = 1; level <= inner; level++)
        for (int t = 0; t < s->scorer->e->n_tensors; t++)
            for (int from = 0; from < level && holds_loops(s, level); from++)
                for (unsigned d = 0; d < s->scorer->e->n_dims; d++) {
                    const uint64_t all = factor_of(&p->mapping.level[from].temporal, d);
                    const bool moves = s->scorer->plan.tensor[t].relevant >> d & 1;
                    if ((p->mapping.level[level].keep >> t & 1) || moves || all < 2 ||
                        (int)d == s->scorer->sequential)
                        continue;
                    const uint64_t factors[] = {all, 2, 3, 5, 7};
                    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
                        sc_mapping m = p->mapping;
                        m.level[level].keep = (uint8_t)(p->mapping.level[level].keep | 1u << t);
                        if (move_factor(&m.level[from].temporal, &m.level[level].temporal, d,
                                        factors[i], false, s->scorer->sequential) &&
                            consider(s, p, &m)) {
                            any = true;
                            break;
                        }
                    }
                }
    return any;
}

void sc_local_polish(sc_local *s, sc_point *p)
{
    bool improved = true;
    while (improved && s->left > 0) {
        improved = try_factors(s, p);
        improved |= try_orders(s, p);
        improved |= try_keep(s, p);
        if (!improved)
            improved = try_keep_with_loops(s, p) || try_grid(s, p) || try_exchanges(s, p);
    }
}
