#include "placement/cost.h"

#include <string.h>

#include "core/mem.h"
#include "placement/cost_state.h"

/* Accepted moves after which rounding is wiped out by counting anew: far from showing by then. */
enum { RECOUNT = 4096 };

/* ---- maps ---- */

void sc_cost__cover(sc_cost *c, uint32_t block, const sc_spot *spot, double sign)
{
    const sc_block *b = &c->list->block[block];
    const bool turned = sc_orient_is_turned(spot->orient);
    const double w = (turned ? b->height_um : b->width_um) / 2;
    const double h = (turned ? b->width_um : b->height_um) / 2;
    const double x0 = spot->x_um - w, x1 = spot->x_um + w;
    const double y0 = spot->y_um - h, y1 = spot->y_um + h;
    const sc_grid *g = &c->grid;

    if (b->kind != SC_BLOCK_HARD && b->kind != SC_BLOCK_SOFT)
        return;
    const sc_span columns = sc_grid_span(x0, x1, g->cell_width_um, g->columns);
    const sc_span rows = sc_grid_span(y0, y1, g->cell_height_um, g->rows);
    const double share = sign / (g->cell_width_um * g->cell_height_um);
    for (int32_t row = rows.first; row <= rows.last; row++) {
        const double dy = share * sc_grid_overlap(y0, y1, g->cell_height_um, row);
        double *at = c->covered + (size_t)row * g->columns;
        for (int32_t column = columns.first; column <= columns.last; column++)
            at[column] += dy * sc_grid_overlap(x0, x1, g->cell_width_um, column);
    }
    if (b->kind == SC_BLOCK_HARD)
        sc_routes_add_macro(&c->routes, x0, y0, x1, y1, sign);
}

/* Mean over the cells that are covered at all, of a grid too small for a top tenth. */
static double mean_covered(const sc_cost *c)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->n_cells; i++) {
        if (c->covered[i] > 1e-12) { /* what taking off an equal amount may leave */
            sum += c->covered[i];
            n++;
        }
    }
    return n > 0 ? sum / (double)n : 0;
}

static double density(sc_cost *c)
{
    const size_t tenth = c->n_cells / 10;
    return 0.5 * (c->n_cells < 10 ? mean_covered(c)
                                  : sc_top_mean(&c->top_cells, c->covered, c->n_cells, tenth));
}

void sc_cost__sum(sc_cost *c)
{
    const sc_place_options *o = &c->options;
    const double half = c->canvas->width_um + c->canvas->height_um;
    const size_t twentieth = c->n_routes / 20;

    c->now.hpwl_um = c->length_um;
    c->now.wirelength = c->weight_sum > 0 ? c->length_um / (half * c->weight_sum) : 0;
    c->now.density = density(c);
    c->now.congestion =
        sc_top_mean(&c->top_routes, c->map, c->n_routes, twentieth > 0 ? twentieth : 1);
    c->now.proxy = o->wirelength_weight * c->now.wirelength + o->density_weight * c->now.density +
                   o->congestion_weight * c->now.congestion;
}

void sc_cost_recount(sc_cost *c)
{
    memset(c->map, 0, c->n_map * sizeof *c->map);
    c->length_um = 0;
    for (uint32_t b = 0; b < c->list->n_blocks; b++)
        sc_cost__stand(c, b);
    for (uint32_t net = 0; net < c->list->n_nets; net++) {
        c->net[net] = sc_cost__measure(c, net, c->cell + c->first[net]);
        c->length_um += c->net[net].length_um;
        sc_cost__route(c, net, c->cell + c->first[net], c->net[net].n_cells, 1);
    }
    for (uint32_t b = 0; b < c->list->n_blocks; b++)
        sc_cost__cover(c, b, &c->spot[b], 1);
    c->accepted = 0;
    sc_cost__sum(c);
}

void sc_cost_set(sc_cost *c, const sc_spot *spot)
{
    memcpy(c->spot, spot, c->list->n_blocks * sizeof *spot);
    sc_cost_recount(c);
}

/* ---- a try ---- */

/* Count a net that a moved block meets, once a try. */
static void change_net(sc_cost *c, uint32_t net)
{
    uint32_t *cell = c->cell + c->first[net], *old = c->old_cell + c->n_old_cells;
    const sc_net_state was = c->net[net];

    if (c->net_mark[net] == c->try_number)
        return;
    c->net_mark[net] = c->try_number;
    c->changed[c->n_changed++] =
        (sc_net_before){.net = net, .first = (uint32_t)c->n_old_cells, .state = was};
    memcpy(old, cell, was.n_cells * sizeof *cell);
    c->n_old_cells += was.n_cells;

    const sc_net_state is = sc_cost__measure(c, net, cell);
    c->net[net] = is;
    c->length_um += is.length_um - was.length_um;
    if (is.n_cells == was.n_cells && memcmp(old, cell, is.n_cells * sizeof *cell) == 0)
        return; /* the same wires */
    sc_cost__route(c, net, old, was.n_cells, -1);
    sc_cost__route(c, net, cell, is.n_cells, 1);
}

double sc_cost_try(sc_cost *c, const sc_move *move, size_t n)
{
    if (++c->try_number == 0) { /* after 2^32 tries old marks could be taken for new ones */
        memset(c->net_mark, 0, c->list->n_nets * sizeof *c->net_mark);
        c->try_number = 1;
    }
    memcpy(c->map_before, c->map, c->n_map * sizeof *c->map);
    c->before = c->now;
    c->length_before_um = c->length_um;
    c->n_moved = c->n_changed = c->n_old_cells = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = move[i].block;
        c->moved[c->n_moved++] = (sc_move){b, c->spot[b]};
        sc_cost__cover(c, b, &c->spot[b], -1);
        sc_cost__cover(c, b, &move[i].spot, 1);
        c->spot[b] = move[i].spot;
        sc_cost__stand(c, b);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = move[i].block;
        for (uint32_t k = c->block_first[b]; k < c->block_first[b + 1]; k++)
            change_net(c, c->block_net[k]);
    }
    sc_cost__sum(c);
    return c->now.proxy;
}

void sc_cost_accept(sc_cost *c)
{
    if (++c->accepted >= RECOUNT)
        sc_cost_recount(c);
}

void sc_cost_reject(sc_cost *c)
{
    for (size_t i = 0; i < c->n_moved; i++) {
        c->spot[c->moved[i].block] = c->moved[i].spot;
        sc_cost__stand(c, c->moved[i].block);
    }
    for (size_t i = 0; i < c->n_changed; i++) {
        const sc_net_before *b = &c->changed[i];
        c->net[b->net] = b->state;
        memcpy(c->cell + c->first[b->net], c->old_cell + b->first,
               b->state.n_cells * sizeof *c->cell);
    }
    memcpy(c->map, c->map_before, c->n_map * sizeof *c->map);
    c->length_um = c->length_before_um;
    c->now = c->before;
}

/* ---- life ---- */

static void make_grids(sc_cost *c)
{
    const sc_canvas *v = c->canvas;
    const sc_place_options *o = &c->options;
    const uint32_t columns = o->congestion_columns > 0 ? o->congestion_columns : v->columns;
    const uint32_t rows = o->congestion_rows > 0 ? o->congestion_rows : v->rows;

    c->grid = sc_grid_make(v->width_um, v->height_um, v->columns, v->rows);
    c->routes.grid = sc_grid_make(v->width_um, v->height_um, columns, rows);
    const sc_grid *g = &c->routes.grid;
    c->routes.h_wire = 1 / (g->cell_height_um * v->h_routes_per_um);
    c->routes.v_wire = 1 / (g->cell_width_um * v->v_routes_per_um);
    c->routes.h_macro = v->h_routes_macro * c->routes.h_wire;
    c->routes.v_macro = v->v_routes_macro * c->routes.v_wire;
    c->routes.smoothing = v->smoothing;
    c->n_cells = sc_grid_cells(&c->grid);
    c->n_routes = 2 * sc_grid_cells(g);
    c->n_map = c->n_routes + c->n_cells;
}

static sc_status make_maps(sc_cost *c, const sc_spot *spot)
{
    const size_t n_blocks = c->list->n_blocks, cells = c->n_routes / 2;

    c->map = sc_calloc(c->n_map, sizeof *c->map);
    c->map_before = sc_calloc(c->n_map, sizeof *c->map);
    c->cell_mark = sc_calloc(cells, sizeof *c->cell_mark);
    c->spot = sc_calloc(n_blocks, sizeof *c->spot);
    c->middle = sc_calloc(n_blocks, sizeof *c->middle);
    c->moved = sc_calloc(n_blocks, sizeof *c->moved);
    c->top_routes.scratch = sc_calloc(2 * c->n_routes, sizeof(double));
    c->top_cells.scratch = sc_calloc(2 * c->n_cells, sizeof(double));
    if (c->map == NULL || c->map_before == NULL || c->cell_mark == NULL || c->spot == NULL ||
        c->middle == NULL || c->moved == NULL || c->top_routes.scratch == NULL ||
        c->top_cells.scratch == NULL)
        return SC_ENOMEM;
    memcpy(c->spot, spot, n_blocks * sizeof *spot);
    c->routes.h = c->map;
    c->routes.v = c->map + cells;
    c->covered = c->map + c->n_routes;
    return SC_OK;
}

sc_status sc_cost_create(sc_cost **out, const sc_netlist *list, const sc_canvas *canvas,
                         const sc_spot *spot, const sc_place_options *options)
{
    const char *wrong = sc_place_options_check(options);
    if (wrong != NULL)
        return sc_fail(SC_EINVAL, "%s", wrong);
    sc_cost *c = sc_calloc(1, sizeof *c);
    sc_status st = c != NULL ? SC_OK : SC_ENOMEM;

    if (st == SC_OK) {
        c->list = list;
        c->canvas = canvas;
        c->options = *options;
        make_grids(c);
        st = make_maps(c, spot);
    }
    if (st == SC_OK)
        st = sc_cost__wire(c);
    if (st == SC_OK) {
        sc_cost_recount(c);
        *out = c;
        c = NULL;
    }
    sc_cost_destroy(c);
    return st;
}

void sc_cost_destroy(sc_cost *c)
{
    if (c == NULL)
        return;
    void *const owned[] = {c->first,
                           c->end,
                           c->cell,
                           c->old_cell,
                           c->net,
                           c->changed,
                           c->net_mark,
                           c->block_first,
                           c->block_net,
                           c->map,
                           c->map_before,
                           c->cell_mark,
                           c->spot,
                           c->middle,
                           c->moved,
                           c->top_routes.scratch,
                           c->top_cells.scratch};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        sc_free(owned[i]);
    sc_free(c);
}

bool sc_cost_neighbour(uint32_t *out, const sc_cost *c, uint32_t block, uint32_t k, uint32_t i)
{
    const uint32_t first = c->block_first[block], n = c->block_first[block + 1] - first;
    if (n == 0)
        return false;
    const uint32_t net = c->block_net[first + k % n];
    const uint32_t ends = c->first[net + 1] - c->first[net];
    *out = c->end[c->first[net] + i % ends].block;
    return *out != block;
}

sc_place_cost sc_cost_now(const sc_cost *c)
{
    return c->now;
}

const sc_spot *sc_cost_spots(const sc_cost *c)
{
    return c->spot;
}
