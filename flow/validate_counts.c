/* Counts against the reference tool's own outputs, figure by figure. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "core/yaml.h"
#include "flow/validate.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_case.h"
#include "model/count/reference_mapping.h"
#include "workloads/reference_problem.h"

enum { PATH_BYTES = 4096, MAX_BYTES = 64 << 20 };

typedef struct tally {
    size_t cases, agree;
    char first[256]; /* name of the first case that does not agree */
} tally;

static void count(tally *t, const char *name, bool agrees)
{
    t->cases++;
    t->agree += agrees;
    if (!agrees && !t->first[0])
        (void)snprintf(t->first, sizeof t->first, "first that does not: %.200s", name);
}

/* ---- two reports ---- */

static const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; name && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *has = json_string_value(json_object_get(item, "name"));
        if (has && strcmp(has, name) == 0)
            return item;
    }
    return NULL;
}

static bool same(const json_t *ours, const char *key, const json_t *theirs, const char *their_key)
{
    const json_t *a = json_object_get(ours, key), *b = json_object_get(theirs, their_key);
    return json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b);
}

/* Energies are printed with two digits. */
static bool printed(double ours, double theirs)
{
    return fabs(ours - theirs) <= 0.0051 + 1e-12 * fabs(theirs);
}

static bool same_energy(const json_t *ours, const char *key, const json_t *theirs,
                        const char *their_key)
{
    return printed(json_number_value(json_object_get(ours, key)),
                   json_number_value(json_object_get(theirs, their_key)));
}

static bool level_agrees(const json_t *report, const json_t *theirs)
{
    const json_t *stats = json_object_get(theirs, "stats");
    const json_t *tensors = json_object_get(theirs, "tensors"), *t;
    const char *name;
    if (json_object_get(stats, "Compute energy"))
        return same_energy(report, "mac_energy_pj", stats, "Energy (total)") &&
               same(report, "macs", stats, "Computes (total)");
    const json_t *ours = named(json_object_get(report, "levels"),
                               json_string_value(json_object_get(theirs, "name")));
    bool good = ours && same(ours, "cycles", stats, "Cycles");
    json_object_foreach((json_t *)tensors, name, t)
    {
        const json_t *o = named(json_object_get(ours, "tensors"), name);
        good = good && same(o, "reads", t, "Scalar reads (per-instance)") &&
               same(o, "fills", t, "Scalar fills (per-instance)") &&
               same(o, "updates", t, "Scalar updates (per-instance)") &&
               same(o, "tile", t, "Utilized capacity") &&
               same_energy(o, "energy_pj", t, "Energy (total)");
    }
    return good;
}

static bool report_agrees(const json_t *report, const json_t *golden)
{
    const json_t *levels = json_object_get(golden, "levels");
    const char *cycles =
        json_string_value(json_object_get(json_object_get(golden, "summary"), "Cycles"));
    bool good = json_array_size(levels) > 0 && cycles &&
                json_number_value(json_object_get(report, "cycles")) == strtod(cycles, NULL);
    for (size_t i = 0; i < json_array_size(levels); i++)
        good = good && level_agrees(report, json_array_get(levels, i));
    return good;
}

static bool case_agrees(const char *arch, const char *problem, const char *mapping,
                        const char *golden_path, const sc_reference_options *o)
{
    json_t *report = NULL, *golden = NULL;
    char *text = NULL;
    bool good = sc_reference_map(&text, NULL, arch, problem, mapping, o) == SC_OK &&
                sc_json_parse(&report, "report", text, strlen(text)) == SC_OK &&
                sc_json_open(&golden, golden_path) == SC_OK && report_agrees(report, golden);
    json_decref(report);
    json_decref(golden);
    sc_free(text);
    return good;
}

/* ---- folders of cases ---- */

static bool path_in(char out[PATH_BYTES], const char *folder, const char *name)
{
    const int n = snprintf(out, PATH_BYTES, "%s/%s", folder, name);
    return n > 0 && n < PATH_BYTES;
}

static bool check_case(const char *folder)
{
    char arch[PATH_BYTES], problem[PATH_BYTES], mapping[PATH_BYTES], golden[PATH_BYTES];
    return path_in(arch, folder, "arch.yaml") && path_in(problem, folder, "problem.yaml") &&
           path_in(mapping, folder, "mapping.yaml") && path_in(golden, folder, "golden.json") &&
           case_agrees(arch, problem, mapping, golden, NULL);
}

/* The authors' outputs: one input file, its energy table beside it, the reuse rule of their time.
 */
static bool check_published(const char *folder)
{
    char input[PATH_BYTES], mapping[PATH_BYTES], ert[PATH_BYTES], golden[PATH_BYTES];
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    if (!path_in(input, folder, "parsed-processed-input.yaml") ||
        !path_in(mapping, folder, "timeloop-mapper.map.yaml") ||
        !path_in(golden, folder, "golden.json"))
        return false;
    const bool mapped = sc_file_exists(mapping);
    if (!path_in(ert, folder, mapped ? "timeloop-mapper.ERT.yaml" : "timeloop-model.ERT.yaml"))
        return false;
    o.reuse_pre_2025 = 1;
    o.ert_path = ert;
    return case_agrees(input, input, mapped ? mapping : input, golden, &o);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void each_folder(tally *t, const char *path, bool (*check)(const char *folder))
{
    char folder[PATH_BYTES], golden[PATH_BYTES];
    struct dirent **entry = NULL;
    const int n = scandir(path, &entry, NULL, by_name);
    for (int i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.' && path_in(folder, path, entry[i]->d_name) &&
            path_in(golden, folder, "golden.json") && sc_file_exists(golden))
            count(t, entry[i]->d_name, check(folder));
        free(entry[i]); /* house: the C library allocated it */
    }
    free(entry); /* house: the C library allocated it */
}

/* ---- random mappings, one JSON a line ---- */

static sc_yaml *as_yaml(const json_t *value)
{
    sc_yaml *doc = NULL;
    char *text = NULL;
    if (value && sc_json_write(&text, value, 0) == SC_OK &&
        sc_yaml_parse(&doc, "row", text, strlen(text)) != SC_OK)
        doc = NULL;
    sc_free(text);
    return doc;
}

static bool read_random(sc_reference_case *c, const json_t *row, const json_t *shapes)
{
    const json_t *given = json_object_get(row, "problem");
    const char *shape = json_string_value(json_object_get(given, "shape"));
    json_t *problem =
        json_pack("{s:O?, s:O?}", "shape", shape ? json_object_get(shapes, shape) : NULL,
                  "instance", json_object_get(given, "instance"));
    sc_yaml *arch = as_yaml(json_object_get(row, "arch")), *op = as_yaml(problem);
    sc_yaml *mapping = as_yaml(json_object_get(row, "mapping"));
    const bool good =
        arch && op && mapping &&
        sc_reference_arch_read(&c->arch, arch, sc_node_get(sc_yaml_root(arch), "architecture"),
                               NULL) == SC_OK &&
        sc_reference_problem_read(&c->problem, op, sc_yaml_root(op), NULL, 8) == SC_OK &&
        sc_reference_mapping_read(&c->mapping, mapping, sc_yaml_root(mapping), NULL, &c->problem,
                                  &c->arch) == SC_OK;
    sc_yaml_close(arch);
    sc_yaml_close(op);
    sc_yaml_close(mapping);
    json_decref(problem);
    return good;
}

static bool random_agrees(const json_t *row, const json_t *shapes)
{
    sc_reference_case c;
    sc_count_options o;
    json_t *report = NULL, *tensors, *theirs;
    bool feasible = false;
    const char *level, *tensor;
    bool good = read_random(&c, row, shapes) && sc_reference_count_options(&o, NULL) == SC_OK &&
                sc_reference_report(&report, &feasible, &c, &c.mapping, &o) == SC_OK && feasible &&
                same(report, "cycles", row, "cycles");
    json_object_foreach(json_object_get(row, "levels"), level, tensors)
    {
        const json_t *ours = named(json_object_get(report, "levels"), level);
        json_object_foreach(tensors, tensor, theirs)
        {
            const json_t *t = named(json_object_get(ours, "tensors"), tensor);
            good = good && same(t, "reads", theirs, "reads") && same(t, "fills", theirs, "fills") &&
                   same(t, "updates", theirs, "updates") &&
                   same(t, "instances", theirs, "instances");
        }
    }
    json_decref(report);
    return good;
}

static void each_line(tally *t, const char *path, const json_t *shapes)
{
    char *text = NULL, name[64];
    size_t length = 0;
    if (sc_file_read(&text, &length, path, MAX_BYTES) != SC_OK)
        return;
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        const size_t n = end ? (size_t)(end - line) : strlen(line);
        json_t *row = NULL;
        (void)snprintf(name, sizeof name, "line %zu", t->cases + 1);
        if (n > 0)
            count(t, name,
                  sc_json_parse(&row, path, line, n) == SC_OK && random_agrees(row, shapes));
        json_decref(row);
        line = end ? end + 1 : NULL;
    }
    sc_free(text);
}

/* ---- the section ---- */

static void add(sc_validation *v, const char *what, const tally *t, const char *source)
{
    sc_validation_row r = SC_VALIDATION_ROW(what);
    r.published = (double)t->cases;
    r.modelled = (double)t->agree;
    r.unit = "cases that agree in every figure";
    r.error = t->cases ? 100 * ((double)t->agree / (double)t->cases - 1) : (double)NAN;
    r.aim = 0;
    r.use = "exact";
    r.source = source;
    r.note = t->first[0] ? t->first : NULL;
    sc_validation_add(v, &r);
}

void sc_validate_counts(sc_validation *v)
{
    tally cases = {0}, published = {0}, random = {0};
    json_t *shapes = NULL;
    sc_validation_begin(
        v, "Counts of accesses",
        "Reads, fills, updates, tiles, cycles and energies of every level and tensor "
        "against the public reference tool.");
    char *path = sc_validation_data(v, "Hand-made cases", "timeloop");
    if (path) {
        each_folder(&cases, path, check_case);
        add(v, "Hand-made cases", &cases, "runs of the public tool, newest commit");
    }
    sc_free(path);
    path = sc_validation_data(v, "Outputs published by its authors", "timeloop/published");
    if (path) {
        each_folder(&published, path, check_published);
        add(v, "Outputs published by its authors", &published, "its authors, older reuse rule");
    }
    sc_free(path);
    path = sc_validation_data(v, "Random mappings", "timeloop/fuzz_1.jsonl");
    char *shapes_path = path ? sc_path_join(v->options.data, "timeloop/shapes.json") : NULL;
    if (shapes_path && sc_json_open(&shapes, shapes_path) == SC_OK) {
        each_line(&random, path, shapes);
        add(v, "Random mappings", &random, "runs of the public tool, newest commit");
    }
    json_decref(shapes);
    sc_free(shapes_path);
    sc_free(path);
}
