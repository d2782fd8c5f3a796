/* Real models of others against the facts beside them: the multiply-accumulates of convolutions and
 * matrix products and the elements stored, or a refusal where they cannot be known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "core/csv.h"
#include "workloads_support.h"

/* MACs but those of recurrent layers, which the table leaves out. */
static uint64_t counted_macs(const json_t *report)
{
    static const char *const left_out[] = {"LSTM", "GRU", "RNN"};
    const json_t *by_op = json_object_get(report, "macs_by_op");
    json_int_t sum = json_integer_value(json_object_get(report, "macs"));
    for (size_t i = 0; i < COUNT(left_out); i++)
        sum -= json_integer_value(json_object_get(by_op, left_out[i]));
    return (uint64_t)sum;
}

static const char *cell(const sc_csv *c, size_t row, const char *column)
{
    return sc_csv_cell(c, row, sc_csv_find(c, column));
}

static void check_totals(const char *file, const char *text, const char *macs, const char *params)
{
    json_t *report = json_loads(text, 0, NULL);
    assert_non_null(report);
    if (!macs[0] || counted_macs(report) != strtoull(macs, NULL, 10))
        fail_msg("%s: %llu MACs, not %s", file, (unsigned long long)counted_macs(report), macs);
    if ((uint64_t)json_integer_value(json_object_get(report, "parameters")) !=
        strtoull(params, NULL, 10))
        fail_msg("%s: other parameters than %s", file, params);
    json_decref(report);
}

static void test_reference_models(void **state)
{
    char path[512], file[128];
    sc_csv *c = NULL;
    size_t taken = 0, refused = 0;
    assert_int_equal(sc_csv_open(&c, reference_data(path, sizeof path, "onnx/facts.csv")), SC_OK);
    for (size_t row = 1; row < sc_csv_rows(c); row++) {
        sc_workload *w = NULL;
        char *report = NULL;
        (void)snprintf(file, sizeof file, "onnx/%s", cell(c, row, "file"));
        const char *macs = cell(c, row, "macs_ref");
        const bool control_flow = strncmp(cell(c, row, "ops_top"), "If=", 3) == 0;
        const sc_status st =
            sc_workload_import_onnx(&w, &report, reference_data(path, sizeof path, file));
        if (st == SC_OK) {
            check_totals(file, report, macs, cell(c, row, "params"));
            taken++;
        } else {
            assert_int_equal(st, SC_EPARSE);
            if (macs[0] && !control_flow)
                fail_msg("refused, though it has %s MACs: %s", macs, sc_error_message());
            refused++;
        }
        sc_release(report);
        sc_workload_destroy(w);
    }
    print_message("%zu models agree, %zu are refused as they must be\n", taken, refused);
    assert_true(taken >= 18);
    sc_csv_close(c);
}

/* Figures of a real network, whatever way its weights are given. */
static void test_resnet(void **state)
{
    char path[512];
    sc_workload *w =
        open_network(reference_data(path, sizeof path, "onnx/onnx__light_resnet50.onnx"));
    assert_int_equal(w->macs, UINT64_C(4089184256));
    assert_int_equal(w->parameters, 25557032); /* as published: two a channel of each norm */
    sc_workload_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_models),
        cmocka_unit_test(test_resnet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
