#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure.h"
#include "report/page.h"

enum { MAX_KINDS = 64, N_SUMS = 3 };

/* A figure of an op: NaN where it has none. */
static double figure(const json_t *op, const char *key)
{
    const json_t *v = json_object_get(op, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static const char *text_of(const json_t *op, const char *key)
{
    const char *text = json_string_value(json_object_get(op, key));
    return text ? text : "";
}

static void text_cell(sc_buf *b, const char *text)
{
    sc_buf_puts(b, "<td class=\"l\">");
    sc_buf_xml(b, text);
    sc_buf_puts(b, "</td>");
}

/* What the ops of one kind add up to. */
typedef struct kind_sum {
    const char *kind;
    size_t n;
    double sum[N_SUMS]; /* of summed[] */
} kind_sum;

static const char *const summed[N_SUMS] = {"time_s", "dram_bytes", "energy_j"};

/* In the order in which the network has them; kinds past the table's end join its last row. */
static size_t sum_kinds(kind_sum sums[MAX_KINDS], const json_t *list)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *op = json_array_get(list, i);
        const char *kind = text_of(op, "kind");
        size_t k = 0;
        while (k < n && strcmp(sums[k].kind, kind) != 0)
            k++;
        if (k == MAX_KINDS)
            k--;
        if (k == n)
            sums[n++] = (kind_sum){.kind = kind};
        sums[k].n++;
        for (size_t s = 0; s < N_SUMS; s++) {
            const double v = figure(op, summed[s]);
            sums[k].sum[s] += isnan(v) ? 0.0 : v;
        }
    }
    return n;
}

/* Units that suit the largest of the sums, or of the ops. */
static void choose_units(sc_figure units[N_SUMS], const double largest[N_SUMS])
{
    static const char *const titles[N_SUMS] = {"time", "DRAM", "energy"};
    for (size_t s = 0; s < N_SUMS; s++) {
        sc_figure_of(&units[s], summed[s], largest[s]);
        (void)snprintf(units[s].title, sizeof units[s].title, "%s", titles[s]);
    }
}

static void kinds_table(sc_buf *b, const json_t *list, double latency)
{
    const sc_figure share = {.title = "share of time", .unit = "%", .factor = 100.0};
    kind_sum sums[MAX_KINDS];
    sc_figure units[N_SUMS];
    double largest[N_SUMS] = {0};
    const size_t n = sum_kinds(sums, list);
    for (size_t k = 0; k < n; k++)
        for (size_t s = 0; s < N_SUMS; s++)
            largest[s] = fmax(largest[s], sums[k].sum[s]);
    choose_units(units, largest);
    sc_buf_puts(b, "<table><tr><th>kind</th><th>ops</th>");
    sc_figure_heading_cell(b, &share);
    for (size_t s = 0; s < N_SUMS; s++)
        sc_figure_heading_cell(b, &units[s]);
    sc_buf_puts(b, "</tr>\n");
    for (size_t k = 0; k < n; k++) {
        sc_buf_puts(b, "<tr>");
        text_cell(b, sums[k].kind);
        sc_buf_printf(b, "<td>%zu</td>", sums[k].n);
        sc_figure_cell(b, &share, sums[k].sum[0] / latency);
        for (size_t s = 0; s < N_SUMS; s++)
            sc_figure_cell(b, &units[s], sums[k].sum[s]);
        sc_buf_puts(b, "</tr>\n");
    }
    sc_buf_puts(b, "</table>\n");
}

static void op_row(sc_buf *b, const json_t *op, const sc_figure units[N_SUMS], double latency)
{
    const sc_figure percent = {.unit = "%", .factor = 100.0}, plain = {.unit = "", .factor = 1.0};
    sc_buf_puts(b, "<tr>");
    text_cell(b, text_of(op, "name"));
    text_cell(b, text_of(op, "kind"));
    text_cell(b, text_of(op, "bound"));
    sc_figure_cell(b, &percent, figure(op, "time_s") / latency);
    for (size_t s = 0; s < N_SUMS; s++)
        sc_figure_cell(b, &units[s], figure(op, summed[s]));
    sc_figure_cell(b, &percent, figure(op, "utilization"));
    sc_figure_cell(b, &plain, figure(op, "intensity"));
    sc_buf_puts(b, "</tr>\n");
}

static void ops_table(sc_buf *b, const json_t *list, double latency)
{
    sc_figure units[N_SUMS];
    double largest[N_SUMS] = {0};
    for (size_t i = 0; i < json_array_size(list); i++)
        for (size_t s = 0; s < N_SUMS; s++)
            largest[s] = fmax(largest[s], figure(json_array_get(list, i), summed[s]));
    choose_units(units, largest);
    sc_buf_puts(b, "<div class=\"scroll\"><table><tr><th>op</th><th class=\"l\">kind</th>"
                   "<th class=\"l\">bound by</th><th>share of time, %</th>");
    for (size_t s = 0; s < N_SUMS; s++)
        sc_figure_heading_cell(b, &units[s]);
    sc_buf_puts(b, "<th>utilisation, %</th><th>operations/byte</th></tr>\n");
    for (size_t i = 0; i < json_array_size(list); i++)
        op_row(b, json_array_get(list, i), units, latency);
    sc_buf_puts(b, "</table></div>\n");
}

static void ops_section(sc_buf *b, const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "op_list");
    const double latency = figure(evaluation, "latency_s");
    const double batch = figure(evaluation, "batch");
    sc_buf_puts(b, "<h2>Ops of the best design on ");
    sc_buf_xml(b, text_of(evaluation, "workload"));
    sc_buf_puts(b, "</h2>\n");
    if (!isnan(batch))
        sc_buf_printf(b, "<p>One batch of %.0f.</p>\n", batch);
    kinds_table(b, list, latency);
    ops_table(b, list, latency);
}

sc_status sc_page_ops(sc_buf *b, const sc_report_study *r, const sc_report_row *best,
                      sc_store *store)
{
    sc_status st = best ? SC_OK : SC_ENOTFOUND;
    for (size_t k = 0; st == SC_OK; k++) {
        char kind[32], *text = NULL;
        size_t length = 0;
        json_t *evaluation = NULL;
        (void)snprintf(kind, sizeof kind, "evaluation.%zu", k);
        st = sc_store_get_detail(&text, &length, store, sc_hash128_at(r->info->id, best->index),
                                 kind);
        if (st == SC_OK && (st = sc_json_parse(&evaluation, "evaluation", text, length)) == SC_OK)
            ops_section(b, evaluation);
        json_decref(evaluation);
        sc_free(text);
    }
    return st == SC_ENOTFOUND ? SC_OK : st;
}
