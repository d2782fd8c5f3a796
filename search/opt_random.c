/* Uniform random search. */
#include "search/opt.h"

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    sc_rng r;
    sc_opt_stream(o, &r);
    return sc_opt_random(o, &r, point);
}

const sc_opt_class sc_opt_class_random = {
    .name = "random",
    .about = "uniform over the values of every parameter, without repeats",
    .propose = propose,
};
