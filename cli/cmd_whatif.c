/** `scantle whatif DESIGN WORKLOAD --set ...`: what a change does, against the base. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/whatif.h"
#include "show.h"

typedef struct whatif_values {
    sc_cli_list sets;
    bool sensitivity;
    sc_cli_model_values model;
} whatif_values;

/* ---- the table of variants ---- */

typedef struct figure {
    const char *key, *heading;
    sc_cli_form form;
} figure;

static const figure figures[] = {
    {"latency_s", "latency", SC_CLI_AS_SECONDS}, {"throughput_per_s", "throughput", SC_CLI_AS_RATE},
    {"energy_j", "energy", SC_CLI_AS_JOULE},     {"tdp_w", "TDP", SC_CLI_AS_WATT},
    {"area_mm2", "area", SC_CLI_AS_MM2},         {"perf_per_tdp", "perf/TDP", SC_CLI_AS_NUMBER}};
enum { N_FIGURES = sizeof figures / sizeof *figures, TEXT_BYTES = 128 };

/* One row: figures, each of a variant with its change against the base ("2.1 ms (-13.0 %)"). */
static void add_row(sc_cli_table *table, const char *set, const json_t *row)
{
    const json_t *ratio = json_object_get(row, "ratio");
    sc_cli_table_cell(table, "%s", set);
    for (size_t i = 0; i < N_FIGURES; i++) {
        const json_t *change = json_object_get(ratio, figures[i].key);
        char text[TEXT_BYTES];
        sc_cli_format(text, sizeof text, json_object_get(row, figures[i].key), figures[i].form);
        if (json_is_number(change))
            sc_cli_table_cell(table, "%s (%+.1f %%)", text, 100 * (json_number_value(change) - 1));
        else
            sc_cli_table_cell(table, "%s", text);
    }
}

static sc_status show_variants(const json_t *root)
{
    const json_t *variants = json_object_get(root, "variants");
    sc_cli_column columns[1 + N_FIGURES] = {{"change", false}};
    sc_cli_table table;

    for (size_t i = 0; i < N_FIGURES; i++)
        columns[1 + i] = (sc_cli_column){figures[i].heading, true};
    sc_cli_table_begin(&table, columns, 1 + N_FIGURES);
    add_row(&table, "(base)", json_object_get(root, "base"));
    for (size_t i = 0; i < json_array_size(variants); i++) {
        const json_t *row = json_array_get(variants, i);
        bool feasible = json_is_true(json_object_get(row, "feasible"));
        char set[TEXT_BYTES];
        (void)snprintf(set, sizeof set, "%s%s", json_string_value(json_object_get(row, "set")),
                       feasible ? "" : " (infeasible)");
        add_row(&table, set, row);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* Time an op loses by the change; 0 where it cannot run before or after. */
static double time_lost(const json_t *op)
{
    const json_t *before = json_object_get(op, "base_time_s");
    const json_t *after = json_object_get(op, "time_s");
    const bool both = json_is_number(before) && json_is_number(after);
    return both ? json_number_value(after) - json_number_value(before) : 0;
}

/* One op of the list and its place there. */
typedef struct change {
    const json_t *op;
    size_t at;
} change;

static int most_lost_first(const void *a, const void *b)
{
    const change *x = a, *y = b;
    const double lost_x = time_lost(x->op), lost_y = time_lost(y->op);
    if (lost_x != lost_y)
        return lost_x > lost_y ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The ops whose time or bound changed, those that lose most time first; NULL on out of memory. */
static json_t *changed_ops(const json_t *ops)
{
    const size_t n = json_array_size(ops);
    change *list = calloc(n + 1, sizeof *list);
    json_t *sorted = json_array();
    size_t n_changed = 0;

    for (size_t i = 0; list != NULL && i < n; i++) {
        const json_t *op = json_array_get(ops, i);
        if (!json_equal(json_object_get(op, "time_s"), json_object_get(op, "base_time_s")) ||
            !json_equal(json_object_get(op, "bound"), json_object_get(op, "base_bound")))
            list[n_changed++] = (change){op, i};
    }
    if (n_changed > 0)
        qsort(list, n_changed, sizeof *list, most_lost_first);
    for (size_t i = 0; i < n_changed; i++) {
        json_t *op = json_copy((json_t *)(uintptr_t)list[i].op);
        (void)json_object_set_new(op, "lost_s", json_real(time_lost(list[i].op)));
        (void)json_array_append_new(sorted, op);
    }
    const bool whole = list != NULL && json_array_size(sorted) == n_changed;
    free(list);
    if (whole)
        return sorted;
    json_decref(sorted);
    return NULL;
}

/* Per op, where there is one variant. */
static sc_status show_ops(const json_t *ops)
{
    static const sc_cli_field fields[] = {{"name", "op", SC_CLI_AS_TEXT},
                                          {"base_time_s", "time before", SC_CLI_AS_SECONDS},
                                          {"time_s", "after", SC_CLI_AS_SECONDS},
                                          {"lost_s", "lost", SC_CLI_AS_SECONDS},
                                          {"base_bound", "bound before", SC_CLI_AS_TEXT},
                                          {"bound", "after", SC_CLI_AS_TEXT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    json_t *changed = changed_ops(ops);
    if (changed == NULL)
        return sc_fail(SC_ENOMEM, "out of memory for a table");
    char heading[TEXT_BYTES];
    (void)snprintf(heading, sizeof heading, "Ops that change: %zu of %zu", json_array_size(changed),
                   json_array_size(ops));
    sc_cli_show_heading(heading);
    sc_status st = sc_cli_show_rows(changed, fields);
    json_decref(changed);
    return st;
}

static sc_status show_whatif(const json_t *root)
{
    const json_t *variants = json_object_get(root, "variants");
    sc_status st = show_variants(root);
    if (st == SC_OK && json_array_size(variants) == 1)
        st = show_ops(json_object_get(json_array_get(variants, 0), "op_list"));
    return st;
}

/* ---- the run ---- */

static bool any_feasible(const sc_whatif *x)
{
    for (size_t i = 0; i < sc_whatif_variants(x); i++)
        if (sc_evaluation_feasible(sc_whatif_variant(x, i)))
            return true;
    return false;
}

static int compare(const sc_cli *cli, const sc_design *design, const sc_workload *workload)
{
    const whatif_values *v = cli->values;
    const sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    sc_whatif *whatif = NULL;
    char *document = NULL;

    sc_cli_say_idle_nodes(&v->model, design, &how.rules);
    sc_status st = v->sensitivity
                       ? sc_whatif_sensitivity(&whatif, design, workload, &how)
                       : sc_whatif_create(&whatif, design, workload, v->sets.item, v->sets.n, &how);
    if (st == SC_OK)
        st = sc_whatif_json(&document, whatif);
    int code = st == SC_OK ? sc_cli_show(cli, document, show_whatif) : sc_cli_fail_input(st);
    if (code == SC_EXIT_OK && !any_feasible(whatif))
        code = SC_EXIT_INFEASIBLE;
    sc_whatif_destroy(whatif);
    return code;
}

static int run(const sc_cli *cli)
{
    const whatif_values *v = cli->values;
    sc_design *design = NULL;
    sc_workload *workload = NULL;

    if (v->sensitivity == (v->sets.n > 0)) {
        sc_cli_error("give either --set, once or more, or --sensitivity");
        return SC_EXIT_USAGE;
    }
    int code = sc_cli_open_pair(cli, &design, &workload);
    if (code == SC_EXIT_OK)
        code = compare(cli, design, workload);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

#define AT(field) offsetof(whatif_values, field)
static const sc_cli_option options[] = {
    {.name = "set",
     .letter = 's',
     .kind = SC_CLI_LIST,
     .argument = "NAME=VALUE,...",
     .offset = AT(sets),
     .help = "parameters to change together; each --set is a variant of its own"},
    {.name = "sensitivity",
     .kind = SC_CLI_FLAG,
     .offset = AT(sensitivity),
     .help = "every parameter one step down and one step up instead"},
    SC_CLI_MODEL_OPTIONS(offsetof(whatif_values, model)),
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle whatif fast:pes_x=8,l3_global=16MiB resnet50 --set l3_global=64MiB",
     "One change: totals, and the ops that get faster, slower or another bound."},
    {"scantle whatif fast resnet50 -s l3_global=32MiB -s l3_global=64MiB,pes_x=16",
     "Several variants in one table."},
    {"scantle whatif fast resnet50 --sensitivity --json", "Every parameter one step, as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_whatif = {
    .name = "whatif",
    .summary = "Show what changed parameters do to a network, against the base",
    .about = "Exit code 2 if no variant is feasible.",
    .examples = examples,
    .operands = sc_cli_pair_operands,
    .options = options,
    .values_size = sizeof(whatif_values),
    .run = run,
};
