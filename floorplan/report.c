/* What a placement says about the design it is of. */
#include <math.h>

#include "core/json.h"
#include "core/mem.h"
#include "floorplan/floorplan.h"
#include "placement/legal.h"
#include "placement/room.h"

static const double UM_PER_MM = 1e3;
static const double JOULE_PER_PJ = 1e-12;

typedef struct of_kind {
    size_t n;
    double bits, length_um, longest_um, bit_um;
} of_kind;

static void end_of(double out[2], const sc_netlist *list, const sc_spot *spot, uint32_t block,
                   const float at[2])
{
    const sc_block *b = &list->block[block];
    const sc_turn *t = &sc_turns[spot->orient];
    const double dx = b->kind == SC_BLOCK_HARD ? (double)at[0] * b->width_um / 2 : 0;
    const double dy = b->kind == SC_BLOCK_HARD ? (double)at[1] * b->height_um / 2 : 0;
    out[0] = spot->x_um + t->xx * dx + t->xy * dy;
    out[1] = spot->y_um + t->yx * dx + t->yy * dy;
}

/* Of every kind of bus, by the half perimeter between its ends. */
static void measure(of_kind *kind, const sc_floorplan *f, const sc_spot *spot)
{
    for (size_t i = 0; i < f->pieces.n_buses; i++) {
        const sc_bus *s = &f->pieces.bus[i];
        of_kind *k = &kind[s->kind];
        double a[2], b[2];
        end_of(a, f->netlist, &spot[s->from], s->from, s->from_at);
        end_of(b, f->netlist, &spot[s->to], s->to, s->to_at);
        const double length = fabs(a[0] - b[0]) + fabs(a[1] - b[1]);
        k->n++;
        k->bits += s->bits;
        k->length_um += length;
        k->longest_um = fmax(k->longest_um, length);
        k->bit_um += s->bits * length;
    }
}

static json_t *kinds_json(const of_kind *kind, const sc_floorplan *f, bool *ok)
{
    const double w_per_bit_mm = f->parts.wire_pj_per_bit_mm * JOULE_PER_PJ * f->parts.clock_hz;
    json_t *rows = json_array();
    for (uint32_t i = 0; i < f->pieces.kind.n; i++) {
        const of_kind *k = &kind[i];
        json_t *row = json_object();
        sc_json_set(row, "bus", json_string(sc_intern_text(&f->pieces.kind, i)), ok);
        sc_json_set(row, "count", json_integer((json_int_t)k->n), ok);
        sc_json_set(row, "bits", sc_json_real(k->bits / (double)k->n), ok);
        sc_json_set(row, "mean_um", sc_json_real(k->length_um / (double)k->n), ok);
        sc_json_set(row, "longest_um", sc_json_real(k->longest_um), ok);
        sc_json_set(row, "wire_bit_mm", sc_json_real(k->bit_um / UM_PER_MM), ok);
        sc_json_set(row, "peak_w", sc_json_real(k->bit_um / UM_PER_MM * w_per_bit_mm), ok);
        sc_json_append(rows, row, ok);
    }
    return rows;
}

/* The box around all hard macros. */
static double used_mm2(const sc_netlist *list, const sc_spot *spot)
{
    double x0 = HUGE_VAL, y0 = HUGE_VAL, x1 = -HUGE_VAL, y1 = -HUGE_VAL;
    for (size_t i = 0; i < list->n_blocks; i++) {
        double half[2];
        if (list->block[i].kind != SC_BLOCK_HARD)
            continue;
        sc_room_half(half, &list->block[i], spot[i].orient);
        x0 = fmin(x0, spot[i].x_um - half[0]);
        y0 = fmin(y0, spot[i].y_um - half[1]);
        x1 = fmax(x1, spot[i].x_um + half[0]);
        y1 = fmax(y1, spot[i].y_um + half[1]);
    }
    return x1 > x0 ? (x1 - x0) * (y1 - y0) / (UM_PER_MM * UM_PER_MM) : 0;
}

static json_t *tile_json(const sc_plan *p, bool *ok)
{
    json_t *root = json_object();
    sc_json_set(root, "level", json_string(p->level[p->tile].name), ok);
    sc_json_set(root, "instances_x", json_integer((json_int_t)p->tile_x), ok);
    sc_json_set(root, "instances_y", json_integer((json_int_t)p->tile_y), ok);
    return root;
}

static json_t *areas_json(const sc_floorplan *f, const sc_placement *placement, bool *ok)
{
    const sc_canvas *c = &placement->canvas;
    double blocks_um2 = 0, hard_um2 = 0;
    for (size_t i = 0; i < f->netlist->n_blocks; i++) {
        const sc_block *b = &f->netlist->block[i];
        blocks_um2 += b->width_um * b->height_um;
        if (b->kind == SC_BLOCK_HARD)
            hard_um2 += b->width_um * b->height_um;
    }
    json_t *root = json_object();
    const double um2 = UM_PER_MM * UM_PER_MM;
    sc_json_set(root, "analytic_mm2", sc_json_real(f->parts.area_mm2), ok);
    sc_json_set(root, "blocks_mm2", sc_json_real(blocks_um2 / um2), ok);
    sc_json_set(root, "hard_mm2", sc_json_real(hard_um2 / um2), ok);
    sc_json_set(root, "canvas_mm2", sc_json_real(c->width_um * c->height_um / um2), ok);
    sc_json_set(root, "box_mm2", sc_json_real(used_mm2(f->netlist, placement->spot)), ok);
    return root;
}

static void costs_json(json_t *root, const sc_place_cost *cost, bool *ok)
{
    sc_json_set(root, "hpwl_um", sc_json_real(cost->hpwl_um), ok);
    sc_json_set(root, "wirelength_cost", sc_json_real(cost->wirelength), ok);
    sc_json_set(root, "density_cost", sc_json_real(cost->density), ok);
    sc_json_set(root, "congestion_cost", sc_json_real(cost->congestion), ok);
    sc_json_set(root, "proxy_cost", sc_json_real(cost->proxy), ok);
}

static json_t *plan_json(const sc_floorplan *f, const sc_placement *placement, const of_kind *kind,
                         const sc_place_cost *cost, size_t violations, bool *ok)
{
    const size_t *n = f->netlist->n_of_kind;
    json_t *root = json_object();
    sc_json_set(root, "design", json_string(f->spec), ok);
    sc_json_set(root, "area", areas_json(f, placement, ok), ok);
    sc_json_set(root, "hard_macros", json_integer((json_int_t)n[SC_BLOCK_HARD]), ok);
    sc_json_set(root, "soft_macros", json_integer((json_int_t)n[SC_BLOCK_SOFT]), ok);
    sc_json_set(root, "ports", json_integer((json_int_t)n[SC_BLOCK_PORT]), ok);
    sc_json_set(root, "tile", tile_json(&f->plan, ok), ok);
    costs_json(root, cost, ok);
    sc_json_set(root, "legal", json_boolean(violations == 0), ok);
    sc_json_set(root, "buses", kinds_json(kind, f, ok), ok);
    return root;
}

sc_status sc_floorplan_json(char **out, const sc_floorplan *plan, const sc_placement *placement,
                            const sc_place_options *options)
{
    sc_place_cost cost;
    sc_violation *violation = NULL;
    size_t violations = 0;
    bool ok = true;
    of_kind *kind = sc_calloc(plan->pieces.kind.n + 1, sizeof *kind);
    if (kind == NULL)
        return SC_ENOMEM;
    sc_status st = sc_place_cost_of(&cost, plan->netlist, placement, options);
    if (st == SC_OK)
        st = sc_legal_check(&violation, &violations, plan->netlist, &placement->canvas,
                            options->rules, placement->spot);
    if (st == SC_OK) {
        measure(kind, plan, placement->spot);
        json_t *root = plan_json(plan, placement, kind, &cost, violations, &ok);
        st = ok ? sc_json_write(out, root, 1) : SC_ENOMEM;
        json_decref(root);
    }
    sc_free(violation);
    sc_free(kind);
    return st;
}
