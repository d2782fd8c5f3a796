/* Cycles: of systolic arrays by formula, and of tiled runs on RTL. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/csv.h"
#include "core/json.h"
#include "core/mem.h"
#include "flow/tiled_fit.h"
#include "flow/validate.h"
#include "model/count/systolic.h"
#include "scantle/calibrate.h"

/* ---- systolic arrays ---- */

/* Columns M, N, K, R, C, dataflow; cycles are `cycles` less `stalls` (SIZE_MAX: none). */
typedef struct table_columns {
    size_t value[5], dataflow, cycles, stalls;
} table_columns;

static bool row_agrees(const sc_csv *c, size_t row, const table_columns *at)
{
    static const char letters[] = "owi";
    int64_t v[5], cycles = 0, stalls = 0;
    for (unsigned i = 0; i < 5; i++)
        if (sc_csv_integer(&v[i], c, row, at->value[i]) != SC_OK || v[i] < 1)
            return false;
    const char flow = sc_csv_cell(c, row, at->dataflow)[0];
    const char *which = flow ? strchr(letters, flow) : NULL;
    if (!which || sc_csv_integer(&cycles, c, row, at->cycles) != SC_OK ||
        (at->stalls != SIZE_MAX && sc_csv_integer(&stalls, c, row, at->stalls) != SC_OK))
        return false;
    const sc_systolic_gemm g = {(uint64_t)v[0], (uint64_t)v[1], (uint64_t)v[2],
                                (uint64_t)v[3], (uint64_t)v[4], (sc_dataflow)(which - letters)};
    sc_systolic_cost cost;
    return sc_systolic_evaluate(&cost, &g, NULL) == SC_OK &&
           cost.cycles == (uint64_t)(cycles - stalls + 1); /* both sources print one less */
}

static void add_table(sc_validation *v, const char *what, const char *name, bool header,
                      const char *source)
{
    char *path = sc_validation_data(v, what, name);
    sc_csv *c = NULL;
    if (!path)
        return;
    if (sc_csv_open(&c, path) != SC_OK) {
        sc_validation_absent(v, what, sc_error_message());
        sc_free(path);
        return;
    }
    table_columns at = {{0, 1, 2, 3, 4}, 5, 6, SIZE_MAX};
    if (header)
        at = (table_columns){{sc_csv_find(c, "M"), sc_csv_find(c, "N"), sc_csv_find(c, "K"),
                              sc_csv_find(c, "array_h"), sc_csv_find(c, "array_w")},
                             sc_csv_find(c, "dataflow"),
                             sc_csv_find(c, "total_cycles"),
                             sc_csv_find(c, "stall_cycles")};
    sc_validation_row r = SC_VALIDATION_ROW(what);
    size_t agree = 0;
    const size_t first = header ? 1 : 0, rows = sc_csv_rows(c) - first;
    for (size_t row = first; row < sc_csv_rows(c); row++)
        agree += row_agrees(c, row, &at);
    r.published = (double)rows;
    r.modelled = (double)agree;
    r.unit = "rows whose cycles agree";
    r.error = rows ? 100 * ((double)agree / (double)rows - 1) : (double)NAN;
    r.aim = 0;
    r.use = "exact";
    r.source = source;
    sc_validation_add(v, &r);
    sc_csv_close(c);
    sc_free(path);
}

void sc_validate_systolic(sc_validation *v)
{
    sc_validation_begin(v, "Cycles of systolic arrays",
                        "Matrix products on one array, against published tables and a cycle "
                        "simulator.");
    add_table(v, "Look-up table, 8 x 8", "systolic/look_up_table_8_8.csv", false,
              "published with an LLM hardware model");
    add_table(v, "Look-up table, 32 x 32", "systolic/look_up_table_32_32.csv", false,
              "published with an LLM hardware model");
    add_table(v, "Cycle simulator", "systolic/goldens.csv", true, "runs of a public simulator");
}

/* ---- RTL ---- */

enum { MAX_TABLES = 3 };

typedef struct rtl_set {
    const char *what, *target;
    const char *table[MAX_TABLES];
    size_t n_tables;
    const char *analytic; /* column of the cycles that came with the data, or NULL */
    bool aimed;
    const char *source;
} rtl_set;

static void add_quality(sc_validation *v, const rtl_set *s, const char *by, const char *use,
                        const sc_fit_quality *q, bool aimed)
{
    const struct {
        const char *name, *unit;
        double value, aim;
    } figures[] = {{"mean error", "%", 100 * q->mape, 20},
                   {"median error", "%", 100 * q->median, 12},
                   {"share within 20 %", "%", 100 * q->within_20, (double)NAN},
                   {"rank correlation", "Spearman", q->spearman, 0.98}};
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++) {
        char what[160];
        (void)snprintf(what, sizeof what, "%s, %s: %s", s->what, by, figures[i].name);
        sc_validation_row r = SC_VALIDATION_ROW(what);
        r.modelled = figures[i].value;
        r.unit = figures[i].unit;
        r.aim = aimed && s->aimed ? figures[i].aim : (double)NAN;
        r.use = use;
        r.source = s->source;
        sc_validation_add(v, &r);
    }
}

static sc_fit_quality quality_of(const json_t *doc, const char *key)
{
    const json_t *q = json_object_get(doc, key);
    return (sc_fit_quality){.mape = json_number_value(json_object_get(q, "mape")),
                            .median = json_number_value(json_object_get(q, "median")),
                            .within_20 = json_number_value(json_object_get(q, "within_20")),
                            .spearman = json_number_value(json_object_get(q, "spearman"))};
}

/* The analytic model that came with the data, for comparison. */
static void add_analytic(sc_validation *v, const rtl_set *s, const char *const *paths)
{
    sc_measured theirs = {0}, measured = {0};
    sc_fit_quality q;
    if (sc_measured_read(&theirs, paths, s->n_tables, s->analytic, "layer", SC_TILED_GEMMINI) ==
            SC_OK &&
        sc_measured_read(&measured, paths, s->n_tables, s->target, "layer", SC_TILED_GEMMINI) ==
            SC_OK &&
        sc_fit_quality_of(&q, theirs.cycles, measured.cycles, measured.n) == SC_OK)
        add_quality(v, s, "the analytic model that came with it", NULL, &q, false);
    sc_measured_clear(&theirs);
    sc_measured_clear(&measured);
}

static void add_rtl(sc_validation *v, const rtl_set *s)
{
    char *paths[MAX_TABLES] = {NULL}, *text = NULL;
    json_t *doc = NULL;
    sc_calibrate_options o = SC_CALIBRATE_OPTIONS_INIT;
    bool there = true;
    o.target = s->target;
    for (size_t i = 0; i < s->n_tables && there; i++)
        there = (paths[i] = sc_validation_data(v, s->what, s->table[i])) != NULL;
    const char *const *tables = (const char *const *)paths;
    if (there && sc_calibrate(NULL, &text, tables, s->n_tables, &o) == SC_OK &&
        sc_json_parse(&doc, "calibration", text, strlen(text)) == SC_OK) {
        sc_fit_quality q = quality_of(doc, "uncalibrated");
        add_quality(v, s, "no measurement used", "unfitted", &q, false);
        q = quality_of(doc, "held_out");
        add_quality(v, s, "calibrated, layers held out", "held-out", &q, true);
        q = quality_of(doc, "fitted");
        add_quality(v, s, "calibrated on the same rows", "fitted", &q, false);
        if (s->analytic)
            add_analytic(v, s, tables);
    } else if (there) {
        sc_validation_absent(v, s->what, sc_error_message());
    }
    json_decref(doc);
    sc_free(text);
    for (size_t i = 0; i < s->n_tables; i++)
        sc_free(paths[i]);
}

void sc_validate_rtl(sc_validation *v)
{
    static const char *const pairs[MAX_TABLES] = {"rtl/model_and_rtl_analytical.csv",
                                                  "rtl/model_and_rtl_both.csv",
                                                  "rtl/model_and_rtl_dnn.csv"};
    const rtl_set sets[] = {
        {.what = "Random mappings",
         .target = "rtl_cycles",
         .table = {"rtl/random_mappings.csv.gz"},
         .n_tables = 1,
         .aimed = true,
         .source = "1,290 RTL runs on an FPGA (BSD-2)"},
        {.what = "Pairs on 16 x 16",
         .target = "target.gemmini_cycle",
         .table = {pairs[0], pairs[1], pairs[2]},
         .n_tables = MAX_TABLES,
         .analytic = "target.cycle",
         .aimed = true,
         .source = "213 RTL runs (BSD-2)"},
        {.what = "The same layers, tiled by the hardware's own library",
         .target = "target.gemmini_auto_cycle",
         .table = {pairs[0], pairs[1], pairs[2]},
         .n_tables = MAX_TABLES,
         .source = "213 RTL runs whose tiling is not recorded: the mapping beside them stands in"},
    };
    sc_validation_begin(
        v, "Cycles of tiled runs on RTL",
        "Layers run tile by tile on a systolic array, against RTL. Ten factors are "
        "calibrated; in `layers held out`, each layer is predicted by a fit that saw "
        "no run of it (five folds). The form of the model itself was found with all "
        "layers in sight. See docs/algorithms/calibration.md.");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        add_rtl(v, &sets[i]);
}
