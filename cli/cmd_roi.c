/** `scantle roi [STUDY]`: what a design earns against the baseline of its study. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/roi.h"
#include "show.h"
#include "trials.h"

enum { MOST_VOLUMES = 64, NODE_BYTES = 64 };

typedef struct roi_values {
    const char *trial, *economics, *node, *baseline_node;
    sc_cli_number design_cost, baseline_price;
    sc_cli_list volumes;
} roi_values;

/* ---- for people ---- */

/* An amount in US dollars; what a unit that is bought has no figure for is "-". */
static void usd_cell(sc_cli_table *table, const json_t *v)
{
    if (json_is_number(v))
        sc_cli_table_cell(table, "%.2f", json_number_value(v));
    else
        sc_cli_table_cell(table, "-");
}

static sc_status show_units(const json_t *root)
{
    static const struct {
        const char *key, *name;
    } parts[] = {{"chip_usd", "chip"},     {"rest_usd", "package, memory, board"},
                 {"price_usd", "price"},   {"provisioning_usd", "building, power, cooling"},
                 {"energy_usd", "energy"}, {"unit_usd", "all"}};
    static const sc_cli_column columns[] = {
        {"USD a unit over its life", false}, {"design", true}, {"baseline", true}};
    const json_t *d = json_object_get(root, "design"), *b = json_object_get(root, "baseline");
    sc_cli_table table;

    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *x = json_object_get(d, parts[i].key), *y = json_object_get(b, parts[i].key);
        if (!json_is_number(x) && !json_is_number(y))
            continue;
        sc_cli_table_cell(&table, "%s", parts[i].name);
        usd_cell(&table, x);
        usd_cell(&table, y);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

static sc_status show_volumes(const json_t *root)
{
    static const sc_cli_column columns[] = {
        {"units", true}, {"saved (USD)", true}, {"less the design (USD)", true}, {"ROI", true}};
    const json_t *list = json_object_get(root, "volumes");
    sc_cli_table table;

    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        sc_cli_show_cell(&table, json_object_get(row, "units"), SC_CLI_AS_COUNT);
        sc_cli_show_cell(&table, json_object_get(row, "saved_usd"), SC_CLI_AS_NUMBER);
        sc_cli_show_cell(&table, json_object_get(row, "net_usd"), SC_CLI_AS_NUMBER);
        sc_cli_show_cell(&table, json_object_get(row, "roi"), SC_CLI_AS_NUMBER);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

static void show_break_even(const json_t *root)
{
    const json_t *units = json_object_get(root, "break_even_units");
    const double replaces = json_number_value(json_object_get(root, "replaces"));
    const double saved = json_number_value(json_object_get(root, "saved_per_unit_usd"));

    printf("one unit replaces %.3g of the baseline and saves %.2f USD\n", replaces, saved);
    printf("the design costs  %.4g USD\n",
           json_number_value(json_object_get(root, "design_cost_usd")));
    if (json_is_number(units))
        printf("break-even        %.0f units, in place of %.0f of the baseline\n",
               json_number_value(units),
               ceil(json_number_value(json_object_get(root, "break_even_replaced"))));
    else
        printf("break-even        never: a unit saves nothing\n");
}

/* Names of the figures that nobody has looked up. */
static void show_recalled(const json_t *root)
{
    const json_t *list = json_object_get(root, "recalled");
    for (size_t i = 0; i < json_array_size(list); i++)
        printf("%s%s", i > 0 ? ", " : "recalled figures  ",
               json_string_value(json_array_get(list, i)));
    if (json_array_size(list) > 0)
        putchar('\n');
}

static sc_status show_roi(const json_t *root)
{
    static const sc_cli_field heads[] = {{"study", "study", SC_CLI_AS_TEXT},
                                         {"trial", "trial", SC_CLI_AS_TEXT},
                                         {"baseline_spec", "baseline", SC_CLI_AS_TEXT},
                                         {"economics", "economics", SC_CLI_AS_TEXT},
                                         {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, heads);
    show_break_even(root);
    show_recalled(root);
    sc_cli_show_heading("Cost of ownership");
    sc_status st = show_units(root);
    if (st != SC_OK)
        return st;
    sc_cli_show_heading("Return on investment");
    return show_volumes(root);
}

/* ---- the figures, from the database ---- */

/* The first row whose ID begins with the digits; the first of all for NULL. */
static const json_t *find_trial(const json_t *root, const char *id)
{
    const json_t *rows = json_object_get(root, "trials");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *mine = json_string_value(json_object_get(row, "id"));
        if (id == NULL || (mine != NULL && strncmp(mine, id, strlen(id)) == 0))
            return row;
    }
    return NULL;
}

static double figure(const json_t *values, const char *key)
{
    const json_t *v = json_object_get(values, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static sc_roi_unit unit_of(const json_t *values, const char *node)
{
    return (sc_roi_unit){.node = node,
                         .throughput_per_s = figure(values, "throughput_per_s"),
                         .area_mm2 = figure(values, "area_mm2"),
                         .tdp_w = figure(values, "tdp_w"),
                         .power_w = figure(values, "power_w")};
}

/* The name of a design's technology table. */
static sc_status node_of(char node[NODE_BYTES], const sc_design *d)
{
    char *text = NULL;
    const sc_status st = sc_design_json(&text, d);
    if (st != SC_OK)
        return st;
    json_t *root = json_loads(text, 0, NULL);
    const char *name = json_string_value(json_object_get(root, "technology"));
    (void)snprintf(node, NODE_BYTES, "%s", name != NULL ? name : "");
    json_decref(root);
    sc_release(text);
    return SC_OK;
}

static sc_status find_nodes(char node[2][NODE_BYTES], const roi_values *v, sc_store *store,
                            const char *trial, const char *baseline)
{
    const char *given[2] = {v->node, v->baseline_node};
    sc_status st = SC_OK;
    for (int i = 0; i < 2 && st == SC_OK; i++) {
        sc_design *d = NULL;
        if (given[i] != NULL) {
            (void)snprintf(node[i], NODE_BYTES, "%s", given[i]);
            continue;
        }
        st = i == 0 ? sc_study_design_open(&d, store, trial) : sc_design_open(&d, baseline);
        if (st == SC_OK)
            st = node_of(node[i], d);
        sc_design_destroy(d);
    }
    return st;
}

/* What was compared goes into the document, before the figures. @return an exit code. */
static int show_answer(const sc_cli *cli, char *document, const json_t *root, const json_t *row)
{
    const json_t *spec = json_object_get(json_object_get(root, "baseline"), "spec");
    json_t *answer = json_loads(document, 0, NULL);
    json_t *all = json_pack("{s:O, s:O, s:O}", "study", json_object_get(root, "study"), "trial",
                            json_object_get(row, "id"), "baseline_spec", spec);
    if (answer != NULL && all != NULL && json_object_update(all, answer) != 0) {
        json_decref(all);
        all = NULL;
    }
    const int code = sc_cli_show_json(cli, all, show_roi);
    json_decref(answer);
    json_decref(all);
    sc_release(document);
    return code;
}

static int answer(const sc_cli *cli, sc_store *store, const json_t *root, const json_t *row,
                  sc_roi_options *o)
{
    const roi_values *v = cli->values;
    const json_t *baseline = json_object_get(root, "baseline");
    const char *spec = json_string_value(json_object_get(baseline, "spec"));
    char node[2][NODE_BYTES], *document = NULL;

    sc_status st = find_nodes(node, v, store, json_string_value(json_object_get(row, "id")), spec);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    const sc_roi_unit design = unit_of(json_object_get(row, "metrics"), node[0]);
    sc_roi_unit other = unit_of(json_object_get(baseline, "values"), node[1]);
    if (v->baseline_price.given)
        other.price_usd = &v->baseline_price.value;
    if (v->design_cost.given)
        o->design_usd = &v->design_cost.value;
    o->economics = v->economics;
    st = sc_roi(&document, &design, &other, o);
    return st == SC_OK ? show_answer(cli, document, root, row) : sc_cli_fail_input(st);
}

/* @return an exit code, after saying what is wrong. */
static int read_volumes(double volumes[MOST_VOLUMES], const sc_cli_list *list)
{
    if (list->n > MOST_VOLUMES) {
        sc_cli_error("--volume: at most %d numbers", MOST_VOLUMES);
        return SC_EXIT_USAGE;
    }
    for (size_t i = 0; i < list->n; i++) {
        uint64_t n;
        if (!sc_cli_whole(&n, list->item[i]) || n == 0) {
            sc_cli_error("--volume: '%s' is no whole number above 0", list->item[i]);
            return SC_EXIT_USAGE;
        }
        volumes[i] = (double)n;
    }
    return SC_EXIT_OK;
}

/* rows: the study's feasible trials, best first. */
static int use_rows(const sc_cli *cli, sc_store *store, const char *rows, sc_roi_options *o)
{
    const roi_values *v = cli->values;
    json_t *root = json_loads(rows, 0, NULL);
    const json_t *row = find_trial(root, v->trial);
    int code = SC_EXIT_USAGE;

    if (row == NULL && v->trial != NULL)
        sc_cli_error("the study has no feasible trial '%s'", v->trial);
    else if (row == NULL)
        code = SC_EXIT_INFEASIBLE;
    else if (json_object_get(root, "baseline") == NULL)
        sc_cli_error("the study has no baseline to replace: give it `baseline:` and run it");
    else
        code = answer(cli, store, root, row, o);
    json_decref(root);
    return code;
}

static int run(const sc_cli *cli)
{
    const roi_values *v = cli->values;
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    double volumes[MOST_VOLUMES];
    sc_store *store = NULL;
    const char *study = NULL;
    char *rows = NULL, id[33];

    int code = read_volumes(volumes, &v->volumes);
    if (code == SC_EXIT_OK)
        code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_stored_study(cli, store, id, &study);
    if (code == SC_EXIT_OK) {
        o.volumes = volumes;
        o.n_volumes = v->volumes.n;
        const sc_status st =
            sc_report_rows(&rows, store, study, SC_REPORT_BEST, v->trial != NULL ? 0 : 1);
        code = st == SC_OK ? use_rows(cli, store, rows, &o) : sc_cli_fail_input(st);
    }
    sc_release(rows);
    sc_store_close(store);
    return code;
}

#define AT(field) offsetof(roi_values, field)
static const sc_cli_option options[] = {
    {.name = "trial",
     .kind = SC_CLI_TEXT,
     .argument = "ID",
     .offset = AT(trial),
     .help = "a feasible trial, by the first digits of its ID (default: the best one)"},
    {.name = "volume",
     .kind = SC_CLI_LIST,
     .argument = "N",
     .offset = AT(volumes),
     .help =
         "units of the design to be made; may be given again (default: 1000, 10000 and 100000)"},
    {.name = "economics",
     .kind = SC_CLI_FILE,
     .argument = "NAME|FILE",
     .offset = AT(economics),
     .help = "prices and costs: a shipped file's name or a path",
     .fallback = "datacenter"},
    {.name = "design-cost",
     .kind = SC_CLI_QUANTITY,
     .argument = "USD",
     .offset = AT(design_cost),
     .unit = SC_UNIT_NONE,
     .help = "what the design costs once (default: what the economics say of its node)"},
    {.name = "baseline-price",
     .kind = SC_CLI_QUANTITY,
     .argument = "USD",
     .offset = AT(baseline_price),
     .unit = SC_UNIT_NONE,
     .help = "a unit of the baseline is bought for so much, instead of made"},
    {.name = "node",
     .kind = SC_CLI_TEXT,
     .argument = "NAME",
     .offset = AT(node),
     .help = "technology whose costs the design has (default: that of its template)"},
    {.name = "baseline-node",
     .kind = SC_CLI_TEXT,
     .argument = "NAME",
     .offset = AT(baseline_node),
     .help = "the same of the baseline"},
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle roi fast-efficientnet-b7 --volume 5000",
     "The study's best trial in place of its baseline, with 5,000 units."},
    {"scantle roi study.yaml --baseline-price 10000 --design-cost 40e6 --json",
     "Against chips that are bought, with a design cost of one's own."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_roi = {
    .name = "roi",
    .summary = "Say at which volume a design pays for itself, and what it returns",
    .about =
        "Takes throughput, area, TDP and average power of a trial and of its study's baseline from "
        "the database. Units of the design replace units of the baseline at equal "
        "throughput; what they save over their life is set against what the design costs. "
        "Each price is a line of a file with its unit and source; those that are only recalled "
        "are named. Formulas: docs/algorithms/roi.md. Exit code 2 if the study has nothing "
        "feasible.",
    .examples = examples,
    .operands = sc_cli_stored_study,
    .options = options,
    .values_size = sizeof(roi_values),
    .run = run,
};
