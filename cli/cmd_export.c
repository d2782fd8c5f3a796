/** `scantle export STUDY`: the trials of a study as CSV or JSON. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "scantle/store.h"

typedef struct export_values {
    int format;
    const char *output;
} export_values;

static const char *const formats[] = {"csv", "json", NULL}; /* as sc_store_format */

static sc_status to_stdout(const char *bytes, size_t n, void *payload)
{
    (void)payload;
    return fwrite(bytes, 1, n, stdout) == n ? SC_OK : sc_fail(SC_EIO, "standard output is lost");
}

static int run(const sc_cli *cli)
{
    const export_values *v = cli->values;
    sc_store_format format = cli->globals.json || v->format == 1 ? SC_STORE_JSON : SC_STORE_CSV;
    sc_store *store = NULL;
    char id[33];

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_study(id, store, cli->operand[0]);
    if (code == SC_EXIT_OK) {
        bool file = v->output != NULL && strcmp(v->output, "-") != 0;
        sc_status st = file ? sc_store_export_file(store, id, format, v->output)
                            : sc_store_export(store, id, format, to_stdout, NULL);
        if (st != SC_OK && !ferror(stdout)) /* what was lost shows in sc_cli_finish */
            code = sc_cli_fail(st);
    }
    sc_store_close(store);
    return code;
}

#define AT(field) offsetof(export_values, field)
static const sc_cli_option options[] = {{.name = "format",
                                         .letter = 'f',
                                         .kind = SC_CLI_CHOICE,
                                         .argument = "FORMAT",
                                         .offset = AT(format),
                                         .choices = formats,
                                         .help = "csv or json (default: csv, or json with --json)"},
                                        {.name = "output",
                                         .letter = 'o',
                                         .kind = SC_CLI_FILE,
                                         .argument = "FILE",
                                         .offset = AT(output),
                                         .help = "write to FILE instead of standard output"},
                                        {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_STUDY,
     .help = "a study file, a study's name, or the first digits of its ID"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle export b0 -f csv -o trials.csv", "Every kept trial, in the order of their indices."},
    {"scantle export b0 --json", "The same as JSON, on standard output."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_export = {
    .name = "export",
    .summary = "Write the trials of a study as CSV or JSON",
    .about = "The bytes depend on the trials alone: the same seed gives the same file for any "
             "number of threads, and however often the run was interrupted.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(export_values),
    .run = run,
};
