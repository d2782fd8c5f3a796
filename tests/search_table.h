#ifndef TESTS_SEARCH_TABLE_H
#define TESTS_SEARCH_TABLE_H
/**
 * A recorded design space as a problem: every design of an FPGA accelerator for Black-Scholes,
 * 200 x 2 x 96 x 2 = 76,800, of which 4.2 % are valid. Objectives: log10 of
 * cycles and of adaptive logic modules.
 */
#include <stdbool.h>

#include "search/optimizer.h"

enum { TABLE_PARAMS = 4, TABLE_ROWS = 76800 };

typedef struct search_table {
    double objectives[TABLE_ROWS][2]; /* by rank, last parameter fastest */
    double excess[TABLE_ROWS];        /* sum of what it is over the device's resources, as shares */
    bool valid[TABLE_ROWS];
    double ref[2]; /* maxima over the valid designs */
    double volume; /* hypervolume of all valid designs */
} search_table;

/** Read the file; data is the folder of reference data. @return SC_OK, or what reading gave. */
sc_status search_table_read(search_table *t, const char *data) SC_MUST_USE;
extern const sc_problem search_table_problem;

/** Hypervolume share after each of n ascending numbers of evaluations, one point a batch. The miss
 *  of an invalid design is its excess when `graded`, else 1 for all. options: NULL = defaults. */
sc_status search_table_run(double *share, const search_table *t, const char *optimizer,
                           const sc_optimizer_options *options, uint64_t seed, bool graded,
                           const unsigned *evaluations, size_t n) SC_MUST_USE;
#endif
