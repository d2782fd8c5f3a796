/** An evaluation for people: totals, what departs from the usual, and its tables in order. */
#include "evaluation.h"

#include <stdio.h>
#include <string.h>

#include "scantle/text.h"
#include "show.h"

static const sc_cli_field totals[] = {{"feasible", "feasible", SC_CLI_AS_TEXT},
                                      {"batch", "batch", SC_CLI_AS_COUNT},
                                      {"latency_s", "latency", SC_CLI_AS_SECONDS},
                                      {"throughput_per_s", "throughput", SC_CLI_AS_RATE},
                                      {"energy_j", "energy", SC_CLI_AS_JOULE},
                                      {"energy_per_sample_j", "energy a sample", SC_CLI_AS_JOULE},
                                      {"power_w", "power", SC_CLI_AS_WATT},
                                      {"tdp_w", "TDP", SC_CLI_AS_WATT},
                                      {"area_mm2", "area", SC_CLI_AS_MM2},
                                      {"perf_per_tdp", "perf/TDP (1/s/W)", SC_CLI_AS_NUMBER},
                                      {"utilization", "utilization", SC_CLI_AS_PERCENT},
                                      {"padding_share", "padding", SC_CLI_AS_PERCENT},
                                      {"model_version", "model", SC_CLI_AS_TEXT},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field reasons[] = {{"code", "misses", SC_CLI_AS_TEXT},
                                       {"where", "where", SC_CLI_AS_TEXT},
                                       {"excess", "by", SC_CLI_AS_NUMBER},
                                       {NULL, NULL, SC_CLI_AS_TEXT}};

/* Which measurements the time is of, and of how many ops. */
static void show_calibration(const json_t *calibration, const json_t *op_list)
{
    size_t n = 0;

    if (!json_is_object(calibration))
        return;
    for (size_t i = 0; i < json_array_size(op_list); i++)
        n += json_is_true(json_object_get(json_array_get(op_list, i), "calibrated"));
    printf("calibration       %s: time of %zu of %zu ops by the calibration, the rest modelled\n",
           json_string_value(json_object_get(calibration, "name")), n, json_array_size(op_list));
}

/* Parts of the method that are switched off or fixed. */
static void show_rules(json_t *rules)
{
    static const struct {
        const char *rule, *normal;
    } defaults[] = {{"mapping", "search"}, {"padding", "on"},      {"softmax", "best"},
                    {"fusion", "off"},     {"attention", "apart"}, {"tiles", "off"}};
    const char *before = "rules             ";

    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const char *now = json_string_value(json_object_get(rules, defaults[i].rule));
        if (now == NULL || strcmp(now, defaults[i].normal) == 0)
            continue;
        printf("%s%s %s", before, defaults[i].rule, now);
        before = ", ";
    }
    if (before[0] == ',')
        putchar('\n');
}

/* Where elements are not as wide as the network says, or wider than what the MACs multiply. */
static void show_precision(const json_t *precision)
{
    const json_int_t network = json_integer_value(json_object_get(precision, "network_bits"));
    const json_int_t element = json_integer_value(json_object_get(precision, "element_bits"));
    const json_int_t mac = json_integer_value(json_object_get(precision, "mac_bits"));

    if (element < network)
        printf("precision         elements of %lld bits on this chip, %lld in the network\n",
               (long long)element, (long long)network);
    if (mac > 0 && element > mac)
        printf("precision         elements of %lld bits on MACs of %lld: moved as they are, "
               "multiplied at the MACs' rate and energy\n",
               (long long)element, (long long)mac);
}

/* What the network keeps in the main memory, and what there is. */
static void show_memory(const json_t *memory)
{
    char need[32], have[64] = "an unstated size, taken as unbounded";
    const json_t *room = json_object_get(memory, "have_bytes");

    sc_quantity_format(need, sizeof need, json_number_value(json_object_get(memory, "need_bytes")),
                       SC_UNIT_BYTES);
    if (json_is_number(room))
        sc_quantity_format(have, sizeof have, json_number_value(room), SC_UNIT_BYTES);
    printf("main memory       %s of %s\n", need, have);
}

/* TDP charges a level without a limit at the peak that the design states; a mapping may ask for
 * more. */
static void show_power(const json_t *root)
{
    if (json_number_value(json_object_get(root, "power_w")) >
        json_number_value(json_object_get(root, "tdp_w")))
        printf("note              power above TDP: a level without a bandwidth moves more than the "
               "peak that its TDP is charged at\n");
}

sc_status sc_cli_show_evaluation(const json_t *root)
{
    const json_t *why = json_object_get(root, "reasons");
    const json_t *op_list = json_object_get(root, "op_list");
    const double latency_s = json_number_value(json_object_get(root, "latency_s"));
    json_t *fusion = json_object_get(root, "fusion");
    const json_t *cascades = json_object_get(root, "cascades");
    const json_t *tiles = json_object_get(root, "tiles");
    sc_status st = SC_OK;

    sc_cli_show_fields(root, totals);
    show_rules(json_object_get(root, "rules"));
    show_memory(json_object_get(root, "memory"));
    show_precision(json_object_get(root, "precision"));
    show_calibration(json_object_get(root, "calibration"), op_list);
    show_power(root);
    if (json_is_object(fusion) && json_is_true(json_object_get(root, "feasible")))
        sc_cli_show_certificate(fusion);
    sc_cli_show_attention(cascades);
    sc_cli_show_groups(tiles);
    if (json_array_size(why) > 0) {
        sc_cli_show_heading("Why it is infeasible");
        if ((st = sc_cli_show_rows(why, reasons)) != SC_OK)
            return st;
    }
    if (json_array_size(op_list) == 0)
        return SC_OK;
    sc_cli_show_heading("Ops, with the bytes at each level");
    if ((st = sc_cli_show_ops(op_list, latency_s)) != SC_OK)
        return st;
    if ((st = sc_cli_show_padding(op_list)) != SC_OK ||
        (st = sc_cli_show_softmax(op_list)) != SC_OK ||
        (st = sc_cli_show_cascades(cascades)) != SC_OK ||
        (st = sc_cli_show_tiles(tiles)) != SC_OK || (st = sc_cli_show_homes(fusion)) != SC_OK)
        return st;
    sc_cli_show_heading("By kind");
    if ((st = sc_cli_show_kinds(op_list, latency_s)) != SC_OK)
        return st;
    sc_cli_show_heading("Energy by part");
    if (json_is_object(json_object_get(root, "energy_by_part_j")) &&
        (st = sc_cli_show_energy_parts(root)) != SC_OK)
        return st;
    sc_cli_show_heading("Energy by level and tensor");
    return sc_cli_show_level_energy(op_list);
}
