/* The validation as a whole: what is missing is said, and the page and the document agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/json.h"
#include "core_support.h"
#include "flow/validate.h"
#include "scantle/design.h"

static const json_t *section(const json_t *root, const char *title)
{
    const json_t *sections = json_object_get(root, "sections");
    for (size_t i = 0; i < json_array_size(sections); i++) {
        const json_t *s = json_array_get(sections, i);
        if (strncmp(json_string_value(json_object_get(s, "title")), title, strlen(title)) == 0)
            return json_object_get(s, "rows");
    }
    fail_msg("no section %s", title);
    return NULL;
}

/* Without data, platforms or a list of chips every row says what is missing and has no figure. */
static void says_what_is_missing(void **state)
{
    static const char *const titles[] = {
        "Counts", "Cycles of systolic", "Cycles of tiled", "A100", "TPUv1", "Eyeriss", "Chips"};
    char *page = NULL, *text = NULL, *folder = make_folder();
    json_t *root = NULL;
    assert_int_equal(sc_data_dir_set(folder), SC_OK);
    assert_int_equal(sc_validate(&page, &text, NULL), SC_OK);
    assert_int_equal(sc_json_parse(&root, "document", text, strlen(text)), SC_OK);
    for (size_t i = 0; i < COUNT(titles); i++) {
        const json_t *rows = section(root, titles[i]);
        assert_true(json_array_size(rows) > 0);
        for (size_t j = 0; j < json_array_size(rows); j++) {
            const json_t *row = json_array_get(rows, j);
            assert_true(json_is_null(json_object_get(row, "modelled")));
            assert_true(json_string_length(json_object_get(row, "note")) > 0);
        }
    }
    assert_non_null(strstr(page, "## Chips"));
    assert_non_null(strstr(page, "not there: no folder of reference data was given"));
    json_decref(root);
    sc_release(page);
    sc_release(text);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

static void page_holds_any_text(void **state)
{
    sc_validation v = {.sections = json_array(), .ok = true};
    sc_validation_row r = SC_VALIDATION_ROW("a|b");
    char *page = NULL;
    sc_validation_begin(&v, "Title", "About.");
    r.published = 3;
    r.modelled = 4.5;
    r.error = 50;
    r.unit = "mm2";
    r.use = "tuned";
    r.source = "a\nb";
    sc_validation_add(&v, &r);
    sc_validation_absent(&v, "c", "why");
    assert_true(v.ok);
    assert_int_equal(sc_validation_markdown(&page, v.sections), SC_OK);
    assert_non_null(strstr(page, "\n## Title\n\nAbout.\n\n| what "));
    assert_non_null(strstr(page, "\n| a\\|b | 3 | 4.5 | mm2 | +50.0 % |  | tuned | a b |\n"));
    assert_non_null(strstr(page, "\n| c | | | | | | | why |\n"));
    sc_release(page);
    json_decref(v.sections);
}

/* Every case and row of the reference data agrees. */
static void agrees_with_the_data(void **state)
{
    char folder[512];
    (void)reference_data(folder, sizeof folder, "timeloop");
    *strrchr(folder, '/') = '\0'; /* the folder that it lies in */
    sc_validation v = {.sections = json_array(), .ok = true};
    v.options.data = folder;
    sc_validate_counts(&v);
    sc_validate_systolic(&v);
    for (size_t i = 0; i < json_array_size(v.sections); i++) {
        const json_t *rows = json_object_get(json_array_get(v.sections, i), "rows");
        assert_int_equal(json_array_size(rows), 3);
        for (size_t j = 0; j < json_array_size(rows); j++) {
            const json_t *row = json_array_get(rows, j);
            assert_true(json_number_value(json_object_get(row, "published")) >= 6);
            assert_true(json_number_value(json_object_get(row, "error")) == 0);
        }
    }
    json_decref(v.sections);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(page_holds_any_text),
        cmocka_unit_test(agrees_with_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
