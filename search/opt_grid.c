/* Every point of the grid, the last parameter fastest. */
#include "search/opt.h"

enum { STEPS = 1 << 22 }; /* looked at in one call: well under a second */

static sc_status create(sc_optimizer *o)
{
    return o->product ? SC_OK : sc_fail(SC_EINVAL, "grid: the space has 2^63 points or more");
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    return sc_opt_sweep(o, STEPS, point);
}

const sc_opt_class sc_opt_class_grid = {
    .name = "grid",
    .about = "every point in order, the last parameter fastest",
    .create = create,
    .propose = propose,
};
