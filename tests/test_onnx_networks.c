/* ONNX import: transformers as exporters write them, without weights, are the networks that the
 * generators make: multiply-accumulates, parameters, rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "onnx_write.h"
#include "workloads_support.h"

enum { TEXT = 160 };

/** A network being written: nodes are named by a prefix and a part. */
typedef struct writer {
    om m;
    const char *prefix;
    int64_t positions, width, heads, kv_heads, head_width;
} writer;

static const char *name(char out[TEXT], const writer *w, const char *part)
{
    (void)snprintf(out, TEXT, "%s%s", w->prefix, part);
    return out;
}

/* y = op(inputs), where "@x" among the inputs is the value x of this layer. */
static void node(writer *w, const char *op, const char *inputs, const char *y)
{
    char list[3 * TEXT] = "", out[TEXT];
    for (const char *at = inputs; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ')) {
        const size_t n = strcspn(at, " "), used = strlen(list);
        const bool own = *at == '@';
        (void)snprintf(list + used, sizeof list - used, "%s%s%.*s", used ? " " : "",
                       own ? w->prefix : "", (int)n - own, at + own);
    }
    om_node(&w->m, op, list, name(out, w, y));
}

/* A product with weights of its own, and a bias where it has one. */
static void dense(writer *w, const char *x, const char *y, int64_t in, int64_t out, bool bias)
{
    char weight[TEXT], vector[TEXT], list[3 * TEXT], product[TEXT];
    (void)snprintf(weight, TEXT, "%s%s_w", w->prefix, y);
    (void)snprintf(vector, TEXT, "%s%s_b", w->prefix, y);
    (void)snprintf(product, TEXT, "%s%s", y, bias ? "_p" : "");
    om_weight(&w->m, weight, F32, L(in, out));
    (void)snprintf(list, sizeof list, "%s %s", x, weight);
    node(w, "MatMul", list, product);
    if (!bias)
        return;
    om_weight(&w->m, vector, F32, L(out));
    (void)snprintf(list, sizeof list, "%s @%s", vector, product);
    node(w, "Add", list, y);
}

/* Queries, keys and values as [heads][positions][width], keys repeated where queries share them. */
static void attention(writer *w, const char *x, bool bias)
{
    dense(w, x, "q", w->width, w->heads * w->head_width, bias);
    dense(w, x, "k", w->width, w->kv_heads * w->head_width, bias);
    dense(w, x, "v", w->width, w->kv_heads * w->head_width, bias);
    node(w, "Reshape", "@q by_head", "q4");
    node(w, "Reshape", "@k by_kv_head", "k4");
    node(w, "Reshape", "@v by_kv_head", "v4");
    node(w, "Transpose", "@q4", "qt");
    om_attr_ints(&w->m, "perm", L(0, 2, 1, 3));
    node(w, "Transpose", "@k4", "kt");
    om_attr_ints(&w->m, "perm", L(0, 2, 1, 3));
    node(w, "Transpose", "@v4", "vt");
    om_attr_ints(&w->m, "perm", L(0, 2, 1, 3));
    for (const char *part = "k\0v\0"; *part; part += 2) {
        char from[TEXT], to[TEXT];
        (void)snprintf(from, TEXT, "@%st third", part);
        (void)snprintf(to, TEXT, "%s5", part);
        node(w, "Unsqueeze", from, to);
        (void)snprintf(from, TEXT, "@%s5 repeated", part);
        (void)snprintf(to, TEXT, "%s6", part);
        node(w, "Expand", from, to);
        (void)snprintf(from, TEXT, "@%s6 all_heads", part);
        (void)snprintf(to, TEXT, "%sr", part);
        node(w, "Reshape", from, to);
    }
    node(w, "Transpose", "@kr", "k_turned");
    om_attr_ints(&w->m, "perm", L(0, 1, 3, 2));
    node(w, "MatMul", "@qt @k_turned", "qk");
    node(w, "Mul", "@qk scale", "scaled");
    node(w, "Softmax", "@scaled", "softmax");
    node(w, "MatMul", "@softmax @vr", "av");
    node(w, "Transpose", "@av", "back");
    om_attr_ints(&w->m, "perm", L(0, 2, 1, 3));
    node(w, "Reshape", "@back flat", "joined");
    dense(w, "@joined", "o", w->heads * w->head_width, w->width, bias);
}

static void begin(writer *w)
{
    w->m = om_graph();
    om_input(&w->m, "tokens", I64, L(1, w->positions));
    om_weight(&w->m, "scale", F32, NO_DIMS);
    om_ints(&w->m, "third", L(2));
    om_ints(&w->m, "by_head", L(1, w->positions, w->heads, w->head_width));
    om_ints(&w->m, "by_kv_head", L(1, w->positions, w->kv_heads, w->head_width));
    om_ints(&w->m, "repeated",
            L(1, w->kv_heads, w->heads / w->kv_heads, w->positions, w->head_width));
    om_ints(&w->m, "all_heads", L(1, w->heads, w->positions, w->head_width));
    om_ints(&w->m, "flat", L(1, w->positions, w->heads * w->head_width));
    om_weight(&w->m, "g", F32, L(w->width));
}

/* A Llama: norms before each half, SwiGLU, nothing has a bias. */
static sc_workload *llama(writer *w, int layers, int64_t hidden, int64_t vocabulary)
{
    char prefix[TEXT], x[TEXT] = "embedded", list[2 * TEXT];
    begin(w);
    w->prefix = "";
    om_weight(&w->m, "table", F32, L(vocabulary, w->width));
    node(w, "Gather", "table tokens", x);
    for (int l = 0; l < layers; l++) {
        (void)snprintf(prefix, TEXT, "l%d_", l);
        w->prefix = prefix;
        (void)snprintf(list, sizeof list, "%s g", x);
        node(w, "SimplifiedLayerNormalization", list, "rms1");
        attention(w, "@rms1", false);
        (void)snprintf(list, sizeof list, "@o %s", x);
        node(w, "Add", list, "add1");
        node(w, "SimplifiedLayerNormalization", "@add1 g", "rms2");
        dense(w, "@rms2", "gate", w->width, hidden, false);
        dense(w, "@rms2", "up", w->width, hidden, false);
        node(w, "Sigmoid", "@gate", "sigmoid");
        node(w, "Mul", "@gate @sigmoid", "silu");
        node(w, "Mul", "@silu @up", "swiglu");
        dense(w, "@swiglu", "down", hidden, w->width, false);
        node(w, "Add", "@add1 @down", "add2");
        (void)snprintf(x, TEXT, "l%d_add2", l);
    }
    w->prefix = "";
    (void)snprintf(list, sizeof list, "%s g", x);
    node(w, "SimplifiedLayerNormalization", list, "rms");
    dense(w, "rms", "lm_head", w->width, vocabulary, false);
    return om_take(&w->m);
}

/* The same rows as the generator's, but for the last sum: the last norm alone reads it and adds it
 * itself, which saves writing it and reading it again. */
static void assert_same_work(const sc_workload *a, const char *generator, uint64_t sum_elems)
{
    sc_workload *b = open_network(generator);
    const sc_workload *both[2] = {a, b};
    uint64_t moved[2] = {0}, kinds[2][SC_OP_KINDS] = {{0}};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->n_ops; k++) {
            const sc_op *op = &both[i]->ops[k];
            moved[i] += op->in_elems + op->out_elems;
            kinds[i][op->kind]++;
        }
    assert_int_equal(a->macs, b->macs);
    assert_int_equal(a->parameters, b->parameters);
    assert_int_equal(moved[0] + 2 * sum_elems, moved[1]);
    kinds[0][SC_OP_ADD]++;
    for (size_t k = 0; k < SC_OP_KINDS; k++)
        assert_int_equal(kinds[0][k], kinds[1][k]);
    sc_workload_destroy(b);
}

static void test_llama_2_7b(void **state)
{
    writer w = {.positions = 2048, .width = 4096, .heads = 32, .kv_heads = 32, .head_width = 128};
    sc_workload *net = llama(&w, 32, 11008, 32000);
    assert_same_work(net, "llama2-7b:prefill=2048", 2048 * 4096);
    sc_workload_destroy(net);
}

static void test_llama_3_8b(void **state)
{
    writer w = {.positions = 128, .width = 4096, .heads = 32, .kv_heads = 8, .head_width = 128};
    sc_workload *net = llama(&w, 32, 14336, 128256);
    assert_same_work(net, "llama3-8b:prefill=128", 128 * 4096); /* four queries share a key */
    sc_workload_destroy(net);
}

/* GELU by its error function, and sums before norms, as parts. */
static void feed_forward(writer *w)
{
    dense(w, "@ln1", "ff1", w->width, 4 * w->width, true);
    node(w, "Div", "@ff1 scale", "d");
    node(w, "Erf", "@d", "e");
    node(w, "Add", "@e scale", "f");
    node(w, "Mul", "@ff1 @f", "h");
    node(w, "Mul", "@h scale", "gelu");
    dense(w, "@gelu", "ff2", 4 * w->width, w->width, true);
}

static void test_bert_base(void **state)
{
    writer w = {.positions = 128, .width = 768, .heads = 12, .kv_heads = 12, .head_width = 64};
    char prefix[TEXT], x[TEXT] = "embedded", list[2 * TEXT];
    begin(&w);
    w.prefix = "";
    om_weight(&w.m, "words", F32, L(30522, 768));
    om_weight(&w.m, "places", F32, L(512, 768));
    om_weight(&w.m, "types", F32, L(2, 768));
    node(&w, "EmbedLayerNormalization", "tokens - words places types g g", x);
    om_in_domain(&w.m, "com.microsoft");
    for (int l = 0; l < 12; l++) {
        (void)snprintf(prefix, TEXT, "l%d_", l);
        w.prefix = prefix;
        attention(&w, x, true);
        (void)snprintf(list, sizeof list, "@o %s", x);
        node(&w, "Add", list, "add1");
        node(&w, "LayerNormalization", "@add1 g g", "ln1");
        feed_forward(&w);
        node(&w, "Add", "@ff2 @ln1", "add2");
        node(&w, "LayerNormalization", "@add2 g g", "ln2");
        (void)snprintf(x, TEXT, "l%d_ln2", l);
    }
    w.prefix = "";
    om_int(&w.m, "first", 0);
    (void)snprintf(list, sizeof list, "%s first", x);
    node(&w, "Gather", list, "token");
    om_attr_int(&w.m, "axis", 1);
    dense(&w, "token", "pooler", 768, 768, true);
    sc_workload *net = om_take(&w.m), *generated = open_network("bert-base:seq=128");
    assert_int_equal(net->macs, generated->macs);
    assert_int_equal(net->parameters, generated->parameters);
    assert_int_equal(net->n_ops, generated->n_ops);
    sc_workload_destroy(generated);
    sc_workload_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_llama_2_7b),
        cmocka_unit_test(test_llama_3_8b),
        cmocka_unit_test(test_bert_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
