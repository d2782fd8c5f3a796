/* `evaluator: {table: ...}` of a study file. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "flow/study_read.h"
#include "flow/table_inner.h"

enum { MOST_MARKS = 1024 };

/* What is being read. */
typedef struct form {
    sc_study *s;
    sc_table *t;
    const sc_node *root, *map;
    sc_rows *rows;
} form;

static bool find_column(size_t *out, const form *f, const sc_node *at, const char *name)
{
    const size_t n = sc_rows_columns(f->rows);
    *out = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(f->t->column[i], name) != 0)
            continue;
        if (*out != SIZE_MAX) {
            sc_node_error(at, "%.200s has two columns '%.60s'", f->t->path, name);
            return false;
        }
        *out = i;
    }
    if (*out != SIZE_MAX)
        return true;
    const char *near = sc_nearest(name, f->t->column, n);
    sc_node_error(at, "%.200s has no column '%.60s'%s%s%s", f->t->path, name,
                  near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return false;
}

/* ---- the file ---- */

static bool read_names(const char *const **out, size_t *n, form *f, const char *key)
{
    if (!sc_node_get(f->map, key))
        return true;
    const sc_node *list = sc_map_sequence(f->map, key);
    if (!list)
        return false;
    const char **names = sc_study_array(f->s, list, sc_node_count(list), sizeof *names);
    for (size_t i = 0; names && i < sc_node_count(list); i++)
        names[i] = sc_node_text(sc_node_item(list, i));
    *out = names;
    *n = sc_node_count(list);
    if (names && *n == 0)
        sc_node_error(list, "an empty list");
    return names && *n > 0;
}

static bool open_rows(form *f)
{
    static const char *const separators[] = {"comma", "tab", "semicolon", "blanks"};
    static const char bytes[] = {',', '\t', ';', ' '};
    sc_rows_form how = {0};
    const char *path, *member = NULL;
    size_t which;
    if (!sc_map_text(&path, f->map, "table") ||
        !sc_map_choice_or(&which, f->map, "separator", separators, 4, 0) ||
        !read_names(&how.columns, &how.n_columns, f, "columns") ||
        (sc_node_get(f->map, "rows") && !sc_map_text(&member, f->map, "rows")))
        return false;
    const sc_node *at = sc_node_get(f->map, "table");
    how.separator = bytes[which];
    how.member = member;
    if (!(f->t->path = sc_study_reference(f->s, at, path)))
        return false;
    const sc_status st = sc_rows_open(&f->rows, f->t->path, &how);
    if (st != SC_OK)
        return sc_study_fault(at, st);
    const size_t n = strlen(path);
    f->t->numbered = (n > 5 && strcmp(path + n - 5, ".json") == 0) ||
                     (n > 8 && strcmp(path + n - 8, ".json.gz") == 0);
    return true;
}

/* Names of the columns: as the file has them, but for those that `rename` gives. */
static bool name_columns(form *f)
{
    const size_t n = sc_rows_columns(f->rows);
    const sc_node *rename = sc_node_get(f->map, "rename");
    bool ok = true;
    if (!(f->t->column = sc_study_array(f->s, f->map, n, sizeof *f->t->column)))
        return false;
    f->t->n_columns = n;
    for (size_t i = 0; i < n; i++)
        if (!(f->t->column[i] = sc_study_text(f->s, f->map, sc_rows_column(f->rows, i))))
            return false;
    if (rename && !sc_map_map(f->map, "rename"))
        return false;
    for (size_t i = 0; i < sc_node_count(rename); i++) {
        size_t column;
        const sc_node *old = sc_node_item(rename, i);
        if (!find_column(&column, f, old, sc_node_text(old)))
            ok = false;
        else if (!(f->t->column[column] = sc_study_text(f->s, old, sc_node_key(rename, i))))
            return false;
    }
    return ok;
}

/* ---- parameters ---- */

static bool read_columns(const form *f, size_t *out, size_t *n, const sc_node *item,
                         const char *key)
{
    const sc_node *list = sc_node_get(item, key);
    if (!list)
        return true;
    if (sc_node_kind_of(list) == SC_NODE_SCALAR)
        return find_column(&out[(*n)++], f, list, sc_node_text(list));
    bool ok = sc_map_sequence(item, key) != NULL;
    for (size_t i = 0; i < sc_node_count(list); i++)
        ok &= find_column(&out[(*n)++], f, sc_node_item(list, i),
                          sc_node_text(sc_node_item(list, i)));
    return ok;
}

static size_t count_of(const sc_node *n)
{
    return !n ? 0 : sc_node_kind_of(n) == SC_NODE_SCALAR ? 1 : sc_node_count(n);
}

/* `{name, column, columns, within, kind}`. */
static bool read_parameter_map(form *f, sc_table_axis *a, const sc_node *item)
{
    static const char *const keys[] = {"name", "column", "columns", "within", "kind"};
    static const char *const kinds[] = {"ordinal", "categorical"};
    const sc_node *one = sc_node_get(item, "column"), *many = sc_node_get(item, "columns");
    const char *name = sc_map_text_or(item, "name", one ? sc_node_text(one) : "");
    size_t kind;
    if (!sc_map_only(item, keys, 5) || !sc_map_choice_or(&kind, item, "kind", kinds, 2, 2) || !name)
        return false;
    if ((one != NULL) == (many != NULL)) {
        sc_node_error(item, "say `column:`, or `columns:` that together are one parameter");
        return false;
    }
    const sc_node *within = sc_node_get(item, "within");
    if (within && kind != 2) {
        sc_node_error(item, "a parameter with `within` is a place in an order: it takes no `kind`");
        return false;
    }
    const size_t room = count_of(within) + count_of(one ? one : many);
    size_t *column = sc_study_array(f->s, item, room, sizeof *column), n = 0;
    a->column = column;
    a->name = sc_study_text(f->s, item, name);
    if (!column || !a->name || !read_columns(f, column, &n, item, "within"))
        return false;
    a->n_within = n;
    if (!read_columns(f, column, &n, item, one ? "column" : "columns"))
        return false;
    a->n_columns = n - a->n_within;
    if (kind < 2)
        a->kind = kind == 0 ? SC_SPACE_ORDINAL : SC_SPACE_CATEGORICAL;
    if (a->n_columns == 0 || (a->n_columns > 1 && a->kind == SC_SPACE_ORDINAL)) {
        sc_node_error(item, a->n_columns == 0 ? "no column"
                                              : "several columns together have no order by value");
        return false;
    }
    return true;
}

static bool read_parameter(form *f, sc_table_axis *a, const sc_node *item)
{
    a->kind = -1;
    a->at = item;
    if (sc_node_kind_of(item) == SC_NODE_MAP)
        return read_parameter_map(f, a, item);
    size_t *column = sc_study_array(f->s, item, 1, sizeof *column);
    a->name = sc_study_text(f->s, item, sc_node_text(item));
    a->column = column;
    a->n_columns = 1;
    return column && a->name && find_column(column, f, item, a->name);
}

static bool read_parameters(form *f)
{
    const sc_node *list = sc_map_sequence(f->map, "parameters");
    const size_t n = sc_node_count(list);
    bool ok = true;
    if (!list)
        return false;
    if (n == 0 || n > SC_MAX_PARAMS) {
        sc_node_error(list, "%zu parameters: must be 1 to %d", n, SC_MAX_PARAMS);
        return false;
    }
    if (!(f->t->axis = sc_study_array(f->s, list, n, sizeof *f->t->axis)))
        return false;
    f->t->n_axes = n;
    for (size_t i = 0; i < n; i++)
        ok &= read_parameter(f, &f->t->axis[i], sc_node_item(list, i));
    return ok;
}

/* ---- how rows ended ---- */

static bool read_marks(form *f, const sc_node *map, sc_store_state state)
{
    bool ok = true;
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const sc_node *texts = sc_node_item(map, i);
        const size_t n = count_of(texts);
        size_t column;
        if (!find_column(&column, f, sc_node_key_node(map, i), sc_node_key(map, i))) {
            ok = false;
            continue;
        }
        if (f->t->n_marks + n > MOST_MARKS) {
            sc_node_error(texts, "over %d texts", MOST_MARKS);
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            const sc_node *text =
                sc_node_kind_of(texts) == SC_NODE_SCALAR ? texts : sc_node_item(texts, k);
            const char *kept = sc_study_text(f->s, text, sc_node_text(text));
            if (!kept)
                return false;
            f->t->mark[f->t->n_marks++] = (sc_table_mark){column, state, kept};
        }
    }
    return ok;
}

static bool read_rules(form *f)
{
    static const char *const keys[SC_TABLE_RULES] = {"failed", "infeasible", "violation"};
    static const sc_store_state states[] = {SC_STATE_FAILED, SC_STATE_INFEASIBLE};
    bool ok = true;
    if (!(f->t->mark = sc_study_array(f->s, f->map, MOST_MARKS, sizeof *f->t->mark)))
        return false;
    for (size_t i = 0; i < SC_TABLE_RULES; i++) {
        const sc_node *n = sc_node_get(f->map, keys[i]);
        if (i != SC_TABLE_VIOLATION && sc_node_kind_of(n) == SC_NODE_MAP)
            ok &= read_marks(f, n, states[i]);
        else if (n)
            f->t->rule[i] = (sc_table_figure){.name = keys[i], .text = sc_node_text(n), .at = n};
    }
    return ok;
}

/* ---- figures ---- */

static bool add_figure(form *f, const sc_node *at, const char *name, const char *text)
{
    sc_table *t = f->t;
    if (t->n_figures == SC_STORE_MAX_VALUES) {
        sc_node_error(at, "at most %d figures", SC_STORE_MAX_VALUES);
        return false;
    }
    const char *kept = sc_study_text(f->s, at, name);
    if (kept)
        t->figure[t->n_figures++] = (sc_table_figure){.name = kept, .text = text, .at = at};
    return kept != NULL;
}

/* A column that an objective or a limit names is a figure too. Other names are refused where
 * objectives and limits are read. */
static bool add_column(form *f, const sc_node *at, const char *name)
{
    if (sc_table_value_find(f->t, name) != SIZE_MAX)
        return true;
    for (size_t i = 0; i < sc_rows_columns(f->rows); i++)
        if (strcmp(f->t->column[i], name) == 0)
            return add_figure(f, at, name, name);
    return true;
}

static bool read_figures(form *f)
{
    const sc_node *values = sc_node_get(f->map, "values");
    const sc_node *objectives = sc_node_get(f->root, "objectives");
    const sc_node *limits = sc_node_get(f->root, "limits");
    bool ok = !values || sc_map_map(f->map, "values");
    if (!(f->t->figure = sc_study_array(f->s, f->map, SC_STORE_MAX_VALUES, sizeof *f->t->figure)))
        return false;
    for (size_t i = 0; ok && i < sc_node_count(values); i++)
        ok = add_figure(f, sc_node_item(values, i), sc_node_key(values, i),
                        sc_node_text(sc_node_item(values, i)));
    for (size_t i = 0; ok && i < sc_node_count(objectives); i++) {
        const sc_node *item = sc_node_item(objectives, i);
        const sc_node *name =
            sc_node_kind_of(item) == SC_NODE_MAP ? sc_node_get(item, "metric") : item;
        ok = add_column(f, name ? name : item, sc_node_text(name));
    }
    for (size_t i = 0; ok && i < sc_node_count(limits); i++)
        ok = add_column(f, sc_node_key_node(limits, i), sc_node_key(limits, i));
    return ok;
}

/* ---- names of expressions ---- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool mentions(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !in_word(at[-1])) && !in_word(at[n]))
            return true;
    return false;
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

/* Every column whose name is one; those that an expression mentions are read. */
static bool find_symbols(form *f)
{
    sc_table *t = f->t;
    const size_t n = sc_rows_columns(f->rows);
    if (!(t->symbol = sc_study_array(f->s, f->map, n, sizeof *t->symbol)))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t column;
        if (!is_name(f->t->column[i]))
            continue;
        sc_table_symbol *symbol = &t->symbol[t->n_symbols++];
        *symbol = (sc_table_symbol){.name = f->t->column[i], .column = i};
        for (size_t k = 0; k < t->n_figures && !symbol->used; k++)
            symbol->used = mentions(t->figure[k].text, symbol->name);
        for (size_t k = 0; k < SC_TABLE_RULES && !symbol->used; k++)
            symbol->used = t->rule[k].text && mentions(t->rule[k].text, symbol->name);
        if (symbol->used && !find_column(&column, f, f->map, symbol->name))
            return false;
    }
    return true;
}

/* ---- whole ---- */

static void hash_form(form *f)
{
    sc_table *t = f->t;
    sc_buf b;
    char hex[SC_HASH_HEX];
    sc_buf_init(&b);
    sc_hash_hex(sc_rows_hash(f->rows), hex);
    sc_buf_printf(&b, "%s missing %d\n", hex, (int)t->missing);
    for (size_t i = 0; i < t->n_axes; i++) {
        sc_buf_printf(&b, "parameter %s %d %zu", t->axis[i].name, t->axis[i].kind,
                      t->axis[i].n_within);
        for (size_t k = 0; k < t->axis[i].n_within + t->axis[i].n_columns; k++)
            sc_buf_printf(&b, " %zu", t->axis[i].column[k]);
        sc_buf_puts(&b, "\n");
    }
    for (size_t i = 0; i < t->n_marks; i++)
        sc_buf_printf(&b, "mark %zu %d %s\n", t->mark[i].column, (int)t->mark[i].state,
                      t->mark[i].text);
    for (size_t i = 0; i < SC_TABLE_RULES; i++)
        sc_buf_printf(&b, "rule %s\n", t->rule[i].text ? t->rule[i].text : "");
    for (size_t i = 0; i < t->n_figures; i++)
        sc_buf_printf(&b, "figure %s %s\n", t->figure[i].name, t->figure[i].text);
    for (size_t i = 0; i < sc_rows_columns(f->rows); i++)
        sc_buf_printf(&b, "column %s\n", f->t->column[i]);
    if (b.status != SC_OK)
        sc_node_fail(f->map, b.status);
    else
        t->hash = sc_hash128_of(b.text, b.length);
    sc_buf_clear(&b);
    sc_hash_hex(t->hash, hex);
    (void)snprintf(t->evaluator, sizeof t->evaluator, "table:%.12s", hex);
}

static bool is_row(const void *payload, const uint32_t *origin)
{
    return sc_table_find(payload, origin) != SIZE_MAX;
}

/* What the points of the grid are that have no row: the table may not fill it unless that is said.
 */
static bool settle_missing(form *f)
{
    sc_table *t = f->t;
    sc_status st = SC_OK;
    double grid = 1.0;
    for (size_t i = 0; i < t->n_axes; i++)
        grid *= t->axis[i].n_values;
    if (t->missing == SC_MISSING_UNSAID && (double)t->n_rows < grid) {
        sc_node_error(
            f->map,
            "%.200s has %zu of the %.6g points of its parameters: say what the others are, "
            "`missing: infeasible`, `missing: failed` or `missing: excluded` (never tried)",
            t->path, t->n_rows, grid);
        return false;
    }
    if (t->missing == SC_MISSING_EXCLUDED)
        st = sc_space_require_member(f->s->space, "recorded", "is a row of the table", is_row, t);
    return st == SC_OK || sc_study_fault(f->map, st);
}

bool sc_study_read_table(sc_study *s, const sc_node *root)
{
    static const char *const keys[] = {"table",  "separator", "columns",    "rows",
                                       "rename", "values",    "parameters", "infeasible",
                                       "failed", "violation", "missing"};
    static const char *const ways[] = {"infeasible", "failed", "excluded"};
    form f = {.s = s, .root = root, .map = sc_node_get(root, "evaluator")};
    size_t missing = 0;
    if (!(f.t = s->table = sc_calloc(1, sizeof *f.t))) {
        sc_node_fail(root, SC_ENOMEM);
        return false;
    }
    bool ok = sc_map_only(f.map, keys, sizeof keys / sizeof *keys);
    if (sc_node_get(f.map, "missing")) {
        ok &= sc_map_choice(&missing, f.map, "missing", ways, 3);
        f.t->missing = (sc_table_missing)(missing + SC_MISSING_INFEASIBLE);
    }
    ok = ok && open_rows(&f) && name_columns(&f);
    if (ok) {
        ok &= read_parameters(&f);
        ok &= read_rules(&f);
        ok &= read_figures(&f);
    }
    ok = ok && find_symbols(&f) && sc_table__load(f.t, s, f.rows, sc_node_get(f.map, "table"));
    if (ok) {
        hash_form(&f);
        ok = settle_missing(&f);
    }
    sc_rows_close(f.rows);
    return ok;
}
