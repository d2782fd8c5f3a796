/* Rules of a legal placement: what is found, by how much, and what is let pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>

#include "placement/legal.h"
#include "placement_make.h"

#define MACRO(name, type, w, h)                                                                    \
    "node { name: '" name "' attr { key: 'type' value { placeholder: '" type "' } }"               \
    " attr { key: 'width' value { f: " w " } } attr { key: 'height' value { f: " h " } } }\n"
#define HEAD "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n"

static const char netlist[] = MACRO("a", "MACRO", "20", "10") MACRO("b", "MACRO", "20", "10")
    MACRO("c", "MACRO", "6", "6") MACRO("s", "macro", "50", "50");

typedef struct wanted {
    sc_violation_kind kind;
    uint32_t block, other;
    double amount;
} wanted;

static void check(const char *plc, const wanted *want, size_t n_want)
{
    made m = make_of_texts(netlist, plc);
    sc_violation *v = NULL;
    size_t n = 0;

    assert_int_equal(sc_legal_check(&v, &n, m.list, &m.placement->canvas, NULL, m.placement->spot),
                     SC_OK);
    assert_int_equal(n, n_want);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(v[i].kind, want[i].kind);
        assert_int_equal(v[i].block, want[i].block);
        assert_int_equal(v[i].other, want[i].other);
        assert_true(fabs(v[i].amount - want[i].amount) < 1e-9);
    }
    sc_free(v);
    made_clear(&m);
}

static void test_legal(void **state)
{
    /* side by side, at the edges; the soft one may overlap and reach out, its centre is inside */
    check(HEAD "0 10 5 N 0\n1 30 5 N 0\n2 97 97 N 0\n3 100 0 N 0\n", NULL, 0);
    /* touching by less than the threshold of 0.004 um2 is none */
    check(HEAD "0 10 5 N 0\n1 29.9999 5 N 0\n2 97 97 N 0\n3 50 50 N 0\n", NULL, 0);
    /* a blockage that only thins cells out holds no macro off */
    check(HEAD "# Blockage : 0 0 50 50 0.5\n0 10 5 N 0\n1 30 5 N 0\n2 97 97 N 0\n3 50 50 N 0\n",
          NULL, 0);
}

static void test_illegal(void **state)
{
    static const wanted outside[] = {{SC_VIOLATION_OUTSIDE, 0, 0, 5 * 10},
                                     {SC_VIOLATION_OUTSIDE, 2, 0, 36},
                                     {SC_VIOLATION_SOFT_OUTSIDE, 3, 0, 5}};
    static const wanted overlap[] = {{SC_VIOLATION_OVERLAP, 0, 1, 15 * 6},
                                     {SC_VIOLATION_OVERLAP, 0, 2, 6 * 2},
                                     {SC_VIOLATION_BLOCKED, 0, 1, 5 * 4},
                                     {SC_VIOLATION_BLOCKED, 2, 1, 5 * 6}};
    check(HEAD "0 5 5 N 0\n1 50 50 N 0\n2 -10 50 N 0\n3 103 104 N 0\n", outside, COUNT(outside));
    check(HEAD "# Blockage : 90 90 99 99 1\n# Blockage : 0 0 45 49 1\n"
               "0 50 50 N 0\n1 55 54 N 0\n2 43 44 N 0\n3 50 50 N 0\n",
          overlap, COUNT(overlap));
}

/* Turned by 90 degrees width and height change places. */
static void test_turned(void **state)
{
    static const wanted want[] = {{SC_VIOLATION_OVERLAP, 0, 1, 10 * 15}};
    check(HEAD "0 20 20 E 0\n1 35 20 N 0\n2 97 97 N 0\n3 50 50 N 0\n", NULL, 0);
    check(HEAD "0 20 20 W 0\n1 20 25 FE 0\n2 97 97 N 0\n3 50 50 N 0\n", want, 1);
}

static sc_status check_once(void *payload)
{
    const made *m = payload;
    sc_violation *v = NULL;
    size_t n = 0;
    const sc_status st =
        sc_legal_check(&v, &n, m->list, &m->placement->canvas, NULL, m->placement->spot);
    sc_free(v);
    return st;
}

static void test_memory(void **state)
{
    made m = make_of_texts(netlist, HEAD "0 5 5 N 0\n1 5 5 N 0\n2 5 5 N 0\n3 103 104 N 0\n");
    assert_true(fail_each_allocation(check_once, &m) > 0);
    made_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legal),
        cmocka_unit_test(test_illegal),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
