/* Which instances of a design become macros of their own. docs/algorithms/floorplan.md. */
#include <math.h>
#include <string.h>

#include "floorplan/plan.h"

static const double UM2_PER_MM2 = 1e6;
static const double SUM_BITS = 32;  /* of a partial sum */
static const double LANE_BITS = 64; /* a load and a store of 32 bits a lane and cycle */

static uint64_t pieces(uint64_t n, uint64_t of)
{
    return (n + of - 1) / of;
}

uint64_t sc_plan_columns(const sc_plan *p, uint32_t level)
{
    const uint64_t n = p->level[level].children_x;
    return level + 1 == p->tile ? pieces(n, p->tile_x) : n;
}

uint64_t sc_plan_rows(const sc_plan *p, uint32_t level)
{
    const uint64_t n = p->level[level].children_y;
    return level + 1 == p->tile ? pieces(n, p->tile_y) : n;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t banks_of(const sc_plan_level *l)
{
    uint64_t n = 0;
    for (uint32_t b = 0; b < l->buffers; b++)
        n += l->banks[b];
    return l->storage == SC_STORAGE_SRAM ? n : 0;
}

uint64_t sc_plan_macros(const sc_plan *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->tile; i++)
        n = sum(n, product(p->level[i].instances, banks_of(&p->level[i])));
    if (p->tile == 0)
        return sum(n, p->level[0].instances);
    const uint64_t tiles = product(sc_plan_columns(p, p->tile - 1), sc_plan_rows(p, p->tile - 1));
    return sum(n, product(p->level[p->tile - 1].instances, tiles));
}

/* ---- levels ---- */

static void memory(sc_plan_level *out, const sc_parts *parts, uint32_t i)
{
    const sc_part *part = &parts->level[i];
    out->part = i;
    out->name = part->name;
    out->storage = part->storage;
    out->instances = part->instances;
    out->buffers = part->storage == SC_STORAGE_SRAM ? part->buffers : 0;
    memcpy(out->bytes, part->bytes, sizeof out->bytes);
    for (uint32_t b = 0; b < out->buffers; b++)
        out->banks[b] = 1;
    out->channels = part->channels;
    out->area_um2 = part->area_mm2 * UM2_PER_MM2;
    out->rate_bits = part->bytes_per_cycle * 8;
}

/* Arrays, or the plain MACs under one instance of the innermost memory, with their registers. */
static void arrays(sc_plan_level *out, const sc_parts *parts, const sc_plan_level *over)
{
    const uint64_t array = parts->rows * parts->cols;
    double registers_mm2 = 0;
    for (uint32_t i = 0; i < parts->n_levels; i++)
        if (parts->level[i].storage == SC_STORAGE_REGISTER)
            registers_mm2 += parts->level[i].area_mm2 * (double)parts->level[i].instances;
    out->name = parts->compute;
    out->storage = SC_STORAGE_REGISTER;
    out->instances = over->instances;
    if (array > 0 && parts->macs % array == 0 && parts->macs / array % over->instances == 0)
        out->instances = parts->macs / array;
    out->area_um2 = ((double)parts->macs * parts->mac_mm2 + registers_mm2) * UM2_PER_MM2 /
                    (double)out->instances;
    if (array > 0)
        out->rate_bits = (double)parts->rows * parts->mac_bits +
                         (double)parts->cols * (parts->mac_bits + SUM_BITS);
    else
        out->rate_bits =
            (double)parts->macs / (double)out->instances * (2 * parts->mac_bits + SUM_BITS);
}

/* The mesh under one instance; what fans out alone between two levels belongs to the outer one.
 * Arrays stand side by side: a mesh that is stated under the innermost memory is of MACs. */
static void mesh(sc_plan_level *l, const sc_plan_level *under, const sc_parts *parts)
{
    const uint64_t children = under->instances / l->instances;
    uint64_t x = 1;
    for (uint32_t k = l->part; under->storage != SC_STORAGE_REGISTER && k < under->part; k++)
        x *= parts->level[k].fanout_x;
    l->children_x = x > 1 && children % x == 0 ? x : children;
    if (x == 1 && under->storage != SC_STORAGE_REGISTER)
        l->children_x = 1;
    l->children_y = children / l->children_x;
}

static void levels(sc_plan *p, const sc_parts *parts)
{
    for (uint32_t i = 0; i < parts->n_levels; i++)
        if (parts->level[i].storage == SC_STORAGE_DRAM ||
            parts->level[i].storage == SC_STORAGE_SRAM)
            memory(&p->level[p->n_levels++], parts, i);
    sc_plan_level *over = &p->level[p->n_levels - 1];
    arrays(&p->level[p->n_levels++], parts, over);
    for (uint32_t i = 0; i + 1 < p->n_levels; i++)
        mesh(&p->level[i], &p->level[i + 1], parts);
    const double lanes = (double)parts->lanes / (double)over->instances;
    p->lanes_um2 = lanes * parts->lane_mm2 * UM2_PER_MM2;
    p->lanes_bits = lanes * LANE_BITS;
    for (uint32_t i = p->n_levels; i-- > 0;) {
        sc_plan_level *l = &p->level[i];
        l->inside_um2 = l->area_um2;
        if (i + 1 < p->n_levels)
            l->inside_um2 += p->level[i + 1].inside_um2 * (double)(l->children_x * l->children_y);
        if (i + 2 == p->n_levels)
            l->inside_um2 += p->lanes_um2;
    }
}

/* ---- how fine ---- */

/* The next larger share of n that divides it. */
static uint64_t larger(uint64_t share, uint64_t n)
{
    for (uint64_t s = share + 1; s <= n / 2; s++)
        if (n % s == 0)
            return s;
    return n;
}

/* Join neighbours, along the side that has more pieces, until there are few enough. */
static bool join(sc_plan *p, uint64_t most)
{
    const sc_plan_level *over = &p->level[p->tile - 1];
    while (sc_plan_macros(p) > most) {
        const uint64_t columns = sc_plan_columns(p, p->tile - 1),
                       rows = sc_plan_rows(p, p->tile - 1);
        if (columns == 1 && rows == 1)
            return false;
        if (columns >= rows)
            p->tile_x = larger(p->tile_x, over->children_x);
        else
            p->tile_y = larger(p->tile_y, over->children_y);
    }
    return true;
}

static void choose_tile(sc_plan *p, uint64_t most)
{
    for (p->tile = p->n_levels - 1;; p->tile--) {
        p->tile_x = p->tile_y = 1;
        if (p->tile == 0 || sc_plan_macros(p) <= most || join(p, most))
            break;
    }
}

/* Banks of about so many bytes, as long as they are at most half of all macros. */
static void choose_banks(sc_plan *p, uint64_t bank_bytes, uint64_t most)
{
    bool apart = true;
    for (int doubled = 0; apart; doubled++) {
        const double size = ldexp((double)bank_bytes, doubled);
        apart = false;
        for (uint32_t i = 0; i < p->tile; i++)
            for (uint32_t b = 0; b < p->level[i].buffers; b++) {
                p->level[i].banks[b] = (uint64_t)ceil((double)p->level[i].bytes[b] / size);
                apart = apart || p->level[i].banks[b] > 1;
            }
        if (sc_plan_macros(p) <= most)
            break;
    }
}

void sc_plan_make(sc_plan *out, const sc_parts *parts, const sc_floorplan_options *o)
{
    memset(out, 0, sizeof *out);
    levels(out, parts);
    choose_tile(out, o->macros / 2 > 0 ? o->macros / 2 : 1);
    choose_banks(out, o->bank_bytes, o->macros);
}
