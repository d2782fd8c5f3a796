/* The results cache and the details of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "store_support.h"

static void results_are_cached_by_content(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_store *s = support_open(path, SC_STORE_CREATE);
    double odd[] = {-0.0, 0x1p-1074, 1.7976931348623157e308, 0.1};
    sc_store_metric metrics[] = {
        {"zero", odd[0]}, {"tiny", odd[1]}, {"huge", odd[2]}, {"t", odd[3]}};
    sc_store_result r = *support_result(1);
    r.metrics = metrics;
    r.n_metrics = 4;
    r.reasons = "[]";
    const sc_hash128 key = sc_store_result_key(&r);
    const sc_store_result *got = &r;

    assert_ok(sc_store_get_result(&got, s, key));
    assert_null(got);
    assert_fails(sc_store_put_result(s, &r), SC_EINVAL, "in batches only");
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_result(s, &r));
    assert_ok(sc_store_put_result(s, &r));
    assert_ok(sc_store_commit(s));
    sc_store_close(s);

    s = support_open(path, SC_STORE_WRITE);
    assert_ok(sc_store_get_result(&got, s, key));
    assert_non_null(got);
    assert_true(sc_hash_equal(got->design, r.design) && sc_hash_equal(got->workload, r.workload));
    assert_string_equal(got->options, "batch=1");
    assert_string_equal(got->reasons, "[]");
    assert_int_equal(got->n_metrics, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(got->metrics[i].name, metrics[i].name);
        assert_memory_equal(&got->metrics[i].value, &odd[i], sizeof odd[i]);
    }
    metrics[3].value = 0.2;
    assert_ok(sc_store_begin(s));
    assert_fails(sc_store_put_result(s, &r), SC_ESTORE, "another content");
    sc_store_rollback(s);
    assert_ok(sc_store_get_result(&got, s, key));
    assert_true(got->metrics[3].value == 0.1);
    sc_store_close(s);
}

static void a_key_names_every_input(void **state)
{
    const sc_store_result base = *support_result(1);
    sc_store_result r[6];
    for (size_t i = 0; i < 6; i++)
        r[i] = base;
    r[1].design.lo ^= 1;
    r[2].workload.hi ^= 1;
    r[3].model_version = "model-1b";
    r[4].options = "atch=1";
    r[4].model_version = "model-1b";
    r[5].options = "batch=2";
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < i; k++)
            assert_false(sc_hash_equal(sc_store_result_key(&r[i]), sc_store_result_key(&r[k])));
    r[0].evaluator = "other"; /* who computed it is no input */
    assert_true(sc_hash_equal(sc_store_result_key(&r[0]), sc_store_result_key(&base)));
}

static void results_outside_their_domain_are_refused(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_metric metrics[] = {{"a", NAN}, {"b", 1}};
    sc_store_result r = *support_result(2);
    r.metrics = metrics;
    r.n_metrics = 2;
    assert_ok(sc_store_begin(s));
    assert_fails(sc_store_put_result(s, &r), SC_EINVAL, "feasible with a = ");
    r.state = SC_STATE_INFEASIBLE;
    assert_ok(sc_store_put_result(s, &r));
    r = *support_result(3);
    metrics[0].value = 1;
    metrics[1].name = "a";
    r.metrics = metrics;
    r.n_metrics = 2;
    assert_fails(sc_store_put_result(s, &r), SC_EINVAL, "twice");
    r = *support_result(3);
    r.options = NULL;
    assert_fails(sc_store_put_result(s, &r), SC_EINVAL, "options");
    r = *support_result(3);
    r.reasons = "nonsense";
    assert_fails(sc_store_put_result(s, &r), SC_EINVAL, "");
    r.reasons = NULL;
    metrics[0] = (sc_store_metric){"a", INFINITY};
    r.metrics = metrics;
    r.n_metrics = 1;
    r.state = SC_STATE_FAILED; /* an error row holds what came */
    assert_ok(sc_store_put_result(s, &r));
    assert_ok(sc_store_commit(s));
    const sc_store_result *got = NULL;
    assert_ok(sc_store_get_result(&got, s, sc_store_result_key(&r)));
    assert_true(isinf(got->metrics[0].value));
    sc_store_close(s);
}

/* Keys by kind and by their first digits. */
static void details_are_listed(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    const sc_hash128 key[] = {{0xab00000000000000, 1}, {0xab10000000000000, 2}, {0x1234, 3}};
    sc_hash128 *found = NULL;
    size_t n = 0;
    assert_ok(sc_store_details(&found, &n, s, "placement", ""));
    assert_int_equal(n, 0);
    assert_null(found);
    assert_ok(sc_store_begin(s));
    for (int i = 0; i < 3; i++)
        assert_ok(sc_store_put_detail(s, key[i], i == 1 ? "model" : "placement", "x", 1));
    assert_ok(sc_store_commit(s));
    assert_ok(sc_store_details(&found, &n, s, "placement", ""));
    assert_int_equal(n, 2);
    assert_int_equal(found[0].lo, 3); /* 0x00..1234 before 0xab.. */
    assert_int_equal(found[1].lo, 1);
    sc_free(found);
    assert_ok(sc_store_details(&found, &n, s, "placement", "aB"));
    assert_int_equal(n, 1);
    assert_int_equal(found[0].lo, 1);
    sc_free(found);
    found = NULL;
    assert_ok(sc_store_details(&found, &n, s, "model", "ab0"));
    assert_int_equal(n, 0);
    assert_fails(sc_store_details(&found, &n, s, "model", "xyz"), SC_EINVAL, "'xyz'");
    sc_store_close(s);
}

static void details_come_back(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    const sc_hash128 key = {5, 7};
    char *long_text = sc_calloc(20001, 1);
    char *text = NULL;
    size_t n = 0;
    memset(long_text, '{', 20000);
    assert_fails(sc_store_put_detail(s, key, "ops", "x", 1), SC_EINVAL, "in batches only");
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_detail(s, key, "ops", long_text, 20000));
    assert_ok(sc_store_put_detail(s, key, "ops", long_text, 20000));
    assert_ok(sc_store_put_detail(s, key, "plan", "a\0b", 3));
    assert_ok(sc_store_put_detail(s, key, "none", "", 0));
    assert_ok(sc_store_commit(s));
    assert_ok(sc_store_get_detail(&text, &n, s, key, "ops"));
    assert_int_equal(n, 20000);
    assert_string_equal(text, long_text);
    sc_free(text);
    assert_ok(sc_store_get_detail(&text, &n, s, key, "plan"));
    assert_int_equal(n, 3);
    assert_memory_equal(text, "a\0b", 4);
    sc_free(text);
    assert_ok(sc_store_get_detail(&text, &n, s, key, "none"));
    assert_int_equal(n, 0);
    sc_free(text);
    text = NULL;
    assert_fails(sc_store_get_detail(&text, &n, s, key, "other"), SC_ENOTFOUND, "'other'");
    assert_null(text);
    assert_ok(sc_store_begin(s));
    assert_fails(sc_store_put_detail(s, key, "ops", long_text, 19999), SC_ESTORE,
                 "another content");
    sc_store_rollback(s);
    assert_int_equal(support_faults(s), 0);
    sc_free(long_text);
    sc_store_close(s);
    assert_int_equal(sc_mem_live(), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(results_are_cached_by_content),
        WITH(a_key_names_every_input),
        WITH(results_outside_their_domain_are_refused),
        WITH(details_come_back),
        WITH(details_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
