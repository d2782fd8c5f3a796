#ifndef CLI_EVALUATION_H
#define CLI_EVALUATION_H
/** The JSON document of an evaluation as text and tables for people, part by part. */
#include <jansson.h>

#include "scantle/error.h"

/** Totals, notes and all tables of an evaluation. */
sc_status sc_cli_show_evaluation(const json_t *root) SC_MUST_USE;

enum { SC_CLI_MAX_LEVELS = 12 };
/** Levels that move bytes in any op, in the order of the design, which every op has; how many. */
size_t sc_cli_moving_levels(const char *levels[SC_CLI_MAX_LEVELS], const json_t *op_list);
/** Each op's time, share of the latency, bound, energy and bytes at each level. */
sc_status sc_cli_show_ops(const json_t *op_list, double latency_s) SC_MUST_USE;
/** Ops with a dimension that is padded; nothing at all if there is none. */
sc_status sc_cli_show_padding(const json_t *op_list) SC_MUST_USE;
/** Time and energy of each softmax in three passes and in two; nothing if there is none. */
sc_status sc_cli_show_softmax(const json_t *op_list) SC_MUST_USE;
/** Sums over the ops of each kind. */
sc_status sc_cli_show_kinds(const json_t *op_list, double latency_s) SC_MUST_USE;

/** Energy of compute, each level, clock and leakage, which sum to the network's. */
sc_status sc_cli_show_energy_parts(const json_t *root) SC_MUST_USE;
/** Energy of each level, by the role of the tensor that it moves. */
sc_status sc_cli_show_level_energy(const json_t *op_list) SC_MUST_USE;

/** One line: how many attentions run as a cascade; nothing if the rule is off. */
void sc_cli_show_attention(const json_t *cascades);
/** A few lines: how many groups run tile by tile and what that spares; nothing if the rule is off.
 */
void sc_cli_show_groups(const json_t *tiles);
/** Each group: its ops, its tiles, time and bytes of the main memory with and without. */
sc_status sc_cli_show_tiles(const json_t *tiles);
/** Each attention: its time now, as a cascade and apart, and the tiles of the cascade. */
sc_status sc_cli_show_cascades(const json_t *cascades) SC_MUST_USE;
/** What fusion keeps and spares, and its proof. */
void sc_cli_show_certificate(const json_t *fusion);
/** Activations and weights that stay in the global buffer. */
sc_status sc_cli_show_homes(json_t *fusion) SC_MUST_USE;
#endif
