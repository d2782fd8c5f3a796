#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static const char *const colors[] = {"auto", "always", "never", NULL};

#define AT(field) offsetof(sc_cli_globals, field)
const sc_cli_option sc_cli_global_options[] = {
    {.name = "json",
     .kind = SC_CLI_FLAG,
     .offset = AT(json),
     .help = "print one JSON document instead of text"},
    {.name = "threads",
     .letter = 'j',
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(threads),
     .max = 1024,
     .help = "threads to use, 0 = all cores; results do not depend on it",
     .fallback = "0"},
    {.name = "seed",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(seed),
     .help = "seed of everything random, over the one in the file"},
    {.name = "quiet",
     .letter = 'q',
     .kind = SC_CLI_FLAG,
     .offset = AT(quiet),
     .help = "print errors only, no warnings, no progress"},
    {.name = "verbose",
     .letter = 'v',
     .kind = SC_CLI_COUNT,
     .offset = AT(verbose),
     .help = "say more on standard error; twice: everything"},
    {.name = "no-progress",
     .kind = SC_CLI_FLAG,
     .offset = AT(no_progress),
     .help = "no progress line (there is none where standard error is no terminal)"},
    {.name = "color",
     .kind = SC_CLI_CHOICE,
     .argument = "WHEN",
     .offset = AT(color),
     .choices = colors,
     .help = "auto, always or never; auto honours NO_COLOR",
     .fallback = "auto"},
    {.name = "db",
     .kind = SC_CLI_FILE,
     .argument = "PATH",
     .offset = AT(db),
     .help = "the database (default: $SCANTLE_DB, else ./scantle.db)"},
    {.name = "directory",
     .letter = 'C',
     .kind = SC_CLI_FOLDER,
     .argument = "DIR",
     .offset = AT(folder),
     .help = "change to DIR before anything else"},
    {.name = "help",
     .letter = 'h',
     .kind = SC_CLI_FLAG,
     .offset = AT(help),
     .help = "print this help"},
    {.name = "version",
     .kind = SC_CLI_FLAG,
     .offset = AT(version),
     .help = "print the versions of the program, the database schema and the libraries"},
    {.name = NULL}};
#undef AT

typedef struct parser {
    sc_cli *cli;
    int argc, at; /* at: next word */
    char **argv;
    bool only_operands; /* after "--" */
    bool own_option;    /* an option of the command itself was given */
    bool failed;
} parser;

size_t sc_cli_count_options(const sc_cli_option *options)
{
    size_t n = 0;
    while (options != NULL && options[n].name != NULL)
        n++;
    return n;
}

size_t sc_cli_count_operands(const sc_cli_operand *operands)
{
    size_t n = 0;
    while (operands != NULL && operands[n].name != NULL)
        n++;
    return n;
}

bool sc_cli_whole(uint64_t *out, const char *text)
{
    uint64_t v = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

static bool set_integer(const sc_cli_option *o, sc_cli_integer *field, const char *text)
{
    uint64_t v = 0;
    if (!sc_cli_whole(&v, text)) {
        sc_cli_error("--%s: '%s' is not a whole number from 0 to 2^64 - 1", o->name, text);
        return false;
    }
    if (v < o->min || (o->max != 0 && v > o->max)) {
        if (o->max != 0)
            sc_cli_error("--%s: %s is not within %llu to %llu", o->name, text,
                         (unsigned long long)o->min, (unsigned long long)o->max);
        else
            sc_cli_error("--%s: %s is less than %llu", o->name, text, (unsigned long long)o->min);
        return false;
    }
    *field = (sc_cli_integer){true, v};
    return true;
}

/* dashes: "--" for an option, "" for an operand */
static bool set_choice(int *field, const char *const *choices, const char *dashes, const char *name,
                       const char *text)
{
    size_t n = 0;
    for (; choices[n] != NULL; n++) {
        if (strcmp(choices[n], text) == 0) {
            *field = (int)n;
            return true;
        }
    }
    const char *near = sc_nearest(text, choices, n);
    if (near != NULL)
        sc_cli_error("%s%s: no such choice '%s' (did you mean '%s'?)", dashes, name, text, near);
    else
        sc_cli_error("%s%s: no such choice '%s'; see --help", dashes, name, text);
    return false;
}

static bool add_item(sc_cli_list *list, const char *text)
{
    const char **grown = realloc(list->item, (list->n + 1) * sizeof *grown);
    if (grown == NULL) {
        sc_cli_error("out of memory");
        return false;
    }
    grown[list->n++] = text;
    list->item = grown;
    return true;
}

/* Fill the field of an option that takes a value. */
static bool set_value(const sc_cli_option *o, void *values, const char *text)
{
    void *field = (char *)values + o->offset;

    switch (o->kind) {
    case SC_CLI_FLAG:
    case SC_CLI_COUNT: return false; /* set_flag */
    case SC_CLI_FILE:
    case SC_CLI_OUTPUT:
    case SC_CLI_FOLDER:
        if (*text == '\0') {
            sc_cli_error("--%s: the path is empty", o->name);
            return false;
        }
        *(const char **)field = text;
        return true;
    case SC_CLI_TEXT: *(const char **)field = text; return true;
    case SC_CLI_INTEGER: return set_integer(o, field, text);
    case SC_CLI_CHOICE: return set_choice(field, o->choices, "--", o->name, text);
    case SC_CLI_LIST: return add_item(field, text);
    case SC_CLI_QUANTITY: break;
    }
    sc_cli_number *number = field;
    if (sc_quantity_parse(&number->value, text, o->unit) != SC_OK) {
        sc_cli_error("--%s: %s", o->name, sc_error_message());
        return false;
    }
    number->given = true;
    return true;
}

static void set_flag(const sc_cli_option *o, void *values)
{
    void *field = (char *)values + o->offset;
    if (o->kind == SC_CLI_FLAG)
        *(bool *)field = true;
    else
        ++*(int *)field;
}

bool sc_cli_takes_value(const sc_cli_option *o)
{
    return o->kind != SC_CLI_FLAG && o->kind != SC_CLI_COUNT;
}

/* Fields before any option is read; the tables' defaults are right, or a test of ours fails. */
static bool set_fallbacks(const sc_cli_option *options, void *values)
{
    size_t n = sc_cli_count_options(options);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        if (options[i].kind == SC_CLI_CHOICE)
            *(int *)(void *)((char *)values + options[i].offset) = -1;
        if (options[i].fallback != NULL)
            ok = set_value(&options[i], values, options[i].fallback) && ok;
    }
    return ok;
}

static bool enter(parser *p, const sc_cli_command *command)
{
    sc_cli *cli = p->cli;
    sc_cli_clear(cli);
    cli->path[cli->depth++] = command;
    cli->command = command;
    if (command->values_size == 0)
        return true;
    cli->values = calloc(1, command->values_size);
    if (cli->values == NULL) {
        sc_cli_error("out of memory");
        return false;
    }
    return set_fallbacks(command->options, cli->values);
}

static const sc_cli_option *find_long(const sc_cli_option *options, const char *name, size_t n)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++)
        if (strlen(o->name) == n && strncmp(o->name, name, n) == 0)
            return o;
    return NULL;
}

static const sc_cli_option *find_letter(const sc_cli_option *options, char letter)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

static void unknown_long(parser *p, const char *name)
{
    enum { MANY = 64 };
    const sc_cli_option *tables[2] = {p->cli->command->options, sc_cli_global_options};
    const char *names[MANY];
    size_t n = 0;

    for (size_t t = 0; t < 2; t++)
        for (const sc_cli_option *o = tables[t]; o != NULL && o->name != NULL && n < MANY; o++)
            names[n++] = o->name;
    const char *near = sc_nearest(name, names, n);
    if (near != NULL)
        sc_cli_error("unknown option '--%s' (did you mean '--%s'?)", name, near);
    else
        sc_cli_error("unknown option '--%s'", name);
    p->failed = true;
}

/* The struct that an option's offset is into. */
static void *values_of(parser *p, bool global)
{
    p->own_option = p->own_option || !global;
    return global ? (void *)&p->cli->globals : p->cli->values;
}

/* The value in the next word, or NULL after an error. */
static const char *next_value(parser *p, const sc_cli_option *o)
{
    if (p->at < p->argc)
        return p->argv[p->at++];
    sc_cli_error("--%s needs a value: --%s %s", o->name, o->name, o->argument);
    p->failed = true;
    return NULL;
}

static void parse_long(parser *p, char *word)
{
    char *equals = strchr(word, '=');
    size_t n = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const sc_cli_option *o = find_long(p->cli->command->options, word, n);
    bool global = o == NULL;

    if (global)
        o = find_long(sc_cli_global_options, word, n);
    if (o == NULL) {
        if (equals != NULL)
            *equals = '\0'; /* the rest is no part of the name that is unknown */
        unknown_long(p, word);
        return;
    }
    const char *text = equals != NULL ? equals + 1 : NULL;
    if (!sc_cli_takes_value(o) && text != NULL) {
        sc_cli_error("--%s takes no value", o->name);
        p->failed = true;
        return;
    }
    if (!sc_cli_takes_value(o)) {
        set_flag(o, values_of(p, global));
        return;
    }
    if (text == NULL)
        text = next_value(p, o);
    if (text != NULL && !set_value(o, values_of(p, global), text))
        p->failed = true;
}

/* Letters may stand together; the first one that takes a value takes the rest of the word. */
static void parse_letters(parser *p, const char *word)
{
    for (; *word != '\0'; word++) {
        const sc_cli_option *o = find_letter(p->cli->command->options, *word);
        bool global = o == NULL;
        if (global)
            o = find_letter(sc_cli_global_options, *word);
        if (o == NULL) {
            sc_cli_error("unknown option '-%c'", *word);
            p->failed = true;
            return;
        }
        if (!sc_cli_takes_value(o)) {
            set_flag(o, values_of(p, global));
            continue;
        }
        const char *text = word[1] != '\0' ? word + 1 : next_value(p, o);
        if (text != NULL && !set_value(o, values_of(p, global), text))
            p->failed = true;
        return;
    }
}

static const sc_cli_command *find_member(const sc_cli_command *command, const char *name)
{
    for (size_t i = 0; command->members != NULL && command->members[i] != NULL; i++)
        if (strcmp(command->members[i]->name, name) == 0)
            return command->members[i];
    return NULL;
}

static void unknown_command(parser *p, const char *word)
{
    enum { MANY = 64 };
    const sc_cli_command *command = p->cli->command;
    const char *names[MANY];
    size_t n = 0;

    for (; n < MANY && command->members[n] != NULL; n++)
        names[n] = command->members[n]->name;
    const char *near = sc_nearest(word, names, n);
    if (near != NULL)
        sc_cli_error("unknown command '%s' (did you mean '%s'?)", word, near);
    else
        sc_cli_error("unknown command '%s'", word);
    p->failed = true;
}

/* @return false when nothing after the word can be understood. */
static bool parse_word(parser *p, const char *word)
{
    sc_cli *cli = p->cli;
    const sc_cli_command *command = cli->command;

    if (cli->n_operands == 0 && !p->own_option && !p->only_operands && command->members != NULL) {
        const sc_cli_command *member = find_member(command, word);
        if (member != NULL && cli->depth < SC_CLI_MAX_DEPTH) {
            p->failed = !enter(p, member) || p->failed;
            return !p->failed;
        }
        if (cli->depth == 1 && strcmp(word, "help") == 0) { /* scantle help evaluate */
            cli->globals.help = true;
            return true;
        }
        if (command->run == NULL) {
            unknown_command(p, word);
            return false;
        }
    }
    const size_t declared = sc_cli_count_operands(command->operands);
    const bool many = declared > 0 && command->operands[declared - 1].many;
    if ((cli->n_operands >= declared && !many) || cli->n_operands >= SC_CLI_MAX_OPERANDS) {
        sc_cli_error("unexpected argument '%s'", word);
        p->failed = true;
        return true;
    }
    const size_t at = cli->n_operands < declared ? cli->n_operands : declared - 1;
    const sc_cli_operand *operand = &command->operands[at];
    cli->operand[cli->n_operands++] = word;
    if (operand->kind == SC_CLI_OPERAND_CHOICE) {
        int index = 0;
        p->failed = !set_choice(&index, operand->choices, "", operand->name, word) || p->failed;
    }
    return true;
}

static void check_complete(parser *p)
{
    const sc_cli *cli = p->cli;
    const sc_cli_operand *operands = cli->command->operands;
    size_t n = sc_cli_count_operands(operands);

    if (cli->globals.help || cli->globals.version)
        return;
    if (cli->command->run == NULL) {
        sc_cli_error("a command is missing%s%s", cli->depth > 1 ? " after " : "",
                     cli->depth > 1 ? cli->command->name : "");
        p->failed = true;
    }
    for (size_t i = cli->n_operands; i < n; i++) {
        if (operands[i].optional)
            continue;
        sc_cli_error("%s is missing", operands[i].name);
        p->failed = true;
    }
}

bool sc_cli_parse(sc_cli *cli, const sc_cli_command *root, int argc, char **argv)
{
    parser p = {.cli = cli, .argc = argc, .at = 1, .argv = argv};

    *cli = (sc_cli){.argc = argc, .argv = argv};
    if (!enter(&p, root) || !set_fallbacks(sc_cli_global_options, &cli->globals))
        return false;
    while (p.at < argc) {
        char *word = argv[p.at++];
        if (p.only_operands || word[0] != '-' || word[1] == '\0') {
            if (!parse_word(&p, word))
                return false;
        } else if (strcmp(word, "--") == 0) {
            p.only_operands = true;
        } else if (word[1] == '-') {
            parse_long(&p, word + 2);
        } else {
            parse_letters(&p, word + 1);
        }
    }
    if (!p.failed)
        check_complete(&p);
    return !p.failed;
}

void sc_cli_clear(sc_cli *cli)
{
    const sc_cli_command *command = cli->command;
    if (cli->values == NULL || command == NULL)
        return;
    for (const sc_cli_option *o = command->options; o != NULL && o->name != NULL; o++)
        if (o->kind == SC_CLI_LIST)
            free(((sc_cli_list *)(void *)((char *)cli->values + o->offset))->item);
    free(cli->values);
    cli->values = NULL;
}
