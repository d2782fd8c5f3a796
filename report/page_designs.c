#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/figure.h"
#include "report/page.h"

/* The figure of value v in the unit that suits the designs of the list and the baseline. */
static void figure_of(sc_figure *out, const sc_report_study *r, size_t v,
                      const sc_report_row *const *list, size_t n, const sc_report_baseline *base)
{
    const char *name = r->info->study.values[v].name;
    double largest = fabs(sc_report_baseline_value(base, name));
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(list[i]->values[v])); /* fmax passes over NaN */
    sc_figure_of(out, name, largest);
}

/* A figure of one of several networks: the tables of designs leave these to the export. */
static bool of_one_network(const sc_report_study *r, size_t v)
{
    return strchr(r->info->study.values[v].name, '[') != NULL;
}

static void name_cell(sc_buf *b, const char *name)
{
    sc_buf_puts(b, "<tr><td>");
    sc_buf_xml(b, name);
    sc_buf_puts(b, "</td>");
}

/* ---- the outcome ---- */

/* "at most 265 (the baseline's)", or nothing. */
static void limit_cell(sc_buf *b, const sc_report_study *r, const char *name, const sc_figure *f)
{
    const json_t *limits = json_object_get(r->form, "limits");
    sc_buf_puts(b, "<td class=\"l\">");
    for (size_t i = 0; i < json_array_size(limits); i++) {
        const json_t *l = json_array_get(limits, i), *value = json_object_get(l, "value");
        const char *on = json_string_value(json_object_get(l, "name"));
        const char *bound = json_string_value(json_object_get(l, "bound"));
        char number[SC_FIGURE_NUMBER];
        if (!on || !bound || strcmp(on, name) != 0)
            continue;
        sc_figure_number(number, json_number_value(value) * f->factor);
        sc_buf_printf(b, "at %s %s%s ", strcmp(bound, "max") == 0 ? "most" : "least", number,
                      json_is_true(json_object_get(l, "of_baseline")) ? " (the baseline's)" : "");
    }
    sc_buf_puts(b, "</td>");
}

static bool has_limits(const sc_report_study *r)
{
    return json_array_size(json_object_get(r->form, "limits")) > 0;
}

static void outcome_row(sc_buf *b, const sc_report_study *r, size_t v, const sc_report_row *best,
                        const sc_report_baseline *base)
{
    const char *name = r->info->study.values[v].name;
    const double theirs = sc_report_baseline_value(base, name), ours = best->values[v];
    sc_figure f;
    char heading[SC_FIGURE_TITLE];
    figure_of(&f, r, v, &best, 1, base);
    sc_figure_heading(heading, &f);
    name_cell(b, heading);
    sc_figure_cell(b, &f, ours);
    if (base->root) {
        sc_figure_cell(b, &f, theirs);
        sc_figure_cell(b, &(sc_figure){.unit = "", .factor = 1.0}, ours / theirs);
    }
    if (has_limits(r))
        limit_cell(b, r, name, &f);
    sc_buf_puts(b, "</tr>\n");
}

static void outcome_sentence(sc_buf *b, const sc_report_study *r, const sc_report_row *best,
                             const sc_report_baseline *base)
{
    const char *name = sc_report_objective(r, 0);
    const double ours = best->values[r->objectives[0]];
    const double theirs = sc_report_baseline_value(base, name);
    sc_figure f;
    char number[SC_FIGURE_NUMBER];
    figure_of(&f, r, r->objectives[0], &best, 1, base);
    sc_figure_number(number, ours * f.factor);
    sc_buf_printf(b, "<p class=\"outcome\">The best design%s is trial %llu (%s): ",
                  r->n_objectives > 1 ? " by the first objective" : "",
                  (unsigned long long)best->index, best->id);
    sc_buf_xml(b, f.title);
    sc_buf_printf(b, " <b>%s%s%s</b>", number, f.unit[0] ? " " : "", f.unit);
    if (isfinite(theirs) && theirs != 0.0) {
        sc_figure_number(number, ours / theirs);
        sc_buf_printf(b, ", <b>%s times</b> that of the baseline ", number);
        sc_buf_xml(b, base->spec ? base->spec : "");
    }
    sc_buf_puts(b, ".</p>\n");
}

void sc_page_outcome(sc_buf *b, const sc_report_study *r, const sc_report_row *best,
                     const sc_report_baseline *base)
{
    const sc_store_counts *c = &r->info->counts;
    sc_buf_puts(b, "<h1>");
    sc_buf_xml(b, r->info->study.name);
    sc_buf_puts(b, "</h1>\n");
    if (!best || r->n_objectives == 0) {
        sc_buf_printf(b, "<p class=\"outcome\">None of %llu trials is feasible.</p>\n",
                      (unsigned long long)c->trials);
        return;
    }
    outcome_sentence(b, r, best, base);
    sc_buf_puts(b, "<table><tr><th></th><th>best design</th>");
    sc_buf_puts(b, base->root ? "<th>baseline</th><th>ratio</th>" : "");
    sc_buf_puts(b, has_limits(r) ? "<th class=\"l\">limit</th></tr>\n" : "</tr>\n");
    for (size_t k = 0; k < r->n_objectives; k++)
        outcome_row(b, r, r->objectives[k], best, base);
    for (size_t v = 0; v < r->info->study.n_values; v++)
        if (r->info->study.values[v].goal == SC_GOAL_NONE && !of_one_network(r, v))
            outcome_row(b, r, v, best, base);
    sc_buf_puts(b, "</table>\n");
}

/* ---- designs ---- */

/* What one value takes of every row of the table: its heading, then its cells. */
typedef struct column {
    size_t value;
    sc_figure figure;
    bool with_ratio; /* an objective beside a baseline */
} column;

static size_t choose_columns(column columns[SC_STORE_MAX_VALUES], const sc_report_study *r,
                             const sc_report_row *const *list, size_t n,
                             const sc_report_baseline *base)
{
    size_t count = 0;
    for (size_t k = 0; k < r->n_objectives; k++)
        columns[count++] = (column){.value = r->objectives[k], .with_ratio = base->root != NULL};
    for (size_t v = 0; v < r->info->study.n_values; v++)
        if (r->info->study.values[v].goal == SC_GOAL_NONE && !of_one_network(r, v))
            columns[count++] = (column){.value = v};
    for (size_t i = 0; i < count; i++)
        figure_of(&columns[i].figure, r, columns[i].value, list, n, base);
    return count;
}

static void value_cells(sc_buf *b, const sc_report_study *r, const column *c, double v,
                        const sc_report_baseline *base)
{
    const sc_figure plain = {.unit = "", .factor = 1.0};
    sc_figure_cell(b, &c->figure, v);
    if (c->with_ratio)
        sc_figure_cell(b, &plain,
                       v / sc_report_baseline_value(base, r->info->study.values[c->value].name));
}

void sc_page_designs(sc_buf *b, const sc_report_study *r, const sc_report_row *const *list,
                     size_t n, const sc_report_baseline *base)
{
    column columns[SC_STORE_MAX_VALUES];
    const size_t count = choose_columns(columns, r, list, n, base);
    sc_buf_puts(b, r->n_objectives > 1 ? "<h2>Designs on the front</h2>\n"
                                       : "<h2>Best designs</h2>\n");
    sc_buf_puts(b, "<div class=\"scroll\"><table><tr><th>design</th>");
    for (size_t c = 0; c < count; c++) {
        sc_figure_heading_cell(b, &columns[c].figure);
        sc_buf_puts(b, columns[c].with_ratio ? "<th>of baseline</th>" : "");
    }
    sc_buf_puts(b, "</tr>\n");
    for (size_t i = 0; i < n; i++) {
        sc_buf_printf(b, "<tr><td>trial %llu (%s)</td>", (unsigned long long)list[i]->index,
                      list[i]->id);
        for (size_t c = 0; c < count; c++)
            value_cells(b, r, &columns[c], list[i]->values[columns[c].value], base);
        sc_buf_puts(b, "</tr>\n");
    }
    if (base->root) {
        name_cell(b, "baseline");
        for (size_t c = 0; c < count; c++)
            value_cells(
                b, r, &columns[c],
                sc_report_baseline_value(base, r->info->study.values[columns[c].value].name), base);
        sc_buf_puts(b, "</tr>\n");
    }
    sc_buf_puts(b, "</table></div>\n");
}

/* ---- parameters ---- */

static void parameter_cell(sc_buf *b, const json_t *value, sc_unit unit, bool differs)
{
    char text[64] = "";
    if (json_is_number(value))
        sc_quantity_exact(text, sizeof text, json_number_value(value), unit);
    sc_buf_puts(b, differs ? "<td><b>" : "<td>");
    sc_buf_xml(b, json_is_string(value) ? json_string_value(value) : text);
    sc_buf_puts(b, differs ? "</b></td>" : "</td>");
}

static void parameter_row(sc_buf *b, const sc_report_study *r, const char *name,
                          json_t *const *params, size_t n)
{
    const char *symbol = json_string_value(json_object_get(sc_report_units(r), name));
    const sc_unit unit = sc_unit_of_symbol(symbol ? symbol : "");
    bool differs = false;
    for (size_t i = 1; i < n; i++)
        differs |= !json_equal(json_object_get(params[i], name), json_object_get(params[0], name));
    name_cell(b, name);
    for (size_t i = 0; i < n; i++)
        parameter_cell(b, json_object_get(params[i], name), unit, differs);
    sc_buf_puts(b, "</tr>\n");
}

void sc_page_parameters(sc_buf *b, const sc_report_study *r, const sc_report_row *const *list,
                        size_t n)
{
    enum { SHOWN = 5 };
    json_t *params[SHOWN] = {0}, *value;
    const char *name;
    if (n > SHOWN)
        n = SHOWN;
    if (n == 0)
        return;
    sc_buf_puts(b, "<h2>Their parameters</h2>\n<p>What differs between them is bold.</p>\n"
                   "<div class=\"scroll\"><table><tr><th>parameter</th>");
    for (size_t i = 0; i < n; i++) {
        params[i] = sc_report_params(list[i]->parameters);
        sc_buf_printf(b, "<th>trial %llu</th>", (unsigned long long)list[i]->index);
    }
    sc_buf_puts(b, "</tr>\n");
    json_object_foreach(params[0], name, value)
    {
        parameter_row(b, r, name, params, n);
    }
    sc_buf_puts(b, "</table></div>\n");
    for (size_t i = 0; i < n; i++)
        json_decref(params[i]);
}
