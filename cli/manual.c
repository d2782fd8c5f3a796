/** The manual: every command with its options and examples, as a man page or as Markdown. */
#include <ctype.h>
#include <string.h>

#include "usage.h"

/* ---- man ---- */

/* Text for troff: backslashes and leading dots or quotes are escaped, dashes stay dashes. */
static void man_text(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void man_paragraphs(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        if (n == 0) {
            fputs(".PP\n", out);
        } else {
            char line[2048];
            (void)snprintf(line, sizeof line, "%.*s", (int)n, text);
            man_text(out, line);
            fputs("\n.br\n", out);
        }
        text += n + (text[n] == '\n');
    }
}

static void man_options(FILE *out, const sc_cli_option *options)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++) {
        fputs(".TP\n.B ", out);
        if (o->letter != 0)
            fprintf(out, "\\-%c\\fR, \\fB", o->letter);
        fputs("\\-\\-", out);
        man_text(out, o->name);
        if (o->argument != NULL)
            fprintf(out, " \\fI%s", o->argument);
        fputc('\n', out);
        man_text(out, o->help);
        if (o->fallback != NULL)
            fprintf(out, " (default: %s)", o->fallback);
        fputc('\n', out);
    }
}

static void man_command(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    const sc_cli_command *command = path[depth - 1];

    if (depth > 1) {
        fputs(".SS ", out);
        sc_cli_put_name(out, path + 1, depth - 1);
        fputc(' ', out);
        sc_cli_put_synopsis(out, command);
        fprintf(out, "\n%s.\n", command->summary);
        if (command->other_form != NULL) {
            fputs(".PP\nAlso: ", out);
            man_text(out, command->other_form);
            fputc('\n', out);
        }
        if (command->about != NULL) {
            fputs(".PP\n", out);
            man_paragraphs(out, command->about);
        }
    }
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        fprintf(out, ".TP\n.I %s\n", o->name);
        man_text(out, o->help);
        fputc('\n', out);
    }
    man_options(out, command->options);
    for (const sc_cli_example *e = command->examples; depth > 1 && e != NULL && e->line; e++) {
        fputs(".PP\nExample: ", out);
        man_text(out, e->about);
        fputs("\n.PP\n.EX\n    ", out);
        man_text(out, e->line);
        fputs("\n.EE\n", out);
    }
    if (command->sample != NULL) {
        fputs(".PP\n", out);
        man_text(out, command->sample->about);
        fputs("\n.PP\n.EX\n", out);
        sc_cli_put_sample(out, command->sample);
        fputs(".EE\n", out);
    }
}

static void put_man(FILE *out, const sc_cli_command *root)
{
    fprintf(out, ".TH SCANTLE 1 \"\" \"scantle %s\" \"User Commands\"\n", SC_CLI_VERSION);
    fprintf(out, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", root->name, root->summary,
            root->name);
    sc_cli_put_synopsis(out, root);
    fputs("\n.SH DESCRIPTION\n", out);
    man_paragraphs(out, root->about);
    fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
    man_options(out, sc_cli_global_options);
    fputs(".SH COMMANDS\n", out);
    sc_cli_walk(root, man_command, out);
}

/* ---- Markdown ---- */

/* Text outside code: characters that Markdown would act on are escaped. */
static void md_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_<>|[]#", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void md_options(FILE *out, const sc_cli_option *options)
{
    if (options == NULL)
        return;
    fputs("\n| option | meaning | default |\n|---|---|---|\n", out);
    for (const sc_cli_option *o = options; o->name != NULL; o++) {
        fputs("| `", out);
        sc_cli_put_flags(out, o);
        fputs("` | ", out);
        md_text(out, o->help);
        fputs(" | ", out);
        if (o->fallback != NULL)
            md_text(out, o->fallback);
        fputs(" |\n", out);
    }
}

static void md_command(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    const sc_cli_command *command = path[depth - 1];

    if (depth == 1)
        return;
    fprintf(out, "\n%s `", depth == 2 ? "##" : "###");
    sc_cli_put_name(out, path, depth);
    fputs("`\n\n", out);
    md_text(out, command->summary);
    fputs(".\n\n    ", out);
    sc_cli_put_name(out, path, depth);
    fputc(' ', out);
    sc_cli_put_synopsis(out, command);
    fputc('\n', out);
    if (command->other_form != NULL) {
        fputs("    ", out);
        sc_cli_put_name(out, path, depth);
        fprintf(out, " %s\n", command->other_form);
    }
    if (command->about != NULL) {
        fputc('\n', out);
        md_text(out, command->about);
        fputc('\n', out);
    }
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        fprintf(out, "%s- `%s`: ", o == command->operands ? "\n" : "", o->name);
        md_text(out, o->help);
        fputc('\n', out);
    }
    md_options(out, command->options);
    for (const sc_cli_example *e = command->examples; e != NULL && e->line != NULL; e++) {
        fputc('\n', out);
        md_text(out, e->about);
        fprintf(out, "\n\n    %s\n", e->line);
    }
    if (command->sample != NULL) {
        fputc('\n', out);
        md_text(out, command->sample->about);
        fputs("\n\n", out);
        sc_cli_put_sample(out, command->sample);
    }
}

static void put_markdown(FILE *out, const sc_cli_command *root)
{
    fprintf(out, "# `%s`\n\n", root->name);
    fputs("Written by `scantle manual -f markdown` from the tables that the program parses its "
          "command line with.\n\n",
          out);
    md_text(out, root->summary);
    fputs(".\n\n", out);
    md_text(out, root->about);
    fputs("\n\n## Options of every command\n", out);
    md_options(out, sc_cli_global_options);
    sc_cli_walk(root, md_command, out);
}

void sc_cli_put_manual(FILE *out, const sc_cli_command *root, sc_cli_manual_form form)
{
    if (form == SC_CLI_MAN)
        put_man(out, root);
    else
        put_markdown(out, root);
}
