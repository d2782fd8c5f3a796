/* Sizes of a space. Conditions and constraints see few parameters: those are enumerated, the others
 * only multiply. */
#include <string.h>

#include "search/space_inner.h"

static const uint64_t MOST_STEPS = (uint64_t)1 << 27; /* about a second */

/* A sum or product that may leave the integers. */
struct count {
    double rounded;
    uint64_t exact;
    bool fits;
};

static void add(struct count *sum, struct count term)
{
    sum->rounded += term.rounded;
    sum->fits = sum->fits && term.fits && sum->exact <= UINT64_MAX - term.exact;
    sum->exact += term.exact;
}

static void multiply(struct count *product, uint64_t factor)
{
    product->rounded *= (double)factor;
    product->fits = product->fits && product->exact <= UINT64_MAX / factor;
    product->exact *= factor;
}

static void report(struct count c, double *rounded, uint64_t *exact)
{
    *rounded = c.fits ? (double)c.exact : c.rounded;
    *exact = c.fits ? c.exact : 0;
}

/* Which parameters a condition or a constraint names; a canonical callback may name any. */
static void find_named(const sc_space *s, bool *named)
{
    for (size_t j = 0; j < s->n; j++) {
        named[j] = s->canonical != NULL;
        for (size_t i = 0; i < s->n && !named[j]; i++) {
            const struct sc_axis *a = &s->axis[i];
            named[j] = a->when && sc_expr_uses(a->when, j);
        }
        for (size_t i = 0; i < s->n_rules && !named[j]; i++)
            named[j] = sc_expr_uses(s->rule[i].expression, j);
    }
}

static bool next_combination(const sc_space *s, const bool *named, uint32_t *index)
{
    for (size_t i = s->n; i-- > 0;) {
        if (!named[i])
            continue;
        if (++index[i] < s->cardinality[i])
            return true;
        index[i] = 0;
    }
    return false;
}

/* Points that share this combination of the named parameters; none if it is not canonical. */
static struct count points_of(const sc_space *s, const bool *named, const uint32_t *index,
                              bool *valid)
{
    struct count points = {1.0, 1, true};
    uint32_t settled[SC_MAX_PARAMS];
    double values[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];

    memcpy(settled, index, s->n * sizeof *settled);
    sc_space__settle(s, settled, values, active);
    *valid = true;
    for (size_t i = 0; i < s->n; i++) {
        if (named[i] && settled[i] != index[i])
            return (struct count){0.0, 0, true};
        if (!named[i] && active[i])
            multiply(&points, s->cardinality[i]);
    }
    for (size_t i = 0; i < s->n_rules && *valid; i++)
        *valid = sc_space__true(sc_expr_eval(s->rule[i].expression, values));
    return points;
}

void sc_space_size_of(const sc_space *s, sc_space_size *out)
{
    struct count product = {1.0, 1, true}, combinations = product;
    struct count distinct = {0.0, 0, true}, valid = distinct;
    bool named[SC_MAX_PARAMS] = {false};
    uint32_t index[SC_MAX_PARAMS] = {0};

    find_named(s, named);
    for (size_t i = 0; i < s->n; i++) {
        multiply(&product, s->cardinality[i]);
        if (named[i])
            multiply(&combinations, s->cardinality[i]);
    }
    *out = (sc_space_size){0};
    report(product, &out->product, &out->product_exact);
    const uint64_t steps = s->n + s->n_conditions + s->n_rules; /* for each combination */
    if (!combinations.fits || (s->n > 0 && combinations.exact > MOST_STEPS / steps))
        return;
    do {
        bool keeps;
        const struct count points = points_of(s, named, index, &keeps);
        add(&distinct, points);
        if (keeps)
            add(&valid, points);
    } while (next_combination(s, named, index));
    out->counted = true;
    report(distinct, &out->distinct, &out->distinct_exact);
    report(valid, &out->valid, &out->valid_exact);
}
