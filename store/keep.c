#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "store/store.h"

static const char *const kinds[] = {
    [SC_KEEP_ALL] = "all",
    [SC_KEEP_FEASIBLE] = "feasible",
    [SC_KEEP_PARETO] = "pareto",
    [SC_KEEP_SAMPLE] = "sample",
};
static const char *const goals[] = {
    [SC_GOAL_NONE] = "none",
    [SC_GOAL_MIN] = "min",
    [SC_GOAL_MAX] = "max",
};
static const char *const states[] = {
    [SC_STATE_FEASIBLE] = "feasible",
    [SC_STATE_INFEASIBLE] = "infeasible",
    [SC_STATE_FAILED] = "failed",
};

const char *sc_store_goal_name(sc_store_goal g)
{
    return goals[g];
}

const char *sc_store_state_name(sc_store_state s)
{
    return states[s];
}

sc_status sc_store_keep_parse(sc_store_keep *out, const char *text)
{
    static const char prefix[] = "sample:";
    int64_t n = 0;
    char shown[SC_SHOWN_LEN];

    for (int kind = SC_KEEP_ALL; kind < SC_KEEP_SAMPLE; kind++) {
        if (strcmp(text, kinds[kind]) == 0) {
            *out = (sc_store_keep){.kind = (sc_store_keep_kind)kind};
            return SC_OK;
        }
    }
    if (strncmp(text, prefix, strlen(prefix)) == 0 &&
        sc_integer_read(&n, text + strlen(prefix)) == SC_OK && n >= 1 && n <= SC_STORE_MAX_SAMPLE) {
        *out = (sc_store_keep){.kind = SC_KEEP_SAMPLE, .n = (uint64_t)n};
        return SC_OK;
    }
    return sc_fail(SC_EINVAL,
                   "unknown keep policy '%s': all, feasible, pareto, or sample:N with N from 1 to "
                   "%d",
                   sc_text_show(shown, text), SC_STORE_MAX_SAMPLE);
}

const char *sc_store_keep_text(char out[SC_STORE_KEEP_LEN], sc_store_keep keep)
{
    if (keep.kind == SC_KEEP_SAMPLE)
        (void)snprintf(out, SC_STORE_KEEP_LEN, "sample:%" PRIu64, keep.n);
    else
        (void)snprintf(out, SC_STORE_KEEP_LEN, "%s", kinds[keep.kind]);
    return out;
}
