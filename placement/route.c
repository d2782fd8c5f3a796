#include "placement/route.h"

#include <stdbool.h>

typedef struct place { /* of a pin, in cells */
    int32_t column, row;
} place;

static place place_of(const sc_routes *r, uint32_t cell)
{
    return (place){(int32_t)(cell % r->grid.columns), (int32_t)(cell / r->grid.columns)};
}

/* Cells at most `reach` away from `at`, inside the grid. */
static sc_span around(int32_t at, uint32_t reach, uint32_t cells)
{
    const int32_t s = (int32_t)reach, end = (int32_t)cells - 1;
    return (sc_span){at > s ? at - s : 0, at + s < end ? at + s : end};
}

static void add_along(double *along, int32_t from, int32_t to, double amount)
{
    for (int32_t i = from; i < to; i++)
        along[i] += amount;
}

/* Wires of one direction along a line, over the half-open range between a and b; lines beside it
 * share them when smoothed. map: [lines][length]. */
static void run(double *map, int32_t line, uint32_t lines, uint32_t length, uint32_t smoothing,
                int32_t a, int32_t b, double amount)
{
    const int32_t from = a < b ? a : b, to = a < b ? b : a;

    if (smoothing == 0) { /* as the loop below, without its division: most placements */
        add_along(map + (size_t)line * length, from, to, amount);
        return;
    }
    const sc_span beside = around(line, smoothing, lines);
    const double each = amount / (beside.last - beside.first + 1);
    for (int32_t l = beside.first; l <= beside.last; l++)
        add_along(map + (size_t)l * length, from, to, each);
}

static void horizontal(sc_routes *r, int32_t row, int32_t a, int32_t b, double weight)
{
    run(r->h, row, r->grid.rows, r->grid.columns, r->smoothing, a, b, weight * r->h_wire);
}

static void vertical(sc_routes *r, int32_t column, int32_t a, int32_t b, double weight)
{
    run(r->v, column, r->grid.columns, r->grid.rows, r->smoothing, a, b, weight * r->v_wire);
}

/* Two pins: along the source's row, then along the sink's column. */
static void add_two(sc_routes *r, place source, place sink, double weight)
{
    horizontal(r, source.row, source.column, sink.column, weight);
    vertical(r, sink.column, source.row, sink.row, weight);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void swap(place *a, place *b)
{
    const place keep = *a;
    *a = *b;
    *b = keep;
}

static bool before_by_column(place a, place b)
{
    return a.column < b.column || (a.column == b.column && a.row < b.row);
}

static bool before_by_row(place a, place b)
{
    return a.row < b.row || (a.row == b.row && a.column < b.column);
}

static void sort(place p[3], bool (*before)(place, place))
{
    if (before(p[1], p[0]))
        swap(&p[0], &p[1]);
    if (before(p[2], p[1]))
        swap(&p[1], &p[2]);
    if (before(p[1], p[0]))
        swap(&p[0], &p[1]);
}

/* A trunk along the middle row with a branch to each end. */
static void add_tee(sc_routes *r, place p[3], double weight)
{
    sort(p, before_by_row);
    horizontal(r, p[1].row, least(p[0].column, least(p[1].column, p[2].column)),
               most(p[0].column, most(p[1].column, p[2].column)), weight);
    vertical(r, p[0].column, p[0].row, p[1].row, weight);
    vertical(r, p[2].column, p[1].row, p[2].row, weight);
}

/* Three pins by their order from left to right. */
static void add_three(sc_routes *r, place p[3], double weight)
{
    sort(p, before_by_column);
    const place a = p[0], b = p[1], c = p[2];

    if (a.column < b.column && b.column < c.column && least(a.row, c.row) < b.row &&
        most(a.row, c.row) > b.row) {
        horizontal(r, a.row, a.column, b.column, weight);
        horizontal(r, b.row, b.column, c.column, weight);
        vertical(r, b.column, a.row, b.row, weight);
        vertical(r, c.column, b.row, c.row, weight);
    } else if (b.column == c.column && a.column < b.column && a.row < least(b.row, c.row)) {
        horizontal(r, a.row, a.column, b.column, weight);
        vertical(r, b.column, a.row, most(b.row, c.row), weight);
    } else if (b.row == c.row) {
        horizontal(r, a.row, a.column, b.column, weight);
        horizontal(r, b.row, b.column, c.column, weight);
        vertical(r, b.column, a.row, b.row, weight);
    } else {
        add_tee(r, p, weight);
    }
}

void sc_routes_add_net(sc_routes *r, const uint32_t *cell, uint32_t n, double weight)
{
    if (n == 3) {
        place p[3] = {place_of(r, cell[0]), place_of(r, cell[1]), place_of(r, cell[2])};
        add_three(r, p, weight);
        return;
    }
    for (uint32_t i = 1; i < n; i++)
        add_two(r, place_of(r, cell[0]), place_of(r, cell[i]), weight);
}

/* Tracks of one direction above a macro. along: its span in the wires' direction, across: in the
 * other; a macro over more than one cell along whose first or last is partly covered takes none in
 * the last. map: [across][along]. */
static void cover(double *map, sc_span along, sc_span across, double along_um, double across_um,
                  uint32_t length, const double low[2], const double high[2], double amount)
{
    const bool partly =
        along.first != along.last &&
        (fabs(sc_grid_overlap(low[0], high[0], along_um, along.first) - along_um) > 1e-5 ||
         fabs(sc_grid_overlap(low[0], high[0], along_um, along.last) - along_um) > 1e-5);
    const int32_t last = along.last - partly;

    for (int32_t l = across.first; l <= across.last; l++) {
        const double add = amount * sc_grid_overlap(low[1], high[1], across_um, l);
        for (int32_t i = along.first; i <= last; i++)
            map[(size_t)l * length + (size_t)i] += add;
    }
}

void sc_routes_add_macro(sc_routes *r, double x0_um, double y0_um, double x1_um, double y1_um,
                         double sign)
{
    const sc_grid *g = &r->grid;
    const sc_span columns = sc_grid_span(x0_um, x1_um, g->cell_width_um, g->columns);
    const sc_span rows = sc_grid_span(y0_um, y1_um, g->cell_height_um, g->rows);

    cover(r->v, rows, columns, g->cell_height_um, g->cell_width_um, g->rows,
          (double[]){y0_um, x0_um}, (double[]){y1_um, x1_um}, sign * r->v_macro);
    cover(r->h, columns, rows, g->cell_width_um, g->cell_height_um, g->columns,
          (double[]){x0_um, y0_um}, (double[]){x1_um, y1_um}, sign * r->h_macro);
}
