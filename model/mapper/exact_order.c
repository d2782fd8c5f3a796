#include "model/mapper/exact_order.h"

#include <string.h>

typedef struct listing {
    const sc_space *x;
    const sc_loop_limits *limits; /* of the order; NULL: none */
    sc_order_visit visit;
    void *context;
    sc_order now;
} listing;

/* What placing a loop next does to a tensor; SETTLES is never better than another. */
enum { SETTLES, STAYS, SLIDES /* + dimension */ };

static bool window_dim(const sc_xtensor *t, unsigned d)
{
    return !t->plain && sc_is_window(t, t->component[d]);
}

static unsigned outcome(const listing *w, const sc_order_stake *stake, unsigned tensor, unsigned d)
{
    const sc_xtensor *t = &w->x->tensor[tensor];
    const bool open = stake->open >> tensor & 1;
    const bool moves = t->relevant >> d & 1;
    if (stake->linked[tensor] >> d & 1)
        return SLIDES + d;
    if (!open && stake->component[tensor] == SC_NO_COMPONENT)
        return SETTLES;
    if (!moves)
        return STAYS;
    if (window_dim(t, d) && (open || t->component[d] == stake->component[tensor]))
        return SLIDES + d;
    return SETTLES;
}

static sc_order_stake after(const sc_space *x, const sc_order_stake *stake, unsigned d)
{
    sc_order_stake next = *stake;
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const sc_xtensor *t = &x->tensor[i];
        if (!(stake->linked[i] >> d & 1))
            next.linked[i] = 0;
        if (!(t->relevant >> d & 1))
            continue;
        if (stake->component[i] != t->component[d])
            next.component[i] = SC_NO_COMPONENT;
        if (stake->open >> i & 1 && window_dim(t, d))
            next.component[i] = t->component[d];
        next.open &= (uint8_t) ~(1u << i);
    }
    return next;
}

/* Does a tensor fare no better with loop d next than with the other? A loop that leaves an unmoved
 * window in place belongs inside its sweep, and the last of the window's own loops next to the
 * sweep; of several each moves what the others cancel. If none is left, nothing is at stake. */
static bool no_better(const listing *w, const sc_order_stake *stake, unsigned tensor, unsigned d,
                      unsigned other, uint16_t loops)
{
    const unsigned here = outcome(w, stake, tensor, d), there = outcome(w, stake, tensor, other);
    if (here == there)
        return true;
    if (stake->linked[tensor])
        return here == SETTLES && !(stake->costs >> tensor & 1);
    if (here == SETTLES)
        return true;
    if (stake->open >> tensor & 1)
        return there == STAYS && stake->component[tensor] == SC_NO_COMPONENT &&
               !w->x->o->count.reuse_pre_2025;
    const uint16_t own = w->x->tensor[tensor].members[stake->component[tensor]] & loops;
    return here == STAYS && own == (there == SETTLES ? 0 : 1u << other);
}

/* A loop that is in no way better placed next than another: no tensor fares better. */
static bool dominated(const listing *w, const sc_order_stake *stake, unsigned d, uint16_t loops)
{
    for (unsigned other = 0; other < w->x->n_dims; other++) {
        bool worse = true, equal = true;
        if (!(loops >> other & 1) || other == d)
            continue;
        for (unsigned i = 0; i < w->x->n_tensors && worse; i++) {
            worse = no_better(w, stake, i, d, other, loops);
            equal = equal && no_better(w, stake, i, other, d, loops);
        }
        if (worse && (!equal || other < d))
            return true;
    }
    return false;
}

static bool has(const uint8_t *list, unsigned n, unsigned dim)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == dim)
            return true;
    return false;
}

/* Dimensions that the constraints let stand next. */
static uint16_t allowed(const listing *w, uint16_t loops)
{
    const sc_loop_limits *l = w->limits;
    uint16_t middle = 0;
    if (!l)
        return loops;
    const uint8_t *outer = l->order + SC_MAX_DIMS - l->n_outer;
    for (unsigned i = 0; i < l->n_inner; i++)
        for (unsigned d = 0; d < w->x->n_dims; d++)
            if (loops >> d & 1 && w->x->dim[d].dim == l->order[i])
                return (uint16_t)(1u << d);
    for (unsigned d = 0; d < w->x->n_dims; d++)
        if (loops >> d & 1 && !has(outer, l->n_outer, w->x->dim[d].dim))
            middle |= (uint16_t)(1u << d);
    for (unsigned i = 0; i < l->n_outer && !middle; i++)
        for (unsigned d = 0; d < w->x->n_dims; d++)
            if (loops >> d & 1 && w->x->dim[d].dim == outer[i])
                return (uint16_t)(1u << d);
    return middle;
}

static bool indifferent(const listing *w, const sc_order_stake *stake, uint16_t loops)
{
    for (unsigned i = 0; i < w->x->n_tensors; i++) {
        if (stake->open >> i & 1)
            return false;
        if (stake->linked[i] & loops)
            return false;
        if (stake->component[i] != SC_NO_COMPONENT &&
            w->x->tensor[i].members[stake->component[i]] & loops)
            return false;
    }
    return true;
}

static void list(listing *w, uint16_t loops, const sc_order_stake *stake)
{
    if (!loops) {
        (void)w->visit(w->context, &w->now, 0);
        return;
    }
    const uint16_t open = allowed(w, loops);
    const bool any = indifferent(w, stake, loops), several = (loops & (loops - 1)) != 0;
    if (several && !any && !w->visit(w->context, &w->now, loops))
        return;
    for (unsigned d = 0; d < w->x->n_dims; d++) {
        if (!(open >> d & 1) || (!any && !w->limits && dominated(w, stake, d, open)))
            continue;
        const sc_order_stake next = after(w->x, stake, d);
        w->now.dim[w->now.n++] = (uint8_t)d;
        list(w, (uint16_t)(loops & ~(1u << d)), &next);
        w->now.n--;
        if (any)
            break;
    }
}

void sc_orders_visit(const sc_space *x, unsigned level, uint16_t loops, const sc_order_stake *stake,
                     sc_order_visit visit, void *context)
{
    listing w = {.x = x, .visit = visit, .context = context};
    if (x->limits) {
        const sc_loop_limits *l = &x->limits->level[level].temporal;
        w.limits = l->n_inner + l->n_outer > 0 ? l : NULL;
    }
    list(&w, loops, stake);
}
