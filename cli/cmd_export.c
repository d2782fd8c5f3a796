/** `scantle export STUDY`: the trials of a study as CSV or JSON. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "scantle/store.h"
#include "show.h"
#include "trials.h"

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

/* The ID of the only study of the database. */
static int find_only_study(char id[33], sc_store *store)
{
    char *text = NULL;
    sc_status st = sc_store_study_list(&text, store);
    if (st != SC_OK)
        return sc_cli_fail(st);
    json_t *list = json_loads(text, 0, NULL);
    size_t n = json_array_size(list);
    if (n == 1)
        sc_cli_format(id, 33, json_object_get(json_array_get(list, 0), "fingerprint"),
                      SC_CLI_AS_TEXT);
    else if (n == 0)
        sc_cli_error("the database has no studies");
    else
        sc_cli_error("the database has %zu studies: name one ('scantle study list' shows them)", n);
    json_decref(list);
    sc_release(text);
    return n == 1 ? SC_EXIT_OK : SC_EXIT_USAGE;
}

static int run(const sc_cli *cli)
{
    const export_values *v = cli->values;
    sc_store_format format = cli->globals.json || v->format == 1 ? SC_STORE_JSON : SC_STORE_CSV;
    sc_store *store = NULL;
    const char *study = NULL;
    char id[33];

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_stored_study(cli, store, id, &study);
    if (code == SC_EXIT_OK && study == NULL)
        code = find_only_study(id, store);
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
                                         .kind = SC_CLI_OUTPUT,
                                         .argument = "FILE",
                                         .offset = AT(output),
                                         .help = "write to FILE instead of standard output"},
                                        {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle export b0 -f csv -o trials.csv", "Every kept trial, in the order of their indices."},
    {"scantle export --json", "The only study of ./scantle.db as JSON, on standard output."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_export = {
    .name = "export",
    .summary = "Write the trials of a study as CSV or JSON",
    .about = "The bytes depend on the trials alone: the same seed gives the same file for any "
             "number of threads, and however often the run was interrupted.",
    .examples = examples,
    .operands = sc_cli_stored_study,
    .options = options,
    .values_size = sizeof(export_values),
    .run = run,
};
