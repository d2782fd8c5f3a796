/* The true front of a recorded table. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "flow/table_inner.h"
#include "search/pareto.h"

/* Where the values as added stand in the space as it is cut; UINT32_MAX: not in it. */
typedef struct reverse {
    size_t first[SC_MAX_PARAMS]; /* of each parameter in to */
    uint32_t *to;
} reverse;

static sc_status make_reverse(reverse *v, const sc_study *s)
{
    const sc_table *t = s->table;
    uint32_t index[SC_MAX_PARAMS] = {0}, origin[SC_MAX_PARAMS];
    size_t n = 0;
    for (size_t i = 0; i < t->n_axes; i++) {
        v->first[i] = n;
        n += t->axis[i].n_values;
    }
    if (!(v->to = sc_calloc(n, sizeof *v->to)))
        return SC_ENOMEM;
    memset(v->to, 0xFF, n * sizeof *v->to);
    for (size_t i = 0; i < t->n_axes; i++) {
        const size_t values = sc_space_param_at(s->space, i)->n_values;
        for (uint32_t k = 0; k < values; k++) {
            index[i] = k;
            sc_space_origin(s->space, index, origin);
            v->to[v->first[i] + origin[i]] = k;
        }
        index[i] = 0;
    }
    return SC_OK;
}

/* Objectives of a row, minimised, if it is a feasible point of the study. */
static bool feasible(double *f, const sc_study *s, const reverse *v, size_t at, sc_row *row)
{
    const sc_table *t = s->table;
    uint32_t origin[SC_MAX_PARAMS], index[SC_MAX_PARAMS];
    if (t->state[at] != SC_STATE_FEASIBLE)
        return false;
    sc_table_origin(t, at, origin);
    for (size_t i = 0; i < t->n_axes; i++)
        if ((index[i] = v->to[v->first[i] + origin[i]]) == UINT32_MAX)
            return false;
    if (sc_space_broken(s->space, index) != SIZE_MAX)
        return false;
    sc_table_evaluate(row, s, index);
    for (size_t j = 0; j < s->n_objectives; j++) {
        const size_t k = s->objectives[j];
        f[j] = s->values[k].goal == SC_GOAL_MAX ? -row->values[k] : row->values[k];
    }
    return row->state == SC_STATE_FEASIBLE;
}

sc_status sc_table_front(double *ref, double *volume, size_t *front, const sc_study *s)
{
    const size_t m = s->n_objectives;
    double values[SC_STORE_MAX_VALUES], f[SC_MAX_OBJECTIVES];
    sc_row row = {.values = values};
    reverse v = {.to = NULL};
    sc_archive *a = NULL;
    bool added, any = false;
    sc_status st = make_reverse(&v, s);
    if (st == SC_OK)
        st = sc_archive_create(&a, m);
    for (size_t j = 0; j < m; j++)
        ref[j] = -HUGE_VAL;
    for (size_t i = 0; i < s->table->n_rows && st == SC_OK; i++) {
        if (!feasible(f, s, &v, i, &row))
            continue;
        any = true;
        for (size_t j = 0; j < m; j++)
            ref[j] = fmax(ref[j], f[j]);
        st = sc_archive_add(a, f, i, &added);
    }
    if (st == SC_OK && !any)
        st = sc_fail(SC_EINVAL, "%s: no feasible row within the space and limits of study %s",
                     s->table->path, s->name);
    if (st == SC_OK)
        st = sc_hypervolume(volume, sc_archive_values(a, 0), sc_archive_count(a), m, ref);
    if (st == SC_OK)
        *front = sc_archive_count(a);
    sc_archive_destroy(a);
    sc_free(v.to);
    return st;
}
