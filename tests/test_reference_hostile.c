/* Files of the reference tool that say two things at once, too much, or nothing of what they are
 * read for: told with their place, and with that fault alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core_support.h"
#include "model/count/reference_case.h"

static const char file_name[] = "reference_hostile_test.yaml";
static const char other_name[] = "reference_hostile_other.yaml";
#include "reference_make.h"

/* The text with one part of it for another one. */
static void edited(char *out, size_t size, const char *text, const char *part, const char *by)
{
    const char *at = strstr(text, part);
    assert_non_null(at);
    (void)snprintf(out, size, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
}

/* Reads the case with a part of its architecture or problem for another text, and more behind. */
static sc_status read_edited(const char *part, const char *by, const char *behind)
{
    char a[4096], p[4096], text[8192];
    const bool in_problem = strstr(problem, part) != NULL;
    edited(a, sizeof a, version_03, in_problem ? "version" : part, in_problem ? "version" : by);
    edited(p, sizeof p, problem, in_problem ? part : "shape", in_problem ? by : "shape");
    (void)snprintf(text, sizeof text, "%s%s%s", a, p, behind);
    sc_reference_case c;
    write_text(file_name, text);
    return sc_reference_case_read(&c, file_name, file_name, NULL, NULL);
}

static size_t lines(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Each is refused in one line. */
static void refused(void **state)
{
    static const struct {
        const char *part, *by, *behind, *says;
    } wrong[] = {
        /* one thing under two names */
        {"memory_depth: 11", "memory_depth: 11, memory-depth: 4", "",
         "'memory-depth' is 'memory_depth' of line 10 again"},
        {"version", "version", "arch: {version: 0.3, subtree: []}\n",
         "a second 'architecture' section"},
        {"version", "version", "prob: {instance: {M: 1}}\n", "a second 'problem' section"},
        /* nothing follows from a word that could not be read */
        {"memory_width: 8, datawidth: 8", "memory_width: 8, datawidth: 0", "",
         "0, must be at least 1"},
        {"M: 4,", "M: 4, M: 5,", "", "duplicate key 'M'"},
        /* products past 2^63: 2^21 cubed; 4 rows at steps of 2^62 */
        {"M: 4, N: 6, K: 5", "M: 2097152, N: 2097152, K: 2097152", "",
         "more than 2^63 - 1 multiply-accumulates"},
        {"[[[M]], [[K]]]", "[[[M, 4611686018427387904]], [[K]]]", "",
         "tensor A has more than 2^63 - 1 words"},
        /* of no kind */
        {"version", "version", "macro: [1]\n", "'macro' must be a map of names to numbers"},
        {"K: 5", "K: 2**40 + 0.5", "", "must be a whole number"},
        /* tables of other architectures, of energies that are none */
        {"version", "version", "ERT: {tables: [{name: a.b, actions: [{name: read, energy: 1}]}]}\n",
         "one of 'DRAM' or 'mac' was expected"},
        {"version", "version",
         "ERT: {tables: [{name: a.DRAM, actions: [{name: read, energy: 1.0e+13}]}]}\n",
         "1e+13 pJ: an energy is in pJ, at most 1e+12"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (read_edited(wrong[i].part, wrong[i].by, wrong[i].behind) != SC_EPARSE)
            fail_msg("%s%s is taken", wrong[i].by, wrong[i].behind);
        assert_says(file_name);
        assert_says(wrong[i].says);
        if (lines(sc_error_message()) != 1)
            fail_msg("more than the fault is told: %s", sc_error_message());
    }
}

/* A fault of the names in another file is no success of the problem that uses them. */
static void names_elsewhere(void **state)
{
    sc_reference_case c;
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    char text[8192];
    edited(text, sizeof text, problem, "K: 5", "K: a");
    write_text(file_name, text);
    write_text(other_name, "macro: {a: b, b: a}\n");
    FILE *f = fopen(file_name, "a");
    assert_non_null(f);
    (void)fputs(version_03, f);
    (void)fprintf(f, mapping, "DRAM");
    assert_int_equal(fclose(f), 0);
    o.macro_path = other_name;
    assert_int_equal(sc_reference_case_read(&c, file_name, file_name, file_name, &o), SC_EPARSE);
    assert_says(other_name);
    assert_int_equal(lines(sc_error_message()), 1);
}

/* A power is written as in Python: 2 ** 3 rows of A, 5 words each. */
static void powers(void **state)
{
    sc_reference_case c;
    char text[8192];
    edited(text, sizeof text, problem, "M: 4", "M: 2**3");
    write_text(file_name, text);
    write_text(other_name, version_03);
    assert_int_equal(sc_reference_case_read(&c, other_name, file_name, NULL, NULL), SC_OK);
    assert_int_equal(c.problem.bound[0], 8);
}

/* A folder with two architectures has none that could be meant. */
static void two_in_a_folder(void **state)
{
    static const char folder[] = "reference_hostile_folder";
    static const char *const inside[] = {"reference_hostile_folder/a.yaml",
                                         "reference_hostile_folder/b.yaml"};
    sc_reference_case c;
    assert_int_equal(mkdir(folder, 0777), 0);
    for (size_t i = 0; i < COUNT(inside); i++)
        write_text(inside[i], version_03);
    write_text(file_name, problem);
    const sc_status st = sc_reference_case_read(&c, folder, file_name, NULL, NULL);
    for (size_t i = 0; i < COUNT(inside); i++)
        (void)unlink(inside[i]);
    (void)rmdir(folder);
    assert_int_equal(st, SC_EPARSE);
    assert_says("b.yaml:2:3: error: a second 'architecture' section: the first is at "
                "reference_hostile_folder/a.yaml:2");
}

/* A link to the folder that it stands in leads to the same files, which are read once. */
static void a_folder_in_itself(void **state)
{
    static const char folder[] = "reference_hostile_folder";
    static const char file[] = "reference_hostile_folder/a.yaml";
    static const char link_name[] = "reference_hostile_folder/again";
    sc_reference_case c;
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(symlink(".", link_name), 0);
    write_text(file, version_03);
    write_text(file_name, problem);
    const sc_status st = sc_reference_case_read(&c, folder, file_name, NULL, NULL);
    (void)unlink(file);
    (void)unlink(link_name);
    (void)rmdir(folder);
    if (st != SC_OK)
        fail_msg("%s", sc_error_message());
}

/* What is passed over beside what is taken. */
static void told(void **state)
{
    static const struct {
        const char *part, *by, *behind, *says;
    } cases[] = {
        {"memory_depth: 11", "memory_depth: 11, entries: 7", "",
         "the depth is passed over: 'entries' gives 7 words"},
        {"memory_depth: 11", "memory_depth: 11, sizeKB: 1", "",
         "'sizeKB' is passed over: 'depth' gives 11 words"},
        {"memory_depth: 11", "memory_depth: 11, data_storage_depth: 12", "",
         "'data_storage_depth' is passed over: 'memory_depth' says the same and is taken"},
        {"memory_width: 8, datawidth: 8", "memory_width: 8, word_bits: 8, datawidth: 16", "",
         "'datawidth' is passed over: 'word_bits' says the same and is taken"},
        {"version: 0.3", "version: 0.7", "", ":2:12: warning: version '0.7' is not known here"},
        {"version", "version",
         "ERT: {tables: [{name: a.DRAM, actions: [{name: read, energy: 1}]}]}\n",
         "no entry of 'buffer': it keeps its default energies"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char a[4096], text[8192];
        edited(a, sizeof a, version_03, cases[i].part, cases[i].by);
        (void)snprintf(text, sizeof text, "%s%s%s", a, problem, cases[i].behind);
        write_text(file_name, text);
        sc_reference_export e = import(file_name);
        if (!strstr(e.report, cases[i].says))
            fail_msg("no '%s' in %s", cases[i].says, e.report);
        sc_reference_export_clear(&e);
    }
}

static int remove_files(void **state)
{
    (void)unlink(file_name);
    (void)unlink(other_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(names_elsewhere),
        cmocka_unit_test(powers),
        cmocka_unit_test(two_in_a_folder),
        cmocka_unit_test(a_folder_in_itself),
        cmocka_unit_test(told),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
