/* Saved states of the optimisers with a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "search_states.h"

const struct state_case states_cases[] = {
    {"tpe", SC_OPTIMIZER_OPTIONS_INIT},
    {"gp", {.version = 1, .population = 8}},
};
const size_t states_n_cases = sizeof states_cases / sizeof *states_cases;

int main(void)
{
    const struct CMUnitTest t[] = {STATES};
    return cmocka_run_group_tests_name("search_state_models", t, NULL, NULL);
}
