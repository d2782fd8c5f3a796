#ifndef SEARCH_OPT_GP_SEARCH_H
#define SEARCH_OPT_GP_SEARCH_H
/** State of the Gaussian-process optimiser, between its two files. */
#include "search/opt.h"
#include "search/opt_gp.h"
#include "search/pool.h"

enum {
    SC_GP_ROWS = 256,  /* trials that the models hold, unless `population` says */
    SC_GP_PENDING = 64 /* points asked and not told that the models know of: the latest, and no
                          more than trials */
};

struct gp {
    size_t n_columns, n_ordered;    /* parameters of more than one value; ordered ones first */
    uint32_t column[SC_MAX_PARAMS]; /* parameter of a column */
    sc_pool *pool;                  /* trials of the models, in the order told */
    double *features;               /* [capacity + most_pending][n_columns] */
    sc_gp_model *model;             /* [m + 1]; the last one: whether, and how far, infeasible */
    uint64_t *waiting;              /* [m + 1] rows told since its last fit */
    sc_gp_fit fit;
    sc_gp_gain gain;
    size_t n_front;   /* best rows: pool->order[0 .. n_front) once in step */
    size_t centre;    /* row best by the scalar, in four or more objectives */
    double threshold; /* of the last model: feasible below */
    bool any_infeasible, any_feasible;
    bool in_step; /* models, order and pending hold what was told and asked */
    bool sighted; /* a point is feasible, or violations differ */
    size_t n_pending, most_pending;
    uint64_t *pending_key;        /* [most_pending] oldest first */
    uint32_t *pending;            /* [most_pending][n_params] */
    double *believed;             /* [most_pending][m + 1] predicted means */
    double length;                /* of the trust region, in ranges */
    uint32_t successes, failures; /* in a row */
    sc_sequence *sequence;
    uint32_t *candidate, *best; /* [SC_GP_BLOCK][n_params], [n_params] scratch */
    double *block;              /* [n_columns][SC_GP_BLOCK] scratch */
};

/** Features of a point, by slot. */
void sc_gp_describe(const sc_optimizer *o, size_t slot, const uint32_t *point);
/** Note that a point was asked. */
void sc_gp_await(sc_optimizer *o, const uint32_t *point);
/** Bring the models in step with what was told, and search for the point worth most.
 *  @return false if no new point was met. */
bool sc_gp_search(sc_optimizer *o, sc_rng *r, uint32_t *point);
#endif
