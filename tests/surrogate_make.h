#ifndef TESTS_SURROGATE_MAKE_H
#define TESTS_SURROGATE_MAKE_H
/** Data of known functions for tests of the surrogate. Included after cmocka.h. */
#include <math.h>

#include "core/rng.h"
#include "core_support.h"
#include "surrogate/dataset.h"

/* A made-up accelerator: cycles fall with PEs until memory bounds them; large ones do not fit. Four
 * flows differ by a factor. Columns: pes (log), depth (ordinal), flow (label), net (group), cycles
 * (target), ok (feasible). */
static inline double made_cycles(double pes, double depth, double flow, double net)
{
    return 1e6 * (1 + net) * (1 / pes + 0.02 / sqrt(depth)) * (1 + 0.3 * fmod(flow * 2, 3));
}

static inline bool made_fits(double pes, double depth)
{
    return pes * depth <= 2048;
}

static inline sc_dataset *made_log(size_t n, uint64_t seed)
{
    static const sc_column columns[] = {{"pes", SC_COLUMN_LOG},       {"depth", SC_COLUMN_ORDINAL},
                                        {"flow", SC_COLUMN_LABEL},    {"net", SC_COLUMN_GROUP},
                                        {"cycles", SC_COLUMN_TARGET}, {"ok", SC_COLUMN_FEASIBLE}};
    sc_dataset *d = NULL;
    sc_rng r;
    sc_rng_init(&r, seed, 5, 5);
    assert_int_equal(sc_dataset_create(&d, columns, COUNT(columns), 0), SC_OK);
    for (size_t i = 0; i < n; i++) {
        const double pes = floor(exp(log(512) * gsl_rng_uniform(&r.gsl)));
        const double depth = (double)(1U << gsl_rng_uniform_int(&r.gsl, 7));
        const double flow = (double)gsl_rng_uniform_int(&r.gsl, 4);
        const double net = (double)gsl_rng_uniform_int(&r.gsl, 10);
        const bool fits = made_fits(pes, depth);
        const double cycles = made_cycles(pes, depth, flow, 0);
        const double noise = 1 + 0.02 * (gsl_rng_uniform(&r.gsl) - 0.5);
        const double cells[] = {pes, depth, flow, net, fits ? cycles * noise : (double)NAN, fits};
        assert_int_equal(sc_dataset_add(d, cells, 1), SC_OK);
    }
    return d;
}
#endif
