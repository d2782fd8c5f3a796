/** `scantle manual`: the manual page and its Markdown form. */
#include <stdio.h>

#include "commands.h"
#include "document.h"
#include "usage.h"

typedef struct manual_values {
    int form;
    const char *output;
} manual_values;

static const char *const forms[] = {"man", "markdown", NULL}; /* as sc_cli_manual_form */

static void put(FILE *out, const sc_cli *cli)
{
    const manual_values *v = cli->values;
    sc_cli_put_manual(out, &sc_cli_root, (sc_cli_manual_form)v->form);
}

static int run(const sc_cli *cli)
{
    const manual_values *v = cli->values;
    return sc_cli_put_document(cli, v->output, "manual", put);
}

static const sc_cli_option options[] = {{.name = "format",
                                         .letter = 'f',
                                         .kind = SC_CLI_CHOICE,
                                         .argument = "FORMAT",
                                         .offset = offsetof(manual_values, form),
                                         .choices = forms,
                                         .help = "man or markdown",
                                         .fallback = "man"},
                                        {.name = "output",
                                         .letter = 'o',
                                         .kind = SC_CLI_OUTPUT,
                                         .argument = "FILE",
                                         .offset = offsetof(manual_values, output),
                                         .help = "write to FILE instead of standard output"},
                                        {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle manual | man -l -", "Read it."},
    {"scantle manual -f markdown -o manual.md", "The same as Markdown, in a file."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_manual = {
    .name = "manual",
    .summary = "Print the manual of all commands",
    .examples = examples,
    .options = options,
    .values_size = sizeof(manual_values),
    .run = run,
};
