#ifndef CLI_USAGE_H
#define CLI_USAGE_H
/** Help, the manual and shell completion: all written from the tables of cli/options.h. */
#include <stdio.h>

#include "options.h"

/** The words that call a command: "scantle workload list". path: [depth], root first. */
void sc_cli_put_name(FILE *out, const sc_cli_command *const *path, size_t depth);
/** What stands after the name: "[OPTIONS] DESIGN WORKLOAD". */
void sc_cli_put_synopsis(FILE *out, const sc_cli_command *command);
/** "-j, --threads N" as usage names an option. */
void sc_cli_put_flags(FILE *out, const sc_cli_option *option);
/** The whole of --help. */
void sc_cli_put_help(FILE *out, const sc_cli_command *const *path, size_t depth);

typedef enum sc_cli_shell { SC_CLI_BASH, SC_CLI_ZSH, SC_CLI_FISH } sc_cli_shell;
void sc_cli_put_completion(FILE *out, const sc_cli_command *root, sc_cli_shell shell);

typedef enum sc_cli_manual_form { SC_CLI_MAN, SC_CLI_MARKDOWN } sc_cli_manual_form;
void sc_cli_put_manual(FILE *out, const sc_cli_command *root, sc_cli_manual_form form);

/** Called for every command of a tree, parents first. */
typedef void (*sc_cli_visit)(void *payload, const sc_cli_command *const *path, size_t depth);
void sc_cli_walk(const sc_cli_command *root, sc_cli_visit visit, void *payload);
/** The lines of a sample file, each indented by four blanks. */
void sc_cli_put_sample(FILE *out, const sc_cli_example *sample);
#endif
