/** Completion for zsh. */
#include "completion.h"

static void zsh_options(FILE *out, const sc_cli_option *options)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++) {
        for (int form = o->letter != 0 ? 0 : 1; form < 2; form++) {
            bool repeats = o->kind == SC_CLI_LIST || o->kind == SC_CLI_COUNT;
            fprintf(out, "        '%s", repeats ? "*" : "");
            if (form == 0)
                fprintf(out, "-%c[", o->letter);
            else
                fprintf(out, "--%s%s[", o->name, sc_cli_takes_value(o) ? "=" : "");
            sc_cli_put_quoted(out, o->help, "[]:\\");
            fputc(']', out);
            if (sc_cli_takes_value(o))
                fprintf(out, ":%s:", o->argument);
            if (o->kind == SC_CLI_CHOICE) {
                fputc('(', out);
                for (size_t i = 0; o->choices[i] != NULL; i++)
                    fprintf(out, "%s%s", i > 0 ? " " : "", o->choices[i]);
                fputc(')', out);
            } else if (o->kind == SC_CLI_FILE || o->kind == SC_CLI_OUTPUT) {
                fputs("_files", out);
            } else if (o->kind == SC_CLI_FOLDER) {
                fputs("_files -/", out);
            }
            fputs("'\n", out);
        }
    }
}

/* A command's name as part of a function's: "_scantle_workload_list". */
static void zsh_function(FILE *out, const sc_cli_command *const *path, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        fprintf(out, "_%s", path[i]->name);
}

static void zsh_members(FILE *out, const sc_cli_command *const *path, size_t depth)
{
    const sc_cli_command *command = path[depth - 1];

    fputs("    _arguments -C \"$options[@]\" '1:command:->command' '*::argument:->rest'\n"
          "    case $state in\n    command)\n        commands=(\n",
          out);
    for (size_t i = 0; command->members[i] != NULL; i++) {
        fprintf(out, "            '%s:", command->members[i]->name);
        sc_cli_put_quoted(out, command->members[i]->summary, ":\\");
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command commands ;;\n    rest)\n        case $line[1] in\n",
          out);
    for (size_t i = 0; command->members[i] != NULL; i++) {
        fprintf(out, "        %s) ", command->members[i]->name);
        zsh_function(out, path, depth);
        fprintf(out, "_%s ;;\n", command->members[i]->name);
    }
    fputs("        esac ;;\n    esac\n", out);
}

static void zsh_operands(FILE *out, const sc_cli_command *command)
{
    fputs("    _arguments -s \"$options[@]\"", out);
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        fprintf(out, " \\\n        '%s:%s:", o->many ? "*" : o->optional ? ":" : "", o->name);
        if (sc_cli_has_words(o)) {
            fputs("{ compadd ", out);
            sc_cli_put_operand_words(out, o);
            fputs(o->kind == SC_CLI_OPERAND_CHOICE ? "}" : "; _files }", out);
        } else {
            fputs("_files", out);
        }
        fputc('\'', out);
    }
    fputc('\n', out);
}

static void zsh_command(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    const sc_cli_command *command = path[depth - 1];

    zsh_function(out, path, depth);
    fputs("() {\n    local -a options commands line\n    local state curcontext=$curcontext\n"
          "    options=(\n",
          out);
    zsh_options(out, command->options);
    zsh_options(out, sc_cli_global_options);
    fputs("    )\n", out);
    if (command->members != NULL)
        zsh_members(out, path, depth);
    else
        zsh_operands(out, command);
    fputs("}\n", out);
}

void sc_cli_put_zsh(FILE *out, const sc_cli_command *root)
{
    fputs("#compdef scantle\n# zsh completion for scantle; put it in $fpath as _scantle\n", out);
    sc_cli_walk(root, zsh_command, out);
    fputs("compdef _scantle scantle\n", out);
}
