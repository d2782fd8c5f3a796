#ifndef CLI_RUN_STUDY_H
#define CLI_RUN_STUDY_H
/** What search and sweep share: both run or resume the study in a file. */
#include "options.h"

typedef struct sc_cli_run_values {
    sc_cli_integer trials;
} sc_cli_run_values;

/** Options that fill sc_cli_run_values. */
extern const sc_cli_option sc_cli_run_options[];

/** Run or resume the study in the file of the first operand, and print what it has. @return an exit
 *  code. */
int sc_cli_run_study(const sc_cli *cli);
#endif
