/* Sizes of a space. Conditions and constraints see few parameters: those are enumerated, the others
 * only multiply. */
#include <string.h>

#include "core/rng.h"
#include "search/space_inner.h"

enum { SAMPLE = 1 << 16 };
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

/* Which parameters a condition or a constraint names; a callback may name any. */
static void find_named(const sc_space *s, bool *named)
{
    for (size_t j = 0; j < s->n; j++) {
        named[j] = s->canonical != NULL;
        for (size_t i = 0; i < s->n && !named[j]; i++) {
            const struct sc_axis *a = &s->axis[i];
            named[j] = a->when && sc_expr_uses(a->when, j);
        }
        for (size_t i = 0; i < s->n_rules && !named[j]; i++)
            named[j] = !s->rule[i].expression || sc_expr_uses(s->rule[i].expression, j);
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
        *valid = sc_space__keeps(s, i, settled, values);
    return points;
}

/* Whether the named parameters have few enough combinations to go through all of them. */
static bool countable(const sc_space *s, const bool *named)
{
    const uint64_t steps = s->n + s->n_conditions + s->n_rules; /* for each combination */
    struct count combinations = {1.0, 1, true};
    for (size_t i = 0; i < s->n; i++)
        if (named[i])
            multiply(&combinations, s->cardinality[i]);
    return combinations.fits && (s->n == 0 || combinations.exact <= MOST_STEPS / steps);
}

void sc_space_size_of(const sc_space *s, sc_space_size *out)
{
    struct count product = {1.0, 1, true};
    struct count distinct = {0.0, 0, true}, valid = distinct;
    bool named[SC_MAX_PARAMS] = {false};
    uint32_t index[SC_MAX_PARAMS] = {0};

    find_named(s, named);
    for (size_t i = 0; i < s->n; i++)
        multiply(&product, s->cardinality[i]);
    *out = (sc_space_size){0};
    report(product, &out->product, &out->product_exact);
    if (!countable(s, named))
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

/* Weigh one canonical point, or all that share its named parameters. */
static void reject(const sc_space *s, uint32_t *index, double weight, double *rejected)
{
    double values[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];
    sc_space__settle(s, index, values, active);
    for (size_t i = 0; i < s->n_rules; i++)
        if (!sc_space__keeps(s, i, index, values))
            rejected[i] += weight;
}

bool sc_space_rejections(const sc_space *s, double *rejected, double *points)
{
    bool named[SC_MAX_PARAMS] = {false};
    uint32_t index[SC_MAX_PARAMS] = {0}, settled[SC_MAX_PARAMS];
    for (size_t i = 0; i < s->n_rules; i++)
        rejected[i] = 0;
    *points = 0;
    find_named(s, named);
    if (countable(s, named)) {
        do {
            bool keeps;
            const struct count same = points_of(s, named, index, &keeps);
            memcpy(settled, index, s->n * sizeof *settled);
            if (same.rounded > 0)
                reject(s, settled, same.rounded, rejected);
            *points += same.rounded;
        } while (next_combination(s, named, index));
        return false;
    }
    for (uint64_t k = 0; k < SAMPLE; k++) {
        sc_rng r;
        sc_rng_init(&r, 1, SAMPLE, k);
        for (size_t i = 0; i < s->n; i++)
            index[i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, s->cardinality[i]);
        reject(s, index, 1, rejected);
    }
    *points = SAMPLE;
    return true;
}
