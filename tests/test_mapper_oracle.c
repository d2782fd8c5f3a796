/* The oracle of the exact mapper: its sizes and minima by hand, and those of spaces that others
 * enumerated. `test_mapper_oracle N` takes reference problems of up to N mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>

#include "count_data.h"
#include "count_make.h"
#include "count_random.h"
#include "mapper_make.h"

static uint64_t most_mappings = 30000;

/* Two levels: L0 costs 10 an access and has x * y children, L1 costs 1 and holds so many words. */
static oracle_problem two_levels(sc_einsum e, uint64_t x, uint64_t y, uint64_t words)
{
    oracle_problem p = {.e = e, .count = SC_COUNT_OPTIONS_INIT};
    uint64_t seed = 1;
    p.a = count_random_arch(&seed, 2, 1);
    p.a.level[0].fanout_x = x;
    p.a.level[0].fanout_y = y;
    p.a.level[1].instances = p.a.compute.instances = x * y;
    p.a.level[1].bounded = words > 0;
    p.a.level[1].capacity[0] = words;
    for (unsigned l = 0; l < 2; l++)
        p.a.level[l].read_pj = p.a.level[l].write_pj = p.a.level[l].update_pj = l ? 1 : 10;
    return p;
}

static sc_einsum gemv(const char *dims)
{
    return count_einsum(dims, "W K", "I M,K", "O M");
}

static void check_size(oracle_problem p, uint64_t size)
{
    oracle_result r;
    assert_int_equal(oracle_mapspace_size(&p, UINT64_MAX), size);
    oracle_mapspace(&r, &p);
    assert_int_equal(r.fitting, size);
    assert_int_equal(r.found, size);
}

static void sizes(void **state)
{
    check_size(two_levels(gemv("M1 K1"), 1, 1, 0), 8); /* what L1 keeps */
    check_size(two_levels(gemv("M2 K1"), 1, 1, 0), 16);
    check_size(two_levels(gemv("M2 K1"), 2, 1, 0), 24);
    check_size(two_levels(gemv("M2 K1"), 2, 2, 0), 32);
    check_size(two_levels(gemv("M6 K1"), 1, 1, 0), 32);
    /* both in L0 in two orders; in L1 in one, for a single MAC reads them */
    oracle_problem p = two_levels(gemv("M2 K2"), 1, 1, 0);
    check_size(p, 40);
    p.every_order = true;
    check_size(p, 48);
    /* Both in L0: 2 orders; both across: M on X and K on Y or the other way; both in L1: 1; one in
       L0, one across: 2 * 2; one in L0, one in L1: 2; one across, one in L1: 2 * 2. */
    check_size(two_levels(gemv("M2 K2"), 2, 2, 0), (2 + 2 + 1 + 4 + 2 + 4) * 8);
    /* Along one side of 4 both orders are there. */
    check_size(two_levels(gemv("M2 K2"), 4, 1, 0), (2 + 2 + 1 + 2 + 2 + 2) * 8);
    /* One word holds one of W, I, O if M is in L0, or W alone if M is in L1, or nothing. */
    check_size(two_levels(gemv("M2 K1"), 1, 1, 1), 4 + 2);
    p = two_levels(gemv("M2 K1"), 1, 1, 1);
    p.a.level[1].may_keep = 1 << SC_ROLE_INPUT;
    check_size(p, 2 + 1);
    p.a.level[1].must_keep = 1 << SC_ROLE_INPUT;
    check_size(p, 1);
}

static void limits(void **state)
{
    oracle_problem p = two_levels(gemv("M2 K2"), 1, 1, 0);
    oracle_result r;
    p.constrained = true;
    sc_map_constraints_init(&p.limits, 2);
    oracle_mapspace(&r, &p);
    assert_int_equal(r.fitting, 48); /* an order may be asked of each level, so all are walked */
    assert_int_equal(r.found, 48);
    p.limits.level[1].must_keep = 3;
    p.limits.level[0].temporal.fixed[1] = 2;
    p.limits.level[0].temporal.order[0] = 1;
    p.limits.level[0].temporal.n_inner = 1;
    oracle_mapspace(&r, &p); /* M in L1, or outside K in L0; O kept or not */
    assert_int_equal(r.found, 2 * 2);
}

static void check_best(const oracle_result *r, unsigned goal, double energy, double cycles)
{
    assert_true(r->best[goal].energy_pj == energy);
    assert_true(r->best[goal].cycles == cycles);
}

/* W and I of a sum of 4 products come once, 80 pJ. Kept in L1 the sum is updated there 4 times and
 * read again 3 times, then sent out once: 7 + 10; else L0 has 4 updates and 3 reads. Across 4
 * children it is added up on the way to one update. */
static void minima(void **state)
{
    oracle_problem p = two_levels(count_einsum("K4", "W K", "I K", "O "), 1, 1, 1);
    oracle_result r;
    oracle_mapspace(&r, &p);
    for (unsigned g = 0; g < ORACLE_GOALS; g++)
        check_best(&r, g, 97, 4);
    assert_true(r.best[ORACLE_EDP].value == 97 * 4);
    assert_true(r.best[ORACLE_ED2P].value == 97 * 16);
    assert_true(r.best[ORACLE_ED2P].tie == 97 && r.best[ORACLE_ENERGY].tie == 4);

    p.a.level[0].fanout_x = p.a.level[1].instances = p.a.compute.instances = 4;
    oracle_mapspace(&r, &p);
    for (unsigned g = 0; g < ORACLE_GOALS; g++)
        check_best(&r, g, 90, 1);
    /* Sums that are not added up on the way cost 4 updates and 3 reads: slower is cheaper. Two
       children: each adds 2 of them up, 2 updates and a read at L0; 2 updates and a read at L1. */
    p.a.level[0].no_reduction = true;
    p.energy_weight = 1;
    p.cycle_weight = 6;
    oracle_mapspace(&r, &p);
    check_best(&r, ORACLE_ENERGY, 97, 4);
    check_best(&r, ORACLE_CYCLES, 150, 1);
    check_best(&r, ORACLE_EDP, 150, 1);
    check_best(&r, ORACLE_ED2P, 150, 1);
    check_best(&r, ORACLE_MIX, 97, 4); /* 121, not 128 or 156 */
    assert_true(r.best[ORACLE_MIX].value == 121);
}

/* The step that the oracle leaves out: orders of a level that feeds one MAC. */
static void innermost_order(void **state)
{
    uint64_t seed = 11;
    unsigned moved = 0;
    for (unsigned round = 0; round < 4000; round++) {
        const sc_einsum e = count_random_einsum(&seed, round % COUNT_KINDS, 0);
        sc_arch a = count_random_arch(&seed, 1 + (unsigned)random_below(&seed, 4), 8);
        sc_level *last = &a.level[a.n_levels - 1];
        last->fanout_x = last->fanout_y = 1;
        a.compute.instances = last->instances;
        sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_loops *loops = &m.level[a.n_levels - 1].temporal;
        const sc_count_options o = {.version = 1,
                                    .reuse_pre_2025 = random_below(&seed, 2),
                                    .links = (sc_links)random_below(&seed, 3),
                                    .charge_first_read = random_below(&seed, 2),
                                    .charge_drain = random_below(&seed, 2)};
        sc_counts first, other;
        assert_int_equal(sc_count(&first, &e, &a, &m, &o), SC_OK);
        for (unsigned i = loops->n; i-- > 1;) {
            const unsigned k = (unsigned)random_below(&seed, i + 1);
            const uint8_t dim = loops->dim[i];
            const uint64_t factor = loops->factor[i];
            moved += k != i && factor > 1 && loops->factor[k] > 1;
            loops->dim[i] = loops->dim[k];
            loops->factor[i] = loops->factor[k];
            loops->dim[k] = dim;
            loops->factor[k] = factor;
        }
        assert_int_equal(sc_count(&other, &e, &a, &m, &o), SC_OK);
        if (memcmp(&first, &other, sizeof first) != 0)
            fail_msg("the order of the innermost level matters: %s", count_describe(&e, &a, &m));
    }
    assert_true(moved > 1000);
}

/* All of a best mapping's claims hold, and no order left out does better. */
static void random_problems(void **state)
{
    unsigned nothing = 0, full = 0;
    for (uint64_t seed = 1; seed <= 220; seed++) {
        oracle_problem p;
        oracle_result r, every;
        mapper_problem(&p, seed, 600);
        oracle_mapspace(&r, &p);
        assert_int_equal(r.fitting, oracle_mapspace_size(&p, UINT64_MAX));
        p.every_order = true;
        oracle_mapspace(&every, &p);
        assert_int_equal(every.fitting, oracle_mapspace_size(&p, UINT64_MAX));
        assert_int_equal(r.found > 0, every.found > 0);
        nothing += r.found == 0;
        full += r.found > 100;
        for (unsigned g = 0; r.found > 0 && g < ORACLE_GOALS; g++) {
            const oracle_best *a = &r.best[g], *b = &every.best[g];
            if (a->value != b->value || a->tie != b->tie || a->near_tie != b->near_tie)
                fail_msg("seed %llu, goal %u: %.17g, all orders %.17g", (unsigned long long)seed, g,
                         a->value, b->value);
            assert_int_equal(sc_mapping_fit(&a->mapping, &p.e, &p.a).code, SC_FITS);
        }
    }
    assert_true(nothing > 0 && full > 50);
}

/* ---- spaces that others enumerated ---- */

static void check_near(const char *name, const char *what, double ours, double theirs)
{
    if (!(fabs(ours - theirs) <= 1e-9 * fabs(theirs)))
        fail_msg("%s: %s %.17g, theirs %.17g", name, what, ours, theirs);
}

static void check_case(const oracle_problem *p, const char *name, const json_t *optima)
{
    static const char *const goals[] = {"energy", "cycles", "edp", "ed2p"};
    const json_t *all = json_object_get(optima, "optimum");
    oracle_result r;
    const double begin = cpu_now();
    oracle_mapspace(&r, p);
    for (unsigned g = 0; g < COUNT(goals); g++) {
        const json_t *theirs = json_object_get(all, goals[g]);
        check_near(name, goals[g], r.best[g].value, number(theirs, "min"));
        if (!json_object_get(theirs, "tie_break"))
            continue;
        check_near(name, "its energy", r.best[g].energy_pj, number(theirs, "energy_pj"));
        check_near(name, "its cycles", r.best[g].cycles, number(theirs, "cycles"));
    }
    print_message("%s: %llu mappings, %.2f s\n", name, (unsigned long long)r.found,
                  cpu_now() - begin);
}

static void reference_spaces(void **state)
{
    char root[512], folder[1024], path[1100];
    unsigned seen = 0, walked = 0;
    DIR *d = opendir(reference_data(root, sizeof root, "mapper/optima"));
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        oracle_problem p;
        (void)snprintf(folder, sizeof folder, "%s/%s", root, entry->d_name);
        (void)snprintf(path, sizeof path, "%s/optima.json", folder);
        if (entry->d_name[0] == '.' || access(path, R_OK) != 0)
            continue;
        json_t *optima = read_json(path);
        const json_t *space = json_object_get(optima, "space");
        seen++;
        if (number(space, "valid_mappings") <= (double)most_mappings) {
            mapper_reference_case(&p, folder);
            p.every_order = true;
            if (oracle_mapspace_size(&p, UINT64_MAX) != number(space, "valid_mappings"))
                fail_msg("%s: %llu mappings, theirs %.0f", entry->d_name,
                         (unsigned long long)oracle_mapspace_size(&p, UINT64_MAX),
                         number(space, "valid_mappings"));
            p.every_order = false;
            check_case(&p, entry->d_name, optima);
            walked++;
        }
        json_decref(optima);
    }
    (void)closedir(d);
    print_message("%u of %u spaces walked\n", walked, seen);
    assert_true(walked >= 9);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),           cmocka_unit_test(limits),
        cmocka_unit_test(minima),          cmocka_unit_test(innermost_order),
        cmocka_unit_test(random_problems), cmocka_unit_test(reference_spaces),
    };
    if (argc > 1)
        most_mappings = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests_name("mapper oracle", tests, NULL, NULL);
}
