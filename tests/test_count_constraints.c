/* What a user asks of mappings: which one obeys, and where another does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core_support.h"
#include "count_make.h"
#include "count_random.h"
#include "model/count/constraints_yaml.h"

enum { DIMS = 4, N = 0, K = 1, P = 2, C = 3 };

static sc_einsum op(void)
{
    return count_einsum("N8 K8 P8 C8", "I N,P,C", "W K,C", "O N,P,K");
}

static void check(const sc_map_constraints *c, const sc_mapping *m, sc_breach want)
{
    const sc_einsum e = op();
    const sc_breach got = sc_map_constraints_check(c, m, &e);
    if (got.code != want.code || got.level != want.level || got.dim != want.dim ||
        got.tensor != want.tensor || got.spatial != want.spatial || got.need != want.need ||
        got.have != want.have)
        fail_msg("%s: level %d dim %d tensor %d spatial %d need %d have %d, wanted %s %d %d %d %d "
                 "%d %d",
                 sc_breach_name(got.code), got.level, got.dim, got.tensor, got.spatial,
                 (int)got.need, (int)got.have, sc_breach_name(want.code), want.level, want.dim,
                 want.tensor, want.spatial, (int)want.need, (int)want.have);
}

/* Level 1, innermost first: K4 C2 P8 over time; K2 along X, C4 along Y. */
static sc_mapping mapping(void)
{
    sc_mapping m = {.n_levels = 2};
    m.level[0].temporal = (sc_loops){1, {N}, {8}};
    m.level[1].temporal = (sc_loops){4, {K, N, C, P}, {4, 1, 2, 8}};
    m.level[1].spatial = (sc_loops){2, {K, C}, {2, 4}};
    m.level[1].split = 1;
    m.level[0].keep = 7;
    m.level[1].keep = 5;
    return m;
}

static const sc_breach obeys = {SC_OBEYS, 0, -1, -1, false, 0, 0};

static void factors(void **state)
{
    const sc_mapping m = mapping();
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    check(&c, &m, obeys);
    c.level[1].temporal.fixed[K] = 4;
    c.level[1].temporal.fixed[N] = 1;
    c.level[1].temporal.min[C] = c.level[1].temporal.max[C] = 2;
    c.level[1].spatial.max[C] = 4;
    check(&c, &m, obeys);
    c.level[1].spatial.max[C] = 3;
    check(&c, &m, (sc_breach){SC_BREACH_MAX, 1, C, -1, true, 3, 4});
    c.level[1].spatial.min[P] = 2; /* found first: K, P, C are the dimensions in order */
    check(&c, &m, (sc_breach){SC_BREACH_MIN, 1, P, -1, true, 2, 1});
    c.level[1].temporal.fixed[P] = 4;
    check(&c, &m, (sc_breach){SC_BREACH_FACTOR, 1, P, -1, false, 4, 8});
    c.level[0].temporal.fixed[N] = 2; /* outer levels come first */
    check(&c, &m, (sc_breach){SC_BREACH_FACTOR, 0, N, -1, false, 2, 8});
}

static void tensors(void **state)
{
    const sc_mapping m = mapping();
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[1].must_keep = 4;
    c.level[1].must_bypass = 2;
    check(&c, &m, obeys);
    c.level[1].must_bypass = 6;
    check(&c, &m, (sc_breach){SC_BREACH_BYPASS, 1, -1, 2, false, 0, 1});
    c.level[1].must_keep = 6;
    check(&c, &m, (sc_breach){SC_BREACH_KEEP, 1, -1, 1, false, 1, 0});
}

static void orders(void **state)
{
    const sc_mapping m = mapping();
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    sc_loop_limits *t = &c.level[1].temporal;
    t->order[0] = N; /* of factor 1 */
    t->order[1] = K;
    t->n_inner = 2;
    t->order[SC_MAX_DIMS - 1] = P;
    t->n_outer = 1;
    check(&c, &m, obeys);
    t->order[SC_MAX_DIMS - 1] = C; /* P, given no place, stands outside it */
    check(&c, &m, (sc_breach){SC_BREACH_ORDER, 1, P, -1, false, 1, 2});
    t->n_outer = 0;
    t->order[0] = C;
    check(&c, &m, (sc_breach){SC_BREACH_ORDER, 1, C, -1, false, 0, 1});
}

static void splits(void **state)
{
    const sc_mapping m = mapping();
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[1].split = 1;
    check(&c, &m, obeys);
    c.level[1].split = 4;
    check(&c, &m, (sc_breach){SC_BREACH_SPLIT, 1, -1, -1, true, 2, 1}); /* both along X */
    c.level[1].split = 0;
    check(&c, &m, (sc_breach){SC_BREACH_SPLIT, 1, -1, -1, true, 0, 1});
    sc_loop_limits *s = &c.level[1].spatial;
    s->order[0] = N;
    s->order[1] = K;
    s->n_inner = 2;
    c.level[1].split = 1; /* N alone along X */
    check(&c, &m, (sc_breach){SC_BREACH_SPLIT, 1, K, -1, true, 1, 0});
}

/* ---- against every total order ---- */

static void swap(uint8_t *p, int i, int j)
{
    const uint8_t t = p[i];
    p[i] = p[j];
    p[j] = t;
}

static bool next_permutation(uint8_t *p)
{
    int i = DIMS - 2, j = DIMS - 1;
    while (i >= 0 && p[i] > p[i + 1])
        i--;
    if (i < 0)
        return false;
    while (p[j] < p[i])
        j--;
    swap(p, i, j);
    for (i++, j = DIMS - 1; i < j; i++, j--)
        swap(p, i, j);
    return true;
}

/* Whether all dimensions in this order, innermost first, are what is asked and what the loops do.
 */
static bool is_witness(const uint8_t *p, const sc_block *b, const sc_loop_limits *limits, int split)
{
    uint8_t place[DIMS];
    int last = -1;
    for (unsigned i = 0; i < DIMS; i++)
        place[p[i]] = (uint8_t)i;
    for (unsigned i = 0; i < limits->n_inner; i++)
        if (p[i] != limits->order[i])
            return false;
    for (unsigned i = 1; i <= limits->n_outer; i++)
        if (p[DIMS - i] != limits->order[SC_MAX_DIMS - i])
            return false;
    for (unsigned i = 0; i < b->spatial.n; i++) {
        const int at = place[b->spatial.dim[i]];
        if (b->spatial.factor[i] == 1)
            continue;
        if (at < last || (split >= 0 && (i < b->split) != (at < split)))
            return false;
        last = at;
    }
    return true;
}

static void shuffle(uint8_t *p, uint64_t *seed)
{
    for (unsigned i = 0; i < DIMS; i++)
        p[i] = (uint8_t)i;
    for (int i = DIMS - 1; i > 0; i--)
        swap(p, i, (int)random_below(seed, (uint64_t)i + 1));
}

static void oracle(void **state)
{
    unsigned obeyed = 0, broken = 0;
    const sc_einsum e = op();
    uint64_t seed = 7;
    for (unsigned round = 0; round < 20000; round++) {
        sc_map_constraints c;
        sc_mapping m = {.n_levels = 1};
        uint8_t p[DIMS];
        bool any = false;
        sc_map_constraints_init(&c, 1);
        shuffle(p, &seed);
        sc_loop_limits *limits = &c.level[0].spatial;
        limits->n_inner = (uint8_t)random_below(&seed, DIMS + 1);
        limits->n_outer = (uint8_t)random_below(&seed, DIMS + 1 - limits->n_inner);
        memcpy(limits->order, p, limits->n_inner);
        for (unsigned i = 1; i <= limits->n_outer; i++)
            limits->order[SC_MAX_DIMS - i] = p[DIMS - i];
        c.level[0].split = (int)random_below(&seed, DIMS + 2) - 1;
        shuffle(p, &seed);
        m.level[0].spatial.n = DIMS;
        m.level[0].split = (uint8_t)random_below(&seed, DIMS + 1);
        for (unsigned i = 0; i < DIMS; i++) {
            m.level[0].spatial.dim[i] = p[i];
            m.level[0].spatial.factor[i] = 1 + random_below(&seed, 2);
        }
        for (unsigned i = 0; i < DIMS; i++)
            p[i] = (uint8_t)i;
        do
            any |= is_witness(p, &m.level[0], limits, c.level[0].split);
        while (!any && next_permutation(p));
        const sc_breach got = sc_map_constraints_check(&c, &m, &e);
        assert_int_equal(got.code == SC_OBEYS, any);
        obeyed += any;
        broken += !any;
    }
    assert_true(obeyed > 2000 && broken > 2000);
}

/* ---- files ---- */

static sc_arch design(void)
{
    sc_arch a = {.n_levels = 2};
    (void)snprintf(a.level[0].name, SC_NAME_LEN, "DRAM");
    (void)snprintf(a.level[1].name, SC_NAME_LEN, "L1");
    return a;
}

static void files(void **state)
{
    static const char text[] = "version: 1\n"
                               "op: any\n"
                               "levels:\n"
                               "- level: L1\n"
                               "  keep: [W1]\n"
                               "  bypass: [I0, O2]\n"
                               "  temporal:\n"
                               "    factors: [K=4, C<=8, C>=2, P<=100]\n"
                               "    order: [P, rest, C, K]\n"
                               "  spatial: {order: [C, P, K, N], split: 9}\n"
                               "  links: no\n"
                               "- level: DRAM\n"
                               "  spatial: {split: 0}\n"
                               "  multicast: false\n";
    const sc_einsum e = op();
    const sc_arch a = design();
    sc_map_constraints c;
    sc_yaml *y = NULL;
    assert_int_equal(sc_yaml_parse(&y, "f", text, sizeof text - 1), SC_OK);
    if (!sc_map_constraints_read(&c, sc_yaml_root(y), &e, &a))
        fail_msg("status %d: %s", (int)sc_yaml_status(y), sc_error_message());
    sc_yaml_close(y);
    const sc_level_limits *l1 = &c.level[1];
    assert_int_equal(c.n_levels, 2);
    assert_int_equal(l1->must_keep, 2);
    assert_int_equal(l1->must_bypass, 5);
    assert_int_equal(l1->temporal.fixed[K], 4);
    assert_int_equal(l1->temporal.fixed[C], 0);
    assert_int_equal(l1->temporal.max[C], 8);
    assert_int_equal(l1->temporal.min[C], 2);
    assert_int_equal(l1->temporal.min[P], 1);
    assert_int_equal(l1->temporal.max[P], 100);
    assert_int_equal(l1->temporal.n_inner, 2);
    assert_int_equal(l1->temporal.order[0], K);
    assert_int_equal(l1->temporal.order[1], C);
    assert_int_equal(l1->temporal.n_outer, 1);
    assert_int_equal(l1->temporal.order[SC_MAX_DIMS - 1], P);
    assert_false(l1->temporal.order_total);
    assert_true(l1->spatial.order_total);
    assert_int_equal(l1->spatial.n_outer, 4);
    assert_int_equal(l1->spatial.order[SC_MAX_DIMS - 1], C);
    assert_int_equal(l1->spatial.order[SC_MAX_DIMS - 4], N);
    assert_int_equal(l1->split, 4);
    assert_true(l1->no_links && !l1->no_multicast);
    assert_int_equal(c.level[0].split, 0);
    assert_true(!c.level[0].no_links && c.level[0].no_multicast);
    assert_int_equal(c.level[0].temporal.min[N], 1);
}

static void bad_files(void **state)
{
    static const char *const rows[][2] = {
        {"level: L2", "f:3:11: error: 'L2' is none of: DRAM, L1"},
        {"level: L1, kep: [W1]", "f:3:15: error: unknown key 'kep' (did you mean 'keep'?)"},
        {"level: L1, keep: [V1]", "f:3:22: error:"},
        {"level: L1, keep: [W1], bypass: [W1]",
         "f:3:3: error: tensor W1 is both kept and bypassed"},
        {"level: L1, temporal: {factors: [Z=1]}", "f:3:36: error: 'Z' is no dimension of op fc"},
        {"level: L1, temporal: {factors: [K]}", "f:3:36: error: 'K' is no limit"},
        {"level: L1, temporal: {factors: ['K<3']}", "'K<3' is no limit"},
        {"level: L1, temporal: {factors: [K=0]}", "f:3:38: error: a factor is a whole number"},
        {"level: L1, temporal: {factors: [K=9]}",
         "f:3:38: error: 9 is more than K of op fc, which is 8"},
        {"level: L1, temporal: {factors: [K=1, K=1]}", "dimension K has such a limit already"},
        {"level: L1, temporal: {factors: [K=4, K<=2]}",
         "f:3:35: error: the limits of dimension K leave no factor"},
        {"level: L1, temporal: {order: [K, C]}", "an order names all 4 dimensions"},
        {"level: L1, temporal: {order: [K, K, rest]}", "'K' stands twice"},
        {"level: L1, temporal: {order: [K, rst]}", "did you mean 'rest'?"},
        {"level: L1, temporal: {split: 1}", "unknown key 'split'"},
        {"level: L1, spatial: {split: -1}", "a split is a whole number from 0"},
        {"level: L1, links: maybe", "maybe"},
    };
    sc_einsum e = op();
    (void)snprintf(e.name, sizeof e.name, "fc"); /* of a network's ops, the one that is read for */
    const sc_arch a = design();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[300];
        sc_yaml *y = NULL;
        sc_map_constraints c = {.n_levels = 77};
        const int n = snprintf(text, sizeof text, "version: 1\nlevels:\n- {%s}\n", rows[i][0]);
        assert_int_equal(sc_yaml_parse(&y, "f", text, (size_t)n), SC_OK);
        if (sc_map_constraints_read(&c, sc_yaml_root(y), &e, &a))
            fail_msg("%s is taken", rows[i][0]);
        assert_int_equal(c.n_levels, 77);
        assert_int_equal(sc_yaml_status(y), SC_EPARSE);
        assert_says(rows[i][1]);
        sc_yaml_close(y);
    }
}

static void names(void **state)
{
    assert_string_equal(sc_breach_name(SC_OBEYS), "obeys");
    assert_string_equal(sc_breach_name(SC_BREACH_BYPASS), "bypass");
    assert_string_equal(sc_breach_name((sc_breach_code)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors), cmocka_unit_test(tensors),   cmocka_unit_test(orders),
        cmocka_unit_test(splits),  cmocka_unit_test(oracle),    cmocka_unit_test(names),
        cmocka_unit_test(files),   cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests_name("model/count constraints", tests, NULL, NULL);
}
