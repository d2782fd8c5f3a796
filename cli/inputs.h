#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H
/** What people name on the command line, opened. */
#include "options.h"
#include "scantle/design.h"
#include "scantle/workload.h"

/** Open the design and the workload that the first two operands name. @return an exit code; on
 *  failure the message is printed and nothing is left open. */
int sc_cli_open_pair(const sc_cli *cli, sc_design **design, sc_workload **workload);

/** The database's path: --db, $SCANTLE_DB or scantle.db. */
const char *sc_cli_database(const sc_cli *cli);
#endif
