/* What holds for every optimiser, of those with a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "search_rules.h"

const char *const rules_names[] = {"tpe", "gp"};
const size_t rules_n_names = sizeof rules_names / sizeof *rules_names;
const bool rules_slow = true;

int main(void)
{
    const struct CMUnitTest t[] = {RULES};
    return cmocka_run_group_tests_name("search_models", t, NULL, NULL);
}
