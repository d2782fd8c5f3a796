/** What an evaluation says of attention as a cascade and of tensors kept in the global buffer. */
#include <stdio.h>
#include <string.h>

#include "evaluation.h"
#include "output.h"
#include "scantle/text.h"
#include "show.h"

/* ---- attention ---- */

static size_t taken(const json_t *cascades)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(cascades); i++)
        n += json_is_true(json_object_get(json_array_get(cascades, i), "cascade"));
    return n;
}

void sc_cli_show_attention(const json_t *cascades)
{
    if (json_is_array(cascades))
        printf("attention         %zu of %zu run as a cascade\n", taken(cascades),
               json_array_size(cascades));
}

sc_status sc_cli_show_cascades(const json_t *cascades)
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

void sc_cli_show_certificate(const json_t *fusion)
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
sc_status sc_cli_show_homes(json_t *fusion)
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
