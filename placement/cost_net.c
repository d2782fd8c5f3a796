/** Nets as costs see them: their ends, length and cells. */
#include <string.h>

#include "core/mem.h"
#include "placement/cost_state.h"

/* ---- ends and nets of blocks ---- */

static sc_end end_of(const sc_netlist *list, uint32_t pin)
{
    const sc_pin *p = &list->pin[pin];
    const bool hard = list->block[p->block].kind == SC_BLOCK_HARD;
    return (sc_end){p->block, hard ? p->dx_um : 0, hard ? p->dy_um : 0};
}

/* Add an end unless the net has it. Nets are short but for a few; those would cost the square of
 * their pins, so only the last ends are looked at. A double end costs time, nothing else. */
static uint32_t add_end(sc_end *end, uint32_t first, uint32_t n, sc_end new_end)
{
    enum { LOOK = 32 };
    for (uint32_t i = n > first + LOOK ? n - LOOK : first; i < n; i++)
        if (end[i].block == new_end.block && end[i].dx_um == new_end.dx_um &&
            end[i].dy_um == new_end.dy_um)
            return n;
    end[n] = new_end;
    return n + 1;
}

static void make_ends(sc_cost *c)
{
    const sc_netlist *list = c->list;
    uint32_t n = 0;
    for (size_t net = 0; net < list->n_nets; net++) {
        c->first[net] = n;
        for (uint32_t p = list->net_first[net]; p < list->net_first[net + 1]; p++)
            n = add_end(c->end, c->first[net], n, end_of(list, list->net_pin[p]));
        c->weight_sum += list->net_weight[net];
    }
    c->first[list->n_nets] = n;
}

/* Call `note` once for every pair of a block and a net that meet, by ascending net. */
static void each_meeting(sc_cost *c, uint32_t *last, void (*note)(sc_cost *, uint32_t, uint32_t))
{
    memset(last, 0xff, c->list->n_blocks * sizeof *last); /* the last net of each block */
    for (uint32_t net = 0; net < c->list->n_nets; net++) {
        for (uint32_t e = c->first[net]; e < c->first[net + 1]; e++) {
            const uint32_t block = c->end[e].block;
            if (last[block] != net)
                note(c, block, net);
            last[block] = net;
        }
    }
}

static void count_meeting(sc_cost *c, uint32_t block, uint32_t net)
{
    (void)net;
    c->block_first[block + 2]++;
}

static void write_meeting(sc_cost *c, uint32_t block, uint32_t net)
{
    c->block_net[c->block_first[block + 1]++] = net;
}

/* Counts stand two places on, so that sums make them the place where each block's nets begin, one
 * place on; writing the nets moves each to where they end, which is where the next block's begin.
 */
static void make_block_nets(sc_cost *c, uint32_t *last)
{
    each_meeting(c, last, count_meeting);
    for (size_t b = 0; b < c->list->n_blocks; b++)
        c->block_first[b + 2] += c->block_first[b + 1];
    each_meeting(c, last, write_meeting);
}

sc_status sc_cost__wire(sc_cost *c)
{
    const sc_netlist *list = c->list;
    const size_t ends = list->net_first[list->n_nets] + 1;

    c->first = sc_calloc(list->n_nets + 1, sizeof *c->first);
    c->end = sc_calloc(ends, sizeof *c->end);
    c->cell = sc_calloc(ends, sizeof *c->cell);
    c->old_cell = sc_calloc(ends, sizeof *c->old_cell);
    c->net = sc_calloc(list->n_nets + 1, sizeof *c->net);
    c->changed = sc_calloc(list->n_nets + 1, sizeof *c->changed);
    c->net_mark = sc_calloc(list->n_nets + 1, sizeof *c->net_mark);
    c->block_first = sc_calloc(list->n_blocks + 2, sizeof *c->block_first);
    c->block_net = sc_calloc(ends, sizeof *c->block_net);
    uint32_t *last = sc_calloc(list->n_blocks + 1, sizeof *last);
    const bool ok = c->first != NULL && c->end != NULL && c->cell != NULL && c->old_cell != NULL &&
                    c->net != NULL && c->changed != NULL && c->net_mark != NULL &&
                    c->block_first != NULL && c->block_net != NULL && last != NULL;
    if (ok) {
        make_ends(c);
        make_block_nets(c, last);
    }
    sc_free(last);
    return ok ? SC_OK : SC_ENOMEM;
}

/* ---- one net ---- */

/* The cell of routes at a place; SC_OUTSIDE off the canvas. */
static uint32_t cell_at(const sc_cost *c, double x, double y)
{
    const sc_grid *g = &c->routes.grid;
    if (!(x >= 0 && x <= c->canvas->width_um && y >= 0 && y <= c->canvas->height_um))
        return SC_OUTSIDE;
    return sc_grid_at(y, g->cell_height_um, g->rows) * g->columns +
           sc_grid_at(x, g->cell_width_um, g->columns);
}

void sc_cost__stand(sc_cost *c, uint32_t block)
{
    c->middle[block] = cell_at(c, c->spot[block].x_um, c->spot[block].y_um);
}

sc_net_state sc_cost__measure(sc_cost *c, uint32_t net, uint32_t *cell)
{
    double x0 = (double)INFINITY, x1 = -x0, y0 = x0, y1 = -x0;
    bool inside = true;
    uint32_t n = 0;

    if (++c->cell_number == 0) { /* after 2^32 nets old marks could be taken for new ones */
        memset(c->cell_mark, 0, sc_grid_cells(&c->routes.grid) * sizeof *c->cell_mark);
        c->cell_number = 1;
    }
    for (uint32_t e = c->first[net]; e < c->first[net + 1]; e++) {
        const sc_end *end = &c->end[e];
        const sc_spot *spot = &c->spot[end->block];
        double x = spot->x_um, y = spot->y_um;
        uint32_t at = c->middle[end->block];
        if (end->dx_um != 0 ||
            end->dy_um != 0) { /* most ends are in the middle: two divisions less */
            const sc_turn *turn = &sc_turns[spot->orient];
            x += turn->xx * end->dx_um + turn->xy * end->dy_um;
            y += turn->yx * end->dx_um + turn->yy * end->dy_um;
            at = cell_at(c, x, y);
        }
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
        inside = inside && at != SC_OUTSIDE;
        if (inside && c->cell_mark[at] != c->cell_number) {
            c->cell_mark[at] = c->cell_number;
            cell[n++] = at;
        }
    }
    return (sc_net_state){.length_um = c->list->net_weight[net] * (x1 - x0 + y1 - y0),
                          .n_cells = inside ? n : 0};
}

void sc_cost__route(sc_cost *c, uint32_t net, const uint32_t *cell, uint32_t n, double sign)
{
    const double weight = c->list->net_weight[net];
    if (n > 1)
        sc_routes_add_net(&c->routes, cell, n, sign * (weight > 1 ? weight : 1));
}
