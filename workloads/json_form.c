/* A network as JSON: totals and one object an op. */
#include <jansson.h>

#include "core/json.h"
#include "workloads/graph.h"

/* Counts fit: all are checked to be below 2^63. */
static json_t *count(uint64_t v)
{
    return json_integer((json_int_t)v);
}

static json_t *counts(const uint64_t *v, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        if (json_array_append_new(list, count(v[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *inputs_of(const sc_op *op)
{
    json_t *list = json_array();
    for (size_t i = 0; i < op->n_inputs; i++)
        if (json_array_append_new(list, json_integer(op->inputs[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/** A key and its number. */
typedef struct pair {
    const char *key;
    uint64_t value;
} pair;

static int set_pairs(json_t *to, const pair *p, size_t n)
{
    int failed = 0;
    for (size_t i = 0; i < n; i++)
        failed |= json_object_set_new(to, p[i].key, count(p[i].value));
    return failed;
}

static bool has_window(const sc_op *op)
{
    return op->kind == SC_OP_CONV || op->kind == SC_OP_DWCONV || op->kind == SC_OP_TCONV ||
           op->kind == SC_OP_POOL;
}

/* Lists of an axis each: two of them, or three where there is depth. */
static int set_window(json_t *to, const sc_op *op)
{
    const bool flat = op->d == 1 && op->od == 1 && op->t == 1;
    const uint64_t kernel[] = {op->t, op->r, op->s};
    const uint64_t stride[] = {op->stride_d, op->stride_h, op->stride_w};
    const uint64_t dilation[] = {op->dilation_d, op->dilation_h, op->dilation_w};
    const uint64_t padding[] = {op->pad_front, op->pad_top,    op->pad_left,
                                op->pad_back,  op->pad_bottom, op->pad_right};
    int failed = json_object_set_new(to, "kernel", counts(kernel + flat, 3 - (size_t)flat));
    failed |= json_object_set_new(to, "stride", counts(stride + flat, 3 - (size_t)flat));
    failed |= json_object_set_new(to, "dilation", counts(dilation + flat, 3 - (size_t)flat));
    failed |= json_object_set_new(to, "padding", counts(padding, 6));
    return failed | json_object_set_new(to, "groups", count(op->groups));
}

static json_t *op_object(const sc_op *op)
{
    const pair shape[] = {{"macs", op->macs}, {"cin", op->cin}, {"d", op->d},
                          {"h", op->h},       {"w", op->w},     {"cout", op->cout},
                          {"od", op->od},     {"oh", op->oh},   {"ow", op->ow}};
    const pair gemm[] = {{"m", op->m}, {"n", op->n}, {"k", op->k}, {"count", op->count}};
    const pair sizes[] = {{"weights", op->weights},         {"other_params", op->other_params},
                          {"in_elems", op->in_elems},       {"out_elems", op->out_elems},
                          {"cache_elems", op->cache_elems}, {"bits", op->bits}};
    json_t *o = json_object();
    int failed = json_object_set_new(o, "name", json_string(op->name));
    failed |= json_object_set_new(o, "kind", json_string(sc_op_word(op)));
    failed |= json_object_set_new(o, "function", json_string(op->function));
    failed |= set_pairs(o, shape, sizeof shape / sizeof *shape);
    if (has_window(op))
        failed |= set_window(o, op);
    if (sc_op_is_mac(op))
        failed |= set_pairs(o, gemm, sizeof gemm / sizeof *gemm);
    failed |= set_pairs(o, sizes, sizeof sizes / sizeof *sizes);
    failed |= json_object_set_new(o, "inputs", inputs_of(op));
    if (failed) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *workload_object(const sc_workload *w)
{
    json_t *o = json_object(), *ops = json_array();
    int failed = json_object_set_new(o, "name", json_string(w->name));
    failed |= json_object_set_new(o, "ops", count(w->n_ops));
    failed |= json_object_set_new(o, "macs", count(w->macs));
    failed |= json_object_set_new(o, "parameters", count(w->parameters));
    failed |= json_object_set_new(o, "batch", count(w->batch));
    failed |= json_object_set_new(o, "bits", count(w->bits));
    for (size_t i = 0; i < w->n_ops; i++)
        failed |= json_array_append_new(ops, op_object(&w->ops[i]));
    failed |= json_object_set_new(o, "op_list", ops);
    if (failed) {
        json_decref(o);
        return NULL;
    }
    return o;
}

sc_status sc_workload_json(char **out, const sc_workload *w)
{
    json_t *o = workload_object(w);
    if (!o)
        return sc_fail(SC_ENOMEM, "no memory for the JSON form of a network");
    const sc_status st = sc_json_write(out, o, 1);
    json_decref(o);
    return st;
}
