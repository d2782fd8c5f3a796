#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "flow/evaluator.h"

/* A miss counts by its share of the limit, at most this much: one wild value must not drown others.
 */
static const double greatest_miss = 1e6;

static double miss_of(double value, double limit, bool at_most)
{
    const double over = at_most ? value - limit : limit - value;
    const double size = fabs(limit) > 0.0 ? fabs(limit) : 1.0;
    return fmin(over / size, greatest_miss);
}

static const char *code_of(const sc_study_value *v)
{
    if (v->metric == SC_METRIC_AREA)
        return "area";
    return v->metric == SC_METRIC_TDP ? "tdp" : "limit";
}

/* Append one object to a JSON array that always stays closed; one that does not fit is left out. */
static void add_reason(char reasons[SC_REASONS_LEN], const char *code, const char *where,
                       double excess)
{
    size_t length = strlen(reasons);
    const bool empty = length == 0;
    const size_t at = empty ? 0 : length - 1; /* over the ']' */
    char one[256];
    (void)snprintf(one, sizeof one, "%s{\"code\":\"%s\",\"where\":\"%s\",\"excess\":%.17g}]",
                   empty ? "[" : ",", code, where, excess);
    if (at + strlen(one) < SC_REASONS_LEN)
        memcpy(reasons + at, one, strlen(one) + 1);
}

void sc_study_judge_area(sc_row *row, const sc_budget *b)
{
    if (!(b->area_limit_mm2 > 0 && b->area_mm2 > b->area_limit_mm2))
        return;
    row->state = SC_STATE_INFEASIBLE;
    row->violation += miss_of(b->area_mm2, b->area_limit_mm2, true);
    add_reason(row->reasons, "area", "limit of the template", b->area_mm2 - b->area_limit_mm2);
}

void sc_study_judge(sc_row *row, const sc_study *s, bool of_design)
{
    for (size_t i = 0; i < s->n_limits; i++) {
        const sc_study_limit *l = &s->limits[i];
        const sc_study_value *v = &s->values[l->value];
        const double value = row->values[l->value];
        const bool known_early = s->template && sc_metric_about_of(v->metric)->of_design;
        if (known_early != of_design)
            continue;
        const double limit = l->baseline ? s->baseline_values[l->value] : l->limit;
        const double miss = miss_of(value, limit, l->at_most);
        if (miss > 0.0) {
            row->state = SC_STATE_INFEASIBLE;
            row->violation += miss;
            add_reason(row->reasons, s->template ? code_of(v) : "limit", v->name,
                       miss * (fabs(limit) > 0.0 ? fabs(limit) : 1.0));
        }
    }
}

void sc_misfit_reason(char out[SC_REASONS_LEN], const char *op, const char *level,
                      const sc_misfit *m)
{
    char *text = NULL;
    json_t *r = json_pack("[{s:s,s:s++,s:f}]", "code", sc_misfit_name(m->code), "where", op, " at ",
                          level, "excess", (double)m->need - (double)m->have);
    if (r && sc_json_write(&text, r, 0) == SC_OK && strlen(text) < SC_REASONS_LEN)
        memcpy(out, text, strlen(text) + 1);
    else
        (void)snprintf(out, SC_REASONS_LEN, "[{\"code\":\"%s\"}]", sc_misfit_name(m->code));
    sc_free(text);
    json_decref(r);
}

void sc_memory_reason(char out[SC_REASONS_LEN], const char *level, double over_bytes)
{
    const sc_misfit m = {SC_MISFIT_CAPACITY, 0, -1, (uint64_t)fmin(over_bytes, 0x1p63), 0};
    sc_misfit_reason(out, "network", level, &m);
}
