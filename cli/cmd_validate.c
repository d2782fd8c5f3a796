/** `scantle validate`: the model beside published and measured figures. */
#include <stdio.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "scantle/validate.h"
#include "show.h"

typedef struct validate_values {
    const char *data, *output;
} validate_values;

static sc_status show_sections(const json_t *root)
{
    static const sc_cli_field fields[] = {
        {"what", "what", SC_CLI_AS_TEXT},           {"published", "published", SC_CLI_AS_NUMBER},
        {"modelled", "modelled", SC_CLI_AS_NUMBER}, {"unit", "unit", SC_CLI_AS_TEXT},
        {"error", "error", SC_CLI_AS_NUMBER},       {"error_unit", "", SC_CLI_AS_TEXT},
        {"aim", "aim", SC_CLI_AS_NUMBER},           {"use", "use", SC_CLI_AS_TEXT},
        {"note", "note", SC_CLI_AS_TEXT},           {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *sections = json_object_get(root, "sections");
    for (size_t i = 0; i < json_array_size(sections); i++) {
        const json_t *section = json_array_get(sections, i);
        sc_cli_show_heading(json_string_value(json_object_get(section, "title")));
        const sc_status st = sc_cli_show_rows(json_object_get(section, "rows"), fields);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

static int run(const sc_cli *cli)
{
    const validate_values *v = cli->values;
    sc_validate_options o = SC_VALIDATE_OPTIONS_INIT;
    char *page = NULL, *document = NULL;

    sc_log_set(NULL, NULL); /* warnings of reference files are not about the model */
    o.data = v->data;
    o.threads = cli->globals.threads.given ? (int)cli->globals.threads.value : 0;
    const sc_status st = sc_validate(&page, &document, &o);
    if (st != SC_OK)
        return sc_cli_fail(st);
    int code = v->output != NULL ? sc_cli_write(v->output, page) : SC_EXIT_OK;
    if (code == SC_EXIT_OK && (v->output == NULL || cli->globals.json))
        code = sc_cli_show(cli, document, show_sections);
    else
        sc_release(document);
    sc_release(page);
    return code;
}

#define AT(field) offsetof(validate_values, field)
static const sc_cli_option options[] = {
    {.name = "data",
     .kind = SC_CLI_FOLDER,
     .argument = "DIR",
     .offset = AT(data),
     .help = "reference data (timeloop, systolic, rtl); without it only chips are compared"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write the page (Markdown) to FILE instead of printing tables"},
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle validate", "Chips: published, modelled, error, tuned to or held out."},
    {"scantle validate --data reference -o docs/validation.md",
     "Counts, cycles and RTL runs too, as a page."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_validate = {
    .name = "validate",
    .summary = "Compare the model with published and measured figures",
    .about = "A figure that cannot be compared, since a file, platform or mapping is missing, is a "
             "row that says so.",
    .examples = examples,
    .options = options,
    .values_size = sizeof(validate_values),
    .run = run,
};
