/* Netlists and placements: whatever the texts, a netlist that is accepted can be placed and
 * counted. The first line that is "%%" parts the two texts. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "placement/legal.h"
#include "placement/placement.h"

static void count(const sc_netlist *list, const sc_placement *placement)
{
    const sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_place_cost cost;
    sc_violation *violation = NULL;
    size_t n = 0;

    if (sc_place_cost_of(&cost, list, placement, &options) != SC_OK)
        return;
    if (isnan(cost.density) || cost.density < -1e-9)
        abort();
    if (sc_legal_check(&violation, &n, list, &placement->canvas, NULL, placement->spot) == SC_OK)
        sc_free(violation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    sc_netlist *list = NULL;
    sc_placement *placement = NULL;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *split = strstr(text, "\n%%\n");
    const size_t n = split != NULL ? (size_t)(split - text) : size;
    if (sc_netlist_parse(&list, "n", text, n) == SC_OK && split != NULL &&
        sc_placement_parse(&placement, list, "p", split + 4, size - n - 4) == SC_OK)
        count(list, placement);
    sc_placement_destroy(placement);
    sc_netlist_destroy(list);
    free(text);
    return 0;
}
