#include "core/run.h"

#include <time.h>

double sc_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *sc_stop_name(sc_stop s)
{
    switch (s) {
    case SC_RUNNING: return "running";
    case SC_STOP_BUDGET: return "budget";
    case SC_STOP_TIME: return "time";
    case SC_STOP_TARGET: return "target";
    case SC_STOP_STALL: return "stall";
    case SC_STOP_EXHAUSTED: return "exhausted";
    case SC_STOP_INTERRUPT: return "interrupt";
    }
    return "unknown";
}
