/* The generated networks against the reference tables, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/csv.h"
#include "workloads_support.h"

static const struct {
    const char *table, *spec;
} tables[] = {
    {"efficientnet_b0", "efficientnet-b0"},
    {"efficientnet_b1", "efficientnet-b1"},
    {"efficientnet_b2", "efficientnet-b2"},
    {"efficientnet_b4", "efficientnet-b4"},
    {"efficientnet_b6", "efficientnet-b6"},
    {"efficientnet_b7", "efficientnet-b7"},
    {"resnet50_v1", "resnet50-v1"},
    {"resnet50_v1.5", "resnet50"},
    {"mobilenet_v2", "mobilenet-v2"},
    {"mobilenet_v3_large", "mobilenet-v3-large"},
    {"bert_base_s128", "bert-base:seq=128"},
    {"bert_base_s1024", "bert-base:seq=1024"},
    {"bert_large_s128", "bert-large:seq=128"},
    {"vit_b16_224", "vit-b16"},
    {"unet_572_valid", "unet:572"},
    {"llama2_7b_prefill_s2048", "llama2-7b:prefill=2048"},
    {"llama2_7b_decode_s1_ctx2048", "llama2-7b:decode,ctx=2048"},
};

static sc_csv *open_table(const char *name)
{
    char path[512], file[80];
    sc_csv *c = NULL;
    (void)snprintf(file, sizeof file, "workloads/%s.csv", name);
    assert_int_equal(sc_csv_open(&c, reference_data(path, sizeof path, file)), SC_OK);
    return c;
}

static const char *cell(const sc_csv *c, size_t row, const char *column)
{
    const size_t i = sc_csv_find(c, column);
    assert_true(i != SIZE_MAX);
    return sc_csv_cell(c, row, i);
}

/* The cell holds that number, or nothing. */
static void check_number(const sc_csv *c, size_t row, const char *column, uint64_t value)
{
    const char *text = cell(c, row, column);
    char wanted[24];
    (void)snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)value);
    if (text[0] && strcmp(text, wanted) != 0)
        fail_msg("%s: %s is %s here, %s in the table", cell(c, row, "name"), column, wanted, text);
}

static void check_inputs(const sc_csv *c, size_t row, const sc_op *op)
{
    char text[256] = "", *end = text;
    for (size_t i = 0; i < op->n_inputs; i++)
        end += snprintf(end, (size_t)(text + sizeof text - end), "%s%d", i ? " " : "",
                        (int)op->inputs[i]);
    assert_string_equal(text, cell(c, row, "inputs"));
}

static void check_row(const sc_csv *c, size_t row, const sc_op *op)
{
    assert_string_equal(op->name, cell(c, row, "name"));
    assert_string_equal(sc_op_word(op), cell(c, row, "op"));
    const bool mac = sc_op_is_mac(op);
    assert_int_equal(mac, cell(c, row, "M")[0] != '\0');
    check_number(c, row, "batch", op->batch);
    check_number(c, row, "M", op->m);
    check_number(c, row, "N", op->n);
    check_number(c, row, "K", op->k);
    check_number(c, row, "count", op->count);
    check_number(c, row, "macs", op->macs);
    check_number(c, row, "weights", op->weights);
    check_number(c, row, "other_params", op->other_params);
    check_number(c, row, "in_elems", op->in_elems);
    check_number(c, row, "out_elems", op->out_elems);
    check_number(c, row, "cin", op->cin);
    check_number(c, row, "cout", op->cout);
    check_number(c, row, "oh", op->oh);
    check_number(c, row, "ow", op->ow);
    check_number(c, row, "r", op->r);
    check_number(c, row, "s", op->s);
    check_number(c, row, "stride", op->stride_h);
    check_number(c, row, "groups", op->groups);
    check_inputs(c, row, op);
}

static void check_table(size_t i)
{
    sc_csv *c = open_table(tables[i].table);
    sc_workload *w = open_network(tables[i].spec);
    assert_int_equal(w->n_ops, sc_csv_rows(c) - 1);
    for (size_t row = 0; row < w->n_ops; row++)
        check_row(c, row + 1, &w->ops[row]);
    sc_workload_destroy(w);
    sc_csv_close(c);
}

static void test_rows(void **state)
{
    for (size_t i = 0; i < COUNT(tables); i++)
        check_table(i);
}

static void test_totals(void **state)
{
    sc_csv *c = open_table("TOTALS");
    assert_int_equal(sc_csv_rows(c) - 1, COUNT(tables));
    for (size_t row = 1; row < sc_csv_rows(c); row++) {
        size_t i = 0;
        while (i < COUNT(tables) && strcmp(tables[i].table, cell(c, row, "model")) != 0)
            i++;
        assert_true(i < COUNT(tables));
        sc_workload *w = open_network(tables[i].spec);
        size_t mac_ops = 0;
        uint64_t weights = 0;
        for (size_t k = 0; k < w->n_ops; k++) {
            mac_ops += sc_op_is_mac(&w->ops[k]);
            weights += w->ops[k].weights;
        }
        const char *macs = cell(c, row, "macs"), *parameters = cell(c, row, "params");
        assert_true(strtoull(macs, NULL, 10) == sc_workload_macs(w));
        assert_true(strtoull(parameters, NULL, 10) == sc_workload_parameters(w));
        assert_true(strtoull(cell(c, row, "layers"), NULL, 10) == sc_workload_ops(w));
        assert_true(strtoull(cell(c, row, "mac_layers"), NULL, 10) == mac_ops);
        assert_true(strtoull(cell(c, row, "weights"), NULL, 10) == weights);
        sc_workload_destroy(w);
    }
    sc_csv_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_totals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
