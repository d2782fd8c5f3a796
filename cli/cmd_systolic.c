/** `scantle systolic FILE.csv`: cycles of matrix products on systolic arrays. */
#include "commands.h"
#include "message.h"
#include "output.h"
#include "scantle/systolic.h"
#include "show.h"

typedef struct systolic_values {
    bool double_buffered, drain;
    const char *output;
} systolic_values;

/* The table itself, or with --json inside a document. */
static int print(const sc_cli *cli, const char *csv)
{
    const systolic_values *v = cli->values;
    if (!cli->globals.json)
        return sc_cli_write(v->output, csv);
    json_t *root = json_pack("{s:s}", "csv", csv);
    int code = sc_cli_show_json(cli, root, NULL);
    json_decref(root);
    return code;
}

static int run(const sc_cli *cli)
{
    const systolic_values *v = cli->values;
    sc_systolic_csv_options options = SC_SYSTOLIC_CSV_OPTIONS_INIT;
    char *csv = NULL;

    options.double_buffered = v->double_buffered;
    options.drain = v->drain;
    sc_status st = sc_systolic_csv(&csv, cli->operand[0], &options);
    int code = st == SC_OK ? print(cli, csv) : sc_cli_fail_input(st);
    sc_release(csv);
    return code;
}

#define AT(field) offsetof(systolic_values, field)
static const sc_cli_option options[] = {
    {.name = "double-buffered",
     .kind = SC_CLI_FLAG,
     .offset = AT(double_buffered),
     .help = "the next tile loads, and results leave, while a tile runs"},
    {.name = "drain",
     .kind = SC_CLI_FLAG,
     .offset = AT(drain),
     .help = "output stationary: count the cycles in which results leave the array"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write to FILE instead of standard output"},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "FILE",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "CSV with columns M, N, K, R, C and dataflow (os, ws or is), in any order under a "
             "header, in this order without one; more columns are passed through"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle systolic products.csv", "The same rows with a column of cycles at their end."},
    {"printf '1024,512,256,128,128,ws\\n' > p.csv && scantle systolic p.csv --double-buffered",
     "One product of 1024 x 256 and 256 x 512 on an array of 128 x 128."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_systolic = {
    .name = "systolic",
    .summary = "Compute the cycles of matrix products on systolic arrays, from a table",
    .about = "A product is [M][K] x [K][N], an array has R rows and C columns.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(systolic_values),
    .run = run,
};
