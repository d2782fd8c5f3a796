#ifndef CLI_RUN_STUDY_H
#define CLI_RUN_STUDY_H
/** What search and sweep share: both run or resume the study in a file. */
#include "options.h"

typedef struct sc_cli_run_values {
    sc_cli_integer trials;
} sc_cli_run_values;

/** `--trials`, and where the sc_cli_run_values lie in the command's own. */
#define SC_CLI_TRIALS_OPTION(at)                                                                   \
    {                                                                                              \
        .name = "trials", .letter = 'n', .kind = SC_CLI_INTEGER, .argument = "N",                  \
        .offset = (at) + offsetof(sc_cli_run_values, trials), .min = 1,                            \
        .help = "trials in all, over the number in the file; a larger one goes on with the study"  \
    }

/** Options that fill sc_cli_run_values. */
extern const sc_cli_option sc_cli_run_options[];

/** Run or resume the study in the file of the first operand, and print what it has. @return an exit
 *  code. */
int sc_cli_run_study(const sc_cli *cli);

/** Say, after an interrupt, that so many trials are saved and which command goes on. */
void sc_cli_say_resume(const sc_cli *cli, uint64_t trials);
#endif
