#ifndef PLACEMENT_GRID_H
#define PLACEMENT_GRID_H
/** A regular grid over the canvas; cell (row, column) is row * columns + column. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_grid {
    uint32_t columns, rows;
    double cell_width_um, cell_height_um;
} sc_grid;

/** Cells that an interval overlaps, first to last; none if last < first. */
typedef struct sc_span {
    int32_t first, last;
} sc_span;

static inline sc_grid sc_grid_make(double width_um, double height_um, uint32_t columns,
                                   uint32_t rows)
{
    return (sc_grid){columns, rows, width_um / columns, height_um / rows};
}

static inline size_t sc_grid_cells(const sc_grid *g)
{
    return (size_t)g->columns * g->rows;
}

/** Cell along one axis of a place on the canvas; its far edge belongs to the last one. */
static inline uint32_t sc_grid_at(double place_um, double cell_um, uint32_t cells)
{
    const uint32_t at = (uint32_t)(place_um / cell_um);
    return at < cells ? at : cells - 1;
}

/** Cells along one axis from `low` to `high`, cut to the grid; touching counts as overlap. */
static inline sc_span sc_grid_span(double low_um, double high_um, double cell_um, uint32_t cells)
{
    const double first = floor(low_um / cell_um), last = floor(high_um / cell_um);
    if (last < 0 || first >= cells)
        return (sc_span){0, -1};
    return (sc_span){first > 0 ? (int32_t)first : 0,
                     last < cells ? (int32_t)last : (int32_t)cells - 1};
}

/** Length of [low, high] inside cell `at`, 0 if they do not meet. */
static inline double sc_grid_overlap(double low_um, double high_um, double cell_um, int32_t at)
{
    const double from = fmax(low_um, at * cell_um), to = fmin(high_um, (at + 1) * cell_um);
    return to > from ? to - from : 0;
}
#endif
