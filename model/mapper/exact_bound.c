#include "model/mapper/exact_bound.h"

#include <math.h>

#include "core/mem.h"

static double above(double a, double b)
{
    return a > b ? a - b : 0;
}

/* Words with those that fill up the last block that each instance moves. What rounding in sums and
 * differences leaves of figures of the size of the MACs does not make a block. */
static double in_blocks(const sc_space *x, unsigned level, unsigned tensor, double words,
                        double used)
{
    const double block = used * x->level[level].block[tensor];
    if (block <= used)
        return words;
    const double blocks = (words * (1 - 1e-9) - x->macs * 1e-9) / block;
    if (!(blocks < 0x1p52))
        return words;
    const double whole = (double)(int64_t)blocks; /* ceil() is a call, and this the hottest place */
    return block * (whole < blocks ? whole + 1 : whole);
}

double sc_bound_serve(const sc_space *x, unsigned level, unsigned tensor, double words, double part,
                      double used)
{
    const sc_word_pj *pj = &x->level[level].pj[tensor];
    if (tensor != x->output)
        return in_blocks(x, level, tensor, words, used) * pj->read;
    if (x->o->count.charge_first_read)
        part = 0;
    /* Drains are read along with these, in the same blocks. */
    const double reads = above(words, part);
    return in_blocks(x, level, tensor, words, used) * pj->update +
           (x->o->count.charge_drain ? reads : in_blocks(x, level, tensor, reads, used)) * pj->read;
}

/* Averages of windows are rounded where links or groups of several sizes make them. */
static double slack_of(const sc_space *x, unsigned tensor, double slack)
{
    return x->tensor[tensor].plain ? 0 : slack;
}

double sc_bound_served(const sc_xstep *s, unsigned tensor, double received, double handed)
{
    const double all = received * s->share[tensor];
    return handed > 0 ? fmax(received * s->linked[tensor],
                             all - handed * (s->share[tensor] - s->left[tensor]))
                      : all;
}

double sc_bound_step(const sc_space *x, const sc_xstep *s, unsigned tensor, double served,
                     double spared)
{
    const double words = above(served, slack_of(x, tensor, s->slack));
    double pj = sc_bound_serve(x, s->level, tensor, words, s->part, s->used);
    /* A word that a neighbour hands on is read there instead, along with those that this one
     * serves: a block of each is counted there already. */
    if (spared > 0 && tensor != x->output && s->level + 1 < x->n_levels)
        pj += above(above(spared, slack_of(x, tensor, s->child_slack)),
                    x->level[s->level + 1].block[tensor] > 1
                        ? s->child_used * x->level[s->level + 1].block[tensor]
                        : 0) *
              fmin(x->level[s->level].pj[tensor].read,
                   x->level[s->level + 1].pj[tensor].read * s->peers);
    return pj;
}

double sc_bound_filled(const sc_space *x, const sc_xstep *s, unsigned tensor, double received,
                       double handed)
{
    return above(received - handed * (1 - s->peers), slack_of(x, tensor, s->child_slack));
}

double sc_bound_drained(const sc_space *x, double words, double part)
{
    if (!x->o->count.charge_drain)
        return 0;
    /* Boxes with gaps: what the level serves may be less than its part, and the rest of that comes
     * off here. */
    if (x->o->count.charge_first_read || x->tensor[x->output].dense)
        part = 0;
    return above(words, part);
}

double sc_bound_fill(const sc_space *x, unsigned level, unsigned tensor, double words, double part,
                     double used)
{
    const sc_word_pj *pj = &x->level[level].pj[tensor];
    if (tensor != x->output)
        return in_blocks(x, level, tensor, words, used) * pj->write;
    const double drained = sc_bound_drained(x, words, part);
    if (x->o->count.charge_first_read)
        part = 0;
    return in_blocks(x, level, tensor, above(words, part), used) * pj->write + drained * pj->read;
}

/* Least energy of words that pass the level by and come from further out. Levels out there may
 * share them once more, at most over all their children. */
static double passed_pj(const sc_space *x, const sc_xstep *s, unsigned tensor, double words)
{
    double least = HUGE_VAL;
    for (unsigned o = s->level; o-- > 0;) {
        words /= (double)x->level[o].fan;
        least =
            fmin(least, sc_bound_serve(x, o, tensor, above(words, slack_of(x, tensor, s->slack)),
                                       s->part, 1));
    }
    return least;
}

void sc_bound_parts(sc_parts *p, const sc_space *x, const sc_xstep *s, uint8_t mask,
                    const double *received, const double *handed, const double *share)
{
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const bool below = s->level + 1 == x->n_levels || mask >> i & 1;
        const double served =
            below ? sc_bound_served(s, i, received[i], handed[i]) : received[i] * share[i];
        const double spared = handed[i] > 0 ? received[i] * s->share[i] - served : 0;
        p->kept[i] = received[i] > 0 ? sc_bound_step(x, s, i, served, spared) : 0;
        p->passed[i] = received[i] > 0 && s->level > 0 ? passed_pj(x, s, i, served) : 0;
    }
}

/* Lower base to the sum of the parts and what else is paid. */
static void add_sets(double *base, const sc_space *x, unsigned level, const sc_parts *p,
                     double paid)
{
    const sc_xlevel *l = &x->level[level];
    for (unsigned k = 0; k < l->n_sets; k++) {
        double pj = paid;
        for (unsigned i = 0; i < x->n_tensors; i++)
            pj += l->set[k] >> i & 1 ? p->kept[i] : p->passed[i];
        if (pj < base[l->set[k]])
            base[l->set[k]] = pj;
    }
}

void sc_bound_outside(double *base, const sc_space *x, const sc_xstep *s, uint8_t mask,
                      const sc_xtile *tile, const double *pending)
{
    double received[SC_MAX_TENSORS], handed[SC_MAX_TENSORS];
    sc_parts parts;
    const bool macs = s->level + 1 == x->n_levels;
    bool none = true;
    for (unsigned set = 0; set < 1u << x->n_tensors; set++)
        base[set] = HUGE_VAL;
    for (unsigned first = 0; first <= x->n_dims; first++) {
        double paid = 0;
        /* Without fills the order is of no account. */
        if (mask == 0 ? first < x->n_dims : first < x->n_dims ? tile->left[first] == 1 : !none)
            continue;
        none = false;
        for (unsigned i = 0; i < x->n_tensors; i++) {
            const bool kept = mask >> i & 1;
            received[i] = kept ? sc_xtile_fill(tile, x, i, first) * s->child_used : pending[i];
            handed[i] = (kept || macs) && s->linked[i] < s->share[i]
                            ? received[i] * s->handed[i][first]
                            : 0;
            if (kept)
                paid += sc_bound_fill(x, s->level + 1, i,
                                      sc_bound_filled(x, s, i, received[i], handed[i]),
                                      s->child_part, s->child_used);
        }
        sc_bound_parts(&parts, x, s, mask, received, handed, s->passed);
        add_sets(base, x, s->level, &parts, paid);
    }
}

/* What a boundary does at best when nothing is known of the children side by side. */
static void loose_step(sc_xstep *s, const sc_space *x, unsigned child, const sc_xtile *tile)
{
    const double fan = (double)x->level[child - 1].fan;
    const sc_xtensor *out = &x->tensor[x->output];
    double outer = 1, outer_child;
    for (unsigned o = 0; o + 1 < child; o++)
        outer *= (double)x->level[o].fan;
    outer_child = outer * fan;
    s->level = child - 1;
    s->used = s->child_used = 1;
    s->part = out->words * fmin(outer, out->dense ? tile->idle[x->output] : outer);
    s->child_part =
        out->words * fmin(outer_child, out->dense ? tile->idle[x->output] : outer_child);
    const bool rounds = x->o->count.links != SC_LINKS_NONE;
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const bool window = !x->tensor[i].plain;
        s->share[i] = fan > 1 ? 1 / fmin(fan, tile->idle[i]) : 1;
        if (window && fan > 1)
            s->share[i] = 1 / fan;
        s->passed[i] = s->left[i] = s->linked[i] = s->share[i];
    }
    s->slack = rounds ? outer : 0;
    s->child_slack = rounds ? outer_child : 0;
    /* The reference counts fewer words from neighbours than there are, see sc_xstep. */
    s->peers = x->o->count.links == SC_LINKS_REFERENCE ? 1 / outer : 1;
    for (unsigned i = 0; i < x->n_tensors && s->peers < 1 && fan > 1; i++) {
        if (x->tensor[i].plain)
            continue;
        s->linked[i] = 0;
        for (unsigned d = 0; d <= x->n_dims; d++)
            s->handed[i][d] = 1 - 1 / fan;
    }
}

static void fill_own(sc_tables *t, const sc_space *x, unsigned l, sc_xtile *tile, size_t at)
{
    const double nothing[SC_MAX_TENSORS] = {0};
    double base[SC_ALL_MASKS];
    sc_xstep step;
    loose_step(&step, x, l, tile);
    for (unsigned set = 0; set < 1u << x->n_tensors; set++) {
        double least = HUGE_VAL;
        if (!t->own[l][set])
            continue;
        if (sc_space_fits(x, l, (uint8_t)set, tile->words)) {
            sc_bound_outside(base, x, &step, (uint8_t)set, tile, nothing);
            for (unsigned outer = 0; outer < 1u << x->n_tensors; outer++)
                if (base[outer] < HUGE_VAL)
                    least = fmin(least, base[outer] + (l > 1 ? t->least[l - 1][outer][at] : 0));
        }
        t->own[l][set][at] = least;
    }
}

/* least = the minimum of own over all tiles that contain a tile, one dimension after another. */
static void fill_least(double *least, const double *own, const sc_space *x)
{
    for (size_t i = 0; i < x->lattice; i++)
        least[i] = own[i];
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_xdim *v = &x->dim[d];
        for (size_t i = 0; i < x->lattice; i++) {
            const size_t at = i / v->stride % v->n;
            for (size_t j = at + 1; j < v->n; j++)
                if (v->over[j * v->n + at] != SC_NO_DIVISOR)
                    least[i] = fmin(least[i], least[i + (j - at) * v->stride]);
        }
    }
}

static sc_status allot(sc_tables *t, const sc_space *x, sc_arena *arena)
{
    for (unsigned l = 1; l < x->n_levels; l++)
        for (unsigned set = 0; set < 1u << x->n_tensors; set++) {
            const sc_xlevel *v = &x->level[l];
            t->own[l][set] = t->least[l][set] = NULL;
            if ((set & v->must) != v->must || (set & ~v->may) != 0)
                continue;
            t->own[l][set] = sc_arena_calloc(arena, x->lattice, sizeof(double));
            t->least[l][set] = sc_arena_calloc(arena, x->lattice, sizeof(double));
            if (!t->own[l][set] || !t->least[l][set])
                return SC_ENOMEM;
        }
    return SC_OK;
}

sc_status sc_tables_build(sc_tables *t, const sc_space *x, sc_arena *arena)
{
    const sc_status st = allot(t, x, arena);
    if (st != SC_OK)
        return st;
    for (unsigned l = 1; l < x->n_levels; l++) {
        for (size_t at = 0; at < x->lattice; at++) {
            sc_xtile tile;
            /* Children side by side move a tile further than is known here. */
            tile.blocks = x->level[l - 1].fan == 1 ? l : x->n_levels + 1;
            for (unsigned d = 0; d < x->n_dims; d++) {
                const sc_xdim *v = &x->dim[d];
                tile.shape.at[d] = (uint16_t)(at / v->stride % v->n);
                tile.spread[d] = 1;
                const uint64_t left = v->bound / v->divisor[tile.shape.at[d]];
                tile.left[d] = (double)left;
            }
            sc_xtile_init(&tile, x);
            fill_own(t, x, l, &tile, at);
        }
        for (unsigned set = 0; set < 1u << x->n_tensors; set++)
            if (t->own[l][set])
                fill_least(t->least[l][set], t->own[l][set], x);
    }
    return SC_OK;
}
