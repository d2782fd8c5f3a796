#include "model/count/flow.h"

#include <string.h>

#include "model/count/links.h"

/* The level serves every child by itself, even where children need the same word. */
static bool unicast(const sc_flow_input *in, unsigned level)
{
    const sc_level *l = &in->arch->level[level];
    return in->tensor == in->plan->output ? l->no_reduction : l->no_multicast;
}

static void add_served(sc_served_words *s, uint64_t children, uint64_t groups, double words)
{
    unsigned i = 0;
    while (i < s->n && (s->at[i].children < children ||
                        (s->at[i].children == children && s->at[i].groups < groups)))
        i++;
    if (i < s->n && s->at[i].children == children && s->at[i].groups == groups) {
        s->at[i].words += words;
        return;
    }
    if (s->n == sizeof s->at / sizeof *s->at) {
        s->other += words;
        s->other_weighted += words * (double)children;
        return;
    }
    memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof *s->at);
    s->at[i] = (struct sc_served_size){children, groups, words};
    s->n++;
}

static void add_sizes(sc_served_words *s, const sc_group_sizes *sizes, uint64_t words)
{
    for (unsigned i = 0; i < sizes->n; i++)
        add_served(s, sizes->at[i].children, sizes->at[i].groups,
                   (double)sizes->at[i].groups * (double)words);
}

/* How often a step of loop j happens right after one that brought in the same kind of words. */
static uint64_t alike_steps(const sc_slide *s, const sc_nest *n, unsigned j)
{
    const uint8_t kind = s->step[s->first];
    if (s->step[j] != kind || kind == SC_STEP_KEPT)
        return 0;
    if (j > s->first) /* the step before was one of the innermost loop */
        return (n->loop[j].factor - 1) * n->outer[j + 1];
    uint64_t after = kind == SC_STEP_FULL; /* the first fill of all */
    for (unsigned q = j + 1; q < n->n_loops; q++)
        if (s->step[q] == kind)
            after += (n->loop[q].factor - 1) * n->outer[q + 1];
    return (n->loop[j].factor - 1) * after;
}

/* Groups as the level serves them: alone, if it cannot serve several at once. */
static void sizes_of(sc_group_sizes *out, const sc_fan *f, bool alone)
{
    if (!alone) {
        sc_fan_sizes(out, f);
        return;
    }
    out->n = 0;
    out->cut = false;
    sc_group_sizes_add(out, 1, f->children);
}

/* Words of the steps that neighbours serve in part; they leave flow->plain. A step uses its links
 * only if fewer words then come from the parent. */
static void serve_links(sc_flow *flow, const sc_flow_input *in, const sc_slide *s, const sc_fan *f,
                        unsigned level)
{
    const sc_nest *n = in->nest;
    const bool alone = unicast(in, level);
    sc_served_words *out = &flow->served[level];
    uint64_t move[SC_MAX_RANKS], back[SC_MAX_RANKS] = {0};
    sc_grid grid;
    sc_grid_build(&grid, n, &in->mapping->level[level], level, in->options->links,
                  in->arch->level[level].fanout_x);
    for (unsigned j = s->first; j < n->n_loops; j++) {
        const bool moves = in->plan->tensor[in->tensor].relevant >> n->loop[j].dim & 1;
        for (unsigned r = 0; r < f->n_ranks; r++) {
            const uint64_t by = moves ? in->moves->by[j][r] : 0;
            move[r] = by - back[r];
            back[r] += by;
        }
        const uint64_t steps = alike_steps(s, n, j);
        sc_linked linked;
        if (steps == 0 || !sc_linked_find(&linked, f, &grid, move))
            continue;
        const uint64_t left = alone ? f->children - linked.receivers : linked.groups;
        if (left >= flow->groups[level])
            continue;
        const uint64_t words = steps * (s->step[j] == SC_STEP_SUB ? s->sub : s->volume);
        if (alone)
            add_served(out, 1, left, (double)left * (double)words);
        else
            add_sizes(out, &linked.sizes, words);
        out->linked += (double)linked.receivers * (double)words;
        flow->plain[level] -= words;
        flow->uneven = true;
    }
}

static void slide_of(sc_slide *s, const sc_flow_input *in, unsigned level)
{
    const sc_plan_tensor *t = &in->plan->tensor[in->tensor];
    if (level + 1 == in->nest->n_levels)
        sc_slide_macs(s, in->nest);
    else if (t->plain)
        sc_slide_plain(s, in->nest, t, in->tensor, level);
    else
        sc_slide_build(s, in->nest, in->moves, t, in->tensor, level, in->options->reuse_pre_2025);
}

/* Different tiles among the children of one instance. */
static uint64_t groups_of(const sc_flow_input *in, unsigned level, bool *overflow)
{
    sc_fan fan;
    const sc_nest *n = in->nest;
    const sc_plan_tensor *t = &in->plan->tensor[in->tensor];
    unsigned relevant = 0;
    if (unicast(in, level))
        return n->fan[level];
    for (unsigned s = 0; s < n->n_spatial[level]; s++)
        relevant += t->relevant >> n->spatial[level][s].dim & 1;
    if (t->plain || relevant < 2)
        return n->groups[level][in->tensor];
    sc_fan_build(&fan, n, t, level);
    const uint64_t groups = sc_fan_groups(&fan);
    *overflow |= groups == 0;
    return groups;
}

/* Words that reach all children of a level from it, by group sizes. */
static void serve_plain(sc_flow *flow, const sc_flow_input *in, const sc_fan *f, unsigned level)
{
    sc_served_words *out = &flow->served[level];
    sc_group_sizes sizes;
    sizes_of(&sizes, f, unicast(in, level));
    if (sizes.cut) {
        out->other += (double)flow->groups[level] * (double)flow->plain[level];
        out->other_weighted += (double)f->children * (double)flow->plain[level];
    } else if (flow->plain[level] > 0) {
        add_sizes(out, &sizes, flow->plain[level]);
    }
}

/* Links and, as the reference rounds a read-only tensor's share down after dividing it by group
 * sizes, several such sizes. */
static void look_for_uneven(sc_flow *flow, const sc_flow_input *in)
{
    const sc_nest *n = in->nest;
    const sc_plan_tensor *t = &in->plan->tensor[in->tensor];
    const bool divides = in->options->links == SC_LINKS_REFERENCE && in->tensor != in->plan->output;
    sc_fan fan;
    for (unsigned l = 0; l < n->n_levels; l++) {
        sc_slide slide;
        flow->plain[l] = flow->child[l];
        flow->served[l].n = 0;
        flow->served[l].other = flow->served[l].other_weighted = flow->served[l].linked = 0;
        if (n->n_spatial[l] == 0)
            continue;
        slide_of(&slide, in, l);
        sc_fan_build(&fan, n, t, l);
        serve_links(flow, in, &slide, &fan, l);
        flow->uneven |= divides && fan.n_pairs > 0 && !unicast(in, l) &&
                        flow->groups[l] != n->groups[l][in->tensor];
    }
    for (unsigned l = 0; l < n->n_levels && flow->uneven; l++) {
        sc_fan_build(&fan, n, t, l);
        serve_plain(flow, in, &fan, l);
    }
}

void sc_flow_build(sc_flow *flow, const sc_flow_input *in, bool *overflow)
{
    const sc_nest *n = in->nest;
    const sc_plan_tensor *t = &in->plan->tensor[in->tensor];
    unsigned moving = 0; /* innermost loop that moves the tile of the child */
    sc_slide slide;
    flow->uneven = false;
    for (unsigned l = n->n_levels; l-- > 0;) {
        if (t->plain) {
            if (moving < n->first[l])
                moving = n->first[l];
            while (l + 1 < n->n_levels && moving < n->n_loops &&
                   !(t->relevant >> n->loop[moving].dim & 1))
                moving++;
            flow->child[l] = n->tile[l + 1][in->tensor];
            sc_nest_mul(&flow->child[l], n->outer[moving], overflow);
        } else {
            slide_of(&slide, in, l);
            flow->child[l] = sc_slide_total(&slide, n, overflow);
        }
        flow->groups[l] = flow->content[l] = groups_of(in, l, overflow);
        sc_nest_mul(&flow->content[l], flow->child[l], overflow);
    }
    if (in->options->links != SC_LINKS_NONE && !*overflow)
        look_for_uneven(flow, in);
}

void sc_flow_partitions(uint64_t *out, const sc_flow_input *in)
{
    const sc_nest *n = in->nest;
    const unsigned i = in->tensor;
    out[0] = n->tile[0][i];
    for (unsigned l = 1; l < n->n_levels; l++) {
        out[l] = out[l - 1];
        if (n->n_spatial[l - 1] == 0)
            continue;
        if (in->plan->tensor[i].dense)
            out[l] /= n->groups[l - 1][i];
        else
            out[l] = (uint64_t)((sc_u128)out[l] * n->tile[l][i] / n->spread[l - 1]);
    }
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void sc_flow_even(sc_access (*out)[SC_MAX_TENSORS], sc_flow *flow, const sc_flow_input *in,
                  bool *overflow)
{
    const sc_nest *n = in->nest;
    const sc_count_options *o = in->options;
    const uint8_t bit = (uint8_t)(1u << in->tensor);
    uint64_t part[SC_MAX_LEVELS];
    const bool is_output = in->tensor == in->plan->output;
    unsigned outermost = 0;
    while (outermost + 1 < n->n_levels && !(in->mapping->level[outermost].keep & bit))
        outermost++;
    /* A level that keeps nothing hands its accesses to the one outside, once a group. */
    for (unsigned l = n->n_levels; l-- > outermost + 1;)
        if (!(in->mapping->level[l].keep & bit)) {
            flow->content[l - 1] = flow->groups[l - 1];
            sc_nest_mul(&flow->content[l - 1], flow->content[l], overflow);
        }
    if (is_output)
        sc_flow_partitions(part, in);
    for (unsigned l = outermost; l < n->n_levels; l++) {
        sc_access *a = &out[l][in->tensor];
        if (!(in->mapping->level[l].keep & bit))
            continue;
        const uint64_t share = l == outermost ? 0 : flow->child[l - 1];
        a->tile = n->tile[l][in->tensor];
        a->reads = flow->content[l];
        a->fills = share;
        if (!is_output)
            continue;
        a->updates = flow->content[l];
        if (o->charge_drain)
            *overflow |= __builtin_add_overflow(a->reads, share, &a->reads);
        if (!o->charge_first_read) {
            a->reads = less(a->reads, part[l]);
            a->fills = less(a->fills, part[l]);
        }
    }
}
