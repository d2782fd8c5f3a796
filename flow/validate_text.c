/* The validation as a page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "flow/validate.h"

enum { FIGURE_BYTES = 64 };

/* Text inside a table cell: no bar, no line break. */
static void put_cell(sc_buf *b, const char *text)
{
    for (; text && *text; text++) {
        if (*text == '|')
            sc_buf_puts(b, "\\|");
        else
            sc_buf_append(b, *text == '\n' ? " " : text, 1);
    }
}

static const char *figure(char out[FIGURE_BYTES], const json_t *value, const char *form)
{
    out[0] = '\0';
    if (json_is_number(value)) {
        const double v = json_number_value(value);
        if (fabs(v) >= 1e4 && floor(v) == v)
            (void)snprintf(out, FIGURE_BYTES, "%.0f", v);
        else if (strcmp(form, "error") == 0)
            (void)snprintf(out, FIGURE_BYTES, "%+.1f", v);
        else
            (void)snprintf(out, FIGURE_BYTES, "%.4g", v);
    }
    return out;
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static void put_row(sc_buf *b, const json_t *row)
{
    char text[FIGURE_BYTES];
    sc_buf_puts(b, "| ");
    put_cell(b, text_of(row, "what"));
    if (json_is_string(json_object_get(row, "note")) &&
        !json_is_number(json_object_get(row, "modelled"))) {
        sc_buf_puts(b, " | | | | | | | ");
        put_cell(b, text_of(row, "note"));
        sc_buf_puts(b, " |\n");
        return;
    }
    sc_buf_printf(b, " | %s", figure(text, json_object_get(row, "published"), "figure"));
    sc_buf_printf(b, " | %s | ", figure(text, json_object_get(row, "modelled"), "figure"));
    put_cell(b, text_of(row, "unit"));
    sc_buf_printf(b, " | %s %s", figure(text, json_object_get(row, "error"), "error"),
                  text_of(row, "error_unit"));
    sc_buf_printf(b, " | %s | %s | ", figure(text, json_object_get(row, "aim"), "figure"),
                  text_of(row, "use"));
    put_cell(b, text_of(row, "source"));
    if (text_of(row, "note")[0]) {
        sc_buf_puts(b, "; ");
        put_cell(b, text_of(row, "note"));
    }
    sc_buf_puts(b, " |\n");
}

sc_status sc_validation_markdown(char **out, const json_t *sections)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_puts(&b,
                "# The model beside published and measured figures\n\n"
                "Printed by `scantle validate`; do not edit. `error`: % of the published figure, "
                "or points where the figure is a share. `aim`: what the error is to stay within. "
                "`use`: tuned, constants of the model were fitted to the row; held-out, they were "
                "not; fitted, factors were fitted to these very rows; unfitted, none was, but the "
                "model was written with the rows in sight; exact, there is nothing to fit.\n");
    for (size_t i = 0; i < json_array_size(sections); i++) {
        const json_t *section = json_array_get(sections, i),
                     *rows = json_object_get(section, "rows");
        sc_buf_printf(&b, "\n## %s\n\n%s\n\n", text_of(section, "title"),
                      text_of(section, "about"));
        sc_buf_puts(&b, "| what | published | modelled | unit | error | aim | use | source |\n"
                        "|---|---:|---:|---|---:|---:|---|---|\n");
        for (size_t j = 0; j < json_array_size(rows); j++)
            put_row(&b, json_array_get(rows, j));
    }
    return sc_buf_take(&b, out);
}
