#ifndef FLOORPLAN_PLAN_H
#define FLOORPLAN_PLAN_H
/** How finely a design is cut into macros. Page: docs/algorithms/floorplan.md. */
#include "model/arch/parts.h"
#include "scantle/floorplan.h"

/** A level that macros are made of: memories as the design has them, then its arrays. */
typedef struct sc_plan_level {
    const char *name;
    uint32_t part;      /* index of the memory among the design's levels */
    sc_storage storage; /* SC_STORAGE_REGISTER: arrays */
    uint64_t instances;
    uint64_t children_x, children_y; /* of the next level under one instance, as a mesh */
    uint32_t buffers;
    uint64_t banks[SC_ROLES]; /* of each buffer */
    uint64_t bytes[SC_ROLES];
    double channels;
    double area_um2;   /* of one instance alone */
    double inside_um2; /* of one instance, its lanes and all below */
    double rate_bits;  /* a cycle, in and out of one instance; 0: not stated */
} sc_plan_level;

typedef struct sc_plan {
    uint32_t n_levels;
    sc_plan_level level[SC_MAX_LEVELS + 1];
    uint32_t tile;           /* level whose instances are macros as a whole */
    uint64_t tile_x, tile_y; /* of them, how many are one macro */
    double lanes_um2;        /* of the lanes beside one instance of the innermost memory */
    double lanes_bits;       /* between those and it, a cycle */
} sc_plan;

/** How many pieces a mesh of children makes when tile_x * tile_y are one; 1 below the tiles. */
uint64_t sc_plan_columns(const sc_plan *p, uint32_t level);
uint64_t sc_plan_rows(const sc_plan *p, uint32_t level);
/** Hard macros of the whole plan, channels not counted. */
uint64_t sc_plan_macros(const sc_plan *p);
/** Cut as finely as the options' number of macros lets. */
void sc_plan_make(sc_plan *out, const sc_parts *parts, const sc_floorplan_options *o);
#endif
