/* Networks on the platforms and the edge space, and published figures beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "model/net/anchor.h"
#include "model/net/evaluation.h"

static int use_source_configs(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

static sc_evaluation *evaluate(const char *design, const char *workload)
{
    const sc_evaluate_options o = {.version = 1, .map_budget = 200};
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    if (sc_design_open(&d, design) != SC_OK || sc_workload_open(&w, workload) != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s on %s: %s", workload, design, sc_error_message());
    sc_workload_destroy(w);
    sc_design_destroy(d);
    return e;
}

/* Every platform runs a network within its peak, and its energy is its parts, to the last bit. */
static void every_platform_runs_a_network(void **state)
{
    const char *name;
    for (size_t i = 0; (name = sc_design_builtin(i)); i++) {
        sc_evaluation *e = evaluate(name, SCANTLE_SOURCE_DIR "/configs/networks/example.yaml");
        const sc_metrics *m = sc_evaluation_metrics(e);
        const sc_energy_parts *p = &e->result.energy;
        double sum = p->compute_j;
        if (!sc_evaluation_feasible(e))
            fail_msg("%s: %s", name, sc_evaluation_reason(e, 0)->where);
        for (uint32_t level = 0; level < e->n_levels; level++)
            sum += p->level_j[level];
        assert_true(sum + (p->clock_j + p->leakage_j) == m->energy_j);
        assert_true(m->latency_s > 0 && m->utilization > 0 && m->utilization <= 1);
        assert_true(m->power_w > 0 && m->power_w <= m->tdp_w * 1.5);
        sc_evaluation_destroy(e);
    }
}

/* An int8 chip runs any network in int8; a chip that says nothing in the network's own width. */
static void a_chip_computes_in_its_own_width(void **state)
{
    static const struct {
        const char *design;
        bool own;
    } CHIPS[] = {{"nvdla-256", true}, {"tpu-v3", false}};
    for (size_t i = 0; i < 2; i++) {
        sc_evaluation *wide = evaluate(CHIPS[i].design, "mobilenet-v2:bits=16");
        sc_evaluation *narrow = evaluate(CHIPS[i].design, "mobilenet-v2:bits=8");
        const bool same =
            sc_evaluation_metrics(wide)->latency_s == sc_evaluation_metrics(narrow)->latency_s &&
            sc_evaluation_metrics(wide)->energy_j == sc_evaluation_metrics(narrow)->energy_j;
        assert_true(same == CHIPS[i].own);
        sc_evaluation_destroy(wide);
        sc_evaluation_destroy(narrow);
    }
}

static void a_chip_over_its_templates_limit_is_infeasible(void **state)
{
    sc_evaluation *small = evaluate("edge", "mobilenet-v2");
    sc_evaluation *large = evaluate("edge:pes_x=32,pes_y=32", "mobilenet-v2");
    assert_true(sc_evaluation_feasible(small));
    assert_false(sc_evaluation_feasible(large));
    const sc_reason *r = sc_evaluation_reason(large, 0);
    assert_string_equal(r->code, "area");
    assert_true(r->excess == sc_evaluation_metrics(large)->area_mm2 - 174.7);
    assert_null(sc_evaluation_reason(large, 1));
    assert_true(isnan(sc_evaluation_metrics(large)->latency_s));
    sc_evaluation_destroy(small);
    sc_evaluation_destroy(large);
}

/* ---- anchors ---- */

typedef struct file {
    char path[256];
} file;

static int make_file(void **state)
{
    file *f = calloc(1, sizeof *f);
    const char *tmp = getenv("TMPDIR");
    if (!f)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/anchors_XXXXXX", tmp ? tmp : "/tmp");
    const int fd = mkstemp(f->path);
    if (fd >= 0)
        close(fd);
    *state = f;
    return fd >= 0 ? 0 : -1;
}

static int remove_file(void **state)
{
    unlink(((file *)*state)->path);
    free(*state);
    return 0;
}

static sc_status open_text(sc_anchors **out, const file *f, const char *text)
{
    assert_int_equal(sc_file_write(f->path, text, strlen(text)), SC_OK);
    return sc_anchors_open(out, f->path);
}

#define ROW "version: 1\nanchors:\n  - {name: n, design: tpu-v3, unit: u, source: s, "

static void anchors_are_measured_and_their_errors_told(void **state)
{
    const sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_anchors *l = NULL;
    double area = 0, share = 0;
    if (open_text(&l, *state,
                  ROW "metric: area_mm2, published: 700, use: held-out, aim: 13}\n"
                      "  - {name: two, design: tpu-v3, unit: '%', source: s, metric: area_share, "
                      "parts: MAC+HBM, published: 11, use: tuned}\n") != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_anchors_count(l), 2);
    const sc_anchor *a = sc_anchors_get(l, 0), *b = sc_anchors_get(l, 1);
    assert_true(!a->tuned && a->aim == 13 && b->tuned && b->aim == 0);
    assert_int_equal(sc_anchor_measure(&area, a, &o), SC_OK);
    assert_int_equal(sc_anchor_measure(&share, b, &o), SC_OK);
    /* the arrays and four PHYs of 10 mm2, of the whole with its quarter of overhead */
    const double parts = 65536 * 2.297e-3 + 40;
    assert_true(fabs(share - 100 * parts / area) < 1e-9);
    assert_true(sc_anchor_error(a, 350) == -50);
    assert_true(sc_anchor_error(b, 14) == 3);
    assert_null(sc_anchors_get(l, 2));
    sc_anchors_close(l);
}

/* Of the layers that multiply alone, and without what the published power leaves out. */
static void anchors_may_be_of_a_part_of_the_run(void **state)
{
    const sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    static const char *const METRICS[] = {"throughput_per_s", "power_w, without: DRAM", "dram_mb"};
    char text[1024] = "version: 1\nanchors:\n", row[256];
    sc_anchors *l = NULL;
    sc_evaluation *e = NULL;
    sc_design *d = NULL;
    sc_workload *w = NULL;
    double got[3], time_s = 0, energy_j = 0, bytes = 0;
    for (size_t i = 0; i < 3; i++) {
        snprintf(
            row, sizeof row,
            "  - {name: n, design: eyeriss, workload: alexnet, ops: macs, metric: %s, unit: u, "
            "source: s, published: 1, use: held-out}\n",
            METRICS[i]);
        strcat(text, row);
    }
    if (open_text(&l, *state, text) != SC_OK)
        fail_msg("%s", sc_error_message());
    for (size_t i = 0; i < 3; i++)
        if (sc_anchor_measure(&got[i], sc_anchors_get(l, i), &o) != SC_OK)
            fail_msg("%s", sc_error_message());
    if (sc_design_open(&d, "eyeriss") != SC_OK || sc_workload_open(&w, "alexnet") != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    for (size_t i = 0; i < e->n_ops; i++) {
        const sc_op_cost *c = e->ops[i].cost;
        if (strncmp(e->ops[i].row.name, "conv", 4) != 0)
            continue;
        time_s += c->cycles / 200e6;
        bytes += c->level_bytes[0];
        energy_j += c->compute_pj * 1e-12;
        for (uint32_t level = 1; level < e->n_levels; level++)
            for (int t = 0; t < SC_MAX_TENSORS; t++)
                energy_j += c->tensor_pj[level][t] * 1e-12;
    }
    const sc_budget *b = sc_design_budget(d);
    assert_true(fabs(got[0] - 4 / time_s) < 1e-9 * got[0]);
    assert_true(fabs(got[1] - (energy_j * 1.5 / time_s + 0.002 * b->area_mm2)) < 1e-9 * got[1]);
    assert_true(fabs(got[2] - bytes / 1e6) < 1e-9 * got[2]);
    assert_true(got[0] > sc_evaluation_metrics(e)->throughput_per_s); /* which has the pools too */
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    sc_design_destroy(d);
    sc_anchors_close(l);
}

static void bad_lists_are_refused_at_their_places(void **state)
{
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {"version: 1\n", "missing key 'anchors'"},
        {"version: 1\nanchors: []\n", ":2:10: error: a list has 1 to 1024 anchors"},
        {ROW "metric: area, published: 7, use: tuned}\n", "'area' is none of"},
        {ROW "metric: area_mm2, published: 0, use: tuned}\n", "a published figure is above 0"},
        {ROW "metric: area_mm2, published: 7, use: held}\n", "'held' is none of"},
        {ROW "metric: area_mm2, published: 7, use: tuned, aim: -1}\n", "an aim is 0 or more"},
        {ROW "metric: area_mm2, parts: MAC, published: 7, use: tuned}\n", "'parts' has no use"},
        {ROW "metric: area_share, published: 7, use: tuned}\n", "parts"},
        {ROW "metric: power_w, published: 7, use: tuned}\n", "workload"},
        {ROW "metric: tdp_w, publised: 7, use: tuned}\n", "did you mean 'published'?"},
        {ROW "metric: tdp_w, without: HBM, published: 7, use: tuned}\n", "'without' has no use"},
        {ROW "metric: tdp_w, ops: macs, published: 7, use: tuned}\n", "'ops' has no use"},
        {ROW "metric: dram_mb, workload: alexnet, ops: mac, published: 7, use: tuned}\n",
         "'mac' is none of"},
        {ROW "metric: tdp_w, workload: alexnet, published: 7, use: tuned}\n",
         "'workload' has no use"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        sc_anchors *l = NULL;
        const sc_status st = open_text(&l, *state, CASES[i].text);
        if (st != SC_EPARSE || !strstr(sc_error_message(), CASES[i].message))
            fail_msg("wanted %s\n%s", CASES[i].message, sc_error_message());
        assert_null(l);
    }
}

static void what_cannot_be_measured_is_refused(void **state)
{
    static const struct {
        const char *rest, *message;
    } CASES[] = {
        {"metric: area_share, parts: MAC+L9, published: 7, use: tuned}\n", "'MAC+L9'"},
        {"metric: power_w, workload: resnet5, published: 7, use: tuned}\n", "resnet5"},
        {"metric: power_w, workload: alexnet, without: L9, published: 7, use: tuned}\n",
         "'L9' is no level"},
    };
    const sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        sc_anchors *l = NULL;
        char text[512];
        double modelled = 42;
        snprintf(text, sizeof text, "%s%s", ROW, CASES[i].rest);
        assert_int_equal(open_text(&l, *state, text), SC_OK);
        assert_int_not_equal(sc_anchor_measure(&modelled, sc_anchors_get(l, 0), &o), SC_OK);
        assert_non_null(strstr(sc_error_message(), CASES[i].message));
        assert_true(modelled == 42);
        sc_anchors_close(l);
    }
}

static void no_memory_anywhere_leaves_nothing_behind(void **state)
{
    sc_anchors *l = NULL;
    sc_status st = SC_ENOMEM;
    const long before = sc_mem_live();
    for (long n = 0; st == SC_ENOMEM; n++) {
        const char *text = ROW "metric: area_mm2, published: 7, use: tuned}\n";
        sc_mem_fail_after(-1);
        assert_int_equal(sc_file_write(((file *)*state)->path, text, strlen(text)), SC_OK);
        sc_mem_fail_after(n);
        st = sc_anchors_open(&l, ((file *)*state)->path);
        sc_mem_fail_after(-1);
        if (st == SC_ENOMEM)
            assert_int_equal(sc_mem_live(), before);
    }
    assert_int_equal(st, SC_OK);
    sc_anchors_close(l);
    assert_int_equal(sc_mem_live(), before);
}

/* The project's own list: never more rows tuned to than held out, and the aims of those held out
 * are met. Speeds move with every change of the mapper: bench_platforms shows them. */
static void the_list_of_silicon_holds(void **state)
{
    const sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_anchors *l = NULL;
    size_t tuned = 0, missed = 0;
    if (sc_anchors_open(&l, SCANTLE_SOURCE_DIR "/configs/validation/silicon.yaml") != SC_OK)
        fail_msg("%s", sc_error_message());
    for (size_t i = 0; i < sc_anchors_count(l); i++) {
        const sc_anchor *a = sc_anchors_get(l, i);
        double modelled = 0;
        tuned += a->tuned;
        if (a->tuned || a->aim == 0 || a->workload)
            continue;
        if (sc_anchor_measure(&modelled, a, &o) != SC_OK)
            fail_msg("%s: %s", a->name, sc_error_message());
        if (fabs(sc_anchor_error(a, modelled)) > a->aim) {
            print_message("%s: %g, published %g\n", a->name, modelled, a->published);
            missed++;
        }
    }
    assert_true(2 * tuned <= sc_anchors_count(l));
    assert_int_equal(missed, 0);
    sc_anchors_close(l);
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, make_file, remove_file)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_platform_runs_a_network),
        cmocka_unit_test(a_chip_computes_in_its_own_width),
        cmocka_unit_test(a_chip_over_its_templates_limit_is_infeasible),
        WITH_FILE(anchors_are_measured_and_their_errors_told),
        WITH_FILE(anchors_may_be_of_a_part_of_the_run),
        WITH_FILE(bad_lists_are_refused_at_their_places),
        WITH_FILE(what_cannot_be_measured_is_refused),
        WITH_FILE(no_memory_anywhere_leaves_nothing_behind),
        cmocka_unit_test(the_list_of_silicon_holds),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
