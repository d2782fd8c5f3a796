#include "model/mapper/exact_space.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/count/nest.h"

enum { MAX_LATTICE = 1 << 21, MAX_DIVISORS = 4096 };

/* Divisors of a bound, ascending. @return how many, 0 when there are too many. */
static unsigned divisors(uint64_t *out, uint64_t bound)
{
    unsigned n = 0;
    for (uint64_t k = 1; k <= bound / k; k++) {
        if (bound % k)
            continue;
        if (n + 2 > MAX_DIVISORS)
            return 0;
        out[n++] = k;
        if (k != bound / k)
            out[n++] = bound / k;
    }
    for (unsigned i = 1; i < n; i++) /* nearly sorted in two interleaved runs; n is small */
        for (unsigned j = i; j > 0 && out[j - 1] > out[j]; j--) {
            const uint64_t swap = out[j];
            out[j] = out[j - 1];
            out[j - 1] = swap;
        }
    return n;
}

static uint16_t index_of(const sc_xdim *d, uint64_t value)
{
    unsigned from = 0, to = d->n;
    while (from < to) {
        const unsigned middle = (from + to) / 2;
        if (d->divisor[middle] < value)
            from = middle + 1;
        else
            to = middle;
    }
    return from < d->n && d->divisor[from] == value ? (uint16_t)from : SC_NO_DIVISOR;
}

static sc_status init_dim(sc_xdim *d, sc_arena *arena, uint64_t bound, const char *name)
{
    uint64_t found[MAX_DIVISORS];
    if (bound > UINT64_C(1) << 40)
        return sc_fail(SC_ERANGE, "dimension %s: a bound above 2^40 is not searched exactly", name);
    d->bound = bound;
    d->n = divisors(found, bound);
    if (d->n == 0)
        return sc_fail(SC_ERANGE, "dimension %s: more than %d divisors", name, MAX_DIVISORS);
    uint64_t *divisor = sc_arena_calloc(arena, d->n, sizeof *divisor);
    uint16_t *times = sc_arena_calloc(arena, (size_t)d->n * d->n, sizeof *times);
    uint16_t *over = sc_arena_calloc(arena, (size_t)d->n * d->n, sizeof *over);
    if (!divisor || !times || !over)
        return SC_ENOMEM;
    memcpy(divisor, found, d->n * sizeof *divisor);
    d->divisor = divisor;
    d->times = times;
    d->over = over;
    for (unsigned i = 0; i < d->n; i++)
        for (unsigned j = 0; j < d->n; j++) {
            const uint64_t a = divisor[i], b = divisor[j];
            times[i * d->n + j] = b <= bound / a ? index_of(d, a * b) : SC_NO_DIVISOR;
            over[i * d->n + j] = a % b == 0 ? index_of(d, a / b) : SC_NO_DIVISOR;
        }
    return SC_OK;
}

/* Ranks of the space's dimensions only; a bound of 1 never moves anything. */
static void init_ranks(sc_xtensor *t, const sc_tensor *from, const int *of_dim)
{
    t->n_ranks = 0;
    t->relevant = 0;
    for (unsigned r = 0; r < from->n_ranks; r++) {
        sc_rank *rank = &t->rank[t->n_ranks];
        rank->n_terms = 0;
        for (unsigned k = 0; k < from->rank[r].n_terms; k++) {
            const int d = of_dim[from->rank[r].dim[k]];
            if (d < 0)
                continue;
            rank->dim[rank->n_terms] = (uint8_t)d;
            rank->coef[rank->n_terms++] = from->rank[r].coef[k];
            t->relevant |= (uint16_t)(1u << d);
        }
        if (rank->n_terms > 0)
            t->n_ranks++;
    }
}

static void init_components(sc_xtensor *t, unsigned n_dims)
{
    t->n_components = 0;
    memset(t->component, SC_NO_COMPONENT, sizeof t->component);
    for (unsigned d = 0; d < n_dims; d++) {
        if (!(t->relevant >> d & 1) || t->component[d] != SC_NO_COMPONENT)
            continue;
        uint16_t members = (uint16_t)(1u << d), before = 0;
        while (members != before) {
            before = members;
            for (unsigned r = 0; r < t->n_ranks; r++) {
                uint16_t rank = 0;
                for (unsigned k = 0; k < t->rank[r].n_terms; k++)
                    rank |= (uint16_t)(1u << t->rank[r].dim[k]);
                if (rank & members)
                    members |= rank;
            }
        }
        for (unsigned q = 0; q < n_dims; q++)
            if (members >> q & 1)
                t->component[q] = t->n_components;
        t->members[t->n_components++] = members;
    }
}

static void init_tensor(sc_xtensor *t, const sc_space *x, const sc_tensor *from, const int *of_dim)
{
    double extent[SC_MAX_DIMS];
    uint16_t seen = 0;
    init_ranks(t, from, of_dim);
    init_components(t, x->n_dims);
    t->plain = t->dense = true;
    for (unsigned r = 0; r < t->n_ranks; r++) {
        const uint16_t bit = (uint16_t)(1u << t->rank[r].dim[0]);
        t->plain &= t->rank[r].n_terms == 1;
        t->dense &= t->rank[r].coef[0] == 1 && !(seen & bit);
        seen |= bit;
    }
    t->dense &= t->plain;
    for (unsigned d = 0; d < x->n_dims; d++)
        extent[d] = (double)x->dim[d].bound;
    t->words = sc_space_words(t, extent);
}

static uint8_t keepable(uint8_t roles, const sc_einsum *e)
{
    uint8_t mask = 0;
    for (unsigned i = 0; i < e->n_tensors; i++)
        if (roles >> e->tensor[i].role & 1)
            mask |= (uint8_t)(1u << i);
    return mask;
}

/* Instances are taken to lie spread over all clusters: those used are charged least when all are.
 */
static double charged_of(const sc_arch *a, unsigned l)
{
    const sc_level *v = &a->level[l];
    double built = 1;
    if (v->cluster_size <= 1)
        return 1;
    for (unsigned o = 0; o < l; o++)
        built *= (double)(a->level[o].fanout_x * a->level[o].fanout_y);
    const uint64_t clusters = v->instances / v->cluster_size;
    return fmin(1, (double)clusters / built);
}

static void init_level(sc_space *x, unsigned l)
{
    const sc_level *from = &x->a->level[l];
    sc_xlevel *to = &x->level[l];
    const sc_level_limits *limits = x->limits ? &x->limits->level[l] : NULL;
    to->fan = from->fanout_x * from->fanout_y;
    to->charged = charged_of(x->a, l);
    x->timed = x->timed || from->read_bw > 0 || from->write_bw > 0 || from->shared_bw > 0;
    to->may = keepable(from->may_keep, x->e);
    to->must = keepable(from->must_keep, x->e);
    if (limits) {
        to->must |= limits->must_keep;
        to->may &= (uint8_t)~limits->must_bypass;
    }
    if (l == 0)
        to->may = to->must = (uint8_t)((1u << x->n_tensors) - 1);
    for (unsigned set = 0; set < 1u << x->n_tensors; set++)
        if ((set & to->must) == to->must && (set & ~(unsigned)to->may) == 0)
            to->set[to->n_sets++] = (uint8_t)set;
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const sc_tensor *t = &x->e->tensor[i];
        const double bits = sc_level_moved_bits(from, t);
        double share = from->word_bits > 0 ? from->block_words
                                           : (from->block_bits ? from->block_bits / bits : 1);
        if (share < 1 && from->word_bits > 0)
            share = 1;
        to->unit[i] = from->word_bits > 0 ? 1 : bits / 8;
        to->block[i] = share;
        share = to->charged / share;
        to->pj[i] = (sc_word_pj){from->read_pj * (1 - from->gated[t->role]) * share,
                                 from->write_pj * share, from->update_pj * share};
    }
}

static sc_status init_lattice(sc_space *x)
{
    x->lattice = 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        x->dim[d].stride = x->lattice;
        x->lattice *= x->dim[d].n;
        if (x->lattice > MAX_LATTICE)
            return sc_fail(SC_ERANGE, "op %s: more than %d different tiles; not searched exactly",
                           x->e->name, MAX_LATTICE);
    }
    return SC_OK;
}

sc_status sc_space_init(sc_space *x, sc_arena *arena, const sc_einsum *e, const sc_arch *a,
                        const sc_exact_options *o)
{
    int of_dim[SC_MAX_DIMS];
    sc_status st;
    memset(x, 0, sizeof *x);
    x->e = e;
    x->a = a;
    x->o = o;
    x->limits = o->constraints;
    x->n_tensors = e->n_tensors;
    x->output = e->output;
    x->n_levels = a->n_levels;
    x->macs = 1;
    for (unsigned d = 0; d < e->n_dims; d++) {
        x->macs *= (double)e->bound[d];
        of_dim[d] = -1;
        if (e->bound[d] == 1)
            continue;
        of_dim[d] = (int)x->n_dims;
        x->dim[x->n_dims].dim = d;
        if ((st = init_dim(&x->dim[x->n_dims++], arena, e->bound[d], e->dim_name[d])) != SC_OK)
            return st;
    }
    if ((st = init_lattice(x)) != SC_OK)
        return st;
    for (unsigned i = 0; i < e->n_tensors; i++)
        init_tensor(&x->tensor[i], x, &e->tensor[i], of_dim);
    for (unsigned l = 0; l < a->n_levels; l++)
        init_level(x, l);
    x->mac_pj = x->macs * (1 - a->compute.gated) * a->compute.mac_pj;
    return SC_OK;
}

double sc_space_words(const sc_xtensor *t, const double *extent)
{
    double words = 1;
    for (unsigned r = 0; r < t->n_ranks; r++) {
        const sc_rank *rank = &t->rank[r];
        double side = 1;
        for (unsigned k = 0; k < rank->n_terms; k++)
            side += (extent[rank->dim[k]] - 1) * (double)rank->coef[k];
        words *= side;
    }
    return words;
}

bool sc_space_fits(const sc_space *x, unsigned level, uint8_t keep, const double *words)
{
    const sc_level *l = &x->a->level[level];
    uint64_t used[SC_ROLES] = {0};
    if (!l->bounded)
        return true;
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const sc_tensor *t = &x->e->tensor[i];
        if (!(keep >> i & 1))
            continue;
        if (words[i] >= 0x1p62)
            return false;
        uint64_t *sum = &used[l->partitioned ? t->role : 0];
        if (__builtin_add_overflow(*sum, sc_level_size(l, t, (uint64_t)words[i]), sum))
            return false;
        if (*sum > sc_level_room(l, t->role))
            return false;
    }
    return true;
}

bool sc_space_allows(const sc_space *x, unsigned level, bool spatial, unsigned d, uint64_t factor)
{
    if (!x->limits)
        return true;
    const sc_level_limits *limits = &x->limits->level[level];
    const sc_loop_limits *loops = spatial ? &limits->spatial : &limits->temporal;
    const unsigned dim = x->dim[d].dim;
    if (loops->fixed[dim] > 0 && factor != loops->fixed[dim])
        return false;
    return factor >= loops->min[dim] && (loops->max[dim] == 0 || factor <= loops->max[dim]);
}
