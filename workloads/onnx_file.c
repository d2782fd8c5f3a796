/* From the decoder's structures to ours. Levels of nesting were capped before (onnx_wire.h), so the
 * functions that call each other for subgraphs go no deeper than that. */
#include "workloads/onnx_file.h"

#include <onnx/onnx.pb-c.h>
#include <string.h>

#include "workloads/checked.h"

enum { ARENA_BYTES_A_CALL = 16 };

/** The decoder's allocator: an arena, and whether it ever failed. */
typedef struct decoder_memory {
    sc_arena *arena;
    bool failed;
} decoder_memory;

static void *decoder_alloc(void *data, size_t size)
{
    decoder_memory *m = data;
    void *p = sc_arena_calloc(m->arena, 1, size ? size : ARENA_BYTES_A_CALL);
    m->failed = m->failed || !p;
    return p;
}

static void decoder_free(void *data, void *p)
{
    (void)data; /* the arena goes as a whole */
    (void)p;
}

bool sc_onnx_is_real(int elem)
{
    return elem == SC_ONNX_FLOAT || elem == SC_ONNX_FLOAT16 || elem == SC_ONNX_DOUBLE ||
           elem == SC_ONNX_BFLOAT16;
}

uint32_t sc_onnx_bits(int elem)
{
    switch (elem) {
    case SC_ONNX_UINT8:
    case SC_ONNX_INT8:
    case SC_ONNX_BOOL: return 8;
    case SC_ONNX_UINT16:
    case SC_ONNX_INT16:
    case SC_ONNX_FLOAT16:
    case SC_ONNX_BFLOAT16: return 16;
    case SC_ONNX_INT64:
    case SC_ONNX_UINT64:
    case SC_ONNX_DOUBLE:
    case SC_ONNX_COMPLEX64: return 64;
    default: return 32;
    }
}

static const char *text_of(const char *s)
{
    return s ? s : "";
}

/* A domain as written; "ai.onnx" is the standard one's other name. */
static const char *domain_of(const char *s)
{
    return s && strcmp(s, "ai.onnx") != 0 ? s : "";
}

/* i-th number of raw little-endian data. */
static sc_onnx_number raw_number(const uint8_t *bytes, size_t i, int elem)
{
    const size_t size = sc_onnx_bits(elem) / 8;
    sc_onnx_number v = {.i = 0};
    uint64_t word = 0;
    float single;
    for (size_t k = 0; k < size; k++)
        word |= (uint64_t)bytes[i * size + k] << (8 * k);
    if (elem == SC_ONNX_FLOAT) {
        const uint32_t half = (uint32_t)word;
        memcpy(&single, &half, sizeof single);
        v.r = (double)single;
    } else if (elem == SC_ONNX_DOUBLE) {
        memcpy(&v.r, &word, sizeof v.r);
    } else {
        const bool is_signed =
            elem == SC_ONNX_INT8 || elem == SC_ONNX_INT16 || elem == SC_ONNX_INT32;
        const unsigned rest = is_signed ? 64 - (unsigned)(8 * size) : 0;
        v.i = (int64_t)(word << rest) >> rest; /* the sign moves down */
    }
    return v;
}

/* i-th number of the typed lists; false if it is not there. */
static bool listed_number(sc_onnx_number *out, const Onnx__TensorProto *t, size_t i)
{
    switch (t->data_type) {
    case SC_ONNX_FLOAT:
        if (i < t->n_float_data)
            out->r = (double)t->float_data[i];
        return i < t->n_float_data;
    case SC_ONNX_DOUBLE:
        if (i < t->n_double_data)
            out->r = t->double_data[i];
        return i < t->n_double_data;
    case SC_ONNX_INT64:
        if (i < t->n_int64_data)
            out->i = t->int64_data[i];
        return i < t->n_int64_data;
    case SC_ONNX_UINT32:
    case SC_ONNX_UINT64:
        if (i < t->n_uint64_data)
            out->i = (int64_t)t->uint64_data[i];
        return i < t->n_uint64_data;
    default:
        if (i < t->n_int32_data)
            out->i = t->int32_data[i];
        return i < t->n_int32_data;
    }
}

static bool has_numbers(int elem)
{
    return elem == SC_ONNX_FLOAT || elem == SC_ONNX_DOUBLE || elem == SC_ONNX_BOOL ||
           (elem >= SC_ONNX_UINT8 && elem <= SC_ONNX_INT64) || elem == SC_ONNX_UINT32 ||
           elem == SC_ONNX_UINT64;
}

/* The numbers of a small tensor; none where the file does not hold as many as the shape says. */
static sc_status read_data(sc_onnx_tensor *out, sc_arena *a, const Onnx__TensorProto *t)
{
    uint64_t n = 1;
    for (size_t i = 0; i < t->n_dims; i++)
        if (t->dims[i] < 0 || !sc_count_mul(&n, (uint64_t)t->dims[i]))
            return SC_OK;
    if (n > SC_ONNX_ELEMENTS || !has_numbers(t->data_type) ||
        t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return SC_OK;
    const bool raw = t->has_raw_data && t->raw_data.len == n * (sc_onnx_bits(t->data_type) / 8);
    sc_onnx_number *data = sc_arena_calloc(a, n ? (size_t)n : 1, sizeof *data);
    if (!data)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (raw)
            data[i] = raw_number(t->raw_data.data, i, t->data_type);
        else if (!listed_number(&data[i], t, i))
            return SC_OK;
    }
    out->data = data;
    out->n = (size_t)n;
    return SC_OK;
}

static sc_status read_tensor(sc_onnx_tensor *out, sc_arena *a, const Onnx__TensorProto *t)
{
    *out = (sc_onnx_tensor){.name = text_of(t->name), .elem = t->data_type};
    out->rank = t->n_dims;
    out->dims = t->dims;
    return read_data(out, a, t);
}

static sc_status read_dims(sc_onnx_info *out, sc_arena *a, const Onnx__TensorShapeProto *shape)
{
    if (!shape)
        return SC_OK;
    sc_onnx_dim *dims = sc_arena_calloc(a, shape->n_dim ? shape->n_dim : 1, sizeof *dims);
    if (!dims)
        return SC_ENOMEM;
    for (size_t i = 0; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *d = shape->dim[i];
        dims[i].size = -1;
        if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            dims[i].size = d->dim_value;
        else if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                 d->dim_param[0])
            dims[i].name = d->dim_param;
    }
    out->shaped = true;
    out->rank = shape->n_dim;
    out->dims = dims;
    return SC_OK;
}

static sc_status read_info(sc_onnx_info *out, sc_arena *a, const Onnx__ValueInfoProto *v)
{
    const Onnx__TypeProto *type = v->type;
    *out = (sc_onnx_info){.name = text_of(v->name), .tensor = true};
    if (!type)
        return SC_OK;
    if (type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type) {
        out->elem = type->tensor_type->elem_type;
        return read_dims(out, a, type->tensor_type->shape);
    }
    out->tensor = type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET;
    return SC_OK;
}

static sc_status read_graph(const sc_onnx_graph **out, sc_arena *a, const Onnx__GraphProto *g);

static sc_onnx_attribute_kind kind_of(const Onnx__AttributeProto *p)
{
    switch (p->type) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT: return SC_ONNX_REAL;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT: return SC_ONNX_INT;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING: return SC_ONNX_TEXT;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR: return SC_ONNX_TENSOR;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH: return SC_ONNX_GRAPH;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS: return SC_ONNX_REALS;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS: return SC_ONNX_INTS;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED: break;
    default: return SC_ONNX_OTHER;
    }
    /* files of the first version do not say: what is there tells */
    return p->g          ? SC_ONNX_GRAPH
           : p->t        ? SC_ONNX_TENSOR
           : p->n_ints   ? SC_ONNX_INTS
           : p->n_floats ? SC_ONNX_REALS
           : p->has_s    ? SC_ONNX_TEXT
           : p->has_i    ? SC_ONNX_INT
           : p->has_f    ? SC_ONNX_REAL
                         : SC_ONNX_NONE;
}

static sc_status read_attribute(sc_onnx_attribute *out, sc_arena *a, const Onnx__AttributeProto *p)
{
    sc_status st = SC_OK;
    *out = (sc_onnx_attribute){.name = text_of(p->name), .text = ""};
    if (p->ref_attr_name && p->ref_attr_name[0]) {
        out->from = p->ref_attr_name;
        return SC_OK;
    }
    out->kind = kind_of(p);
    out->real = (double)p->f;
    out->integer = p->i;
    out->ints = p->ints;
    out->reals = p->floats;
    out->n = out->kind == SC_ONNX_INTS ? p->n_ints : p->n_floats;
    if (p->has_s && p->s.len &&
        !(out->text = sc_arena_strndup(a, (const char *)p->s.data, p->s.len)))
        return SC_ENOMEM;
    if (out->kind == SC_ONNX_TENSOR && p->t) {
        sc_onnx_tensor *t = sc_arena_calloc(a, 1, sizeof *t);
        out->tensor = t;
        st = t ? read_tensor(t, a, p->t) : SC_ENOMEM;
    } else if (out->kind == SC_ONNX_GRAPH && p->g) {
        st = read_graph(&out->graph, a, p->g);
    }
    return st;
}

static sc_status read_calls(const sc_onnx_call **out, sc_arena *a, Onnx__NodeProto *const *nodes,
                            size_t n)
{
    sc_status st = SC_OK;
    sc_onnx_call *calls = sc_arena_calloc(a, n ? n : 1, sizeof *calls);
    if (!calls)
        return SC_ENOMEM;
    for (size_t i = 0; i < n && st == SC_OK; i++) {
        const Onnx__NodeProto *p = nodes[i];
        sc_onnx_attribute *attributes =
            sc_arena_calloc(a, p->n_attribute ? p->n_attribute : 1, sizeof *attributes);
        if (!attributes)
            return SC_ENOMEM;
        for (size_t k = 0; k < p->n_attribute && st == SC_OK; k++)
            st = read_attribute(&attributes[k], a, p->attribute[k]);
        calls[i] = (sc_onnx_call){.name = text_of(p->name),
                                  .op = text_of(p->op_type),
                                  .domain = domain_of(p->domain),
                                  .n_inputs = p->n_input,
                                  .n_outputs = p->n_output,
                                  .n_attributes = p->n_attribute,
                                  .inputs = p->input,
                                  .outputs = p->output,
                                  .attributes = attributes};
    }
    *out = calls;
    return st;
}

static sc_status read_infos(const sc_onnx_info **out, sc_arena *a,
                            Onnx__ValueInfoProto *const *infos, size_t n)
{
    sc_status st = SC_OK;
    sc_onnx_info *list = sc_arena_calloc(a, n ? n : 1, sizeof *list);
    *out = list;
    if (!list)
        return SC_ENOMEM;
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = read_info(&list[i], a, infos[i]);
    return st;
}

/* Dense initializers, then sparse ones, which are counted by their stored values. */
static sc_status read_weights(sc_onnx_graph *out, sc_arena *a, const Onnx__GraphProto *g)
{
    sc_status st = SC_OK;
    const size_t n = g->n_initializer + g->n_sparse_initializer;
    sc_onnx_tensor *list = sc_arena_calloc(a, n ? n : 1, sizeof *list);
    if (!list)
        return SC_ENOMEM;
    for (size_t i = 0; i < g->n_initializer && st == SC_OK; i++)
        st = read_tensor(&list[i], a, g->initializer[i]);
    for (size_t i = 0; i < g->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *s = g->sparse_initializer[i];
        list[g->n_initializer + i] =
            (sc_onnx_tensor){.name = s->values ? text_of(s->values->name) : "",
                             .elem = s->values ? s->values->data_type : 0,
                             .rank = s->n_dims,
                             .dims = s->dims};
    }
    out->n_weights = n;
    out->weights = list;
    return st;
}

static sc_status read_graph(const sc_onnx_graph **out, sc_arena *a, const Onnx__GraphProto *g)
{
    sc_onnx_graph *graph = sc_arena_calloc(a, 1, sizeof *graph);
    sc_status st;
    if (!graph)
        return SC_ENOMEM;
    graph->name = text_of(g->name);
    graph->n_nodes = g->n_node;
    graph->n_inputs = g->n_input;
    graph->n_outputs = g->n_output;
    graph->n_infos = g->n_value_info;
    *out = graph;
    if ((st = read_weights(graph, a, g)) != SC_OK ||
        (st = read_infos(&graph->inputs, a, g->input, g->n_input)) != SC_OK ||
        (st = read_infos(&graph->outputs, a, g->output, g->n_output)) != SC_OK ||
        (st = read_infos(&graph->infos, a, g->value_info, g->n_value_info)) != SC_OK)
        return st;
    return read_calls(&graph->nodes, a, g->node, g->n_node);
}

static sc_status read_functions(sc_onnx_file *out, sc_arena *a, const Onnx__ModelProto *m)
{
    sc_status st = SC_OK;
    sc_onnx_function *list = sc_arena_calloc(a, m->n_functions ? m->n_functions : 1, sizeof *list);
    if (!list)
        return SC_ENOMEM;
    for (size_t i = 0; i < m->n_functions && st == SC_OK; i++) {
        const Onnx__FunctionProto *f = m->functions[i];
        list[i] = (sc_onnx_function){.name = text_of(f->name),
                                     .domain = domain_of(f->domain),
                                     .n_inputs = f->n_input,
                                     .n_outputs = f->n_output,
                                     .n_nodes = f->n_node,
                                     .inputs = f->input,
                                     .outputs = f->output};
        st = read_calls(&list[i].nodes, a, f->node, f->n_node);
    }
    out->n_functions = m->n_functions;
    out->functions = list;
    return st;
}

static sc_status read_model(sc_onnx_file *out, sc_arena *a, const Onnx__ModelProto *m,
                            const char *name)
{
    sc_onnx_file file = {.name = name};
    if (!m->graph)
        return sc_fail(SC_EPARSE, "%s: error: no graph in it: no ONNX model", name);
    for (size_t i = 0; i < m->n_opset_import; i++)
        if (!domain_of(m->opset_import[i]->domain)[0])
            file.opset = m->opset_import[i]->version;
    sc_status st = read_graph(&file.graph, a, m->graph);
    if (st == SC_OK && (st = read_functions(&file, a, m)) == SC_OK)
        *out = file;
    return st;
}

sc_status sc_onnx_decode(sc_onnx_file *out, sc_arena *arena, sc_onnx_source *source)
{
    decoder_memory memory = {.arena = arena};
    ProtobufCAllocator allocator = {decoder_alloc, decoder_free, &memory};
    const char *name = source->name;
    char *bytes = NULL;
    size_t n = 0;
    sc_status st = sc_onnx_strip(&bytes, &n, source);
    if (st != SC_OK)
        return st;
    const Onnx__ModelProto *m = onnx__model_proto__unpack(&allocator, n, (const uint8_t *)bytes);
    if (m)
        st = read_model(out, arena, m, name);
    else if (memory.failed)
        st = SC_ENOMEM;
    else
        st = sc_fail(SC_EPARSE, "%s: error: does not follow ONNX's schema", name);
    sc_free(bytes);
    return st;
}

const sc_onnx_attribute *sc_onnx_attribute_of(const sc_onnx_call *call, const char *name)
{
    for (size_t i = 0; i < call->n_attributes; i++)
        if (strcmp(call->attributes[i].name, name) == 0)
            return &call->attributes[i];
    return NULL;
}
