/* Where neighbours stand, by how many indices of each dimension side by side. */
#include <stdlib.h>
#include <string.h>

#include "model/mapper/exact_spatial.h"

/* The dimensions side by side under a level, in one order, innermost first. */
typedef struct digits {
    unsigned n;
    uint8_t dim[SC_MAX_DIMS];
    int64_t factor[SC_MAX_DIMS];
} digits;

static void add(sc_near *near, const int64_t *apart, const digits *d)
{
    int16_t by[SC_MAX_DIMS] = {0};
    for (unsigned s = 0; s < d->n; s++)
        by[d->dim[s]] = (int16_t)apart[s];
    for (unsigned i = 0; i < near->n; i++)
        if (memcmp(near->apart[i], by, sizeof by) == 0)
            return;
    if (near->n == SC_MAX_NEAR) {
        near->any = true;
        return;
    }
    memcpy(near->apart[near->n++], by, sizeof by);
}

/* Numbers that differ by a stride: digit s gains its own of the stride and a carry, and loses a
 * factor if it passes one on: bit s of `carry`. */
static void add_stride(sc_near *near, const digits *d, int64_t stride)
{
    int64_t own[SC_MAX_DIMS];
    for (unsigned s = 0; s < d->n; s++) {
        own[s] = stride % d->factor[s];
        stride /= d->factor[s];
    }
    if (stride > 0)
        return; /* no two children are so far apart */
    for (unsigned carry = 0; carry < 1u << d->n >> 1; carry++) {
        int64_t apart[SC_MAX_DIMS];
        bool possible = true;
        for (unsigned s = 0; s < d->n; s++) {
            const int64_t in = s > 0 ? carry >> (s - 1) & 1 : 0;
            apart[s] = own[s] + in - (carry >> s & 1 ? d->factor[s] : 0);
            possible = possible && apart[s] < d->factor[s] && apart[s] > -d->factor[s];
        }
        if (possible)
            add(near, apart, d);
    }
}

static void add_orders(sc_near *near, digits *d, unsigned placed, int64_t width)
{
    if (placed == d->n) {
        add_stride(near, d, 1);
        if (width > 1)
            add_stride(near, d, width);
        return;
    }
    for (unsigned i = placed; i < d->n; i++) {
        const digits was = *d;
        d->dim[placed] = was.dim[i];
        d->dim[i] = was.dim[placed];
        d->factor[placed] = was.factor[i];
        d->factor[i] = was.factor[placed];
        add_orders(near, d, placed + 1, width);
        *d = was;
    }
}

void sc_near_init(sc_near *near, const sc_space *x, const sc_shape *fan, unsigned level)
{
    enum { MOST = 5 }; /* of more, every order would take too long */
    digits d = {0};
    near->n = 0;
    near->any = false;
    for (unsigned q = 0; q < x->n_dims; q++)
        if (fan->at[q] > 0) {
            d.dim[d.n] = (uint8_t)q;
            d.factor[d.n++] = (int64_t)sc_shape_extent(x, fan, q);
        }
    near->dims = d.n;
    near->any = d.n > MOST;
    for (unsigned s = 0; s < d.n; s++)
        near->any = near->any || d.factor[s] > INT16_MAX;
    if (!near->any)
        add_orders(near, &d, 0,
                   x->o->count.links == SC_LINKS_REFERENCE ? (int64_t)x->a->level[level].fanout_x
                                                           : 0);
}
