/* Every figure of the reference tool's own outputs, to the digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>

#include "count_data.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_case.h"
#include "model/count/reference_mapping.h"
#include "scantle/reference.h"
#include "workloads/reference_problem.h"

static json_t *report_of(const char *arch, const char *problem, const char *mapping,
                         const sc_reference_options *o)
{
    char *text = NULL;
    int feasible = -1;
    json_t *report = NULL;
    if (sc_reference_map(&text, &feasible, arch, problem, mapping, o) != SC_OK)
        fail_msg("%s: %s", arch, sc_error_message());
    assert_int_equal(feasible, 1);
    assert_int_equal(sc_json_parse(&report, "report", text, strlen(text)), SC_OK);
    sc_release(text);
    return report;
}

static void check_tensor(const char *where, const json_t *ours, const json_t *theirs)
{
    if (!ours)
        fail_msg("%s: not in our report", where);
    static const char *const keys[][2] = {{"reads", "Scalar reads (per-instance)"},
                                          {"fills", "Scalar fills (per-instance)"},
                                          {"updates", "Scalar updates (per-instance)"},
                                          {"instances", "Utilized instances (max)"},
                                          {"tile", "Utilized capacity"}};
    for (size_t k = 0; k < COUNT(keys); k++)
        if (number(ours, keys[k][0]) != number(theirs, keys[k][1]))
            fail_msg("%s: %s %.0f, theirs %.0f", where, keys[k][0], number(ours, keys[k][0]),
                     number(theirs, keys[k][1]));
    assert_printed(where, number(ours, "energy_pj"), number(theirs, "Energy (total)"));
}

static void check_level(const char *name, const json_t *report, const json_t *theirs)
{
    char where[256];
    const char *level = json_string_value(json_object_get(theirs, "name")), *tensor;
    const json_t *stats = json_object_get(theirs, "stats"), *value;
    const json_t *ours = named(json_object_get(report, "levels"), level);
    if (json_object_get(stats, "Compute energy")) {
        assert_printed(name, number(report, "mac_energy_pj"), number(stats, "Energy (total)"));
        assert_true(number(report, "utilized_macs") == number(stats, "Utilized instances"));
        assert_true(number(report, "macs") == number(stats, "Computes (total)"));
        return;
    }
    assert_non_null(ours);
    assert_true(number(ours, "cycles") == number(stats, "Cycles"));
    assert_printed(level, number(ours, "leak_pj"), number(stats, "Leakage energy (total)"));
    const json_t *tensors = json_object_get(theirs, "tensors");
    assert_int_equal(json_array_size(json_object_get(ours, "tensors")), json_object_size(tensors));
    json_object_foreach((json_t *)tensors, tensor, value)
    {
        (void)snprintf(where, sizeof where, "%s, %s, %s", name, level, tensor);
        check_tensor(where, named(json_object_get(ours, "tensors"), tensor), value);
    }
}

static void check_golden(const char *name, const json_t *report, const char *path)
{
    json_t *golden = read_json(path);
    const json_t *levels = json_object_get(golden, "levels");
    const json_t *summary = json_object_get(golden, "summary");
    for (size_t i = 0; i < json_array_size(levels); i++)
        check_level(name, report, json_array_get(levels, i));
    assert_true(number(report, "cycles") ==
                strtod(json_string_value(json_object_get(summary, "Cycles")), NULL));
    assert_printed(name, number(report, "energy_pj") / 1e6,
                   strtod(json_string_value(json_object_get(summary, "Energy")), NULL));
    json_decref(golden);
}

/* Run `each` on every folder of a folder that has such a file. @return how many there were. */
static unsigned each_folder(const char *path, const char *file,
                            void (*each)(const char *path, const char *name))
{
    char inner[1024], has[1100];
    unsigned n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        (void)snprintf(has, sizeof has, "%s/%s", inner, file);
        if (entry->d_name[0] == '.' || access(has, R_OK) != 0)
            continue;
        each(inner, entry->d_name);
        n++;
    }
    (void)closedir(d);
    return n;
}

static void check_case(const char *path, const char *name)
{
    char file[4][1100];
    static const char *const names[] = {"arch.yaml", "problem.yaml", "mapping.yaml", "golden.json"};
    for (unsigned i = 0; i < 4; i++)
        (void)snprintf(file[i], sizeof file[i], "%s/%s", path, names[i]);
    json_t *report = report_of(file[0], file[1], file[2], NULL);
    check_golden(name, report, file[3]);
    json_decref(report);
}

static void cases(void **state)
{
    char path[512];
    assert_true(each_folder(reference_data(path, sizeof path, "timeloop"), "golden.json",
                            check_case) >= 18);
}

static void check_published(const char *path, const char *name)
{
    char input[1100], mapping[1100], ert[1100], golden[1100];
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    (void)snprintf(input, sizeof input, "%s/parsed-processed-input.yaml", path);
    (void)snprintf(mapping, sizeof mapping, "%s/timeloop-mapper.map.yaml", path);
    (void)snprintf(ert, sizeof ert, "%s/timeloop-mapper.ERT.yaml", path);
    (void)snprintf(golden, sizeof golden, "%s/golden.json", path);
    const bool mapped = access(mapping, R_OK) == 0;
    if (!mapped)
        (void)snprintf(ert, sizeof ert, "%s/timeloop-model.ERT.yaml", path);
    o.reuse_pre_2025 = 1;
    o.ert_path = ert;
    json_t *report = report_of(input, input, mapped ? mapping : input, &o);
    check_golden(name, report, golden);
    json_decref(report);
}

static void published(void **state)
{
    char path[512];
    assert_true(each_folder(reference_data(path, sizeof path, "timeloop/published"), "golden.json",
                            check_published) >= 6);
}

/* model.md: 157,296 input reads of the buffer under the older rule, 156,600 under the newer. */
static void reuse_rules_differ(void **state)
{
    char input[512], mapping[512];
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    (void)reference_data(input, sizeof input,
                         "timeloop/published/eyeriss_like/parsed-processed-input.yaml");
    (void)reference_data(mapping, sizeof mapping,
                         "timeloop/published/eyeriss_like/timeloop-mapper.map.yaml");
    for (int older = 0; older < 2; older++) {
        o.reuse_pre_2025 = older;
        json_t *report = report_of(input, input, mapping, &o);
        const json_t *dram = named(json_object_get(report, "levels"), "DRAM");
        const json_t *inputs = named(json_object_get(dram, "tensors"), "Inputs");
        assert_true(number(inputs, "reads") == (older ? 157296 : 156600));
        json_decref(report);
    }
}

/* A JSON value as a document of its own: JSON is YAML. */
static sc_yaml *as_yaml(const json_t *value)
{
    sc_yaml *doc = NULL;
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    if (sc_yaml_parse(&doc, "fuzz", text, strlen(text)) != SC_OK)
        fail_msg("%s: %s", text, sc_error_message());
    free(text);
    return doc;
}

static void read_random(sc_reference_case *c, const json_t *row, const json_t *shapes)
{
    const json_t *given = json_object_get(row, "problem");
    const json_t *shape =
        json_object_get(shapes, json_string_value(json_object_get(given, "shape")));
    json_t *problem =
        json_pack("{s:O, s:O}", "shape", shape, "instance", json_object_get(given, "instance"));
    sc_yaml *arch = as_yaml(json_object_get(row, "arch")), *op = as_yaml(problem);
    sc_yaml *mapping = as_yaml(json_object_get(row, "mapping"));
    if (sc_reference_arch_read(&c->arch, arch, sc_node_get(sc_yaml_root(arch), "architecture"),
                               NULL) != SC_OK ||
        sc_reference_problem_read(&c->problem, op, sc_yaml_root(op), NULL, 8) != SC_OK ||
        sc_reference_mapping_read(&c->mapping, mapping, sc_yaml_root(mapping), NULL, &c->problem,
                                  &c->arch) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_yaml_close(arch);
    sc_yaml_close(op);
    sc_yaml_close(mapping);
    json_decref(problem);
}

static void check_random(const json_t *row, const json_t *shapes)
{
    sc_reference_case c;
    sc_count_options o;
    json_t *report = NULL, *tensors, *theirs;
    bool feasible = false;
    char where[256];
    const char *level, *tensor;
    read_random(&c, row, shapes);
    assert_int_equal(sc_reference_count_options(&o, NULL), SC_OK);
    assert_int_equal(sc_reference_report(&report, &feasible, &c, &c.mapping, &o), SC_OK);
    assert_true(feasible);
    assert_true(number(report, "cycles") == number(row, "cycles"));
    json_object_foreach(json_object_get(row, "levels"), level, tensors)
    {
        const json_t *ours = named(json_object_get(report, "levels"), level);
        json_object_foreach(tensors, tensor, theirs)
        {
            static const char *const keys[] = {"reads", "fills", "updates", "instances"};
            const json_t *t = named(json_object_get(ours, "tensors"), tensor);
            (void)snprintf(where, sizeof where, "mapping %.0f, %s, %s", number(row, "t"), level,
                           tensor);
            for (size_t k = 0; k < COUNT(keys); k++)
                if (number(t, keys[k]) != number(theirs, keys[k]))
                    fail_msg("%s: %s %.0f, theirs %.0f", where, keys[k], number(t, keys[k]),
                             number(theirs, keys[k]));
            assert_printed(where, number(t, "energy_pj"), number(theirs, "energy_pJ"));
        }
    }
    json_decref(report);
}

static void random_mappings(void **state)
{
    static char line[1 << 16];
    char path[512];
    unsigned n = 0;
    json_t *shapes = read_json(reference_data(path, sizeof path, "timeloop/shapes.json"));
    FILE *f = fopen(reference_data(path, sizeof path, "timeloop/fuzz_1.jsonl"), "r");
    assert_non_null(f);
    for (; fgets(line, sizeof line, f); n++) {
        json_t *row = NULL;
        assert_int_equal(sc_json_parse(&row, "row", line, strlen(line)), SC_OK);
        check_random(row, shapes);
        json_decref(row);
    }
    (void)fclose(f);
    json_decref(shapes);
    assert_true(n >= 60);
}

static sc_yaml *open_yaml(const char *folder, const char *name)
{
    char path[1200];
    sc_yaml *doc = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(sc_yaml_open(&doc, path), SC_OK);
    return doc;
}

/* Optima that exhaustive search with the reference found: each prints energy and cycles of one
 * mapping. Many have MACs under the innermost buffer and words handed from neighbour to neighbour.
 */
static void check_optimum(const char *path, const char *name)
{
    char file[1200];
    sc_reference_case c;
    sc_count_options o;
    const char *objective;
    json_t *best;
    (void)snprintf(file, sizeof file, "%s/optima.json", path);
    json_t *optima = read_json(file);
    sc_yaml *arch = open_yaml(path, "arch.yaml"), *op = open_yaml(path, "problem.yaml");
    assert_int_equal(sc_reference_arch_read(&c.arch, arch,
                                            sc_node_get(sc_yaml_root(arch), "architecture"), NULL),
                     SC_OK);
    assert_int_equal(sc_reference_problem_read(&c.problem, op,
                                               sc_node_get(sc_yaml_root(op), "problem"), NULL, 8),
                     SC_OK);
    assert_int_equal(sc_reference_count_options(&o, NULL), SC_OK);
    json_object_foreach(json_object_get(optima, "optimum"), objective, best)
    {
        json_t *report = NULL;
        bool feasible = false;
        if (!json_object_get(best, "mapping"))
            continue;
        sc_yaml *mapping = as_yaml(json_object_get(best, "mapping"));
        if (sc_reference_mapping_read(&c.mapping, mapping, sc_yaml_root(mapping), NULL, &c.problem,
                                      &c.arch) != SC_OK)
            fail_msg("%s, %s: %s", name, objective, sc_error_message());
        sc_yaml_close(mapping);
        assert_int_equal(sc_reference_report(&report, &feasible, &c, &c.mapping, &o), SC_OK);
        assert_true(feasible);
        assert_true(number(report, "cycles") == number(best, "cycles"));
        if (fabs(number(report, "energy_pj") / number(best, "energy_pj") - 1) > 1e-12)
            fail_msg("%s, %s: %.6f pJ, theirs %.6f", name, objective, number(report, "energy_pj"),
                     number(best, "energy_pj"));
        json_decref(report);
    }
    sc_yaml_close(arch);
    sc_yaml_close(op);
    json_decref(optima);
}

static void optima(void **state)
{
    char path[512];
    assert_true(each_folder(reference_data(path, sizeof path, "mapper/optima"), "optima.json",
                            check_optimum) >= 38);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases),
        cmocka_unit_test(published),
        cmocka_unit_test(reuse_rules_differ),
        cmocka_unit_test(random_mappings),
        cmocka_unit_test(optima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
