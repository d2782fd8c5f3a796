#include "model/mapper/exact.h"
#include "model/mapper/exact_fit.h"

static sc_status look(sc_blocked *s)
{
    sc_fit f;
    const sc_status st = sc_fit_any(&f, s->e, &s->arch, &s->limits);
    if (st != SC_OK)
        return st;
    s->fits = f.fits;
    s->decided = f.decided;
    s->mapping = f.mapping;
    return SC_OK;
}

/* Orders and splits are asked for of factors; what stands in the way are those. */
sc_status sc_exact_blockers(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, const sc_einsum *e,
                            const sc_arch *a, const sc_map_constraints *limits)
{
    sc_blocked s;
    sc_blocked_init(&s, e, a, limits);
    s.codes = 1u << SC_BLOCKER_CAPACITY | 1u << SC_BLOCKER_FACTOR | 1u << SC_BLOCKER_KEEP |
              1u << SC_BLOCKER_BYPASS;
    s.look = look;
    return sc_blockers_find(out, n, &s);
}
