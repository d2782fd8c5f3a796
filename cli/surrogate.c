/** What the commands of the surrogate share. */
#include "surrogate.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "scantle/text.h"
#include "show.h"

int sc_cli_threads(const sc_cli *cli)
{
    return cli->globals.threads.given ? (int)cli->globals.threads.value : 0;
}

/* ---- CSV as JSON ---- */

/* The next cell of a line in place; *end: what ended it. */
static char *next_cell(char **at, char *end)
{
    char *from = *at, *to = *at, *cell = *at;
    const bool quoted = *from == '"';
    if (quoted)
        from++;
    while (*from != '\0' && (quoted || (*from != ',' && *from != '\n'))) {
        if (quoted && *from == '"' && *++from != '"')
            break;
        *to++ = *from++;
    }
    *end = *from;
    *at = *from == '\0' ? from : from + 1;
    *to = '\0';
    return cell;
}

static json_t *value_of(const char *cell)
{
    char *rest = NULL;
    if (*cell == '\0')
        return json_null();
    const double v = strtod(cell, &rest);
    const bool number = *rest == '\0' && *cell != '+' && *cell != ' ';
    json_t *real = number ? json_real(v) : NULL; /* NULL for infinities and NaN too */
    return real != NULL ? real : json_string(cell);
}

static json_t *rows_of(char *text)
{
    json_t *rows = json_array();
    const char *name[4096];
    size_t n = 0;
    char end = ',';
    for (char *at = text; *at != '\0';) {
        if (n == 0 && rows != NULL)
            for (end = ','; end == ',' && n < 4096;)
                name[n++] = next_cell(&at, &end);
        json_t *row = *at != '\0' ? json_object() : NULL;
        end = ',';
        for (size_t i = 0; *at != '\0' && end == ',' && i < n; i++)
            (void)json_object_set_new(row, name[i], value_of(next_cell(&at, &end)));
        if (row != NULL)
            (void)json_array_append_new(rows, row);
    }
    return rows;
}

int sc_cli_put_csv(const sc_cli *cli, char *text, const char *path)
{
    int code = SC_EXIT_OK;
    if (!cli->globals.json) {
        code = sc_cli_write(path, text);
    } else {
        json_t *rows = rows_of(text);
        char *json = json_dumps(rows, JSON_INDENT(2));
        code = json != NULL ? sc_cli_write(path, json) : SC_EXIT_INTERNAL;
        if (json == NULL)
            sc_cli_error("no memory for the rows as JSON");
        json_decref(rows);
        free(json);
    }
    sc_release(text);
    return code;
}

/* ---- names ---- */

bool sc_cli_split_names(sc_cli_list *out, const sc_cli_list *texts)
{
    size_t most = 0;
    for (size_t i = 0; i < texts->n; i++) {
        most++;
        for (const char *c = texts->item[i]; *c != '\0'; c++)
            most += *c == ',';
    }
    out->n = 0;
    out->item = calloc(most + 1, sizeof *out->item);
    for (size_t i = 0; out->item != NULL && i < texts->n; i++) {
        char *copy = strdup(texts->item[i]), *rest = NULL;
        if (copy == NULL)
            break;
        for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
            char *own = strdup(name);
            if (own != NULL)
                out->item[out->n++] = own;
        }
        free(copy);
    }
    if (out->item == NULL)
        sc_cli_error("no memory for names of columns");
    return out->item != NULL;
}

void sc_cli_free_names(sc_cli_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        free((void *)(uintptr_t)names->item[i]);
    free(names->item);
}
