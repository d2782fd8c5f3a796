#include "report/page.h"

#include <math.h>
#include <string.h>

#include "report/plot.h"

enum { SHOWN_DESIGNS = 10, SHOWN_CODES = 12, CODE_LEN = 48 };

void sc_page_style(sc_buf *b, const char *title)
{
    sc_buf_puts(b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>");
    sc_buf_xml(b, title);
    sc_buf_puts(
        b, "</title>\n<style>\n"
           "body{font:15px/1.5 system-ui,sans-serif;color:#20303c;max-width:1100px;margin:2em auto;"
           "padding:0 1em}\n"
           "table{border-collapse:collapse;margin:1em 0}\n"
           "th,td{padding:3px 10px;border-bottom:1px solid #d5dde3;text-align:right;"
           "font-variant-numeric:tabular-nums}\n"
           "th:first-child,td:first-child,.l{text-align:left}\n"
           "th{background:#eef2f5}\ncode{font-size:13px;display:block;min-width:26em;overflow-wrap:"
           "anywhere}\n"
           "svg{max-width:100%;height:auto}\n.scroll{overflow-x:auto}\n"
           "</style></head><body>\n");
}

/* How often each code stands first among the reasons of infeasible rows. */
typedef struct tally {
    char code[CODE_LEN];
    uint64_t n;
} tally;

static void first_code(char out[CODE_LEN], const char *reasons)
{
    json_t *list = NULL;
    const char *code = NULL;
    if (reasons[0] && sc_json_parse(&list, "reasons", reasons, strlen(reasons)) == SC_OK)
        code = json_string_value(json_object_get(json_array_get(list, 0), "code"));
    (void)snprintf(out, CODE_LEN, "%s", code ? code : "not said");
    json_decref(list);
}

static void reasons_table(sc_buf *b, const sc_report_study *r)
{
    tally t[SHOWN_CODES] = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->n_rows; i++) {
        char code[CODE_LEN];
        size_t k = 0;
        if (r->rows[i].state == SC_STATE_FEASIBLE)
            continue;
        first_code(code, r->rows[i].reasons);
        while (k < n && strcmp(t[k].code, code) != 0)
            k++;
        if (k == SHOWN_CODES)
            k = SHOWN_CODES - 1; /* the last row gathers the rest */
        if (k == n)
            (void)snprintf(t[n++].code, CODE_LEN, "%s", code);
        t[k].n++;
    }
    if (n == 0)
        return;
    sc_buf_puts(b, "<h2>Why points were infeasible</h2>\n<table><tr><th>reason</th><th>trials"
                   "</th></tr>\n");
    for (size_t k = 0; k < n; k++) {
        sc_buf_puts(b, "<tr><td>");
        sc_buf_xml(b, t[k].code);
        sc_buf_printf(b, "</td><td>%llu</td></tr>\n", (unsigned long long)t[k].n);
    }
    sc_buf_puts(b, "</table>\n");
}

void sc_page_outcome(sc_buf *b, const sc_report_study *r)
{
    const sc_store_counts *c = &r->info->counts;
    char id[SC_ID_HEX];
    sc_hash_id(r->info->id, id);
    sc_buf_puts(b, "<h1>");
    sc_buf_xml(b, r->info->study.name);
    sc_buf_printf(b,
                  "</h1>\n<p>Study %s, seed %llu, model %s. %llu trials: %llu feasible "
                  "(%.1f %%), %llu infeasible, %llu failed; %llu rows kept. Ended by: ",
                  id, (unsigned long long)r->info->study.seed, r->info->study.model_version,
                  (unsigned long long)c->trials, (unsigned long long)c->feasible,
                  c->trials ? 100.0 * (double)c->feasible / (double)c->trials : 0.0,
                  (unsigned long long)c->infeasible, (unsigned long long)c->failed,
                  (unsigned long long)c->kept);
    sc_buf_xml(b, r->info->status);
    sc_buf_puts(b, ".</p>\n<details><summary>The study file</summary><pre>");
    sc_buf_xml(b, r->info->study.config);
    sc_buf_puts(b, "</pre></details>\n");
    reasons_table(b, r);
}

static void design_row(sc_buf *b, const sc_report_study *r, const sc_report_row *row,
                       const sc_report_baseline *base)
{
    sc_buf_printf(b, "<tr><td>%s</td>", row->id);
    for (size_t k = 0; k < r->n_objectives; k++) {
        const double v = row->values[r->objectives[k]];
        sc_buf_printf(b, "<td>%.5g</td>", v);
        if (base->root)
            sc_buf_printf(b, "<td>%.3f</td>",
                          v / sc_report_baseline_value(base, sc_report_objective(r, k)));
    }
    for (size_t v = 0; v < r->info->study.n_values; v++)
        if (r->info->study.values[v].goal == SC_GOAL_NONE)
            sc_buf_printf(b, "<td>%.5g</td>", row->values[v]);
    sc_buf_puts(b, "<td class=\"l\"><code>");
    sc_buf_xml(b, row->parameters);
    sc_buf_puts(b, "</code></td></tr>\n");
}

static void baseline_row(sc_buf *b, const sc_report_study *r, const sc_report_baseline *base)
{
    sc_buf_puts(b, "<tr><td>baseline</td>");
    for (size_t k = 0; k < r->n_objectives; k++)
        sc_buf_printf(b, "<td>%.5g</td><td>1</td>",
                      sc_report_baseline_value(base, sc_report_objective(r, k)));
    for (size_t v = 0; v < r->info->study.n_values; v++)
        if (r->info->study.values[v].goal == SC_GOAL_NONE)
            sc_buf_printf(b, "<td>%.5g</td>",
                          sc_report_baseline_value(base, r->info->study.values[v].name));
    sc_buf_puts(b, "<td class=\"l\"><code>");
    sc_buf_xml(b, base->spec ? base->spec : "");
    sc_buf_puts(b, "</code></td></tr>\n");
}

sc_status sc_page_designs(sc_buf *b, const sc_report_study *r, const sc_report_baseline *base)
{
    const sc_report_row **list = NULL;
    size_t n = 0;
    const sc_status st = sc_report_select(&list, &n, r, SC_REPORT_BEST, SHOWN_DESIGNS);
    if (st != SC_OK)
        return st;
    sc_buf_puts(b, "<h2>Best designs</h2>\n<div class=\"scroll\"><table><tr><th>id</th>");
    for (size_t k = 0; k < r->n_objectives; k++) {
        sc_buf_puts(b, "<th>");
        sc_buf_xml(b, sc_report_objective(r, k));
        sc_buf_puts(b, base->root ? "</th><th>of baseline</th>" : "</th>");
    }
    for (size_t v = 0; v < r->info->study.n_values; v++)
        if (r->info->study.values[v].goal == SC_GOAL_NONE) {
            sc_buf_puts(b, "<th>");
            sc_buf_xml(b, r->info->study.values[v].name);
            sc_buf_puts(b, "</th>");
        }
    sc_buf_puts(b, "<th class=\"l\">parameters</th></tr>\n");
    for (size_t i = 0; i < n; i++)
        design_row(b, r, list[i], base);
    if (base->root)
        baseline_row(b, r, base);
    sc_buf_puts(b, "</table></div>\n");
    sc_free(list);
    return SC_OK;
}

/* A figure of an op: null where it has none. */
static double figure(const json_t *op, const char *key)
{
    const json_t *v = json_object_get(op, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static void text_cell(sc_buf *b, const json_t *op, const char *key)
{
    const char *text = json_string_value(json_object_get(op, key));
    sc_buf_puts(b, "<td class=\"l\">");
    sc_buf_xml(b, text ? text : "");
    sc_buf_puts(b, "</td>");
}

static void ops_table(sc_buf *b, const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "op_list");
    const char *workload = json_string_value(json_object_get(evaluation, "workload"));
    const double latency = figure(evaluation, "latency_s");
    sc_buf_puts(b, "<h2>Ops of the best design on ");
    sc_buf_xml(b, workload ? workload : "");
    sc_buf_puts(b,
                "</h2>\n<table><tr><th>op</th><th class=\"l\">kind</th><th class=\"l\">bound</th>"
                "<th>time, us</th><th>share, %</th><th>utilisation, %</th><th>DRAM, kB</th>"
                "<th>op/B</th><th>energy, uJ</th></tr>\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *op = json_array_get(list, i);
        const double time = figure(op, "time_s");
        sc_buf_puts(b, "<tr>");
        text_cell(b, op, "name");
        text_cell(b, op, "kind");
        text_cell(b, op, "bound");
        sc_buf_printf(b,
                      "<td>%.3f</td><td>%.2f</td><td>%.2f</td><td>%.1f</td><td>%.2f</td><td>%.3f"
                      "</td></tr>\n",
                      time * 1e6, 100.0 * time / latency, 100.0 * figure(op, "utilization"),
                      figure(op, "dram_bytes") / 1e3, figure(op, "intensity"),
                      figure(op, "energy_j") * 1e6);
    }
    sc_buf_puts(b, "</table>\n");
}

sc_status sc_page_ops(sc_buf *b, const sc_report_study *r, sc_store *store)
{
    const sc_report_row **list = NULL;
    size_t n = 0;
    sc_status st = sc_report_select(&list, &n, r, SC_REPORT_BEST, 1);
    for (size_t k = 0; st == SC_OK && n > 0; k++) {
        char kind[32], *text = NULL;
        size_t length = 0;
        json_t *evaluation = NULL;
        (void)snprintf(kind, sizeof kind, "evaluation.%zu", k);
        st = sc_store_get_detail(&text, &length, store, sc_hash128_at(r->info->id, list[0]->index),
                                 kind);
        if (st == SC_OK && (st = sc_json_parse(&evaluation, "evaluation", text, length)) == SC_OK)
            ops_table(b, evaluation);
        json_decref(evaluation);
        sc_free(text);
    }
    sc_free(list);
    return st == SC_ENOTFOUND ? SC_OK : st;
}
