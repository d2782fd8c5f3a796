/** `scantle design`: built-in platforms and templates, and what a design is made of. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "names.h"
#include "scantle/design.h"
#include "show.h"

/* ---- list ---- */

/* The names are known to the library; what they name lies in the data folder. */
static bool has_data(void)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/templates", sc_data_dir());
    if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0)
        return true;
    sc_cli_error("no templates in the data folder %s: is it scantle's? (SCANTLE_DATA_DIR)",
                 sc_data_dir());
    return false;
}

static int run_list(const sc_cli *cli)
{
    if (!has_data())
        return SC_EXIT_USAGE;
    return sc_cli_list_names(cli, sc_design_builtin, sc_design_builtin_about);
}

static const sc_cli_example list_examples[] = {
    {"scantle design list", "Platforms to compare with and templates to search."}, {NULL, NULL}};

static const sc_cli_command list = {
    .name = "list",
    .summary = "List the built-in platforms and templates",
    .examples = list_examples,
    .run = run_list,
};

/* ---- show ---- */

static const sc_cli_field totals[] = {{"name", "design", SC_CLI_AS_TEXT},
                                      {"id", "id", SC_CLI_AS_TEXT},
                                      {"spec", "spec", SC_CLI_AS_TEXT},
                                      {"technology", "technology", SC_CLI_AS_TEXT},
                                      {"clock_hz", "clock", SC_CLI_AS_HZ},
                                      {"macs", "MAC units", SC_CLI_AS_COUNT},
                                      {"peak_macs_per_s", "peak MACs", SC_CLI_AS_RATE},
                                      {"lanes", "vector lanes", SC_CLI_AS_COUNT},
                                      {"native_batch", "native batch", SC_CLI_AS_COUNT},
                                      {"area_mm2", "area", SC_CLI_AS_MM2},
                                      {"tdp_w", "TDP", SC_CLI_AS_WATT},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field levels[] = {
    {"name", "level", SC_CLI_AS_TEXT},
    {"instances", "instances", SC_CLI_AS_COUNT},
    {"total_capacity_bytes", "capacity, all", SC_CLI_AS_BYTES},
    {"read_bytes_per_cycle", "read B/cycle", SC_CLI_AS_NUMBER},
    {"write_bytes_per_cycle", "write B/cycle", SC_CLI_AS_NUMBER},
    {"shared_bytes_per_cycle", "shared B/cycle", SC_CLI_AS_NUMBER},
    {"pj_per_64_bits", "pJ/64 bits", SC_CLI_AS_NUMBER},
    {NULL, NULL, SC_CLI_AS_TEXT}};

static sc_status show_design(const json_t *root)
{
    sc_status st = SC_OK;

    sc_cli_show_fields(root, totals);
    sc_cli_show_heading("Values");
    if ((st = sc_cli_show_parameters(json_object_get(root, "values"),
                                     json_object_get(root, "units"))) != SC_OK)
        return st;
    sc_cli_show_heading("Levels");
    if ((st = sc_cli_show_rows(json_object_get(root, "levels"), levels)) != SC_OK)
        return st;
    sc_cli_show_heading("Area");
    if ((st = sc_cli_show_map(json_object_get(root, "area"), "part", SC_CLI_AS_MM2)) != SC_OK)
        return st;
    sc_cli_show_heading("TDP");
    return sc_cli_show_map(json_object_get(root, "tdp"), "part", SC_CLI_AS_WATT);
}

static int run_show(const sc_cli *cli)
{
    sc_design *design = NULL;
    char *document = NULL;

    int code = sc_cli_open_design(cli, &design, cli->operand[0]);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_design_json(&document, design);
        code = st == SC_OK ? sc_cli_show(cli, document, show_design) : sc_cli_fail(st);
    }
    sc_design_destroy(design);
    return code;
}

static const sc_cli_operand operands[] = {
    {.name = "DESIGN",
     .kind = SC_CLI_OPERAND_DESIGN,
     .help = "a built-in name, a template with values (fast:pes_x=8,l3_global=16MiB), a YAML "
             "file, or an ID from the database"},
    {.name = NULL}};

static const sc_cli_example show_examples[] = {
    {"scantle design show tpu-v3", "Values, levels, and where area and TDP come from."},
    {"scantle design show fast:pes_x=8,l3_global=16MiB --json", "A point of a template, as JSON."},
    {NULL, NULL}};

static const sc_cli_command show = {
    .name = "show",
    .summary = "Show the values, levels, area and TDP of a design",
    .examples = show_examples,
    .operands = operands,
    .run = run_show,
};

static const sc_cli_command *const members[] = {&list, &show, NULL};

static const sc_cli_example examples[] = {
    {"scantle design show tpu-v3-7nm", "The die shrink of TPU-v3."}, {NULL, NULL}};

const sc_cli_command sc_cmd_design = {
    .name = "design",
    .summary = "List and show designs",
    .examples = examples,
    .members = members,
};
