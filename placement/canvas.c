/** A canvas for a netlist that comes without a placement. */
#include <math.h>

#include "core/buf.h"
#include "core/mem.h"
#include "placement/placement.h"

const char *sc_canvas_options_check(const sc_canvas_options *o)
{
    if (o->version != SC_CANVAS_OPTIONS_VERSION)
        return "canvas options: another version of the library";
    if (!isfinite(o->width_um) || !isfinite(o->height_um) || o->width_um < 0 || o->height_um < 0 ||
        (o->width_um > 0) != (o->height_um > 0))
        return "canvas options: width and height should be positive, or neither given";
    if (!(o->utilization > 0 && o->utilization <= 1))
        return "canvas options: the utilization should be above 0 and at most 1";
    if ((o->columns == 0) != (o->rows == 0) || o->columns > 4096 || o->rows > 4096)
        return "canvas options: the grid should be 1 to 4096 columns and rows, or neither given";
    return NULL;
}

/* The box that ports at its edges leave, as far from its far sides as from its near ones; false if
 * they are not at edges of a box that holds the macros. */
static bool box_of_ports(double size[2], const sc_netlist *list, double area)
{
    double low[2] = {(double)INFINITY, (double)INFINITY}, high[2] = {0, 0};

    for (size_t b = 0; b < list->n_blocks; b++) {
        const sc_block *block = &list->block[b];
        if (block->kind != SC_BLOCK_PORT || !block->has_spot)
            continue;
        low[0] = fmin(low[0], block->spot.x_um);
        low[1] = fmin(low[1], block->spot.y_um);
        high[0] = fmax(high[0], block->spot.x_um);
        high[1] = fmax(high[1], block->spot.y_um);
    }
    for (int axis = 0; axis < 2; axis++) {
        if (!(low[axis] >= 0 && high[axis] > low[axis]))
            return false;
        size[axis] = high[axis] + low[axis];
    }
    return size[0] * size[1] >= area;
}

/* Width and height: as given, of the ports' box, or a square of the blocks' area. */
static void choose_size(double size[2], const sc_netlist *list, const sc_canvas_options *o)
{
    double area = 0;

    for (size_t b = 0; b < list->n_blocks; b++)
        area += list->block[b].width_um * list->block[b].height_um;
    if (o->width_um > 0) {
        size[0] = o->width_um;
        size[1] = o->height_um;
    } else if (!box_of_ports(size, list, area)) {
        size[0] = size[1] = area > 0 ? sqrt(area / o->utilization) : 1;
    }
}

/* A place on the edge at a share of the way around. */
static void edge_place(double at[2], const double size[2], double share)
{
    double way = share * 2 * (size[0] + size[1]);
    at[0] = fmin(way, size[0]);
    way -= at[0];
    at[1] = fmin(way, size[1]);
    way -= at[1];
    at[0] -= fmin(way, size[0]);
    way -= fmin(way, size[0]);
    at[1] -= fmin(way, size[1]);
}

/* Blocks that the netlist puts nowhere: ports around the edge, others in the middle. */
static void put_blocks(sc_buf *b, const sc_netlist *list, const double size[2])
{
    const double ports = (double)list->n_of_kind[SC_BLOCK_PORT];
    double port = 0;

    for (size_t i = 0; i < list->n_blocks; i++) {
        const sc_block *block = &list->block[i];
        double at[2] = {size[0] / 2, size[1] / 2};
        if (block->kind == SC_BLOCK_PORT)
            edge_place(at, size, port++ / ports);
        if (!block->has_spot)
            sc_buf_printf(b, "%u %.17g %.17g N %d\n", block->node, at[0], at[1],
                          block->kind == SC_BLOCK_PORT);
    }
}

sc_status sc_placement_create(sc_placement **out, const sc_netlist *netlist,
                              const sc_canvas_options *options)
{
    enum { CELLS = 24 }; /* along the longer side, about as many as published placements have */
    const char *wrong = sc_canvas_options_check(options);
    uint32_t columns = options->columns, rows = options->rows;
    double size[2];
    char *text = NULL;
    sc_buf b;

    if (wrong != NULL)
        return sc_fail(SC_EINVAL, "%s", wrong);
    choose_size(size, netlist, options);
    if (columns == 0) {
        const double longer = fmax(size[0], size[1]);
        columns = (uint32_t)fmax(1, round(CELLS * size[0] / longer));
        rows = (uint32_t)fmax(1, round(CELLS * size[1] / longer));
    }
    sc_buf_init(&b);
    sc_buf_printf(&b, "# Columns : %u  Rows : %u\n# Width : %.17g  Height : %.17g\n", columns, rows,
                  size[0], size[1]);
    put_blocks(&b, netlist, size);
    const size_t n = b.length;
    sc_status st = sc_buf_take(&b, &text);
    if (st == SC_OK)
        st = sc_placement_parse(out, netlist, netlist->name, text, n);
    sc_free(text);
    return st;
}
