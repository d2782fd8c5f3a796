/** Quadratic wirelength and spreading in turn, at first of all movable blocks, then of soft macros
 *  around hard ones that stand. */
#include <math.h>
#include <string.h>

#include "placement/legalise.h"
#include "placement/start.h"
#include "placement/start_solve.h"
#include "placement/start_spread.h"

enum {
    UNSPREAD = 5,  /* rounds before blocks are spread */
    TOGETHER = 30, /* rounds of all movable blocks */
    SOFT = 15      /* rounds of soft macros alone */
};
/* Share of the pull of its nets that holds a block where it was spread, times the round; SimPL has
 * 0.01. */
static const double hold = 0.02;
#define NO_POINT UINT32_MAX

/* An end of a net along one axis: a point and an offset, or a place. */
typedef struct end {
    uint32_t point;
    double at[2];
} end;

typedef struct analytic {
    const sc_netlist *list;
    const sc_canvas *canvas;
    sc_spot *spot;
    sc_spread spread;
    sc_springs springs;
    uint32_t n;            /* points: movable blocks of this stage */
    uint32_t *block;       /* [n] of each point */
    uint32_t *point;       /* [n_blocks] NO_POINT of what stands */
    end *ends;             /* [net_first[n_nets]] */
    double *at[2], *to[2]; /* [n] where points come to rest, and where they are spread */
    double *area, *degree; /* [n] um2; sum of the weights of the nets of a block */
    double least_um[2];    /* distances below it count as it */
} analytic;

/* ---- points and nets ---- */

static bool is_movable(const analytic *a, uint32_t b, bool hard)
{
    const sc_block_kind kind = a->list->block[b].kind;
    return !a->spot[b].fixed && (kind == SC_BLOCK_SOFT || (hard && kind == SC_BLOCK_HARD));
}

/* Blocks of a stage, where they stand in `at`. */
static void list_points(analytic *a, bool hard)
{
    a->n = 0;
    for (uint32_t b = 0; b < a->list->n_blocks; b++) {
        const sc_block *block = &a->list->block[b];
        a->point[b] = NO_POINT;
        if (!is_movable(a, b, hard))
            continue;
        a->point[b] = a->n;
        a->block[a->n] = b;
        a->area[a->n] = block->width_um * block->height_um;
        a->degree[a->n] = 0;
        a->at[0][a->n] = a->spot[b].x_um;
        a->at[1][a->n++] = a->spot[b].y_um;
    }
    a->springs.n = a->n;
}

/* Ends of all nets, and how strongly nets pull at each point. */
static void list_ends(analytic *a)
{
    const sc_netlist *list = a->list;
    for (size_t net = 0; net < list->n_nets; net++) {
        for (uint32_t k = list->net_first[net]; k < list->net_first[net + 1]; k++) {
            const sc_pin *pin = &list->pin[list->net_pin[k]];
            const sc_spot *spot = &a->spot[pin->block];
            const sc_turn *turn = &sc_turns[spot->orient];
            const bool hard = list->block[pin->block].kind == SC_BLOCK_HARD;
            const double dx = hard ? turn->xx * pin->dx_um + turn->xy * pin->dy_um : 0;
            const double dy = hard ? turn->yx * pin->dx_um + turn->yy * pin->dy_um : 0;
            end *e = &a->ends[k];
            e->point = a->point[pin->block];
            e->at[0] = e->point != NO_POINT ? dx : spot->x_um + dx;
            e->at[1] = e->point != NO_POINT ? dy : spot->y_um + dy;
            if (e->point != NO_POINT)
                a->degree[e->point] += list->net_weight[net];
        }
    }
}

static double place_of(const analytic *a, const end *e, int axis)
{
    return e->point != NO_POINT ? a->at[axis][e->point] + e->at[axis] : e->at[axis];
}

static void join(analytic *a, const end *e, const end *f, int axis, double weight)
{
    const double away = fabs(place_of(a, e, axis) - place_of(a, f, axis));
    const double w = weight / fmax(away, a->least_um[axis]);

    if (e->point != NO_POINT && f->point != NO_POINT)
        sc_springs_join(&a->springs, e->point, f->point, w, f->at[axis] - e->at[axis]);
    else if (e->point != NO_POINT)
        sc_springs_pull(&a->springs, e->point, w, f->at[axis] - e->at[axis]);
    else if (f->point != NO_POINT)
        sc_springs_pull(&a->springs, f->point, w, e->at[axis] - f->at[axis]);
}

/* Every end of a net to its outermost two: where the springs rest their energy is the half
 * perimeter (bound to bound; Spindler et al.). */
static void join_net(analytic *a, size_t net, int axis)
{
    const uint32_t first = a->list->net_first[net], last = a->list->net_first[net + 1];
    uint32_t low = first, high = first;

    if (last - first < 2)
        return;
    for (uint32_t k = first; k < last; k++) {
        const double at = place_of(a, &a->ends[k], axis);
        if (at < place_of(a, &a->ends[low], axis))
            low = k;
        if (at >= place_of(a, &a->ends[high], axis))
            high = k;
    }
    const double weight = a->list->net_weight[net] / (last - first - 1);
    for (uint32_t k = first; k < last; k++) {
        if (k == low)
            continue;
        join(a, &a->ends[k], &a->ends[low], axis, weight);
        if (k != high)
            join(a, &a->ends[k], &a->ends[high], axis, weight);
    }
}

/* ---- rounds ---- */

/* One round along an axis: nets pull, and with a strength blocks are held where they were spread.
 */
static void pull(analytic *a, int axis, double strength)
{
    const double edge = axis == 0 ? a->canvas->width_um : a->canvas->height_um;

    sc_springs_reset(&a->springs);
    for (size_t net = 0; net < a->list->n_nets; net++)
        join_net(a, net, axis);
    for (uint32_t i = 0; i < a->n && strength > 0; i++) {
        const double away = fabs(a->at[axis][i] - a->to[axis][i]);
        const double w = strength * (a->degree[i] + 1) / fmax(away, a->least_um[axis]);
        sc_springs_pull(&a->springs, i, w, a->to[axis][i]);
    }
    sc_springs_solve(&a->springs, a->at[axis]);
    for (uint32_t i = 0; i < a->n; i++)
        a->at[axis][i] = fmin(fmax(a->at[axis][i], 0), edge);
}

static void spread(analytic *a)
{
    for (int axis = 0; axis < 2; axis++)
        memcpy(a->to[axis], a->at[axis], a->n * sizeof **a->to);
    sc_spread_items(&a->spread, a->to, a->area, a->n);
}

/* Rounds of one stage; blocks end where they were spread last. */
static void settle(analytic *a, bool hard, int unspread, int rounds)
{
    list_points(a, hard);
    list_ends(a);
    for (int round = 0; round < unspread + rounds; round++) {
        const double strength = round < unspread ? 0 : hold * (round - unspread);
        if (strength > 0 || round >= unspread)
            spread(a);
        pull(a, 0, strength);
        pull(a, 1, strength);
    }
    spread(a);
    for (uint32_t i = 0; i < a->n; i++) {
        a->spot[a->block[i]].x_um = a->to[0][i];
        a->spot[a->block[i]].y_um = a->to[1][i];
    }
}

/* Take what hard macros stand on from the room for others; of the fixed ones, or of all. */
static void take_hard(analytic *a, bool movable)
{
    for (uint32_t b = 0; b < a->list->n_blocks; b++) {
        const sc_block *block = &a->list->block[b];
        const sc_spot *spot = &a->spot[b];
        if (block->kind != SC_BLOCK_HARD || spot->fixed == movable)
            continue;
        const bool turned = sc_orient_is_turned(spot->orient);
        const double w = (turned ? block->height_um : block->width_um) / 2;
        const double h = (turned ? block->width_um : block->height_um) / 2;
        sc_spread_take(&a->spread, spot->x_um - w, spot->y_um - h, spot->x_um + w, spot->y_um + h);
    }
}

/* All movable blocks begin in the middle. */
static void gather(analytic *a)
{
    for (uint32_t b = 0; b < a->list->n_blocks; b++) {
        if (!is_movable(a, b, true))
            continue;
        a->spot[b].x_um = a->canvas->width_um / 2;
        a->spot[b].y_um = a->canvas->height_um / 2;
    }
}

static sc_status place(analytic *a, sc_buf *why, const sc_place_rules *rules)
{
    double moved = 0;

    gather(a);
    take_hard(a, false);
    settle(a, true, UNSPREAD, TOGETHER);
    const sc_status st = sc_legalise(a->spot, &moved, why, a->list, a->canvas, rules);
    if (st != SC_OK || why->length > 0)
        return st;
    take_hard(a, true);
    settle(a, false, 0, SOFT);
    return sc_legalise(a->spot, &moved, why, a->list, a->canvas, rules); /* brings soft ones in */
}

sc_status sc_start_analytic(sc_spot *spot, sc_buf *why, const sc_netlist *list,
                            const sc_canvas *canvas, const sc_place_rules *rules)
{
    const size_t n = list->n_blocks, ends = list->net_first[list->n_nets];
    analytic a = {.list = list, .canvas = canvas, .spot = spot};
    sc_status st = sc_spread_init(&a.spread, canvas, (uint32_t)n);

    if (st == SC_OK)
        st = sc_springs_init(&a.springs, (uint32_t)n, 2 * ends);
    double *values = sc_calloc(6 * n + 1, sizeof *values);
    a.block = sc_calloc(2 * n + 1, sizeof *a.block);
    a.ends = sc_calloc(ends + 1, sizeof *a.ends);
    if (values == NULL || a.block == NULL || a.ends == NULL)
        st = SC_ENOMEM;
    if (st == SC_OK) {
        a.point = a.block + n;
        a.area = values;
        a.degree = values + n;
        for (int axis = 0; axis < 2; axis++) {
            a.at[axis] = values + (size_t)(2 + axis) * n;
            a.to[axis] = values + (size_t)(4 + axis) * n;
            a.least_um[axis] = a.spread.bin_um[axis] / 4;
        }
        st = place(&a, why, rules);
    }
    sc_free(a.ends);
    sc_free(a.block);
    sc_free(values);
    sc_springs_clear(&a.springs);
    sc_spread_clear(&a.spread);
    return st;
}
