/** Tables of an evaluation's energy: by part of the chip, by level and tensor. */
#include <stdio.h>

#include "evaluation.h"
#include "output.h"
#include "scantle/text.h"
#include "show.h"

/* ---- energy of the network, by part ---- */

static void add_part(sc_cli_table *table, const char *part, const json_t *joule, double total)
{
    sc_cli_table_cell(table, "%s", part);
    sc_cli_show_cell(table, joule, SC_CLI_AS_JOULE);
    if (total > 0)
        sc_cli_table_cell(table, "%.1f %%", 100 * json_number_value(joule) / total);
    else
        sc_cli_table_cell(table, "-");
}

sc_status sc_cli_show_energy_parts(const json_t *root)
{
    static const sc_cli_column columns[] = {{"part", false}, {"energy", true}, {"share", true}};
    const json_t *parts = json_object_get(root, "energy_by_part_j");
    const json_t *all = json_object_get(root, "energy_j");
    const double total = json_number_value(all);
    json_t *levels = json_object_get(parts, "levels"), *value = NULL;
    const char *key = NULL;
    sc_cli_table table;

    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    add_part(&table, "compute", json_object_get(parts, "compute"), total);
    json_object_foreach(levels, key, value)
    {
        add_part(&table, key, value, total);
    }
    add_part(&table, "clock", json_object_get(parts, "clock"), total);
    add_part(&table, "leakage", json_object_get(parts, "leakage"), total);
    add_part(&table, "all", all, total);
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* ---- energy of the network, by level and tensor ---- */

static const char *const roles[] = {"input", "weight", "output"};
enum { ROLES = sizeof roles / sizeof *roles };

static void add_energy(double sums[ROLES], const json_t *op, const char *level)
{
    const json_t *at = json_object_get(json_object_get(op, "level_energy_j"), level);
    for (size_t r = 0; r < ROLES; r++)
        sums[r] += json_number_value(json_object_get(at, roles[r]));
}

sc_status sc_cli_show_level_energy(const json_t *op_list)
{
    static const sc_cli_column columns[] = {
        {"level", false}, {"input", true}, {"weight", true}, {"output", true}};
    const char *levels[SC_CLI_MAX_LEVELS];
    sc_cli_table table;
    size_t n = sc_cli_moving_levels(levels, op_list);

    sc_cli_table_begin(&table, columns, 1 + ROLES);
    for (size_t k = 0; k < n; k++) {
        double sums[ROLES] = {0};
        for (size_t i = 0; i < json_array_size(op_list); i++)
            add_energy(sums, json_array_get(op_list, i), levels[k]);
        sc_cli_table_cell(&table, "%s", levels[k]);
        for (size_t r = 0; r < ROLES; r++) {
            char text[32];
            sc_quantity_format(text, sizeof text, sums[r], SC_UNIT_JOULE);
            sc_cli_table_cell(&table, "%s", text);
        }
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}
