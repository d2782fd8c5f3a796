#include "workloads/infer.h"

#include <inttypes.h>
#include <string.h>

#include "workloads/checked.h"

sc_status sc_infer__product(const sc_infer *job, uint64_t *out, const char *what, uint64_t a,
                            uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    uint64_t p = 1;
    const bool fits = sc_count_mul(&p, a) && sc_count_mul(&p, b) && sc_count_mul(&p, c) &&
                      sc_count_mul(&p, d) && sc_count_mul(&p, e);
    if (!fits)
        return sc_fail(SC_ERANGE, "op '%s': more than 2^63 - 1 %s", job->name, what);
    *out = p;
    return SC_OK;
}

sc_status sc_infer__sum(const sc_infer *job, uint64_t *acc, const char *what, uint64_t term)
{
    if (!sc_count_add(acc, term))
        return sc_fail(SC_ERANGE, "op '%s': more than 2^63 - 1 %s", job->name, what);
    return SC_OK;
}

void sc_infer__read(sc_infer *job)
{
    const sc_shape in = job->in[0].read;
    job->op->cin = in.c;
    job->op->d = in.d;
    job->op->h = in.h;
    job->op->w = in.w;
}

void sc_infer__result(sc_infer *job, uint64_t c, uint64_t d, uint64_t h, uint64_t w)
{
    job->op->cout = c;
    job->op->od = d;
    job->op->oh = h;
    job->op->ow = w;
}

sc_status sc_infer__parameters(sc_infer *job)
{
    sc_op *op = job->op;
    const sc_op_spec *s = job->spec;
    sc_status st;
    uint64_t norm = 0, other = 0;
    /* the products of a recurrent op share their weights */
    const uint64_t sets = op->recurrent ? 1 : op->count;
    if ((st = sc_infer__product(job, &op->weights, "weights", op->k, op->n, sets, 1, 1)) != SC_OK ||
        (st = sc_infer__product(job, &norm, "parameters", 2, op->cout, 1, 1, 1)) != SC_OK ||
        (st = sc_infer__product(job, &other, "parameters", 2, op->cin, 1, 1, 1)) != SC_OK)
        return st;
    if (!s->input_norm)
        other = 0;
    if ((st = sc_infer__sum(job, &other, "parameters", s->batch_norm ? norm : 0)) == SC_OK)
        st = sc_infer__sum(job, &other, "parameters", s->bias ? op->cout : 0);
    op->other_params = other;
    return st;
}

static bool is_position(const sc_infer *job)
{
    return job->op->kind == SC_OP_ADD && strcmp(job->op->function, "position") == 0;
}

/* How many tensors an op of a kind reads. */
static sc_status check_arity(const sc_infer *job)
{
    struct arity {
        size_t least, most;
    };
    static const struct arity others[SC_OP_KINDS] = {
        [SC_OP_BMM] = {2, 2},       [SC_OP_ADD] = {2, SC_MAX_OP_INPUTS},
        [SC_OP_LAYERNORM] = {1, 2}, [SC_OP_MUL] = {2, SC_MAX_OP_INPUTS},
        [SC_OP_RMSNORM] = {1, 2},   [SC_OP_CONCAT] = {1, SC_MAX_OP_INPUTS},
        [SC_OP_BATCHNORM] = {1, 2},
    };
    const struct arity listed = others[job->op->kind], one = {1, 1};
    struct arity want = listed.most && !is_position(job) ? listed : one;
    if (job->spec->parameters && want.least == 2)
        want.least = 1; /* the learned operand is the second */
    const size_t n = job->spec->n_inputs;
    if (n < want.least || n > want.most)
        return sc_fail(SC_EINVAL, "op '%s': %s reads %zu to %zu tensors, not %zu", job->name,
                       sc_op_word(job->op), want.least, want.most, n);
    return SC_OK;
}

static bool same_shape(sc_shape a, sc_shape b)
{
    return a.c == b.c && a.d == b.d && a.h == b.h && a.w == b.w;
}

/* Every extent as the first operand's, or 1. */
static bool repeats_over(sc_shape a, sc_shape first)
{
    return (a.c == first.c || a.c == 1) && (a.d == first.d || a.d == 1) &&
           (a.h == first.h || a.h == 1) && (a.w == first.w || a.w == 1);
}

/* Every operand as the first, or repeated over some of its extents where that is allowed. */
static sc_status want_like_first(const sc_infer *job, bool repeated)
{
    const sc_shape first = job->in[0].read;
    for (size_t i = 1; i < job->spec->n_inputs; i++) {
        const sc_shape other = job->in[i].read;
        if (!same_shape(first, other) && !(repeated && repeats_over(other, first)))
            return sc_fail(SC_EINVAL,
                           "op '%s': input %zu has channels, depth, height, width %" PRIu64
                           ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", the first %" PRIu64
                           ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                           job->name, i + 1, other.c, other.d, other.h, other.w, first.c, first.d,
                           first.h, first.w);
    }
    return SC_OK;
}

static sc_status keep_shape(sc_infer *job)
{
    const sc_shape in = job->in[0].read;
    sc_infer__result(job, in.c, in.d, in.h, in.w);
    return SC_OK;
}

/* A learned row a position is added, after `tokens` learned positions were put before them (ViT).
 */
static sc_status infer_position(sc_infer *job)
{
    sc_op *op = job->op;
    const uint64_t tokens = job->spec->tokens;
    uint64_t positions = 0, rows;
    sc_status st = sc_infer__product(job, &positions, "positions", op->d, op->h, op->w, 1, 1);
    if (st != SC_OK || (st = sc_infer__sum(job, &positions, "positions", tokens)) != SC_OK)
        return st;
    rows = positions;
    if ((st = sc_infer__sum(job, &rows, "positions", tokens)) != SC_OK)
        return st;
    sc_infer__result(job, op->cin, 1, positions, 1);
    return sc_infer__product(job, &op->other_params, "parameters", rows, op->cin, 1, 1, 1);
}

static sc_status infer_add(sc_infer *job)
{
    if (is_position(job))
        return infer_position(job);
    const sc_status st = want_like_first(job, true);
    if (st != SC_OK)
        return st;
    job->op->other_params = job->spec->parameters;
    return keep_shape(job);
}

static sc_status infer_activation(sc_infer *job)
{
    sc_op *op = job->op;
    op->other_params = job->spec->parameters;
    const bool lstm = strcmp(op->function, "lstm_cell") == 0;
    if (!lstm && strcmp(op->function, "gru_cell") != 0)
        return keep_shape(job);
    const uint64_t gates = lstm ? 4 : 3;
    if (op->cin % gates != 0)
        return sc_fail(SC_EINVAL, "op '%s': %s gates do not divide %" PRIu64 " channels", job->name,
                       lstm ? "four" : "three", op->cin);
    sc_infer__result(job, op->cin / gates, op->d, op->h, op->w);
    return SC_OK;
}

static sc_status infer_resize(sc_infer *job)
{
    const sc_shape to = job->spec->shape;
    const sc_op *op = job->op;
    sc_infer__result(job, op->cin, to.d ? to.d : op->d, to.h ? to.h : op->h, to.w ? to.w : op->w);
    return SC_OK;
}

/* Norms; a second input is added before. */
static sc_status infer_norm(sc_infer *job)
{
    const uint64_t vectors = job->op->kind == SC_OP_RMSNORM ? 1 : 2; /* scale; scale and shift */
    const sc_status st = want_like_first(job, false);
    if (st != SC_OK)
        return st;
    (void)keep_shape(job);
    return sc_infer__product(job, &job->op->other_params, "parameters", vectors, job->op->cin, 1, 1,
                             1);
}

static sc_status infer_embed(sc_infer *job)
{
    sc_op *op = job->op;
    const sc_op_spec *s = job->spec;
    uint64_t rows = s->vocabulary;
    sc_status st;
    if (op->cin != 1 || !s->channels || !s->vocabulary)
        return sc_fail(SC_EINVAL,
                       "op '%s': embed needs an input of one channel (the token), channels and "
                       "vocabulary",
                       job->name);
    if ((st = sc_infer__sum(job, &rows, "rows", s->positions)) != SC_OK ||
        (st = sc_infer__sum(job, &rows, "rows", s->types)) != SC_OK ||
        (st = sc_infer__sum(job, &rows, "rows", s->layer_norm ? 2 : 0)) != SC_OK)
        return st;
    op->cin = s->channels;
    sc_infer__result(job, s->channels, op->d, op->h, op->w);
    return sc_infer__product(job, &op->other_params, "parameters", rows, s->channels, 1, 1, 1);
}

static sc_status infer_concat(sc_infer *job)
{
    sc_op *op = job->op;
    uint64_t channels = 0;
    sc_status st = SC_OK;
    for (size_t i = 0; i < job->spec->n_inputs && st == SC_OK; i++) {
        const sc_shape in = job->in[i].read;
        if (in.d != op->d || in.h != op->h || in.w != op->w)
            return sc_fail(SC_EINVAL,
                           "op '%s': input %zu has depth, height, width %" PRIu64 ", %" PRIu64
                           ", %" PRIu64 ", the first %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                           job->name, i + 1, in.d, in.h, in.w, op->d, op->h, op->w);
        st = sc_infer__sum(job, &channels, "channels", in.c);
    }
    op->cin = channels;
    sc_infer__result(job, channels, op->d, op->h, op->w);
    return st;
}

static sc_status infer_reshape(sc_infer *job)
{
    const sc_op *op = job->op;
    sc_shape to = job->spec->shape;
    uint64_t before = 0, after = 0;
    to.d += !to.d;
    to.h += !to.h;
    to.w += !to.w;
    sc_status st = sc_infer__product(job, &before, "elements", op->cin, op->d, op->h, op->w, 1);
    if (st != SC_OK ||
        (st = sc_infer__product(job, &after, "elements", to.c, to.d, to.h, to.w, 1)) != SC_OK)
        return st;
    if (before != after)
        return sc_fail(SC_EINVAL,
                       "op '%s': reshape of %" PRIu64 " elements into %" PRIu64 ", must be as many",
                       job->name, before, after);
    sc_infer__result(job, to.c, to.d, to.h, to.w);
    return SC_OK;
}

static sc_status infer_kind(sc_infer *job)
{
    switch (job->op->kind) {
    case SC_OP_CONV:
    case SC_OP_DWCONV: return sc_infer__conv(job);
    case SC_OP_TCONV: return sc_infer__tconv(job);
    case SC_OP_FC: return sc_infer__fc(job);
    case SC_OP_MATMUL: return sc_infer__matmul(job);
    case SC_OP_BMM: return sc_infer__bmm(job);
    case SC_OP_ADD:
    case SC_OP_MUL: return infer_add(job);
    case SC_OP_ACTIVATION: return infer_activation(job);
    case SC_OP_POOL: return sc_infer__pool(job);
    case SC_OP_RESIZE: return infer_resize(job);
    case SC_OP_SOFTMAX: return keep_shape(job);
    case SC_OP_LAYERNORM:
    case SC_OP_RMSNORM:
    case SC_OP_BATCHNORM: return infer_norm(job);
    case SC_OP_EMBED: return infer_embed(job);
    case SC_OP_CONCAT: return infer_concat(job);
    case SC_OP_RESHAPE: return infer_reshape(job);
    case SC_OP_KINDS: break;
    }
    return sc_fail(SC_EINVAL, "op '%s': no such kind", job->name);
}

static sc_status count_elements(sc_infer *job)
{
    sc_op *op = job->op;
    uint64_t read = 0;
    sc_status st = sc_infer__product(job, &op->out_elems, "elements", op->batch, op->cout, op->od,
                                     op->oh, op->ow);
    if (st == SC_OK && op->kind == SC_OP_EMBED) {
        op->in_elems = op->out_elems; /* the rows gathered, not the token numbers */
        return SC_OK;
    }
    for (size_t i = 0; i < op->n_operands && st == SC_OK; i++) {
        const sc_shape in = op->operands[i].read;
        st = sc_infer__product(job, &read, "elements", op->batch, in.c, in.d, in.h, in.w);
        if (st == SC_OK)
            st = sc_infer__sum(job, &op->in_elems, "elements", read);
    }
    if (st == SC_OK)
        st = sc_infer__sum(job, &op->in_elems, "elements", op->cache_elems);
    if (st == SC_OK && op->recurrent && /* the state that comes back at each step */
        (st = sc_infer__product(job, &read, "elements", op->m, op->k, op->count, 1, 1)) == SC_OK)
        st = sc_infer__sum(job, &op->in_elems, "elements", read);
    return st;
}

sc_status sc_infer__op(sc_infer *job)
{
    sc_op *op = job->op;
    op->t = op->r = op->s = op->groups = op->sharing = 1;
    op->stride_d = op->stride_h = op->stride_w = 1;
    op->dilation_d = op->dilation_h = op->dilation_w = 1;
    sc_status st = check_arity(job);
    if (st != SC_OK)
        return st;
    sc_infer__read(job);
    st = infer_kind(job);
    if (st == SC_OK && sc_op_is_mac(op))
        st = sc_infer__product(job, &op->macs, "multiply-accumulates", op->m, op->n, op->k,
                               op->count, 1);
    return st == SC_OK ? count_elements(job) : st;
}
