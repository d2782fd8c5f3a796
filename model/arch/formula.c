#include "model/arch/formula.h"

#include <math.h>
#include <string.h>

#include "core/number.h"

sc_formula sc_formula__number(double value)
{
    return (sc_formula){.number = value, .file = ""};
}

void sc_scope__clear(sc_scope *s)
{
    for (size_t i = 0; i < s->n_exprs; i++)
        sc_expr_destroy(s->expr[i]);
    s->n_exprs = 0;
}

/* Keys that are left out of a template's hash, so no figure may stand under them. */
static bool is_reserved(const char *name)
{
    return strcmp(name, "about") == 0 || strcmp(name, "source") == 0;
}

size_t sc_scope__add(sc_scope *s, const sc_node *at, const char *kind, const char *name,
                     const char *const *labels, size_t n_labels)
{
    if (!sc_name__ok(name) || is_reserved(name)) {
        sc_node_error(at, "a name is a letter or _ followed by letters, digits or _, at most 47 "
                          "bytes, and neither 'about' nor 'source'");
        return SC_MAX_SYMBOLS;
    }
    for (size_t i = 0; i < s->n_symbols; i++)
        if (strcmp(s->symbol[i].name, name) == 0) {
            sc_node_error(at, "'%s' is already a %s", name, s->kind[i]);
            return SC_MAX_SYMBOLS;
        }
    if (s->n_symbols == SC_MAX_SYMBOLS) {
        sc_node_error(at, "more than %d names", SC_MAX_SYMBOLS);
        return SC_MAX_SYMBOLS;
    }
    s->kind[s->n_symbols] = kind;
    s->symbol[s->n_symbols] = (sc_symbol){name, labels, n_labels};
    return s->n_symbols++;
}

bool sc_formula__read(sc_formula *out, sc_scope *s, const sc_node *at, sc_unit unit)
{
    sc_formula f = {.file = s->file, .line = sc_node_line(at), .column = sc_node_column(at)};
    sc_expr *e = NULL;

    if (unit != SC_UNIT_NONE && sc_quantity_parse(&f.number, sc_node_text(at), unit) == SC_OK) {
        *out = f;
        return true;
    }
    if (s->n_exprs == SC_MAX_FORMULAS) {
        sc_node_error(at, "more than %d expressions", SC_MAX_FORMULAS);
        return false;
    }
    if (!sc_expr_from_node(&e, at, s->symbol, s->n_symbols))
        return false;
    s->expr[s->n_exprs++] = e;
    f.expr = e;
    *out = f;
    return true;
}

void sc_scope__read_lets(sc_scope *s, const sc_node *map)
{
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const sc_node *key = sc_node_key_node(map, i);
        sc_formula f;
        if (s->n_lets == SC_MAX_LETS) {
            sc_node_error(key, "more than %d lets", SC_MAX_LETS);
            return;
        }
        if (!sc_formula__read(&f, s, sc_node_item(map, i), SC_UNIT_NONE))
            f = sc_formula__number((double)NAN); /* its name stays known: no second error */
        const char *name = sc_arena__text(s->arena, key, sc_node_key(map, i));
        if (name && sc_scope__add(s, key, "let", name, NULL, 0) < SC_MAX_SYMBOLS)
            s->let[s->n_lets++] = f;
    }
}

static size_t first_let(const sc_scope *s)
{
    return s->first_param + s->n_params;
}

static double evaluate(const sc_formula *f, sc_point *p)
{
    const sc_scope *s = p->scope;
    if (!p->filled) {
        p->filled = true;
        memcpy(p->value, s->value, s->first_param * sizeof p->value[0]);
        for (size_t i = 0; i < s->n_params; i++)
            p->value[s->first_param + i] = s->param[i].values[p->index[i]];
        for (size_t i = 0; i < s->n_lets; i++) /* a let uses only the names before it */
            p->value[first_let(s) + i] = sc_formula__value(&s->let[i], p);
    }
    return sc_expr_eval(f->expr, p->value);
}

double sc_formula__value(const sc_formula *f, sc_point *p)
{
    if (f->table) {
        size_t at = 0;
        for (size_t i = 0; i < f->n_deps; i++)
            at += (size_t)p->index[f->dep[i]] * f->stride[i];
        return f->table[at];
    }
    return f->expr ? evaluate(f, p) : f->number;
}

/* Parameters a formula's value can depend on, through lets too; bit i is parameter i. */
static uint64_t params_of(const sc_formula *f, const sc_scope *s)
{
    uint64_t let_params[SC_MAX_LETS] = {0}, all = 0;
    for (size_t l = 0; l <= s->n_lets; l++) {
        const sc_expr *e = l < s->n_lets ? s->let[l].expr : f->expr;
        uint64_t mask = 0;
        for (size_t i = s->first_param; e && i < s->n_symbols; i++) {
            if (!sc_expr_uses(e, i))
                continue;
            if (i < first_let(s))
                mask |= UINT64_C(1) << (i - s->first_param);
            else
                mask |= let_params[i - first_let(s)];
        }
        if (l < s->n_lets)
            let_params[l] = mask;
        else
            all = mask;
    }
    return all;
}

/* Fill dep and stride. @return the number of values, 0 if there are too many. */
static size_t plan_table(sc_formula *f, const sc_scope *s)
{
    const uint64_t params = params_of(f, s);
    size_t n = 1, n_deps = 0;
    for (size_t i = 0; i < s->n_params; i++) {
        if (!(params >> i & 1))
            continue;
        if (n_deps == SC_FORMULA_DEPS || s->param[i].n_values > SC_FORMULA_TABLE / n)
            return 0;
        f->dep[n_deps] = (uint8_t)i;
        f->stride[n_deps++] = (uint32_t)n;
        n *= s->param[i].n_values;
    }
    f->n_deps = (uint8_t)n_deps;
    return n;
}

/* Text looked at for one value: the formula's and, as they are filled in first, the lets'. */
static size_t work_of(const sc_formula *f, const sc_scope *s)
{
    size_t n = strlen(sc_expr_text(f->expr));
    for (size_t i = 0; i < s->n_lets; i++)
        if (s->let[i].expr && !s->let[i].table)
            n += strlen(sc_expr_text(s->let[i].expr));
    return n;
}

static bool spend(sc_scope *s, size_t n, size_t each)
{
    if (each > (SC_TABLE_WORK - s->table_work) / n)
        return false;
    s->table_work += n * each;
    return true;
}

sc_status sc_formula__tabulate(sc_formula *f, sc_scope *s)
{
    uint32_t index[SC_TEMPLATE_PARAMS] = {0};
    const size_t n = f->expr ? plan_table(f, s) : 0;
    if (n == 0 || !spend(s, n, work_of(f, s)))
        return SC_OK;
    double *table = sc_arena_calloc(s->arena, n, sizeof *table);
    if (!table)
        return SC_ENOMEM;
    for (size_t k = 0; k < n; k++) {
        for (size_t d = 0; d < f->n_deps; d++)
            index[f->dep[d]] = (uint32_t)(k / f->stride[d] % s->param[f->dep[d]].n_values);
        sc_point p;
        p.scope = s;
        p.index = index;
        p.filled = false;
        table[k] = evaluate(f, &p);
    }
    f->table = table;
    return SC_OK;
}

sc_status sc_formula__fail(const sc_formula *f, double value, const char *needed)
{
    char number[32];
    sc_double_text(number, sizeof number, value);
    return sc_fail(SC_ERANGE, "%s:%d:%d: error: '%s' is %s at this point, not %s", f->file, f->line,
                   f->column, f->expr ? sc_expr_text(f->expr) : number, number, needed);
}
