#include "placement/start_spread.h"

#include <math.h>

#include "core/mem.h"
#include "core/order.h"
#include "placement/grid.h"

static const double least_room_um2 = 1e-9;

sc_status sc_spread_init(sc_spread *s, const sc_canvas *canvas, uint32_t n)
{
    const double side = SC_SPREAD_SIDE;

    *s = (sc_spread){.bin_um = {canvas->width_um / side, canvas->height_um / side}};
    s->room = sc_calloc((size_t)SC_SPREAD_SIDE * SC_SPREAD_SIDE, sizeof *s->room);
    s->item = sc_calloc(2 * (size_t)n + 1, sizeof *s->item);
    if (s->room == NULL || s->item == NULL) {
        sc_spread_clear(s);
        return SC_ENOMEM;
    }
    s->scratch = s->item + n;
    for (size_t i = 0; i < (size_t)SC_SPREAD_SIDE * SC_SPREAD_SIDE; i++)
        s->room[i] = s->bin_um[0] * s->bin_um[1];
    for (size_t i = 0; i < canvas->n_blockages; i++) {
        const sc_blockage *k = &canvas->blockage[i];
        if (k->rate >= 1)
            sc_spread_take(s, k->x0_um, k->y0_um, k->x1_um, k->y1_um);
    }
    return SC_OK;
}

void sc_spread_clear(sc_spread *s)
{
    sc_free(s->room);
    sc_free(s->item);
    *s = (sc_spread){0};
}

void sc_spread_take(sc_spread *s, double x0_um, double y0_um, double x1_um, double y1_um)
{
    const sc_span columns = sc_grid_span(x0_um, x1_um, s->bin_um[0], SC_SPREAD_SIDE);
    const sc_span rows = sc_grid_span(y0_um, y1_um, s->bin_um[1], SC_SPREAD_SIDE);

    for (int32_t row = rows.first; row <= rows.last; row++) {
        const double dy = sc_grid_overlap(y0_um, y1_um, s->bin_um[1], row);
        for (int32_t column = columns.first; column <= columns.last; column++) {
            double *room = &s->room[row * SC_SPREAD_SIDE + column];
            const double dx = sc_grid_overlap(x0_um, x1_um, s->bin_um[0], column);
            *room = fmax(0, *room - dx * dy);
        }
    }
}

/* ---- halves ---- */

/* A part of the canvas, in bins, and the items that go there. */
typedef struct part {
    int low[2], high[2];
    uint32_t first, end;
} part;

static double room_of(const sc_spread *s, const part *p)
{
    double sum = 0;
    for (int row = p->low[1]; row < p->high[1]; row++)
        for (int column = p->low[0]; column < p->high[0]; column++)
            sum += s->room[row * SC_SPREAD_SIDE + column];
    return sum;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
    const double *at = context;
    return at[a] < at[b];
}

/* Items of a part that is cut no further: over it, in their order along the longer side. */
static void put(sc_spread *s, double *const at[2], const part *p)
{
    const double n = p->end - p->first;
    double size[2];

    for (int axis = 0; axis < 2; axis++)
        size[axis] = (p->high[axis] - p->low[axis]) * s->bin_um[axis];
    const int along = size[1] > size[0];
    sc_order_sort(s->item + p->first, s->scratch, p->end - p->first, is_before, at[along]);
    for (uint32_t i = p->first; i < p->end; i++) {
        const uint32_t item = s->item[i];
        at[along][item] =
            p->low[along] * s->bin_um[along] + size[along] * ((double)(i - p->first) + 0.5) / n;
        at[!along][item] = p->low[!along] * s->bin_um[!along] + size[!along] / 2;
    }
}

/* Cut a part in two by its longer side, and its items by area. @return false if it is too small. */
static bool halve(const sc_spread *s, part half[2], double *const at[2], const double *area,
                  const part *p)
{
    const double width = (p->high[0] - p->low[0]) * s->bin_um[0];
    const double height = (p->high[1] - p->low[1]) * s->bin_um[1];
    int axis = height > width;
    double all = 0, sum = 0;

    if (p->high[axis] - p->low[axis] < 2)
        axis = !axis;
    if (p->high[axis] - p->low[axis] < 2 || p->end - p->first < 2)
        return false;
    half[0] = half[1] = *p;
    half[0].high[axis] = half[1].low[axis] = (p->low[axis] + p->high[axis]) / 2;
    const double room = room_of(s, &half[0]), other = room_of(s, &half[1]);
    const double share = room + other > least_room_um2 ? room / (room + other) : 0.5;
    sc_order_sort(s->item + p->first, s->scratch, p->end - p->first, is_before, at[axis]);
    for (uint32_t i = p->first; i < p->end; i++)
        all += area[s->item[i]];
    uint32_t cut = p->first;
    while (cut < p->end && sum + area[s->item[cut]] / 2 <= share * all)
        sum += area[s->item[cut++]];
    half[0].end = half[1].first = cut;
    return true;
}

void sc_spread_items(sc_spread *s, double *const at[2], const double *area, uint32_t n)
{
    part waiting[64]; /* halves of halves: at most two a level */
    int n_waiting = 1;

    for (uint32_t i = 0; i < n; i++)
        s->item[i] = i;
    waiting[0] = (part){{0, 0}, {SC_SPREAD_SIDE, SC_SPREAD_SIDE}, 0, n};
    while (n_waiting > 0) {
        const part p = waiting[--n_waiting];
        part half[2];
        if (p.first == p.end)
            continue;
        if (!halve(s, half, at, area, &p)) {
            put(s, at, &p);
            continue;
        }
        waiting[n_waiting++] = half[0];
        waiting[n_waiting++] = half[1];
    }
}
