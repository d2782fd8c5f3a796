#include "placement/rules.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

sc_status sc_place_rules_create(sc_place_rules **out, const sc_netlist *netlist)
{
    sc_place_rules *r = sc_calloc(1, sizeof *r);

    if (r == NULL)
        return SC_ENOMEM;
    r->n_blocks = netlist->n_blocks;
    r->of = sc_calloc(netlist->n_blocks, sizeof *r->of);
    if (r->of == NULL) {
        sc_place_rules_destroy(r);
        return SC_ENOMEM;
    }
    for (size_t b = 0; b < r->n_blocks; b++) {
        r->of[b].region = SC_NO_REGION;
        r->of[b].fixed = -1;
    }
    *out = r;
    return SC_OK;
}

void sc_place_rules_destroy(sc_place_rules *r)
{
    if (r == NULL)
        return;
    sc_free(r->of);
    sc_free(r->region);
    sc_free(r->blockage);
    sc_free(r);
}

static sc_status set_lengths(double to[2], double x_um, double y_um, const char *what)
{
    if (!isfinite(x_um) || !isfinite(y_um) || x_um < 0 || y_um < 0)
        return sc_fail(SC_EINVAL, "%s of %g and %g um; both should be numbers of at least 0", what,
                       x_um, y_um);
    to[0] = x_um;
    to[1] = y_um;
    return SC_OK;
}

sc_status sc_place_rules_halo(sc_place_rules *rules, double x_um, double y_um)
{
    return set_lengths(rules->halo_um, x_um, y_um, "a halo");
}

sc_status sc_place_rules_spacing(sc_place_rules *rules, double x_um, double y_um)
{
    return set_lengths(rules->spacing_um, x_um, y_um, "a spacing");
}

void sc_place_rules_rotate(sc_place_rules *rules, int rotate)
{
    rules->rotate = rotate != 0;
}

bool sc_rules_on_canvas(const sc_place_rules *rules, size_t i, const sc_canvas *canvas)
{
    const sc_blockage *a = &rules->blockage[i];
    for (size_t k = 0; k < canvas->n_blockages; k++) {
        const sc_blockage *b = &canvas->blockage[k];
        if (a->x0_um == b->x0_um && a->y0_um == b->y0_um && a->x1_um == b->x1_um &&
            a->y1_um == b->y1_um && b->rate >= 1)
            return true;
    }
    return false;
}

static void apply_rule(sc_spot *spot, const sc_rule *rule)
{
    if (rule->has_at) {
        spot->x_um = rule->at_um[0];
        spot->y_um = rule->at_um[1];
    }
    if (rule->has_orient)
        spot->orient = rule->orient;
    if (rule->fixed >= 0)
        spot->fixed = rule->fixed == 1;
}

sc_status sc_place_rules_apply(const sc_place_rules *rules, sc_placement *placement)
{
    sc_canvas *canvas = &placement->canvas;
    const size_t n = canvas->n_blockages + rules->n_blockages;

    if (rules->n_blocks != placement->n_blocks)
        return sc_fail(SC_EINVAL, "rules of a netlist of %zu blocks, placement of one of %zu",
                       rules->n_blocks, placement->n_blocks);
    if (rules->n_blockages > 0) {
        sc_blockage *grown = sc_realloc_array(canvas->blockage, n, sizeof *grown);
        if (grown == NULL)
            return SC_ENOMEM;
        canvas->blockage = grown;
        for (size_t i = 0; i < rules->n_blockages; i++)
            if (!sc_rules_on_canvas(rules, i, canvas))
                canvas->blockage[canvas->n_blockages++] = rules->blockage[i];
    }
    for (size_t b = 0; b < placement->n_blocks; b++)
        apply_rule(&placement->spot[b], &rules->of[b]);
    return SC_OK;
}

/* ---- what they ask ---- */

void sc_rules_halo(double halo[2], const sc_place_rules *rules, uint32_t block, sc_orient orient)
{
    halo[0] = halo[1] = 0;
    if (rules == NULL)
        return;
    const sc_rule *rule = &rules->of[block];
    const double *of = rule->has_halo ? rule->halo_um : rules->halo_um;
    const bool turned = sc_orient_is_turned(orient);
    halo[0] = of[turned];
    halo[1] = of[!turned];
}

void sc_rules_margin(double margin[2], const sc_place_rules *rules, uint32_t block,
                     sc_orient orient)
{
    sc_rules_halo(margin, rules, block, orient);
    for (int axis = 0; axis < 2 && rules != NULL; axis++)
        margin[axis] = fmax(margin[axis], rules->spacing_um[axis] / 2);
}

uint8_t sc_rules_orients(const sc_place_rules *rules, uint32_t block, sc_orient start)
{
    if (rules != NULL && rules->of[block].orients != 0)
        return rules->of[block].orients;
    if (rules != NULL && rules->rotate)
        return SC_ORIENTS_ALL;
    return sc_orient_is_turned(start) ? SC_ORIENTS_TURNED : SC_ORIENTS_UPRIGHT;
}

const sc_rect *sc_rules_region(const sc_place_rules *rules, uint32_t block)
{
    if (rules == NULL || rules->of[block].region == SC_NO_REGION)
        return NULL;
    return &rules->region[rules->of[block].region];
}

bool sc_rules_match(const char *pattern, const char *name)
{
    const char *star = NULL, *again = name;

    if (strcmp(pattern, name) == 0)
        return true;
    while (*name != '\0') { /* a star takes as little as goes well, then one character more */
        if (*pattern == '*') {
            star = pattern++;
            again = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
