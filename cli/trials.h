#ifndef CLI_TRIALS_H
#define CLI_TRIALS_H
/** Trials of a study as rows: what best, pareto, trials and the end of a search print. */
#include <jansson.h>

#include "options.h"
#include "scantle/report.h"

typedef struct sc_cli_trials_values {
    sc_cli_integer top;
} sc_cli_trials_values;

/** The optional STUDY operand of best, pareto, trials and report. */
extern const sc_cli_operand sc_cli_stored_study[];

/** The study of that operand as the library takes it: its ID, kept in id, or NULL without an
 * operand.
 *  @return an exit code; on failure the message is printed. */
int sc_cli_find_stored_study(const sc_cli *cli, sc_store *store, char id[33], const char **study);

/** Print trials of the study of the first operand (the only one of the database where there is no
 *  operand). @return an exit code: for best and pareto SC_EXIT_INFEASIBLE when there is none. */
int sc_cli_print_trials(const sc_cli *cli, sc_report_which which, uint64_t top);
/** A document of sc_report_rows as a table: objectives, then other metrics, then why not. */
sc_status sc_cli_show_trials(const json_t *root);
/** The same, then the parameters of the first row: for rows that stand best first. */
sc_status sc_cli_show_best(const json_t *root);
#endif
