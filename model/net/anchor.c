#include "model/net/anchor.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"
#include "core/yaml.h"
#include "model/arch/template.h"
#include "model/net/evaluation.h"

enum { MAX_ANCHORS = 1024 };

struct sc_anchors {
    sc_arena *arena;
    char *folder; /* of the file: designs given as files are seen from there */
    size_t n;
    sc_anchor *item; /* [n] */
};

static const char *const METRICS[] = {
    [SC_ANCHOR_AREA] = "area_mm2", [SC_ANCHOR_AREA_SHARE] = "area_share",
    [SC_ANCHOR_TDP] = "tdp_w",     [SC_ANCHOR_THROUGHPUT] = "throughput_per_s",
    [SC_ANCHOR_POWER] = "power_w", [SC_ANCHOR_DRAM] = "dram_mb"};

static bool of_network(sc_anchor_metric m)
{
    return m == SC_ANCHOR_THROUGHPUT || m == SC_ANCHOR_POWER || m == SC_ANCHOR_DRAM;
}

static bool keep(const char **out, sc_anchors *l, const sc_node *map, const char *key)
{
    const char *text = NULL;
    if (!sc_map_text(&text, map, key))
        return false;
    *out = sc_arena_strndup(l->arena, text, strlen(text));
    if (!*out)
        sc_node_fail(map, SC_ENOMEM);
    return *out != NULL;
}

/* A design or a workload: a file is seen from the list's folder, a built-in by its name. */
static bool keep_reference(const char **out, sc_anchors *l, const sc_node *map, const char *key)
{
    const char *text = NULL;
    if (!sc_map_text(&text, map, key))
        return false;
    const size_t n = strlen(text);
    const bool file = n > 5 && strcmp(text + n - 5, ".yaml") == 0;
    char *path = file ? sc_path_join(l->folder, text) : sc_strdup(text);
    *out = path ? sc_arena_strndup(l->arena, path, strlen(path)) : NULL;
    sc_free(path);
    if (!*out)
        sc_node_fail(map, SC_ENOMEM);
    return *out != NULL;
}

/* A key that some metrics need and the others have no use for. */
static void keep_if(const char **out, sc_anchors *l, const sc_node *map, const char *key,
                    bool wanted)
{
    if (wanted)
        (void)keep(out, l, map, key);
    else if (sc_node_get(map, key))
        sc_node_error(sc_node_get(map, key), "'%s' has no use with this metric", key);
}

static void read_anchor(sc_anchors *l, const sc_node *map)
{
    static const char *const KEYS[] = {"name",    "design", "workload",  "ops", "metric", "parts",
                                       "without", "unit",   "published", "aim", "use",    "source"};
    static const char *const USES[] = {"held-out", "tuned"};
    static const char *const OPS[] = {"all", "macs"};
    sc_anchor *a = &l->item[l->n];
    size_t metric = 0, use = 0, ops = 0;
    bool ok = sc_map_only(map, KEYS, sizeof KEYS / sizeof KEYS[0]);
    ok = keep(&a->name, l, map, "name") && ok;
    ok = keep_reference(&a->design, l, map, "design") && ok;
    ok = keep(&a->unit, l, map, "unit") && ok;
    ok = keep(&a->source, l, map, "source") && ok;
    ok = sc_map_number(&a->published, map, "published", SC_UNIT_NONE) && ok;
    ok = sc_map_number_or(&a->aim, map, "aim", SC_UNIT_NONE, 0) && ok;
    ok = sc_map_choice(&use, map, "use", USES, 2) && ok;
    ok = sc_map_choice_or(&ops, map, "ops", OPS, 2, 0) && ok;
    if (!sc_map_choice(&metric, map, "metric", METRICS, SC_ANCHOR_METRICS) || !ok)
        return;
    a->metric = (sc_anchor_metric)metric;
    a->tuned = use == 1;
    if (of_network(a->metric))
        (void)keep_reference(&a->workload, l, map, "workload");
    else if (sc_node_get(map, "workload"))
        sc_node_error(sc_node_get(map, "workload"), "'workload' has no use with this metric");
    keep_if(&a->parts, l, map, "parts", a->metric == SC_ANCHOR_AREA_SHARE);
    if (sc_node_get(map, "without"))
        keep_if(&a->without, l, map, "without", a->metric == SC_ANCHOR_POWER);
    a->macs_alone = ops == 1;
    if (a->macs_alone && !of_network(a->metric))
        sc_node_error(sc_node_get(map, "ops"), "'ops' has no use with this metric");
    if (!(a->published > 0))
        sc_node_error(sc_node_get(map, "published"), "a published figure is above 0");
    if (!(a->aim >= 0))
        sc_node_error(sc_node_get(map, "aim"), "an aim is 0 or more");
    l->n++;
}

static sc_status read_list(sc_anchors *l, const sc_yaml *y)
{
    static const char *const KEYS[] = {"version", "about", "anchors"};
    const sc_node *root = sc_yaml_root(y);
    (void)sc_map_only(root, KEYS, 3);
    (void)sc_map_version(root, 1);
    const sc_node *list = sc_map_sequence(root, "anchors");
    const size_t n = sc_node_count(list);
    if (list && (n < 1 || n > MAX_ANCHORS))
        sc_node_error(list, "a list has 1 to %d anchors", MAX_ANCHORS);
    else if (list && !(l->item = sc_arena_calloc(l->arena, n, sizeof *l->item)))
        return SC_ENOMEM;
    for (size_t i = 0; l->item && i < n; i++)
        read_anchor(l, sc_node_item(list, i));
    return sc_yaml_status(y);
}

sc_status sc_anchors_open(sc_anchors **out, const char *path)
{
    sc_yaml *y = NULL;
    sc_anchors *l = NULL;
    sc_status st = sc_yaml_open(&y, path);
    if (st != SC_OK)
        goto done;
    st = SC_ENOMEM;
    if (!(l = sc_calloc(1, sizeof *l)) || !(l->folder = sc_path_folder(path)) ||
        sc_arena_create(&l->arena, 0) != SC_OK || (st = read_list(l, y)) != SC_OK)
        goto done;
    *out = l;
    l = NULL;
done:
    sc_anchors_close(l);
    sc_yaml_close(y);
    return st;
}

void sc_anchors_close(sc_anchors *l)
{
    if (!l)
        return;
    sc_arena_destroy(l->arena);
    sc_free(l->folder);
    sc_free(l);
}

size_t sc_anchors_count(const sc_anchors *l)
{
    return l->n;
}

const sc_anchor *sc_anchors_get(const sc_anchors *l, size_t i)
{
    return i < l->n ? &l->item[i] : NULL;
}

static bool part_area(double *out, const sc_budget *b, const char *name, size_t n)
{
    for (uint32_t i = 0; i < b->n_items; i++)
        if (strlen(b->item[i].name) == n && strncmp(b->item[i].name, name, n) == 0) {
            *out += b->item[i].area_mm2;
            return true;
        }
    return false;
}

static sc_status area_share(double *out, const sc_budget *b, const sc_anchor *a)
{
    char shown[SC_SHOWN_LEN];
    double sum = 0;
    for (const char *name = a->parts; *name;) {
        const size_t n = strcspn(name, "+");
        if (!part_area(&sum, b, name, n))
            return sc_fail(SC_EINVAL, "%s: a part of '%s' is none of the design's", a->design,
                           sc_text_show(shown, a->parts));
        name += n + (name[n] == '+');
    }
    *out = 100 * sum / b->area_mm2;
    return SC_OK;
}

static sc_status of_design(double *out, const sc_anchor *a, const sc_design *d)
{
    const sc_budget *b = sc_design_budget(d);
    if (a->metric == SC_ANCHOR_AREA_SHARE)
        return area_share(out, b, a);
    *out = a->metric == SC_ANCHOR_TDP ? b->tdp_w : b->area_mm2;
    return SC_OK;
}

/* What the ops that the figure is of take. */
typedef struct sums {
    double time_s, dynamic_j, dram_bytes;
} sums;

/* The level that the published power leaves out; -1: none. */
static sc_status left_out(int *level, const sc_anchor *a, const sc_evaluation *e)
{
    char shown[SC_SHOWN_LEN];
    *level = -1;
    for (uint32_t i = 0; a->without && i < e->n_levels; i++)
        if (strcmp(e->level_names[i], a->without) == 0)
            *level = (int)i;
    if (a->without && *level < 0)
        return sc_fail(SC_EINVAL, "%s: '%s' is no level of the design's", a->design,
                       sc_text_show(shown, a->without));
    return SC_OK;
}

static sums sum_ops(const sc_anchor *a, const sc_evaluation *e, int without)
{
    sums s = {0, 0, 0};
    for (size_t i = 0; i < e->n_ops; i++) {
        const sc_op_detail *d = &e->ops[i];
        if (a->macs_alone && d->lanes)
            continue;
        s.time_s += d->row.time_s;
        s.dynamic_j += d->row.energy_j;
        s.dram_bytes += d->row.dram_bytes;
        for (int t = 0; without >= 0 && t < SC_MAX_TENSORS; t++)
            s.dynamic_j -= d->cost->tensor_pj[without][t] * 1e-12;
    }
    return s;
}

static sc_status of_run(double *out, const sc_anchor *a, const sc_design *d,
                        const sc_evaluate_options *o)
{
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    const sc_budget *b = sc_design_budget(d);
    int without = -1;
    sc_status st = sc_workload_open(&w, a->workload);
    if (st != SC_OK || (st = sc_evaluate(&e, d, w, o)) != SC_OK)
        goto done;
    if (!sc_evaluation_feasible(e)) {
        st = sc_fail(SC_EINVAL, "%s cannot run %s", a->design, a->workload);
        goto done;
    }
    if ((st = left_out(&without, a, e)) != SC_OK)
        goto done;
    const sums s = sum_ops(a, e, without);
    if (!(s.time_s > 0))
        st = sc_fail(SC_EINVAL, "%s: no op of %s multiplies", a->design, a->workload);
    else if (a->metric == SC_ANCHOR_DRAM)
        *out = s.dram_bytes / 1e6;
    else if (a->metric == SC_ANCHOR_POWER)
        *out = s.dynamic_j * (1 + b->clock_share) / s.time_s + b->leak_w;
    else
        *out = (double)e->batch / s.time_s;
done:
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    return st;
}

sc_status sc_anchor_measure(double *modelled, const sc_anchor *a, const sc_evaluate_options *o)
{
    sc_design *d = NULL;
    double value = 0;
    sc_status st = sc_design_open(&d, a->design);
    if (st == SC_OK)
        st = of_network(a->metric) ? of_run(&value, a, d, o) : of_design(&value, a, d);
    sc_design_destroy(d);
    if (st == SC_OK)
        *modelled = value;
    return st;
}

double sc_anchor_error(const sc_anchor *a, double modelled)
{
    const double apart = modelled - a->published;
    return a->metric == SC_ANCHOR_AREA_SHARE ? apart : 100 * apart / a->published;
}
