/** `scantle evaluate DESIGN WORKLOAD`: one design on one network. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "ladder.h"
#include "message.h"
#include "output.h"
#include "scantle/evaluate.h"
#include "show.h"

typedef struct evaluate_values {
    sc_cli_model_values model;
    const char *calibration;
    bool ablate;
} evaluate_values;

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

/* ---- ops: fixed columns, then the bytes at each level of the design ---- */

static const sc_cli_field op_fields[] = {
    {"name", "op", SC_CLI_AS_TEXT},         {"kind", "kind", SC_CLI_AS_TEXT},
    {"time_s", "time", SC_CLI_AS_SECONDS},  {"share", "share", SC_CLI_AS_PERCENT},
    {"bound", "bound", SC_CLI_AS_TEXT},     {"utilization", "util.", SC_CLI_AS_PERCENT},
    {"macs", "MACs", SC_CLI_AS_COUNT},      {"intensity", "ops/byte", SC_CLI_AS_NUMBER},
    {"energy_j", "energy", SC_CLI_AS_JOULE}};
enum { OP_FIELDS = sizeof op_fields / sizeof *op_fields, MAX_LEVELS = 12 };

static bool moves_bytes(const json_t *op_list, const char *level)
{
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *bytes = json_object_get(json_array_get(op_list, i), "level_bytes");
        if (json_number_value(json_object_get(bytes, level)) != 0)
            return true;
    }
    return false;
}

/* Levels that move bytes in any op, in the order of the design, which every op has. */
static size_t find_levels(const char *levels[MAX_LEVELS], const json_t *op_list)
{
    json_t *first = json_object_get(json_array_get(op_list, 0), "level_bytes");
    const char *key = NULL;
    json_t *value = NULL;
    size_t n = 0;
    json_object_foreach(first, key, value)
    {
        if (n < MAX_LEVELS && moves_bytes(op_list, key))
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

static sc_status show_ops(const json_t *op_list, double latency_s)
{
    sc_cli_column columns[OP_FIELDS + MAX_LEVELS];
    const char *levels[MAX_LEVELS];
    sc_cli_table table;
    size_t n = find_levels(levels, op_list);

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

/* Ops with a dimension that is padded; nothing at all if there is none. */
static sc_status show_padding(const json_t *op_list)
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

static sc_status show_variants(const json_t *op_list)
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

static sc_status show_kinds(const json_t *op_list, double latency_s)
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

/* Compute, each level, clock and leakage: they sum to the energy. */
static sc_status show_parts(const json_t *root)
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

static sc_status show_energy(const json_t *op_list)
{
    static const sc_cli_column columns[] = {
        {"level", false}, {"input", true}, {"weight", true}, {"output", true}};
    const char *levels[MAX_LEVELS];
    sc_cli_table table;
    size_t n = find_levels(levels, op_list);

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
    } defaults[] = {{"mapping", "search"},
                    {"padding", "on"},
                    {"softmax", "best"},
                    {"fusion", "off"},
                    {"attention", "apart"}};
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

/* ---- attention ---- */

static size_t taken(const json_t *cascades)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(cascades); i++)
        n += json_is_true(json_object_get(json_array_get(cascades, i), "cascade"));
    return n;
}

/* Each attention: its time now, as a cascade and apart, and the tiles of the cascade. */
static sc_status show_cascades(const json_t *cascades)
{
    static const sc_cli_field columns[] = {{"av", "attention", SC_CLI_AS_TEXT},
                                           {"run", "run as", SC_CLI_AS_TEXT},
                                           {"time_s", "time", SC_CLI_AS_SECONDS},
                                           {"cascade_time_s", "cascade alone", SC_CLI_AS_SECONDS},
                                           {"apart_time_s", "apart alone", SC_CLI_AS_SECONDS},
                                           {"queries", "queries", SC_CLI_AS_COUNT},
                                           {"keys", "keys", SC_CLI_AS_COUNT},
                                           {"stages", "stages", SC_CLI_AS_COUNT},
                                           {"keys_from", "keys from", SC_CLI_AS_TEXT},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(cascades); i++) {
        const json_t *c = json_array_get(cascades, i);
        json_t *row = json_copy(json_object_get(c, "tiles"));
        if (!json_is_object(row)) { /* none fit */
            json_decref(row);
            continue;
        }
        (void)json_object_set(row, "av", json_array_get(json_object_get(c, "ops"), 2));
        (void)json_object_set_new(
            row, "run",
            json_string(json_is_true(json_object_get(c, "cascade")) ? "cascade" : "apart"));
        (void)json_object_set(row, "time_s", json_object_get(c, "time_s"));
        (void)json_object_set(row, "cascade_time_s", json_object_get(c, "cascade_time_s"));
        (void)json_object_set(row, "apart_time_s", json_object_get(c, "apart_time_s"));
        (void)json_array_append_new(rows, row);
    }
    sc_status st = SC_OK;
    if (json_array_size(rows) > 0) {
        sc_cli_show_heading("Attention");
        st = sc_cli_show_rows(rows, columns);
    }
    json_decref(rows);
    return st;
}

/* ---- fusion: where tensors live ---- */

static void show_certificate(const json_t *fusion)
{
    const double before = json_number_value(json_object_get(fusion, "cycles_before"));
    const double after = json_number_value(json_object_get(fusion, "cycles_after"));
    const double gap = json_number_value(json_object_get(fusion, "gap"));
    const char *level = json_string_value(json_object_get(fusion, "level"));
    char room[32], pinned[32], spared[32];

    if (level == NULL) {
        printf("fusion            none: the design has no global buffer for all tensors\n");
        return;
    }
    sc_quantity_format(room, sizeof room,
                       json_number_value(json_object_get(fusion, "capacity_bytes")), SC_UNIT_BYTES);
    sc_quantity_format(pinned, sizeof pinned,
                       json_number_value(json_object_get(fusion, "pinned_bytes")), SC_UNIT_BYTES);
    sc_quantity_format(spared, sizeof spared,
                       json_number_value(json_object_get(fusion, "dram_bytes_spared")),
                       SC_UNIT_BYTES);
    printf("fusion            %.3f times as fast: %.6g cycles instead of %.6g, %s less traffic\n",
           before / after, after, before, spared);
    printf("                  %s of %s: weights of %s pinned, the rest for activations\n", level,
           room, pinned);
    printf("                  no choice is faster by more than %.2g%s\n", gap,
           json_is_true(json_object_get(fusion, "proved")) ? "" : " (stopped before the proof)");
}

/* Tensors that stay in the buffer, all or part of the time. */
static sc_status show_homes(json_t *fusion)
{
    static const sc_cli_field fields[] = {{"tensor", "made by", SC_CLI_AS_TEXT},
                                          {"bytes", "size", SC_CLI_AS_BYTES},
                                          {"home", "lives in", SC_CLI_AS_TEXT},
                                          {"readers", "readers", SC_CLI_AS_COUNT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field weights[] = {{"op", "pinned weights of", SC_CLI_AS_TEXT},
                                           {"bytes", "size", SC_CLI_AS_BYTES},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    json_t *all = json_object_get(fusion, "tensors"), *pinned = json_object_get(fusion, "pinned");
    json_t *rows = json_array();
    sc_status st = SC_OK;

    for (size_t i = 0; i < json_array_size(all); i++) {
        const char *home = json_string_value(json_object_get(json_array_get(all, i), "home"));
        if (home != NULL && strcmp(home, "memory") != 0)
            (void)json_array_append(rows, json_array_get(all, i));
    }
    if (json_array_size(rows) > 0) {
        sc_cli_show_heading("Activations that stay in the global buffer");
        st = sc_cli_show_rows(rows, fields);
    }
    json_decref(rows);
    if (st == SC_OK && json_array_size(pinned) > 0) {
        sc_cli_show_heading("Weights that stay in the global buffer");
        st = sc_cli_show_rows(pinned, weights);
    }
    return st;
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

static sc_status show_evaluation(const json_t *root)
{
    const json_t *why = json_object_get(root, "reasons");
    const json_t *op_list = json_object_get(root, "op_list");
    const double latency_s = json_number_value(json_object_get(root, "latency_s"));
    json_t *fusion = json_object_get(root, "fusion");
    const json_t *cascades = json_object_get(root, "cascades");
    sc_status st = SC_OK;

    sc_cli_show_fields(root, totals);
    show_rules(json_object_get(root, "rules"));
    show_memory(json_object_get(root, "memory"));
    show_precision(json_object_get(root, "precision"));
    show_calibration(json_object_get(root, "calibration"), op_list);
    show_power(root);
    if (json_is_object(fusion) && json_is_true(json_object_get(root, "feasible")))
        show_certificate(fusion);
    if (json_is_array(cascades))
        printf("attention         %zu of %zu run as a cascade\n", taken(cascades),
               json_array_size(cascades));
    if (json_array_size(why) > 0) {
        sc_cli_show_heading("Why it is infeasible");
        if ((st = sc_cli_show_rows(why, reasons)) != SC_OK)
            return st;
    }
    if (json_array_size(op_list) == 0)
        return SC_OK;
    sc_cli_show_heading("Ops, with the bytes at each level");
    if ((st = show_ops(op_list, latency_s)) != SC_OK)
        return st;
    if ((st = show_padding(op_list)) != SC_OK || (st = show_variants(op_list)) != SC_OK ||
        (st = show_cascades(cascades)) != SC_OK || (st = show_homes(fusion)) != SC_OK)
        return st;
    sc_cli_show_heading("By kind");
    if ((st = show_kinds(op_list, latency_s)) != SC_OK)
        return st;
    sc_cli_show_heading("Energy by part");
    if (json_is_object(json_object_get(root, "energy_by_part_j")) &&
        (st = show_parts(root)) != SC_OK)
        return st;
    sc_cli_show_heading("Energy by level and tensor");
    return show_energy(op_list);
}

static int evaluate(const sc_cli *cli, const sc_design *design, const sc_workload *workload,
                    const sc_evaluate_options *how)
{
    sc_evaluation *evaluation = NULL;
    char *document = NULL;

    sc_status st = sc_evaluate(&evaluation, design, workload, how);
    if (st == SC_OK)
        st = sc_evaluation_json(&document, evaluation);
    int code = st == SC_OK ? sc_cli_show(cli, document, show_evaluation) : sc_cli_fail(st);
    if (code == SC_EXIT_OK && !sc_evaluation_feasible(evaluation))
        code = SC_EXIT_INFEASIBLE;
    sc_evaluation_destroy(evaluation);
    return code;
}

/* Whether the command line sets a rule. */
static bool sets_rules(const sc_cli_model_values *m)
{
    return m->mapping >= 0 || m->padding >= 0 || m->softmax >= 0 || m->fusion >= 0 ||
           m->attention >= 0;
}

static int run(const sc_cli *cli)
{
    const evaluate_values *v = cli->values;
    const sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    sc_design *design = NULL;
    sc_workload *workload = NULL;

    if (v->ablate && sets_rules(&v->model)) {
        sc_cli_error("--ablate sets the rules itself: leave out --mapping-rule, --padding, "
                     "--softmax, --fusion and --attention");
        return SC_EXIT_USAGE;
    }
    int code = sc_cli_open_calibrated(cli, &design, &workload, v->calibration);
    if (code != SC_EXIT_OK)
        return code;
    code = v->ablate ? sc_cli_ablate_design(cli, design, workload, &how)
                     : evaluate(cli, design, workload, &how);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

static const sc_cli_option options[] = {
    SC_CLI_MODEL_OPTIONS(offsetof(evaluate_values, model)),
    SC_CLI_CALIBRATION_OPTION(offsetof(evaluate_values, calibration)),
    {.name = "ablate",
     .kind = SC_CLI_FLAG,
     .offset = offsetof(evaluate_values, ablate),
     .help = "the parts of the method added in turn: plain mapping without padding and fusion, "
             "then the best mapping, padding, fusion and softmax; one row each"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle evaluate tpu-v3 efficientnet-b0", "Totals and a table of the ops."},
    {"scantle evaluate fast:pes_x=4,pes_y=4,l3_global=32MiB bert-base:seq=128 -b 8 --json",
     "A point of a template on another batch size, as JSON."},
    {"scantle evaluate fast:l3_global=32MiB efficientnet-b7 --fusion on",
     "With activations and weights that stay in the global buffer between ops."},
    {"scantle evaluate tpu-v3 efficientnet-b0 --ablate",
     "What a better schedule brings on the same chip, part by part."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_evaluate = {
    .name = "evaluate",
    .summary = "Score one design on one network",
    .about = "Prints time, energy, power and area; for every op its time, what bounds it, its "
             "utilisation, its bytes at each level and its energy; sums by kind of op; and the "
             "energy by part of the chip. A design or a mapping that does not "
             "fit is reported with where and by how much it misses, and exit code 2.",
    .examples = examples,
    .operands = sc_cli_pair_operands,
    .options = options,
    .values_size = sizeof(evaluate_values),
    .run = run,
};
