#include "onnx_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workloads/onnx_import.h"

void pb_raw(pb *b, const void *bytes, size_t n)
{
    if (b->n + n > b->capacity) {
        b->capacity = 2 * (b->n + n) + 64;
        b->bytes = realloc(b->bytes, b->capacity);
        if (!b->bytes)
            abort();
    }
    if (n)
        memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
}

static void put(pb *b, uint64_t v)
{
    do {
        const uint8_t byte = (uint8_t)((v & 0x7F) | (v > 0x7F ? 0x80 : 0));
        pb_raw(b, &byte, 1);
        v >>= 7;
    } while (v);
}

void pb_varint(pb *b, unsigned field, uint64_t v)
{
    put(b, field << 3);
    put(b, v);
}

void pb_float(pb *b, unsigned field, float v)
{
    put(b, field << 3 | 5);
    pb_raw(b, &v, sizeof v);
}

void pb_head(pb *b, unsigned field, uint64_t length)
{
    put(b, field << 3 | 2);
    put(b, length);
}

void pb_bytes(pb *b, unsigned field, const void *bytes, size_t n)
{
    pb_head(b, field, n);
    pb_raw(b, bytes, n);
}

void pb_text(pb *b, unsigned field, const char *text)
{
    pb_bytes(b, field, text, strlen(text));
}

void pb_clear(pb *b)
{
    free(b->bytes);
    *b = (pb){0};
}

void pb_message(pb *b, unsigned field, pb *inner)
{
    pb_bytes(b, field, inner->bytes, inner->n);
    pb_clear(inner);
}

/* Each name of a list as a field. */
static void put_names(pb *b, unsigned field, const char *list)
{
    while (*list) {
        const size_t n = strcspn(list, " ");
        const bool left_out = n == 1 && *list == '-';
        pb_bytes(b, field, list, left_out ? 0 : n);
        list += n + (list[n] == ' ');
    }
}

om om_graph(void)
{
    om m = {.nodes = 1};
    pb_text(&m.graph, 2, "graph");
    return m;
}

om om_function(const char *domain, const char *name, const char *inputs, const char *outputs)
{
    om m = {.nodes = 7};
    pb_text(&m.graph, 1, name);
    pb_text(&m.graph, 10, domain);
    put_names(&m.graph, 4, inputs);
    put_names(&m.graph, 5, outputs);
    return m;
}

static void put_info(om *m, unsigned field, const char *name, int elem, const char *names,
                     size_t rank, const int64_t *dims)
{
    pb shape = {0}, tensor = {0}, type = {0}, info = {0};
    for (size_t i = 0; i < rank; i++) {
        pb dim = {0};
        const size_t n = strcspn(names, " ");
        if (n)
            pb_bytes(&dim, 2, names, n);
        else if (dims[i] != -1)
            pb_varint(&dim, 1, (uint64_t)dims[i]);
        pb_message(&shape, 1, &dim);
        names += n + (names[n] == ' ');
    }
    pb_varint(&tensor, 1, (uint64_t)elem);
    pb_message(&tensor, 2, &shape);
    pb_message(&type, 1, &tensor);
    pb_text(&info, 1, name);
    pb_message(&info, 2, &type);
    pb_message(&m->graph, field, &info);
}

void om_input(om *m, const char *name, int elem, size_t rank, const int64_t *dims)
{
    put_info(m, 11, name, elem, "", rank, dims);
}

void om_input_named(om *m, const char *name, int elem, const char *names, size_t rank,
                    const int64_t *dims)
{
    put_info(m, 11, name, elem, names, rank, dims);
}

void om_info(om *m, const char *name, int elem, size_t rank, const int64_t *dims)
{
    put_info(m, 13, name, elem, "", rank, dims);
}

void om_output(om *m, const char *name)
{
    pb info = {0};
    pb_text(&info, 1, name);
    pb_message(&m->graph, 12, &info);
}

static void put_weight(om *m, const char *name, int elem, size_t rank, const int64_t *dims,
                       const void *raw, size_t bytes)
{
    pb t = {0};
    for (size_t i = 0; i < rank; i++)
        pb_varint(&t, 1, (uint64_t)dims[i]);
    pb_varint(&t, 2, (uint64_t)elem);
    pb_text(&t, 8, name);
    if (raw)
        pb_bytes(&t, 9, raw, bytes);
    pb_message(&m->graph, 5, &t);
}

void om_weight(om *m, const char *name, int elem, size_t rank, const int64_t *dims)
{
    put_weight(m, name, elem, rank, dims, NULL, 0);
}

void om_ints(om *m, const char *name, size_t n, const int64_t *values)
{
    const int64_t dim = (int64_t)n;
    put_weight(m, name, I64, 1, &dim, n ? (const void *)values : "", n * sizeof *values);
}

void om_int(om *m, const char *name, int64_t value)
{
    put_weight(m, name, I64, 0, NULL, &value, sizeof value);
}

void om_int32s(om *m, const char *name, size_t n, const int32_t *values)
{
    const int64_t dim = (int64_t)n;
    put_weight(m, name, I32, 1, &dim, values, n * sizeof *values);
}

void om_reals(om *m, const char *name, size_t n, const float *values)
{
    const int64_t dim = (int64_t)n;
    put_weight(m, name, F32, 1, &dim, values, n * sizeof *values);
}

static void close_node(om *m)
{
    if (m->open)
        pb_message(&m->graph, m->nodes, &m->node);
    m->open = false;
}

void om_node(om *m, const char *op, const char *inputs, const char *outputs)
{
    close_node(m);
    put_names(&m->node, 1, inputs);
    put_names(&m->node, 2, outputs);
    pb_text(&m->node, 4, op);
    m->open = true;
}

void om_in_domain(om *m, const char *domain)
{
    pb_text(&m->node, 7, domain);
}

void om_named(om *m, const char *name)
{
    pb_text(&m->node, 3, name);
}

static pb attribute(const char *name, unsigned type)
{
    pb a = {0};
    pb_text(&a, 1, name);
    pb_varint(&a, 20, type);
    return a;
}

void om_attr_int(om *m, const char *name, int64_t v)
{
    pb a = attribute(name, 2);
    pb_varint(&a, 3, (uint64_t)v);
    pb_message(&m->node, 5, &a);
}

void om_attr_real(om *m, const char *name, float v)
{
    pb a = attribute(name, 1);
    pb_float(&a, 2, v);
    pb_message(&m->node, 5, &a);
}

void om_attr_text(om *m, const char *name, const char *v)
{
    pb a = attribute(name, 3);
    pb_text(&a, 4, v);
    pb_message(&m->node, 5, &a);
}

void om_attr_ints(om *m, const char *name, size_t n, const int64_t *v)
{
    pb a = attribute(name, 7);
    for (size_t i = 0; i < n; i++)
        pb_varint(&a, 8, (uint64_t)v[i]);
    pb_message(&m->node, 5, &a);
}

void om_attr_graph(om *m, const char *name, om *graph)
{
    pb a = attribute(name, 5);
    close_node(graph);
    pb_message(&a, 6, &graph->graph);
    pb_message(&m->node, 5, &a);
}

void om_attr_tensor(om *m, const char *name, int64_t v)
{
    pb a = attribute(name, 4), t = {0};
    pb_varint(&t, 1, 1);
    pb_varint(&t, 2, I64);
    pb_varint(&t, 7, (uint64_t)v); /* in the typed list, not packed */
    pb_message(&a, 5, &t);
    pb_message(&m->node, 5, &a);
}

void om_attr_from(om *m, const char *name, const char *from)
{
    pb a = {0};
    pb_text(&a, 1, name);
    pb_text(&a, 21, from);
    pb_message(&m->node, 5, &a);
}

void om_add_function(om *m, om *function)
{
    close_node(function);
    pb_message(&m->functions, 25, &function->graph);
}

pb om_close(om *m)
{
    const pb graph = (close_node(m), m->graph);
    m->graph = (pb){0};
    return graph;
}

pb om_model(om *m)
{
    pb model = {0}, opset = {0}, graph = om_close(m);
    pb_varint(&model, 1, 8);
    pb_message(&model, 7, &graph);
    pb_varint(&opset, 2, 17);
    pb_message(&model, 8, &opset);
    pb_raw(&model, m->functions.bytes, m->functions.n);
    pb_clear(&m->functions);
    return model;
}

sc_status om_import(sc_workload **w, char **report, om *m, const char *options)
{
    pb model = om_model(m);
    sc_onnx_source source = {.name = "net.onnx", .bytes = model.bytes, .fd = -1, .size = model.n};
    const sc_status st = sc_onnx_import(w, report, &source, options);
    pb_clear(&model);
    return st;
}

sc_workload *om_take(om *m)
{
    sc_workload *w = NULL;
    if (om_import(&w, NULL, m, "") != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_non_null(w);
    return w;
}

void om_refused(om *m, const char *text)
{
    sc_workload *w = NULL;
    char *report = NULL;
    const sc_status st = om_import(&w, &report, m, "");
    if (st == SC_OK)
        fail_msg("taken, though it should say: %s", text);
    assert_int_equal(st, SC_EPARSE);
    if (!strstr(sc_error_message(), text))
        fail_msg("says: %s\nnot: %s", sc_error_message(), text);
    assert_null(w);
    assert_null(report);
}
