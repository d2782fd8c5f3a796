#include "placement/legalise.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/order.h"
#include "placement/legal_state.h"

/* Larger macros first; ties by number. */
static bool is_larger(const void *context, uint32_t a, uint32_t b)
{
    const sc_block *block = context;
    return block[a].width_um * block[a].height_um > block[b].width_um * block[b].height_um;
}

/* An orientation that a macro may have: its own, or the first that fits into the canvas. */
static void choose_orient(sc_legalising *l, uint32_t block)
{
    sc_spot *spot = &l->spot[block];
    const uint8_t may = sc_rules_orients(l->rules, block, spot->orient);
    sc_orient first = SC_ORIENTS;

    for (int i = -1; i < SC_ORIENTS; i++) {
        const sc_orient o = i < 0 ? spot->orient : (sc_orient)i;
        double low[2], high[2];
        if ((may >> o & 1) == 0)
            continue;
        first = first == SC_ORIENTS ? o : first;
        sc_room_bounds(low, high, &l->room, block, o);
        if (low[0] <= high[0] && low[1] <= high[1]) {
            spot->orient = o;
            return;
        }
    }
    spot->orient = first;
}

static void bring_soft_in(sc_legalising *l)
{
    for (uint32_t b = 0; b < l->list->n_blocks; b++) {
        double low[2], high[2];
        if (l->list->block[b].kind != SC_BLOCK_SOFT || l->spot[b].fixed)
            continue;
        sc_room_bounds(low, high, &l->room, b, l->spot[b].orient);
        l->spot[b].x_um = fmin(fmax(l->spot[b].x_um, low[0]), high[0]);
        l->spot[b].y_um = fmin(fmax(l->spot[b].y_um, low[1]), high[1]);
    }
}

static void list_hard(sc_legalising *l, uint32_t *scratch)
{
    for (uint32_t b = 0; b < l->list->n_blocks; b++) {
        if (l->list->block[b].kind != SC_BLOCK_HARD || l->spot[b].fixed)
            continue;
        choose_orient(l, b);
        sc_room_put(&l->room, b, &l->spot[b]);
        l->hard[l->n_hard++] = b;
    }
    sc_order_sort(l->hard, scratch, l->n_hard, is_larger, l->list->block);
}

/* Nearer to the start, whatever way the placement came about. */
static sc_status refine(sc_legalising *l)
{
    sc_legal_settle(l);
    const sc_status st = sc_legal_tighten(l);
    if (st == SC_OK)
        sc_legal_settle(l);
    return st;
}

/* What was not proved and yet not found. */
static void say_not_found(const sc_legalising *l, sc_buf *why)
{
    const uint32_t b = l->hard[l->n_put < l->n_hard ? l->n_put : 0];
    const sc_block *block = &l->list->block[b];
    double area = 0;

    for (size_t i = 0; i < l->n_hard; i++) {
        double half[2];
        sc_room_reach(half, &l->room, l->hard[i], l->spot[l->hard[i]].orient);
        area += 4 * half[0] * half[1];
    }
    sc_buf_printf(why,
                  "no place was found for all %zu hard macros, of %g um2 with halos on a canvas of "
                  "%g x %g um, in any order tried (no proof that there is none); put on the "
                  "nearest free places none is left for macro '%s' of %g x %g um",
                  l->n_hard, area, l->room.end_um[0], l->room.end_um[1], block->name,
                  block->width_um, block->height_um);
}

/* The start in `start` [n_blocks] is where each try begins; the best placement goes to `best`. */
static sc_status try_all(sc_legalising *l, const sc_spot *start, sc_spot *best, bool *found)
{
    const size_t bytes = l->list->n_blocks * sizeof *l->spot;
    double least = (double)INFINITY;
    sc_status st = SC_OK;

    *found = false;
    for (int way = 0; way < 3 && st == SC_OK; way++) {
        bool done = false;
        if (way == 2 && *found)
            break;
        memcpy(l->spot, start, bytes);
        if (way == 0)
            done = sc_legal_greedy(l);
        else
            st = way == 1 ? sc_legal_repair(l, &done) : sc_legal_pack(l, &done);
        if (st == SC_OK && done)
            st = refine(l);
        if (st != SC_OK || !done || sc_legal_moved_all(l) >= least)
            continue;
        least = sc_legal_moved_all(l);
        memcpy(best, l->spot, bytes);
        *found = true;
    }
    return st;
}

static sc_status legalise(sc_legalising *l, sc_buf *why, sc_spot *best)
{
    const size_t n = l->list->n_blocks, most = 2 * l->room.n + 3;
    bool found = true;
    sc_status st = SC_OK;

    l->along_x = sc_calloc(most, sizeof *l->along_x);
    l->along_y = sc_calloc(l->room.n + 1, sizeof *l->along_y);
    l->hard = sc_calloc(2 * n + 1, sizeof *l->hard);
    sc_spot *start = sc_calloc(n + 1, sizeof *start);
    if (l->along_x == NULL || l->along_y == NULL || l->hard == NULL || start == NULL) {
        st = SC_ENOMEM;
    } else {
        list_hard(l, l->hard + n);
        bring_soft_in(l);
        memcpy(start, l->spot, n * sizeof *start);
        memcpy(best, l->spot, n * sizeof *best);
        if (!sc_legal_holds(l))
            st = try_all(l, start, best, &found);
        if (st == SC_OK && !found)
            say_not_found(l, why);
    }
    sc_free(start);
    return st != SC_OK ? st : why->status;
}

/* Sum of the distances between two placements' hard macros. */
static double distance(const sc_netlist *list, const sc_spot *a, const sc_spot *b)
{
    double sum = 0;
    for (size_t i = 0; i < list->n_blocks; i++)
        if (list->block[i].kind == SC_BLOCK_HARD)
            sum += hypot(a[i].x_um - b[i].x_um, a[i].y_um - b[i].y_um);
    return sum;
}

sc_status sc_legalise(sc_spot *spot, double *moved_um, sc_buf *why, const sc_netlist *list,
                      const sc_canvas *canvas, const sc_place_rules *rules)
{
    const size_t n = list->n_blocks;
    sc_legalising l = {.list = list, .canvas = canvas, .rules = rules, .want = spot};

    *moved_um = 0;
    sc_status st = sc_legal_impossible(why, list, canvas, rules, spot);
    if (st != SC_OK || why->length > 0)
        return st;
    l.spot = sc_calloc(2 * n + 1, sizeof *l.spot);
    if (l.spot == NULL)
        return SC_ENOMEM;
    memcpy(l.spot, spot, n * sizeof *spot);
    st = sc_room_init(&l.room, list, canvas, rules, spot);
    if (st == SC_OK)
        st = legalise(&l, why, l.spot + n);
    if (st == SC_OK && why->length == 0) {
        *moved_um = distance(list, spot, l.spot + n);
        memcpy(spot, l.spot + n, n * sizeof *spot);
    }
    sc_free(l.hard);
    sc_free(l.along_x);
    sc_free(l.along_y);
    sc_free(l.spot);
    sc_room_clear(&l.room);
    return st;
}
