/* Views, movement, gathers. */
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_lower.h"

sc_status sc_lower__nothing(sc_lower *l, sc_onnx_node *n)
{
    (void)l;
    (void)n;
    return SC_OK;
}

sc_status sc_lower__view(sc_lower *l, sc_onnx_node *n)
{
    sc_status st = SC_OK;
    if (!sc_lower_has(sc_onnx_in(n, 0))) {
        sc_lower_leave(l, n);
        return SC_OK;
    }
    for (size_t i = 0; i < n->n_out && st == SC_OK; i++) {
        if (n->out[i] && n->out[i]->shaped)
            st = sc_lower_alias(l, n->out[i], n->in[0]);
        else if (n->out[i])
            sc_lower_leave(l, n);
    }
    return st;
}

/* Repeated elements are read again, not written again. */
sc_status sc_lower__expand(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    const sc_status st = sc_lower__view(l, n);
    if (st != SC_OK || !out || !out->lowered)
        return st;
    const uint64_t before = sc_onnx_count(in), after = sc_onnx_count(out);
    if (before && after % before == 0 && !sc_count_mul(&out->repeat, after / before))
        out->repeat = 1;
    return SC_OK;
}

/* The row of a movement: as many elements as the result has are read and written. */
static sc_status add_move(sc_lower *l, sc_onnx_node *n, sc_onnx_value *in, sc_onnx_value *out)
{
    sc_op_spec spec = {.kind = SC_OP_RESHAPE, .n_inputs = 1, .bits = sc_lower_bits(out)};
    sc_input_ref ref;
    int32_t row;
    sc_status st = sc_lower_shape(l, &spec.shape, out);
    if (st != SC_OK || (st = sc_lower_read(l, &ref, in, spec.shape)) != SC_OK)
        return st;
    spec.inputs = &ref;
    return sc_lower_row(l, &row, n, "", &spec, out);
}

sc_status sc_lower__move(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *from = NULL;
    sc_onnx_value *main = NULL;
    for (size_t i = 0; i < n->n_in && !from; i++)
        from = sc_lower_has(n->in[i]) ? n->in[i] : NULL;
    for (size_t i = 0; i < n->n_out; i++) {
        sc_onnx_value *out = n->out[i];
        if (!out || out->constant)
            continue;
        if (!from || !out->shaped || !sc_onnx_count(out)) {
            sc_lower_leave(l, n);
            continue;
        }
        const sc_status st = main ? sc_lower_alias(l, out, main) : add_move(l, n, from, out);
        if (st != SC_OK)
            return st;
        main = out;
    }
    return SC_OK;
}

/* Whether only matrix products read a value, which take their operands in any order. */
static bool only_products_read(const sc_onnx_value *v)
{
    for (int steps = 0; steps < SC_ONNX_NESTED; steps++) {
        if (v->n_readers != 1 || v->output || !v->reader->op)
            return false;
        const sc_onnx_node *n = v->reader;
        if (n->op->lower == sc_lower__product || n->op->lower == sc_lower__gemm ||
            n->op->lower == sc_lower__einsum)
            return true;
        const bool view = n->op->lower == sc_lower__view || n->op->lower == sc_lower__transpose ||
                          n->op->lower == sc_lower__expand;
        if (!view || n->n_out != 1 || !n->out[0])
            return false;
        v = n->out[0];
    }
    return false;
}

/* Whether axes of more than one element keep their order. */
static bool keeps_order(const sc_onnx_node *n)
{
    size_t count;
    const int64_t *perm = sc_onnx_ints(n, "perm", &count);
    const sc_onnx_value *in = n->in[0];
    int64_t latest = -1;
    for (size_t i = 0; i < in->rank; i++) {
        int64_t from = perm && i < count ? perm[i] : (int64_t)(in->rank - 1U - i);
        from += from < 0 ? in->rank : 0;
        if (in->dim[from] == 1)
            continue;
        if (from < latest)
            return false;
        latest = from;
    }
    return true;
}

sc_status sc_lower__transpose(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    if (!sc_lower_has(sc_onnx_in(n, 0)) || !out || !out->shaped)
        return sc_lower__view(l, n);
    return keeps_order(n) || only_products_read(out) ? sc_lower__view(l, n) : sc_lower__move(l, n);
}

/* Rows of a table of constants picked by a tensor of indices. */
static sc_status add_embed(sc_lower *l, sc_onnx_node *n, const sc_onnx_value *table,
                           sc_onnx_value *at, sc_onnx_value *out)
{
    uint64_t count = sc_onnx_count(at);
    sc_input_ref ref;
    int32_t row;
    sc_status st = sc_lower_divide(l, &count);
    if (st != SC_OK || (st = sc_lower_read(l, &ref, at, (sc_shape){1, 1, count, 1})) != SC_OK)
        return st;
    sc_op_spec spec = {.kind = SC_OP_EMBED,
                       .n_inputs = 1,
                       .inputs = &ref,
                       .bits = sc_lower_bits(table),
                       .vocabulary = (uint64_t)table->dim[0],
                       .channels = sc_onnx_span(table, 1, table->rank)};
    return sc_lower_row(l, &row, n, "", &spec, out);
}

sc_status sc_lower__gather(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *table = sc_onnx_in(n, 0), *at = sc_onnx_in(n, 1), *out = sc_onnx_out(n, 0);
    if (!table || !at || !out || !out->shaped)
        return sc_lower__view(l, n);
    if (table->constant && sc_onnx_int(n, "axis", 0) == 0 && sc_onnx_count(table) &&
        sc_lower_has(at))
        return add_embed(l, n, table, at, out);
    if (at->constant) /* a part that is known beforehand */
        return sc_lower__view(l, n);
    return sc_lower__move(l, n);
}

sc_status sc_lower__concat(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_op_spec spec = {.kind = SC_OP_CONCAT};
    int32_t row;
    sc_status st = SC_OK;
    if (!out || !out->shaped) {
        sc_lower_leave(l, n);
        return SC_OK;
    }
    sc_input_ref *refs = sc_arena_calloc(l->x->arena, n->n_in, sizeof *refs);
    if (!refs)
        return SC_ENOMEM;
    for (size_t i = 0; i < n->n_in && st == SC_OK; i++) {
        uint64_t count = sc_lower_has(n->in[i]) ? sc_onnx_count(n->in[i]) : 0;
        if (count && (st = sc_lower_divide(l, &count)) == SC_OK)
            st = sc_lower_read(l, &refs[spec.n_inputs++], n->in[i], (sc_shape){count, 1, 1, 1});
    }
    if (st != SC_OK)
        return st;
    if (spec.n_inputs < 2) /* the rest are constants, put there beforehand */
        return sc_lower__move(l, n);
    spec.inputs = refs;
    spec.bits = sc_lower_bits(out);
    return sc_lower_row(l, &row, n, "", &spec, out);
}

sc_status sc_lower__resize(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    const char *mode = sc_onnx_text(n, "mode", "nearest");
    sc_op_spec spec = {.kind = SC_OP_RESIZE, .n_inputs = 1};
    sc_input_ref ref;
    int32_t row;
    if (!sc_lower_has(in) || !out || !out->shaped || in->rank < 3 || in->rank > 5 ||
        in->dim[0] != out->dim[0] || in->dim[1] != out->dim[1])
        return sc_lower__move(l, n);
    uint64_t channels = (uint64_t)in->dim[0] * (uint64_t)in->dim[1];
    uint64_t from[3] = {1, 1, 1}, to[3] = {1, 1, 1};
    for (size_t i = 2; i < in->rank; i++) {
        from[i + 3 - in->rank] = (uint64_t)in->dim[i];
        to[i + 3 - in->rank] = (uint64_t)out->dim[i];
    }
    sc_status st = sc_lower_divide(l, &channels);
    if (st != SC_OK ||
        (st = sc_lower_read(l, &ref, in, (sc_shape){channels, from[0], from[1], from[2]})) != SC_OK)
        return st;
    spec.inputs = &ref;
    spec.function = strcmp(mode, "nearest") == 0 ? "nearest" : "bilinear";
    spec.shape = (sc_shape){0, to[0], to[1], to[2]};
    spec.bits = sc_lower_bits(in);
    return sc_lower_row(l, &row, n, "", &spec, out);
}

/* Word, position and segment tables summed and normalised: one row, as in the generators. */
sc_status sc_lower__embed_norm(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *at = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    const sc_onnx_value *words = sc_onnx_in(n, 2), *positions = sc_onnx_in(n, 3);
    const sc_onnx_value *types = sc_onnx_in(n, 4);
    sc_input_ref ref;
    int32_t row;
    if (!sc_lower_has(at) || !out || !words || words->rank != 2) {
        sc_lower_leave(l, n);
        return SC_OK;
    }
    uint64_t count = sc_onnx_count(at);
    sc_status st = sc_lower_divide(l, &count);
    if (st != SC_OK || (st = sc_lower_read(l, &ref, at, (sc_shape){1, 1, count, 1})) != SC_OK)
        return st;
    sc_op_spec spec = {.kind = SC_OP_EMBED,
                       .n_inputs = 1,
                       .inputs = &ref,
                       .bits = sc_lower_bits(words),
                       .vocabulary = (uint64_t)words->dim[0],
                       .positions = positions && positions->rank ? (uint64_t)positions->dim[0] : 0,
                       .types = types && types->rank ? (uint64_t)types->dim[0] : 0,
                       .channels = (uint64_t)words->dim[1],
                       .layer_norm = true};
    return sc_lower_row(l, &row, n, "", &spec, out);
}
