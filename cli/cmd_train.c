/** `scantle train`: a surrogate learned from a log of designs. */
#include <jansson.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "show.h"
#include "surrogate.h"

typedef struct train_values {
    const char *csv, *target, *feasible, *group, *output;
    sc_cli_list categorical, logarithm, ignore;
    int goal, scale;
    sc_cli_integer members, epochs;
} train_values;

static const char *const goals[] = {"min", "max", NULL};
static const char *const scales[] = {"auto", "linear", "log", NULL}; /* as sc_surrogate_scale */

/* ---- what was learned ---- */

static json_t *column_rows(const json_t *root)
{
    const char *name = NULL;
    json_t *kind = NULL, *rows = json_array();
    json_object_foreach(json_object_get(root, "columns"), name, kind)(void)
        json_array_append_new(rows, json_pack("{s:s, s:O}", "column", name, "kind", kind));
    return rows;
}

static sc_status show_report(const json_t *root)
{
    static const sc_cli_field fields[] = {{"target", "target", SC_CLI_AS_TEXT},
                                          {"goal", "better is", SC_CLI_AS_TEXT},
                                          {"target_scale", "scale of the target", SC_CLI_AS_TEXT},
                                          {"rows", "rows", SC_CLI_AS_COUNT},
                                          {"learned", "with a target", SC_CLI_AS_COUNT},
                                          {"infeasible", "infeasible", SC_CLI_AS_COUNT},
                                          {"without_target", "without", SC_CLI_AS_COUNT},
                                          {"held_out", "held out", SC_CLI_AS_TEXT},
                                          {"folds", "parts", SC_CLI_AS_COUNT},
                                          {"recipe", "learned by", SC_CLI_AS_TEXT},
                                          {"tau", "Kendall's tau", SC_CLI_AS_NUMBER},
                                          {"tau_within_groups", "inside groups", SC_CLI_AS_NUMBER},
                                          {"spearman", "Spearman", SC_CLI_AS_NUMBER},
                                          {"median_error", "median error", SC_CLI_AS_PERCENT},
                                          {"mape", "mean error", SC_CLI_AS_PERCENT},
                                          {"auc", "feasibility AUC", SC_CLI_AS_NUMBER},
                                          {"epochs", "epochs", SC_CLI_AS_COUNT},
                                          {"weights", "weights a member", SC_CLI_AS_COUNT},
                                          {"memory_bytes", "memory", SC_CLI_AS_BYTES},
                                          {"output", "written to", SC_CLI_AS_TEXT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field columns[] = {{"column", "column", SC_CLI_AS_TEXT},
                                           {"kind", "kind", SC_CLI_AS_TEXT},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, fields);
    sc_cli_show_heading("Columns");
    json_t *rows = column_rows(root);
    const sc_status st = sc_cli_show_rows(rows, columns);
    json_decref(rows);
    return st;
}

static void note_left_out(const json_t *root, const char *key, const char *why)
{
    const json_t *names = json_object_get(root, key);
    for (size_t i = 0; i < json_array_size(names); i++)
        sc_cli_note("column '%s' is not learned from: %s",
                    json_string_value(json_array_get(names, i)), why);
}

/* ---- a run ---- */

static int learn(const sc_cli *cli, const sc_surrogate_columns *columns)
{
    const train_values *v = cli->values;
    sc_surrogate_options options = SC_SURROGATE_OPTIONS_INIT;
    sc_surrogate *s = NULL;
    char *report = NULL;

    options.maximise = v->goal == 1;
    options.scale = v->scale > 0 ? (sc_surrogate_scale)v->scale : SC_SCALE_AUTO;
    options.threads = sc_cli_threads(cli);
    if (v->members.given)
        options.members = (uint32_t)v->members.value;
    if (v->epochs.given)
        options.epochs = (uint32_t)v->epochs.value;
    if (cli->globals.seed.given)
        options.seed = cli->globals.seed.value;
    sc_status st = sc_surrogate_learn_table(&s, &report, v->csv, columns, &options);
    if (st == SC_OK)
        st = sc_surrogate_save(s, v->output);
    sc_surrogate_destroy(s);
    if (st != SC_OK) {
        sc_release(report);
        return sc_cli_fail_input(st);
    }
    json_t *root = json_loads(report, 0, NULL);
    (void)json_object_set_new(root, "output", json_string(v->output));
    note_left_out(root, "constant", "it has one value");
    note_left_out(root, "left_out", "a text of its own on each row (--categorical takes it)");
    const int code = sc_cli_show_json(cli, root, show_report);
    json_decref(root);
    sc_release(report);
    return code;
}

static int run(const sc_cli *cli)
{
    const train_values *v = cli->values;
    sc_cli_list categorical = {0}, logarithm = {0}, ignore = {0};
    int code = SC_EXIT_INTERNAL;

    if (v->csv == NULL || v->target == NULL || v->output == NULL) {
        sc_cli_error("train needs --csv FILE, --target COLUMN and --output MODEL");
        return SC_EXIT_USAGE;
    }
    if (sc_cli_split_names(&categorical, &v->categorical) &&
        sc_cli_split_names(&logarithm, &v->logarithm) && sc_cli_split_names(&ignore, &v->ignore)) {
        const sc_surrogate_columns columns = {
            .target = v->target,
            .feasible = v->feasible,
            .group = v->group,
            .categorical = {categorical.item, categorical.n},
            .logarithm = {logarithm.item, logarithm.n},
            .ignore = {ignore.item, ignore.n},
        };
        code = learn(cli, &columns);
    }
    sc_cli_free_names(&categorical);
    sc_cli_free_names(&logarithm);
    sc_cli_free_names(&ignore);
    return code;
}

#define AT(field) offsetof(train_values, field)
static const sc_cli_option options[] = {
    {.name = "csv",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(csv),
     .help = "the log: a row a design, CSV with a heading or JSON, gzip too"},
    {.name = "target",
     .kind = SC_CLI_TEXT,
     .argument = "COLUMN",
     .offset = AT(target),
     .help = "what is learned"},
    {.name = "goal",
     .kind = SC_CLI_CHOICE,
     .argument = "GOAL",
     .offset = AT(goal),
     .help = "whether less or more of the target is better",
     .fallback = "min",
     .choices = goals},
    {.name = "feasible",
     .kind = SC_CLI_TEXT,
     .argument = "COLUMN",
     .offset = AT(feasible),
     .help = "true, yes, 1 or false, no, 0; infeasible rows need no target"},
    {.name = "group",
     .kind = SC_CLI_TEXT,
     .argument = "COLUMN",
     .offset = AT(group),
     .help = "what is held out together, such as the network: how well a new one is forecast is "
             "then what the figures say"},
    {.name = "categorical",
     .kind = SC_CLI_LIST,
     .argument = "COLUMN,...",
     .offset = AT(categorical),
     .help = "columns without an order; texts are anyway"},
    {.name = "log",
     .kind = SC_CLI_LIST,
     .argument = "COLUMN,...",
     .offset = AT(logarithm),
     .help = "columns of positive numbers whose ratios matter; those over a factor of 16 are "
             "anyway"},
    {.name = "ignore",
     .kind = SC_CLI_LIST,
     .argument = "COLUMN,...",
     .offset = AT(ignore),
     .help = "columns not to learn from: names, other results"},
    {.name = "scale",
     .kind = SC_CLI_CHOICE,
     .argument = "SCALE",
     .offset = AT(scale),
     .help = "learn the target or its logarithm; auto: the logarithm of a positive target over a "
             "factor of ten or more",
     .fallback = "auto",
     .choices = scales},
    {.name = "members",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(members),
     .min = 1,
     .max = 64,
     .help = "networks of the ensemble",
     .fallback = "5"},
    {.name = "epochs",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(epochs),
     .min = 1,
     .max = 100000,
     .help = "passes over the log (default: as the method takes)"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "MODEL",
     .offset = AT(output),
     .help = "write the surrogate to MODEL"},
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle train --csv log.csv --target latency_s --feasible feasible -o model",
     "Learn latency from a log, infeasible designs included."},
    {"scantle train --csv log.csv --target edp --group network --ignore id -o model",
     "Judge by networks that the members have not seen."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_train = {
    .name = "train",
    .summary = "Learn a surrogate from a log of designs",
    .about = "An ensemble of small networks (docs/algorithms/training.md): each member is learned "
             "without a part of the log, which then says how good the forecasts are, how wide "
             "their 90 % intervals, and how sure feasibility is. The same seed gives the same "
             "model for any number of threads.",
    .examples = examples,
    .options = options,
    .values_size = sizeof(train_values),
    .run = run,
};
