/** `scantle space show FILE`: what a study chooses from, or a space by itself. */
#include <stdio.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "show.h"

enum { LINE_BYTES = 4096 };

/* "1, 2, 4, ..., 256": the values of a parameter in the order of the space. */
static void join_values(char *out, size_t size, const json_t *values, const json_t *unit)
{
    const size_t n = json_array_size(values), head = 6;
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < n && at < size; i++) {
        char text[128];
        int more = 0;
        if (n > head + 2 && i == head) {
            more = snprintf(out + at, size - at, ", ...");
            i = n - 2; /* the last one closes the list */
        } else {
            sc_cli_format_parameter(text, sizeof text, json_array_get(values, i), unit);
            more = snprintf(out + at, size - at, "%s%s", i > 0 ? ", " : "", text);
        }
        at += more > 0 ? (size_t)more : 0;
    }
}

static sc_status show_parameters(const json_t *rows)
{
    static const sc_cli_column columns[] = {
        {"parameter", false}, {"kind", false}, {"values", true}, {"", false}};
    sc_cli_table table;

    sc_cli_table_begin(&table, columns, 4);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const json_t *values = json_object_get(row, "values");
        char list[LINE_BYTES];

        join_values(list, sizeof list, values, json_object_get(row, "unit"));
        sc_cli_table_cell(&table, "%s", json_string_value(json_object_get(row, "name")));
        sc_cli_table_cell(&table, "%s", json_string_value(json_object_get(row, "kind")));
        sc_cli_table_cell(&table, "%zu", json_array_size(values));
        sc_cli_table_cell(&table, "%s", list);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

static sc_status show_space(const json_t *root)
{
    const bool counted = json_is_number(json_object_get(root, "valid"));
    const sc_cli_field totals[] = {{"name", "space", SC_CLI_AS_TEXT},
                                   {"points", "points", SC_CLI_AS_NUMBER},
                                   {counted ? "distinct" : NULL, "distinct", SC_CLI_AS_NUMBER},
                                   {"valid", "valid", SC_CLI_AS_NUMBER},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *constraints = json_object_get(root, "constraints");

    sc_cli_show_fields(root, totals);
    if (!counted)
        puts("Distinct and valid points are not counted in a space of this size.");
    sc_cli_show_heading("Parameters");
    sc_status st = show_parameters(json_object_get(root, "parameters"));
    if (st == SC_OK && json_object_size(constraints) > 0) {
        sc_cli_show_heading("Constraints");
        st = sc_cli_show_map(constraints, "constraint", SC_CLI_AS_TEXT);
    }
    return st;
}

static int run_show(const sc_cli *cli)
{
    char *document = NULL;
    const sc_status st = sc_space_file_json(&document, cli->operand[0]);
    return st == SC_OK ? sc_cli_show(cli, document, show_space) : sc_cli_fail_input(st);
}

static const sc_cli_operand operands[] = {
    {.name = "FILE", .kind = SC_CLI_OPERAND_FILE, .help = "YAML file of a study or of a space"},
    {.name = NULL}};

static const sc_cli_example show_examples[] = {
    {"scantle space show study.yaml", "Parameters, their values and the size of the space."},
    {NULL, NULL}};

static const sc_cli_command show = {
    .name = "show",
    .summary = "Show the parameters, constraints and size of a space",
    .examples = show_examples,
    .operands = operands,
    .run = run_show,
};

static const sc_cli_command *const members[] = {&show, NULL};

static const sc_cli_example examples[] = {
    {"scantle space show study.yaml --json", "The space of a study, as JSON."}, {NULL, NULL}};

const sc_cli_command sc_cmd_space = {
    .name = "space",
    .summary = "Show what a study may choose from",
    .examples = examples,
    .members = members,
};
