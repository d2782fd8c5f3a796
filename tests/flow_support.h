#ifndef TESTS_FLOW_SUPPORT_H
#define TESTS_FLOW_SUPPORT_H
/** Studies for the tests of flow/ and report/: written into a folder of their own, run, exported.
 */
#include "scantle/study.h"

/** cmocka set-up and tear-down of one test: *state is a fresh folder, removed with all in it. */
int flow_set_up(void **state);
int flow_tear_down(void **state);

/** A path in the test's folder; valid until the eighth later call. */
const char *flow_path(void **state, const char *name);

/** Write a study file: the small model study (FAST on the example network, cut to little designs),
 * with lines appended. @return its path. */
const char *flow_model_study(void **state, const char *more);

/** A study with an external evaluator: minimise cost over x in 1..64 and a mode; with lines
 * appended. */
const char *flow_external_study(void **state, const char *more);

/** Open, run with so many threads and a budget of trials (0 = the file's), close; asserts SC_OK. */
sc_study_outcome flow_run(const char *study, const char *db, int threads, uint64_t trials);

/** The study's export as CSV; free with sc_release(). */
char *flow_export(const char *study, const char *db);
#endif
