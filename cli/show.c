#include "show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "text.h"

/* Sums and means of exact integers may arrive as reals; both are numbers here. */
static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void format_count(char *out, size_t size, const json_t *value)
{
    char digits[32];
    if (!json_is_integer(value)) {
        (void)snprintf(out, size, "%.4g", number_of(value));
        return;
    }
    (void)snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    size_t n = strlen(digits), at = 0;
    for (size_t i = 0; i < n && at + 2 < size; i++) {
        bool boundary = i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-';
        if (boundary)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

static void format_text(char *out, size_t size, const json_t *value)
{
    if (json_is_string(value))
        (void)snprintf(out, size, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        (void)snprintf(out, size, "%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_integer(value))
        (void)snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (number_of(value) == floor(number_of(value)) && fabs(number_of(value)) < 1e15)
        (void)snprintf(out, size, "%.0f", number_of(value));
    else
        (void)snprintf(out, size, "%.6g", number_of(value));
}

void sc_cli_format(char *out, size_t size, const json_t *value, sc_cli_form form)
{
    if (value == NULL || json_is_null(value)) {
        (void)snprintf(out, size, "-");
        return;
    }
    const double number = number_of(value);
    switch (form) {
    case SC_CLI_AS_TEXT: format_text(out, size, value); return;
    case SC_CLI_AS_COUNT: format_count(out, size, value); return;
    case SC_CLI_AS_NUMBER:
        (void)snprintf(out, size, fabs(number) < 1e6 && number == trunc(number) ? "%.0f" : "%.4g",
                       number);
        return;
    case SC_CLI_AS_PERCENT: (void)snprintf(out, size, "%.1f %%", 100 * number); return;
    case SC_CLI_AS_MM2: (void)snprintf(out, size, "%.4g mm2", number); return;
    case SC_CLI_AS_RATE: (void)snprintf(out, size, "%.4g/s", number); return;
    case SC_CLI_AS_BYTES: sc_quantity_format(out, size, number, SC_UNIT_BYTES); return;
    case SC_CLI_AS_SECONDS: sc_quantity_format(out, size, number, SC_UNIT_SECOND); return;
    case SC_CLI_AS_JOULE: sc_quantity_format(out, size, number, SC_UNIT_JOULE); return;
    case SC_CLI_AS_WATT: sc_quantity_format(out, size, number, SC_UNIT_WATT); return;
    case SC_CLI_AS_HZ: sc_quantity_format(out, size, number, SC_UNIT_HZ); return;
    }
}

void sc_cli_format_exact(char *out, size_t size, const json_t *value)
{
    const double number = number_of(value);
    if (!json_is_real(value)) {
        format_text(out, size, value);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) { /* 17 tell any two doubles apart */
        (void)snprintf(out, size, "%.*g", digits, number);
        if (strtod(out, NULL) == number)
            return;
    }
}

void sc_cli_format_parameter(char *out, size_t size, const json_t *value, const json_t *unit)
{
    if (json_is_number(value) && json_is_string(unit))
        sc_quantity_exact(out, size, json_number_value(value),
                          sc_unit_of_symbol(json_string_value(unit)));
    else
        sc_cli_format_exact(out, size, value);
}

const json_t *sc_cli_find(const json_t *object, const char *key)
{
    while (object != NULL) {
        size_t n = strcspn(key, ".");
        object = json_object_getn(object, key, n);
        if (key[n] == '\0')
            return object;
        key += n + 1;
    }
    return NULL;
}

static bool any_row_has(const json_t *rows, const char *key)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (sc_cli_find(json_array_get(rows, i), key) != NULL)
            return true;
    return false;
}

enum { MAX_FIELDS = 32, CELL_BYTES = 512 };

void sc_cli_show_cell(sc_cli_table *table, const json_t *value, sc_cli_form form)
{
    char cell[CELL_BYTES];
    sc_cli_format(cell, sizeof cell, value, form);
    sc_cli_table_cell(table, "%s", cell);
}

sc_status sc_cli_show_rows(const json_t *rows, const sc_cli_field *fields)
{
    sc_cli_column columns[MAX_FIELDS];
    const sc_cli_field *shown[MAX_FIELDS];
    sc_cli_table table;
    size_t n = 0;

    for (const sc_cli_field *f = fields; f->key != NULL && n < MAX_FIELDS; f++) {
        if (!any_row_has(rows, f->key))
            continue;
        columns[n] = (sc_cli_column){f->heading, f->form != SC_CLI_AS_TEXT};
        shown[n++] = f;
    }
    if (n == 0)
        return SC_OK;
    sc_cli_table_begin(&table, columns, n);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        for (size_t c = 0; c < n; c++)
            sc_cli_show_cell(&table, sc_cli_find(row, shown[c]->key), shown[c]->form);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

void sc_cli_show_fields(const json_t *object, const sc_cli_field *fields)
{
    size_t width = 0;
    for (const sc_cli_field *f = fields; f->key != NULL; f++)
        if (sc_cli_find(object, f->key) != NULL && strlen(f->heading) > width)
            width = strlen(f->heading);
    for (const sc_cli_field *f = fields; f->key != NULL; f++) {
        char cell[CELL_BYTES];
        const json_t *value = sc_cli_find(object, f->key);
        if (value == NULL)
            continue;
        sc_cli_format(cell, sizeof cell, value, f->form);
        fputs(f->heading, stdout);
        sc_cli_put_blanks(stdout, width - strlen(f->heading) + 2);
        sc_cli_put_safe(stdout, cell);
        fputc('\n', stdout);
    }
}

sc_status sc_cli_show_map(const json_t *object, const char *heading, sc_cli_form form)
{
    const sc_cli_column columns[] = {{heading, false}, {"value", true}};
    json_t *walked = json_copy((json_t *)(uintptr_t)object); /* iterators take no const object */
    const char *key = NULL;
    json_t *value = NULL;
    sc_cli_table table;

    if (json_object_size(walked) == 0) {
        json_decref(walked);
        return SC_OK;
    }
    sc_cli_table_begin(&table, columns, 2);
    json_object_foreach(walked, key, value)
    {
        sc_cli_table_cell(&table, "%s", key);
        sc_cli_show_cell(&table, value, form);
    }
    json_decref(walked);
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

sc_status sc_cli_show_parameters(const json_t *params, const json_t *units)
{
    json_t *texts = json_object(), *walked = json_copy((json_t *)(uintptr_t)params), *value = NULL;
    const char *key = NULL;

    json_object_foreach(walked, key, value)
    {
        char text[CELL_BYTES];
        sc_cli_format_parameter(text, sizeof text, value, json_object_get(units, key));
        (void)json_object_set_new(texts, key, json_string(text));
    }
    sc_status st = sc_cli_show_map(texts, "parameter", SC_CLI_AS_TEXT);
    json_decref(walked);
    json_decref(texts);
    return st;
}

void sc_cli_show_heading(const char *heading)
{
    bool color = sc_cli_color_out();
    printf("\n%s%s%s\n", color ? "\033[1m" : "", heading, color ? "\033[0m" : "");
}

int sc_cli_show(const sc_cli *cli, char *document, sc_cli_show_fn show)
{
    json_error_t where;
    int code = SC_EXIT_OK;

    if (cli->globals.json) {
        sc_cli_put_line(document);
        sc_release(document);
        return SC_EXIT_OK;
    }
    json_t *root = json_loads(document, JSON_DECODE_ANY, &where);
    if (root == NULL) {
        sc_cli_error("the library's document does not parse: %s", where.text);
        code = SC_EXIT_INTERNAL;
    } else {
        code = sc_cli_show_json(cli, root, show);
    }
    json_decref(root);
    sc_release(document);
    return code;
}

int sc_cli_show_json(const sc_cli *cli, const json_t *root, sc_cli_show_fn show)
{
    if (root != NULL && !cli->globals.json) {
        sc_status st = show(root);
        return st == SC_OK ? SC_EXIT_OK : sc_cli_fail(st);
    }
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_ENCODE_ANY);
    if (text == NULL) {
        sc_cli_error("out of memory");
        return SC_EXIT_INTERNAL;
    }
    sc_cli_put_line(text);
    free(text);
    return SC_EXIT_OK;
}
