#ifndef SEARCH_SPACE_INNER_H
#define SEARCH_SPACE_INNER_H
/** The inside of a space, shared by the files space_*.c only. */
#include "core/expr.h"
#include "search/space.h"

enum { SC_SPACE_NAME_LEN = 64 }; /* of a parameter, NUL included */

struct sc_axis {
    sc_space_param view; /* what is left after restriction; points into the arrays below */
    char name[SC_SPACE_NAME_LEN];
    size_t n_added;           /* values before restriction */
    double *values;           /* [view.n_values] */
    uint32_t *origin;         /* [view.n_values] index among the values as added */
    char **labels;            /* [n_added] as added; categorical only */
    const char **view_labels; /* [view.n_values] into labels; categorical only */
    uint64_t *label_hash;     /* [n_added]; categorical only */
    uint64_t name_hash;
    uint32_t fallback_origin; /* fallback among the values as added */
    double fallback_value;
    sc_expr *when; /* NULL: always active */
};

struct sc_space_rule {
    char *name;
    sc_expr *expression; /* NULL: a callback, and its text */
    char *text;
    sc_space_member_fn member;
    const void *payload;
};

struct sc_space {
    char *name;
    size_t n;
    struct sc_axis *axis;  /* [n] */
    uint32_t *cardinality; /* [n] mirrors of axis for sc_problem */
    bool *categorical;     /* [n] */
    uint32_t *order;       /* [n_conditions] conditioned parameters, each after those it names */
    size_t n_conditions, n_rules;
    struct sc_space_rule *rule; /* [n_rules] */
    sc_space_canonical_fn canonical;
    const void *payload;
};

/** Settle a point: canonical index, value and activity of every parameter; arrays [n]. */
void sc_space__settle(const sc_space *s, uint32_t *index, double *values, bool *active);
/** Not 0, not NaN. */
bool sc_space__true(double v);
/** Whether a settled point keeps constraint i. */
bool sc_space__keeps(const sc_space *s, size_t i, const uint32_t *index, const double *values);

/** The parameters as symbols of an expression, [n], borrowed text; free the array with sc_free. */
sc_status sc_space__symbols(const sc_space *s, sc_symbol **out) SC_MUST_USE;
/** Take a compiled condition or constraint over (part of) the present parameters; on failure it
 *  stays the caller's. */
sc_status sc_space__take_condition(sc_space *s, size_t i, sc_expr *e) SC_MUST_USE;
sc_status sc_space__take_constraint(sc_space *s, const char *name, sc_expr *e) SC_MUST_USE;

/** SC_EINVAL with the name that was likely meant. */
sc_status sc_space__unknown_name(const sc_space *s, const char *name) SC_MUST_USE;
/** Index of the value a text writes: a label, or a number with the parameter's unit. SC_EINVAL. */
sc_status sc_space__value_index(const sc_space_param *p, const char *text,
                                uint32_t *out) SC_MUST_USE;
#endif
