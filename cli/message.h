#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H
/**
 * What people read on standard error: errors, warnings, the progress line; and the one place that
 * turns a status into an exit code.
 */
#include <stdbool.h>

#include "scantle/error.h"
#include "scantle/log.h"

enum {
    SC_EXIT_OK = 0,
    SC_EXIT_INTERNAL = 1,   /* internal or system error */
    SC_EXIT_INFEASIBLE = 2, /* nothing feasible */
    SC_EXIT_STOPPED = 3,    /* interrupted, resumable */
    SC_EXIT_USAGE = 4,      /* bad usage or bad input */
    SC_EXIT_STORE = 5,      /* database locked, full, corrupt or newer */
    SC_EXIT_QUALITY = 6     /* a quality rule was violated */
};

/** Colour and how much to say; verbose: 0 warnings, 1 also information, 2 everything, -1 errors
 *  only. */
void sc_cli_message_setup(bool color, int verbose);

/** One line `scantle: error: ...`; control characters in it are escaped. */
void sc_cli_error(const char *fmt, ...) SC_PRINTF(1, 2);
void sc_cli_warning(const char *fmt, ...) SC_PRINTF(1, 2);
/** A plain line for people that is no complaint; silent under -q. */
void sc_cli_note(const char *fmt, ...) SC_PRINTF(1, 2);
/** Sink for sc_log_set. */
void sc_cli_log(sc_log_level level, const char *line, void *payload);

/** Print the library's last message and return the exit code of its status. */
int sc_cli_fail(sc_status st);
/** The same where the library was reading what the user named: a file that cannot be read is then
 *  bad input, not a failing system. */
int sc_cli_fail_input(sc_status st);

/** Paint the progress line over the last one; NULL takes it away. Any message takes it away first.
 */
void sc_cli_status_line(const char *text);
#endif
