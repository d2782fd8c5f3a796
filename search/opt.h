#ifndef SEARCH_OPT_H
#define SEARCH_OPT_H
/**
 * The inner side of an optimiser: what a file opt_<name>.c implements, and what it is given. To add
 * one: write that file with one sc_opt_class, and put a row into the table of optimizer.c. It sees
 * the problem, never a space, a store or a model.
 *
 * The shared part keeps the set of points met, hands out suggestion numbers, and writes and checks
 * the frame of a saved state; a class proposes one point at a time and is told one at a time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/blob.h"
#include "core/rng.h"
#include "search/optimizer.h"
#include "search/seen.h"

typedef enum sc_opt_found {
    SC_OPT_FOUND,
    SC_OPT_NONE, /* there is no further point, or none was found within the bound */
    SC_OPT_LATER /* the work of one call is spent: the search goes on at the next */
} sc_opt_found;

typedef struct sc_opt_class {
    const char *name, *about;
    /** Check the options and make o->state; on failure leave it NULL. May be NULL. */
    sc_status (*create)(sc_optimizer *o);
    void (*destroy)(sc_optimizer *o); /* of o->state, which may be NULL. May be NULL */
    /** Write a point that sc_opt_is_new() accepts. Random numbers come from sc_opt_stream().
     *  Allocates nothing. */
    sc_opt_found (*propose)(sc_optimizer *o, uint32_t *point);
    /** Take a trial in: canonical point, told for the first time, checked. Allocates nothing. May
     *  be NULL. */
    void (*tell)(sc_optimizer *o, const sc_trial *t);
    /** State of the class to bytes and back into a fresh one; load returns false if they make no
     *  sense, and must stand any bytes. o->seen and the counters are loaded before it. */
    void (*save)(const sc_optimizer *o, sc_buf *b);
    bool (*load)(sc_optimizer *o, sc_blob *in);
} sc_opt_class;

struct sc_optimizer {
    const sc_opt_class *class;
    sc_problem problem; /* arrays owned */
    uint64_t seed;
    sc_optimizer_options options; /* points owned */
    uint64_t product;             /* points of the grid; 0 if there are 2^63 or more */
    uint64_t asked;               /* points proposed: the number of the next suggestion */
    uint64_t sweep; /* every grid point below this rank is met, invalid or not canonical */
    sc_seen seen;
    uint32_t *scratch; /* [n_params] for the shared part */
    void *state;       /* of the class */
};

/* ---- services ---- */

/** Name of a canonical point: its rank in the grid, exact, or a 64-bit hash where there are 2^63
 *  points or more (two of n points then share one with probability n^2 / 2^65). */
uint64_t sc_opt_key(const sc_optimizer *o, const uint32_t *point);

/** Make the point canonical; whether it may be proposed: valid and never met. */
bool sc_opt_is_new(const sc_optimizer *o, uint32_t *point);

/** Random numbers of the coming suggestion: a pure function of (seed, its number). */
void sc_opt_stream(const sc_optimizer *o, sc_rng *r);

/** Uniform over the indices, new; by rejection, and where that fails by sc_opt_sweep(). */
sc_opt_found sc_opt_random(sc_optimizer *o, sc_rng *r, uint32_t *point);

/** The next new point in the order of the grid, looking at no more than so many. */
sc_opt_found sc_opt_sweep(sc_optimizer *o, uint64_t steps, uint32_t *point);

/** Give parameter i another index, unless it has but one: a categorical one any other, an ordered
 *  one mostly a near one (docs/algorithms/nsga2.md). Not made canonical. */
void sc_opt_mutate(const sc_optimizer *o, sc_rng *r, uint32_t *point, size_t i);

/** Give parameter i any other index, all alike, unless it has but one. Not made canonical. */
void sc_opt_jump(const sc_optimizer *o, sc_rng *r, uint32_t *point, size_t i);

/** The parameters of a point that a change has an effect on: active, and with more than one value;
 *  the point is made canonical. which: [n_params]. @return how many. */
size_t sc_opt_free(const sc_optimizer *o, uint32_t *point, uint32_t *which);

/** Low-discrepancy points of the problem's grid, shifted at random by the seed:
 *  docs/algorithms/sampling.md. */
typedef struct sc_sequence sc_sequence;
sc_status sc_sequence_create(sc_sequence **out, const sc_optimizer *o) SC_MUST_USE;
void sc_sequence_destroy(sc_sequence *s); /* NULL is fine */
/** The next new point of the sequence; false if a bounded number of draws (or its end) gave none.
 */
bool sc_sequence_next(sc_sequence *s, const sc_optimizer *o, uint32_t *point);
uint64_t sc_sequence_position(const sc_sequence *s); /* points drawn, the dropped ones included */
/** Go on from a position of a run that asked o->asked points; false if it cannot be one.
 *  Cost: O(position * n_params). */
bool sc_sequence_seek(sc_sequence *s, const sc_optimizer *o, uint64_t position);

/* ---- between optimizer.c and state.c ---- */

/** SC_OK, or SC_EINVAL naming the first trial that is not well formed. */
sc_status sc_opt_check_trials(const sc_optimizer *o, const sc_trial *trials, size_t n) SC_MUST_USE;
/** Enter a checked trial as told, for which room was reserved; *canonical is the trial with the
 *  canonical point (in o->scratch). @return false if it was told before. */
bool sc_opt_take(sc_optimizer *o, const sc_trial *t, sc_trial *canonical);

/* The classes; one line each here, one row each in optimizer.c. */
extern const sc_opt_class sc_opt_class_random;
extern const sc_opt_class sc_opt_class_sobol;
extern const sc_opt_class sc_opt_class_grid;
extern const sc_opt_class sc_opt_class_list;
extern const sc_opt_class sc_opt_class_nsga2;
extern const sc_opt_class sc_opt_class_evolution;
extern const sc_opt_class sc_opt_class_firefly;
extern const sc_opt_class sc_opt_class_lcs;
extern const sc_opt_class sc_opt_class_cmaes;
extern const sc_opt_class sc_opt_class_tpe;
extern const sc_opt_class sc_opt_class_gp;
extern const sc_opt_class sc_opt_class_portfolio;
#endif
