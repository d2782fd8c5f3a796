#include "placement/room.h"

#include <math.h>

#include "core/mem.h"

/* Touching is no overlap, nor is what rounding makes of it. */
static const double slack_um = 1e-9;

sc_status sc_room_init(sc_room *r, const sc_netlist *list, const sc_canvas *canvas,
                       const sc_place_rules *rules, const sc_spot *spot)
{
    const size_t most = list->n_of_kind[SC_BLOCK_HARD] + canvas->n_blockages + 1;

    *r = (sc_room){.list = list, .rules = rules, .end_um = {canvas->width_um, canvas->height_um}};
    r->x0 = sc_calloc(4 * most, sizeof *r->x0);
    r->number = sc_calloc(list->n_blocks, sizeof *r->number);
    if (r->x0 == NULL || r->number == NULL) {
        sc_room_clear(r);
        return SC_ENOMEM;
    }
    r->y0 = r->x0 + most;
    r->x1 = r->y0 + most;
    r->y1 = r->x1 + most;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        if (list->block[b].kind != SC_BLOCK_HARD)
            continue;
        r->number[b] = (uint32_t)r->n++;
        sc_room_put(r, b, &spot[b]);
    }
    for (size_t i = 0; i < canvas->n_blockages; i++) {
        const sc_blockage *k = &canvas->blockage[i];
        if (k->rate < 1)
            continue;
        r->x0[r->n] = k->x0_um;
        r->y0[r->n] = k->y0_um;
        r->x1[r->n] = k->x1_um;
        r->y1[r->n++] = k->y1_um;
    }
    return SC_OK;
}

void sc_room_clear(sc_room *r)
{
    sc_free(r->x0);
    sc_free(r->number);
    *r = (sc_room){0};
}

void sc_room_lift(sc_room *r, uint32_t block)
{
    const uint32_t i = r->number[block];
    r->x0[i] = r->y0[i] = (double)INFINITY;
    r->x1[i] = r->y1[i] = -(double)INFINITY;
}

void sc_room_reach(double half[2], const sc_room *r, uint32_t block, sc_orient orient)
{
    double margin[2];
    sc_room_half(half, &r->list->block[block], orient);
    sc_rules_margin(margin, r->rules, block, orient);
    half[0] += margin[0];
    half[1] += margin[1];
}

void sc_room_bounds(double low[2], double high[2], const sc_room *r, uint32_t block,
                    sc_orient orient)
{
    const sc_block *b = &r->list->block[block];
    const sc_rect *region = sc_rules_region(r->rules, block);
    double half[2] = {0, 0}, halo[2] = {0, 0};

    if (b->kind == SC_BLOCK_HARD) {
        sc_room_half(half, b, orient);
        sc_rules_halo(halo, r->rules, block, orient);
    }
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = half[axis] + halo[axis];
        high[axis] = r->end_um[axis] - half[axis] - halo[axis];
    }
    if (region == NULL)
        return;
    low[0] = fmax(low[0], region->x0_um + half[0]);
    low[1] = fmax(low[1], region->y0_um + half[1]);
    high[0] = fmin(high[0], region->x1_um - half[0]);
    high[1] = fmin(high[1], region->y1_um - half[1]);
}

void sc_room_put(sc_room *r, uint32_t block, const sc_spot *spot)
{
    const uint32_t i = r->number[block];
    double half[2];

    sc_room_reach(half, r, block, spot->orient);
    r->x0[i] = spot->x_um - half[0];
    r->y0[i] = spot->y_um - half[1];
    r->x1[i] = spot->x_um + half[0];
    r->y1[i] = spot->y_um + half[1];
}

bool sc_room_free(const sc_room *r, uint32_t block, const sc_spot *spot)
{
    double half[2], low[2], high[2];
    uint32_t met = 0;

    sc_room_bounds(low, high, r, block, spot->orient);
    if (spot->x_um < low[0] - slack_um || spot->y_um < low[1] - slack_um ||
        spot->x_um > high[0] + slack_um || spot->y_um > high[1] + slack_um)
        return false;
    sc_room_reach(half, r, block, spot->orient);
    const double x0 = spot->x_um - half[0] + slack_um, x1 = spot->x_um + half[0] - slack_um;
    const double y0 = spot->y_um - half[1] + slack_um, y1 = spot->y_um + half[1] - slack_um;
    for (size_t i = 0; i < r->n; i++) /* without a branch: compilers make it wide */
        met += (uint32_t)((i != r->number[block]) & (r->x0[i] < x1) & (x0 < r->x1[i]) &
                          (r->y0[i] < y1) & (y0 < r->y1[i]));
    return met == 0;
}
