#include "usage.h"

#include <string.h>

#include "text.h"

enum { RIGHT = 80, HELP_COLUMN = 28 };

void sc_cli_put_name(FILE *out, const sc_cli_command *const *path, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", path[i]->name);
}

void sc_cli_put_synopsis(FILE *out, const sc_cli_command *command)
{
    fputs("[OPTIONS]", out);
    if (command->run == NULL)
        fputs(" COMMAND", out);
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++)
        fprintf(out, " %s%s%s%s", o->optional ? "[" : "", o->name, o->many ? "..." : "",
                o->optional ? "]" : "");
}

void sc_cli_put_flags(FILE *out, const sc_cli_option *option)
{
    if (option->letter != 0)
        fprintf(out, "-%c, ", option->letter);
    fprintf(out, "--%s", option->name);
    if (option->argument != NULL)
        fprintf(out, " %s", option->argument);
}

static size_t flags_width(const sc_cli_option *o)
{
    size_t short_form = o->letter != 0 ? strlen("-x, ") : 0;
    size_t argument = o->argument != NULL ? 1 + strlen(o->argument) : 0;
    return short_form + strlen("--") + strlen(o->name) + argument;
}

/* The second column, on the next line if the first is too long. */
static void put_help_text(FILE *out, size_t column, const char *help)
{
    if (column + 2 > HELP_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    sc_cli_put_blanks(out, HELP_COLUMN - column);
    sc_cli_put_wrapped(out, help, HELP_COLUMN, HELP_COLUMN, RIGHT);
}

static void put_options(FILE *out, const sc_cli_option *options)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++) {
        size_t indent = o->letter != 0 ? 2 : 6;
        char with_default[512];

        sc_cli_put_blanks(out, indent);
        sc_cli_put_flags(out, o);
        if (o->fallback != NULL)
            (void)snprintf(with_default, sizeof with_default, "%s (default: %s)", o->help,
                           o->fallback);
        else
            (void)snprintf(with_default, sizeof with_default, "%s", o->help);
        put_help_text(out, indent + flags_width(o), with_default);
        fputc('\n', out);
    }
}

static void put_members(FILE *out, const sc_cli_command *command)
{
    fputs("\nCommands:\n", out);
    for (size_t i = 0; command->members[i] != NULL; i++) {
        fprintf(out, "  %s", command->members[i]->name);
        put_help_text(out, 2 + strlen(command->members[i]->name), command->members[i]->summary);
        fputc('\n', out);
    }
}

static void put_operands(FILE *out, const sc_cli_command *command)
{
    fputs("\nArguments:\n", out);
    for (const sc_cli_operand *o = command->operands; o->name != NULL; o++) {
        fprintf(out, "  %s", o->name);
        put_help_text(out, 2 + strlen(o->name), o->help);
        fputc('\n', out);
    }
}

static void put_examples(FILE *out, const sc_cli_command *command)
{
    fputs("\nExamples:\n", out);
    for (const sc_cli_example *e = command->examples; e != NULL && e->line != NULL; e++) {
        fprintf(out, "  %s\n      ", e->line);
        sc_cli_put_wrapped(out, e->about, 6, 6, RIGHT);
        fputc('\n', out);
    }
}

void sc_cli_put_sample(FILE *out, const sc_cli_example *sample)
{
    for (const char *at = sample->line; *at != '\0'; at += strcspn(at, "\n") + 1)
        fprintf(out, "    %.*s\n", (int)strcspn(at, "\n"), at);
}

void sc_cli_put_help(FILE *out, const sc_cli_command *const *path, size_t depth)
{
    const sc_cli_command *command = path[depth - 1];

    fputs("Usage: ", out);
    sc_cli_put_name(out, path, depth);
    fputc(' ', out);
    sc_cli_put_synopsis(out, command);
    if (command->other_form != NULL) {
        fputs("\n       ", out);
        sc_cli_put_name(out, path, depth);
        fprintf(out, " %s", command->other_form);
    }
    fprintf(out, "\n\n%s.\n", command->summary);
    if (command->about != NULL) {
        fputc('\n', out);
        sc_cli_put_wrapped(out, command->about, 0, 0, RIGHT);
        fputc('\n', out);
    }
    if (command->members != NULL)
        put_members(out, command);
    if (command->operands != NULL)
        put_operands(out, command);
    if (command->options != NULL) {
        fputs("\nOptions:\n", out);
        put_options(out, command->options);
    }
    fputs("\nOptions of every command:\n", out);
    put_options(out, sc_cli_global_options);
    put_examples(out, command);
    if (command->sample != NULL) {
        fputc('\n', out);
        sc_cli_put_wrapped(out, command->sample->about, 0, 0, RIGHT);
        fputs("\n\n", out);
        sc_cli_put_sample(out, command->sample);
    }
}

static void walk(const sc_cli_command **path, size_t depth, sc_cli_visit visit, void *payload)
{
    const sc_cli_command *command = path[depth - 1];
    visit(payload, path, depth);
    if (command->members == NULL || depth == SC_CLI_MAX_DEPTH)
        return;
    for (size_t i = 0; command->members[i] != NULL; i++) {
        path[depth] = command->members[i];
        walk(path, depth + 1, visit, payload);
    }
}

void sc_cli_walk(const sc_cli_command *root, sc_cli_visit visit, void *payload)
{
    const sc_cli_command *path[SC_CLI_MAX_DEPTH] = {root};
    walk(path, 1, visit, payload);
}
