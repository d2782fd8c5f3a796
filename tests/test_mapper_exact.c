/* The exact mapper against walks of whole map spaces.
 * `test_mapper_exact PROBLEMS FIRST_SEED MAPPINGS [TESTS [ENUMERATED]]`: more random problems, and
 * larger ones; of the tests those that match a pattern; larger spaces of the reference data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>

#include "count_data.h"
#include "count_make.h"
#include "mapper_make.h"
#include "model/mapper/exact.h"

static uint64_t n_problems = 80, first_seed = 1, most_mappings = 3000;
static double most_enumerated = 1e7; /* of the spaces that others walked */

enum { SHOWN = 200, SHOWN_IN_FULL = 3 }; /* disagreements told */
static unsigned n_wrong;

static const sc_goal_kind kinds[ORACLE_GOALS] = {SC_GOAL_ENERGY, SC_GOAL_DELAY, SC_GOAL_EDP,
                                                 SC_GOAL_ED2P, SC_GOAL_WEIGHTED};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static sc_exact_options options_of(const oracle_problem *p, unsigned goal)
{
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    o.goal = (sc_goal){kinds[goal], p->energy_weight, p->cycle_weight};
    o.count = p->count;
    o.constraints = p->constrained ? &p->limits : NULL;
    return o;
}

/* ---- what a result must be whatever the optimum is ---- */

static const char *check_cost(const sc_cost *got, const sc_cost *want, const oracle_problem *p)
{
    if (got->energy_pj != want->energy_pj || got->cycles != want->cycles ||
        got->bound != want->bound || got->mac_pj != want->mac_pj)
        return "its cost is not that of its mapping";
    for (unsigned l = 0; l < p->a.n_levels; l++)
        if (got->level_cycles[l] != want->level_cycles[l] || got->leak_pj[l] != want->leak_pj[l] ||
            memcmp(got->tensor_pj[l], want->tensor_pj[l], sizeof got->tensor_pj[l]) != 0)
            return "its cost at a level is not that of its mapping";
    return NULL;
}

/* What is wrong with a mapping that was found; NULL: nothing. */
static const char *check_mapping(const sc_exact *x, const oracle_problem *p, unsigned goal)
{
    sc_counts counts;
    sc_cost cost;
    if (sc_mapping_check(&x->mapping, &p->e, &p->a) != SC_OK)
        return sc_error_message();
    if (sc_mapping_fit(&x->mapping, &p->e, &p->a).code != SC_FITS)
        return "the mapping does not fit";
    if (p->constrained && sc_map_constraints_check(&p->limits, &x->mapping, &p->e).code != SC_OBEYS)
        return "the mapping breaks what was asked";
    if (x->mapping.level[0].keep != (1u << p->e.n_tensors) - 1)
        return "the outermost level does not keep all";
    if (sc_count(&counts, &p->e, &p->a, &x->mapping, &p->count) != SC_OK)
        return sc_error_message();
    if (memcmp(&counts, &x->counts, sizeof counts) != 0)
        return "its counts are not those of its mapping";
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, &p->e, &p->a);
    if (!near(x->value, oracle_value(p, goal, cost.energy_pj, cost.cycles)))
        return "its value is not that of its mapping";
    return check_cost(&x->cost, &cost, p);
}

/* ---- against the walk ---- */

static const char *check_optimum(const sc_exact *x, const oracle_problem *p, unsigned goal,
                                 const oracle_best *best)
{
    const double tie = oracle_tie(goal, x->cost.energy_pj, x->cost.cycles);
    if (!near(x->value, best->value))
        return x->value > best->value ? "a better mapping exists" : "better than all mappings";
    if (tie < best->near_tie * (1 - 1e-9) || tie > best->tie * (1 + 1e-9))
        return "an equal mapping exists that is better in the second value";
    if (!x->optimal || sc_exact_gap(x) != 0)
        return "not proved";
    if (x->bound > x->value || x->bound < x->value * (1 - 1e-6))
        return "the bound is not at the value";
    return check_mapping(x, p, goal);
}

static const char *check_result(const sc_exact *x, const oracle_problem *p, unsigned goal,
                                const oracle_result *r)
{
    if (x->found != (r->found > 0))
        return x->found ? "nothing should have been found" : "nothing found";
    if (!x->found)
        return NULL;
    return check_optimum(x, p, goal, &r->best[goal]);
}

static void tell(const char *what, uint64_t seed, unsigned goal, const char *wrong,
                 const oracle_problem *p, const sc_exact *x, const oracle_result *r)
{
    const oracle_best *best = &r->best[goal];
    if (++n_wrong > SHOWN)
        return;
    print_error("%s %llu of up to %llu mappings, %s: %s\n", what, (unsigned long long)seed,
                (unsigned long long)most_mappings, sc_goal_name(kinds[goal]), wrong);
    if (n_wrong > SHOWN_IN_FULL)
        return;
    print_error("%s\n", mapper_describe(p));
    if (r->found > 0)
        print_error("best of %llu: %.17g, energy %.17g pJ, cycles %.17g, of equals %.17g\n%s\n",
                    (unsigned long long)r->found, best->value, best->energy_pj, best->cycles,
                    best->near_tie, count_describe(&p->e, &p->a, &best->mapping));
    if (x->found)
        print_error("found: %.17g, bound %.17g, energy %.17g pJ, cycles %.17g, optimal %d\n%s\n",
                    x->value, x->bound, x->cost.energy_pj, x->cost.cycles, x->optimal,
                    count_describe(&p->e, &p->a, &x->mapping));
}

static void compare(const char *what, uint64_t seed, const oracle_problem *p,
                    const oracle_result *r)
{
    for (unsigned g = 0; g < ORACLE_GOALS; g++) {
        static sc_exact x;
        const sc_exact_options o = options_of(p, g);
        memset(&x, 0, sizeof x);
        const char *wrong = sc_exact_map(&x, &p->e, &p->a, &o) == SC_OK ? check_result(&x, p, g, r)
                                                                        : sc_error_message();
        if (wrong)
            tell(what, seed, g, wrong, p, &x, r);
    }
}

static void random_problems(void **state)
{
    uint64_t nothing = 0, walked = 0;
    n_wrong = 0;
    for (uint64_t i = 0; i < n_problems; i++) {
        oracle_problem p;
        oracle_result r;
        mapper_problem(&p, first_seed + i, most_mappings);
        oracle_mapspace(&r, &p);
        nothing += r.found == 0;
        walked += r.found;
        compare("seed", first_seed + i, &p, &r);
    }
    print_message("%llu problems, %llu mappings, nothing fits %llu\n",
                  (unsigned long long)n_problems, (unsigned long long)walked,
                  (unsigned long long)nothing);
    if (n_wrong > 0)
        fail_msg("%u wrong", n_wrong);
    assert_true(walked > 100 * n_problems && nothing > 0 && 10 * nothing < n_problems);
}

/* A case is worth its time if something is left and something is not. */
static void random_limits(void **state)
{
    uint64_t obeyed = 0, cut = 0;
    n_wrong = 0;
    for (uint64_t i = 0; i < n_problems; i++) {
        oracle_problem p;
        oracle_result r;
        mapper_problem(&p, first_seed + i, most_mappings);
        mapper_limits(&p, first_seed + i);
        oracle_mapspace(&r, &p);
        obeyed += r.found > 0;
        cut += r.found < r.fitting;
        compare("with limits, seed", first_seed + i, &p, &r);
    }
    if (n_wrong > 0)
        fail_msg("%u wrong", n_wrong);
    assert_true(2 * obeyed > n_problems && 2 * cut > n_problems);
}

/* A level is made too small for what it must keep: something is named that is not so. */
static void reasons(void **state)
{
    unsigned empty = 0;
    for (uint64_t i = 0; i < n_problems; i++) {
        oracle_problem p;
        static sc_exact x;
        mapper_problem(&p, first_seed + i, most_mappings);
        sc_level *v = &p.a.level[i % p.a.n_levels];
        v->may_keep = v->must_keep = (1 << SC_ROLES) - 1;
        v->bounded = true;
        v->partitioned = false;
        v->capacity[0] = 1 + i % 3;
        if (oracle_mapspace_size(&p, most_mappings) > 0)
            continue;
        const sc_exact_options o = options_of(&p, ORACLE_EDP);
        assert_int_equal(sc_exact_map(&x, &p.e, &p.a, &o), SC_OK);
        assert_false(x.found);
        if (x.misfit.code == SC_FITS || x.misfit.level < 0 || x.misfit.level >= (int)p.a.n_levels ||
            x.misfit.need == x.misfit.have)
            fail_msg("seed %llu: nothing fits, because: %s at level %d, need %llu, have %llu\n%s",
                     (unsigned long long)(first_seed + i), sc_misfit_name(x.misfit.code),
                     x.misfit.level, (unsigned long long)x.misfit.need,
                     (unsigned long long)x.misfit.have, mapper_describe(&p));
        empty++;
    }
    assert_true(4 * empty > n_problems);
}

/* ---- small problems that were once solved wrongly ---- */

typedef struct past_case {
    const char *dims, *weight, *input, *output;
    sc_links links;
    double read_bw;      /* of L0 */
    uint64_t mesh[3][2]; /* of L0, L1 and L2; 0: 1 */
    unsigned levels;
    double read_pj, update_pj, leak_pj, gated; /* of L0; gated: weights; no read, update: 1 */
    double mac_gated;           /* share of the MACs, 1 pJ each otherwise; 0: MACs are free */
    uint32_t cluster, block[3]; /* instances of L1, words of L0 to L2; 0: 1 */
    uint8_t must_keep;          /* of L1 */
    bool drain, coded;          /* outputs are drained; L0 counts bytes, half of them for outputs */
} past_case;

static const past_case past[] = {
    {"R3 S5 P2 Q2", "W R,S", "I P+R,Q+S", "O Q,P", SC_LINKS_REFERENCE, 0, {{3, 1}}, .levels = 1},
    {"R3 S2 Q7", "W R,S", "I R,Q+S", "O Q", SC_LINKS_REFERENCE, 0, {{3, 1}}, .levels = 1},
    {"S4 Q2", "W S", "I 2Q+S", "O Q", SC_LINKS_NONE, 0, {{1, 6}}, .levels = 2},
    {"S4 Q3", "W S", "I 2Q+S", "O Q", SC_LINKS_NONE, 0, {{3, 2}}, .levels = 2},
    {"S2 Q6", "W S", "I Q+2S", "O Q", SC_LINKS_NONE, 0, {{6, 1}}, .levels = 2},
    {"K6 N14", "W K,N", "I K", "O N", SC_LINKS_REFERENCE, 3, {{4, 1}}, .levels = 1},
    {"M14 K6 N3", "W K,N", "I M,K", "O M,N", SC_LINKS_REFERENCE, 0, {{6, 1}}, .levels = 1},
    {"M14 K4", "W K", "I M,K", "O M", SC_LINKS_REFERENCE, 0, {{1, 2}, {3, 1}}, .levels = 2},
    {"P6 C4", "W C", "I C,P", "O P", SC_LINKS_REFERENCE, 0, {{1, 1}, {4, 1}}, .levels = 2},
    /* An order that links less is best: a neighbour's read costs more than it spares (D1). */
    {"R2 Q6 S3", "W R,S", "I R,Q+S", "O Q", SC_LINKS_REFERENCE, 0, {{4, 2}}, .levels = 2},
    /* L1 keeps nothing, a window lies side by side above it under links: its loops count (D2). */
    {"P5 R3 K2", "W K,R", "I P+R", "O K,P", SC_LINKS_REFERENCE, 0, {{5, 2}}, .levels = 2},
    /* L1 keeps nothing inside an output with gaps: its loops set what is read of nothing (D2). */
    {"P15 R1 C5",
     "W C",
     "I C,P",
     "O 3P+R",
     SC_LINKS_NONE,
     0,
     {{1, 4}},
     .levels = 3,
     .update_pj = 10},
    /* Words pass L1, which does not keep the window, in the shares that links make (L4). */
    {"P4 R4 K2", "W K,R", "I P+R", "O K,P", SC_LINKS_REFERENCE, 0, {{3, 3}}, .levels = 2},
    /* Outputs overlap or have gaps: what is read of nothing, and drained, is not exact (S3). */
    {"P4 R5", "W R", "I P", "O P+R", SC_LINKS_NONE, 0, {{1, 2}, {1, 3}}, .levels = 2, .read_pj = 3},
    {"P1 R7",
     "W R",
     "I P",
     "O P+3R",
     SC_LINKS_NONE,
     0,
     {{0}},
     .levels = 3,
     .read_pj = 10,
     .block = {8, 1, 4},
     .must_keep = 6,
     .drain = true},
    /* Clusters that do not divide the instances, gated and coded words, gated MACs (S4). */
    {"P3 C3", "W C", "I C,P", "O P", SC_LINKS_NONE, 0, {{1, 3}}, .levels = 2, .cluster = 2},
    {"R5 P2 K3",
     "W K,R",
     "I P+R",
     "O K,P",
     SC_LINKS_REFERENCE,
     0,
     {{3, 1}},
     .levels = 1,
     .gated = 0.5},
    {"R2 Q3", "W R", "I R,Q", "O Q", SC_LINKS_NONE, 0, {{3, 1}}, .levels = 1, .coded = true},
    {"S4 Q2", "W S", "I 2Q+S", "O Q", SC_LINKS_NONE, 0, {{1, 6}}, .levels = 2, .mac_gated = 0.5},
    /* Leakage falls with what links spare of a bandwidth that sets the time (D4). */
    {"P4 R2 C6",
     "W C,R",
     "I C,P+R",
     "O P",
     SC_LINKS_REFERENCE,
     1,
     {{4, 1}},
     .levels = 1,
     .leak_pj = 4},
};

static void set_level(sc_level *v, const past_case *c, unsigned l)
{
    v->fanout_x = c->mesh[l][0] > 0 ? c->mesh[l][0] : 1;
    v->fanout_y = c->mesh[l][1] > 0 ? c->mesh[l][1] : 1;
    v->read_pj = v->write_pj = v->update_pj = 1;
    v->block_words = c->block[l] > 0 ? c->block[l] : 1;
    if (l == 0) {
        v->read_bw = c->read_bw;
        v->read_pj = c->read_pj > 0 ? c->read_pj : 1;
        v->update_pj = c->update_pj > 0 ? c->update_pj : 1;
        v->leak_pj = c->leak_pj;
        v->gated[SC_ROLE_WEIGHT] = c->gated;
    }
    if (l == 0 && c->coded) {
        v->word_bits = 0;
        v->block_bits = 16;
        v->compression[SC_ROLE_OUTPUT] = 2;
    }
    if (l == 1) {
        v->must_keep = c->must_keep;
        v->cluster_size = c->cluster > 0 ? c->cluster : 1;
    }
}

static void past_cases(void **state)
{
    n_wrong = 0;
    for (unsigned i = 0; i < COUNT(past); i++) {
        const past_case *c = &past[i];
        oracle_problem p = {.e = count_einsum(c->dims, c->weight, c->input, c->output),
                            .count = SC_COUNT_OPTIONS_INIT,
                            .energy_weight = 1,
                            .cycle_weight = 3};
        oracle_result r;
        uint64_t seed = 1, instances = 1;
        p.a = count_random_arch(&seed, c->levels, 1);
        p.count.links = c->links;
        p.count.charge_drain = c->drain;
        for (unsigned l = 0; l < c->levels; l++) {
            p.a.level[l].instances = instances;
            set_level(&p.a.level[l], c, l);
            instances *= p.a.level[l].fanout_x * p.a.level[l].fanout_y;
        }
        p.a.compute.gated = c->mac_gated;
        p.a.compute.mac_pj = c->mac_gated > 0;
        p.a.compute.instances = instances;
        oracle_mapspace(&r, &p);
        compare("past case", i, &p, &r);
    }
    if (n_wrong > 0)
        fail_msg("%u wrong", n_wrong);
}

/* ---- an end before the proof ---- */

static const char *check_budget(const sc_exact *x, const oracle_problem *p, unsigned goal,
                                const oracle_result *r, const sc_exact *last)
{
    const double best = r->best[goal].value;
    if (x->bound > best * (1 + 1e-9))
        return "the bound is above the optimum";
    if (!x->found)
        return x->optimal && r->found > 0 ? "proved that nothing fits, but something does"
               : last->found              ? "a smaller budget found a mapping, this one none"
                                          : NULL;
    if (r->found == 0)
        return "nothing should have been found";
    if (x->value < best * (1 - 1e-9))
        return "better than all mappings";
    if (x->optimal && !near(x->value, best))
        return "proved, but a better mapping exists";
    if (last->found && x->value > last->value)
        return "a smaller budget found a better mapping";
    if (x->bound > 0 && !near(sc_exact_gap(x), x->optimal ? 0 : x->value / x->bound - 1))
        return "the gap is not that of value and bound";
    return check_mapping(x, p, goal);
}

static void budgets(void **state)
{
    static const uint64_t budget[] = {1, 2, 5, 12, 30, 100, 400};
    uint64_t open = 0, proved = 0;
    n_wrong = 0;
    for (uint64_t i = 0; i < (n_problems + 2) / 3; i++) {
        oracle_problem p;
        oracle_result r;
        const unsigned goal = (unsigned)(i % ORACLE_GOALS);
        sc_exact x = {0}, last = {0};
        mapper_problem(&p, first_seed + i, most_mappings);
        if (i % 2)
            mapper_limits(&p, first_seed + i);
        oracle_mapspace(&r, &p);
        for (unsigned k = 0; r.found > 0 && k < COUNT(budget); k++, last = x) {
            sc_exact_options o = options_of(&p, goal);
            o.node_budget = budget[k];
            const char *wrong = sc_exact_map(&x, &p.e, &p.a, &o) == SC_OK
                                    ? check_budget(&x, &p, goal, &r, &last)
                                    : sc_error_message();
            open += !x.optimal;
            proved += x.optimal;
            if (wrong)
                tell("with a budget, seed", first_seed + i, goal, wrong, &p, &x, &r);
        }
    }
    print_message("%llu proved, %llu not\n", (unsigned long long)proved, (unsigned long long)open);
    if (n_wrong > 0)
        fail_msg("%u wrong", n_wrong);
    assert_true(open > n_problems / 10 && proved > n_problems / 10);
}

/* ---- spaces that others enumerated ---- */

static void check_case(const oracle_problem *p, const char *name, const json_t *optima)
{
    static const char *const names[] = {"energy", "cycles", "edp", "ed2p"};
    static sc_exact x;
    for (unsigned g = 0; g < COUNT(names); g++) {
        const json_t *theirs = json_object_get(json_object_get(optima, "optimum"), names[g]);
        const sc_exact_options o = options_of(p, g);
        if (sc_exact_map(&x, &p->e, &p->a, &o) != SC_OK)
            fail_msg("%s: %s", name, sc_error_message());
        if (!x.found || !x.optimal || !near(x.value, number(theirs, "min")))
            fail_msg("%s, %s: %.17g, bound %.17g, optimal %d; theirs %.17g", name, names[g],
                     x.value, x.bound, x.optimal, number(theirs, "min"));
        if (json_object_get(theirs, "tie_break") &&
            (!near(x.cost.energy_pj, number(theirs, "energy_pj")) ||
             !near(x.cost.cycles, number(theirs, "cycles"))))
            fail_msg("%s, %s: %.17g pJ, %.0f cycles; theirs %.17g, %.0f", name, names[g],
                     x.cost.energy_pj, x.cost.cycles, number(theirs, "energy_pj"),
                     number(theirs, "cycles"));
        const char *wrong = check_mapping(&x, p, g);
        if (wrong)
            fail_msg("%s, %s: %s", name, names[g], wrong);
    }
}

static void reference_spaces(void **state)
{
    char root[512], folder[1024], path[1100];
    unsigned seen = 0, checked = 0;
    DIR *d = opendir(reference_data(root, sizeof root, "mapper/optima"));
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        oracle_problem p;
        (void)snprintf(folder, sizeof folder, "%s/%s", root, entry->d_name);
        (void)snprintf(path, sizeof path, "%s/optima.json", folder);
        if (entry->d_name[0] == '.' || access(path, R_OK) != 0)
            continue;
        json_t *optima = read_json(path);
        seen++;
        if (number(json_object_get(optima, "space"), "valid_mappings") <= most_enumerated) {
            mapper_reference_case(&p, folder);
            const double begin = cpu_now();
            check_case(&p, entry->d_name, optima);
            print_message("%s: %.3f s\n", entry->d_name, cpu_now() - begin);
            checked++;
        }
        json_decref(optima);
    }
    (void)closedir(d);
    print_message("%u of %u spaces\n", checked, seen);
    assert_true(seen >= 38 && checked >= 18);
}

/* ---- by hand ---- */

static void goals(void **state)
{
    static const char *const names[] = {"energy", "delay", "edp", "ed2p", "weighted"};
    static const double values[] = {3, 5, 15, 75, 2 * 3 + 7 * 5};
    for (unsigned g = 0; g < SC_GOALS; g++) {
        const sc_goal goal = {(sc_goal_kind)g, 2, 7};
        assert_string_equal(sc_goal_name((sc_goal_kind)g), names[g]);
        assert_true(sc_goal_value(&goal, 3, 5) == values[g]);
        assert_true(sc_goal_tie(&goal, 3, 5) == (g == SC_GOAL_ENERGY ? 5 : 3));
    }
}

/* A sum of 4 products on four MACs whose parent adds for them: 8 operands in, one sum out, 10 pJ a
 * word at the outer level; all at once. */
static oracle_problem dot_product(void)
{
    oracle_problem p = {.e = count_einsum("K4", "W K", "I K", "O "),
                        .count = SC_COUNT_OPTIONS_INIT};
    uint64_t seed = 1;
    p.a = count_random_arch(&seed, 2, 1);
    p.a.level[0].fanout_x = p.a.level[1].instances = p.a.compute.instances = 4;
    p.a.level[1].bounded = true;
    p.a.level[1].capacity[0] = 1;
    for (unsigned l = 0; l < 2; l++)
        p.a.level[l].read_pj = p.a.level[l].write_pj = p.a.level[l].update_pj = l ? 1 : 10;
    return p;
}

static void by_hand(void **state)
{
    oracle_problem p = dot_product();
    sc_exact x;
    for (unsigned g = 0; g < 4; g++) {
        const sc_exact_options o = options_of(&p, g);
        assert_int_equal(sc_exact_map(&x, &p.e, &p.a, &o), SC_OK);
        assert_true(x.found && x.optimal);
        assert_true(x.cost.energy_pj == 90 && x.cost.cycles == 1);
    }
    /* Its weights must stay in the inner level, which holds one word of 2. */
    p.e.bound[0] = 8;
    p.a.level[1].must_keep = 1 << SC_ROLE_WEIGHT | 1 << SC_ROLE_INPUT;
    const sc_exact_options o = options_of(&p, 0);
    assert_int_equal(sc_exact_map(&x, &p.e, &p.a, &o), SC_OK);
    assert_false(x.found);
    assert_int_equal(x.misfit.code, SC_MISFIT_CAPACITY);
    assert_int_equal(x.misfit.level, 1);
    assert_true(x.misfit.need == 2 && x.misfit.have == 1);
}

/* ---- refusals ---- */

static void refuse(const oracle_problem *p, const sc_exact_options *o, sc_status want)
{
    sc_exact x, before;
    memset(&x, 0x5a, sizeof x);
    memcpy(&before, &x, sizeof x);
    assert_int_equal(sc_exact_map(&x, &p->e, &p->a, o), want);
    assert_true(strlen(sc_error_message()) > 0);
    assert_memory_equal(&x, &before, sizeof x);
}

static void rejects(void **state)
{
    const oracle_problem good = dot_product();
    oracle_problem p = good;
    sc_exact_options o = options_of(&p, 0);
    o.goal.kind = SC_GOALS;
    refuse(&p, &o, SC_EINVAL);
    o.goal = (sc_goal){SC_GOAL_WEIGHTED, -1, 1};
    refuse(&p, &o, SC_EINVAL);
    o.goal = (sc_goal){SC_GOAL_WEIGHTED, 1, NAN};
    refuse(&p, &o, SC_EINVAL);
    o.goal = (sc_goal){SC_GOAL_WEIGHTED, INFINITY, 1};
    refuse(&p, &o, SC_EINVAL);

    o = options_of(&p, 0);
    sc_map_constraints_init(&p.limits, 3);
    o.constraints = &p.limits;
    refuse(&p, &o, SC_EINVAL);
    o.constraints = NULL;
    p.a.n_levels = 0;
    refuse(&p, &o, SC_EINVAL);
    p.a.n_levels = SC_MAX_LEVELS + 1;
    refuse(&p, &o, SC_EINVAL);
    p = good;
    p.e.bound[0] = 0;
    refuse(&p, &o, SC_EINVAL);

    /* 6,720 divisors each */
    p = good;
    p.e = count_einsum("M963761198400 K963761198400 N963761198400", "W K,N", "I M,K", "O M,N");
    refuse(&p, &o, SC_ERANGE);
}

/* ---- memory ---- */

static sc_status run_once(void *payload)
{
    const oracle_problem *p = payload;
    const sc_exact_options o = options_of(p, ORACLE_EDP);
    sc_exact x, before;
    memset(&x, 0x5a, sizeof x);
    memcpy(&before, &x, sizeof x);
    const sc_status st = sc_exact_map(&x, &p->e, &p->a, &o);
    if (st != SC_OK)
        assert_memory_equal(&x, &before, sizeof x);
    return st;
}

static void out_of_memory(void **state)
{
    oracle_problem p;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        mapper_problem(&p, seed, 500);
        if (seed % 2)
            mapper_limits(&p, seed);
        (void)fail_each_allocation(run_once, &p);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals),           cmocka_unit_test(by_hand),
        cmocka_unit_test(rejects),         cmocka_unit_test(out_of_memory),
        cmocka_unit_test(random_problems), cmocka_unit_test(random_limits),
        cmocka_unit_test(reasons),         cmocka_unit_test(past_cases),
        cmocka_unit_test(budgets),         cmocka_unit_test(reference_spaces),
    };
    if (argc > 1)
        n_problems = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        most_mappings = strtoull(argv[3], NULL, 10);
    if (argc > 4)
        cmocka_set_test_filter(argv[4]);
    if (argc > 5)
        most_enumerated = strtod(argv[5], NULL);
    return cmocka_run_group_tests_name("model/mapper exact", tests, NULL, NULL);
}
