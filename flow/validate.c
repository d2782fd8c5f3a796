#include "flow/validate.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"

void sc_validation_begin(sc_validation *v, const char *title, const char *about)
{
    json_t *section = json_object(), *rows = json_array();
    sc_json_set(section, "title", json_string(title), &v->ok);
    sc_json_set(section, "about", json_string(about), &v->ok);
    sc_json_set(section, "rows", rows, &v->ok);
    sc_json_append(v->sections, section, &v->ok);
    v->rows = rows;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

void sc_validation_add(sc_validation *v, const sc_validation_row *r)
{
    json_t *row = json_object();
    sc_json_set(row, "what", json_string(r->what), &v->ok);
    sc_json_set(row, "published", sc_json_real(r->published), &v->ok);
    sc_json_set(row, "modelled", sc_json_real(r->modelled), &v->ok);
    sc_json_set(row, "unit", text_or_null(r->unit), &v->ok);
    sc_json_set(row, "error", sc_json_real(r->error), &v->ok);
    sc_json_set(row, "error_unit",
                text_or_null(isnan(r->error) ? NULL
                             : r->points     ? "points"
                                             : "%"),
                &v->ok);
    sc_json_set(row, "aim", sc_json_real(r->aim), &v->ok);
    sc_json_set(row, "use", text_or_null(r->use), &v->ok);
    sc_json_set(row, "source", text_or_null(r->source), &v->ok);
    sc_json_set(row, "note", text_or_null(r->note), &v->ok);
    if (v->ok)
        sc_json_append(v->rows, row, &v->ok);
    else
        json_decref(row);
}

void sc_validation_absent(sc_validation *v, const char *what, const char *why)
{
    sc_validation_row r = SC_VALIDATION_ROW(what);
    r.note = why;
    sc_validation_add(v, &r);
}

char *sc_validation_data(sc_validation *v, const char *what, const char *name)
{
    if (!v->options.data) {
        sc_validation_absent(v, what, "not there: no folder of reference data was given");
        return NULL;
    }
    char *path = sc_path_join(v->options.data, name);
    if (path && sc_file_exists(path))
        return path;
    v->ok = v->ok && path;
    sc_free(path);
    sc_validation_absent(v, what, "not there: the folder of reference data has no such part");
    return NULL;
}

sc_status sc_validate(char **markdown, char **json, const sc_validate_options *o)
{
    static const sc_validate_options defaults = SC_VALIDATE_OPTIONS_INIT;
    sc_validation v = {.sections = json_array(), .ok = true, .options = o ? *o : defaults};
    json_t *root = json_object();
    char *page = NULL, *document = NULL;
    sc_status st = SC_ENOMEM;

    v.ok = v.sections && root;
    sc_validate_counts(&v);
    sc_validate_systolic(&v);
    sc_validate_rtl(&v);
    sc_validate_gemm(&v);
    sc_validate_tpu_v1(&v);
    sc_validate_eyeriss(&v);
    sc_validate_anchors(&v);
    if (v.ok && json_object_set(root, "sections", v.sections) != 0)
        v.ok = false;
    if (!v.ok) {
        st = sc_fail(SC_ENOMEM, "out of memory");
        goto done;
    }
    st = markdown ? sc_validation_markdown(&page, v.sections) : SC_OK;
    if (st == SC_OK && json)
        st = sc_json_write(&document, root, 1);
    if (st != SC_OK)
        goto done;
    if (markdown)
        *markdown = page;
    if (json)
        *json = document;
    page = NULL;
done:
    sc_free(page);
    json_decref(root);
    json_decref(v.sections);
    return st;
}
