#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
/** The commands, each in its cmd_<name>.c, and the tree that main hands to the parser. */
#include "options.h"

extern const sc_cli_command sc_cli_root;

extern const sc_cli_command sc_cmd_completion;
extern const sc_cli_command sc_cmd_design;
extern const sc_cli_command sc_cmd_evaluate;
extern const sc_cli_command sc_cmd_manual;
extern const sc_cli_command sc_cmd_workload;
#endif
