#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H
/** Standard output: data only, and never claimed whole when it is not. */
#include <stdbool.h>
#include <stddef.h>

#include "options.h"

typedef enum sc_cli_color {
    SC_CLI_COLOR_AUTO,
    SC_CLI_COLOR_ALWAYS,
    SC_CLI_COLOR_NEVER
} sc_cli_color;

/**
 * Give every standard stream a descriptor, so that no file we open later takes the place of a
 * closed one, and turn a closed pipe into a write error, which sc_cli_finish sees. Call first.
 */
void sc_cli_guard_streams(void);
/** Decide colours for both streams and hand the message side its settings. */
void sc_cli_setup_streams(const sc_cli_globals *globals);
bool sc_cli_color_out(void);
/** Whether a progress line may be painted. */
bool sc_cli_progress_wanted(const sc_cli_globals *globals);

/** A document on standard output, ended by a line end. */
void sc_cli_put_line(const char *text);
/** Lines for people: control characters inside them are escaped. */
void sc_cli_put_lines(const char *text);
/**
 * Write text to the file at path as a whole (temporary name, rename), or to standard output where
 * path is NULL or "-". @return an exit code.
 */
int sc_cli_write(const char *path, const char *text);

/**
 * Try every file that the command line asks to write (SC_CLI_OUTPUT), so that nothing is searched
 * for whose result has no place, and that none is an argument, the file of another option or the
 * database. @return an exit code, as sc_cli_write() would; SC_EXIT_USAGE for an input.
 */
int sc_cli_try_outputs(const sc_cli *cli, const char *database);

/** Flush standard output. @return code; or the code for a failing system, after saying so, if
 *  anything was lost while code claims more. Where the reader of a pipe has left, nothing is said
 *  and SIGPIPE ends the process. */
int sc_cli_finish(int code);
#endif
