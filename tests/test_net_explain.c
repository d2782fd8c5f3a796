/* Explanations and differences of two designs, against what the evaluations themselves say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "scantle/explain.h"

typedef struct pair {
    sc_design *d;
    sc_workload *w;
    sc_evaluate_options o;
} pair;

static pair open_pair(const char *design, const char *workload)
{
    pair p = {NULL, NULL, SC_EVALUATE_OPTIONS_INIT};
    p.o.map_budget = 30;
    if (sc_design_open(&p.d, design) != SC_OK || sc_workload_open(&p.w, workload) != SC_OK)
        fail_msg("%s", sc_error_message());
    return p;
}

static void close_pair(pair *p)
{
    sc_workload_destroy(p->w);
    sc_design_destroy(p->d);
}

static json_t *parse(char *text)
{
    json_t *o = NULL;
    assert_int_equal(sc_json_parse(&o, "document", text, strlen(text)), SC_OK);
    sc_free(text);
    return o;
}

static json_t *explain(const pair *p, const char *op)
{
    char *text = NULL;
    if (sc_explain(&text, p->d, p->w, op, &p->o) != SC_OK)
        fail_msg("%s", sc_error_message());
    return parse(text);
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        fail_msg("%s is no number", key);
    return json_number_value(v);
}

static const char *word(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_network_adds_up(void **state)
{
    pair p = open_pair("fast:native_batch=2", "mobilenet-v2");
    sc_evaluation *e = NULL;
    json_t *o = explain(&p, NULL);
    assert_int_equal(sc_evaluate(&e, p.d, p.w, &p.o), SC_OK);
    const double latency = sc_evaluation_metrics(e)->latency_s;
    assert_true(near(number(o, "time_s"), latency));
    double time = 0, share = 0, ops = 0, relief = 0;
    const json_t *bounds = json_object_get(o, "bounds"), *list = json_object_get(o, "op_list");
    for (size_t i = 0; i < json_array_size(bounds); i++) {
        const json_t *b = json_array_get(bounds, i);
        time += number(b, "time_s");
        share += number(b, "share");
        ops += number(b, "ops");
        if (i == 0)
            relief = number(b, "relief_s");
        assert_true(number(b, "relief_s") >= 0 && number(b, "relief_s") <= number(b, "time_s"));
    }
    assert_true(near(time, latency) && near(share, 1.0));
    assert_true(ops == (double)sc_workload_ops(p.w) && ops == (double)json_array_size(list));
    assert_true(near(number(o, "distance"), latency / (latency - relief) - 1.0));
    assert_string_equal(word(o, "bound"), word(json_array_get(bounds, 0), "bound"));
    for (size_t i = 1; i < json_array_size(list); i++)
        assert_true(number(json_array_get(list, i - 1), "time_s") >=
                    number(json_array_get(list, i), "time_s"));
    /* no mapping moves less than the compulsory bytes to and from the outermost level */
    const json_t *dram = json_array_get(json_object_get(o, "levels"), 0);
    assert_true(number(dram, "ratio") >= 1.0 - 1e-12);
    json_decref(o);
    sc_evaluation_destroy(e);
    close_pair(&p);
}

/* The op's bounds: the first sets its time up to the prefill, the second is next. */
static void test_op_names_its_bounds(void **state)
{
    pair p = open_pair("fast", "mobilenet-v2");
    sc_evaluation *e = NULL;
    assert_int_equal(sc_evaluate(&e, p.d, p.w, &p.o), SC_OK);
    for (size_t i = 0; i < 30; i += 13) {
        const sc_op_result *r = sc_evaluation_op(e, i);
        json_t *o = explain(&p, r->name);
        const json_t *bounds = json_object_get(o, "bounds");
        const json_t *first = json_array_get(bounds, 0), *second = json_array_get(bounds, 1);
        assert_true(near(number(o, "time_s"), r->time_s));
        assert_string_equal(word(o, "bound"), r->bound);
        assert_true(fabs(number(first, "time_s") + number(o, "prefill_s") - r->time_s) <
                    2e-9 + 1e-9 * r->time_s); /* whole cycles */
        assert_string_equal(word(o, "second_bound"), word(second, "bound"));
        assert_true(number(o, "distance") >= 0.0);
        json_decref(o);
    }
    sc_evaluation_destroy(e);
    close_pair(&p);
}

/* Each step is what evaluating the changed design gives; the list is sorted. */
static void test_steps_are_evaluations(void **state)
{
    pair p = open_pair("fast", "bert-base:seq=32");
    json_t *o = explain(&p, NULL);
    const json_t *steps = json_object_get(o, "steps");
    const double base = number(o, "time_s") / number(o, "batch");
    double before = 0.0;
    assert_true(json_array_size(steps) > 15);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *s = json_array_get(steps, i);
        assert_true(number(s, "time_per_sample_s") >= before);
        before = number(s, "time_per_sample_s");
        assert_true(near(1.0 + number(s, "change"), before / base));
        if (i % 9 == 0) {
            sc_design *d = NULL;
            sc_evaluation *e = NULL;
            assert_int_equal(sc_design_with(&d, p.d, word(s, "set")), SC_OK);
            assert_int_equal(sc_evaluate(&e, d, p.w, &p.o), SC_OK);
            assert_true(near(1.0 / sc_evaluation_metrics(e)->throughput_per_s, before));
            sc_evaluation_destroy(e);
            sc_design_destroy(d);
        }
    }
    json_decref(o);
    close_pair(&p);
}

/* The template with scratchpads of one byte, of which half fills while half is used. */
static void test_says_level_tensor_and_bytes(void **state)
{
    static const char range[] = "min: 1 KiB, max: 1 MiB, default: 16 KiB";
    static const char tiny[] = "min: 1    , max: 1 MiB, default: 1     ";
    char *text = NULL, name[] = "./tiny-XXXXXX";
    size_t n;
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(
        sc_file_read(&text, &n, SCANTLE_SOURCE_DIR "/configs/templates/fast.yaml", 1 << 20), SC_OK);
    for (char *at = text; (at = strstr(at, range)); at += sizeof range - 1)
        memcpy(at, tiny, sizeof tiny - 1);
    assert_int_equal(sc_file_write(name, text, n), SC_OK);
    pair p = open_pair(name, "mobilenet-v2");
    json_t *o = explain(&p, "stem");
    assert_true(json_is_false(json_object_get(o, "feasible")));
    const json_t *m = json_array_get(json_object_get(o, "misfits"), 0);
    assert_string_equal(word(m, "op"), "stem");
    assert_string_equal(word(m, "code"), "capacity");
    assert_string_equal(word(m, "level"), "L1");
    assert_string_equal(word(m, "tensor"), "input");
    assert_true(number(m, "need_bytes") == 2 && number(m, "have_bytes") == 0 &&
                number(m, "over_bytes") == 2);
    json_decref(o);
    close_pair(&p);
    (void)unlink(name);
    sc_free(text);
}

static void test_unknown_op(void **state)
{
    pair p = open_pair("fast", "mobilenet-v2");
    char *text = NULL;
    assert_int_equal(sc_explain(&text, p.d, p.w, "stme", &p.o), SC_ENOTFOUND);
    assert_non_null(strstr(sc_error_message(), "did you mean 'stem'?"));
    assert_null(text);
    close_pair(&p);
}

static void test_diff_sorts_by_effect(void **state)
{
    pair p = open_pair("fast", "mobilenet-v2"), q = open_pair("fast:pes_x=16", "mobilenet-v2");
    char *text = NULL;
    assert_int_equal(sc_diff(&text, p.d, q.d, p.w, &p.o), SC_OK);
    json_t *o = parse(text);
    const json_t *values = json_object_get(o, "values"), *list = json_object_get(o, "op_list");
    assert_int_equal(json_array_size(values), 1);
    assert_string_equal(word(json_array_get(values, 0), "name"), "pes_x");
    double a = 0, effect = HUGE_VAL, sum = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *op = json_array_get(list, i);
        assert_true(fabs(number(op, "effect_s")) <= effect);
        effect = fabs(number(op, "effect_s"));
        a += number(op, "a_time_s");
        sum += number(op, "effect_s");
    }
    const json_t *latency = json_array_get(json_object_get(o, "totals"), 2);
    assert_string_equal(word(latency, "name"), "latency_s");
    assert_true(near(number(latency, "a"), a));
    assert_true(fabs(number(latency, "b") - a - sum) < 1e-9 * a);
    json_decref(o);
    close_pair(&p);
    close_pair(&q);
}

/* Designs of two templates, no network: values of either side only, area and TDP alone. */
static void test_diff_of_designs_alone(void **state)
{
    pair p = open_pair("fast", "mobilenet-v2"), q = open_pair("tpu-v3", "mobilenet-v2");
    char *text = NULL;
    assert_int_equal(sc_diff(&text, p.d, q.d, NULL, &p.o), SC_OK);
    json_t *o = parse(text);
    assert_int_equal(json_array_size(json_object_get(o, "totals")), 2);
    assert_true(json_array_size(json_object_get(o, "values")) >= 16);
    assert_null(json_object_get(o, "op_list"));
    json_decref(o);
    /* the batches differ: a sample is compared */
    assert_int_equal(sc_diff(&text, p.d, q.d, p.w, &p.o), SC_OK);
    o = parse(text);
    assert_true(
        json_is_true(json_object_get(o, "per_sample")) ==
        (number(json_object_get(o, "a"), "batch") != number(json_object_get(o, "b"), "batch")));
    json_decref(o);
    close_pair(&p);
    close_pair(&q);
}

/* Each allocation fails in turn: said as such, nothing kept, the output as it was. */
static void test_out_of_memory(void **state)
{
    pair p = open_pair("tpu-v3", SCANTLE_SOURCE_DIR "/configs/networks/example.yaml");
    p.o.threads = 1;
    p.o.map_budget = 1;
    for (int of_diff = 0; of_diff < 2; of_diff++) {
        sc_status st = SC_ENOMEM;
        char *whole = NULL;
        assert_int_equal(of_diff ? sc_diff(&whole, p.d, p.d, p.w, &p.o)
                                 : sc_explain(&whole, p.d, p.w, NULL, &p.o),
                         SC_OK);
        for (long n = 0; st != SC_OK; n++) {
            char *text = NULL;
            const long before = sc_mem_live();
            assert_true(n < 20000);
            sc_mem_fail_after(n);
            st = of_diff ? sc_diff(&text, p.d, p.d, p.w, &p.o)
                         : sc_explain(&text, p.d, p.w, NULL, &p.o);
            sc_mem_fail_after(-1);
            assert_true(st == SC_OK || st == SC_ENOMEM);
            assert_true((st == SC_OK) == (text != NULL));
            if (text)
                assert_string_equal(text, whole); /* nothing left out in silence */
            sc_free(text);
            assert_int_equal(sc_mem_live(), before);
        }
        sc_free(whole);
    }
    close_pair(&p);
}

static int set_up(void **state)
{
    (void)state;
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_network_adds_up),
        cmocka_unit_test(test_op_names_its_bounds),
        cmocka_unit_test(test_steps_are_evaluations),
        cmocka_unit_test(test_unknown_op),
        cmocka_unit_test(test_says_level_tensor_and_bytes),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_diff_sorts_by_effect),
        cmocka_unit_test(test_diff_of_designs_alone),
    };
    return cmocka_run_group_tests_name("net_explain", t, set_up, NULL);
}
