/** Completion for bash. */
#include "completion.h"

static void bash_option_words(FILE *out, const sc_cli_option *options)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++) {
        if (o->letter != 0)
            fprintf(out, "-%c ", o->letter);
        fprintf(out, "--%s ", o->name);
    }
}

static bool takes_files(const sc_cli_operand *operands)
{
    for (const sc_cli_operand *o = operands; o != NULL && o->name != NULL; o++)
        if (o->kind != SC_CLI_OPERAND_CHOICE && o->kind != SC_CLI_OPERAND_TEXT)
            return true;
    return false;
}

static void bash_words(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    const sc_cli_command *command = path[depth - 1];

    fputs("    '", out);
    sc_cli_put_key(out, path, depth);
    fputs("')\n        options='", out);
    bash_option_words(out, command->options);
    fputs("'\n        words='", out);
    for (size_t i = 0; command->members != NULL && command->members[i] != NULL; i++)
        fprintf(out, "%s ", command->members[i]->name);
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++)
        sc_cli_put_operand_words(out, o);
    fprintf(out, "'\n        files=%s ;;\n", takes_files(command->operands) ? "yes" : "");
}

/* One case for options that take a value: their choices, folders or files. */
static void bash_value_cases(FILE *out, const sc_cli_option *options, const char *indent)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++) {
        if (!sc_cli_takes_value(o))
            continue;
        fprintf(out, "%s--%s", indent, o->name);
        if (o->letter != 0)
            fprintf(out, " | -%c", o->letter);
        if (o->kind == SC_CLI_CHOICE) {
            fputs(") values='", out);
            sc_cli_put_choices(out, o);
            fputs("' ;;\n", out);
        } else {
            fprintf(out, ") values=%s ;;\n",
                    o->kind == SC_CLI_FILE     ? "files"
                    : o->kind == SC_CLI_OUTPUT ? "files"
                    : o->kind == SC_CLI_FOLDER ? "folders"
                                               : "nothing");
        }
    }
}

static void bash_values(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    if (path[depth - 1]->options == NULL)
        return;
    fputs("    '", out);
    sc_cli_put_key(out, path, depth);
    fputs("')\n        case $previous in\n", out);
    bash_value_cases(out, path[depth - 1]->options, "        ");
    fputs("        esac ;;\n", out);
}

static void bash_paths(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    if (depth < 2)
        return;
    fputs("        '", out);
    sc_cli_put_key(out, path, depth);
    fputs("') path=$longer ;;\n", out);
}

static void put_cases(FILE *out, const char *head, const sc_cli_command *root, sc_cli_visit visit)
{
    fprintf(out, "    case %s in\n", head);
    sc_cli_walk(root, visit, out);
    fputs("    esac\n", out);
}

void sc_cli_put_bash(FILE *out, const sc_cli_command *root)
{
    fputs("# bash completion for scantle; load with: source <(scantle completion bash)\n"
          "_scantle() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local path='' longer='' options='' words='' files='' values='' i\n"
          "    # --option=value comes as three words\n"
          "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    [[ $current == = ]] && current=''\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        longer=${path:+$path }${COMP_WORDS[i]}\n",
          out);
    put_cases(out, "$longer", root, bash_paths);
    fputs("    done\n    case $previous in\n", out);
    bash_value_cases(out, sc_cli_global_options, "    ");
    fputs("    esac\n", out);
    put_cases(out, "$path", root, bash_values);
    fputs("    case $values in\n"
          "    '') ;;\n"
          "    files) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n"
          "    folders) mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return ;;\n"
          "    nothing) COMPREPLY=(); return ;;\n"
          "    *) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$current\"); return ;;\n"
          "    esac\n",
          out);
    put_cases(out, "$path", root, bash_words);
    fputs("    if [[ $current == -* ]]; then\n        words=\"$options ", out);
    bash_option_words(out, sc_cli_global_options);
    fputs("\"\n        files=''\n    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"\n"
          "        [[ -z $files ]] || compgen -f -- \"$current\")\n"
          "}\n"
          "complete -o filenames -F _scantle scantle\n",
          out);
}
