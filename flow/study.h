#ifndef FLOW_STUDY_H
#define FLOW_STUDY_H
/** What stands behind the opaque sc_study: a study file, read and resolved. */
#include "core/mem.h"
#include "flow/metric.h"
#include "model/arch/template.h"
#include "scantle/rules.h"
#include "scantle/study.h"
#include "search/optimizer.h"
#include "search/space.h"

typedef struct sc_study_network {
    const char *spec; /* as written */
    double weight;
    sc_workload *workload;
} sc_study_network;

/** One recorded figure. Of our model: metric over all networks (network = SIZE_MAX) or of one. An
 *  external evaluator's figure has a name alone. */
typedef struct sc_study_value {
    const char *name;
    sc_store_goal goal; /* of an objective; SC_GOAL_NONE for what is only recorded */
    sc_metric metric;
    size_t network;
    size_t figure; /* of a recorded table: which of its figures */
} sc_study_value;

typedef struct sc_study_limit {
    size_t value;  /* index into values */
    bool at_most;  /* else at least */
    bool baseline; /* the limit is the baseline's figure */
    double limit;
} sc_study_limit;

struct sc_study {
    sc_arena *arena;
    const char *name;
    const char *folder; /* of the file, "" for the current one */
    const char *config; /* the file's text */
    sc_hash128 config_hash;
    sc_template *template;  /* NULL: the space is the user's own and the evaluator external, or */
    struct sc_table *table; /* a recorded table; NULL: none */
    sc_space *space;
    size_t n_networks;
    sc_study_network *networks;
    sc_aggregate aggregate;
    size_t n_values;
    sc_study_value *values;
    size_t n_objectives;
    size_t *objectives; /* indices into values */
    size_t n_limits;
    sc_study_limit *limits;
    const char *baseline; /* spec as written; NULL = none */
    sc_design
        *baseline_design;    /* the best of its free parameters, found when the study is opened */
    double *baseline_values; /* [n_values]; NULL without a baseline */
    const char *optimizer;
    sc_optimizer_options optimizer_options;
    size_t batch;
    uint64_t seed;
    uint64_t trials; /* budget, 0 = until the space is exhausted */
    uint64_t stall;  /* trials without a better first objective, 0 = no such limit */
    double time_s;   /* 0 = no limit */
    double target;   /* of the first objective; NaN = none */
    sc_store_keep keep;
    uint64_t map_budget, map_nodes; /* of the mapper: evaluations, partial mappings of a proof */
    sc_rules rules, baseline_rules; /* of the trials, of the baseline */
    const char *rung;               /* of the ladder of ablations; NULL = none */
    sc_calibration calibration;     /* name "" = none */
    size_t n_warm;
    uint32_t *warm; /* [n_warm][params] points evaluated first */
};

/** Read a study from a text; name stands in messages. @return as sc_study_open(). */
sc_status sc_study_parse(sc_study **out, const char *name, const char *text, size_t n) SC_MUST_USE;

/** Log, as a warning, that no point of the space keeps its constraints, and how many points each of
 *  them rejects. */
void sc_study_say_empty(const sc_study *s);

/** Names of the study's parameters and values as the store wants them; arrays in the arena. */
sc_status sc_study_store_form(sc_store_study *out, const sc_study *s) SC_MUST_USE;

/** Find the best setting of the baseline's own free parameters (at most SC_BASELINE_POINTS points,
 * by the first objective) and its figures; sets baseline_design and baseline_values. */
enum { SC_BASELINE_POINTS = 64 };
sc_status sc_study_find_baseline(sc_study *s) SC_MUST_USE;
#endif
