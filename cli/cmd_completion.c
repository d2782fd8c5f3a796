/** `scantle completion SHELL`: the completion script of a shell. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "document.h"
#include "message.h"
#include "usage.h"

typedef struct completion_values {
    const char *output;
} completion_values;

static const char *const shells[] = {"bash", "zsh", "fish", NULL}; /* as sc_cli_shell */

static void put(FILE *out, const sc_cli *cli)
{
    size_t shell = 0;
    while (shells[shell + 1] != NULL && strcmp(shells[shell], cli->operand[0]) != 0)
        shell++; /* the parser took no other word */
    sc_cli_put_completion(out, &sc_cli_root, (sc_cli_shell)shell);
}

static int run(const sc_cli *cli)
{
    const completion_values *v = cli->values;
    return sc_cli_put_document(cli, v->output, "script", put);
}

static const sc_cli_option options[] = {{.name = "output",
                                         .letter = 'o',
                                         .kind = SC_CLI_OUTPUT,
                                         .argument = "FILE",
                                         .offset = offsetof(completion_values, output),
                                         .help = "write to FILE instead of standard output"},
                                        {.name = NULL}};

static const sc_cli_operand operands[] = {{.name = "SHELL",
                                           .kind = SC_CLI_OPERAND_CHOICE,
                                           .choices = shells,
                                           .help = "bash, zsh or fish"},
                                          {.name = NULL}};

static const sc_cli_example examples[] = {
    {"source <(scantle completion bash)", "Complete commands, options and built-in names in this "
                                          "bash."},
    {"scantle completion zsh > ~/.zfunc/_scantle", "For zsh, with ~/.zfunc in fpath."},
    {"scantle completion fish > ~/.config/fish/completions/scantle.fish", "For fish."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_completion = {
    .name = "completion",
    .summary = "Print a script that completes the command line in a shell",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(completion_values),
    .run = run,
};
