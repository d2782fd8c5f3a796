/** What an evaluation says of ops that ran tile by tile. */
#include <stdio.h>

#include "evaluation.h"
#include "output.h"
#include "scantle/text.h"
#include "show.h"

static double number(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

void sc_cli_show_groups(const json_t *tiles)
{
    const json_t *groups = json_object_get(tiles, "groups");
    char before[32], after[32];
    size_t ops = 0;
    if (!json_is_object(tiles))
        return;
    for (size_t i = 0; i < json_array_size(groups); i++)
        ops += json_array_size(json_object_get(json_array_get(groups, i), "ops"));
    sc_quantity_format(before, sizeof before, number(tiles, "dram_bytes_before"), SC_UNIT_BYTES);
    sc_quantity_format(after, sizeof after, number(tiles, "dram_bytes_after"), SC_UNIT_BYTES);
    printf("tiles             %zu ops in %zu groups; main memory moves %s instead of %s\n", ops,
           json_array_size(groups), after, before);
    if (json_is_number(json_object_get(tiles, "cycles_with")))
        printf("                  %.4g times as fast as fusion without groups; no groups are "
               "faster by more than %.2g\n",
               number(tiles, "cycles_without") / number(tiles, "cycles_with"),
               number(tiles, "gap"));
}

/* First and last op of a group. */
static json_t *ends_of(const json_t *ops)
{
    const char *first = json_string_value(json_array_get(ops, 0));
    const char *last = json_string_value(json_array_get(ops, json_array_size(ops) - 1));
    return json_sprintf("%s .. %s", first, last);
}

sc_status sc_cli_show_tiles(const json_t *tiles)
{
    static const sc_cli_field columns[] = {{"ends", "group", SC_CLI_AS_TEXT},
                                           {"n_ops", "ops", SC_CLI_AS_COUNT},
                                           {"samples", "samples", SC_CLI_AS_COUNT},
                                           {"rows", "rows", SC_CLI_AS_COUNT},
                                           {"columns", "columns", SC_CLI_AS_COUNT},
                                           {"tiles", "tiles", SC_CLI_AS_COUNT},
                                           {"row_halos", "row halos", SC_CLI_AS_TEXT},
                                           {"column_halos", "column halos", SC_CLI_AS_TEXT},
                                           {"room_bytes", "room", SC_CLI_AS_BYTES},
                                           {"time_s", "time", SC_CLI_AS_SECONDS},
                                           {"apart_time_s", "apart", SC_CLI_AS_SECONDS},
                                           {"dram_bytes", "bytes", SC_CLI_AS_BYTES},
                                           {"apart_dram_bytes", "apart", SC_CLI_AS_BYTES},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *groups = json_object_get(tiles, "groups");
    json_t *rows = json_array();
    sc_status st = SC_OK;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        json_t *row = json_copy(json_array_get(groups, i));
        const json_t *ops = json_object_get(row, "ops");
        (void)json_object_set_new(row, "ends", ends_of(ops));
        (void)json_object_set_new(row, "n_ops", json_integer((json_int_t)json_array_size(ops)));
        (void)json_array_append_new(rows, row);
    }
    if (json_array_size(rows) > 0) {
        sc_cli_show_heading("Groups that run tile by tile");
        st = sc_cli_show_rows(rows, columns);
    }
    json_decref(rows);
    return st;
}
