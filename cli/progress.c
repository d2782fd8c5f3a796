#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"

static const double repaint_s = 0.2;
const sc_cli_counted sc_cli_trials = {"trials", true}, sc_cli_moves = {"moves", false};

void sc_cli_progress_begin(sc_cli_progress *progress, const sc_cli_globals *globals)
{
    *progress = (sc_cli_progress){sc_cli_progress_wanted(globals), -repaint_s};
}

SC_PRINTF(3, 4) static void add(char *out, size_t size, const char *fmt, ...)
{
    size_t n = strlen(out);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(out + n, size - n, fmt, args);
    va_end(args);
}

static void add_duration(char *out, size_t size, double seconds)
{
    double whole = ceil(seconds < 0 ? 0 : seconds);
    if (whole < 360000) {
        unsigned s = (unsigned)whole;
        if (s >= 3600)
            add(out, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
        else
            add(out, size, "%u:%02u", s / 60, s % 60);
    } else {
        add(out, size, "%.0f days", whole / 86400);
    }
}

void sc_cli_progress_text(char *out, size_t size, const sc_progress *now, sc_cli_counted what)
{
    out[0] = '\0';
    add(out, size, "%" PRIu64, now->done);
    if (now->total > 0)
        add(out, size, "/%" PRIu64, now->total);
    add(out, size, " %s  %.3g/s", what.name, now->rate_per_s);
    if (!isnan(now->best))
        add(out, size, "  best %.4g", now->best);
    if (now->done > 0 && what.has_infeasible)
        add(out, size, "  %.0f %% feasible", 100 * (double)now->feasible / (double)now->done);
    if (!isnan(now->eta_s)) {
        add(out, size, "  ETA ");
        add_duration(out, size, now->eta_s);
    }
}

void sc_cli_progress_show(sc_cli_progress *progress, const sc_progress *now, sc_cli_counted what,
                          const char *more)
{
    char line[160];
    if (!progress->shown || now->elapsed_s - progress->painted < repaint_s)
        return;
    sc_cli_progress_text(line, sizeof line, now, what);
    if (more != NULL)
        add(line, sizeof line, "  %s", more);
    sc_cli_status_line(line);
    progress->painted = now->elapsed_s;
}

int sc_cli_progress_hook(const sc_progress *now, void *payload)
{
    sc_cli_progress_show(payload, now, sc_cli_trials, NULL);
    return sc_cli_interrupted();
}
