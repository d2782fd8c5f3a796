/* Matrix products: fully connected, per position, and batched (attention). */
#include <inttypes.h>

#include "workloads/infer.h"

static sc_status want_channels(const sc_infer *job)
{
    return job->spec->channels ? SC_OK
                               : sc_fail(SC_EINVAL, "op '%s' produces 0 channels", job->name);
}

sc_status sc_infer__fc(sc_infer *job)
{
    sc_op *op = job->op;
    sc_status st = want_channels(job);
    if (st != SC_OK ||
        (st = sc_infer__product(job, &op->k, "inputs", op->cin, op->d, op->h, op->w, 1)) != SC_OK)
        return st;
    op->m = op->batch;
    op->n = job->spec->channels;
    op->count = 1;
    sc_infer__result(job, op->n, 1, 1, 1);
    return sc_infer__parameters(job);
}

static sc_status infer_recurrent(sc_infer *job, uint64_t steps)
{
    sc_op *op = job->op;
    if (op->cin != op->n)
        return sc_fail(SC_EINVAL,
                       "op '%s': a recurrent product of %" PRIu64
                       " channels is added to an input of as many, not %" PRIu64,
                       job->name, op->n, op->cin);
    op->recurrent = true;
    op->m = op->batch;
    op->k = job->spec->recurrent;
    op->count = steps;
    return sc_infer__parameters(job);
}

sc_status sc_infer__matmul(sc_infer *job)
{
    sc_op *op = job->op;
    uint64_t positions = 0;
    sc_status st = want_channels(job);
    if (st != SC_OK ||
        (st = sc_infer__product(job, &positions, "positions", op->d, op->h, op->w, 1, 1)) != SC_OK)
        return st;
    op->n = job->spec->channels;
    sc_infer__result(job, op->n, op->d, op->h, op->w);
    if (job->spec->recurrent)
        return infer_recurrent(job, positions);
    op->k = op->cin;
    op->count = 1;
    if ((st = sc_infer__product(job, &op->m, "positions", op->batch, positions, 1, 1, 1)) != SC_OK)
        return st;
    return sc_infer__parameters(job);
}

static sc_status misfit(const sc_infer *job, const char *what, uint64_t has, uint64_t wants)
{
    return sc_fail(SC_EINVAL, "op '%s': %s is %" PRIu64 ", must be %" PRIu64, job->name, what, has,
                   wants);
}

/* [heads * k][m] times the transpose of [kv_heads * k][n]: result [heads][m][n]. */
static sc_status infer_scores(sc_infer *job, uint64_t heads, uint64_t kv_heads, uint64_t keys)
{
    sc_op *op = job->op;
    const sc_shape b = job->in[1].read;
    if (op->cin % heads != 0)
        return sc_fail(SC_EINVAL, "op '%s': %" PRIu64 " heads do not divide %" PRIu64 " channels",
                       job->name, heads, op->cin);
    op->m = op->h;
    op->n = keys;
    op->k = op->cin / heads;
    if (b.c % kv_heads != 0 || b.c / kv_heads != op->k)
        return misfit(job, "the head size of the second operand", b.c / kv_heads, op->k);
    if (op->w != 1)
        return misfit(job, "the width of the first operand", op->w, 1);
    sc_infer__result(job, heads, 1, op->m, op->n);
    return SC_OK;
}

/* [heads][m][k] times [kv_heads * n][k]: result [heads * n][m]. */
static sc_status infer_context(sc_infer *job, uint64_t heads, uint64_t kv_heads, uint64_t keys)
{
    sc_op *op = job->op;
    const sc_shape b = job->in[1].read;
    uint64_t width = 0;
    if (op->cin != heads)
        return misfit(job, "the number of channels of the first operand", op->cin, heads);
    if (op->w != keys)
        return misfit(job, "the width of the first operand", op->w, keys);
    if (b.c % kv_heads != 0)
        return sc_fail(SC_EINVAL, "op '%s': %" PRIu64 " heads do not divide %" PRIu64 " channels",
                       job->name, kv_heads, b.c);
    op->m = op->h;
    op->n = b.c / kv_heads;
    op->k = keys;
    const sc_status st = sc_infer__product(job, &width, "channels", heads, op->n, 1, 1, 1);
    if (st == SC_OK)
        sc_infer__result(job, width, 1, op->m, 1);
    return st;
}

sc_status sc_infer__bmm(sc_infer *job)
{
    sc_op *op = job->op;
    const sc_op_spec *s = job->spec;
    const uint64_t heads = s->heads, kv_heads = s->kv_heads ? s->kv_heads : heads;
    if (!heads || heads % kv_heads != 0)
        return sc_fail(SC_EINVAL,
                       "op '%s': %" PRIu64 " heads, %" PRIu64 " of the second operand: "
                       "must be at least 1 and a multiple",
                       job->name, heads, kv_heads);
    const sc_shape b = job->in[1].read;
    if (op->d != 1 || b.d != 1 || b.w != 1)
        return sc_fail(SC_EINVAL, "op '%s': a bmm has no depth, its second operand no width",
                       job->name);
    uint64_t keys = b.h;
    sc_status st = sc_infer__sum(job, &keys, "positions", s->cache);
    if (st != SC_OK ||
        (st = (s->transpose ? infer_scores : infer_context)(job, heads, kv_heads, keys)) != SC_OK)
        return st;
    op->sharing = heads / kv_heads;
    op->weight_is_activation = true;
    if ((st = sc_infer__product(job, &op->count, "products", op->batch, heads, 1, 1, 1)) != SC_OK)
        return st;
    return sc_infer__product(job, &op->cache_elems, "elements", op->batch, s->cache, b.c, 1, 1);
}
