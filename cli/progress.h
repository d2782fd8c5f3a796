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
/** What a run counts, and whether some of it may be infeasible. */
typedef struct sc_cli_counted {
    const char *name;
    bool has_infeasible;
} sc_cli_counted;
extern const sc_cli_counted sc_cli_trials, sc_cli_moves;
/** Paint the line if it is time for one, with more behind it unless that is NULL. */
void sc_cli_progress_show(sc_cli_progress *progress, const sc_progress *now, sc_cli_counted what,
                          const char *more);
/** "312/1000 trials  41.2/s  best 183.1  34 % feasible  ETA 0:17"; out: size bytes. */
void sc_cli_progress_text(char *out, size_t size, const sc_progress *now, sc_cli_counted what);
#endif
