#ifndef CLI_VERSION_H
#define CLI_VERSION_H
#include "options.h"
/** What --version prints. @return an exit code. */
int sc_cli_put_version(const sc_cli *cli);
#endif
