#include <math.h>

#include "model/count/flow.h"

static double total_words(const sc_served_words *s)
{
    double total = 0;
    for (unsigned i = 0; i < s->n; i++)
        total += s->at[i].words;
    return total + s->other;
}

static double weighted_words(const sc_served_words *s)
{
    double total = 0;
    for (unsigned i = 0; i < s->n; i++)
        total += s->at[i].words * (double)s->at[i].children;
    return total + s->other_weighted;
}

/* Words one child receives from its parent, on average. */
static double share_of(const sc_served_words *s, uint64_t fan)
{
    double share = 0;
    for (unsigned i = 0; i < s->n; i++)
        share += s->at[i].words * (double)s->at[i].children / (double)fan;
    return share + s->other_weighted / (double)fan;
}

/* Scale what a level serves so that its children together receive `received`. */
static void serve_instead(sc_served_words *s, double received)
{
    const double scale = received / weighted_words(s);
    for (unsigned i = 0; i < s->n; i++)
        s->at[i].words *= scale;
    s->other *= scale;
    s->other_weighted *= scale;
}

static uint64_t rounded(double v)
{
    return v > 0 ? (uint64_t)round(v) : 0;
}

/* Rounded down: as the reference does, whatever its divisions left of a whole number; else with a
 * whole number taken for whole. */
static uint64_t whole_below(double v, sc_links links)
{
    if (links != SC_LINKS_REFERENCE)
        v = floor(v * (1 + 0x1p-40));
    return v > 0 ? (uint64_t)v : 0;
}

static void write_access(sc_access *a, const sc_flow_input *in, double content, double share,
                         double peers, double part, bool outermost)
{
    const sc_count_options *o = in->options;
    if (in->tensor != in->plan->output) {
        a->reads = rounded(content + peers);
        a->fills = whole_below(share + peers, o->links);
        return;
    }
    if (o->charge_first_read)
        part = 0;
    a->updates = rounded(content);
    a->reads = rounded(content + peers - part + (o->charge_drain ? share : 0));
    a->fills = rounded(outermost ? share + peers : share + peers - part);
}

void sc_flow_uneven(sc_access (*out)[SC_MAX_TENSORS], sc_flow *flow, const sc_flow_input *in)
{
    const sc_nest *n = in->nest;
    const uint8_t bit = (uint8_t)(1u << in->tensor);
    double content[SC_MAX_LEVELS], share[SC_MAX_LEVELS];
    uint64_t part[SC_MAX_LEVELS] = {0};
    unsigned outermost = 0;
    while (outermost + 1 < n->n_levels && !(in->mapping->level[outermost].keep & bit))
        outermost++;
    for (unsigned l = 0; l < n->n_levels; l++) {
        content[l] = total_words(&flow->served[l]);
        share[l] = l > outermost ? share_of(&flow->served[l - 1], n->fan[l - 1]) : 0;
    }
    for (unsigned l = n->n_levels; l-- > outermost + 1;)
        if (!(in->mapping->level[l].keep & bit)) {
            serve_instead(&flow->served[l - 1], content[l] * (double)n->fan[l - 1]);
            content[l - 1] = total_words(&flow->served[l - 1]);
        }
    if (in->tensor == in->plan->output)
        sc_flow_partitions(part, in);
    for (unsigned l = outermost; l < n->n_levels; l++) {
        if (!(in->mapping->level[l].keep & bit))
            continue;
        double peers = 0;
        if (l > outermost) {
            const bool reference = in->options->links == SC_LINKS_REFERENCE;
            peers = flow->served[l - 1].linked / (double)(reference ? n->used[l] : n->fan[l - 1]);
        }
        out[l][in->tensor].tile = n->tile[l][in->tensor];
        write_access(&out[l][in->tensor], in, content[l], share[l], peers, (double)part[l],
                     l == outermost);
    }
}
