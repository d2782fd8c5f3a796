/** `scantle study compare` and `study share`: studies of recorded tables against the true front. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "show.h"

enum { MOST_MARKS = 64 };

static const sc_cli_operand operands[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "file of a study whose evaluator is a recorded table"},
    {.name = NULL}};

typedef struct values {
    sc_cli_list optimizers, at;
    sc_cli_integer seeds;
} values;

/* Without a fallback of its own: that would be taken for one item of the list. */
#define AT_OPTION                                                                                  \
    {                                                                                              \
        .name = "at", .kind = SC_CLI_LIST, .argument = "N", .offset = offsetof(values, at),        \
        .help = "evaluations at which to look, in ascending order; may be given again (default: "  \
                "50, 100, 200 and 500)"                                                            \
    }

/* The numbers of --at. @return how many; SIZE_MAX after saying what is wrong. */
static size_t read_marks(uint64_t marks[MOST_MARKS], const sc_cli_list *at)
{
    if (at->n > MOST_MARKS) {
        sc_cli_error("--at: at most %d numbers", MOST_MARKS);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < at->n; i++)
        if (!sc_cli_whole(&marks[i], at->item[i])) {
            sc_cli_error("--at: '%s' is no whole number", at->item[i]);
            return SIZE_MAX;
        }
    return at->n;
}

/* ---- compare ---- */

static void show_share(sc_cli_table *table, const json_t *row, size_t i)
{
    const json_t *q1 = json_object_get(row, "q1"), *q3 = json_object_get(row, "q3");
    sc_cli_table_cell(table, "%.3f (%.3f %.3f)",
                      json_number_value(json_array_get(json_object_get(row, "median"), i)),
                      json_number_value(json_array_get(q1, i)),
                      json_number_value(json_array_get(q3, i)));
}

static sc_status show_compared(const json_t *root)
{
    static const sc_cli_field fields[] = {{"study", "study", SC_CLI_AS_TEXT},
                                          {"rows", "rows", SC_CLI_AS_COUNT},
                                          {"front", "on the true front", SC_CLI_AS_COUNT},
                                          {"seeds", "seeds", SC_CLI_AS_COUNT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *marks = json_object_get(root, "evaluations");
    const json_t *rows = json_object_get(root, "optimizers");
    const size_t n = json_array_size(marks);
    sc_cli_column columns[MOST_MARKS + 2] = {{"optimizer", false}};
    char headings[MOST_MARKS][24];
    sc_cli_table table;

    sc_cli_show_fields(root, fields);
    sc_cli_show_heading("Share of the true front's hypervolume after so many evaluations: median "
                        "(quartiles)");
    for (size_t i = 0; i < n && i < MOST_MARKS; i++) {
        (void)snprintf(headings[i], sizeof headings[i], "%" JSON_INTEGER_FORMAT,
                       json_integer_value(json_array_get(marks, i)));
        columns[i + 1] = (sc_cli_column){headings[i], true};
    }
    columns[n + 1] = (sc_cli_column){"us/suggestion", true};
    sc_cli_table_begin(&table, columns, n + 2);
    for (size_t k = 0; k < json_array_size(rows); k++) {
        const json_t *row = json_array_get(rows, k);
        sc_cli_show_cell(&table, json_object_get(row, "optimizer"), SC_CLI_AS_TEXT);
        for (size_t i = 0; i < n; i++)
            show_share(&table, row, i);
        sc_cli_show_cell(&table, json_object_get(row, "us_per_suggestion"), SC_CLI_AS_NUMBER);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

static int run_compare(const sc_cli *cli)
{
    const values *v = cli->values;
    sc_compare_options o = SC_COMPARE_OPTIONS_INIT;
    uint64_t marks[MOST_MARKS];
    sc_study *study = NULL;
    char *document = NULL;

    const size_t n = read_marks(marks, &v->at);
    if (n == SIZE_MAX)
        return SC_EXIT_USAGE;
    int code = sc_cli_open_study(cli, &study, NULL);
    if (code != SC_EXIT_OK)
        return code;
    o.optimizers = (const char *const *)v->optimizers.item;
    o.n_optimizers = v->optimizers.n;
    o.seeds = v->seeds.given ? v->seeds.value : 0;
    o.marks = marks;
    o.n_marks = n;
    o.threads = (int)cli->globals.threads.value;
    const sc_status st = sc_study_compare(&document, study, &o);
    code = st == SC_OK ? sc_cli_show(cli, document, show_compared) : sc_cli_fail_input(st);
    sc_study_close(study);
    return code;
}

static const sc_cli_option compare_options[] = {
    {.name = "optimizer",
     .kind = SC_CLI_LIST,
     .argument = "NAME",
     .offset = offsetof(values, optimizers),
     .help = "an optimiser to run; may be given again (default: all that search)"},
    {.name = "seeds",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, seeds),
     .min = 1,
     .max = 10000,
     .help = "runs of each optimiser, with seeds from the study's on",
     .fallback = "10"},
    AT_OPTION,
    {.name = NULL}};

static const sc_cli_example compare_examples[] = {
    {"scantle study compare table.yaml", "Every optimiser, ten seeds, up to 500 evaluations."},
    {"scantle study compare table.yaml --optimizer nsga2 --optimizer random --at 50 --at 1000",
     "Two of them, at two numbers of evaluations."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_study_compare = {
    .name = "compare",
    .summary = "Compare the optimisers on a recorded table",
    .about =
        "Runs each optimiser with its defaults on the study's table, in memory, and prints which "
        "share of the hypervolume of the table's true front it has reached: the median over "
        "the seeds, and both quartiles. Evaluations that were infeasible or failed count. The "
        "reference point is the maximum of each objective over the feasible rows (the "
        "minimum of one that is maximised). With one objective the share is that of the way "
        "from the worst feasible value to the best. No database is read or written.",
    .examples = compare_examples,
    .operands = operands,
    .options = compare_options,
    .values_size = sizeof(values),
    .run = run_compare,
};

/* ---- share ---- */

static sc_status show_shares(const json_t *root)
{
    static const sc_cli_field fields[] = {{"study", "study", SC_CLI_AS_TEXT},
                                          {"id", "id", SC_CLI_AS_TEXT},
                                          {"optimizer", "optimizer", SC_CLI_AS_TEXT},
                                          {"front", "on the true front", SC_CLI_AS_COUNT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field columns[] = {{"trials", "trials", SC_CLI_AS_COUNT},
                                           {"share", "share of hypervolume", SC_CLI_AS_NUMBER},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, fields);
    sc_cli_show_heading("Share of the true front's hypervolume");
    return sc_cli_show_rows(json_object_get(root, "shares"), columns);
}

static int run_share(const sc_cli *cli)
{
    const values *v = cli->values;
    uint64_t marks[MOST_MARKS];
    sc_study *study = NULL;
    sc_store *store = NULL;
    char *document = NULL;

    const size_t n = read_marks(marks, &v->at);
    if (n == SIZE_MAX)
        return SC_EXIT_USAGE;
    int code = sc_cli_open_study(cli, &study, NULL);
    if (code == SC_EXIT_OK)
        code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK) {
        const sc_status st = sc_study_share(&document, study, store, marks, n);
        code = st == SC_OK ? sc_cli_show(cli, document, show_shares) : sc_cli_fail_input(st);
    }
    sc_store_close(store);
    sc_study_close(study);
    return code;
}

static const sc_cli_option share_options[] = {AT_OPTION, {.name = NULL}};

static const sc_cli_example share_examples[] = {
    {"scantle study share table.yaml --at 100 --at 1000",
     "After 100 and 1,000 trials of the study in ./scantle.db, and after the last."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_study_share = {
    .name = "share",
    .summary = "Say how much of a table's true front a study has reached",
    .about = "Of the study's own trials in the database, in their order: the share of the "
             "hypervolume of the recorded table's true front, as study compare measures it.",
    .examples = share_examples,
    .operands = operands,
    .options = share_options,
    .values_size = sizeof(values),
    .run = run_share,
};
