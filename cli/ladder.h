#ifndef CLI_LADDER_H
#define CLI_LADDER_H
/** `--ablate`: the ladder of ablations, of a study and of one design. */
#include "options.h"
#include "scantle/evaluate.h"

/** Run or resume the study of the first operand on every rung, to so many trials each, and print
 *  what each part of the method brings. @return an exit code. */
int sc_cli_ablate_study(const sc_cli *cli, const sc_cli_integer *trials);

/** Evaluate the pair on every rung and print what each part brings. o: its rules do not count.
 *  @return an exit code. */
int sc_cli_ablate_design(const sc_cli *cli, const sc_design *design, const sc_workload *workload,
                         const sc_evaluate_options *o);
#endif
