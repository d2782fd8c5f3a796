/** Completion scripts: the tables of every command as bash, zsh or fish code. */
#include "completion.h"

#include <string.h>

#include "scantle/design.h"
#include "scantle/workload.h"

typedef const char *(*builtin_fn)(size_t i);

static builtin_fn builtins_of(sc_cli_operand_kind kind)
{
    switch (kind) {
    case SC_CLI_OPERAND_DESIGN: return sc_design_builtin;
    case SC_CLI_OPERAND_WORKLOAD: return sc_workload_builtin;
    case SC_CLI_OPERAND_FILE:
    case SC_CLI_OPERAND_STUDY:
    case SC_CLI_OPERAND_CHOICE:
    case SC_CLI_OPERAND_TEXT: break;
    }
    return NULL;
}

bool sc_cli_has_words(const sc_cli_operand *o)
{
    return o->kind == SC_CLI_OPERAND_CHOICE || builtins_of(o->kind) != NULL;
}

void sc_cli_put_operand_words(FILE *out, const sc_cli_operand *o)
{
    builtin_fn builtin = builtins_of(o->kind);
    for (size_t i = 0; builtin != NULL && builtin(i) != NULL; i++)
        fprintf(out, "%s ", builtin(i));
    for (size_t i = 0; o->kind == SC_CLI_OPERAND_CHOICE && o->choices[i] != NULL; i++)
        fprintf(out, "%s ", o->choices[i]);
}

void sc_cli_put_choices(FILE *out, const sc_cli_option *o)
{
    for (size_t i = 0; o->choices[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", o->choices[i]);
}

void sc_cli_put_quoted(FILE *out, const char *text, const char *also_escape)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("\u2019", out); /* the shells differ in how they quote an apostrophe */
            continue;
        }
        if (strchr(also_escape, *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

void sc_cli_put_key(FILE *out, const sc_cli_command *const *path, size_t depth)
{
    sc_cli_put_name(out, path + 1, depth - 1);
}

void sc_cli_put_completion(FILE *out, const sc_cli_command *root, sc_cli_shell shell)
{
    switch (shell) {
    case SC_CLI_BASH: sc_cli_put_bash(out, root); return;
    case SC_CLI_ZSH: sc_cli_put_zsh(out, root); return;
    case SC_CLI_FISH: sc_cli_put_fish(out, root); return;
    }
}
