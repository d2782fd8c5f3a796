#include "model/net/rules.h"

#include <stdio.h>

static const sc_rule rules[SC_RULES] = {
    {"mapping", 2, {"search", "plain"}},      {"padding", 2, {"on", "off"}},
    {"softmax", 3, {"best", "three", "two"}}, {"fusion", 2, {"off", "on"}},
    {"attention", 2, {"apart", "cascade"}},   {"tiles", 2, {"off", "on"}}};

/* Each rung adds one part of the method to the one before. */
static const sc_rung rungs[SC_RUNGS] = {
    {"datapath",
     "the datapath alone: plain mapping, no padding, softmax in three passes, no fusion",
     {SC_MAPPING_PLAIN, SC_PADDING_OFF, SC_SOFTMAX_THREE, SC_FUSION_OFF, SC_ATTENTION_APART,
      SC_TILES_OFF}},
    {"mapping",
     "and the best mapping found",
     {SC_MAPPING_SEARCH, SC_PADDING_OFF, SC_SOFTMAX_THREE, SC_FUSION_OFF, SC_ATTENTION_APART,
      SC_TILES_OFF}},
    {"padding",
     "and padding",
     {SC_MAPPING_SEARCH, SC_PADDING_ON, SC_SOFTMAX_THREE, SC_FUSION_OFF, SC_ATTENTION_APART,
      SC_TILES_OFF}},
    {"fusion",
     "and fusion",
     {SC_MAPPING_SEARCH, SC_PADDING_ON, SC_SOFTMAX_THREE, SC_FUSION_ON, SC_ATTENTION_APART,
      SC_TILES_OFF}},
    {"softmax",
     "and the better softmax, op by op: all that FAST has",
     {SC_MAPPING_SEARCH, SC_PADDING_ON, SC_SOFTMAX_BEST, SC_FUSION_ON, SC_ATTENTION_APART,
      SC_TILES_OFF}},
    {"attention",
     "and attention in one step, its scores on the chip",
     {SC_MAPPING_SEARCH, SC_PADDING_ON, SC_SOFTMAX_BEST, SC_FUSION_ON, SC_ATTENTION_CASCADE,
      SC_TILES_OFF}},
    {"tiles",
     "and ops in tiles, what passes between them never whole: the whole method",
     {SC_MAPPING_SEARCH, SC_PADDING_ON, SC_SOFTMAX_BEST, SC_FUSION_ON, SC_ATTENTION_CASCADE,
      SC_TILES_ON}}};

const sc_rung *sc_rung_at(size_t i)
{
    return i < SC_RUNGS ? &rungs[i] : NULL;
}

const sc_rule *sc_rule_at(size_t i)
{
    return &rules[i];
}

size_t sc_rules_get(const sc_rules *r, size_t i)
{
    switch (i) {
    case 0: return (size_t)r->mapping;
    case 1: return (size_t)r->padding;
    case 2: return (size_t)r->softmax;
    case 3: return (size_t)r->fusion;
    case 4: return (size_t)r->attention;
    default: return (size_t)r->tiles;
    }
}

void sc_rules_set(sc_rules *r, size_t i, size_t choice)
{
    switch (i) {
    case 0: r->mapping = (sc_mapping_rule)choice; break;
    case 1: r->padding = (sc_padding_rule)choice; break;
    case 2: r->softmax = (sc_softmax_rule)choice; break;
    case 3: r->fusion = (sc_fusion_rule)choice; break;
    case 4: r->attention = (sc_attention_rule)choice; break;
    default: r->tiles = (sc_tiles_rule)choice; break;
    }
}

sc_status sc_rules_check(const sc_rules *r)
{
    for (size_t i = 0; i < SC_RULES; i++)
        if (sc_rules_get(r, i) >= rules[i].n_choices)
            return sc_fail(SC_EINVAL, "rules: %s is none of its choices", rules[i].name);
    return SC_OK;
}

bool sc_rules_read(sc_rules *out, const sc_node *map)
{
    const char *names[SC_RULES];
    for (size_t i = 0; i < SC_RULES; i++)
        names[i] = rules[i].name;
    bool ok = sc_map_only(map, names, SC_RULES);
    for (size_t i = 0; i < SC_RULES && ok; i++) {
        size_t choice;
        ok = sc_map_choice_or(&choice, map, rules[i].name, rules[i].choices, rules[i].n_choices,
                              sc_rules_get(out, i));
        if (ok)
            sc_rules_set(out, i, choice);
    }
    return ok;
}

bool sc_rung_read(const sc_rung **out, const sc_node *at)
{
    const char *names[SC_RUNGS];
    size_t which;
    for (size_t i = 0; i < SC_RUNGS; i++)
        names[i] = rungs[i].name;
    if (!sc_node_choice(&which, at, names, SC_RUNGS))
        return false;
    *out = &rungs[which];
    return true;
}

const char *sc_rules_text(char out[SC_RULES_LEN], const sc_rules *r)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < SC_RULES; i++)
        if (sc_rules_get(r, i) != 0)
            n += (size_t)snprintf(out + n, SC_RULES_LEN - n, ",%s=%s", rules[i].name,
                                  rules[i].choices[sc_rules_get(r, i)]);
    return out;
}

json_t *sc_rules_json(const sc_rules *r, bool *ok)
{
    json_t *o = json_object();
    for (size_t i = 0; i < SC_RULES; i++)
        sc_json_set(o, rules[i].name, json_string(rules[i].choices[sc_rules_get(r, i)]), ok);
    return o;
}
