#include "model/mapper/exact_bound.h"

#include <math.h>
#include <string.h>

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

double sc_bound_rounded(const sc_space *x, const sc_xstep *s, unsigned tensor, bool whole,
                        double words)
{
    return whole ? words : above(words, slack_of(x, tensor, s->slack));
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
    double pj = sc_bound_serve(x, s->level, tensor, served, s->part, s->used);
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

/* Words that pass the level by are served further out, by one level that keeps them and is filled
 * in turn. What lies between shares them among its children, at most over all it may. */
static sc_outside pass(const sc_space *x, const sc_tables *t, size_t at, const sc_xstep *s,
                       unsigned tensor, double words)
{
    sc_outside least = SC_OUTSIDE_NONE;
    for (unsigned o = s->level; o-- > 0;) {
        sc_outside one = {0, 0, 0, 0};
        double reads = 0, writes = 0;
        words *= t->pass[o][tensor];
        const bool must = x->level[o].must >> tensor & 1;
        if (!must && !t->alone[o][tensor])
            continue;
        const double served = above(words, slack_of(x, tensor, s->slack));
        one.pj = sc_bound_serve(x, o, tensor, served, s->part, 1);
        if (x->timed)
            sc_bound_traffic(x, o, tensor, served, s->part, &reads, &writes);
        if (o == 0) {
            one.reads = reads;
            one.writes = writes;
        } else {
            if (x->timed)
                one.cycles = sc_bound_cycles(&x->a->level[o], t->used[o], reads, writes);
            if (!must) /* the table of sets has what fills it */
                one = sc_outside_sum(one, sc_tables_at(t, t->alone[o][tensor], at));
        }
        least = sc_outside_least(least, one);
        if (must)
            break;
    }
    return least;
}

void sc_bound_parts(sc_parts *p, const sc_space *x, const sc_tables *t, size_t at,
                    const sc_xstep *s, uint8_t mask, const double *received, const double *handed,
                    const double *share)
{
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const bool below = s->level + 1 == x->n_levels || mask >> i & 1;
        const double served =
            below ? sc_bound_served(s, i, received[i], handed[i]) : received[i] * share[i];
        const double spared = handed[i] > 0 ? received[i] * s->share[i] - served : 0;
        p->kept[i] = 0;
        p->passed[i] = (sc_outside){0, 0, 0, 0};
        if (received[i] > 0)
            p->kept[i] = sc_bound_step(x, s, i, sc_bound_rounded(x, s, i, below, served), spared);
        if (received[i] > 0 && s->level > 0)
            p->passed[i] = pass(x, t, at, s, i, served);
    }
}

double sc_bound_cycles(const sc_level *l, double used, double reads, double writes)
{
    double cycles = 0;
    if (l->read_bw > 0)
        cycles = fmax(cycles, reads / used / l->read_bw);
    if (l->write_bw > 0)
        cycles = fmax(cycles, writes / used / l->write_bw);
    if (l->shared_bw > 0)
        cycles = fmax(cycles, (reads + writes) / used / l->shared_bw);
    return ceil(cycles * (1 - 1e-9));
}

void sc_bound_traffic(const sc_space *x, unsigned level, unsigned tensor, double words, double part,
                      double *reads, double *writes)
{
    const double unit = x->level[level].unit[tensor];
    if (tensor == x->output) {
        *writes += words * unit;
        words -= x->o->count.charge_first_read ? 0 : part;
    }
    *reads += words > 0 ? words * unit : 0;
}

/* Of each tensor whose words cross a boundary, what that takes: of the level inside, which is
 * filled, of the level outside if it keeps the tensor, and if not, of those further out. */
typedef struct crossing {
    double fill_pj[SC_MAX_TENSORS], fill_reads[SC_MAX_TENSORS], fill_writes[SC_MAX_TENSORS];
    double pj[SC_MAX_TENSORS], reads[SC_MAX_TENSORS], writes[SC_MAX_TENSORS]; /* if kept */
    sc_outside passed[SC_MAX_TENSORS];
} crossing;

/* @param filled  words that fill the level inside; 0 if it does not keep the tensor. */
static void cross_in_time(crossing *c, const sc_space *x, const sc_xstep *s, unsigned tensor,
                          double filled, double served)
{
    c->fill_reads[tensor] = c->fill_writes[tensor] = 0;
    c->reads[tensor] = c->writes[tensor] = 0;
    if (filled > 0) {
        const double unit = x->level[s->level + 1].unit[tensor];
        if (tensor == x->output) {
            c->fill_reads[tensor] = sc_bound_drained(x, filled, s->child_part) * unit;
            filled -= x->o->count.charge_first_read ? 0 : s->child_part;
        }
        c->fill_writes[tensor] = filled > 0 ? filled * unit : 0;
    }
    sc_bound_traffic(x, s->level, tensor, served, s->part, &c->reads[tensor], &c->writes[tensor]);
}

/* Words of one tensor cross. @param kept  by the level inside. */
static void cross(crossing *c, const sc_space *x, const sc_tables *t, size_t at, const sc_xstep *s,
                  unsigned i, bool kept, double received, double handed)
{
    const bool macs = s->level + 1 == x->n_levels;
    const double served =
        kept || macs ? sc_bound_served(s, i, received, handed) : received * s->passed[i];
    const double spared = handed > 0 ? received * s->share[i] - served : 0;
    const double filled = kept ? sc_bound_filled(x, s, i, received, handed) : 0;
    c->fill_pj[i] =
        kept ? sc_bound_fill(x, s->level + 1, i, filled, s->child_part, s->child_used) : 0;
    const double whole = sc_bound_rounded(x, s, i, kept || macs, served);
    c->pj[i] = sc_bound_step(x, s, i, whole, spared);
    c->passed[i] = pass(x, t, at, s, i, served);
    if (x->timed)
        cross_in_time(c, x, s, i, filled, whole);
}

/* All that crosses if the level inside keeps one set and the level outside another.
 * @param any  tensors of which something crosses. */
static sc_outside together(const crossing *c, const sc_space *x, const sc_xstep *s, uint8_t any,
                           uint8_t inside, uint8_t outside)
{
    sc_outside sum = {0, 0, 0, 0};
    double fill_reads = 0, fill_writes = 0, reads = 0, writes = 0;
    for (unsigned i = 0; i < x->n_tensors; i++) {
        if (!(any >> i & 1))
            continue;
        if (inside >> i & 1) {
            sum.pj += c->fill_pj[i];
            fill_reads += x->timed ? c->fill_reads[i] : 0;
            fill_writes += x->timed ? c->fill_writes[i] : 0;
        }
        if (outside >> i & 1) {
            sum.pj += c->pj[i];
            reads += x->timed ? c->reads[i] : 0;
            writes += x->timed ? c->writes[i] : 0;
        } else
            sum = sc_outside_sum(sum, c->passed[i]);
    }
    if (!x->timed)
        return sum;
    if (s->level > 0)
        sum.cycles =
            fmax(sum.cycles, sc_bound_cycles(&x->a->level[s->level], s->used, reads, writes));
    else {
        sum.reads += reads;
        sum.writes += writes;
    }
    if (s->level + 1 < x->n_levels)
        sum.cycles = fmax(sum.cycles, sc_bound_cycles(&x->a->level[s->level + 1], s->child_used,
                                                      fill_reads, fill_writes));
    return sum;
}

/* Can a dimension's loop be the innermost outside a tile? n_dims: no loop is left. */
static bool may_be_first(const sc_space *x, const sc_xtile *tile, unsigned first)
{
    return first < x->n_dims ? tile->left[first] > 1 : tile->steps == 1;
}

static double handed_of(const sc_xstep *s, unsigned tensor, double received, unsigned first)
{
    return s->linked[tensor] < s->share[tensor] ? received * s->handed[tensor][first] : 0;
}

void sc_bound_outside(sc_outside *base, const sc_space *x, const sc_tables *t, size_t at,
                      const sc_xstep *s, uint8_t mask, const sc_xtile *tile, const double *pending)
{
    const sc_xlevel *l = &x->level[s->level];
    const bool macs = s->level + 1 == x->n_levels;
    crossing c;
    for (unsigned set = 0; set < 1u << x->n_tensors; set++)
        base[set] = SC_OUTSIDE_NONE;
    for (unsigned first = 0; first <= x->n_dims; first++) {
        uint8_t any = 0;
        /* Without fills the order is of no account. */
        if (mask == 0 ? first < x->n_dims : !may_be_first(x, tile, first))
            continue;
        for (unsigned i = 0; i < x->n_tensors; i++) {
            const bool kept = mask >> i & 1;
            const double received =
                kept ? sc_xtile_fill(tile, x, i, first) * s->child_used : pending[i];
            if (received > 0) {
                cross(&c, x, t, at, s, i, kept, received,
                      kept || macs ? handed_of(s, i, received, first) : 0);
                any |= (uint8_t)(1u << i);
            }
        }
        for (unsigned k = 0; k < l->n_sets; k++)
            base[l->set[k]] =
                sc_outside_least(base[l->set[k]], together(&c, x, s, any, mask, l->set[k]));
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
    s->child_slack = rounds && fan > 1 ? outer_child : 0;
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

static void put(const sc_tables *t, double *table, size_t at, sc_outside value)
{
    table[t->wide * at] = value.pj;
    if (t->wide > 1)
        memcpy(&table[t->wide * at], (double[]){value.pj, value.reads, value.writes, value.cycles},
               4 * sizeof *table);
}

/* The best of what the next level may keep, if the level keeps a set and a loop comes first. */
static sc_outside best_next(const sc_space *x, const sc_xstep *s, const crossing *c, uint8_t set,
                            const sc_outside *next)
{
    const sc_xlevel *l = &x->level[s->level];
    sc_outside least = SC_OUTSIDE_NONE;
    for (unsigned k = 0; k < l->n_sets; k++)
        if (next[k].pj < HUGE_VAL)
            least = sc_outside_least(
                least, sc_outside_sum(together(c, x, s, set, set, l->set[k]), next[k]));
    return least;
}

/* The same of one tensor that the level keeps, whatever else is kept. */
static sc_outside best_alone(const sc_space *x, const sc_tables *t, const sc_xstep *s,
                             const crossing *c, unsigned tensor, size_t at)
{
    const uint8_t bit = (uint8_t)(1u << tensor);
    sc_outside least = SC_OUTSIDE_NONE;
    if (x->level[s->level].must & bit)
        return together(c, x, s, bit, bit, bit);
    if (t->alone[s->level][tensor])
        least = sc_outside_sum(together(c, x, s, bit, bit, bit),
                               sc_tables_at(t, t->alone[s->level][tensor], at));
    return sc_outside_least(least, together(c, x, s, bit, bit, 0));
}

void sc_tables_set(const sc_tables *t, const sc_space *x, unsigned level, const sc_xtile *tile,
                   const sc_xstep *step, size_t at)
{
    const sc_xlevel *l = &x->level[level], *outer = &x->level[level - 1];
    sc_outside own[SC_ALL_MASKS], alone[SC_MAX_TENSORS], next[SC_ALL_MASKS];
    bool fits[SC_ALL_MASKS], any = false;
    crossing c;
    for (unsigned k = 0; k < l->n_sets; k++) {
        fits[k] = sc_space_fits(x, level, l->set[k], tile->words);
        any = any || fits[k];
        own[k] = SC_OUTSIDE_NONE;
    }
    for (unsigned i = 0; i < x->n_tensors; i++)
        alone[i] = SC_OUTSIDE_NONE;
    for (unsigned k = 0; k < outer->n_sets; k++)
        next[k] = level > 1 ? sc_tables_at(t, t->least[level - 1][outer->set[k]], at)
                            : (sc_outside){0, 0, 0, 0};
    for (unsigned first = 0; first <= x->n_dims && any; first++) {
        if (!may_be_first(x, tile, first))
            continue;
        for (unsigned i = 0; i < x->n_tensors; i++) {
            const double received = sc_xtile_fill(tile, x, i, first) * step->child_used;
            cross(&c, x, t, at, step, i, true, received, handed_of(step, i, received, first));
        }
        for (unsigned k = 0; k < l->n_sets; k++)
            if (fits[k])
                own[k] = sc_outside_least(own[k], best_next(x, step, &c, l->set[k], next));
        for (unsigned i = 0; i < x->n_tensors; i++)
            if (t->alone[level][i])
                alone[i] = sc_outside_least(alone[i], best_alone(x, t, step, &c, i, at));
    }
    for (unsigned k = 0; k < l->n_sets; k++)
        put(t, t->own[level][l->set[k]], at, own[k]);
    for (unsigned i = 0; i < x->n_tensors; i++)
        if (t->alone[level][i])
            put(t, t->alone[level][i], at,
                sc_space_fits(x, level, (uint8_t)(1u << i), tile->words) ? alone[i]
                                                                         : SC_OUTSIDE_NONE);
}

/* least = the minimum of own over all tiles that contain a tile, one dimension after another. */
static void fill_least(double *least, const double *own, const sc_space *x)
{
    if (least != own)
        memcpy(least, own, x->lattice * sizeof *own);
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
    t->wide = 1;
    for (unsigned l = 1; l < x->n_levels; l++)
        for (unsigned k = 0; k < x->level[l].n_sets; k++) {
            const unsigned set = x->level[l].set[k];
            t->own[l][set] = sc_arena_calloc(arena, x->lattice, sizeof(double));
            t->least[l][set] = sc_arena_calloc(arena, x->lattice, sizeof(double));
            if (!t->own[l][set] || !t->least[l][set])
                return SC_ENOMEM;
        }
    for (unsigned l = 1; l < x->n_levels; l++)
        for (unsigned i = 0; i < x->n_tensors; i++)
            if ((x->level[l].may & ~x->level[l].must) >> i & 1 &&
                !(t->alone[l][i] = sc_arena_calloc(arena, x->lattice, sizeof(double))))
                return SC_ENOMEM;
    t->used[0] = 1;
    for (unsigned l = 0; l < x->n_levels; l++) {
        for (unsigned i = 0; i < x->n_tensors; i++)
            t->pass[l][i] = 1 / (double)x->level[l].fan;
        if (l + 1 < x->n_levels)
            t->used[l + 1] = t->used[l] * (double)x->level[l].fan;
    }
    for (unsigned d = 0; d < x->n_dims; d++) {
        uint32_t *offset = sc_arena_calloc(arena, x->dim[d].n, sizeof *offset);
        if (!offset)
            return SC_ENOMEM;
        for (unsigned k = 0; k < x->dim[d].n; k++)
            offset[k] = (uint32_t)(k * x->dim[d].stride);
        for (unsigned l = 0; l < x->n_levels; l++)
            t->offset[l][d] = offset;
    }
    return SC_OK;
}

sc_status sc_tables_build(sc_tables *t, const sc_space *x, sc_arena *arena)
{
    sc_xstep step = {.level = 0};
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
            loose_step(&step, x, l, &tile);
            sc_tables_set(t, x, l, &tile, &step, at);
        }
        for (unsigned k = 0; k < x->level[l].n_sets; k++) {
            const unsigned set = x->level[l].set[k];
            fill_least(t->least[l][set], t->own[l][set], x);
        }
        for (unsigned i = 0; i < x->n_tensors; i++)
            if (t->alone[l][i])
                fill_least(t->alone[l][i], t->alone[l][i], x);
    }
    return SC_OK;
}
