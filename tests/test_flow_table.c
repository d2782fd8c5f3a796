/* Recorded tables as evaluators: what a file means, what is refused and where, and the true front.
 */
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

#include "core/csv.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/rng.h"
#include "flow/study.h"
#include "flow/table.h"
#include "flow_support.h"
#include "search/pareto.h"

static void put(void **state, const char *name, const char *text)
{
    assert_int_equal(sc_file_write(flow_path(state, name), text, strlen(text)), SC_OK);
}

/* A study of t.csv: lines of the evaluator, then of the study. */
static const char *study_file(void **state, const char *evaluator, const char *more)
{
    char text[4000];
    snprintf(text, sizeof text, "version: 1\nname: t\nevaluator:\n%s%s", evaluator, more);
    put(state, "study.yaml", text);
    return flow_path(state, "study.yaml");
}

static sc_study *open_study(const char *path)
{
    sc_study *s = NULL;
    if (sc_study_open(&s, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    return s;
}

/* One point by its text: state, violation, reasons, values. */
static sc_row at(const sc_study *s, const char *point, double *values)
{
    uint32_t index[SC_MAX_PARAMS];
    sc_row row = {.values = values};
    if (sc_space_parse(s->space, point, index) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_table_evaluate(&row, s, index);
    return row;
}

/* size is ordered by value, though it stands as text order 10 < 9; 1.0 and 1 are one value. */
static const char table[] = "size,mode,cycles,area,ok\n"
                            "10,fast,100,5,yes\n"
                            "9,fast,1000,4,yes\n"
                            "1.0,fast,10000,2,yes\n"
                            "10,slow,200,3,no\n"
                            "9,slow,,,crash\n"
                            "1,slow,100000,1,yes\n";
static const char evaluator[] = "  table: t.csv\n"
                                "  parameters: [size, mode]\n"
                                "  infeasible: \"ok == 'no'\"\n"
                                "  failed: {ok: crash}\n"
                                "  values: {log_cycles: log10(cycles), rate: 1000 / cycles}\n";
static const char objectives[] =
    "objectives: [{metric: log_cycles, goal: min}, {metric: area, goal: min}]\n";

static void test_rows_by_hand(void **state)
{
    double v[3];
    put(state, "t.csv", table);
    sc_study *s = open_study(study_file(state, evaluator, objectives));
    const sc_space_param *size = sc_space_param_at(s->space, 0);
    assert_int_equal(size->kind, SC_SPACE_ORDINAL);
    assert_int_equal(size->n_values, 3);
    assert_true(size->values[0] == 1 && size->values[1] == 9 && size->values[2] == 10);
    assert_int_equal(sc_space_param_at(s->space, 1)->kind, SC_SPACE_CATEGORICAL);
    assert_int_equal(s->n_values, 3); /* the objectives first: log_cycles, area, then rate */
    sc_row r = at(s, "size=9,mode=fast", v);
    assert_int_equal(r.state, SC_STATE_FEASIBLE);
    assert_true(fabs(v[0] - 3) < 1e-15 && v[1] == 4 && v[2] == 1);
    r = at(s, "size=1,mode=fast", v);
    assert_true(r.state == SC_STATE_FEASIBLE && fabs(v[0] - 4) < 1e-15 && v[1] == 2);
    r = at(s, "size=10,mode=slow", v);
    assert_true(r.state == SC_STATE_INFEASIBLE && r.violation == 1 && v[1] == 3);
    assert_string_equal(r.reasons, "[{\"code\":\"recorded\",\"where\":\"line 5\"}]");
    r = at(s, "size=9,mode=slow", v);
    assert_int_equal(r.state, SC_STATE_FAILED);
    assert_true(isnan(v[0]) && isnan(v[1]));
    assert_string_equal(r.reasons, "[{\"code\":\"recorded\",\"where\":\"line 6\"}]");
    sc_study_close(s);
}

static void test_limits_and_violations(void **state)
{
    double v[3];
    put(state, "t.csv", table);
    sc_study *s = open_study(study_file(state, evaluator,
                                        "objectives: [{metric: rate, goal: max}]\n"
                                        "limits: {area: {max: 4}}\n"));
    sc_row r = at(s, "size=10,mode=fast", v);
    assert_int_equal(r.state, SC_STATE_INFEASIBLE);
    assert_true(r.violation == 0.25); /* 5 of 4 */
    sc_study_close(s);
}

static void test_violation_makes_infeasible(void **state)
{
    double v[2];
    put(state, "t.csv", "a,f\n1,1\n2,7\n3,3\n");
    sc_study *s = open_study(study_file(state,
                                        "  table: t.csv\n  parameters: [a]\n"
                                        "  violation: f - 2.5\n",
                                        "objectives: [{metric: f, goal: min}]\n"));
    assert_int_equal(at(s, "a=1", v).state, SC_STATE_FEASIBLE);
    assert_true(at(s, "a=2", v).violation == 4.5 && at(s, "a=3", v).violation == 0.5);
    assert_int_equal(at(s, "a=3", v).state, SC_STATE_INFEASIBLE);
    sc_study_close(s);
}

/* A grid of 2 x 2 of which one point is not recorded. */
static void test_missing_rows(void **state)
{
    static const char form[] = "  table: t.csv\n  parameters: [a, b]\n  missing: %s\n"
                               "  violation: f - 4\n";
    static const char goal[] = "objectives: [{metric: f, goal: min}]\n";
    char text[200];
    double v[1];
    sc_space_size size;
    put(state, "t.csv", "a,b,f\n1,1,3\n1,2,4\n2,1,9.5\n");
    snprintf(text, sizeof text, form, "infeasible");
    sc_study *s = open_study(study_file(state, text, goal));
    sc_row r = at(s, "a=2,b=2", v);
    assert_true(r.state == SC_STATE_INFEASIBLE && r.violation == 5.5 && isnan(v[0]));
    assert_string_equal(r.reasons, "[{\"code\":\"missing\",\"where\":\"not in the table\"}]");
    sc_study_close(s);
    snprintf(text, sizeof text, form, "failed");
    s = open_study(study_file(state, text, goal));
    assert_int_equal(at(s, "a=2,b=2", v).state, SC_STATE_FAILED);
    sc_study_close(s);
    snprintf(text, sizeof text, form, "excluded");
    s = open_study(study_file(state, text, goal));
    sc_space_size_of(s->space, &size);
    assert_true(size.product == 4 && size.valid == 3);
    sc_study_close(s);
}

/* Parameters of several columns, and places among the choices of a group: by hand. */
static void test_columns_together(void **state)
{
    double v[1];
    put(state, "t.csv", "w,p,q,f\n1,8,2,1\n1,16,1,2\n2,9,1,3\n2,100,1,4\n2,9,x,5\n");
    sc_study *s = open_study(study_file(state,
                                        "  table: t.csv\n  missing: failed\n  parameters:\n"
                                        "  - w\n"
                                        "  - {name: pq, columns: [p, q], within: w}\n",
                                        "objectives: [{metric: f, goal: min}]\n"));
    const sc_space_param *pq = sc_space_param_at(s->space, 1);
    assert_true(pq->n_values == 3 && pq->values[2] == 2);
    (void)at(s, "w=1,pq=0", v);
    assert_true(v[0] == 1);
    (void)at(s, "w=1,pq=1", v);
    assert_true(v[0] == 2);
    (void)at(s, "w=2,pq=0", v); /* 9/1, before 9/x, before 100/1 */
    assert_true(v[0] == 3);
    (void)at(s, "w=2,pq=1", v);
    assert_true(v[0] == 5);
    (void)at(s, "w=2,pq=2", v);
    assert_true(v[0] == 4);
    assert_int_equal(at(s, "w=1,pq=2", v).state, SC_STATE_FAILED);
    sc_study_close(s);
    s = open_study(study_file(state,
                              "  table: t.csv\n  missing: failed\n  parameters:\n"
                              "  - {column: w, kind: categorical}\n"
                              "  - {name: pq, columns: [p, q]}\n",
                              "objectives: [{metric: f, goal: min}]\n"));
    (void)at(s, "w=2,pq=100/1", v);
    assert_true(v[0] == 4);
    assert_int_equal(at(s, "w=1,pq=100/1", v).state, SC_STATE_FAILED);
    sc_study_close(s);
}

static void test_json_and_renamed(void **state)
{
    double v[1];
    put(state, "t.json",
        "{\"rows\": {\"k1\": {\"x\": 2, \"on\": true, \"GB/s\": 8},"
        " \"k2\": {\"x\": 4, \"on\": true, \"GB/s\": \"Error\"}, \"k3\": {\"x\": 2, \"on\": "
        "false, \"GB/s\": 5}, \"k4\": {\"x\": 4, \"on\": false}}}");
    sc_study *s = open_study(study_file(state,
                                        "  table: t.json\n  rows: rows\n"
                                        "  rename: {rate: GB/s}\n  parameters: ['on', x]\n"
                                        "  failed: {rate: [Error, '']}\n",
                                        "objectives: [{metric: rate, goal: max}]\n"));
    (void)at(s, "on=true,x=2", v);
    assert_true(v[0] == 8);
    assert_string_equal(at(s, "on=true,x=4", v).reasons,
                        "[{\"code\":\"recorded\",\"where\":\"row 2\"}]");
    assert_int_equal(at(s, "on=false,x=4", v).state, SC_STATE_FAILED);
    sc_study_close(s);
}

static void assert_refused(void **state, const char *csv, const char *form, const char *more,
                           const char *says)
{
    sc_study *s = NULL;
    put(state, "t.csv", csv);
    assert_int_equal(sc_study_open(&s, study_file(state, form, more), NULL), SC_EPARSE);
    assert_null(s);
    if (!strstr(sc_error_message(), says))
        fail_msg("'%s' is not in '%s'", says, sc_error_message());
    assert_non_null(strstr(sc_error_message(), "study.yaml:"));
}

#define PLAIN "  table: t.csv\n  parameters: [a]\n"
#define GOAL  "objectives: [{metric: f, goal: min}]\n"

static void test_refuses_with_places(void **state)
{
    static const struct {
        const char *csv, *form, *more, *says;
    } bad[] = {
        {"a,f\n1,2\n2,3\n1,4\n", PLAIN, GOAL, "t.csv:4:1: the parameters of line 2 again"},
        {"a,f\n1,2\n1.0,3\n", PLAIN, GOAL, "t.csv:3:1: the parameters of line 2 again"},
        {"a,f\n1,2\n2,nan\n", PLAIN, GOAL, "t.csv:3:3: 'nan' is not a finite number"},
        {"a,f\n1,2\n2,\n", PLAIN, GOAL, "t.csv:3:3: 'f' is missing here"},
        {"a,f\n1,2\n,3\n", PLAIN, GOAL, "t.csv:3:1: parameter 'a' has no value here"},
        {"a,f\n1,2\nNaN,3\n", PLAIN, GOAL, "t.csv:3:1: parameter 'a' is not a number here"},
        {"a,f\n1,2\nx,3\n", PLAIN, GOAL, "t.csv:3:1: parameter 'a' has both numbers and texts"},
        {"a,f\n1,2\n3\n", PLAIN, GOAL, "t.csv:3:1: this row has 1 cells, the heading has 2"},
        {"a,f\n", PLAIN, GOAL, "t.csv:1:1: no row behind the heading"},
        {"a,f\n1,0\n", PLAIN "  values: {g: log10(f)}\n", "objectives: [{metric: g, goal: min}]\n",
         "t.csv:2:3: 'g' (log10(f)) has no value"},
        {"a,f\n1,2\n", PLAIN "  values: {g: log10(h)}\n", GOAL, "study.yaml:6:21: error: unknown"},
        {"a,f\n1,2\n", PLAIN, "objectives: [{metric: ff, goal: min}]\n",
         ":6:23: error: 'ff' is no column of the table and none of its `values` (did you mean 'f'"},
        {"a,f\n1,2\n", PLAIN, "objectives: [f]\n", "say {metric: f, goal: min}"},
        {"aa,f\n1,2\n", PLAIN, GOAL, ":5:16: error: "},
        {"a,f,a\n1,2,3\n", PLAIN, GOAL, "has two columns 'a'"},
        {"a,b,f\n1,1,2\n2,2,3\n", "  table: t.csv\n  parameters: [a, b]\n", GOAL,
         "has 2 of the 4 points of its parameters"},
        {"a,f\n1,2\n", PLAIN, "template: fast\n" GOAL, "no `template:`"},
        {"a,f\n1,2\n", PLAIN, "networks: [resnet50]\n" GOAL, "knows no networks"},
        {"a,f\n1,2\n", PLAIN "  lines: 3\n", GOAL, "unknown key 'lines'"},
        {"a,f\n1,2\n", PLAIN "  missing: silent\n", GOAL, "silent"},
        {"a,f\n1,2\n", "  table: nothing.csv\n  parameters: [a]\n", GOAL, "nothing.csv"},
        {"a,f\n1,2\n", PLAIN, GOAL "space: {restrict: {a: [3]}}\n", "3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(state, bad[i].csv, bad[i].form, bad[i].more, bad[i].says);
}

static void id_of(char id[33], const char *path)
{
    sc_study *s = open_study(path);
    sc_study_id(id, s);
    sc_study_close(s);
}

/* The content of the table and its expressions name the study; where it lies does not. */
static void test_what_names_the_study(void **state)
{
    char one[33], other[33];
    put(state, "t.csv", table);
    put(state, "u.csv", table);
    id_of(one, study_file(state, evaluator, objectives));
    id_of(other, study_file(state,
                            "  {table: u.csv, parameters: [size, mode], failed: {ok: crash},"
                            " infeasible: \"ok == 'no'\", values: {log_cycles: log10(cycles),"
                            " rate: 1000 / cycles}}\n",
                            objectives));
    assert_string_equal(one, other);
    id_of(other, study_file(state,
                            "  {table: u.csv, parameters: [size, mode], failed: {ok: crash},"
                            " infeasible: \"ok == 'no'\", values: {log_cycles: log10(cycles + 1),"
                            " rate: 1000 / cycles}}\n",
                            objectives));
    assert_string_not_equal(one, other);
    char changed[sizeof table];
    strcpy(changed, table);
    *strstr(changed, "10000,2") = '3'; /* one figure of one row; the space is the same */
    put(state, "t.csv", changed);
    id_of(other, study_file(state, evaluator, objectives));
    assert_string_not_equal(one, other);
}

/* A run tries what the table has, and two short runs are one long one. */
static void test_runs_and_resumes(void **state)
{
    char csv[4000] = "x,y,cost\n", *to = csv + strlen(csv);
    for (int x = 0; x < 12; x++)
        for (int y = 0; y < 12; y++)
            to += sprintf(to, "%d,%d,%d\n", x, y, (x - 7) * (x - 7) + (y - 3) * (y - 3));
    put(state, "t.csv", csv);
    const char *path = study_file(state, "  table: t.csv\n  parameters: [x, y]\n",
                                  "objectives: [{metric: cost, goal: min}]\nbatch: 5\n");
    const char *whole = flow_path(state, "a.db"), *parts = flow_path(state, "b.db");
    sc_study_outcome o = flow_run(path, whole, 1, 1000);
    assert_int_equal(o.trials, 144);
    assert_int_equal(o.feasible, 144);
    assert_int_equal(o.why, SC_STOP_EXHAUSTED);
    (void)flow_run(path, parts, 2, 33);
    (void)flow_run(path, parts, 1, 1000);
    char *a = flow_export(path, whole), *b = flow_export(path, parts);
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "x,y"));
    assert_non_null(strstr(a, "table:"));
    sc_release(a);
    sc_release(b);
}

/* ---- the true front, against one found by comparing all pairs ---- */

enum { SIDE = 6, POINTS = SIDE * SIDE };

typedef struct drawn {
    double f[POINTS], g[POINTS];
    bool ok[POINTS];
} drawn;

static void draw(drawn *d, char *csv, uint64_t seed)
{
    sc_rng r;
    sc_rng_init(&r, 11, 1, seed);
    csv += sprintf(csv, "x,y,f,g,ok\n");
    for (int i = 0; i < POINTS; i++) {
        d->f[i] = (double)gsl_rng_uniform_int(&r.gsl, 20);
        d->g[i] = (double)gsl_rng_uniform_int(&r.gsl, 20);
        d->ok[i] = gsl_rng_uniform_int(&r.gsl, 3) > 0;
        csv += sprintf(csv, "%d,%d,%g,%g,%s\n", i / SIDE, i % SIDE, d->f[i], d->g[i],
                       d->ok[i] ? "y" : "n");
    }
}

/* f is minimised, g maximised, x is 1 to 4, y * x at most 12, g at least 2. */
static bool in_study(const drawn *d, int i)
{
    const int x = i / SIDE, y = i % SIDE;
    return d->ok[i] && x >= 1 && x <= 4 && x * y <= 12 && d->g[i] >= 2;
}

/* Area below the greatest f and above the least g, in unit squares: every figure is whole. */
static double squares(const drawn *d, double top, double bottom)
{
    double n = 0;
    for (double f = 0; f < top; f++)
        for (double g = 20; g > bottom; g--) {
            bool dominated = false;
            for (int i = 0; i < POINTS && !dominated; i++)
                dominated = in_study(d, i) && d->f[i] <= f && d->g[i] >= g;
            n += dominated;
        }
    return n;
}

static void test_front_equals_naive(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        drawn d;
        char csv[2000];
        double ref[2], volume, top = -1, bottom = 99;
        size_t front, naive = 0;
        draw(&d, csv, seed);
        put(state, "t.csv", csv);
        sc_study *s = open_study(
            study_file(state, "  table: t.csv\n  parameters: [x, y]\n  infeasible: \"ok != 'y'\"\n",
                       "objectives: [{metric: f, goal: min}, {metric: g, goal: max}]\n"
                       "limits: {g: {min: 2}}\n"
                       "space: {restrict: {x: [1, 2, 3, 4]}, constraints: {c: x * y <= 12}}\n"));
        assert_int_equal(sc_table_front(ref, &volume, &front, s), SC_OK);
        for (int i = 0; i < POINTS; i++) {
            bool best = in_study(&d, i);
            if (!best)
                continue;
            top = fmax(top, d.f[i]);
            bottom = fmin(bottom, d.g[i]);
            for (int k = 0; k < POINTS && best; k++) {
                const bool same = d.f[k] == d.f[i] && d.g[k] == d.g[i];
                best =
                    !(in_study(&d, k) && d.f[k] <= d.f[i] && d.g[k] >= d.g[i] && (!same || k < i));
            }
            naive += best;
        }
        assert_int_equal(front, naive);
        assert_true(ref[0] == top && ref[1] == -bottom);
        assert_true(volume == squares(&d, top, bottom));
        sc_study_close(s);
    }
}

/* The published front of the FPGA table, all of it and nothing else. */
static void test_published_front(void **state)
{
    const char *data = getenv("SCANTLE_DATA");
    char text[1500], path[400];
    double ref[2], volume, published;
    size_t front;
    sc_csv *c = NULL;
    const char *folder = data ? data : SCANTLE_SOURCE_DIR "/../shared/data";
    snprintf(path, sizeof path, "%s/search/fpga_blackscholes_pareto.csv", folder);
    if (sc_csv_open(&c, path) != SC_OK) {
        print_message("SKIPPED: no reference data\n");
        skip();
    }
    snprintf(text, sizeof text,
             "  table: %s/search/fpga_blackscholes_exhaustive.csv.gz\n"
             "  parameters: [B, OP, IP, x1873]\n  infeasible: \"Valid == 'false'\"\n"
             "  values: {cycles: log10(Cycles), alms: log10(ALMs)}\n",
             folder);
    sc_study *s = open_study(study_file(
        state, text, "objectives: [{metric: cycles, goal: min}, {metric: alms, goal: min}]\n"));
    assert_int_equal(sc_table_rows(s->table), 76800); /* 200 x 2 x 96 x 2 */
    assert_int_equal(sc_table_front(ref, &volume, &front, s), SC_OK);
    assert_int_equal(front, sc_csv_rows(c) - 1);
    double *f = calloc(front, 2 * sizeof *f);
    for (size_t i = 0; i < front; i++)
        for (size_t j = 0; j < 2; j++) {
            assert_int_equal(
                sc_csv_number(&f[2 * i + j], c, i + 1, sc_csv_find(c, j ? "ALMs" : "Cycles")),
                SC_OK);
            f[2 * i + j] = log10(f[2 * i + j]);
        }
    assert_int_equal(sc_hypervolume(&published, f, front, 2, ref), SC_OK);
    assert_true(fabs(published - volume) < 1e-12 * volume);
    free(f);
    sc_csv_close(c);
    sc_study_close(s);
}

static void test_front_of_nothing(void **state)
{
    double ref[1], volume;
    size_t front;
    put(state, "t.csv", "a,f\n1,2\n2,3\n");
    sc_study *s = open_study(study_file(state, PLAIN "  violation: f\n", GOAL));
    assert_int_equal(sc_table_front(ref, &volume, &front, s), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "no feasible row"));
    sc_study_close(s);
}

static void test_out_of_memory(void **state)
{
    put(state, "t.csv", table);
    const char *path = study_file(state, evaluator, objectives);
    const long live = sc_mem_live();
    long n = 0;
    for (sc_status st = SC_ENOMEM; st != SC_OK; n++) {
        sc_study *s = NULL;
        sc_mem_fail_after(n);
        st = sc_study_open(&s, path, NULL);
        sc_mem_fail_after(-1);
        assert_true(st == SC_OK || (st == SC_ENOMEM && s == NULL));
        sc_study_close(s);
        assert_int_equal(sc_mem_live(), live);
    }
    assert_true(n > 50);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, flow_set_up, flow_tear_down)

int main(void)
{
    const struct CMUnitTest t[] = {
        WITH_FOLDER(test_rows_by_hand),
        WITH_FOLDER(test_limits_and_violations),
        WITH_FOLDER(test_violation_makes_infeasible),
        WITH_FOLDER(test_missing_rows),
        WITH_FOLDER(test_columns_together),
        WITH_FOLDER(test_json_and_renamed),
        WITH_FOLDER(test_refuses_with_places),
        WITH_FOLDER(test_what_names_the_study),
        WITH_FOLDER(test_runs_and_resumes),
        WITH_FOLDER(test_front_equals_naive),
        WITH_FOLDER(test_published_front),
        WITH_FOLDER(test_front_of_nothing),
        WITH_FOLDER(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("flow_table", t, NULL, NULL);
}
