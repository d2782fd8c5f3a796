#ifndef CLI_SURROGATE_H
#define CLI_SURROGATE_H
/** What `train`, `predict` and `propose` share. */
#include "options.h"
#include "scantle/surrogate.h"

/** Threads of the command line, 0 if it says none. */
int sc_cli_threads(const sc_cli *cli);
/** Print CSV, or with --json its rows as objects: numbers as numbers, empty cells as null. Written
 *  to path if it is not NULL. @return an exit code. Takes text. */
int sc_cli_put_csv(const sc_cli *cli, char *text, const char *path);
/** Names between commas of all texts. @return false after saying that memory is out. Free item. */
bool sc_cli_split_names(sc_cli_list *out, const sc_cli_list *texts);
void sc_cli_free_names(sc_cli_list *names);
#endif
