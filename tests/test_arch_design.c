/* Designs: what a spec may be, values and their errors, copies, fingerprints, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch_support.h"
#include "core/file.h"
#include "core/json.h"

static char folder[] = "arch_design_XXXXXX";

static int set_up(void **state)
{
    if (!mkdtemp(folder) || use_source_configs(state) != 0)
        return -1;
    return 0;
}

static const char *file_at(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = file_at(name);
    assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
    return path;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const FILES[] = {"small.yaml", "design.yaml", "bad.yaml", "a:b.yaml"};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++)
        remove(file_at(FILES[i]));
    return rmdir(folder);
}

static sc_design *open_design(const char *spec)
{
    sc_design *d = NULL;
    if (sc_design_open(&d, spec) != SC_OK)
        fail_msg("%s: %s", spec, sc_error_message());
    return d;
}

static const char *fingerprint_of(const sc_design *d)
{
    static char hex[2][33];
    static int turn;
    turn = !turn;
    assert_int_equal(sc_design_fingerprint(hex[turn], d), SC_OK);
    return hex[turn];
}

static void assert_same_design(const sc_design *a, const sc_design *b)
{
    assert_string_equal(fingerprint_of(a), fingerprint_of(b));
    assert_memory_equal(sc_design_arch(a), sc_design_arch(b), sizeof(sc_arch));
    assert_true(sc_design_area_mm2(a) == sc_design_area_mm2(b));
    assert_true(sc_design_tdp_w(a) == sc_design_tdp_w(b));
}

static void every_builtin_opens_and_every_file_is_built_in(void **state)
{
    size_t n = 0;
    for (; sc_design_builtin(n); n++) {
        sc_design *d = open_design(sc_design_builtin(n));
        assert_string_equal(sc_design_name(d), sc_design_builtin(n));
        assert_true(strlen(sc_design_builtin_about(n)) > 10);
        sc_design_destroy(d);
    }
    assert_null(sc_design_builtin_about(n));
    static const char *const FOLDERS[] = {"/templates", "/platforms"};
    size_t files = 0;
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", sc_data_dir(), FOLDERS[i]);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        for (const struct dirent *entry; (entry = readdir(dir));)
            files += strstr(entry->d_name, ".yaml") != NULL;
        closedir(dir);
    }
    assert_int_equal(files, n);
}

static void units_are_accepted_where_a_parameter_has_them(void **state)
{
    sc_design *a = open_design("fast:l3_global=64MiB,pes_x=16,l1_mode=shared");
    sc_design *b = open_design("fast: l1_mode = shared , l3_global = 65536 KiB,pes_x=1.6e1");
    assert_same_design(a, b);
    assert_int_equal(sc_design_arch(a)->level[1].capacity[0], 64 << 20);
    sc_design_destroy(a);
    sc_design_destroy(b);
}

static void specs_open_to_equal_designs(void **state)
{
    sc_template *t = open_template("fast");
    for (uint64_t draw = 0; draw < 100; draw++) {
        uint32_t index[16];
        sc_design *a = NULL;
        random_point(index, t, draw);
        assert_int_equal(sc_design_create(&a, t, index), SC_OK);
        sc_design *b = open_design(sc_design_spec(a));
        assert_same_design(a, b);
        assert_string_equal(sc_design_spec(a), sc_design_spec(b));
        sc_design_destroy(a);
        sc_design_destroy(b);
    }
    sc_template_destroy(t);
}

static void dont_cares_do_not_change_the_fingerprint(void **state)
{
    sc_design *a = open_design("fast");
    sc_design *b = open_design("fast:l2_input_mult=64,l2_weight_mult=2,l2_output_mult=128");
    sc_design *c = open_design("fast:l2_mode=shared,l2_input_mult=64");
    sc_design *d = open_design("fast:l2_mode=private,l2_input_mult=64");
    assert_same_design(a, b);
    assert_string_equal(sc_design_spec(a), sc_design_spec(b));
    assert_null(strstr(sc_design_spec(a), "l2_input_mult"));
    assert_string_not_equal(fingerprint_of(a), fingerprint_of(c));
    assert_string_not_equal(fingerprint_of(c), fingerprint_of(d));
    sc_design_destroy(a);
    sc_design_destroy(b);
    sc_design_destroy(c);
    sc_design_destroy(d);
}

static void the_same_values_on_another_template_are_another_design(void **state)
{
    sc_design *a = open_design("tpu-v3:native_batch=8"),
              *b = open_design("tpu-v3-7nm:native_batch=8");
    assert_string_not_equal(fingerprint_of(a), fingerprint_of(b));
    sc_design_destroy(a);
    sc_design_destroy(b);
}

static void bad_specs_are_refused_with_a_word_of_help(void **state)
{
    static const struct {
        const char *spec;
        sc_status status;
        const char *message;
    } CASES[] = {
        {"fsat", SC_ENOTFOUND, "did you mean 'fast'?"},
        {"tpu-v3x", SC_ENOTFOUND, "did you mean 'tpu-v3'?"},
        {"", SC_ENOTFOUND, "no template or platform ''"},
        {"..", SC_ENOTFOUND, "no template or platform '..'"},
        {"../technology/7nm", SC_ENOTFOUND, "technology/7nm"}, /* a path: seen from here */
        {"nowhere.yaml", SC_ENOTFOUND, "nowhere.yaml"},
        {"fast:pes_z=8", SC_EINVAL, "no parameter 'pes_z' (did you mean 'pes_x'?)"},
        {"fast:l3_global=3MiB", SC_EINVAL, "the nearest values are 2MiB and 4MiB"},
        {"fast:l3_global=512KiB", SC_EINVAL, "the nearest values are 0 and 1MiB"},
        {"fast:l3_global=512MiB", SC_EINVAL, "the largest value is 256MiB"},
        {"fast:pes_x=0", SC_EINVAL, "the smallest value is 1"},
        {"fast:pes_x=7", SC_EINVAL, "the nearest values are 4 and 8"},
        {"fast:pes_x=eight", SC_EINVAL, "pes_x: "},
        {"fast:pes_x=8 MiB", SC_EINVAL, "pes_x: "},
        {"fast:pes_x=nan", SC_EINVAL, "pes_x: "},
        {"fast:pes_x=", SC_EINVAL, "pes_x: "},
        {"fast:l1_mode=privat", SC_EINVAL,
         "(did you mean 'private'?): it is one of private, shared"},
        {"fast:pes_x", SC_EINVAL, "'pes_x' is no assignment: write name=value"},
        {"fast:", SC_EINVAL, "'' is no assignment"},
        {"fast:pes_x=8,,pes_y=8", SC_EINVAL, "'' is no assignment"},
        {"fast:pes_x=8,pes_x=8", SC_EINVAL, "pes_x is given twice"},
        {"fast:pes_x=7,pes_y=9", SC_EINVAL, "pes_y cannot be 9"}, /* all of them in one run */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        sc_design *d = NULL;
        const sc_status st = sc_design_open(&d, CASES[i].spec);
        if (st != CASES[i].status || !strstr(sc_error_message(), CASES[i].message))
            fail_msg("%s: %s: %s", CASES[i].spec, sc_status_name(st), sc_error_message());
        assert_null(d);
    }
}

static void a_copy_takes_changes_over_the_values_of_its_own(void **state)
{
    sc_design *base = open_design("fast:pes_x=4,l2_mode=private,l2_input_mult=8");
    sc_design *with = NULL, *none = NULL;
    assert_int_equal(sc_design_with(&with, base, "l3_global=0,pes_y=2"), SC_OK);
    sc_design *same =
        open_design("fast:pes_x=4,l2_mode=private,l2_input_mult=8,l3_global=0,pes_y=2");
    assert_same_design(with, same);
    assert_int_equal(sc_design_with(&none, base, "l3_globl=0"), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "did you mean 'l3_global'?"));
    assert_null(none);
    sc_design_destroy(base); /* a copy stands on its own */
    assert_int_equal(sc_design_with(&none, with, "pes_y=4"), SC_OK);
    sc_design_destroy(with);
    sc_design_destroy(same);
    sc_design_destroy(none);
}

static void files_of_templates_and_of_designs_open(void **state)
{
    char spec[160];
    sc_design *a = open_design(write_file("small.yaml", SMALL_TEMPLATE));
    assert_string_equal(sc_design_name(a), "small");
    snprintf(spec, sizeof spec, "%s:n=3,mode=one", file_at("small.yaml"));
    assert_string_equal(sc_design_spec(a), spec);
    /* a template beside the design's file, values, and more values over them */
    snprintf(spec, sizeof spec, "%s:n=7",
             write_file("design.yaml", "version: 1\nname: mine\ntemplate: ./small.yaml\n"
                                       "values: {n: 5, mode: many, extra: 11}\n"));
    sc_design *b = open_design(spec);
    assert_string_equal(sc_design_name(b), "mine");
    assert_int_equal(sc_design_arch(b)->level[1].instances, 77);
    sc_design *c = open_design(sc_design_spec(b));
    assert_same_design(b, c);
    /* a colon in the name of a file */
    sc_design *d = open_design(write_file("a:b.yaml", SMALL_TEMPLATE));
    assert_same_design(a, d);
    /* a built-in named by a file keeps its short spec */
    sc_design *e =
        open_design(write_file("design.yaml", "version: 1\ntemplate: fast\nvalues: {pes_x: 16}\n"));
    sc_design *f = open_design("fast:pes_x=16");
    assert_same_design(e, f);
    assert_string_equal(sc_design_spec(e), sc_design_spec(f));
    assert_string_equal(sc_design_name(e), "fast");
    sc_design_destroy(a);
    sc_design_destroy(b);
    sc_design_destroy(c);
    sc_design_destroy(d);
    sc_design_destroy(e);
    sc_design_destroy(f);
}

static void broken_design_files_are_refused_at_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {"version: 1\ntemplate: fast\nvalues: {pes_z: 8}\n", "bad.yaml:3:10: error: fast has no "},
        {"version: 1\ntemplate: fast\nvalues: {pes_x: 7}\n", "bad.yaml:3:17: error: pes_x cannot"},
        {"version: 1\ntemplate: fast\nvalues: {pes_x: [7]}\n", "bad.yaml:3:17: error: a value is"},
        {"version: 1\ntemplate: fats\n", "bad.yaml:2:11: error: no template"},
        {"version: 1\ntemplate: gone.yaml\n", "bad.yaml:2:11: error: "},
        {"version: 2\ntemplate: fast\n", "bad.yaml:1:10: error: "},
        {"template: fast\n", "bad.yaml:1:1: error: "},
        {"version: 1\ntemplate: fast\nvalue: {}\n", "bad.yaml:3:1: error: unknown key 'value'"},
        {"version: 1\ntemplate: fast\nvalues: 8\n", "bad.yaml:3:9: error: "},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        sc_design *d = NULL;
        const sc_status st = sc_design_open(&d, write_file("bad.yaml", CASES[i].text));
        if (st != SC_EPARSE || !strstr(sc_error_message(), CASES[i].message))
            fail_msg("case %zu: %s: %s", i, sc_status_name(st), sc_error_message());
        assert_null(d);
    }
}

static double number_at(const json_t *o, const char *key)
{
    assert_true(json_is_number(json_object_get(o, key)));
    return json_number_value(json_object_get(o, key));
}

static double sum_of(json_t *o)
{
    double sum = 0;
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(o, key, value) sum += json_number_value(value);
    return sum;
}

static void json_tells_values_levels_and_budgets(void **state)
{
    sc_design *d = open_design("tpu-v3:native_batch=32");
    char *text = NULL;
    json_t *o = NULL;
    assert_int_equal(sc_design_json(&text, d), SC_OK);
    assert_int_equal(sc_json_parse(&o, "json", text, strlen(text)), SC_OK);
    assert_string_equal(json_string_value(json_object_get(o, "name")), "tpu-v3");
    assert_string_equal(json_string_value(json_object_get(o, "template")), "tpu-v3");
    assert_string_equal(json_string_value(json_object_get(o, "technology")), "16nm");
    assert_string_equal(json_string_value(json_object_get(o, "spec")), "tpu-v3:native_batch=32");
    assert_string_equal(json_string_value(json_object_get(o, "fingerprint")), fingerprint_of(d));
    assert_true(number_at(json_object_get(o, "values"), "native_batch") == 32);
    assert_int_equal(json_array_size(json_object_get(o, "levels")), 4);
    const json_t *vmem = json_array_get(json_object_get(o, "levels"), 1);
    assert_true(number_at(vmem, "total_capacity_bytes") == 32 << 20);
    assert_true(sum_of(json_object_get(o, "area")) == number_at(o, "area_mm2"));
    assert_true(sum_of(json_object_get(o, "tdp")) == number_at(o, "tdp_w"));
    assert_true(number_at(json_object_get(json_object_get(o, "published"), "tdp"), "value") == 450);
    json_decref(o);
    sc_release(text);
    sc_design_destroy(d);
}

static void a_data_folder_is_needed_and_bounded(void **state)
{
    char *long_path = sc_malloc(5001);
    sc_design *d = NULL;
    memset(long_path, 'x', 5000);
    long_path[5000] = '\0';
    assert_int_equal(sc_data_dir_set(long_path), SC_EINVAL);
    assert_int_equal(sc_data_dir_set(""), SC_EINVAL);
    assert_string_equal(sc_data_dir(), SCANTLE_SOURCE_DIR "/configs");
    assert_int_equal(sc_data_dir_set(folder), SC_OK); /* a folder without data */
    assert_int_equal(sc_design_open(&d, "fast"), SC_ENOTFOUND);
    assert_non_null(strstr(sc_error_message(), folder));
    assert_int_equal(use_source_configs(state), 0);
    sc_free(long_path);
}

/* The first YAML block of a page. Free with sc_free. */
static char *example_of(const char *page)
{
    char path[4096], *text = NULL;
    size_t n = 0;
    snprintf(path, sizeof path, SCANTLE_SOURCE_DIR "/docs/formats/%s", page);
    assert_int_equal(sc_file_read(&text, &n, path, 1 << 20), SC_OK);
    char *begin = strstr(text, "```yaml\n");
    assert_non_null(begin);
    begin += strlen("```yaml\n");
    char *end = strstr(begin, "```");
    assert_non_null(end);
    memmove(text, begin, (size_t)(end - begin));
    text[end - begin] = '\0';
    return text;
}

static void examples_of_the_pages_open(void **state)
{
    char spec[160], *table = example_of("technology.md"), *design = example_of("design.md");
    char *text = example_of("template.md");
    write_file("small.yaml", text);
    snprintf(spec, sizeof spec, "%s:side=8,l2=2MiB", file_at("small.yaml"));
    sc_design *a = open_design(spec);
    assert_int_equal(sc_design_arch(a)->n_levels, 3);
    assert_int_equal(sc_design_arch(a)->compute.instances, 8 * 8 * 32);
    sc_design_destroy(a);
    sc_design *b = open_design(write_file("design.yaml", design));
    assert_string_equal(sc_design_name(b), "mine");
    assert_int_equal(sc_design_arch(b)->level[1].capacity[0], 64 << 20);
    sc_design_destroy(b);
    sc_tech *t = NULL;
    assert_int_equal(sc_tech__open(&t, write_file("bad.yaml", table), NULL), SC_OK);
    assert_string_equal(t->name, "mine");
    sc_tech__destroy(t);
    sc_free(table);
    sc_free(design);
    sc_free(text);
}

static void destroyers_take_null(void **state)
{
    sc_design_destroy(NULL);
    sc_template_destroy(NULL);
    sc_tech__destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_builtin_opens_and_every_file_is_built_in),
        cmocka_unit_test(units_are_accepted_where_a_parameter_has_them),
        cmocka_unit_test(specs_open_to_equal_designs),
        cmocka_unit_test(dont_cares_do_not_change_the_fingerprint),
        cmocka_unit_test(the_same_values_on_another_template_are_another_design),
        cmocka_unit_test(bad_specs_are_refused_with_a_word_of_help),
        cmocka_unit_test(a_copy_takes_changes_over_the_values_of_its_own),
        cmocka_unit_test(files_of_templates_and_of_designs_open),
        cmocka_unit_test(broken_design_files_are_refused_at_their_place),
        cmocka_unit_test(json_tells_values_levels_and_budgets),
        cmocka_unit_test(a_data_folder_is_needed_and_bounded),
        cmocka_unit_test(examples_of_the_pages_open),
        cmocka_unit_test(destroyers_take_null),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
