#ifndef TESTS_ARCH_SUPPORT_H
#define TESTS_ARCH_SUPPORT_H
/** What the tests of model/arch share: points of built-in templates, small templates as text. */
#include "model/arch/form.h"

/** Use the configs of the source tree. A cmocka group set-up. */
int use_source_configs(void **state);

/** Open or fail the test. */
sc_template *open_template(const char *name);
sc_template *parse_template(const char *text);

/** Index of a parameter by its name. */
size_t param_of(const sc_template *t, const char *name);
/** The canonical default point, with `name=value,...` over it unless that is NULL. */
void point_of(uint32_t *index, const sc_template *t, const char *assignments);
/** A random point, not canonical; a pure function of draw. */
void random_point(uint32_t *index, const sc_template *t, uint64_t draw);

/** Fail unless the two differ by at most a share of the second. */
void assert_near(double value, double wanted, double share);

/** A text with every FROM replaced by TO; FROM must be there. Free with sc_free. */
char *replaced(const char *text, const char *from, const char *to);

/** A chip of primes at 7 nm: DRAM, a partitioned SRAM of three sizes, 2 x 3 plain MACs. */
extern const char SMALL_TEMPLATE[];
#endif
