#include "placement/room.h"

#include <math.h>

#include "core/mem.h"

/* Touching is no overlap, nor is what rounding makes of it. */
static const double slack_um = 1e-9;

sc_status sc_room_init(sc_room *r, const sc_netlist *list, const sc_canvas *canvas,
                       const sc_spot *spot)
{
    const size_t most = list->n_of_kind[SC_BLOCK_HARD] + canvas->n_blockages + 1;

    *r = (sc_room){.width_um = canvas->width_um, .height_um = canvas->height_um};
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
        sc_room_put(r, b, &list->block[b], &spot[b]);
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

void sc_room_put(sc_room *r, uint32_t block, const sc_block *b, const sc_spot *spot)
{
    const uint32_t i = r->number[block];
    double half[2];

    sc_room_half(half, b, spot->orient);
    r->x0[i] = spot->x_um - half[0];
    r->y0[i] = spot->y_um - half[1];
    r->x1[i] = spot->x_um + half[0];
    r->y1[i] = spot->y_um + half[1];
}

bool sc_room_free(const sc_room *r, const sc_block *b, const sc_spot *spot, uint32_t block)
{
    double half[2];
    uint32_t met = 0;

    sc_room_half(half, b, spot->orient);
    const double x0 = spot->x_um - half[0], x1 = spot->x_um + half[0];
    const double y0 = spot->y_um - half[1], y1 = spot->y_um + half[1];
    if (x0 < -slack_um || y0 < -slack_um || x1 > r->width_um + slack_um ||
        y1 > r->height_um + slack_um)
        return false;
    for (size_t i = 0; i < r->n; i++) /* without a branch: compilers make it wide */
        met += (uint32_t)((i != r->number[block]) & (r->x0[i] + slack_um < x1) &
                          (x0 + slack_um < r->x1[i]) & (r->y0[i] + slack_um < y1) &
                          (y0 + slack_um < r->y1[i]));
    return met == 0;
}
