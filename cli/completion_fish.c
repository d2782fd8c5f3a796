/** Completion for fish. */
#include <string.h>

#include "completion.h"

static void fish_options(FILE *out, const sc_cli_option *options, const char *condition)
{
    for (const sc_cli_option *o = options; o != NULL && o->name != NULL; o++) {
        fprintf(out, "complete -c scantle %s-l %s", condition, o->name);
        if (o->letter != 0)
            fprintf(out, " -s %c", o->letter);
        if (sc_cli_takes_value(o))
            fputs(o->kind == SC_CLI_FILE || o->kind == SC_CLI_FOLDER ? " -r -F" : " -x", out);
        if (o->kind == SC_CLI_CHOICE) {
            fputs(" -a '", out);
            sc_cli_put_choices(out, o);
            fputc('\'', out);
        }
        fputs(" -d '", out);
        sc_cli_put_quoted(out, o->help, "\\");
        fputs("'\n", out);
    }
}

static void fish_command(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    const sc_cli_command *command = path[depth - 1];
    char condition[128] = "-n '__scantle_at";
    size_t at = strlen(condition);

    for (size_t i = 1; i < depth && at < sizeof condition; i++)
        at += (size_t)snprintf(condition + at, sizeof condition - at, " %s", path[i]->name);
    if (at < sizeof condition)
        (void)snprintf(condition + at, sizeof condition - at, "' ");
    for (size_t i = 0; command->members != NULL && command->members[i] != NULL; i++) {
        fprintf(out, "complete -c scantle %s-f -a %s -d '", condition, command->members[i]->name);
        sc_cli_put_quoted(out, command->members[i]->summary, "\\");
        fputs("'\n", out);
    }
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        if (!sc_cli_has_words(o))
            continue;
        fprintf(out, "complete -c scantle %s-a '", condition);
        sc_cli_put_operand_words(out, o);
        fprintf(out, "' -d %s\n", o->name);
    }
    fish_options(out, command->options, condition);
}

void sc_cli_put_fish(FILE *out, const sc_cli_command *root)
{
    fputs("# fish completion for scantle; load with: scantle completion fish | source\n"
          "function __scantle_at\n"
          "    set -l words (string match -v -- '-*' (commandline -opc))\n"
          "    set -e words[1]\n"
          "    test (count $argv) -eq 0; and test (count $words) -eq 0; and return 0\n"
          "    test (count $argv) -gt 0; and test \"$words[1..(count $argv)]\" = \"$argv\"\n"
          "end\n",
          out);
    sc_cli_walk(root, fish_command, out);
    fish_options(out, sc_cli_global_options, "");
}
