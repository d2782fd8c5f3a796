#ifndef TESTS_SEARCH_STATES_H
#define TESTS_SEARCH_STATES_H
/** Tests of saved states that every optimiser must pass, over those that the test program names. */
#include "search_cases.h"

enum { BATCH = 11, MOST = 24 * BATCH };

/* The optimisers, with options that reach every part of their states. */
struct state_case {
    const char *name;
    sc_optimizer_options options;
};
extern const struct state_case states_cases[];
extern const size_t states_n_cases;

struct state_bytes {
    unsigned char *at;
    size_t n;
};

/* What was told so far, as a store would hand it back: here the last one first. */
struct state_told {
    size_t n;
    uint32_t points[MOST][CASE_PARAMS];
    double objectives[CASE_OBJECTIVES];
};

/** Of case k. */
sc_optimizer *states_create(size_t k, uint64_t seed);
/** Free what it holds with sc_free(). */
struct state_bytes states_save(const sc_optimizer *o, sc_save what);
void states_assert_same(struct state_bytes a, struct state_bytes b);
/** As sc_history.get, of a struct state_told. */
sc_status states_get_told(void *payload, uint64_t i, sc_trial *trial);
/** Some told, some pending. */
sc_optimizer *states_half_way(size_t k, struct state_told *told);
/** Loading must fail, say why, and leave the optimiser as it was. */
void states_must_not_load(sc_optimizer *o, const void *bytes, size_t n, const sc_history *h,
                          const char *why);
void states_goes_on_as_if_never_interrupted(void **state);
void states_counts_survive(void **state);
void states_light_is_light(void **state);
void states_refuses_damage(void **state);
void states_survives_forgery(void **state);
void states_exhausted_states_load(void **state);
void states_out_of_memory(void **state);

#define STATES                                                                                     \
    cmocka_unit_test(states_goes_on_as_if_never_interrupted),                                      \
        cmocka_unit_test(states_counts_survive), cmocka_unit_test(states_light_is_light),          \
        cmocka_unit_test(states_refuses_damage), cmocka_unit_test(states_survives_forgery),        \
        cmocka_unit_test(states_exhausted_states_load), cmocka_unit_test(states_out_of_memory)
#endif
