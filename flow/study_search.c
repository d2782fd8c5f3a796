#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flow/study_read.h"
#include "model/net/rules.h"

enum {
    DEFAULT_BATCH = 64, /* a fixed number: results must not depend on the machine's cores */
    MOST_BATCH = 65536,
    DEFAULT_TRIALS = 1000
};

static bool positive(uint64_t *out, const sc_node *map, const char *key, uint64_t fallback)
{
    int64_t v;
    if (!sc_map_integer_or(&v, map, key, (int64_t)fallback))
        return false;
    if (v < 0) {
        sc_node_error(sc_node_get(map, key), "%s must not be negative", key);
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

static bool read_optimizer(sc_study *s, const sc_node *root)
{
    static const char *const keys[] = {"name", "population", "batch"};
    const char *names[16];
    size_t n = 0, which;
    uint64_t population = 0, batch = 0;
    while (n < 16 && sc_optimizer_builtin(n)) {
        names[n] = sc_optimizer_builtin(n);
        n++;
    }
    const sc_node *section = sc_node_get(root, "optimizer");
    const bool whole = sc_node_kind_of(section) == SC_NODE_MAP;
    s->optimizer_options = (sc_optimizer_options)SC_OPTIMIZER_OPTIONS_INIT;
    s->optimizer = "portfolio";
    if (!section)
        return true;
    if (whole ? !sc_map_only(section, keys, 3) || !sc_map_choice(&which, section, "name", names, n)
              : !sc_node_choice(&which, section, names, n))
        return false;
    s->optimizer = names[which];
    if (whole && (!positive(&population, section, "population", 0) ||
                  !positive(&batch, section, "batch", 0)))
        return false;
    if (population > MOST_BATCH || batch > MOST_BATCH) {
        sc_node_error(section, "population and batch are at most %d", MOST_BATCH);
        return false;
    }
    s->optimizer_options.population = (uint32_t)population;
    s->optimizer_options.batch = (uint32_t)batch;
    return true;
}

/* A budget of nothing is a slip: without one the key is left out. */
static bool is_not_zero(const sc_node *budget, const char *key, double value)
{
    const sc_node *at = sc_node_get(budget, key);
    if (at == NULL || value > 0)
        return true;
    sc_node_error(at, "a budget of no %s: it must be above 0, or be left out", key);
    return false;
}

static bool read_budget(sc_study *s, const sc_node *root)
{
    static const char *const keys[] = {"trials", "stall", "time", "target"};
    const sc_node *b = sc_node_get(root, "budget");
    const bool walks = strcmp(s->optimizer, "grid") == 0 || strcmp(s->optimizer, "list") == 0;
    s->target = (double)NAN;
    s->trials = walks ? 0 : DEFAULT_TRIALS;
    if (!b)
        return true;
    if (!sc_map_only(b, keys, 4) || !positive(&s->trials, b, "trials", s->trials) ||
        !positive(&s->stall, b, "stall", 0) ||
        !sc_map_number_or(&s->time_s, b, "time", SC_UNIT_SECOND, 0.0) ||
        !is_not_zero(b, "trials", (double)s->trials) || !is_not_zero(b, "time", s->time_s))
        return false;
    return !sc_node_get(b, "target") || sc_map_number(&s->target, b, "target", SC_UNIT_NONE);
}

/* Points written as `a=1,b=2`, one a line. */
static bool read_points(uint32_t **out, size_t *n, sc_study *s, const sc_node *root,
                        const char *key)
{
    const size_t params = sc_space_params(s->space);
    if (!sc_node_get(root, key))
        return true;
    const sc_node *list = sc_map_sequence(root, key);
    if (!list)
        return false;
    bool ok = true;
    *n = sc_node_count(list);
    if (!(*out = sc_study_array(s, list, *n * params, sizeof **out)))
        return false;
    for (size_t i = 0; i < *n; i++) {
        const sc_node *item = sc_node_item(list, i);
        const sc_status st = sc_space_parse(s->space, sc_node_text(item), *out + i * params);
        if (st != SC_OK)
            ok = sc_study_fault(item, st);
    }
    return ok;
}

/* `rung:`: the trials' rules are the rung's, those of the baseline stay the file's, so that limits
 * are the same on every rung. The name says which rung it is. */
static bool read_rung(sc_study *s, const sc_node *root)
{
    const sc_node *at = sc_node_get(root, "rung");
    const sc_rung *rung;
    if (!at)
        return true;
    if (!s->template) {
        sc_node_error(at, "only studies of our model have rungs");
        return false;
    }
    if (!sc_rung_read(&rung, at))
        return false;
    s->rung = rung->name;
    s->rules = rung->rules;
    const size_t size = strlen(s->name) + strlen(s->rung) + 2;
    char *name = sc_study_array(s, at, size, 1);
    if (!name)
        return false;
    (void)snprintf(name, size, "%s/%s", s->name, s->rung);
    s->name = name;
    return true;
}

/* `rules:`, and those of the baseline, which are the same where `baseline_rules:` says nothing. */
static bool read_rules(sc_study *s, const sc_node *root)
{
    const sc_node *own = sc_node_get(root, "rules"), *other = sc_node_get(root, "baseline_rules");
    s->rules = (sc_rules)SC_RULES_INIT;
    if (own && !sc_rules_read(&s->rules, own))
        return false;
    s->baseline_rules = s->rules;
    if (other && !s->baseline) {
        sc_node_error(other, "there is no `baseline:` in this file");
        return false;
    }
    return (!other || sc_rules_read(&s->baseline_rules, other)) && read_rung(s, root);
}

static bool read_calibration(sc_study *s, const sc_node *root)
{
    const char *name = NULL;
    const sc_node *at = sc_node_get(root, "calibration");
    if (!at)
        return true;
    if (!sc_map_text(&name, root, "calibration") || !(name = sc_study_reference(s, at, name)))
        return false;
    const sc_status st = sc_calibration_open(&s->calibration, name);
    return st == SC_OK || sc_study_fault(at, st);
}

bool sc_study_read_search(sc_study *s, const sc_node *root)
{
    uint32_t *points = NULL;
    uint64_t batch = DEFAULT_BATCH;
    bool ok = read_optimizer(s, root) && read_budget(s, root);
    ok &= positive(&batch, root, "batch", DEFAULT_BATCH);
    ok &= positive(&s->seed, root, "seed", 1);
    ok &= positive(&s->map_budget, root, "map_budget", 0);
    ok &= positive(&s->map_nodes, root, "map_nodes", 0);
    ok &= read_rules(s, root);
    ok &= read_calibration(s, root);
    ok &= read_points(&s->warm, &s->n_warm, s, root, "warm_start");
    ok &= read_points(&points, &s->optimizer_options.n_points, s, root, "points");
    s->optimizer_options.points = points;
    if (batch < 1 || batch > MOST_BATCH) {
        sc_node_error(sc_node_get(root, "batch"), "batch must be 1 to %d", MOST_BATCH);
        ok = false;
    }
    s->batch = (size_t)batch;
    if (sc_node_get(root, "points") && strcmp(s->optimizer, "list") != 0) {
        sc_node_error(sc_node_get(root, "points"), "`points` are for `optimizer: list`");
        ok = false;
    }
    const char *keep = sc_map_text_or(root, "keep", "all");
    const sc_status st = keep ? sc_store_keep_parse(&s->keep, keep) : SC_OK;
    if (st != SC_OK)
        ok = sc_study_fault(sc_node_get(root, "keep"), st);
    return ok && keep;
}
