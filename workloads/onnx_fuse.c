/* Activations and norms that exporters write out in parts become one node again, so that the
 * network has the rows of one that was written by hand. A part is taken only if nothing else reads
 * it. */
#include <string.h>

#include "workloads/onnx_lower.h"

static bool is(const sc_onnx_node *n, const char *op)
{
    return n && n->op && !n->gone && strcmp(n->op->name, op) == 0;
}

/* The node of that op which alone reads a value; NULL if there is none. */
static sc_onnx_node *reader_of(const sc_onnx_value *v, const char *op)
{
    return v && v->n_readers == 1 && !v->output && is(v->reader, op) ? v->reader : NULL;
}

static sc_onnx_value *result(const sc_onnx_node *n)
{
    return n ? sc_onnx_out(n, 0) : NULL;
}

/* The other operand of a node of two; NULL if v is neither. */
static sc_onnx_value *beside(const sc_onnx_node *n, const sc_onnx_value *v)
{
    if (!n || n->n_in != 2 || !v)
        return NULL;
    return n->in[0] == v ? n->in[1] : n->in[1] == v ? n->in[0] : NULL;
}

static bool is_number(const sc_onnx_value *v)
{
    return v && v->constant && v->shaped && sc_onnx_count(v) == 1;
}

/* A row of numbers along the last axis. */
static bool is_row(const sc_onnx_value *v, const sc_onnx_value *x)
{
    return v && v->constant && v->shaped && x->rank && v->rank &&
           v->dim[v->rank - 1] == x->dim[x->rank - 1] &&
           sc_onnx_count(v) == (uint64_t)x->dim[x->rank - 1];
}

static void drop(sc_onnx_node *n)
{
    for (size_t i = 0; n && i < n->n_in; i++)
        if (n->in[i] && n->in[i]->n_readers)
            n->in[i]->n_readers--;
    if (n)
        n->gone = true;
}

/* Let the last node of a pattern be the op that the pattern means. */
static sc_status become(sc_onnx *x, sc_onnx_node *last, const char *op, sc_onnx_value *a,
                        sc_onnx_value *b)
{
    sc_onnx_call *call = sc_arena_calloc(x->arena, 1, sizeof *call);
    sc_onnx_value **in = sc_arena_calloc(x->arena, 2, sizeof(sc_onnx_value *));
    if (!call || !in)
        return SC_ENOMEM;
    drop(last); /* reads what it reads now instead */
    last->gone = false;
    call->name = last->call->name;
    call->op = op;
    call->domain = "";
    call->n_outputs = last->call->n_outputs;
    call->outputs = last->call->outputs;
    last->call = call;
    last->op = sc_onnx_find_op("", op);
    in[0] = a;
    in[1] = b;
    last->in = in;
    last->n_in = b ? 2 : 1;
    for (size_t i = 0; i < last->n_in; i++) {
        in[i]->n_readers++;
        in[i]->reader = last;
    }
    return SC_OK;
}

/* x * sigmoid(x), x * hard_sigmoid(x) */
static sc_status fuse_gate(sc_onnx *x, sc_onnx_node *n, const char *op)
{
    sc_onnx_value *in = sc_onnx_in(n, 0);
    sc_onnx_node *product = reader_of(result(n), "Mul");
    if (!in || beside(product, result(n)) != in)
        return SC_OK;
    drop(n);
    return become(x, product, op, in, NULL);
}

/* x scaled by one number: x / c or x * c. */
static sc_onnx_value *scaled_from(const sc_onnx_value *v)
{
    const sc_onnx_node *n = v ? v->source : NULL;
    if (is(n, "Div") && n->n_in == 2 && is_number(n->in[1]))
        return n->in[0];
    if (!is(n, "Mul") || n->n_in != 2)
        return NULL;
    return is_number(n->in[1]) ? n->in[0] : is_number(n->in[0]) ? n->in[1] : NULL;
}

/* 0.5 x (1 + erf(x / sqrt 2)), its three factors in any order. */
static sc_status fuse_gelu(sc_onnx *x, sc_onnx_node *erf)
{
    sc_onnx_node *scale = sc_onnx_in(erf, 0) ? sc_onnx_in(erf, 0)->source : NULL;
    sc_onnx_value *in = scaled_from(sc_onnx_in(erf, 0));
    sc_onnx_node *add = reader_of(result(erf), "Add");
    sc_onnx_node *first = reader_of(result(add), "Mul"), *last = first;
    if (!in || sc_onnx_in(erf, 0)->n_readers != 1 || !is_number(beside(add, result(erf))) || !first)
        return SC_OK;
    sc_onnx_value *factor = beside(first, result(add));
    sc_onnx_node *half = NULL;
    if (factor == in) { /* the half comes last */
        last = reader_of(result(first), "Mul");
        if (!last || !is_number(beside(last, result(first))))
            return SC_OK;
        half = first;
    } else if (is_number(factor)) { /* x comes last */
        last = reader_of(result(first), "Mul");
        if (!last || beside(last, result(first)) != in)
            return SC_OK;
        half = first;
    } else if (factor && scaled_from(factor) == in && factor->n_readers == 1) {
        half = factor->source;
    } else {
        return SC_OK;
    }
    drop(scale);
    drop(erf);
    drop(add);
    drop(half);
    return become(x, last, "Gelu", in, NULL);
}

/* Square of a value: v^2 or v * v, of which nothing else reads the result. */
static sc_onnx_value *square_root_of(const sc_onnx_node *n)
{
    if (is(n, "Pow") && n->n_in == 2 && is_number(n->in[1]))
        return n->in[0];
    return is(n, "Mul") && n->n_in == 2 && n->in[0] == n->in[1] ? n->in[0] : NULL;
}

/* Parts of a norm, from the square to the quotient. */
typedef struct norm {
    sc_onnx_node *square, *mean, *add, *root, *inverse, *quotient;
    sc_onnx_value *of; /* what is divided */
} norm;

/* v / sqrt(mean(v^2) + c), or v * (1 / sqrt(...)); n takes the mean. */
static bool read_norm(norm *p, sc_onnx_node *n)
{
    *p = (norm){.mean = n};
    const sc_onnx_value *squared = sc_onnx_in(n, 0);
    p->square = squared && squared->n_readers == 1 ? squared->source : NULL;
    p->of = square_root_of(p->square);
    p->add = reader_of(result(n), "Add");
    p->root = reader_of(result(p->add), "Sqrt");
    if (!p->of || !p->root || !is_number(beside(p->add, result(n))))
        return false;
    sc_onnx_value *root = result(p->root);
    p->quotient = reader_of(root, "Div");
    if (p->quotient && p->quotient->n_in == 2 && p->quotient->in[0] == p->of)
        return true;
    p->inverse =
        p->quotient && is_number(p->quotient->in[0]) ? p->quotient : reader_of(root, "Reciprocal");
    p->quotient = reader_of(result(p->inverse), "Mul");
    return p->quotient && beside(p->quotient, result(p->inverse)) == p->of;
}

static void drop_norm(const norm *p)
{
    drop(p->square);
    drop(p->mean);
    drop(p->add);
    drop(p->root);
    drop(p->inverse);
}

/* Whether a mean is over the last axis alone, which stays as 1. */
static bool over_last(const sc_onnx_node *n)
{
    const sc_onnx_value *in = sc_onnx_in(n, 0), *out = result(n);
    if (!in || !out || !in->shaped || !out->shaped || in->rank != out->rank || !in->rank ||
        out->dim[out->rank - 1] != 1)
        return false;
    return sc_onnx_count(out) * (uint64_t)in->dim[in->rank - 1] == sc_onnx_count(in);
}

/* (x - mean) / sqrt(mean((x - mean)^2) + c) * scale + shift, or without the means and the shift. */
static sc_status fuse_norm(sc_onnx *x, sc_onnx_node *n)
{
    norm p;
    if (!over_last(n) || !read_norm(&p, n))
        return SC_OK;
    sc_onnx_node *sub = is(p.of->source, "Sub") ? p.of->source : NULL;
    sc_onnx_node *mean = sub && sub->n_in == 2 && sub->in[1] ? sub->in[1]->source : NULL;
    const bool centred = is(mean, "ReduceMean") && mean->in[0] == sub->in[0] && over_last(mean) &&
                         sub->in[1]->n_readers == 1;
    sc_onnx_value *in = centred ? sub->in[0] : p.of;
    sc_onnx_node *last = p.quotient;
    sc_onnx_node *scale = reader_of(result(last), "Mul");
    if (!scale || !is_row(beside(scale, result(last)), in))
        return SC_OK;
    sc_onnx_node *shift = centred ? reader_of(result(scale), "Add") : NULL;
    if (centred && (!shift || !is_row(beside(shift, result(scale)), in)))
        return SC_OK;
    drop_norm(&p);
    drop(last);
    if (centred) {
        drop(sub);
        drop(mean);
        drop(scale);
    }
    return become(x, centred ? shift : scale,
                  centred ? "LayerNormalization" : "SimplifiedLayerNormalization", in, NULL);
}

/* A sum that only a norm reads is added in it. */
static sc_status fuse_sum(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *sum = result(n);
    sc_onnx_node *reader = reader_of(sum, "LayerNormalization");
    const char *op = "SkipLayerNormalization";
    if (!reader) {
        reader = reader_of(sum, "SimplifiedLayerNormalization");
        op = "SkipSimplifiedLayerNormalization";
    }
    if (!reader || reader->in[0] != sum || reader->n_out != 1 || n->n_in != 2 ||
        sc_onnx_int(reader, "axis", -1) != -1)
        return SC_OK;
    sc_onnx_value *a = n->in[0], *b = n->in[1];
    if (!a || !b || a->constant || b->constant || !a->shaped || !b->shaped ||
        sc_onnx_count(a) != sc_onnx_count(sum) || sc_onnx_count(b) != sc_onnx_count(sum))
        return SC_OK;
    drop(n);
    return become(x, reader, op, a, b);
}

sc_status sc_onnx_fuse(sc_onnx *x)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < x->n_nodes && st == SC_OK; i++) {
        sc_onnx_node *n = x->nodes[i];
        if (is(n, "Sigmoid"))
            st = fuse_gate(x, n, "Swish");
        else if (is(n, "HardSigmoid"))
            st = fuse_gate(x, n, "HardSwish");
        else if (is(n, "Erf"))
            st = fuse_gelu(x, n);
        else if (is(n, "ReduceMean"))
            st = fuse_norm(x, n);
    }
    for (size_t i = 0; i < x->n_nodes && st == SC_OK; i++) /* norms are whole by now */
        if (is(x->nodes[i], "Add"))
            st = fuse_sum(x, x->nodes[i]);
    sc_onnx_count_readers(x);
    return st;
}
