#ifndef MODEL_COUNT_SLIDE_H
#define MODEL_COUNT_SLIDE_H
/** Inside the counting room: how one tensor's tile moves over the steps of the nest. */
#include "model/count/nest.h"

/** What a step brings into the child that holds the tile. */
typedef enum sc_step {
    SC_STEP_KEPT, /* nothing: the tile stands where it stood */
    SC_STEP_SUB,  /* the part of the tile that the one before did not cover */
    SC_STEP_FULL  /* the whole tile */
} sc_step;

/** Movements of every loop of the nest in a tensor's rank space, modulo 2^64. */
typedef struct sc_moves {
    uint64_t by[SC_MAX_LOOPS][SC_MAX_RANKS];
} sc_moves;

void sc_moves_build(sc_moves *v, const sc_nest *n, const sc_plan_tensor *t);

/** Steps of the loops from `first` outwards, as a child of level l sees them. */
typedef struct sc_slide {
    unsigned first, moving;     /* innermost loop; innermost that moves the tile, n_loops if none */
    uint64_t volume, sub;       /* words of a SC_STEP_FULL and a SC_STEP_SUB step */
    uint8_t step[SC_MAX_LOOPS]; /* sc_step of an increment of each loop from `first` on */
} sc_slide;

/** Slide of a tensor that is not plain. */
void sc_slide_build(sc_slide *s, const sc_nest *n, const sc_moves *v, const sc_plan_tensor *t,
                    unsigned tensor, unsigned level, bool pre_2025);
/** The same for a plain tensor, whose steps are KEPT up to the first that moves and FULL after. */
void sc_slide_plain(sc_slide *s, const sc_nest *n, const sc_plan_tensor *t, unsigned tensor,
                    unsigned level);
/** Of the MACs under the innermost level, which hold nothing: every step is FULL. */
void sc_slide_macs(sc_slide *s, const sc_nest *n);

/** Words over all steps, the first fill included. Sets *overflow past 2^64. */
uint64_t sc_slide_total(const sc_slide *s, const sc_nest *n, bool *overflow);
#endif
