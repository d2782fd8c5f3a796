/** Why no placement can be legal: sizes, areas, and macros that must stand on each other. */
#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "placement/legal_state.h"

/* What a hard macro takes at the least, with what it keeps clear, over the orientations it may
 * have; fixed ones as they stand. */
typedef struct least {
    uint32_t block;
    double box[2][2]; /* [upright, turned][x, y] um */
    bool may[2];
    double side[2]; /* least along x, along y */
} least;

typedef struct proving {
    sc_buf *why;
    const sc_netlist *list;
    sc_room room; /* for bounds alone */
    least *macro; /* [n] */
    size_t n;
} proving;

static void begin_line(proving *p)
{
    if (p->why->length > 0)
        sc_buf_puts(p->why, "\n");
}

/* "macro 'a' of 3 x 4 um", with its halo if it has one, and turned if it may turn. */
static void put_macro(proving *p, const least *m)
{
    const sc_block *b = &p->list->block[m->block];
    const int at = m->may[0] ? 0 : 1;
    double half[2];

    sc_room_half(half, b, at == 0 ? SC_ORIENT_N : SC_ORIENT_E);
    sc_buf_printf(p->why, "macro '%s' of %g x %g um", b->name, 2 * half[0], 2 * half[1]);
    if (m->box[at][0] != 2 * half[0] || m->box[at][1] != 2 * half[1])
        sc_buf_printf(p->why, ", %g x %g um with its halo,", m->box[at][0], m->box[at][1]);
    if (m->may[0] && m->may[1])
        sc_buf_printf(p->why, " (turned %g x %g um)", m->box[1][0], m->box[1][1]);
}

static least least_of(const proving *p, const sc_place_rules *rules, const sc_spot *spot,
                      uint32_t block)
{
    const uint8_t orients = sc_rules_orients(rules, block, spot->orient);
    const bool turned = sc_orient_is_turned(spot->orient);
    least m = {.block = block, .side = {(double)INFINITY, (double)INFINITY}};

    m.may[0] = spot->fixed ? !turned : (orients & SC_ORIENTS_UPRIGHT) != 0;
    m.may[1] = spot->fixed ? turned : (orients & SC_ORIENTS_TURNED) != 0;
    for (int t = 0; t < 2; t++) {
        double half[2];
        sc_room_reach(half, &p->room, block, t == 0 ? SC_ORIENT_N : SC_ORIENT_E);
        for (int axis = 0; axis < 2; axis++) {
            m.box[t][axis] = 2 * half[axis];
            if (m.may[t])
                m.side[axis] = fmin(m.side[axis], 2 * half[axis]);
        }
    }
    return m;
}

/* A movable macro that has no place even alone. */
static void prove_size(proving *p, const least *m)
{
    const sc_rect *region = sc_rules_region(p->room.rules, m->block);
    for (int t = 0; t < 2; t++) {
        double low[2], high[2];
        sc_room_bounds(low, high, &p->room, m->block, t == 0 ? SC_ORIENT_N : SC_ORIENT_E);
        if (m->may[t] && low[0] <= high[0] && low[1] <= high[1])
            return;
    }
    begin_line(p);
    put_macro(p, m);
    if (region != NULL)
        sc_buf_printf(p->why, " fits not into its region of %g x %g um on the canvas of %g x %g um",
                      region->x1_um - region->x0_um, region->y1_um - region->y0_um,
                      p->room.end_um[0], p->room.end_um[1]);
    else
        sc_buf_printf(p->why, " is larger than the canvas of %g x %g um", p->room.end_um[0],
                      p->room.end_um[1]);
}

/* Whether two macros fit neither side by side nor one above the other. */
static bool clash(const proving *p, const least *a, const least *b)
{
    return a->side[0] + b->side[0] > p->room.end_um[0] + 1e-6 &&
           a->side[1] + b->side[1] > p->room.end_um[1] + 1e-6;
}

static void prove_pairs(proving *p)
{
    for (size_t i = 0; i < p->n; i++) {
        for (size_t k = i + 1; k < p->n; k++) {
            if (!clash(p, &p->macro[i], &p->macro[k]))
                continue;
            begin_line(p);
            put_macro(p, &p->macro[i]);
            sc_buf_puts(p->why, " and ");
            put_macro(p, &p->macro[k]);
            sc_buf_printf(p->why,
                          " fit neither side by side nor above each other on the canvas of %g x "
                          "%g um",
                          p->room.end_um[0], p->room.end_um[1]);
            return;
        }
    }
}

/* Macros of more than half the canvas along one axis stand in one row along the other. */
static void prove_rows(proving *p, int axis)
{
    const double end = p->room.end_um[!axis];
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (p->macro[i].side[axis] <= p->room.end_um[axis] / 2 + 1e-6)
            continue;
        sum += p->macro[i].side[!axis];
        n++;
    }
    if (sum <= end + 1e-6 || p->why->length > 0)
        return;
    sc_buf_printf(p->why, "%zu hard macros %s than half the canvas of %g x %g um", n,
                  axis == 0 ? "wider" : "higher", p->room.end_um[0], p->room.end_um[1]);
    sc_buf_printf(p->why, " are %g um %s together, such as ", sum, axis == 0 ? "high" : "wide");
    for (size_t i = 0, named = 0; i < p->n && named < 3; i++) {
        if (p->macro[i].side[axis] <= p->room.end_um[axis] / 2 + 1e-6)
            continue;
        if (named++ > 0)
            sc_buf_puts(p->why, ", ");
        put_macro(p, &p->macro[i]);
    }
}

/* ---- areas ---- */

static int by_value(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Area of the canvas under blockages of rate 1: their union, strip by strip along x. */
static double blocked_area(const sc_canvas *c, double *edge)
{
    size_t n = 0;
    double area = 0;
    for (size_t i = 0; i < c->n_blockages; i++) {
        if (c->blockage[i].rate < 1)
            continue;
        edge[n++] = fmin(fmax(c->blockage[i].x0_um, 0), c->width_um);
        edge[n++] = fmin(fmax(c->blockage[i].x1_um, 0), c->width_um);
    }
    qsort(edge, n, sizeof *edge, by_value);
    for (size_t e = 0; e + 1 < n; e++) {
        double from = 0, covered = 0; /* below `from` the strip is looked at */
        for (bool more = true; more && edge[e + 1] > edge[e];) {
            const sc_blockage *next = NULL; /* the lowest of those that reach above `from` */
            for (size_t i = 0; i < c->n_blockages; i++) {
                const sc_blockage *k = &c->blockage[i];
                if (k->rate >= 1 && k->x0_um <= edge[e] && k->x1_um >= edge[e + 1] &&
                    k->y1_um > from && k->y0_um < c->height_um &&
                    (next == NULL || k->y0_um < next->y0_um))
                    next = k;
            }
            more = next != NULL && from < c->height_um;
            if (!more)
                break;
            covered += fmin(next->y1_um, c->height_um) - fmax(next->y0_um, from);
            from = next->y1_um;
        }
        area += covered * (edge[e + 1] - edge[e]);
    }
    return area;
}

static void prove_area(proving *p, const sc_canvas *canvas, double blocked_um2)
{
    const double whole = canvas->width_um * canvas->height_um;
    double area = 0;
    bool halos = false;

    for (size_t i = 0; i < p->n; i++) {
        const least *m = &p->macro[i];
        const sc_block *b = &p->list->block[m->block];
        const double box = m->box[m->may[0] ? 0 : 1][0] * m->box[m->may[0] ? 0 : 1][1];
        halos = halos || box > b->width_um * b->height_um * (1 + 1e-9);
        area += box;
    }
    if (area <= (whole - blocked_um2) * (1 + 1e-9))
        return;
    sc_buf_printf(p->why, "hard macros of %g um2 in all%s are more than the canvas of %g um2", area,
                  halos ? ", with halos," : "", whole);
    if (blocked_um2 > 0)
        sc_buf_printf(p->why, ", of which %g um2 are free of blockages", whole - blocked_um2);
}

static void prove(proving *p, const sc_canvas *canvas, const sc_spot *spot, double blocked_um2)
{
    for (uint32_t b = 0; b < p->list->n_blocks; b++) {
        if (p->list->block[b].kind != SC_BLOCK_HARD)
            continue;
        p->macro[p->n] = least_of(p, p->room.rules, &spot[b], b);
        if (!spot[b].fixed)
            prove_size(p, &p->macro[p->n]);
        p->n += !spot[b].fixed; /* what is fixed may stand outside, and on others */
    }
    if (p->why->length == 0)
        prove_area(p, canvas, blocked_um2);
    if (p->why->length == 0)
        prove_pairs(p);
    prove_rows(p, 0);
    prove_rows(p, 1);
}

sc_status sc_legal_impossible(sc_buf *why, const sc_netlist *list, const sc_canvas *canvas,
                              const sc_place_rules *rules, const sc_spot *spot)
{
    proving p = {.why = why, .list = list};
    p.room =
        (sc_room){.list = list, .rules = rules, .end_um = {canvas->width_um, canvas->height_um}};
    p.macro = sc_calloc(list->n_of_kind[SC_BLOCK_HARD] + 1, sizeof *p.macro);
    double *edge = sc_calloc(2 * canvas->n_blockages + 1, sizeof *edge);
    const bool ok = p.macro != NULL && edge != NULL;

    if (ok)
        prove(&p, canvas, spot, blocked_area(canvas, edge));
    sc_free(edge);
    sc_free(p.macro);
    return ok ? why->status : SC_ENOMEM;
}
