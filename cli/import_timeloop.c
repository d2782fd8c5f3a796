/** `scantle import timeloop`: files of the public reference tool in our forms. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "import.h"
#include "message.h"
#include "output.h"
#include "scantle/reference.h"
#include "show.h"

typedef struct timeloop_values {
    const char *output;
} timeloop_values;

int sc_cli_write_parts(const char *folder, const sc_cli_part *parts, size_t n)
{
    char path[4096];
    int code = SC_EXIT_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        sc_cli_error("%s: %s", folder, strerror(errno));
        return SC_EXIT_USAGE;
    }
    for (size_t i = 0; i < n && code == SC_EXIT_OK; i++) {
        if (!parts[i].text)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, parts[i].name) >= (int)sizeof path) {
            sc_cli_error("%s: the path is too long", folder);
            return SC_EXIT_USAGE;
        }
        code = sc_cli_write(path, parts[i].text);
    }
    return code;
}

static sc_status show_parts(const json_t *root)
{
    static const sc_cli_field levels[] = {{"name", "level", SC_CLI_AS_TEXT},
                                          {"instances", "instances", SC_CLI_AS_COUNT},
                                          {"capacity_words", "words", SC_CLI_AS_COUNT},
                                          {"total_words", "of all", SC_CLI_AS_COUNT},
                                          {"word_bits", "bits", SC_CLI_AS_COUNT},
                                          {"block_words", "block", SC_CLI_AS_COUNT},
                                          {"cluster_size", "cluster", SC_CLI_AS_COUNT},
                                          {"fanout_x", "children along X", SC_CLI_AS_COUNT},
                                          {"fanout_y", "along Y", SC_CLI_AS_COUNT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field dims[] = {{"name", "dimension", SC_CLI_AS_TEXT},
                                        {"bound", "bound", SC_CLI_AS_COUNT},
                                        {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field tensors[] = {{"name", "tensor", SC_CLI_AS_TEXT},
                                           {"role", "role", SC_CLI_AS_TEXT},
                                           {"elements", "elements", SC_CLI_AS_COUNT},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    const struct {
        const char *key, *heading;
        const sc_cli_field *fields;
    } tables[] = {{"levels", "Architecture", levels},
                  {"dimensions", "Problem", dims},
                  {"tensors", "Tensors", tensors}};
    sc_status st = SC_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && st == SC_OK; i++)
        if (json_array_size(json_object_get(root, tables[i].key))) {
            sc_cli_show_heading(tables[i].heading);
            st = sc_cli_show_rows(json_object_get(root, tables[i].key), tables[i].fields);
        }
    return st;
}

static sc_status show_import(const json_t *root)
{
    static const sc_cli_field totals[] = {{"problem", "problem", SC_CLI_AS_TEXT},
                                          {"macs", "MACs", SC_CLI_AS_COUNT},
                                          {"compute.name", "compute", SC_CLI_AS_TEXT},
                                          {"compute.instances", "MAC units", SC_CLI_AS_COUNT},
                                          {"constraints", "constraints", SC_CLI_AS_COUNT},
                                          {"mapping", "mapping", SC_CLI_AS_TEXT},
                                          {"energy_table", "energy table", SC_CLI_AS_TEXT},
                                          {"counts.feasible", "mapping fits", SC_CLI_AS_TEXT},
                                          {"counts.cycles", "cycles", SC_CLI_AS_COUNT},
                                          {"counts.energy_pj", "energy (pJ)", SC_CLI_AS_NUMBER},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, totals);
    const sc_status st = show_parts(root);
    sc_cli_show_assumptions(root);
    return st;
}

static int run_timeloop(const sc_cli *cli)
{
    const timeloop_values *v = cli->values;
    sc_reference_export e;
    int code = SC_EXIT_OK;
    const sc_status st = sc_reference_import(&e, cli->operand, cli->n_operands);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    if (v->output != NULL) {
        const sc_cli_part parts[] = {{"platform.yaml", e.platform},
                                     {"energies.yaml", e.energies},
                                     {"network.yaml", e.network},
                                     {"mapping.yaml", e.mapping},
                                     {"constraints.yaml", e.constraints}};
        code = sc_cli_write_parts(v->output, parts, sizeof parts / sizeof *parts);
    }
    if (code == SC_EXIT_OK) {
        code = sc_cli_show(cli, e.report, show_import);
        e.report = NULL;
    }
    sc_reference_export_clear(&e);
    return code;
}

static const sc_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_FOLDER,
     .argument = "FOLDER",
     .offset = offsetof(timeloop_values, output),
     .help = "write platform.yaml, network.yaml, mapping.yaml, constraints.yaml and energies.yaml "
             "there, those that the files give"},
    {.name = NULL}};

static const sc_cli_operand operands[] = {
    {.name = "FILE",
     .kind = SC_CLI_OPERAND_FILE,
     .many = true,
     .help =
         "YAML files of the reference tool, or folders of them: architecture, problem, mapping, "
         "constraints, names, energy and area tables in any order"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle import timeloop arch.yaml problem.yaml -o mine",
     "A platform and a network that the other commands take."},
    {"scantle import timeloop eyeriss_like/ --json", "A whole folder; what was read, as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_import_timeloop = {
    .name = "timeloop",
    .summary = "Import YAML files of the reference tool",
    .about =
        "Reads versions 0.2, 0.3 and 0.4 and the oldest form. Prints what was read and assumed; "
        "what our forms cannot hold is told by name. A mapping is counted as map --timeloop "
        "does.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(timeloop_values),
    .run = run_timeloop,
};
