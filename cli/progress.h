#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
/** The progress line of a long run, on a terminal. */
#include "options.h"
#include "scantle/run.h"

typedef struct sc_cli_progress {
    bool shown;     /* there is a terminal and the user wants the line */
    double painted; /* elapsed_s of the last line */
} sc_cli_progress;

void sc_cli_progress_begin(sc_cli_progress *progress, const sc_cli_globals *globals);
/** A sc_progress_fn; payload: the sc_cli_progress. Paints at most five lines a second, and asks to
 *  stop once the user pressed Ctrl-C. */
int sc_cli_progress_hook(const sc_progress *now, void *payload);
/** The line itself, of what is counted ("trials"), if it is time for one. */
void sc_cli_progress_show(sc_cli_progress *progress, const sc_progress *now, const char *what);
/** "312/1000 trials  41.2/s  best 183.1  34 % feasible  ETA 0:17"; all feasible is not said. out:
 *  size bytes. */
void sc_cli_progress_text(char *out, size_t size, const sc_progress *now, const char *what);
#endif
