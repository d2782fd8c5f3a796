/** `scantle ask STUDY`: points for an evaluator of the user's own. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "scantle/study.h"
#include "show.h"
#include "text.h"

typedef struct ask_values {
    sc_cli_integer n;
    bool waiting;
} ask_values;

/* One line a point: its ID, then name=value. */
static sc_status show_points(const json_t *root)
{
    for (size_t i = 0; i < json_array_size(root); i++) {
        const json_t *point = json_array_get(root, i);
        json_t *params = json_object_get(point, "params");
        const char *key = NULL;
        json_t *value = NULL;

        sc_cli_put_safe(stdout, json_string_value(json_object_get(point, "id")));
        json_object_foreach(params, key, value)
        {
            char text[256];
            sc_cli_format_exact(text, sizeof text, value);
            putchar(' ');
            sc_cli_put_safe(stdout, key);
            putchar('=');
            sc_cli_put_safe(stdout, text);
        }
        putchar('\n');
    }
    return SC_OK;
}

static int run(const sc_cli *cli)
{
    const ask_values *v = cli->values;
    sc_study *study = NULL;
    sc_store *store = NULL;
    char *document = NULL;

    int code = sc_cli_open_study(cli, &study, NULL);
    if (code == SC_EXIT_OK)
        code = sc_cli_open_database(cli, &store, SC_STORE_CREATE);
    if (code == SC_EXIT_OK) {
        sc_status st = v->waiting ? sc_study_waiting(&document, study, store)
                                  : sc_study_ask(&document, study, store, (size_t)v->n.value);
        const bool none = st == SC_OK && strchr(document, '{') == NULL;
        code = st == SC_OK ? sc_cli_show(cli, document, show_points) : sc_cli_fail(st);
        if (none)
            sc_cli_note(v->waiting ? "no point waits to be told"
                                   : "nothing is left to ask: the budget of trials is spent, or "
                                     "the space is");
    }
    sc_store_close(store);
    sc_study_close(study);
    return code;
}

static const sc_cli_option options[] = {{.name = "count",
                                         .letter = 'n',
                                         .kind = SC_CLI_INTEGER,
                                         .argument = "N",
                                         .offset = offsetof(ask_values, n),
                                         .min = 1,
                                         .max = 1000000,
                                         .help = "points to ask for at most",
                                         .fallback = "1"},
                                        {.name = "waiting",
                                         .kind = SC_CLI_FLAG,
                                         .offset = offsetof(ask_values, waiting),
                                         .help = "all points that were asked for and not told "
                                                 "yet, instead of new ones"},
                                        {.name = NULL}};

static const sc_cli_operand operands[] = {
    {.name = "STUDY", .kind = SC_CLI_OPERAND_FILE, .help = "the study's YAML file"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle ask study.yaml -n 8 --json", "Eight points to evaluate, as [{\"id\", \"params\"}]; "
                                           "an empty list when the budget is spent."},
    {"scantle ask study.yaml --waiting", "What an evaluator that was interrupted still owes."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_ask = {
    .name = "ask",
    .summary = "Get points to evaluate with a simulator of your own",
    .about =
        "Points that were asked for wait in the database until scantle tell brings results. "
        "They count against the budget and are not given out again by a plain ask, since another "
        "process may be at work on them: after an interrupt, ask --waiting lists them.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(ask_values),
    .run = run,
};
