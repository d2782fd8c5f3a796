/* The best mapping of files of the reference tool, and why there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_support.h"

static const char file_name[] = "reference_find_test.yaml";
static const char found_name[] = "reference_find_found.yaml";
#include "reference_make.h"

/* The case of reference_make.h: M4 N6 K5 over three PEs, each with a buffer of so many words. */
static void write_files(const char *words, const char *constraints)
{
    char text[4096];
    const char *at = strstr(version_03, "11, ");
    (void)snprintf(text, sizeof text, "%.*s%s%s%s%s", (int)(at - version_03), version_03, words,
                   at + 2, problem, constraints);
    write_text(file_name, text);
}

static json_t *find(const char *objective, uint64_t budget, int want_feasible)
{
    sc_reference_best_options how = SC_REFERENCE_BEST_OPTIONS_INIT;
    sc_reference_best best;
    how.objective = objective;
    how.node_budget = budget;
    if (sc_reference_find(&best, file_name, file_name, NULL, &how) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(best.feasible, want_feasible);
    assert_null(best.loops);
    assert_null(best.picture);
    return parse_json(best.report);
}

static bool same_counts(const json_t *found, const json_t *again)
{
    const char *key;
    json_t *value;
    json_t *walked = json_copy((json_t *)(uintptr_t)again);
    bool same = true;
    json_object_foreach(walked, key, value) same =
        same && json_equal(value, json_object_get(found, key));
    json_decref(walked);
    return same;
}

/* What was found is read back as a mapping and counted as before, to the last bit. */
static void replay(const json_t *found)
{
    char *again = NULL;
    int feasible = 0;
    json_t *mapping_only = json_pack("{sO}", "mapping", json_object_get(found, "mapping"));
    assert_int_equal(json_dump_file(mapping_only, found_name, 0), 0);
    json_decref(mapping_only);
    if (sc_reference_map(&again, &feasible, file_name, file_name, found_name, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(feasible, 1);
    json_t *counted = parse_json(again);
    assert_true(same_counts(found, counted));
    json_decref(counted);
}

/* 4 * 6 * 5 MACs on three PEs: 40 cycles if N or a part of it is spread, and no fewer. */
static void finds_and_proves(void **state)
{
    static const char *const objectives[] = {NULL, "energy", "delay", "ed2p"};
    for (unsigned i = 0; i < 4; i++) {
        write_files("11", "");
        json_t *r = find(objectives[i], 0, 1);
        const double pj = number(r, "energy_pj"), cycles = number(r, "cycles");
        assert_string_equal(json_string_value(json_object_get(r, "objective")),
                            objectives[i] ? objectives[i] : "edp");
        assert_true(json_is_true(json_object_get(r, "optimal")));
        assert_true(number(r, "gap") == 0);
        assert_true(number(r, "lower_bound") == number(r, "value"));
        const double want[] = {pj * cycles, pj, cycles, pj * cycles * cycles};
        assert_true(number(r, "value") == want[i]);
        assert_null(json_object_get(r, "seconds"));
        if (i != 1)
            assert_true(cycles == 40);
        replay(r);
        json_decref(r);
    }
}

/* A budget of one partial mapping: some mapping that fits, and that it is not proved. */
static void budget(void **state)
{
    write_files("11", "");
    json_t *least = find(NULL, 0, 1), *r = find(NULL, 1, 1);
    assert_true(json_is_false(json_object_get(r, "optimal")));
    assert_true(number(r, "lower_bound") > 0);
    assert_true(number(r, "lower_bound") <= number(least, "value"));
    assert_true(number(r, "gap") == number(r, "value") / number(r, "lower_bound") - 1);
    assert_true(number(r, "value") >= number(least, "value"));
    replay(r);
    json_decref(r);
    json_decref(least);
}

static void check_reason(const json_t *r, unsigned i, const char *code, const char *where,
                         double need, double have)
{
    const json_t *reason = json_array_get(json_object_get(r, "reasons"), i);
    assert_non_null(reason);
    assert_string_equal(json_string_value(json_object_get(reason, "code")), code);
    assert_string_equal(json_string_value(json_object_get(reason, "where")), where);
    assert_true(number(reason, "need") == need);
    assert_true(number(reason, "have") == have);
    assert_true(number(reason, "excess") == (need > have ? need - have : have - need));
}

static json_t *reasons_of(const char *words, const char *constraints, unsigned n)
{
    write_files(words, constraints);
    json_t *r = find(NULL, 0, 0);
    assert_true(json_is_false(json_object_get(r, "feasible")));
    assert_true(json_is_null(json_object_get(r, "cycles")));
    assert_true(json_is_null(json_object_get(r, "energy_pj")));
    assert_int_equal(json_array_size(json_object_get(r, "reasons")), n);
    return r;
}

/* One word of each tensor is the least a buffer can hold of them: three words, not two. Without
 * any one of the three duties, or with one word more, something fits. */
static void too_small_to_keep(void **state)
{
    json_t *r = reasons_of("2",
                           "constraints:\n"
                           "- {target: buffer, type: bypass, keep: [A, B, Z]}\n",
                           4);
    check_reason(r, 0, "keep", "buffer: A", 0, 1);
    check_reason(r, 1, "keep", "buffer: B", 0, 1);
    check_reason(r, 2, "keep", "buffer: Z", 0, 1);
    check_reason(r, 3, "capacity", "buffer", 3, 2);
    json_decref(r);
}

/* With all five of K in the buffer: a row of A of five words. B and Z are of no account, and
 * neither is the limit on M. */
static void too_small_for_a_factor(void **state)
{
    json_t *r = reasons_of("4",
                           "constraints:\n"
                           "- {target: buffer, type: bypass, keep: [A]}\n"
                           "- {target: buffer, type: temporal, factors: K=5 M<=2}\n",
                           3);
    check_reason(r, 0, "factor", "buffer: K in time", 1, 5);
    check_reason(r, 1, "keep", "buffer: A", 0, 1);
    check_reason(r, 2, "capacity", "buffer", 5, 4);
    json_decref(r);
}

/* Six children are asked for, three are built. */
static void beyond_the_mesh(void **state)
{
    json_t *r =
        reasons_of("11", "constraints:\n- {target: DRAM, type: spatial, factors: N=6}\n", 1);
    check_reason(r, 0, "factor", "DRAM: N in space", 1, 6);
    json_decref(r);
}

/* Six columns are not three times three. Two times three they are; and three times one, over two
 * PEs. The limit on M is of no account. */
static void contradictory_factors(void **state)
{
    json_t *r = reasons_of("11",
                           "constraints:\n"
                           "- {target: DRAM, type: temporal, factors: N=3}\n"
                           "- {target: buffer, type: temporal, factors: N=3 M=2}\n",
                           2);
    check_reason(r, 0, "factor", "DRAM: N in time", 2, 3);
    check_reason(r, 1, "factor", "buffer: N in time", 1, 3);
    json_decref(r);
}

/* Constraints that forbid multicasts and links say how a mapping is counted, found or given: each
 * of three PEs takes its own copy of A. K stands in the PEs alone. */
static void counted_as_constrained(void **state)
{
    write_files("11", "constraints:\n"
                      "- {target: DRAM, type: spatial, factors: N=3,\n"
                      "   no_link_transfer: [A, B, Z], no_multicast_no_reduction: [A, B, Z]}\n"
                      "- {target: DRAM, type: temporal, factors: K=1 M=4 N=2, permutation: MNK}\n"
                      "- {target: DRAM, type: bypass, keep: [A, B, Z]}\n"
                      "- {target: buffer, type: bypass, keep: [A, B, Z]}\n");
    json_t *r = find(NULL, 0, 1);
    assert_true(at_level(r, "DRAM", "A", "reads") == 3 * 40);
    replay(r);
    json_decref(r);
}

static void texts(void **state)
{
    sc_reference_best_options how = SC_REFERENCE_BEST_OPTIONS_INIT;
    sc_reference_best best;
    how.loops = how.picture = how.timing = 1;
    write_files("11", "");
    assert_int_equal(sc_reference_find(&best, file_name, file_name, NULL, &how), SC_OK);
    assert_non_null(strstr(best.loops, "multiply-accumulates"));
    assert_non_null(strstr(best.picture, "<svg"));
    json_t *r = json_loads(best.report, 0, NULL);
    assert_true(number(r, "seconds") >= 0);
    json_decref(r);
    sc_reference_best_clear(&best);
    sc_reference_best_clear(NULL);
}

static void refuse(sc_status want, const char *architecture, const char *problem_file,
                   const sc_reference_options *o, const char *objective)
{
    sc_reference_best_options how = SC_REFERENCE_BEST_OPTIONS_INIT;
    sc_reference_best best, before;
    memset(&best, 0x5a, sizeof best);
    before = best;
    how.objective = objective;
    assert_int_equal(sc_reference_find(&best, architecture, problem_file, o, &how), want);
    assert_memory_equal(&best, &before, sizeof best);
}

static void rejects(void **state)
{
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    write_files("11", "");
    refuse(SC_EINVAL, file_name, file_name, NULL, "power");
    refuse(SC_EINVAL, NULL, file_name, NULL, NULL);
    refuse(SC_EINVAL, file_name, NULL, NULL, NULL);
    refuse(SC_ENOTFOUND, file_name, "reference_find_nowhere.yaml", NULL, NULL);
    o.links = "some";
    refuse(SC_EINVAL, file_name, file_name, &o, NULL);
    write_files("11", "constraints:\n- {target: nowhere, type: temporal, factors: N=3}\n");
    refuse(SC_EPARSE, file_name, file_name, NULL, NULL);
    assert_non_null(strstr(sc_error_message(), "reference_find_test.yaml:"));
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s", version_03, problem);
    memcpy(strstr(text, "M: 4, N: 6"), "M: 2199023255552, N: 6, K: 5}\n#", 31);
    write_text(file_name, text); /* 2^41 */
    refuse(SC_ERANGE, file_name, file_name, NULL, NULL);
}

static sc_status find_once(void *payload)
{
    sc_reference_best_options how = SC_REFERENCE_BEST_OPTIONS_INIT;
    sc_reference_best best;
    how.loops = how.picture = 1;
    how.node_budget = *(uint64_t *)payload;
    const sc_status st = sc_reference_find(&best, file_name, file_name, NULL, &how);
    if (st == SC_OK)
        sc_reference_best_clear(&best);
    return st;
}

static void out_of_memory(void **state)
{
    uint64_t nodes = 500;
    write_files("11", "");
    assert_true(fail_each_allocation(find_once, &nodes) > 0);
    nodes = 1;
    assert_true(fail_each_allocation(find_once, &nodes) > 0);
    write_files("2", "constraints:\n- {target: buffer, type: bypass, keep: [A, B, Z]}\n");
    assert_true(fail_each_allocation(find_once, &nodes) > 0);
}

static int remove_files(void **state)
{
    (void)remove(file_name);
    (void)remove(found_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_and_proves),
        cmocka_unit_test(budget),
        cmocka_unit_test(too_small_to_keep),
        cmocka_unit_test(too_small_for_a_factor),
        cmocka_unit_test(beyond_the_mesh),
        cmocka_unit_test(contradictory_factors),
        cmocka_unit_test(counted_as_constrained),
        cmocka_unit_test(texts),
        cmocka_unit_test(rejects),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
