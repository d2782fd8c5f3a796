/* The points of a list, in its order. */
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"

struct list {
    uint64_t next;
};

/* Each row in range and valid, and made canonical. */
static sc_status check_row(const sc_problem *p, const uint32_t *row, size_t k)
{
    uint32_t point[SC_MAX_PARAMS];
    for (size_t i = 0; i < p->n_params; i++)
        if (row[i] >= p->cardinality[i])
            return sc_fail(SC_EINVAL, "list: point %zu: index %u of parameter %zu is not below %u",
                           k, row[i], i, p->cardinality[i]);
    memcpy(point, row, p->n_params * sizeof *row);
    if (p->canonical)
        p->canonical(p->context, point, NULL);
    if (p->valid && !p->valid(p->context, point))
        return sc_fail(SC_EINVAL, "list: point %zu breaks a known constraint", k);
    return SC_OK;
}

static sc_status create(sc_optimizer *o)
{
    sc_status st = SC_OK;
    if (o->options.n_points == 0)
        return sc_fail(SC_EINVAL, "list: no points given");
    for (size_t k = 0; k < o->options.n_points && st == SC_OK; k++)
        st = check_row(&o->problem, o->options.points + k * o->problem.n_params, k);
    if (st != SC_OK)
        return st;
    struct list *l = sc_calloc(1, sizeof *l);
    if (!l)
        return SC_ENOMEM;
    o->state = l;
    return SC_OK;
}

static void destroy(sc_optimizer *o)
{
    sc_free(o->state);
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct list *l = o->state;
    const size_t n = o->problem.n_params;
    while (l->next < o->options.n_points) {
        memcpy(point, o->options.points + l->next++ * n, n * sizeof *point);
        if (sc_opt_is_new(o, point))
            return SC_OPT_FOUND;
    }
    return SC_OPT_NONE;
}

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct list *l = o->state;
    sc_blob_u64(b, l->next);
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct list *l = o->state;
    l->next = sc_blob_read_u64(in);
    return l->next <= o->options.n_points;
}

const sc_opt_class sc_opt_class_list = {
    .name = "list",
    .about = "the given points in their order",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .save = save,
    .load = load,
};
