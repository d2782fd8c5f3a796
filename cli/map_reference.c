/** `scantle map --timeloop`: files of the public reference tool, counted as it counts. */
#include <stdio.h>
#include <string.h>

#include "map.h"
#include "message.h"
#include "output.h"
#include "scantle/reference.h"
#include "show.h"

const char *const sc_cli_links[] = {"reference", "true", "none", NULL};
const char *const sc_cli_objectives[] = {"edp", "energy", "delay", "ed2p", NULL};

/* One row a level and tensor, the level named on its first. */
static sc_status show_levels(const json_t *levels)
{
    static const sc_cli_column columns[] = {
        {"level", false}, {"tensor", false}, {"tile", true},      {"reads", true},
        {"fills", true},  {"updates", true}, {"instances", true}, {"energy", true}};
    static const char *const counts[] = {"tile", "reads", "fills", "updates", "instances"};
    sc_cli_table table;

    sc_cli_table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *level = json_array_get(levels, i);
        const json_t *tensors = json_object_get(level, "tensors");
        for (size_t t = 0; t < json_array_size(tensors); t++) {
            const json_t *tensor = json_array_get(tensors, t);
            char energy[64];
            double energy_pj = json_number_value(json_object_get(tensor, "energy_pj"));

            sc_cli_table_cell(&table, "%s",
                              t == 0 ? json_string_value(json_object_get(level, "name")) : "");
            sc_cli_show_cell(&table, json_object_get(tensor, "name"), SC_CLI_AS_TEXT);
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                sc_cli_show_cell(&table, json_object_get(tensor, counts[c]), SC_CLI_AS_COUNT);
            sc_quantity_format(energy, sizeof energy, 1e-12 * energy_pj, SC_UNIT_JOULE);
            sc_cli_table_cell(&table, "%s", energy);
        }
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

static sc_status show_counts(const json_t *root)
{
    static const sc_cli_field totals[] = {{"feasible", "feasible", SC_CLI_AS_TEXT},
                                          {"cycles", "cycles", SC_CLI_AS_COUNT},
                                          {"bound", "bound", SC_CLI_AS_TEXT},
                                          {"utilization", "utilization", SC_CLI_AS_PERCENT},
                                          {"energy_pj", "energy (pJ)", SC_CLI_AS_NUMBER},
                                          {"mac_energy_pj", "MAC energy (pJ)", SC_CLI_AS_NUMBER},
                                          {"macs", "MACs", SC_CLI_AS_COUNT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field reasons[] = {
        {"code", "misses", SC_CLI_AS_TEXT}, {"where", "where", SC_CLI_AS_TEXT},
        {"need", "needs", SC_CLI_AS_COUNT}, {"have", "has", SC_CLI_AS_COUNT},
        {"excess", "by", SC_CLI_AS_COUNT},  {NULL, NULL, SC_CLI_AS_TEXT}};

    sc_cli_show_fields(root, totals);
    if (json_is_true(json_object_get(root, "feasible"))) {
        sc_cli_show_heading("Words of one used instance, energy of all");
        return show_levels(json_object_get(root, "levels"));
    }
    sc_cli_show_heading("Why it does not fit, capacities in words");
    return sc_cli_show_rows(json_object_get(root, "reasons"), reasons);
}

/* How many mappings there are; nothing for a mapping that was given. */
static void show_size(const json_t *root)
{
    const json_t *space = json_object_get(root, "map_space");
    const json_t *size = json_object_get(space, "mappings");
    if (json_is_integer(size))
        printf("map space  %lld mappings, capacities aside\n", (long long)json_integer_value(size));
    else if (size)
        printf("map space  %.6e mappings, capacities aside\n", json_real_value(size));
    else if (space)
        printf("map space  too many mappings to count\n");
}

/* What factors that need not divide gain, and what is left out for them. */
static void show_imperfect(const json_t *root, const char *unit)
{
    const json_t *o = json_object_get(root, "imperfect");
    const json_t *perfect = json_object_get(o, "perfect_value");
    if (!o)
        return;
    if (json_is_real(perfect))
        printf("perfect factors  %.6g %s%s\n", json_real_value(perfect), unit,
               json_is_true(json_object_get(o, "perfect_optimal")) ? ", optimal" : ", not proved");
    else
        printf("perfect factors  none found\n");
    if (json_is_true(json_object_get(o, "links_left_out")))
        printf("links  left out: smaller last iterations are counted without words that neighbours "
               "hand on\n");
}

/* How sure the search is, above the counts of what it found. */
static sc_status show_best(const json_t *root)
{
    static const char *const units[] = {"pJ*cycles", "pJ", "cycles", "pJ*cycles^2"};
    const json_t *objective = json_object_get(root, "objective");
    show_size(root);
    if (!objective)
        return show_counts(root);
    const char *name = json_string_value(objective), *unit = "";
    for (unsigned i = 0; sc_cli_objectives[i]; i++)
        if (strcmp(name, sc_cli_objectives[i]) == 0)
            unit = units[i];
    printf("best %s  %.6g %s, ", name, json_number_value(json_object_get(root, "value")), unit);
    const json_t *gap = json_object_get(root, "gap");
    if (json_is_true(json_object_get(root, "optimal")))
        printf("optimal\n");
    else if (json_is_null(gap))
        printf("not proved, no lower bound\n");
    else
        printf("not proved: at least %.6g, gap %.1f %%\n",
               json_number_value(json_object_get(root, "lower_bound")),
               100 * json_number_value(gap));
    printf("searched  %.0f partial and %.0f whole mappings",
           json_number_value(json_object_get(root, "nodes")),
           json_number_value(json_object_get(root, "evaluations")));
    const json_t *seconds = json_object_get(root, "seconds");
    if (seconds)
        printf(" in %.3g s", json_number_value(seconds));
    printf("\n");
    show_imperfect(root, unit);
    return show_counts(root);
}

static int print_loops(const sc_cli *cli, const sc_reference_options *options)
{
    char *text = NULL;
    sc_status st =
        sc_reference_loops(&text, cli->operand[0], cli->operand[1], cli->operand[2], options);
    if (st != SC_OK)
        return sc_cli_fail(st);
    sc_cli_show_heading("Loops");
    sc_cli_put_lines(text);
    sc_release(text);
    return SC_EXIT_OK;
}

static int save_picture(const sc_cli *cli, const sc_reference_options *options)
{
    const sc_cli_map_values *v = cli->values;
    char *svg = NULL;
    sc_status st =
        sc_reference_picture(&svg, cli->operand[0], cli->operand[1], cli->operand[2], options);
    int code = st == SC_OK ? sc_cli_write(v->picture, svg) : sc_cli_fail(st);
    sc_release(svg);
    return code;
}

/* Most searches end long before; of imperfect mappings each takes some microseconds. */
enum { DEFAULT_NODES = 100000000, DEFAULT_IMPERFECT = 1000000 };

static int find_best(const sc_cli *cli, const sc_reference_options *options)
{
    const sc_cli_map_values *v = cli->values;
    sc_reference_best_options how = SC_REFERENCE_BEST_OPTIONS_INIT;
    sc_reference_best best;

    how.objective = v->objective >= 0 ? sc_cli_objectives[v->objective] : NULL;
    how.node_budget = v->node_budget.given ? v->node_budget.value
                      : v->imperfect       ? DEFAULT_IMPERFECT
                                           : DEFAULT_NODES;
    how.imperfect = v->imperfect;
    how.timing = v->timing;
    how.loops = !cli->globals.json;
    how.picture = v->picture != NULL;
    sc_status st = sc_reference_find(&best, cli->operand[0], cli->operand[1], options, &how);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    const bool feasible = best.feasible;
    int code = sc_cli_show(cli, best.report, show_best);
    best.report = NULL; /* shown and released */
    if (code == SC_EXIT_OK && best.loops) {
        sc_cli_show_heading("Loops");
        sc_cli_put_lines(best.loops);
    }
    if (code == SC_EXIT_OK && best.picture)
        code = sc_cli_write(v->picture, best.picture);
    sc_reference_best_clear(&best);
    return code == SC_EXIT_OK && !feasible ? SC_EXIT_INFEASIBLE : code;
}

static int score(const sc_cli *cli, const sc_reference_options *options)
{
    const sc_cli_map_values *v = cli->values;
    char *document = NULL;
    int feasible = 0;
    sc_status st = sc_reference_map(&document, &feasible, cli->operand[0], cli->operand[1],
                                    cli->operand[2], options);
    int code = st == SC_OK ? sc_cli_show(cli, document, show_counts) : sc_cli_fail_input(st);
    if (code == SC_EXIT_OK && feasible && v->loops && !cli->globals.json)
        code = print_loops(cli, options);
    if (code == SC_EXIT_OK && feasible && v->picture != NULL)
        code = save_picture(cli, options);
    return code == SC_EXIT_OK && !feasible ? SC_EXIT_INFEASIBLE : code;
}

int sc_cli_map_reference(const sc_cli *cli)
{
    const sc_cli_map_values *v = cli->values;
    sc_reference_options options = SC_REFERENCE_OPTIONS_INIT;

    options.reuse_pre_2025 = v->reuse == 1;
    options.links = v->links >= 0 ? sc_cli_links[v->links] : NULL;
    options.charge_drain = v->drain;
    options.ert_path = v->ert;
    options.macro_path = v->macros;
    return cli->n_operands > 2 ? score(cli, &options) : find_best(cli, &options);
}
