/** Rules of a legal placement from options and a constraint file. */
#include <string.h>

#include "message.h"
#include "place.h"
#include "scantle/text.h"

bool sc_cli_pair(double out[2], const char *text)
{
    char first[32] = "";
    const size_t n = strcspn(text, ",");

    if (n >= sizeof first)
        return false;
    memcpy(first, text, n);
    if (sc_quantity_parse(&out[0], first, SC_UNIT_NONE) != SC_OK)
        return false;
    out[1] = out[0];
    return text[n] == '\0' || sc_quantity_parse(&out[1], text + n + 1, SC_UNIT_NONE) == SC_OK;
}

/* Set a pair of lengths from an option's text. */
static sc_status set_pair(sc_place_rules *rules, const char *option, const char *text,
                          sc_status (*set)(sc_place_rules *, double, double), bool *usage)
{
    double pair[2];

    if (text == NULL)
        return SC_OK;
    if (!sc_cli_pair(pair, text) || set(rules, pair[0], pair[1]) != SC_OK) {
        sc_cli_error("--%s: '%s' should be a length of at least 0 in um, or two such as 2,4.5",
                     option, text);
        *usage = true;
        return SC_EINVAL;
    }
    return SC_OK;
}

int sc_cli_place_rules(sc_place_rules **out, const sc_netlist *netlist, const sc_cli_rule_values *v)
{
    sc_place_rules *rules = NULL;
    bool usage = false;

    if (v->constraints == NULL && v->halo == NULL && v->spacing == NULL && !v->rotate)
        return SC_EXIT_OK;
    sc_status st = v->constraints != NULL ? sc_place_rules_open(&rules, netlist, v->constraints)
                                          : sc_place_rules_create(&rules, netlist);
    if (st == SC_OK)
        st = set_pair(rules, "halo", v->halo, sc_place_rules_halo, &usage);
    if (st == SC_OK)
        st = set_pair(rules, "spacing", v->spacing, sc_place_rules_spacing, &usage);
    if (st == SC_OK) {
        if (v->rotate)
            sc_place_rules_rotate(rules, 1);
        *out = rules;
        return SC_EXIT_OK;
    }
    sc_place_rules_destroy(rules);
    return usage ? SC_EXIT_USAGE : sc_cli_fail_input(st);
}
