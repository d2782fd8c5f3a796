#include <math.h>
#include <string.h>

#include "report/page.h"
#include "report/plot.h"

enum { SHOWN_DESIGNS = 10 };

/* The two values of the main plot: the first two objectives, or the only one by area, or by the
 * trial's number where no area is known. */
static void plot_axes(size_t *x, size_t *y, const sc_report_study *r)
{
    *y = r->objectives[0];
    *x = r->n_objectives > 1 ? r->objectives[1] : SC_PLOT_TRIAL;
    for (size_t v = 0; r->n_objectives == 1 && v < r->info->study.n_values; v++)
        if (strcmp(r->info->study.values[v].name, "area_mm2") == 0 && v != *y)
            *x = v;
}

static sc_status front_plot(char **svg, const sc_report_study *r, const sc_report_baseline *base)
{
    size_t x, y;
    plot_axes(&x, &y, r);
    const double mark_x = x == SC_PLOT_TRIAL
                              ? (double)NAN
                              : sc_report_baseline_value(base, r->info->study.values[x].name);
    return sc_plot_front(svg, r, x, y, mark_x,
                         sc_report_baseline_value(base, r->info->study.values[y].name),
                         base->spec ? base->spec : "baseline");
}

/* By the trial's number the main plot would say what the history says. */
static sc_status add_plots(sc_buf *b, const sc_report_study *r, const sc_report_baseline *base)
{
    char *front = NULL, *history = NULL;
    size_t x, y;
    plot_axes(&x, &y, r);
    sc_status st = x == SC_PLOT_TRIAL ? SC_OK : front_plot(&front, r, base);
    if (st == SC_OK)
        st = sc_plot_history(&history, r, sc_report_baseline_value(base, sc_report_objective(r, 0)),
                             "baseline");
    if (st == SC_OK && front) {
        sc_buf_puts(b, r->n_objectives > 1
                           ? "<h2>Feasible designs, the front in another colour</h2>\n"
                           : "<h2>Feasible designs</h2>\n");
        sc_buf_puts(b, front);
        sc_buf_puts(b, "\n");
    }
    if (st == SC_OK) {
        sc_buf_puts(b, "<h2>Best so far</h2>\n");
        sc_buf_puts(b, history);
        sc_buf_puts(b, "\n");
    }
    sc_free(front);
    sc_free(history);
    return st;
}

sc_status sc_report_html(char **html, sc_store *store, const char *study)
{
    sc_report_study *r = NULL;
    sc_report_baseline base = {0};
    const sc_report_row **list = NULL, *best = NULL;
    size_t n = 0;
    sc_buf b;
    sc_buf_init(&b);
    sc_status st = sc_report_study_open(&r, store, study);
    if (st != SC_OK || (st = sc_report_baseline_open(&base, r, store)) != SC_OK ||
        (st =
             sc_report_select(&list, &n, r, r->n_objectives > 1 ? SC_REPORT_PARETO : SC_REPORT_BEST,
                              SHOWN_DESIGNS)) != SC_OK)
        goto done;
    best = n > 0 ? list[0] : NULL;
    sc_page_style(&b, r->info->study.name);
    sc_page_outcome(&b, r, best, &base);
    if ((st = add_plots(&b, r, &base)) != SC_OK)
        goto done;
    sc_page_designs(&b, r, list, n, &base);
    sc_page_parameters(&b, r, list, n);
    if ((st = sc_page_ops(&b, r, best, store)) != SC_OK)
        goto done;
    sc_page_rest(&b, r);
    sc_buf_puts(&b, "</body></html>\n");
    st = sc_buf_take(&b, html);
done:
    sc_buf_clear(&b);
    sc_free(list);
    json_decref(base.root);
    sc_report_study_close(r);
    return st;
}

sc_status sc_report_svg(char **svg, sc_store *store, const char *study)
{
    sc_report_study *r = NULL;
    sc_report_baseline base = {0};
    sc_status st = sc_report_study_open(&r, store, study);
    if (st == SC_OK && (st = sc_report_baseline_open(&base, r, store)) == SC_OK)
        st = front_plot(svg, r, &base);
    json_decref(base.root);
    sc_report_study_close(r);
    return st;
}
