#ifndef PLACEMENT_ROOM_H
#define PLACEMENT_ROOM_H
/** Which places are free for hard macros: boxes of those that stand, grown by what each keeps clear
 *  around itself, and blockages of rate 1. */
#include "placement/rules.h"

typedef struct sc_room {
    const sc_netlist *list;
    const sc_place_rules *rules; /* may be NULL */
    double end_um[2];            /* width and height of the canvas */
    size_t n;                    /* boxes: one a hard macro, then one a blockage */
    double *x0, *y0, *x1, *y1;   /* [n] um */
    uint32_t *number;            /* [n_blocks] box of a hard macro */
} sc_room;

/** Half of a block's width and height at an orientation, um. */
static inline void sc_room_half(double half[2], const sc_block *block, sc_orient orient)
{
    const bool turned = sc_orient_is_turned(orient);
    half[0] = (turned ? block->height_um : block->width_um) / 2;
    half[1] = (turned ? block->width_um : block->height_um) / 2;
}

/** Half of the box that a hard macro takes, with what it keeps clear of other macros, um. */
void sc_room_reach(double half[2], const sc_room *r, uint32_t block, sc_orient orient);
/** Where the centre of a block may be along each axis: a hard macro inside the canvas with its halo
 *  and inside its region, a soft macro's centre inside both. high < low: nowhere. */
void sc_room_bounds(double low[2], double high[2], const sc_room *r, uint32_t block,
                    sc_orient orient);

/** @param rules  borrowed, may be NULL. @return SC_OK; SC_ENOMEM. */
sc_status sc_room_init(sc_room *r, const sc_netlist *list, const sc_canvas *canvas,
                       const sc_place_rules *rules, const sc_spot *spot) SC_MUST_USE;
void sc_room_clear(sc_room *r);
/** Take the box of a hard macro away, so that it is in nobody's way. */
void sc_room_lift(sc_room *r, uint32_t block);
/** Put the box of a hard macro where it stands. */
void sc_room_put(sc_room *r, uint32_t block, const sc_spot *spot);
/** Whether the box of `block` at a spot is where it may be and meets no other. Cost: O(boxes). */
bool sc_room_free(const sc_room *r, uint32_t block, const sc_spot *spot);
#endif
