#include "report/page.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_CODES = 12, CODE_LEN = 96 };

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
           "th{background:#eef2f5;vertical-align:bottom}\ntd{white-space:nowrap}\n"
           ".outcome{font-size:18px}\n"
           "svg{max-width:100%;height:auto}\n.scroll{overflow-x:auto}\n"
           "</style></head><body>\n");
}

/* How often each reason stands first among those of infeasible rows: its code, what a limit is on,
 * or what an evaluator outside told. */
typedef struct tally {
    char code[CODE_LEN];
    uint64_t n;
} tally;

static void first_reason(char out[CODE_LEN], const char *reasons)
{
    json_t *list = NULL;
    const char *code = NULL, *where = NULL;
    if (reasons[0] && sc_json_parse(&list, "reasons", reasons, strlen(reasons)) == SC_OK) {
        const json_t *first = json_array_get(list, 0);
        code = json_string_value(json_object_get(first, "code"));
        where = json_string_value(json_object_get(first, "where"));
    }
    if (code && where && (strcmp(code, "told") == 0 || strcmp(code, "failed") == 0))
        (void)snprintf(out, CODE_LEN, "%s", where);
    else if (code && where && strcmp(code, "limit") == 0)
        (void)snprintf(out, CODE_LEN, "limit on %s", where);
    else
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
        first_reason(code, r->rows[i].reasons);
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

void sc_page_rest(sc_buf *b, const sc_report_study *r)
{
    const sc_store_counts *c = &r->info->counts;
    char id[SC_ID_HEX];
    sc_hash_id(r->info->id, id);
    reasons_table(b, r);
    sc_buf_printf(b,
                  "<h2>The study</h2>\n<p>%llu trials: %llu feasible (%.1f %%), %llu infeasible, "
                  "%llu failed; %llu rows kept. Status: ",
                  (unsigned long long)c->trials, (unsigned long long)c->feasible,
                  c->trials ? 100.0 * (double)c->feasible / (double)c->trials : 0.0,
                  (unsigned long long)c->infeasible, (unsigned long long)c->failed,
                  (unsigned long long)c->kept);
    sc_buf_xml(b, r->info->status);
    sc_buf_printf(b, ". ID %s, seed %llu, model ", id, (unsigned long long)r->info->study.seed);
    sc_buf_xml(b, r->info->study.model_version);
    sc_buf_puts(b, ".</p>\n<pre>");
    sc_buf_xml(b, r->info->study.config);
    sc_buf_puts(b, "</pre>\n");
}
