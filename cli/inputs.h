#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H
/** What people name on the command line, opened. */
#include "options.h"
#include "scantle/evaluate.h"
#include "scantle/map.h"
#include "scantle/store.h"
#include "scantle/study.h"

/** The operands DESIGN WORKLOAD, for a table of a command's own, and a table of only these. */
#define SC_CLI_PAIR_OPERANDS                                                                       \
    {.name = "DESIGN",                                                                             \
     .kind = SC_CLI_OPERAND_DESIGN,                                                                \
     .help = "a built-in name, a template with values (fast:pes_x=8), a YAML file, or an ID from " \
             "the database"},                                                                      \
    {                                                                                              \
        .name = "WORKLOAD", .kind = SC_CLI_OPERAND_WORKLOAD,                                       \
        .help = "a built-in name with options (bert-base:seq=128), or a YAML file"                 \
    }
extern const sc_cli_operand sc_cli_pair_operands[];

/** Options of every command that runs the model, and the values they fill. */
typedef struct sc_cli_model_values {
    sc_cli_integer batch, map_budget, map_nodes;
    /* index of the choice, -1 = not given */
    int mapping, padding, softmax, fusion, attention, tiles;
} sc_cli_model_values;
/** Choices of --mapping-rule, --padding, --softmax, --fusion, --attention and --tiles, in the order
 * of the library's enums. */
extern const char *const sc_cli_mapping_rules[];
extern const char *const sc_cli_padding_rules[];
extern const char *const sc_cli_softmax_rules[];
extern const char *const sc_cli_fusion_rules[];
extern const char *const sc_cli_attention_rules[];
extern const char *const sc_cli_tiles_rules[];

/* at: offset of the sc_cli_model_values in the command's own values */
#define SC_CLI_MODEL_OPTIONS(at)                                                                   \
    {.name = "batch",                                                                              \
     .letter = 'b',                                                                                \
     .kind = SC_CLI_INTEGER,                                                                       \
     .argument = "N",                                                                              \
     .offset = (at) + offsetof(sc_cli_model_values, batch),                                        \
     .min = 1,                                                                                     \
     .help = "samples in one run (default: the design's native batch times the workload's own)"},  \
        {.name = "map-budget",                                                                     \
         .kind = SC_CLI_INTEGER,                                                                   \
         .argument = "N",                                                                          \
         .offset = (at) + offsetof(sc_cli_model_values, map_budget),                               \
         .min = 1,                                                                                 \
         .help = "mappings to look at for each op: work, not time, so results repeat"},            \
        {.name = "map-nodes",                                                                      \
         .kind = SC_CLI_INTEGER,                                                                   \
         .argument = "N",                                                                          \
         .offset = (at) + offsetof(sc_cli_model_values, map_nodes),                                \
         .min = 0,                                                                                 \
         .help = "then search on, on most designs, for the proved fastest mapping of each op: so " \
                 "many partial mappings at most (default 0: do not; map: 1000000, about 0.3 s "    \
                 "an op)"},                                                                        \
        {.name = "mapping-rule",                                                                   \
         .kind = SC_CLI_CHOICE,                                                                    \
         .argument = "RULE",                                                                       \
         .offset = (at) + offsetof(sc_cli_model_values, mapping),                                  \
         .choices = sc_cli_mapping_rules,                                                          \
         .help =                                                                                   \
             "search for the best mapping (the default), or plain: one by a fixed rule, weights "  \
             "staying in the array"},                                                              \
        {.name = "padding",                                                                        \
         .kind = SC_CLI_CHOICE,                                                                    \
         .argument = "RULE",                                                                       \
         .offset = (at) + offsetof(sc_cli_model_values, padding),                                  \
         .choices = sc_cli_padding_rules,                                                          \
         .help = "off: split dimensions by their divisors alone (default on)"},                    \
        {.name = "softmax",                                                                        \
         .kind = SC_CLI_CHOICE,                                                                    \
         .argument = "RULE",                                                                       \
         .offset = (at) + offsetof(sc_cli_model_values, softmax),                                  \
         .choices = sc_cli_softmax_rules,                                                          \
         .help = "passes over a row: three, two, or best, the faster for each op (the default)"},  \
        {.name = "fusion",                                                                         \
         .kind = SC_CLI_CHOICE,                                                                    \
         .argument = "RULE",                                                                       \
         .offset = (at) + offsetof(sc_cli_model_values, fusion),                                   \
         .choices = sc_cli_fusion_rules,                                                           \
         .help =                                                                                   \
             "on: keep tensors in the chip's global buffer between ops and pin weights there, "    \
             "where that saves time (default off)"},                                               \
        {.name = "tiles",                                                                          \
         .kind = SC_CLI_CHOICE,                                                                    \
         .argument = "RULE",                                                                       \
         .offset = (at) + offsetof(sc_cli_model_values, tiles),                                    \
         .choices = sc_cli_tiles_rules,                                                            \
         .help = "on: run ops that follow one another tile by tile, what passes between them "     \
                 "never whole, where that is faster (default off)"},                               \
    {                                                                                              \
        .name = "attention", .kind = SC_CLI_CHOICE, .argument = "RULE",                            \
        .offset = (at) + offsetof(sc_cli_model_values, attention),                                 \
        .choices = sc_cli_attention_rules,                                                         \
        .help = "cascade: run softmax(q k^T) v as one step in tiles, its scores on the chip, "     \
                "where that is faster; apart: as three ops (the default)"                          \
    }

/** `--calibration`, and where its value lies in the command's own. */
#define SC_CLI_CALIBRATION_OPTION(at)                                                              \
    {                                                                                              \
        .name = "calibration", .kind = SC_CLI_FILE, .argument = "NAME|FILE", .offset = (at),       \
        .help = "time convolutions and matrix products by this calibration: a shipped one's "      \
                "name, or what calibrate -o wrote"                                                 \
    }

/** Open the pair with the design timed by a calibration; NULL: none. @return as sc_cli_open_pair.
 */
int sc_cli_open_calibrated(const sc_cli *cli, sc_design **design, sc_workload **workload,
                           const char *calibration);

/** Warn where --map-nodes was given and has no effect on the design, and say why. */
void sc_cli_say_idle_nodes(const sc_cli_model_values *values, const sc_design *design,
                           const sc_rules *rules);

/** The same as the library takes it, with --threads. */
sc_evaluate_options sc_cli_evaluate_options(const sc_cli *cli, const sc_cli_model_values *values);

/** The rules with what the options set. */
sc_rules sc_cli_rules(const sc_cli_model_values *values, const sc_rules *rules);

/** Whether a word may begin the ID of a trial: 4 to 32 hexadecimal digits. */
bool sc_cli_is_trial(const char *word);

/** Open a design by name, template with values, file, or the ID of a trial in the database. @return
 *  as sc_cli_open_pair. */
int sc_cli_open_design(const sc_cli *cli, sc_design **design, const char *word);

/** Open the design and the workload that the first two operands name. @return an exit code; on
 *  failure the message is printed and nothing is left open. */
int sc_cli_open_pair(const sc_cli *cli, sc_design **design, sc_workload **workload);

/** The database's path: --db, $SCANTLE_DB or scantle.db. */
const char *sc_cli_database(const sc_cli *cli);
/** Open the database. @return as sc_cli_open_pair. */
int sc_cli_open_database(const sc_cli *cli, sc_store **store, sc_store_mode mode);

/** Open the study file that the first operand names, with --seed and trials applied where given;
 *  trials may be NULL. @return as sc_cli_open_pair. */
int sc_cli_open_study(const sc_cli *cli, sc_study **study, const sc_cli_integer *trials);

/** ID of the study that an operand names: a study file, a study's name in the database, or the
 *  first digits of its ID. @return as sc_cli_open_pair. */
int sc_cli_find_study(char id[33], sc_store *store, const char *word);
#endif
