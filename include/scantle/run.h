#ifndef SCANTLE_RUN_H
#define SCANTLE_RUN_H
/**
 * @file scantle/run.h
 * @brief Limits of a run, its progress hook, and why it ended.
 */
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

/** Why a run ended: an outcome, not a failure. */
typedef enum sc_stop {
    SC_RUNNING = 0,
    SC_STOP_BUDGET,    /**< the budget counted in work (trials, nodes, moves) is spent */
    SC_STOP_TIME,      /**< the wall-clock budget is spent */
    SC_STOP_TARGET,    /**< the objective reached its target */
    SC_STOP_STALL,     /**< no improvement for the stated number of trials */
    SC_STOP_EXHAUSTED, /**< every point of the space was evaluated */
    SC_STOP_INTERRUPT  /**< the caller's hook asked to stop (Ctrl-C, scheduler) */
} sc_stop;

SC_API const char *sc_stop_name(sc_stop s);

/** What a run shows while it works; counts are of the whole run, resumed part included. */
typedef struct sc_progress {
    uint64_t done;     /**< trials finished */
    uint64_t total;    /**< trials budgeted, 0 = unknown */
    uint64_t feasible; /**< of done */
    double best;       /**< first objective of the best feasible trial; NaN if none yet */
    double elapsed_s;  /**< of this process */
    double rate_per_s; /**< trials a second of this process */
    double eta_s;      /**< NaN if unknown */
} sc_progress;

/** Called from the coordinating thread only, between its evaluations; non-zero = stop now. */
typedef int (*sc_progress_fn)(const sc_progress *p, void *payload);
#ifdef __cplusplus
}
#endif
#endif
