/** `scantle predict`: a surrogate's forecasts of designs. */
#include "commands.h"
#include "message.h"
#include "output.h"
#include "surrogate.h"

typedef struct predict_values {
    const char *model, *csv, *output;
} predict_values;

static int run(const sc_cli *cli)
{
    const predict_values *v = cli->values;
    sc_surrogate *s = NULL;
    char *text = NULL;
    size_t n = 0;

    if (v->model == NULL || v->csv == NULL) {
        sc_cli_error("predict needs --model MODEL and --csv FILE");
        return SC_EXIT_USAGE;
    }
    sc_status st = sc_surrogate_open(&s, v->model);
    if (st == SC_OK)
        st = sc_surrogate_predict_table(&text, &n, s, v->csv, sc_cli_threads(cli));
    sc_surrogate_destroy(s);
    return st == SC_OK ? sc_cli_put_csv(cli, text, v->output) : sc_cli_fail_input(st);
}

#define AT(field) offsetof(predict_values, field)
static const sc_cli_option options[] = {
    {.name = "model",
     .kind = SC_CLI_FILE,
     .argument = "MODEL",
     .offset = AT(model),
     .help = "a surrogate that train wrote"},
    {.name = "csv",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(csv),
     .help = "designs: a row each, with the columns learned from, in any order"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write to FILE (default: standard output)"},
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle predict --model model --csv designs.csv", "A line a design, in their order."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_predict = {
    .name = "predict",
    .summary = "Forecast designs by a surrogate, with intervals",
    .about = "CSV: prediction, lower and upper end of the 90 % interval, the probability of being "
             "feasible if the log had infeasible designs, and a note on what the log does not "
             "cover: `value` out of its range, a `label` that it has not, `missing` where nothing "
             "was, another value of a `constant`, or members that differ (`spread`).",
    .examples = examples,
    .options = options,
    .values_size = sizeof(predict_values),
    .run = run,
};
