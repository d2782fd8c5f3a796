/* Looking at a space, and its points. */
#include <math.h>
#include <string.h>

#include "search/space_inner.h"

const char *sc_space_name(const sc_space *s)
{
    return s->name;
}

size_t sc_space_params(const sc_space *s)
{
    return s->n;
}

const sc_space_param *sc_space_param_at(const sc_space *s, size_t i)
{
    return &s->axis[i].view;
}

size_t sc_space_find(const sc_space *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->axis[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

const char *sc_space_condition(const sc_space *s, size_t i)
{
    return s->axis[i].when ? sc_expr_text(s->axis[i].when) : NULL;
}

size_t sc_space_constraints(const sc_space *s)
{
    return s->n_rules;
}

const char *sc_space_constraint_name(const sc_space *s, size_t i)
{
    return s->rule[i].name;
}

const char *sc_space_constraint_text(const sc_space *s, size_t i)
{
    const struct sc_space_rule *r = &s->rule[i];
    return r->expression ? sc_expr_text(r->expression) : r->text;
}

bool sc_space__keeps(const sc_space *s, size_t i, const uint32_t *index, const double *values)
{
    const struct sc_space_rule *r = &s->rule[i];
    uint32_t origin[SC_MAX_PARAMS];
    if (r->expression)
        return sc_space__true(sc_expr_eval(r->expression, values));
    for (size_t k = 0; k < s->n; k++)
        origin[k] = s->axis[k].origin[index[k]];
    return r->member(r->payload, origin);
}

/* ---- canonical form ---- */

bool sc_space__true(double v)
{
    return v != 0.0 && !isnan(v);
}

static void settle_by_callback(const sc_space *s, uint32_t *index, double *values, bool *active)
{
    uint32_t given[SC_MAX_PARAMS] = {0}, origin[SC_MAX_PARAMS] = {0};

    for (size_t i = 0; i < s->n; i++)
        given[i] = origin[i] = s->axis[i].origin[index[i]];
    s->canonical(s->payload, origin);
    for (size_t i = 0; i < s->n; i++) {
        const struct sc_axis *a = &s->axis[i];
        active[i] = origin[i] == given[i];
        if (!active[i])
            index[i] = (uint32_t)a->view.fallback;
        values[i] = active[i] ? a->values[index[i]] : a->fallback_value;
    }
}

void sc_space__settle(const sc_space *s, uint32_t *index, double *values, bool *active)
{
    if (s->canonical) {
        settle_by_callback(s, index, values, active);
        return;
    }
    for (size_t i = 0; i < s->n; i++) {
        values[i] = s->axis[i].values[index[i]];
        active[i] = true;
    }
    for (size_t k = 0; k < s->n_conditions; k++) {
        const size_t i = s->order[k];
        const struct sc_axis *a = &s->axis[i];
        if (sc_space__true(sc_expr_eval(a->when, values)))
            continue;
        active[i] = false;
        index[i] = (uint32_t)a->view.fallback;
        values[i] = a->fallback_value;
    }
}

void sc_space_canonical(const sc_space *s, uint32_t *index, bool *active)
{
    double values[SC_MAX_PARAMS];
    bool ignored[SC_MAX_PARAMS];
    sc_space__settle(s, index, values, active ? active : ignored);
}

/* Settled values of a point that is left as it is. */
static void look(const sc_space *s, const uint32_t *index, double *values, bool *active)
{
    uint32_t copy[SC_MAX_PARAMS];
    memcpy(copy, index, s->n * sizeof *copy);
    sc_space__settle(s, copy, values, active);
}

size_t sc_space_broken(const sc_space *s, const uint32_t *index)
{
    uint32_t settled[SC_MAX_PARAMS];
    double values[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];

    if (s->n_rules == 0)
        return SIZE_MAX;
    memcpy(settled, index, s->n * sizeof *settled);
    sc_space__settle(s, settled, values, active);
    for (size_t i = 0; i < s->n_rules; i++)
        if (!sc_space__keeps(s, i, settled, values))
            return i;
    return SIZE_MAX;
}

void sc_space_values(const sc_space *s, const uint32_t *index, double *values)
{
    bool active[SC_MAX_PARAMS];
    look(s, index, values, active);
}

void sc_space_origin(const sc_space *s, const uint32_t *index, uint32_t *origin)
{
    double values[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];

    look(s, index, values, active);
    for (size_t i = 0; i < s->n; i++)
        origin[i] = active[i] ? s->axis[i].origin[index[i]] : s->axis[i].fallback_origin;
}

/* ---- as a problem ---- */

static void problem_canonical(const void *context, uint32_t *index, bool *active)
{
    sc_space_canonical(context, index, active);
}

static bool problem_valid(const void *context, const uint32_t *index)
{
    return sc_space_broken(context, index) == SIZE_MAX;
}

void sc_space_problem(const sc_space *s, size_t n_objectives, sc_problem *out)
{
    *out = (sc_problem){
        .n_params = s->n,
        .cardinality = s->cardinality,
        .categorical = s->categorical,
        .n_objectives = n_objectives,
        .context = s,
        .canonical = s->canonical || s->n_conditions > 0 ? problem_canonical : NULL,
        .valid = s->n_rules > 0 ? problem_valid : NULL,
    };
}

/* ---- names ---- */

/* Bytes of a fixed order, as fingerprints are stored. */
static void put_u64(unsigned char *out, uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (unsigned char)(v >> 8 * i);
}

static uint64_t value_name(const struct sc_axis *a, double value)
{
    uint64_t bits;
    if (a->label_hash)
        return a->label_hash[(size_t)value];
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

sc_hash128 sc_space_fingerprint(const sc_space *s, const uint32_t *index)
{
    unsigned char bytes[16 * SC_MAX_PARAMS];
    double values[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];

    look(s, index, values, active);
    for (size_t i = 0; i < s->n; i++) {
        put_u64(bytes + 16 * i, s->axis[i].name_hash);
        put_u64(bytes + 16 * i + 8, value_name(&s->axis[i], values[i]));
    }
    return sc_hash128_of(bytes, 16 * s->n);
}

/* Chain of hashes: each item with what came before. */
static void chain(sc_hash128 *h, const void *item, size_t n)
{
    const sc_hash128 one = sc_hash128_of(item, n);
    unsigned char bytes[32];
    put_u64(bytes, h->hi);
    put_u64(bytes + 8, h->lo);
    put_u64(bytes + 16, one.hi);
    put_u64(bytes + 24, one.lo);
    *h = sc_hash128_of(bytes, sizeof bytes);
}

static void chain_u64(sc_hash128 *h, uint64_t v)
{
    unsigned char bytes[8];
    put_u64(bytes, v);
    chain(h, bytes, sizeof bytes);
}

static void chain_text(sc_hash128 *h, const char *text)
{
    chain(h, text, strlen(text));
}

sc_hash128 sc_space_hash(const sc_space *s)
{
    sc_hash128 h = {0, 0};
    for (size_t i = 0; i < s->n; i++) {
        const struct sc_axis *a = &s->axis[i];
        chain_text(&h, a->name);
        chain_u64(&h, (uint64_t)a->view.kind);
        chain_u64(&h, value_name(a, a->fallback_value));
        chain_u64(&h, a->view.n_values);
        for (size_t k = 0; k < a->view.n_values; k++)
            chain_u64(&h, value_name(a, a->values[k]));
        chain_text(&h, a->when ? sc_expr_text(a->when) : "");
    }
    chain_u64(&h, s->canonical != NULL);
    for (size_t i = 0; i < s->n_rules; i++) {
        chain_text(&h, s->rule[i].name);
        chain_text(&h, sc_space_constraint_text(s, i));
    }
    return h;
}

uint64_t sc_space_rank(const sc_space *s, const uint32_t *index)
{
    uint64_t rank = 0;
    for (size_t i = 0; i < s->n; i++)
        rank = rank * s->cardinality[i] + index[i];
    return rank;
}

void sc_space_unrank(const sc_space *s, uint64_t rank, uint32_t *index)
{
    for (size_t i = s->n; i-- > 0;) {
        index[i] = (uint32_t)(rank % s->cardinality[i]);
        rank /= s->cardinality[i];
    }
}
