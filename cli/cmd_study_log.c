/** `scantle study log`: the trials of studies as one table to learn from. */
#include <jansson.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "show.h"

typedef struct values {
    const char *output;
} values;

/* To the file, if one is named; else to standard output, with --json as a text inside a document.
 */
static int put_log(const sc_cli *cli, const char *csv)
{
    const values *v = cli->values;
    if (v->output != NULL || !cli->globals.json)
        return sc_cli_write(v->output, csv);
    json_t *root = json_pack("{s:s}", "csv", csv);
    const int code = sc_cli_show_json(cli, root, NULL);
    json_decref(root);
    return code;
}

static int run(const sc_cli *cli)
{
    char id[SC_CLI_MAX_OPERANDS][33];
    const char *word[SC_CLI_MAX_OPERANDS];
    sc_store *store = NULL;
    char *csv = NULL;

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    for (size_t i = 0; i < cli->n_operands && code == SC_EXIT_OK; i++) {
        code = sc_cli_find_study(id[i], store, cli->operand[i]);
        word[i] = id[i];
    }
    if (code == SC_EXIT_OK) {
        const sc_status st = sc_study_log(&csv, store, word, cli->n_operands);
        code = st == SC_OK ? put_log(cli, csv) : sc_cli_fail_input(st);
    }
    sc_release(csv);
    sc_store_close(store);
    return code;
}

static const sc_cli_operand operands[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_STUDY,
     .many = true,
     .help = "study files, names of studies, or the first digits of their IDs"},
    {.name = NULL}};

static const sc_cli_option options[] = {{.name = "output",
                                         .letter = 'o',
                                         .kind = SC_CLI_OUTPUT,
                                         .argument = "FILE",
                                         .offset = offsetof(values, output),
                                         .help = "write to FILE instead of standard output"},
                                        {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle study log b0 resnet bert -o log.csv",
     "Three studies of one template on networks of their own, as one table."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_study_log = {
    .name = "log",
    .summary = "Write the trials of studies as one table to learn from",
    .about = "A row a kept trial, CSV (docs/formats/study_log.md): its study and networks, its "
             "parameters, figures of the networks' op graphs, so that what is learned carries "
             "over to a network that was never logged, whether it was feasible, and its values "
             "if it was. Studies may differ in networks, space and objectives, not in the model "
             "version. Failed trials are left out.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
