/* What every row has: operands, a name, a precision, a place among the samples. */
#include "workloads/onnx_lower.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "workloads/checked.h"

enum { FIRST_ROWS = 256, ROW_NAME_LEN = 160, SUFFIX_LEN = 40 };

bool sc_lower_has(const sc_onnx_value *v)
{
    return v && v->shaped && (v->lowered || v->input) && sc_onnx_count(v) > 0;
}

void sc_lower_fetch(sc_onnx_value *v)
{
    v->input = v->input || v->constant;
}

uint32_t sc_lower_bits(const sc_onnx_value *v)
{
    return v->bits ? v->bits : sc_onnx_bits(v->elem);
}

sc_status sc_lower_divide(sc_lower *l, uint64_t *n)
{
    if (*n % l->batch) {
        l->unfit = true;
        return sc_fail(SC_EINVAL, "%s: error: its samples cannot be told apart", l->x->file.name);
    }
    *n /= l->batch;
    return SC_OK;
}

sc_status sc_lower_shape(sc_lower *l, sc_shape *out, const sc_onnx_value *v)
{
    const size_t r = v->rank;
    const int64_t *d = v->dim;
    uint64_t all = sc_onnx_count(v), first = r ? (uint64_t)d[0] : 1;
    const sc_status st = sc_lower_divide(l, &all);
    if (st != SC_OK)
        return st;
    sc_shape s = {all, 1, 1, 1};
    if (first % l->batch == 0) {
        first /= l->batch;
        if (r == 2)
            s = (sc_shape){(uint64_t)d[1], 1, first, 1};
        else if (r == 3)
            s = (sc_shape){(uint64_t)d[2], 1, first * (uint64_t)d[1], 1};
        else if (r == 4)
            s = (sc_shape){(uint64_t)d[1], first, (uint64_t)d[2], (uint64_t)d[3]};
        else if (r == 5)
            s = (sc_shape){first * (uint64_t)d[1], (uint64_t)d[2], (uint64_t)d[3], (uint64_t)d[4]};
    }
    *out = s;
    return SC_OK;
}

/* A name that YAML can hold: cut, for files may have names of megabytes, and without broken UTF-8,
 * which would not come back as it was. */
static void clean_name(char out[ROW_NAME_LEN], const char *name)
{
    (void)snprintf(out, ROW_NAME_LEN, "%.*s", ROW_NAME_LEN - 1, name);
    for (char *p = out; *p;) {
        const size_t left = strlen(p), n = sc_utf8_span(p, left < 4 ? left : 4);
        if (!n)
            *p = '?';
        p += n ? n : 1;
    }
}

/* The name itself, or with a number behind it where it is taken. Each number is tried once, so that
 * names made to clash cost no more than a try each. */
static sc_status free_name(sc_lower *l, const char **out, const char *wanted, const char *suffix)
{
    int32_t taken;
    char clean[ROW_NAME_LEN], name[ROW_NAME_LEN + SUFFIX_LEN];
    clean_name(clean, wanted);
    (void)snprintf(name, sizeof name, "%s%s", clean, suffix);
    while (sc_builder_find(l->b, &taken, name))
        (void)snprintf(name, sizeof name, "%s%s_%zu", clean, suffix, ++l->n_renamed);
    *out = sc_builder_printf(l->b, "%s", name);
    return *out ? SC_OK : SC_ENOMEM;
}

static sc_status declare(sc_lower *l, sc_onnx_value *v)
{
    const char *name = NULL;
    sc_shape s;
    int32_t producer;
    /* samples stand first; an input with fewer than that is shared by them */
    const bool shared = !v->rank || ((uint64_t)v->dim[0] != l->batch &&
                                     (v->rank < 2 || (uint64_t)v->dim[1] != l->batch));
    if (l->batch > 1 && shared) {
        l->unfit = true;
        return sc_fail(SC_EINVAL, "%s: error: its samples cannot be told apart", l->x->file.name);
    }
    sc_status st = sc_lower_shape(l, &s, v);
    if (st != SC_OK || (st = free_name(l, &name, v->name[0] ? v->name : "input", "")) != SC_OK ||
        (st = sc_builder_input(l->b, &producer, name, s)) != SC_OK)
        return st;
    v->producer = producer;
    v->lowered = true;
    return SC_OK;
}

sc_status sc_lower_read(sc_lower *l, sc_input_ref *ref, sc_onnx_value *v, sc_shape as)
{
    const sc_status st = v->lowered ? SC_OK : declare(l, v);
    *ref = (sc_input_ref){.producer = v->producer, .as = as};
    return st;
}

static sc_status keep_row_op(sc_lower *l, size_t row, const char *op)
{
    if (row >= l->row_capacity) {
        const size_t wanted = l->row_capacity ? 2 * l->row_capacity : FIRST_ROWS;
        void *grown = sc_realloc_array(l->row_op, wanted, sizeof *l->row_op);
        if (!grown)
            return SC_ENOMEM;
        l->row_op = grown;
        l->row_capacity = wanted;
    }
    l->row_op[row] = op;
    return SC_OK;
}

static const char *name_of(const sc_onnx_node *n)
{
    if (n->call->name[0])
        return n->call->name;
    for (size_t i = 0; i < n->n_out; i++)
        if (n->out[i] && n->out[i]->name[0])
            return n->out[i]->name;
    return n->call->op[0] ? n->call->op : "op";
}

sc_status sc_lower_row(sc_lower *l, int32_t *row, const sc_onnx_node *n, const char *suffix,
                       sc_op_spec *spec, sc_onnx_value *out)
{
    char shown[SC_ONNX_SHOWN_LEN], why[SC_SHOWN_LEN * 4];
    sc_status st = free_name(l, &spec->name, name_of(n), suffix);
    if (st != SC_OK)
        return st;
    spec->bits = spec->bits == l->bits ? 0 : spec->bits;
    st = sc_builder_add(l->b, row, spec);
    if (st == SC_EINVAL || st == SC_ERANGE) {
        (void)sc_text_copy(why, sizeof why, sc_error_message());
        return sc_fail(st, "%s: error: %s: %s", l->x->file.name, sc_onnx_show(shown, n), why);
    }
    if (st != SC_OK || (st = keep_row_op(l, (size_t)*row, n->op ? n->op->name : "")) != SC_OK ||
        !out)
        return st;
    out->producer = *row;
    out->lowered = out->direct = true;
    out->repeat = 1;
    return SC_OK;
}

sc_status sc_lower_alias(sc_lower *l, sc_onnx_value *to, sc_onnx_value *from)
{
    const sc_status st = from->lowered ? SC_OK : declare(l, from);
    if (st != SC_OK)
        return st;
    to->producer = from->producer;
    to->lowered = true;
    to->direct = false;
    to->repeat = from->repeat;
    return SC_OK;
}

void sc_lower_leave(sc_lower *l, const sc_onnx_node *n)
{
    if (!l->n_uncounted++)
        l->first_uncounted = name_of(n);
}

bool sc_lower_absorbs(const sc_lower *l, const sc_onnx_value *v)
{
    if (!v->lowered || !v->direct || v->producer < 0 || v->n_readers != 1 || v->output)
        return false;
    switch (sc_builder_op(l->b, (size_t)v->producer)->kind) {
    case SC_OP_CONV:
    case SC_OP_DWCONV:
    case SC_OP_TCONV:
    case SC_OP_FC:
    case SC_OP_MATMUL:
    case SC_OP_BMM:
    case SC_OP_ADD:
    case SC_OP_MUL:
    case SC_OP_POOL:
    case SC_OP_BATCHNORM: return true;
    default: return false;
    }
}

/* A constant with one number a channel. */
static bool is_channel_vector(const sc_onnx_value *v, const sc_onnx_value *data, size_t axis)
{
    if (!v || !v->constant || !v->shaped || v->rank > data->rank)
        return false;
    const size_t skipped = (size_t)(data->rank - v->rank);
    for (size_t i = 0; i < v->rank; i++) {
        const bool channel = skipped + i == axis;
        if (v->dim[i] != (channel ? data->dim[axis] : 1))
            return false;
    }
    return skipped <= axis;
}

void sc_lower_look_ahead(sc_op_spec *spec, sc_onnx_value **last, sc_onnx_value *out,
                         size_t channel_axis)
{
    while (out->n_readers == 1 && !out->output && out->reader->op && channel_axis < out->rank) {
        sc_onnx_node *n = out->reader;
        const char *op = n->call->op;
        sc_onnx_value *to = sc_onnx_out(n, 0);
        if (!to || !to->shaped)
            break;
        if (strcmp(op, "BatchNormalization") == 0 && n->in[0] == out && !spec->batch_norm &&
            channel_axis == 1) {
            spec->batch_norm = true;
        } else if (strcmp(op, "Add") == 0 && n->n_in == 2 && !spec->bias && !spec->batch_norm &&
                   to->rank == out->rank &&
                   is_channel_vector(n->in[n->in[0] == out ? 1 : 0], out, channel_axis)) {
            spec->bias = true;
        } else {
            break;
        }
        n->folded = true;
        out = to;
    }
    *last = out;
}
