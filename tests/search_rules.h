#ifndef TESTS_SEARCH_RULES_H
#define TESTS_SEARCH_RULES_H
/** Tests that every optimiser must pass, over those that the test program names. */
#include "search/optimizer.h"

extern const char *const rules_names[];
extern const size_t rules_n_names;
extern const bool rules_slow; /* they take their time: one seed */

/** options NULL: the defaults, or a few rows where a method has a model. */
sc_optimizer *rules_create(const char *name, const sc_problem *p, uint64_t seed,
                           const sc_optimizer_options *options);
/** A whole save; free with sc_free(). */
void *rules_saved(const sc_optimizer *o, size_t *n);

void rules_proposes_each_point_once(void **state);
void rules_depends_on_seed_not_on_batch(void **state);
void rules_repeats_itself(void **state);
void rules_never_asks_what_was_told(void **state);
void rules_gives_up(void **state);
void rules_out_of_memory(void **state);

#define RULES                                                                                      \
    cmocka_unit_test(rules_proposes_each_point_once),                                              \
        cmocka_unit_test(rules_depends_on_seed_not_on_batch),                                      \
        cmocka_unit_test(rules_repeats_itself), cmocka_unit_test(rules_never_asks_what_was_told),  \
        cmocka_unit_test(rules_gives_up), cmocka_unit_test(rules_out_of_memory)
#endif
