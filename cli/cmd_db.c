/** `scantle db`: look after the database itself. */
#include <stdio.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "show.h"

/* ---- verify ---- */

/* What a damaged row says need not be UTF-8, which JSON must be. */
static json_t *damaged_text(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_string("(no text)");
}

/* Rows of faults so far; NULL once memory ran out. */
static void note_fault(const sc_store_fault *fault, void *payload)
{
    json_t **faults = payload;
    if (*faults == NULL)
        return;
    json_t *row = json_pack("{s:s, s:o, s:o}", "table", fault->table, "row",
                            damaged_text(fault->row), "what", damaged_text(fault->what));
    if (json_array_append_new(*faults, row) != 0) {
        json_decref(*faults);
        *faults = NULL;
    }
}

static sc_status show_check(const json_t *root)
{
    static const sc_cli_field fields[] = {{"table", "table", SC_CLI_AS_TEXT},
                                          {"row", "row", SC_CLI_AS_TEXT},
                                          {"what", "what is wrong", SC_CLI_AS_TEXT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *faults = json_object_get(root, "faults");

    printf("%" JSON_INTEGER_FORMAT " rows checked, %zu faults\n",
           json_integer_value(json_object_get(root, "rows")), json_array_size(faults));
    return json_array_size(faults) > 0 ? sc_cli_show_rows(faults, fields) : SC_OK;
}

static int run_verify(const sc_cli *cli)
{
    sc_store *store = NULL;
    sc_store_check check = {0};
    json_t *faults = json_array();

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_store_verify(store, note_fault, &faults, &check);
        if (st != SC_OK)
            code = sc_cli_fail(st);
        if (st == SC_OK || check.faults > 0) {
            json_t *root =
                json_pack("{s:I, s:O}", "rows", (json_int_t)check.rows, "faults", faults);
            int shown = sc_cli_show_json(cli, root, show_check);
            code = code == SC_EXIT_OK ? shown : code;
            json_decref(root);
        }
    }
    json_decref(faults);
    sc_store_close(store);
    return code;
}

static const sc_cli_example verify_examples[] = {
    {"scantle db verify",
     "Every row of ./scantle.db against its checksum; exit code 5 on a fault."},
    {NULL, NULL}};

static const sc_cli_command verify = {
    .name = "verify",
    .summary = "Check every row, count and checkpoint of the database",
    .examples = verify_examples,
    .run = run_verify,
};

/* ---- upgrade ---- */

static sc_status show_upgrade(const json_t *root)
{
    int from = (int)json_integer_value(json_object_get(root, "from"));
    int to = (int)json_integer_value(json_object_get(root, "to"));
    if (from == to)
        printf("schema %d, nothing to do\n", to);
    else
        printf("schema %d -> %d\n", from, to);
    return SC_OK;
}

static int run_upgrade(const sc_cli *cli)
{
    int from = 0, to = 0;
    sc_status st = sc_store_upgrade(sc_cli_database(cli), &from, &to);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    json_t *root = json_pack("{s:i, s:i}", "from", from, "to", to);
    int code = sc_cli_show_json(cli, root, show_upgrade);
    json_decref(root);
    return code;
}

static const sc_cli_example upgrade_examples[] = {
    {"scantle db upgrade --db old.db",
     "Bring a database of an older scantle to this one's schema."},
    {NULL, NULL}};

static const sc_cli_command upgrade = {
    .name = "upgrade",
    .summary = "Bring the database to this program's schema",
    .about = "In one transaction: an interruption leaves the old schema, whole.",
    .examples = upgrade_examples,
    .run = run_upgrade,
};

static const sc_cli_command *const members[] = {&verify, &upgrade, NULL};

static const sc_cli_example examples[] = {{"scantle db verify --db results.db", "Look for damage."},
                                          {NULL, NULL}};

const sc_cli_command sc_cmd_db = {
    .name = "db",
    .summary = "Verify or upgrade the database",
    .examples = examples,
    .members = members,
};
