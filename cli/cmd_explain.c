/** `scantle explain DESIGN WORKLOAD`: what bounds an op or a network, and what would relieve it. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/explain.h"
#include "show.h"

typedef struct explain_values {
    const char *op;
    sc_cli_model_values model;
} explain_values;

static const sc_cli_field totals[] = {{"op", "op", SC_CLI_AS_TEXT},
                                      {"kind", "kind", SC_CLI_AS_TEXT},
                                      {"feasible", "feasible", SC_CLI_AS_TEXT},
                                      {"time_s", "time", SC_CLI_AS_SECONDS},
                                      {"bound", "bound", SC_CLI_AS_TEXT},
                                      {"second_bound", "second bound", SC_CLI_AS_TEXT},
                                      {"distance", "distance to it", SC_CLI_AS_PERCENT},
                                      {"prefill_s", "prefill", SC_CLI_AS_SECONDS},
                                      {"lower_bound_s", "no mapping below", SC_CLI_AS_SECONDS},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field misfits[] = {{"op", "op", SC_CLI_AS_TEXT},
                                       {"code", "misses", SC_CLI_AS_TEXT},
                                       {"level", "level", SC_CLI_AS_TEXT},
                                       {"tensor", "tensor", SC_CLI_AS_TEXT},
                                       {"need_bytes", "needs", SC_CLI_AS_COUNT},
                                       {"have_bytes", "has", SC_CLI_AS_COUNT},
                                       {"over_bytes", "over", SC_CLI_AS_NUMBER},
                                       {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field bounds[] = {{"bound", "bound", SC_CLI_AS_TEXT},
                                      {"time_s", "time", SC_CLI_AS_SECONDS},
                                      {"share", "share", SC_CLI_AS_PERCENT},
                                      {"ops", "ops", SC_CLI_AS_COUNT},
                                      {"relief_s", "lifting it saves", SC_CLI_AS_SECONDS},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field levels[] = {{"name", "level", SC_CLI_AS_TEXT},
                                      {"bytes", "moved", SC_CLI_AS_BYTES},
                                      {"compulsory_bytes", "compulsory", SC_CLI_AS_BYTES},
                                      {"ratio", "ratio", SC_CLI_AS_NUMBER},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field ops[] = {{"name", "op", SC_CLI_AS_TEXT},
                                   {"kind", "kind", SC_CLI_AS_TEXT},
                                   {"time_s", "time", SC_CLI_AS_SECONDS},
                                   {"share", "share", SC_CLI_AS_PERCENT},
                                   {"bound", "bound", SC_CLI_AS_TEXT},
                                   {"second_bound", "second bound", SC_CLI_AS_TEXT},
                                   {"distance", "distance", SC_CLI_AS_PERCENT},
                                   {"dram_bytes", "DRAM", SC_CLI_AS_BYTES},
                                   {"compulsory_bytes", "compulsory", SC_CLI_AS_BYTES},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field steps[] = {{"set", "one step", SC_CLI_AS_TEXT},
                                     {"feasible", "feasible", SC_CLI_AS_TEXT},
                                     {"time_per_sample_s", "time a sample", SC_CLI_AS_SECONDS},
                                     {"change", "change", SC_CLI_AS_PERCENT},
                                     {"bound", "bound", SC_CLI_AS_TEXT},
                                     {NULL, NULL, SC_CLI_AS_TEXT}};

/* Parts of the document as tables, those that are there. */
static const struct part {
    const char *key, *heading;
    const sc_cli_field *fields;
} parts[] = {{"misfits", "What does not fit", misfits},
             {"bounds", "What asks for time", bounds},
             {"levels", "Bytes at each level, and what no mapping avoids", levels},
             {"op_list", "Ops, longest first", ops},
             {"steps", "What one step of each parameter changes, fastest first", steps}};

static sc_status show_explanation(const json_t *root)
{
    sc_status st = SC_OK;
    sc_cli_show_fields(root, totals);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && st == SC_OK; i++) {
        const json_t *rows = json_object_get(root, parts[i].key);
        if (json_array_size(rows) == 0)
            continue;
        sc_cli_show_heading(parts[i].heading);
        st = sc_cli_show_rows(rows, parts[i].fields);
    }
    return st;
}

/* Whether the document says that the op or the network runs. */
static bool says_feasible(const char *document)
{
    json_t *root = json_loads(document, 0, NULL);
    const bool feasible = json_is_true(json_object_get(root, "feasible"));
    json_decref(root);
    return feasible;
}

/* One network on the design. */
static int explain(const sc_cli *cli, const sc_design *design, const sc_workload *workload,
                   const sc_rules *rules)
{
    const explain_values *v = cli->values;
    sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    char *document = NULL;

    how.rules = sc_cli_rules(&v->model, rules);
    const sc_status st = sc_explain(&document, design, workload, v->op, &how);
    const bool feasible = st == SC_OK && says_feasible(document);
    int code = st == SC_OK ? sc_cli_show(cli, document, show_explanation) : sc_cli_fail_input(st);
    return code == SC_EXIT_OK && !feasible ? SC_EXIT_INFEASIBLE : code;
}

enum { MOST_NETWORKS = 64 };

/* The networks and rules of the study that the first operand's trial is of. @return an exit code.
 */
static int open_networks(const sc_cli *cli, sc_workload *list[MOST_NETWORKS], size_t *n,
                         sc_rules *rules)
{
    sc_store *store = NULL;
    sc_status st = SC_OK;

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code != SC_EXIT_OK)
        return code;
    for (*n = 0; *n < MOST_NETWORKS; ++*n) {
        list[*n] = NULL;
        st = sc_study_network_open(&list[*n], store, cli->operand[0], *n);
        if (st != SC_OK || list[*n] == NULL)
            break;
    }
    if (st == SC_OK)
        st = sc_study_rules_open(rules, store, cli->operand[0]);
    sc_store_close(store);
    return st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
}

/* Each on the design: documents in a JSON list where there are several. */
static int explain_each(const sc_cli *cli, const sc_design *design, sc_workload *const *list,
                        size_t n, const sc_rules *rules)
{
    const explain_values *v = cli->values;
    const bool json_list = cli->globals.json && n > 1;
    const sc_rules own = sc_cli_rules(&v->model, rules);
    int worst = SC_EXIT_OK;

    sc_cli_say_idle_nodes(&v->model, design, &own);
    for (size_t i = 0; i < n && (worst == SC_EXIT_OK || worst == SC_EXIT_INFEASIBLE); i++) {
        if (json_list)
            sc_cli_put_line(i == 0 ? "[" : ",");
        else if (n > 1)
            sc_cli_show_heading(sc_workload_name(list[i]));
        int code = explain(cli, design, list[i], rules);
        worst = code == SC_EXIT_OK ? worst : code;
    }
    if (json_list)
        sc_cli_put_line("]");
    return worst;
}

/* A trial of the database on the networks of its study. */
static int explain_trial(const sc_cli *cli)
{
    const explain_values *v = cli->values;
    sc_workload *list[MOST_NETWORKS] = {NULL};
    sc_design *design = NULL;
    sc_rules rules = SC_RULES_INIT;
    size_t n = 0;

    if (!sc_cli_is_trial(cli->operand[0])) {
        sc_cli_error("WORKLOAD is missing: only the ID of a trial in the database says on which "
                     "networks it ran");
        return SC_EXIT_USAGE;
    }
    int code = sc_cli_open_design(cli, &design, cli->operand[0]);
    if (code == SC_EXIT_OK)
        code = open_networks(cli, list, &n, &rules);
    if (code == SC_EXIT_OK && v->op != NULL && n > 1) {
        sc_cli_error(
            "--op %s is of one network and the study has %zu (%s, ...): name it as WORKLOAD", v->op,
            n, sc_workload_name(list[0]));
        code = SC_EXIT_USAGE;
    }
    if (code == SC_EXIT_OK)
        code = explain_each(cli, design, list, n, &rules);
    for (size_t i = 0; i < n; i++)
        sc_workload_destroy(list[i]);
    sc_design_destroy(design);
    return code;
}

static int run(const sc_cli *cli)
{
    sc_design *design = NULL;
    sc_workload *workload = NULL;
    const sc_rules defaults = SC_RULES_INIT;

    if (cli->n_operands < 2)
        return explain_trial(cli);
    int code = sc_cli_open_pair(cli, &design, &workload);
    if (code == SC_EXIT_OK)
        code = explain_each(cli, design, &workload, 1, &defaults);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

static const sc_cli_option options[] = {{.name = "op",
                                         .kind = SC_CLI_TEXT,
                                         .argument = "NAME",
                                         .offset = offsetof(explain_values, op),
                                         .help = "this op alone"},
                                        SC_CLI_MODEL_OPTIONS(offsetof(explain_values, model)),
                                        {.name = NULL}};

static const sc_cli_operand operands[] = {
    {.name = "DESIGN",
     .kind = SC_CLI_OPERAND_DESIGN,
     .help = "a built-in name, a template with values (fast:pes_x=8), a YAML file, or an ID from "
             "the database"},
    {.name = "WORKLOAD",
     .kind = SC_CLI_OPERAND_WORKLOAD,
     .optional = true,
     .help = "a built-in name with options (bert-base:seq=128), or a YAML file (default, with an "
             "ID: each network of its study)"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle explain fast bert-base:seq=128", "What bounds the network, and what would help."},
    {"scantle explain fast bert-base:seq=128 --op l0_q --json", "The same of one op, as JSON."},
    {"scantle explain 415f0cf79c86", "A trial of the database on its study's networks."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_explain = {
    .name = "explain",
    .summary = "Say what bounds an op or a network on a design, and what would relieve it",
    .about = "Prints the bound, the second bound and the distance to it, the bytes of each level "
             "against those that no mapping avoids, and what one step of each parameter would "
             "change. Of a design that does not fit: each op with the level, the tensor and the "
             "bytes over, and exit code 2.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(explain_values),
    .run = run,
};
