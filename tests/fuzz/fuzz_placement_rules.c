/* Constraint files of placements: whatever the text, rules that are accepted can be applied,
 * checked and placed by; what the legaliser calls legal is legal to the checker. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "placement/legal.h"
#include "placement/legalise.h"

static const char netlist[] =
    "node { name: 'a' attr { key: 'type' value { placeholder: 'MACRO' } }"
    " attr { key: 'width' value { f: 20 } } attr { key: 'height' value { f: 10 } } }\n"
    "node { name: 'b' attr { key: 'type' value { placeholder: 'MACRO' } }"
    " attr { key: 'width' value { f: 30 } } attr { key: 'height' value { f: 30 } } }\n"
    "node { name: 's' attr { key: 'type' value { placeholder: 'macro' } }"
    " attr { key: 'width' value { f: 5 } } attr { key: 'height' value { f: 5 } } }\n";
static const char start[] = "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n"
                            "0 50 50 N 0\n1 55 55 N 0\n2 10 10 N 0\n";

/* Fixed macros may break any rule; without one, a legalised placement breaks none. */
static void use(const sc_netlist *list, sc_placement *placement, const sc_place_rules *rules)
{
    sc_violation *violation = NULL;
    size_t n = 0;
    double moved;
    bool fixed = false;
    sc_buf why;

    if (sc_place_rules_apply(rules, placement) != SC_OK)
        return;
    for (size_t b = 0; b < list->n_blocks; b++)
        fixed = fixed || placement->spot[b].fixed;
    sc_buf_init(&why);
    if (sc_legalise(placement->spot, &moved, &why, list, &placement->canvas, rules) == SC_OK &&
        sc_legal_check(&violation, &n, list, &placement->canvas, rules, placement->spot) == SC_OK &&
        !fixed && why.length == 0 && n > 0)
        abort();
    sc_free(violation);
    sc_buf_clear(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_netlist *list = NULL;
    sc_placement *placement = NULL;
    sc_place_rules *rules = NULL;
    char text[sizeof start];

    memcpy(text, start, sizeof start);
    if (sc_netlist_parse(&list, "n", netlist, sizeof netlist - 1) != SC_OK ||
        sc_placement_parse(&placement, list, "p", text, sizeof start - 1) != SC_OK)
        abort();
    if (sc_place_rules_parse(&rules, list, "r", (const char *)data, size) == SC_OK)
        use(list, placement, rules);
    sc_place_rules_destroy(rules);
    sc_placement_destroy(placement);
    sc_netlist_destroy(list);
    return 0;
}
