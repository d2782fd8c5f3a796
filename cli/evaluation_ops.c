/** Tables of an evaluation by op: bytes, padding, softmax, and sums by kind. */
#include <stdio.h>
#include <string.h>

#include "evaluation.h"
#include "output.h"
#include "show.h"

/* ---- ops: fixed columns, then the bytes at each level of the design ---- */

static const sc_cli_field op_fields[] = {
    {"name", "op", SC_CLI_AS_TEXT},         {"kind", "kind", SC_CLI_AS_TEXT},
    {"time_s", "time", SC_CLI_AS_SECONDS},  {"share", "share", SC_CLI_AS_PERCENT},
    {"bound", "bound", SC_CLI_AS_TEXT},     {"utilization", "util.", SC_CLI_AS_PERCENT},
    {"macs", "MACs", SC_CLI_AS_COUNT},      {"intensity", "ops/byte", SC_CLI_AS_NUMBER},
    {"energy_j", "energy", SC_CLI_AS_JOULE}};
enum { OP_FIELDS = sizeof op_fields / sizeof *op_fields };

static bool moves_bytes(const json_t *op_list, const char *level)
{
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *bytes = json_object_get(json_array_get(op_list, i), "level_bytes");
        if (json_number_value(json_object_get(bytes, level)) != 0)
            return true;
    }
    return false;
}

size_t sc_cli_moving_levels(const char *levels[SC_CLI_MAX_LEVELS], const json_t *op_list)
{
    json_t *first = json_object_get(json_array_get(op_list, 0), "level_bytes");
    const char *key = NULL;
    json_t *value = NULL;
    size_t n = 0;
    json_object_foreach(first, key, value)
    {
        if (n < SC_CLI_MAX_LEVELS && moves_bytes(op_list, key))
            levels[n++] = key;
    }
    return n;
}

/* A cell of an op; its share of the network's time is the one figure that is made here. */
static void show_op_cell(sc_cli_table *table, const json_t *op, const sc_cli_field *field,
                         double latency_s)
{
    if (strcmp(field->key, "share") != 0) {
        sc_cli_show_cell(table, json_object_get(op, field->key), field->form);
        return;
    }
    json_t *share = json_real(json_number_value(json_object_get(op, "time_s")) / latency_s);
    sc_cli_show_cell(table, share, field->form);
    json_decref(share);
}

sc_status sc_cli_show_ops(const json_t *op_list, double latency_s)
{
    sc_cli_column columns[OP_FIELDS + SC_CLI_MAX_LEVELS];
    const char *levels[SC_CLI_MAX_LEVELS];
    sc_cli_table table;
    size_t n = sc_cli_moving_levels(levels, op_list);

    for (size_t c = 0; c < OP_FIELDS; c++)
        columns[c] = (sc_cli_column){op_fields[c].heading, op_fields[c].form != SC_CLI_AS_TEXT};
    for (size_t k = 0; k < n; k++)
        columns[OP_FIELDS + k] = (sc_cli_column){levels[k], true};
    sc_cli_table_begin(&table, columns, OP_FIELDS + n);
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *op = json_array_get(op_list, i);
        const json_t *bytes = json_object_get(op, "level_bytes");
        for (size_t c = 0; c < OP_FIELDS; c++)
            show_op_cell(&table, op, &op_fields[c], latency_s);
        for (size_t k = 0; k < n; k++)
            sc_cli_show_cell(&table, json_object_get(bytes, levels[k]), SC_CLI_AS_BYTES);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* ---- what dimensions are padded to ---- */

sc_status sc_cli_show_padding(const json_t *op_list)
{
    static const sc_cli_column columns[] = {{"op", false},
                                            {"dimension", false},
                                            {"size", true},
                                            {"padded to", true},
                                            {"of the MACs", true}};
    sc_cli_table table;
    size_t rows = 0;

    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *op = json_array_get(op_list, i), *padding = json_object_get(op, "padding");
        const json_t *dims = json_object_get(padding, "dims");
        for (size_t d = 0; d < json_array_size(dims); d++, rows++) {
            const json_t *dim = json_array_get(dims, d);
            sc_cli_show_cell(&table, d == 0 ? json_object_get(op, "name") : NULL, SC_CLI_AS_TEXT);
            sc_cli_show_cell(&table, json_object_get(dim, "dim"), SC_CLI_AS_TEXT);
            sc_cli_show_cell(&table, json_object_get(dim, "size"), SC_CLI_AS_COUNT);
            sc_cli_show_cell(&table, json_object_get(dim, "padded"), SC_CLI_AS_COUNT);
            sc_cli_show_cell(&table, d == 0 ? json_object_get(padding, "share") : NULL,
                             SC_CLI_AS_PERCENT);
        }
    }
    if (rows == 0)
        return SC_OK; /* a table without cells holds no memory */
    sc_cli_show_heading("Padding");
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* ---- ways to run a softmax ---- */

static void show_way(sc_cli_table *table, const json_t *op, const char *way)
{
    const json_t *cost = json_object_get(json_object_get(op, "variants"), way);
    sc_cli_show_cell(table, json_object_get(cost, "time_s"), SC_CLI_AS_SECONDS);
    sc_cli_show_cell(table, json_object_get(cost, "energy_j"), SC_CLI_AS_JOULE);
}

sc_status sc_cli_show_softmax(const json_t *op_list)
{
    static const sc_cli_column columns[] = {{"op", false},         {"run in", false},
                                            {"three: time", true}, {"energy", true},
                                            {"two: time", true},   {"energy", true}};
    sc_cli_table table;
    size_t rows = 0;

    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *op = json_array_get(op_list, i);
        if (!json_is_object(json_object_get(op, "variants")))
            continue;
        sc_cli_show_cell(&table, json_object_get(op, "name"), SC_CLI_AS_TEXT);
        sc_cli_show_cell(&table, json_object_get(op, "variant"), SC_CLI_AS_TEXT);
        show_way(&table, op, "three-pass");
        show_way(&table, op, "two-pass");
        rows++;
    }
    if (rows == 0)
        return SC_OK; /* a table without cells holds no memory */
    sc_cli_show_heading("Softmax, in three passes and in two");
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* ---- totals by kind of op ---- */

/* Sums over the ops of a kind, as one row: {"kind","ops","time_s","share","macs","energy_j"}. */
static json_t *kind_row(const json_t *op_list, const char *kind, double latency_s)
{
    double time = 0, macs = 0, energy = 0;
    json_int_t n = 0;
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *op = json_array_get(op_list, i);
        const char *mine = json_string_value(json_object_get(op, "kind"));
        if (mine == NULL || strcmp(mine, kind) != 0)
            continue;
        n++;
        time += json_number_value(json_object_get(op, "time_s"));
        macs += json_number_value(json_object_get(op, "macs"));
        energy += json_number_value(json_object_get(op, "energy_j"));
    }
    return json_pack("{s:s,s:I,s:f,s:f,s:I,s:f}", "kind", kind, "ops", n, "time_s", time, "share",
                     time / latency_s, "macs", (json_int_t)macs, "energy_j", energy);
}

sc_status sc_cli_show_kinds(const json_t *op_list, double latency_s)
{
    static const sc_cli_field fields[] = {
        {"kind", "kind", SC_CLI_AS_TEXT},      {"ops", "ops", SC_CLI_AS_COUNT},
        {"time_s", "time", SC_CLI_AS_SECONDS}, {"share", "share", SC_CLI_AS_PERCENT},
        {"macs", "MACs", SC_CLI_AS_COUNT},     {"energy_j", "energy", SC_CLI_AS_JOULE},
        {NULL, NULL, SC_CLI_AS_TEXT}};
    json_t *seen = json_object(), *rows = json_array();
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const char *kind = json_string_value(json_object_get(json_array_get(op_list, i), "kind"));
        if (kind == NULL || json_object_get(seen, kind) != NULL)
            continue;
        (void)json_object_set_new(seen, kind, json_true());
        (void)json_array_append_new(rows, kind_row(op_list, kind, latency_s));
    }
    sc_status st = sc_cli_show_rows(rows, fields);
    json_decref(seen);
    json_decref(rows);
    return st;
}
