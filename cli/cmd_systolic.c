/** `scantle systolic FILE.csv`: cycles of matrix products on systolic arrays. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "scantle/systolic.h"
#include "show.h"

typedef struct systolic_values {
    bool double_buffered, drain;
    const char *output;
} systolic_values;

/* One cell of a CSV text as JSON: a number where it is one; the text after it at *rest. Quotes
 * stand around cells with commas, quotes or line ends, two for one inside. */
static json_t *read_cell(const char **rest, const char *at, char *scratch)
{
    bool quoted = *at == '"';
    size_t n = 0;
    for (at += quoted; *at != '\0' && (quoted || (*at != ',' && *at != '\n' && *at != '\r'));
         at++) {
        if (quoted && *at == '"' && *++at != '"')
            break;
        scratch[n++] = *at;
    }
    scratch[n] = '\0';
    *rest = at;
    json_t *number = quoted || n == 0 ? NULL : json_loads(scratch, JSON_DECODE_ANY, NULL);
    if (json_is_number(number))
        return number;
    json_decref(number);
    return json_string(scratch);
}

/* The next line as an array of cells. */
static json_t *read_line(const char **rest, char *scratch)
{
    json_t *cells = json_array();
    const char *at = *rest;
    for (bool more = true; more; at += more) {
        (void)json_array_append_new(cells, read_cell(&at, at, scratch));
        more = *at == ',';
    }
    at += *at == '\r';
    *rest = at + (*at == '\n');
    return cells;
}

/* Names of the columns of a table whose first line is a product already: its first five cells are
 * numbers, which no header has there. NULL if it has a header. */
static json_t *names_without_header(const json_t *first)
{
    static const char *const wanted[] = {"M", "N", "K", "R", "C", "dataflow"};
    const size_t n = json_array_size(first), n_wanted = sizeof wanted / sizeof *wanted;
    for (size_t i = 0; i + 1 < n_wanted; i++)
        if (!json_is_integer(json_array_get(first, i)))
            return NULL;
    json_t *names = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(names, i < n_wanted ? json_string(wanted[i])
                                           : i + 1 == n ? json_string("cycles")
                                                        : json_sprintf("column_%zu", i + 1));
    return names;
}

/* The table as an array of objects named by its header. NULL on out of memory. */
static json_t *rows_of(const char *csv)
{
    const char *first = csv;
    char *scratch = malloc(strlen(csv) + 1);
    json_t *list = json_array();
    if (scratch == NULL) {
        json_decref(list);
        return NULL;
    }
    json_t *header = read_line(&csv, scratch), *names = names_without_header(header);
    if (names != NULL) {
        json_decref(header);
        header = names;
        csv = first;
    }
    while (*csv != '\0') {
        json_t *cells = read_line(&csv, scratch), *row = json_object();
        for (size_t i = 0; i < json_array_size(cells) && i < json_array_size(header); i++)
            (void)json_object_set(row, json_string_value(json_array_get(header, i)),
                                  json_array_get(cells, i));
        (void)json_array_append_new(list, row);
        json_decref(cells);
    }
    json_decref(header);
    free(scratch);
    return list;
}

/* The table itself, or with --json an array of its rows. */
static int print(const sc_cli *cli, const char *csv)
{
    const systolic_values *v = cli->values;
    if (!cli->globals.json)
        return sc_cli_write(v->output, csv);
    json_t *rows = rows_of(csv);
    char *text = rows != NULL ? json_dumps(rows, JSON_INDENT(2)) : NULL;
    int code = SC_EXIT_INTERNAL;
    if (text != NULL)
        code = sc_cli_write(v->output, text);
    else
        sc_cli_error("out of memory");
    free(text);
    json_decref(rows);
    return code;
}

static int run(const sc_cli *cli)
{
    const systolic_values *v = cli->values;
    sc_systolic_csv_options options = SC_SYSTOLIC_CSV_OPTIONS_INIT;
    char *csv = NULL;

    options.double_buffered = v->double_buffered;
    options.drain = v->drain;
    sc_status st = sc_systolic_csv(&csv, cli->operand[0], &options);
    int code = st == SC_OK ? print(cli, csv) : sc_cli_fail_input(st);
    sc_release(csv);
    return code;
}

#define AT(field) offsetof(systolic_values, field)
static const sc_cli_option options[] = {
    {.name = "double-buffered",
     .kind = SC_CLI_FLAG,
     .offset = AT(double_buffered),
     .help = "the next tile loads, and results leave, while a tile runs"},
    {.name = "drain",
     .kind = SC_CLI_FLAG,
     .offset = AT(drain),
     .help = "output stationary: count the cycles in which results leave the array"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write to FILE instead of standard output"},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "FILE",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "CSV with columns M, N, K, R, C and dataflow (os, ws or is), in any order under a "
             "header, in this order without one; more columns are passed through"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle systolic products.csv", "The same rows with a column of cycles at their end."},
    {"printf '1024,512,256,128,128,ws\\n' > p.csv && scantle systolic p.csv --double-buffered",
     "One product of 1024 x 256 and 256 x 512 on an array of 128 x 128."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_systolic = {
    .name = "systolic",
    .summary = "Compute the cycles of matrix products on systolic arrays, from a table",
    .about =
        "A product is [M][K] x [K][N], an array has R rows and C columns. With --json the rows "
        "are an array of objects, named by the header.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(systolic_values),
    .run = run,
};
