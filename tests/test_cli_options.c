/* The parser of the command line, on tables of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"

typedef struct values {
    bool flag;
    int count, choice;
    const char *text;
    sc_cli_integer number, bounded;
    sc_cli_number size;
    sc_cli_list list;
} values;

static const char *const choices[] = {"red", "green", NULL};

#define AT(field) offsetof(values, field)
static const sc_cli_option options[] = {
    {.name = "flag", .letter = 'f', .kind = SC_CLI_FLAG, .offset = AT(flag)},
    {.name = "count", .letter = 'c', .kind = SC_CLI_COUNT, .offset = AT(count)},
    {.name = "text", .letter = 't', .kind = SC_CLI_TEXT, .argument = "T", .offset = AT(text)},
    {.name = "number", .kind = SC_CLI_INTEGER, .argument = "N", .offset = AT(number)},
    {.name = "bounded",
     .letter = 'b',
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(bounded),
     .min = 3,
     .max = 7,
     .fallback = "5"},
    {.name = "choice",
     .kind = SC_CLI_CHOICE,
     .argument = "C",
     .offset = AT(choice),
     .choices = choices},
    {.name = "size",
     .kind = SC_CLI_QUANTITY,
     .argument = "S",
     .offset = AT(size),
     .unit = SC_UNIT_BYTES},
    {.name = "item", .letter = 'i', .kind = SC_CLI_LIST, .argument = "I", .offset = AT(list)},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "FIRST", .kind = SC_CLI_OPERAND_TEXT},
    {.name = "SECOND", .kind = SC_CLI_OPERAND_CHOICE, .choices = choices, .optional = true},
    {.name = NULL}};

static int nothing(const sc_cli *cli)
{
    (void)cli;
    return 0;
}

static const sc_cli_command inner = {.name = "inner",
                                     .options = options,
                                     .operands = operands,
                                     .values_size = sizeof(values),
                                     .run = nothing};
/* runs by itself, and has a member */
static const sc_cli_command *const both_members[] = {&inner, NULL};
static const sc_cli_command both = {.name = "both",
                                    .options = options,
                                    .operands = operands,
                                    .values_size = sizeof(values),
                                    .members = both_members,
                                    .run = nothing};
static const sc_cli_command *const root_members[] = {&inner, &both, NULL};
static const sc_cli_command root = {.name = "root", .members = root_members};

enum { MAX_WORDS = 12, LINE = 256 };

/* Parse a line of words split at blanks; "_" stands for an empty word. */
static bool parse(sc_cli *cli, const char *line)
{
    static char text[LINE];
    static char name[] = "root", empty[] = "";
    static char *argv[MAX_WORDS] = {name};
    int argc = 1;

    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "_") == 0 ? empty : word;
    return sc_cli_parse(cli, &root, argc, argv);
}

static void test_every_kind(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "inner -f -cc --count --text=a=b --number 18446744073709551615 "
                            "--size=2MiB --choice green x"));
    const values *v = cli.values;
    assert_true(v->flag);
    assert_int_equal(v->count, 3);
    assert_string_equal(v->text, "a=b");
    assert_true(v->number.given);
    assert_true(v->number.value == UINT64_MAX);
    assert_true(v->size.given);
    assert_true(v->size.value == 2097152);
    assert_int_equal(v->choice, 1);
    assert_string_equal(cli.operand[0], "x");
    assert_int_equal(cli.n_operands, 1);
    sc_cli_clear(&cli);
}

static void test_defaults(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "inner x"));
    const values *v = cli.values;
    assert_false(v->flag);
    assert_int_equal(v->count, 0);
    assert_null(v->text);
    assert_false(v->number.given);
    assert_true(v->bounded.given);
    assert_true(v->bounded.value == 5);
    assert_int_equal(v->choice, -1);
    assert_int_equal(v->list.n, 0);
    assert_int_equal(cli.globals.color, 0);
    assert_true(cli.globals.threads.value == 0);
    sc_cli_clear(&cli);
}

static void test_lists_keep_their_order(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "inner -i one --item two -ithree --item=four x"));
    const values *v = cli.values;
    static const char *const expected[] = {"one", "two", "three", "four"};
    assert_int_equal(v->list.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(v->list.item[i], expected[i]);
    sc_cli_clear(&cli);
}

static void test_letters_stand_together(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "inner -fcqb7 x"));
    const values *v = cli.values;
    assert_true(v->flag);
    assert_int_equal(v->count, 1);
    assert_true(cli.globals.quiet);
    assert_true(v->bounded.value == 7);
    sc_cli_clear(&cli);
}

static void test_globals_stand_anywhere(void **state)
{
    static const char *const lines[] = {"-j 3 inner x --json", "inner -j3 --json x",
                                        "--json inner x --threads=3"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        sc_cli cli;
        assert_true(parse(&cli, lines[i]));
        assert_true(cli.globals.json);
        assert_true(cli.globals.threads.value == 3);
        assert_ptr_equal(cli.command, &inner);
        sc_cli_clear(&cli);
    }
}

static void test_members(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "both inner x"));
    assert_ptr_equal(cli.command, &inner);
    assert_int_equal(cli.depth, 3);
    sc_cli_clear(&cli);
    /* after an option or an operand of its own the word is an operand */
    assert_true(parse(&cli, "both -f inner"));
    assert_ptr_equal(cli.command, &both);
    assert_true(((const values *)cli.values)->flag);
    assert_string_equal(cli.operand[0], "inner");
    sc_cli_clear(&cli);
    assert_true(parse(&cli, "both -- inner"));
    assert_ptr_equal(cli.command, &both);
    sc_cli_clear(&cli);
}

static void test_operands_after_dashes(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "inner -- --json"));
    assert_string_equal(cli.operand[0], "--json");
    assert_false(cli.globals.json);
    sc_cli_clear(&cli);
    assert_true(parse(&cli, "inner -")); /* a lone dash is an operand */
    assert_string_equal(cli.operand[0], "-");
    sc_cli_clear(&cli);
}

static void test_help_needs_no_operands(void **state)
{
    sc_cli cli;
    assert_true(parse(&cli, "inner --help"));
    assert_true(cli.globals.help);
    sc_cli_clear(&cli);
    assert_true(parse(&cli, "help inner")); /* the other way to ask */
    assert_true(cli.globals.help);
    assert_ptr_equal(cli.command, &inner);
    sc_cli_clear(&cli);
    assert_true(parse(&cli, "--version"));
    sc_cli_clear(&cli);
}

static void test_rejects(void **state)
{
    static const char *const lines[] = {
        "_",                                     /* no such command */
        "other x",                               /* no such command */
        "inner",                                 /* FIRST is missing */
        "inner x green y",                       /* one too many */
        "inner x blue",                          /* no choice of SECOND */
        "inner --fla x",                         /* no abbreviations */
        "inner --flag=1 x",                      /* takes no value */
        "inner -z x",                            /* no such letter */
        "inner x --number",                      /* value missing */
        "inner x -b",                            /* value missing */
        "inner --number= x",                     /* empty */
        "inner --number _ x",                    /* empty */
        "inner --number -1 x",                   /* sign */
        "inner --number +1 x",                   /* sign */
        "inner --number 1e3 x",                  /* no digits only */
        "inner --number 18446744073709551616 x", /* 2^64 */
        "inner --number 99999999999999999999 x",
        "inner -b 2 x",          /* below 3 */
        "inner -b 8 x",          /* above 7 */
        "inner --choice blue x", /* no choice */
        "inner --choice _ x",    /* no choice */
        "inner --size 2GHz x",   /* wrong unit */
        "inner --size nan x",
        "-f inner x", /* the command's own option before the command */
        "both -q -z",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        sc_cli cli;
        if (parse(&cli, lines[i]))
            fail_msg("taken: %s", lines[i]);
        sc_cli_clear(&cli);
    }
}

static void test_whole_numbers(void **state)
{
    uint64_t v = 13;
    assert_true(sc_cli_whole(&v, "0"));
    assert_true(v == 0);
    assert_true(sc_cli_whole(&v, "007"));
    assert_true(v == 7);
    assert_true(sc_cli_whole(&v, "18446744073709551615"));
    assert_true(v == UINT64_MAX);
    v = 13;
    static const char *const bad[] = {
        "", "-0", "+1", "1 ", " 1", "1.0", "0x1", "1e", "ß", "1,0", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(sc_cli_whole(&v, bad[i]));
    assert_true(v == 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_lists_keep_their_order),
        cmocka_unit_test(test_letters_stand_together),
        cmocka_unit_test(test_globals_stand_anywhere),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_operands_after_dashes),
        cmocka_unit_test(test_help_needs_no_operands),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
