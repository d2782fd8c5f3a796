/** Completion for fish. */
#include "completion.h"

static void fish_option(FILE *out, const sc_cli_option *o)
{
    fprintf(out, "-l %s", o->name);
    if (o->letter != 0)
        fprintf(out, " -s %c", o->letter);
    if (sc_cli_takes_value(o))
        fputs(o->kind == SC_CLI_FILE || o->kind == SC_CLI_OUTPUT || o->kind == SC_CLI_FOLDER
                  ? " -r -F"
                  : " -x",
              out);
    if (o->kind == SC_CLI_CHOICE) {
        fputs(" -a '", out);
        sc_cli_put_choices(out, o);
        fputc('\'', out);
    }
    fputs(" -d '", out);
    sc_cli_put_quoted(out, o->help, "\\");
    fputs("'\n", out);
}

/* "-n '__scantle_in workload list' ": where a line of completion holds. */
static void put_condition(FILE *out, const char *test, const char *key)
{
    fprintf(out, "complete -c scantle -n '%s %s' ", test, key);
}

static void fish_command(void *payload, const sc_cli_command *const *path, size_t depth)
{
    FILE *out = payload;
    const sc_cli_command *command = path[depth - 1];
    char key[128] = "";
    size_t at = 0;

    for (size_t i = 1; i < depth && at < sizeof key; i++)
        at += (size_t)snprintf(key + at, sizeof key - at, "%s%s", i > 1 ? " " : "", path[i]->name);
    for (size_t i = 0; command->members != NULL && command->members[i] != NULL; i++) {
        put_condition(out, "__scantle_at", key);
        fprintf(out, "-f -a %s -d '", command->members[i]->name);
        sc_cli_put_quoted(out, command->members[i]->summary, "\\");
        fputs("'\n", out);
    }
    for (const sc_cli_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        if (!sc_cli_has_words(o))
            continue;
        put_condition(out, "__scantle_in", key);
        fputs(o->kind == SC_CLI_OPERAND_CHOICE ? "-f -a '" : "-a '", out);
        sc_cli_put_operand_words(out, o);
        fprintf(out, "' -d %s\n", o->name);
    }
    for (const sc_cli_option *o = command->options; o != NULL && o->name != NULL; o++) {
        put_condition(out, "__scantle_in", key);
        fish_option(out, o);
    }
}

void sc_cli_put_fish(FILE *out, const sc_cli_command *root)
{
    fputs("# fish completion for scantle; load with: scantle completion fish | source\n"
          "function __scantle_words\n"
          "    set -l words (string match -v -- '-*' (commandline -opc))\n"
          "    echo \"$words[2..]\"\n"
          "end\n"
          "# the words typed so far are these, or begin with these\n"
          "function __scantle_at\n"
          "    test (__scantle_words) = \"$argv\"\n"
          "end\n"
          "function __scantle_in\n"
          "    string match -q -- \"$argv *\" (__scantle_words)' '\n"
          "end\n",
          out);
    sc_cli_walk(root, fish_command, out);
    for (const sc_cli_option *o = sc_cli_global_options; o->name != NULL; o++) {
        fputs("complete -c scantle ", out);
        fish_option(out, o);
    }
}
