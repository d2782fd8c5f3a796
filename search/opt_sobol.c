/* Low-discrepancy search. */
#include "search/opt.h"

static sc_status create(sc_optimizer *o)
{
    sc_sequence *s = NULL;
    const sc_status st = sc_sequence_create(&s, o);
    o->state = s;
    return st;
}

static void destroy(sc_optimizer *o)
{
    sc_sequence_destroy(o->state);
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    sc_rng r;
    if (sc_sequence_next(o->state, o, point))
        return SC_OPT_FOUND;
    sc_opt_stream(o, &r);
    return sc_opt_random(o, &r, point);
}

static void save(const sc_optimizer *o, sc_buf *b)
{
    sc_blob_u64(b, sc_sequence_position(o->state));
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    const uint64_t position = sc_blob_read_u64(in);
    return !in->broken && sc_sequence_seek(o->state, o, position);
}

const sc_opt_class sc_opt_class_sobol = {
    .name = "sobol",
    .about = "evenly spread points: Sobol' up to 40 parameters, reverse Halton beyond",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .save = save,
    .load = load,
};
