/** `scantle calibrate CSV...`: fit the tiled-run model to measured cycles, or judge a stored fit.
 */
#include <stdio.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "scantle/calibrate.h"
#include "show.h"

typedef struct calibrate_values {
    const char *target, *group, *name, *use, *output;
    int driver;
    sc_cli_integer folds;
} calibrate_values;

static const char *const drivers[] = {"gemmini", "plain", NULL};

/* Errors of one set of predictions as a row of the table. */
static void add_row(sc_cli_table *table, const json_t *root, const char *key, const char *label)
{
    const json_t *q = json_object_get(root, key);
    if (q == NULL)
        return;
    sc_cli_table_cell(table, "%s", label);
    sc_cli_show_cell(table, json_object_get(q, "mape"), SC_CLI_AS_PERCENT);
    sc_cli_show_cell(table, json_object_get(q, "median"), SC_CLI_AS_PERCENT);
    sc_cli_show_cell(table, json_object_get(q, "within_20"), SC_CLI_AS_PERCENT);
    sc_cli_show_cell(table, json_object_get(q, "spearman"), SC_CLI_AS_NUMBER);
}

static sc_status show_errors(const json_t *root)
{
    static const sc_cli_column columns[] = {{"predicted by", false},
                                            {"mean error", true},
                                            {"median", true},
                                            {"within 20 %", true},
                                            {"rank correlation", true}};
    sc_cli_table table;
    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    add_row(&table, root, "uncalibrated", "an ideal machine");
    add_row(&table, root, "fitted",
            json_object_get(root, "held_out") ? "a fit to all rows" : "the calibration");
    add_row(&table, root, "held_out", "fits that did not see the group");
    const sc_status st = sc_cli_table_end(&table, stdout, sc_cli_color_out());
    if (st != SC_OK)
        return st;
    return sc_cli_show_map(json_object_get(root, "factors"), "factor", SC_CLI_AS_NUMBER);
}

static int run(const sc_cli *cli)
{
    const calibrate_values *v = cli->values;
    sc_calibrate_options o = SC_CALIBRATE_OPTIONS_INIT;
    char *yaml = NULL, *document = NULL;
    sc_status st;

    o.target = v->target;
    o.group = v->group;
    o.name = v->name;
    o.driver = v->driver >= 0 ? drivers[v->driver] : NULL;
    o.folds = v->folds.given ? (int)v->folds.value : 0;
    if (v->use != NULL)
        st = sc_calibration_judge(&document, v->use, cli->operand, cli->n_operands, &o);
    else
        st = sc_calibrate(&yaml, &document, cli->operand, cli->n_operands, &o);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    int code = yaml != NULL && v->output != NULL ? sc_cli_write(v->output, yaml) : SC_EXIT_OK;
    if (code == SC_EXIT_OK)
        code = sc_cli_show(cli, document, show_errors);
    else
        sc_release(document);
    sc_release(yaml);
    return code;
}

#define AT(field) offsetof(calibrate_values, field)
static const sc_cli_option options[] = {
    {.name = "target",
     .kind = SC_CLI_TEXT,
     .argument = "COLUMN",
     .offset = AT(target),
     .fallback = "cycles",
     .help = "measured cycles"},
    {.name = "group",
     .kind = SC_CLI_TEXT,
     .argument = "COLUMN",
     .offset = AT(group),
     .fallback = "layer",
     .help = "rows of equal values here are held out together"},
    {.name = "folds",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(folds),
     .min = 2,
     .max = 1000,
     .help = "parts that the groups are dealt to (default: 5)"},
    {.name = "driver",
     .kind = SC_CLI_CHOICE,
     .argument = "NAME",
     .offset = AT(driver),
     .choices = drivers,
     .help = "what hands tiles to the array: Gemmini's library with its habits (default), or a "
             "plain loop"},
    {.name = "name",
     .kind = SC_CLI_TEXT,
     .argument = "NAME",
     .offset = AT(name),
     .help = "of the calibration (default: calibration)"},
    {.name = "use",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(use),
     .help = "fit nothing: judge this calibration on the tables"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write the calibration to FILE"},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "CSV",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "table of measured runs: layer sizes K, C, P, Q, R, S, a stride, a mapping and the "
             "cycles it took"},
    {.name = "CSV2", .kind = SC_CLI_OPERAND_FILE, .optional = true, .help = "more of them"},
    {.name = "CSV3", .kind = SC_CLI_OPERAND_FILE, .optional = true, .help = "and more"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle calibrate measured.csv --name our-chip -o our-chip.yaml",
     "Fit, say how far the fit is off on layers that it did not see, and keep it."},
    {"scantle calibrate more.csv --use our-chip.yaml", "How far off it is on other measurements."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_calibrate = {
    .name = "calibrate",
    .summary = "Fit the model of tiled runs to measured cycles, by cross-validation",
    .about = "Ten factors that no data sheet gives (the host's cycles a tile, the shortest pass, "
             "rows, lines and bytes a cycle, overlap) are fitted to the tables; the error is told "
             "of fits that saw no row of the same group.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(calibrate_values),
    .run = run,
};
