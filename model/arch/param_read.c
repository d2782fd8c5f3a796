/* The `parameters:` list of a template: domains, defaults and conditions. */
#include <string.h>

#include "core/param.h"
#include "model/arch/param.h"

static void read_default(sc_param *p, const sc_node *n)
{
    const char *text = NULL;
    uint32_t index = 0;
    if (!sc_map_text(&text, n, "default"))
        return;
    if (sc_param__find(&index, p, text) != SC_OK)
        sc_node_error(sc_node_get(n, "default"), "%s", sc_error_message());
    p->fallback = index;
}

/* Copy the values, and the labels: words that expressions can name. */
static bool keep_values(sc_param *p, sc_arena *arena, const sc_param_form *f, const sc_node *n)
{
    double *values = sc_arena_calloc(arena, f->n_values, sizeof *values);
    const char **labels = f->labels ? sc_arena_calloc(arena, f->n_values, sizeof *labels) : NULL;
    if (!values || (f->labels && !labels)) {
        sc_node_fail(n, SC_ENOMEM);
        return false;
    }
    memcpy(values, f->values, f->n_values * sizeof *values);
    for (size_t i = 0; f->labels && i < f->n_values; i++) {
        const sc_node *item = sc_node_item(sc_node_get(n, "values"), i);
        if (!sc_name__ok(f->labels[i])) {
            sc_node_error(item, "a label is a letter or _ followed by letters, digits or _");
            return false;
        }
        if (!(labels[i] = sc_arena__text(arena, item, f->labels[i])))
            return false;
    }
    p->values = values;
    p->labels = labels;
    p->n_values = f->n_values;
    return true;
}

static void read_param(sc_param *p, sc_formula *when, sc_scope *s, const sc_node *n)
{
    sc_param_form f;
    *p = (sc_param){0};
    *when = sc_formula__number(1);
    const bool ok = sc_param_form_read(&f, n, SC_MAX_VALUES);
    p->name = f.name ? sc_arena__text(s->arena, n, f.name) : NULL;
    p->kind = f.kind;
    p->unit = f.unit;
    if (p->name && ok) {
        p->about = sc_arena__text(s->arena, n, sc_map_text_or(n, "about", ""));
        if (keep_values(p, s->arena, &f, n))
            read_default(p, n);
    }
    sc_param_form_clear(&f);
    if (p->name && sc_node_get(n, "when") &&
        sc_formula__read(when, s, sc_node_get(n, "when"), SC_UNIT_NONE))
        p->when = sc_arena__text(s->arena, n, sc_expr_text(when->expr));
}

void sc_params__read(sc_scope *s, sc_formula *when, const sc_node *list)
{
    s->first_param = s->n_symbols;
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *n = sc_node_item(list, i);
        sc_param *p = &s->param[s->n_params];
        if (s->n_params == SC_TEMPLATE_PARAMS) {
            sc_node_error(n, "more than %d parameters", SC_TEMPLATE_PARAMS);
            return;
        }
        /* with an error in it, its name stays known: no second error wherever it is used */
        read_param(p, &when[s->n_params], s, n);
        if (p->name && sc_scope__add(s, sc_node_get(n, "name"), "parameter", p->name, p->labels,
                                     p->labels ? p->n_values : 0) < SC_MAX_SYMBOLS)
            s->n_params++;
    }
}
