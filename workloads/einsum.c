#include "workloads/einsum.h"

#include <stdio.h>
#include <string.h>

#include "workloads/checked.h"

sc_status sc_einsum_macs(uint64_t *out, const sc_einsum *e)
{
    uint64_t macs = 1;
    for (unsigned d = 0; d < e->n_dims; d++)
        if (!sc_count_mul(&macs, e->bound[d]))
            return sc_fail(SC_ERANGE, "op %s: more than 2^63 - 1 multiply-accumulates", e->name);
    *out = macs;
    return SC_OK;
}

/* Positions a rank takes: sum of coef * (extent - 1), plus 1. */
static bool rank_extent(uint64_t *out, const sc_rank *r, const uint64_t *extent)
{
    uint64_t size = 1;
    for (unsigned t = 0; t < r->n_terms; t++) {
        uint64_t reach = extent[r->dim[t]] - 1;
        if (!sc_count_mul(&reach, (uint64_t)r->coef[t]) || !sc_count_add(&size, reach))
            return false;
    }
    *out = size;
    return true;
}

sc_status sc_einsum_volume(uint64_t *out, const sc_einsum *e, unsigned tensor,
                           const uint64_t *extent)
{
    const sc_tensor *t = &e->tensor[tensor];
    uint64_t volume = 1;
    for (unsigned r = 0; r < t->n_ranks; r++) {
        uint64_t size;
        if (!rank_extent(&size, &t->rank[r], extent) || !sc_count_mul(&volume, size))
            return sc_fail(SC_ERANGE, "op %s: tensor %s has more than 2^63 - 1 words", e->name,
                           t->name);
    }
    *out = volume;
    return SC_OK;
}

int sc_einsum_relevant(const sc_einsum *e, unsigned tensor, unsigned dim)
{
    const sc_tensor *t = &e->tensor[tensor];
    for (unsigned r = 0; r < t->n_ranks; r++)
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            if (t->rank[r].dim[k] == dim)
                return 1;
    return 0;
}

const char *sc_einsum_dims(char out[SC_EINSUM_DIMS_LEN], const sc_einsum *e)
{
    size_t at = 0;
    out[0] = '\0';
    for (unsigned d = 0; d < e->n_dims; d++)
        at += (size_t)snprintf(out + at, SC_EINSUM_DIMS_LEN - at, "%s%s", d ? " " : "",
                               e->dim_name[d]);
    return out;
}

static bool is_name(const char name[SC_NAME_LEN])
{
    return name[0] && memchr(name, '\0', SC_NAME_LEN);
}

static sc_status check_dims(const sc_einsum *e)
{
    if (e->n_dims > SC_MAX_DIMS)
        return sc_fail(SC_EINVAL, "op %s: %u dimensions, at most %d", e->name, e->n_dims,
                       SC_MAX_DIMS);
    for (unsigned d = 0; d < e->n_dims; d++) {
        if (!is_name(e->dim_name[d]))
            return sc_fail(SC_EINVAL, "op %s: dimension %u has no name", e->name, d);
        if (e->bound[d] < 1)
            return sc_fail(SC_EINVAL, "op %s: dimension %s has bound 0", e->name, e->dim_name[d]);
        for (unsigned other = 0; other < d; other++)
            if (strcmp(e->dim_name[d], e->dim_name[other]) == 0)
                return sc_fail(SC_EINVAL, "op %s: dimension %s stands twice", e->name,
                               e->dim_name[d]);
    }
    return SC_OK;
}

static sc_status check_rank(const sc_einsum *e, const sc_tensor *t, unsigned r)
{
    const sc_rank *rank = &t->rank[r];
    if (rank->n_terms < 1 || rank->n_terms > SC_MAX_TERMS)
        return sc_fail(SC_EINVAL, "op %s: tensor %s, rank %u: %u terms, must be 1 to %d", e->name,
                       t->name, r, rank->n_terms, SC_MAX_TERMS);
    for (unsigned k = 0; k < rank->n_terms; k++) {
        if (rank->dim[k] >= e->n_dims)
            return sc_fail(SC_EINVAL, "op %s: tensor %s, rank %u: no dimension %u", e->name,
                           t->name, r, rank->dim[k]);
        if (rank->coef[k] < 1)
            return sc_fail(SC_EINVAL,
                           "op %s: tensor %s, rank %u: coefficient %lld of %s, must be "
                           "at least 1",
                           e->name, t->name, r, (long long)rank->coef[k],
                           e->dim_name[rank->dim[k]]);
    }
    return SC_OK;
}

static sc_status check_tensor(const sc_einsum *e, unsigned i)
{
    const sc_tensor *t = &e->tensor[i];
    if (!is_name(t->name))
        return sc_fail(SC_EINVAL, "op %s: tensor %u has no name", e->name, i);
    if (t->role >= SC_ROLES || (t->role == SC_ROLE_OUTPUT) != (i == e->output))
        return sc_fail(SC_EINVAL, "op %s: tensor %s: exactly the output has the output's role",
                       e->name, t->name);
    if (t->n_ranks > SC_MAX_RANKS)
        return sc_fail(SC_EINVAL, "op %s: tensor %s: %u ranks, at most %d", e->name, t->name,
                       t->n_ranks, SC_MAX_RANKS);
    if (t->bits < 1)
        return sc_fail(SC_EINVAL, "op %s: tensor %s: 0 bits an element", e->name, t->name);
    for (unsigned other = 0; other < i; other++)
        if (strcmp(t->name, e->tensor[other].name) == 0)
            return sc_fail(SC_EINVAL, "op %s: tensor %s stands twice", e->name, t->name);
    for (unsigned r = 0; r < t->n_ranks; r++) {
        const sc_status st = check_rank(e, t, r);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

sc_status sc_einsum_check(const sc_einsum *e)
{
    if (!is_name(e->name))
        return sc_fail(SC_EINVAL, "an op has no name");
    sc_status st = check_dims(e);
    if (st != SC_OK)
        return st;
    if (e->n_tensors < 1 || e->n_tensors > SC_MAX_TENSORS || e->output >= e->n_tensors)
        return sc_fail(SC_EINVAL,
                       "op %s: %u tensors, output %u: must be 1 to %d tensors, one of "
                       "them the output",
                       e->name, e->n_tensors, e->output, SC_MAX_TENSORS);
    for (unsigned i = 0; i < e->n_tensors && st == SC_OK; i++)
        st = check_tensor(e, i);
    return st;
}
