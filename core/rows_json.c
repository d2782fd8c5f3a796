#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "core/rows_inner.h"

enum { MOST_BYTES = 64 << 20 };

/* Columns in the order in which rows first name them. */
static sc_status add_members(sc_rows *r, const json_t *row, json_t *known)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)row, name, value)
    {
        if (json_object_get(known, name))
            continue;
        const sc_status st = sc_rows__add_column(r, name);
        if (st != SC_OK || json_object_set_new(known, name, json_true()) != 0)
            return st != SC_OK ? st : SC_ENOMEM;
    }
    return SC_OK;
}

static sc_status find_columns(sc_rows *r)
{
    json_t *known = json_object(), *row;
    size_t i, number = 0;
    const char *key;
    sc_status st = known ? SC_OK : SC_ENOMEM;
    if (json_is_array(r->list))
        json_array_foreach(r->list, i, row)
        {
            number++;
            if (st == SC_OK)
                st = json_is_object(row)
                         ? add_members(r, row, known)
                         : sc_fail(SC_EPARSE, "%s: row %zu: error: a row must be an object",
                                   r->name, number);
        }
    else
        json_object_foreach(r->list, key, row)
        {
            if (st == SC_OK)
                st = json_is_object(row)
                         ? add_members(r, row, known)
                         : sc_fail(SC_EPARSE, "%s: '%.100s': error: a row must be an object",
                                   r->name, key);
        }
    json_decref(known);
    return st;
}

sc_status sc_rows__json_open(sc_rows *r, const sc_rows_form *form)
{
    char *text = NULL;
    size_t n = 0;
    sc_status st = sc_file_read(&text, &n, r->name, MOST_BYTES);
    if (st == SC_OK)
        st = sc_json_parse(&r->root, r->name, text, n);
    if (st == SC_OK)
        r->hash = sc_hash128_of(text, n);
    sc_free(text);
    if (st != SC_OK)
        return st;
    r->list = form->member ? json_object_get(r->root, form->member) : r->root;
    if (!json_is_array(r->list) && !json_is_object(r->list))
        return sc_fail(SC_EPARSE, "%s:1:1: error: no list of rows%s%.60s%s", r->name,
                       form->member ? " under '" : "", form->member ? form->member : "",
                       form->member ? "'" : "");
    if (form->columns)
        return sc_fail(SC_EPARSE, "%s:1:1: error: rows of JSON name their columns themselves",
                       r->name);
    if ((st = find_columns(r)) != SC_OK)
        return st;
    if (r->n_columns == 0)
        return sc_fail(SC_EPARSE, "%s:1:1: error: no row in it", r->name);
    if (!(r->number = sc_calloc(r->n_columns, sizeof *r->number)))
        return SC_ENOMEM;
    sc_rows__json_rewind(r);
    return sc_rows__make_cells(r);
}

void sc_rows__json_rewind(sc_rows *r)
{
    r->count = 0;
    r->next = 0;
    r->next_member = json_is_object(r->list) ? json_object_iter(r->list) : NULL;
}

/* Lists and objects are no cells: they read as empty. */
static const char *text_of(const json_t *value, char number[SC_ROWS_NUMBER])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value))
        return "";
    sc_double_text(number, SC_ROWS_NUMBER, json_number_value(value));
    return number;
}

void sc_rows__json_next(bool *got, sc_rows *r)
{
    const json_t *row = NULL;
    r->key = NULL;
    if (json_is_array(r->list)) {
        row = json_array_get(r->list, r->next++);
    } else if (r->next_member) {
        row = json_object_iter_value(r->next_member);
        r->key = json_object_iter_key(r->next_member);
        r->next_member = json_object_iter_next(r->list, r->next_member);
    }
    *got = row != NULL;
    if (!row)
        return;
    r->line = (uint32_t)(r->count + 1);
    for (size_t i = 0; i < r->n_columns; i++)
        r->cell[i] = (sc_cell){.text = text_of(json_object_get(row, r->column[i]), r->number[i])};
}
