#include "model/mapper/array_symmetry.h"

#include <string.h>

/* Is rank x, its dimensions renamed, rank y? */
static bool same_rank(const sc_rank *x, const sc_rank *y, const uint8_t *to)
{
    unsigned taken = 0;
    if (x->n_terms != y->n_terms)
        return false;
    for (unsigned i = 0; i < x->n_terms; i++) {
        unsigned k = 0;
        while (k < y->n_terms &&
               (taken >> k & 1 || to[x->dim[i]] != y->dim[k] || x->coef[i] != y->coef[k]))
            k++;
        if (k == y->n_terms)
            return false;
        taken |= 1u << k;
    }
    return true;
}

/* Does every tensor stay what it is? Its ranks may change places; none stands for two. */
static bool keeps_tensors(const sc_einsum *e, const uint8_t *to)
{
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const sc_tensor *t = &e->tensor[i];
        unsigned taken = 0;
        for (unsigned r = 0; r < t->n_ranks; r++) {
            unsigned q = 0;
            while (q < t->n_ranks && (taken >> q & 1 || !same_rank(&t->rank[r], &t->rank[q], to)))
                q++;
            if (q == t->n_ranks)
                return false;
            taken |= 1u << q;
        }
    }
    return true;
}

static void exchange(uint8_t *to, unsigned a, unsigned b)
{
    const uint8_t was = to[a];
    to[a] = to[b];
    to[b] = was;
}

static void keep(sc_swaps *s, const sc_einsum *e, const uint8_t *to)
{
    if (s->n < SC_ARRAY_SWAPS && keeps_tensors(e, to))
        memcpy(s->to[s->n++], to, sizeof s->to[0]);
}

void sc_swaps_find(sc_swaps *s, const sc_einsum *e)
{
    uint8_t to[SC_MAX_DIMS];
    s->n = 0;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        to[d] = (uint8_t)d;
    for (unsigned a = 0; a < e->n_dims; a++)
        for (unsigned b = a + 1; b < e->n_dims; b++) {
            if (e->bound[a] != e->bound[b] || e->bound[a] == 1)
                continue;
            exchange(to, a, b);
            keep(s, e, to);
            for (unsigned c = a + 1; c < e->n_dims; c++)
                for (unsigned d = c + 1; d < e->n_dims; d++) {
                    if (c == b || d == b || e->bound[c] != e->bound[d])
                        continue;
                    exchange(to, c, d);
                    keep(s, e, to);
                    exchange(to, c, d);
                }
            exchange(to, a, b);
        }
}

bool sc_swaps_first(const sc_swaps *s, const uint16_t *choice, const unsigned *order,
                    unsigned n_known)
{
    uint16_t known = 0;
    for (unsigned i = 0; i < n_known; i++)
        known |= (uint16_t)(1u << order[i]);
    for (unsigned k = 0; k < s->n; k++)
        for (unsigned i = 0; i < n_known; i++) {
            const unsigned d = order[i], of = s->to[k][d];
            if (!(known >> of & 1) || choice[of] > choice[d])
                break;
            if (choice[of] < choice[d])
                return false;
        }
    return true;
}
