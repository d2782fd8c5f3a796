#include "trials.h"

#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "message.h"
#include "output.h"
#include "show.h"

enum { MAX_METRICS = 8, NAME_BYTES = 128, HEADING_BYTES = 512, REASON_BYTES = 512 };

const sc_cli_operand sc_cli_stored_study[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_STUDY,
     .optional = true,
     .help = "a study file, a study's name, or the first digits of its ID; may be left out where "
             "the database has only one"},
    {.name = NULL}};

/* Names of the metrics to show: the objectives, then others in the order of the first row. */
static size_t choose_metrics(const char *names[MAX_METRICS], const json_t *root)
{
    const json_t *objectives = json_object_get(root, "objectives");
    json_t *metrics =
        json_object_get(json_array_get(json_object_get(root, "trials"), 0), "metrics");
    size_t n = 0;
    const char *key = NULL;
    json_t *value = NULL;

    for (size_t i = 0; i < json_array_size(objectives) && n < MAX_METRICS; i++)
        names[n++] = json_string_value(json_object_get(json_array_get(objectives, i), "name"));
    json_object_foreach(metrics, key, value)
    {
        bool known = n == MAX_METRICS;
        for (size_t i = 0; i < n; i++)
            known = known || strcmp(names[i], key) == 0;
        if (!known)
            names[n++] = key;
    }
    return n;
}

static bool any_reason(const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_array_size(json_object_get(json_array_get(rows, i), "reasons")) > 0)
            return true;
    return false;
}

/* How the excess over a limit on a metric is written: by the unit at the end of its name. */
static sc_cli_form form_of(const char *metric)
{
    static const struct {
        const char *name;
        sc_cli_form form;
    } forms[] = {{"latency_s", SC_CLI_AS_SECONDS}, {"energy_j", SC_CLI_AS_JOULE},
                 {"power_w", SC_CLI_AS_WATT},      {"tdp_w", SC_CLI_AS_WATT},
                 {"area_mm2", SC_CLI_AS_MM2},      {"limit of the template", SC_CLI_AS_MM2}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, metric) == 0)
            return forms[i].form;
    return SC_CLI_AS_NUMBER;
}

/* "tdp_w by 3.20 W"; a text that was told as it is. */
static void format_reason(char *out, size_t size, const json_t *reason)
{
    const char *code = json_string_value(json_object_get(reason, "code"));
    const char *where = json_string_value(json_object_get(reason, "where"));
    const json_t *excess = json_object_get(reason, "excess");
    char by[64];

    if (code == NULL) {
        (void)snprintf(out, size, "-");
        return;
    }
    const bool told = strcmp(code, "told") == 0 || strcmp(code, "failed") == 0;
    const bool limit =
        strcmp(code, "area") == 0 || strcmp(code, "tdp") == 0 || strcmp(code, "limit") == 0;
    sc_cli_format(by, sizeof by, excess, where != NULL ? form_of(where) : SC_CLI_AS_NUMBER);
    if (where != NULL && told)
        (void)snprintf(out, size, "%s", where);
    else if (where != NULL && limit && excess != NULL)
        (void)snprintf(out, size, "%s by %s", where, by);
    else if (where != NULL && excess != NULL)
        (void)snprintf(out, size, "%s of %s by %s", code, where, by);
    else
        (void)snprintf(out, size, "%s", code);
}

static void add_row(sc_cli_table *table, const json_t *row, const char *const *names,
                    size_t n_names, bool with_reason)
{
    const json_t *metrics = json_object_get(row, "metrics");

    sc_cli_show_cell(table, json_object_get(row, "index"), SC_CLI_AS_TEXT);
    sc_cli_show_cell(table, json_object_get(row, "id"), SC_CLI_AS_TEXT);
    sc_cli_show_cell(table, json_object_get(row, "state"), SC_CLI_AS_TEXT);
    for (size_t m = 0; m < n_names; m++)
        sc_cli_show_cell(table, json_object_get(metrics, names[m]), SC_CLI_AS_NUMBER);
    if (with_reason) {
        char why[REASON_BYTES];
        format_reason(why, sizeof why, json_array_get(json_object_get(row, "reasons"), 0));
        sc_cli_table_cell(table, "%s", why);
    }
}

sc_status sc_cli_show_trials(const json_t *root)
{
    const json_t *rows = json_object_get(root, "trials");
    sc_cli_column columns[4 + MAX_METRICS] = {{"trial", true}, {"id", false}, {"state", false}};
    const char *names[MAX_METRICS];
    sc_cli_table table;

    if (json_array_size(rows) == 0)
        return SC_OK;
    size_t n_names = choose_metrics(names, root), n = 3;
    for (size_t i = 0; i < n_names; i++)
        columns[n++] = (sc_cli_column){names[i], true};
    bool with_reason = any_reason(rows);
    if (with_reason)
        columns[n++] = (sc_cli_column){"misses", false};
    sc_cli_table_begin(&table, columns, n);
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(&table, json_array_get(rows, i), names, n_names, with_reason);
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* The first row's figures beside those of the study's baseline. */
static sc_status show_against(const json_t *root, const json_t *first, const char *trial)
{
    const json_t *baseline = json_object_get(root, "baseline");
    const json_t *spec = json_object_get(baseline, "spec");
    const json_t *theirs = json_object_get(baseline, "values");
    const json_t *ours = json_object_get(first, "metrics");
    const sc_cli_column columns[] = {
        {"metric", false}, {trial, true}, {"baseline", true}, {"ratio", true}};
    const char *names[MAX_METRICS];
    char heading[HEADING_BYTES] = "Against the baseline ";
    sc_cli_table table;
    size_t n = strlen(heading), n_names = choose_metrics(names, root);

    sc_cli_format(heading + n, sizeof heading - n, spec, SC_CLI_AS_TEXT);
    sc_cli_show_heading(heading);
    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n_names; i++) {
        const json_t *mine = json_object_get(ours, names[i]);
        const json_t *other = json_object_get(theirs, names[i]);
        sc_cli_table_cell(&table, "%s", names[i]);
        sc_cli_show_cell(&table, mine, SC_CLI_AS_NUMBER);
        sc_cli_show_cell(&table, other, SC_CLI_AS_NUMBER);
        if (json_number_value(other) != 0)
            sc_cli_table_cell(&table, "%.3g", json_number_value(mine) / json_number_value(other));
        else
            sc_cli_table_cell(&table, "-");
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

sc_status sc_cli_show_best(const json_t *root)
{
    const json_t *first = json_array_get(json_object_get(root, "trials"), 0);
    char trial[NAME_BYTES] = "trial ", heading[HEADING_BYTES];
    size_t n = strlen(trial);

    sc_status st = sc_cli_show_trials(root);
    if (st != SC_OK || first == NULL)
        return st;
    sc_cli_format(trial + n, sizeof trial - n, json_object_get(first, "index"), SC_CLI_AS_TEXT);
    if (json_object_get(root, "baseline") != NULL)
        st = show_against(root, first, trial);
    if (st != SC_OK)
        return st;
    (void)snprintf(heading, sizeof heading, "Parameters of %s", trial);
    sc_cli_show_heading(heading);
    return sc_cli_show_parameters(json_object_get(first, "params"), json_object_get(root, "units"));
}

int sc_cli_find_stored_study(const sc_cli *cli, sc_store *store, char id[33], const char **study)
{
    *study = cli->n_operands > 0 ? id : NULL;
    return *study != NULL ? sc_cli_find_study(id, store, cli->operand[0]) : SC_EXIT_OK;
}

static bool has_rows(const char *document)
{
    json_t *root = json_loads(document, 0, NULL);
    bool some = json_array_size(json_object_get(root, "trials")) > 0;
    json_decref(root);
    return some;
}

static int print_rows(const sc_cli *cli, sc_report_which which, char *document)
{
    if (which == SC_REPORT_TRIALS)
        return sc_cli_show(cli, document, sc_cli_show_trials);
    bool some = has_rows(document);
    int code = sc_cli_show(cli, document, sc_cli_show_best);
    if (!some)
        sc_cli_note("no trial of the study is feasible: `scantle trials` shows why each is not");
    return code == SC_EXIT_OK && !some ? SC_EXIT_INFEASIBLE : code;
}

int sc_cli_print_trials(const sc_cli *cli, sc_report_which which, uint64_t top)
{
    sc_store *store = NULL;
    const char *study = NULL;
    char *document = NULL;
    char id[33];

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_stored_study(cli, store, id, &study);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_report_rows(&document, store, study, which, top);
        code = st == SC_OK ? print_rows(cli, which, document) : sc_cli_fail_input(st);
    }
    sc_store_close(store);
    return code;
}
