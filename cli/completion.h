#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H
/** What the completion scripts of all shells share, and one writer a shell. */
#include "usage.h"

/** Whether a list of words completes an operand; else file names do. */
bool sc_cli_has_words(const sc_cli_operand *o);
/** Those words, each followed by a blank. */
void sc_cli_put_operand_words(FILE *out, const sc_cli_operand *o);
/** The choices of an option, with blanks between. */
void sc_cli_put_choices(FILE *out, const sc_cli_option *o);
/** Text for single quotes of any shell: apostrophes become typographic, the characters of
 * also_escape get a backslash. */
void sc_cli_put_quoted(FILE *out, const char *text, const char *also_escape);
/** "workload list": the words below the root, which name a command in the scripts. */
void sc_cli_put_key(FILE *out, const sc_cli_command *const *path, size_t depth);

void sc_cli_put_bash(FILE *out, const sc_cli_command *root);
void sc_cli_put_zsh(FILE *out, const sc_cli_command *root);
void sc_cli_put_fish(FILE *out, const sc_cli_command *root);
#endif
