/** Hard macros along a spiral of cells. */
#include <math.h>

#include "core/mem.h"
#include "core/order.h"
#include "placement/start.h"

static bool is_larger(const void *context, uint32_t a, uint32_t b)
{
    const sc_block *block = context;
    return block[a].width_um * block[a].height_um > block[b].width_um * block[b].height_um;
}

/* A walk over the cells of a grid: around it, then around what is left. */
typedef struct walk {
    int32_t low[2], high[2]; /* cells not walked yet */
    int32_t at[2];
    int side; /* right, up, left, down */
} walk;

static void go(walk *w)
{
    static const int axis_of[4] = {0, 1, 0, 1}, step_of[4] = {1, 1, -1, -1};
    for (int turns = 0; turns < 4; turns++) {
        const int axis = axis_of[w->side], step = step_of[w->side];
        const int32_t next = w->at[axis] + step;
        if (next >= w->low[axis] && next <= w->high[axis]) {
            w->at[axis] = next;
            return;
        }
        switch (w->side) { /* the line just walked is done */
        case 0: w->low[1]++; break;
        case 1: w->high[0]--; break;
        case 2: w->high[1]--; break;
        default: w->low[0]++; break;
        }
        w->side = (w->side + 1) % 4;
    }
}

static void put_all(sc_spot *spot, const sc_netlist *list, const sc_canvas *canvas,
                    const uint32_t *hard, size_t n)
{
    const double width = canvas->width_um / canvas->columns;
    const double height = canvas->height_um / canvas->rows;
    const uint64_t cells = (uint64_t)canvas->columns * canvas->rows;
    walk w = {.high = {(int32_t)canvas->columns - 1, (int32_t)canvas->rows - 1}};
    uint64_t walked = 0;

    for (size_t i = 0; i < n; i++) {
        const sc_block *b = &list->block[hard[i]];
        spot[hard[i]].x_um = (w.at[0] + 0.5) * width;
        spot[hard[i]].y_um = (w.at[1] + 0.5) * height;
        /* as many cells on as the macro covers along the walk, while there are any */
        const uint64_t cover = (uint64_t)ceil(b->width_um / width);
        for (uint64_t step = 0; step < cover && walked + 1 < cells; step++, walked++)
            go(&w);
    }
}

sc_status sc_start_spiral(sc_spot *spot, const sc_netlist *list, const sc_canvas *canvas)
{
    const size_t n = list->n_blocks;
    uint32_t *hard = sc_calloc(2 * n + 1, sizeof *hard);
    size_t n_hard = 0;

    if (hard == NULL)
        return SC_ENOMEM;
    for (uint32_t b = 0; b < n; b++) {
        if (spot[b].fixed)
            continue;
        if (list->block[b].kind == SC_BLOCK_HARD)
            hard[n_hard++] = b;
        if (list->block[b].kind == SC_BLOCK_SOFT) {
            spot[b].x_um = canvas->width_um / 2;
            spot[b].y_um = canvas->height_um / 2;
        }
    }
    sc_order_sort(hard, hard + n, n_hard, is_larger, list->block);
    put_all(spot, list, canvas, hard, n_hard);
    sc_free(hard);
    return SC_OK;
}
