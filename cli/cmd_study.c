/** `scantle study`: the studies of a database. */
#include <stdio.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "show.h"

static const sc_cli_operand operands[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_STUDY,
     .help = "a study file, a study's name, or the first digits of its ID"},
    {.name = NULL}};

/* ---- list ---- */

#define COUNTS                                                                                     \
    {"trials", "trials", SC_CLI_AS_COUNT}, {"feasible", "feasible", SC_CLI_AS_COUNT},              \
        {"infeasible", "infeasible", SC_CLI_AS_COUNT}, {"failed", "failed", SC_CLI_AS_COUNT},      \
    {                                                                                              \
        "kept", "kept", SC_CLI_AS_COUNT                                                            \
    }

static sc_status show_list(const json_t *rows)
{
    static const sc_cli_field fields[] = {{"name", "study", SC_CLI_AS_TEXT},
                                          {"id", "id", SC_CLI_AS_TEXT},
                                          {"status", "status", SC_CLI_AS_TEXT},
                                          COUNTS,
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    return sc_cli_show_rows(rows, fields);
}

static int run_list(const sc_cli *cli)
{
    sc_store *store = NULL;
    char *document = NULL;

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_store_study_list(&document, store);
        code = st == SC_OK ? sc_cli_show(cli, document, show_list) : sc_cli_fail(st);
    }
    sc_store_close(store);
    return code;
}

static const sc_cli_example list_examples[] = {
    {"scantle study list", "Every study of ./scantle.db, and how far it is."}, {NULL, NULL}};

static const sc_cli_command list = {
    .name = "list",
    .summary = "List the studies of the database",
    .examples = list_examples,
    .run = run_list,
};

/* ---- show ---- */

static sc_status show_study(const json_t *root)
{
    static const sc_cli_field fields[] = {{"name", "study", SC_CLI_AS_TEXT},
                                          {"id", "id", SC_CLI_AS_TEXT},
                                          {"status", "status", SC_CLI_AS_TEXT},
                                          {"seed", "seed", SC_CLI_AS_TEXT},
                                          {"keep", "keeps", SC_CLI_AS_TEXT},
                                          {"model_version", "model", SC_CLI_AS_TEXT},
                                          COUNTS,
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field objectives[] = {{"name", "objective", SC_CLI_AS_TEXT},
                                              {"goal", "goal", SC_CLI_AS_TEXT},
                                              {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, fields);
    sc_cli_show_heading("Objectives");
    sc_status st = sc_cli_show_rows(json_object_get(root, "objectives"), objectives);
    const char *config = json_string_value(json_object_get(root, "config"));
    if (st == SC_OK && config != NULL) {
        sc_cli_show_heading("File: networks, limits, baseline, optimiser");
        sc_cli_put_lines(config);
    }
    return st;
}

static int run_show(const sc_cli *cli)
{
    sc_store *store = NULL;
    char *document = NULL;
    char id[33];

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_study(id, store, cli->operand[0]);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_store_study_show(&document, store, id);
        code = st == SC_OK ? sc_cli_show(cli, document, show_study) : sc_cli_fail_input(st);
    }
    sc_store_close(store);
    return code;
}

static const sc_cli_example show_examples[] = {
    {"scantle study show b0", "The study of that name."},
    {"scantle study show 3f9a --json", "By its ID, with its file, its runs and their times."},
    {NULL, NULL}};

static const sc_cli_command show = {
    .name = "show",
    .summary = "Show one study",
    .examples = show_examples,
    .operands = operands,
    .run = run_show,
};

/* ---- delete ---- */

static sc_status show_deleted(const json_t *root)
{
    printf("deleted %s\n", json_string_value(json_object_get(root, "deleted")));
    return SC_OK;
}

static int run_delete(const sc_cli *cli)
{
    sc_store *store = NULL;
    char id[33];

    int code = sc_cli_open_database(cli, &store, SC_STORE_WRITE);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_study(id, store, cli->operand[0]);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_store_study_delete(store, id);
        json_t *root = json_pack("{s:s}", "deleted", id);
        code = st == SC_OK ? sc_cli_show_json(cli, root, show_deleted) : sc_cli_fail_input(st);
        json_decref(root);
    }
    sc_store_close(store);
    return code;
}

static const sc_cli_example delete_examples[] = {
    {"scantle study delete 3f9a", "Its trials go; results that other studies share stay."},
    {NULL, NULL}};

static const sc_cli_command delete = {
    .name = "delete",
    .summary = "Delete a study with its trials",
    .examples = delete_examples,
    .operands = operands,
    .run = run_delete,
};

static const sc_cli_command *const members[] = {
    &list, &show, &delete, &sc_cmd_study_compare, &sc_cmd_study_share, &sc_cmd_study_log, NULL};

static const sc_cli_example examples[] = {
    {"scantle study list --db results.db", "What a database holds."}, {NULL, NULL}};

const sc_cli_command sc_cmd_study = {
    .name = "study",
    .summary = "List, show and delete studies, and hold them against a true front",
    .examples = examples,
    .members = members,
};
