#include <string.h>

#include "core/text.h"
#include "workloads/graph.h"

static unsigned add_dim(sc_einsum *e, const char *name, uint64_t bound)
{
    (void)sc_text_copy(e->dim_name[e->n_dims], SC_NAME_LEN, name);
    e->bound[e->n_dims] = bound;
    return e->n_dims++;
}

static sc_tensor *add_tensor(sc_einsum *e, const char *name, sc_role role, uint32_t bits)
{
    sc_tensor *t = &e->tensor[e->n_tensors];
    (void)sc_text_copy(t->name, SC_NAME_LEN, name);
    t->role = role;
    t->bits = bits;
    if (role == SC_ROLE_OUTPUT)
        e->output = e->n_tensors;
    e->n_tensors++;
    return t;
}

enum { NONE = SC_MAX_DIMS }; /* a dimension that is not there */

static void add_rank(sc_tensor *t, unsigned dim)
{
    if (dim != NONE)
        t->rank[t->n_ranks++] = (sc_rank){.n_terms = 1, .dim = {(uint8_t)dim}, .coef = {1}};
}

/* Position of a window's tap: stride * window + dilation * tap. */
static void add_window_rank(sc_tensor *t, unsigned window, uint64_t stride, unsigned tap,
                            uint64_t dilation)
{
    t->rank[t->n_ranks++] = (sc_rank){.n_terms = 2,
                                      .dim = {(uint8_t)window, (uint8_t)tap},
                                      .coef = {(int64_t)stride, (int64_t)dilation}};
}

typedef struct conv_dims {
    unsigned n, k, c, p, q, r, s, g, z, t;
} conv_dims;

static conv_dims add_conv_dims(sc_einsum *e, const sc_op *op)
{
    /* a transposed window starts from each position it reads, the others end at each result */
    const bool back = op->kind == SC_OP_TCONV, depthwise = op->kind == SC_OP_DWCONV;
    const uint64_t z = back ? op->d : op->od, y = back ? op->h : op->oh, x = back ? op->w : op->ow;
    const uint64_t k = op->cout / op->groups;
    conv_dims d = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
    if (depthwise) {
        d.g = add_dim(e, "G", op->groups);
    } else {
        d.n = add_dim(e, "N", op->batch);
        d.k = add_dim(e, "K", k);
        d.c = add_dim(e, "C", op->cin / op->groups);
    }
    d.p = add_dim(e, "P", y);
    d.q = add_dim(e, "Q", x);
    d.r = add_dim(e, "R", op->r);
    d.s = add_dim(e, "S", op->s);
    if (depthwise)
        d.n = add_dim(e, "N", op->batch);
    if (depthwise && k > 1)
        d.k = add_dim(e, "K", k);
    if (!depthwise && op->groups > 1)
        d.g = add_dim(e, "G", op->groups);
    if (z > 1 || op->t > 1) {
        d.z = add_dim(e, "Z", z);
        d.t = add_dim(e, "T", op->t);
    }
    return d;
}

static void conv_einsum(sc_einsum *e, const sc_op *op)
{
    const bool back = op->kind == SC_OP_TCONV;
    const conv_dims d = add_conv_dims(e, op);
    sc_tensor *in = add_tensor(e, "input", SC_ROLE_INPUT, op->bits);
    sc_tensor *weight = add_tensor(e, "weight", SC_ROLE_WEIGHT, op->bits);
    sc_tensor *out = add_tensor(e, "output", SC_ROLE_OUTPUT, op->bits);
    /* windows slide over a convolution's input and a transposed one's output */
    sc_tensor *slid = back ? out : in, *fixed = back ? in : out;
    add_rank(in, d.n);
    add_rank(in, d.g);
    add_rank(in, d.c);
    add_rank(weight, d.g);
    add_rank(weight, d.k);
    add_rank(weight, d.c);
    add_rank(weight, d.t);
    add_rank(weight, d.r);
    add_rank(weight, d.s);
    add_rank(out, d.n);
    add_rank(out, d.g);
    add_rank(out, d.k);
    if (d.z != NONE)
        add_window_rank(slid, d.z, op->stride_d, d.t, op->dilation_d);
    add_window_rank(slid, d.p, op->stride_h, d.r, op->dilation_h);
    add_window_rank(slid, d.q, op->stride_w, d.s, op->dilation_w);
    add_rank(fixed, d.z);
    add_rank(fixed, d.p);
    add_rank(fixed, d.q);
}

/* A product of [outer][shared][m][k] and [outer][k][n], where outer and shared may be missing;
 * a recurrent product's weight has no outer rank: every step uses the same. */
static void product_einsum(sc_einsum *e, const sc_op *op, unsigned outer, unsigned shared)
{
    const unsigned m = add_dim(e, "M", op->m), n = add_dim(e, "N", op->n);
    const unsigned k = add_dim(e, "K", op->k);
    sc_tensor *in = add_tensor(e, "input", SC_ROLE_INPUT, op->bits);
    sc_tensor *weight = add_tensor(e, "weight", SC_ROLE_WEIGHT, op->bits);
    sc_tensor *out = add_tensor(e, "output", SC_ROLE_OUTPUT, op->bits);
    add_rank(in, outer);
    add_rank(in, shared);
    add_rank(in, m);
    add_rank(in, k);
    add_rank(weight, op->recurrent ? NONE : outer);
    add_rank(weight, k);
    add_rank(weight, n);
    add_rank(out, outer);
    add_rank(out, shared);
    add_rank(out, m);
    add_rank(out, n);
}

sc_status sc_op_einsum(sc_einsum *out, const sc_op *op)
{
    char shown[SC_SHOWN_LEN];
    if (!sc_op_is_mac(op))
        return sc_fail(SC_EINVAL, "op '%s' is no multiply-accumulate op",
                       sc_text_show(shown, op->name));
    sc_einsum e = {.n_dims = 0};
    (void)sc_text_copy(e.name, SC_NAME_LEN, op->name);
    if (op->kind == SC_OP_BMM) {
        const unsigned h = add_dim(&e, "H", op->count / op->sharing);
        const unsigned j = op->sharing > 1 ? add_dim(&e, "J", op->sharing) : NONE;
        product_einsum(&e, op, h, j);
    } else if (op->kind == SC_OP_FC || op->kind == SC_OP_MATMUL) {
        product_einsum(&e, op, op->recurrent ? add_dim(&e, "L", op->count) : NONE, NONE);
    } else {
        conv_einsum(&e, op);
    }
    *out = e;
    return SC_OK;
}
