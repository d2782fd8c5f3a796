#ifndef CLI_NAMES_H
#define CLI_NAMES_H
/** Lists of built-in things. */
#include "options.h"

/** Print name and about of every entry, i from 0 until name(i) is NULL; with --json
 *  `[{"name","about"}]`. @return an exit code. */
int sc_cli_list_names(const sc_cli *cli, const char *(*name)(size_t i),
                      const char *(*about)(size_t i));
#endif
