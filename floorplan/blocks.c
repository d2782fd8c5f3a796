/* From a plan to pieces and buses: a memory is banks around hubs, hubs feed rows of children. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "floorplan/blocks.h"

enum { MOST_HUBS = 16 }; /* of one instance of a memory */
static const double UM2_PER_MM2 = 1e6;
static const double BANK_ASPECT = 2;   /* width over height of an SRAM bank */
static const double PHY_ASPECT = 0.25; /* an interface lies along its edge */
static const double MOST_ASPECT = 4;   /* of a tile of arrays */
static const double EDGE_SHARE = 0.98; /* of an edge that interfaces may fill */

typedef struct box {
    double x0, y0, x1, y1;
} box;

/** Pieces that the buses of a unit end at. */
typedef struct ends {
    uint32_t first, n;
} ends;

typedef struct making {
    sc_pieces *out;
    const sc_plan *plan;
    const sc_parts *parts;
    double hub_um2;
    sc_status status;
} making;

/* ---- lists ---- */

static uint32_t add_piece(making *m, const char *name, sc_block_kind kind, double area_um2,
                          double aspect, double x_um, double y_um)
{
    sc_pieces *p = m->out;
    if (m->status == SC_OK && p->n == p->capacity) {
        const size_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity;
        sc_piece *larger = sc_realloc_array(p->piece, capacity, sizeof *larger);
        m->status = larger == NULL ? SC_ENOMEM : SC_OK;
        if (larger != NULL) {
            p->piece = larger;
            p->capacity = capacity;
        }
    }
    if (m->status != SC_OK)
        return 0;
    sc_piece *piece = &p->piece[p->n];
    memset(piece, 0, sizeof *piece);
    (void)sc_text_copy(piece->name, sizeof piece->name, name);
    piece->kind = area_um2 > 0 ? kind : SC_BLOCK_PORT;
    piece->width_um = sqrt(area_um2 * aspect);
    piece->height_um = area_um2 > 0 ? area_um2 / piece->width_um : 0;
    piece->x_um = x_um;
    piece->y_um = y_um;
    return (uint32_t)p->n++;
}

static void add_bus(making *m, const sc_bus *bus, const char *kind)
{
    sc_pieces *p = m->out;
    uint32_t number = 0;
    if (m->status == SC_OK)
        m->status = sc_intern_add(&number, &p->kind, kind, UINT32_MAX);
    if (m->status == SC_OK && p->n_buses == p->buses_capacity) {
        const size_t capacity = p->buses_capacity == 0 ? 64 : 2 * p->buses_capacity;
        sc_bus *larger = sc_realloc_array(p->bus, capacity, sizeof *larger);
        m->status = larger == NULL ? SC_ENOMEM : SC_OK;
        if (larger != NULL) {
            p->bus = larger;
            p->buses_capacity = capacity;
        }
    }
    if (m->status != SC_OK)
        return;
    p->bus[p->n_buses] = *bus;
    p->bus[p->n_buses].kind = number;
    p->bus[p->n_buses++].bits = fmax(1, ceil(bus->bits));
}

static void join(making *m, uint32_t from, uint32_t to, double bits, const char *level,
                 const char *what)
{
    char kind[SC_PIECE_NAME];
    (void)snprintf(kind, sizeof kind, "%.100s %.100s", level, what);
    add_bus(m, &(sc_bus){.from = from, .to = to, .from_at = {1, 0}, .to_at = {-1, 0}, .bits = bits},
            kind);
}

/* ---- a memory ---- */

static uint32_t hubs_of(const sc_plan *p, uint32_t level)
{
    const uint64_t rows = sc_plan_rows(p, level);
    return rows < MOST_HUBS ? (uint32_t)rows : MOST_HUBS;
}

/* Hubs one above the other; between two neighbours runs what the smaller side of them takes. */
static ends put_hubs(making *m, uint32_t level, const char *name, double x_um, const box *b)
{
    const sc_plan_level *l = &m->plan->level[level];
    const ends e = {(uint32_t)m->out->n, hubs_of(m->plan, level)};
    char text[SC_PIECE_NAME];
    for (uint32_t r = 0; r < e.n; r++) {
        (void)snprintf(text, sizeof text, "%.200s/hub_%u", name, (unsigned)r);
        (void)add_piece(m, text, SC_BLOCK_SOFT, m->hub_um2, 1, x_um,
                        b->y0 + (b->y1 - b->y0) * (r + 0.5) / e.n);
    }
    for (uint32_t r = 0; r + 1 < e.n; r++) {
        const uint32_t side = r + 1 < e.n - r - 1 ? r + 1 : e.n - r - 1;
        join(m, e.first + r, e.first + r + 1, l->rate_bits * side / e.n, l->name, "trunk");
    }
    return e;
}

static void put_banks(making *m, const sc_plan_level *l, const char *name, ends hubs, double x_um,
                      const box *b)
{
    uint64_t n = 0, bytes = 0, j = 0;
    char text[SC_PIECE_NAME];
    for (uint32_t i = 0; i < l->buffers; i++) {
        n += l->banks[i];
        bytes += l->bytes[i];
    }
    for (uint32_t i = 0; i < l->buffers; i++) {
        const double share = (double)l->bytes[i] / (double)bytes / (double)l->banks[i];
        for (uint64_t k = 0; k < l->banks[i]; k++, j++) {
            (void)snprintf(text, sizeof text, "%.200s/bank_%llu", name, (unsigned long long)j);
            const uint32_t bank =
                add_piece(m, text, SC_BLOCK_HARD, l->area_um2 * share, BANK_ASPECT, x_um,
                          b->y0 + (b->y1 - b->y0) * ((double)j + 0.5) / (double)n);
            join(m, bank, hubs.first + (uint32_t)(j * hubs.n / n), l->rate_bits / (double)n,
                 l->name, "banks");
        }
    }
}

/* Interfaces stand on the left and the right edge in turn, for good. */
static void put_channels(making *m, const sc_plan_level *l, const char *name, ends hubs)
{
    sc_pieces *p = m->out;
    const uint32_t n = l->channels > 1 ? (uint32_t)ceil(l->channels) : 1;
    const uint32_t a_side = (n + 1) / 2;
    char text[SC_PIECE_NAME];
    for (uint32_t j = 0; j < n && m->status == SC_OK; j++) {
        (void)snprintf(text, sizeof text, "%.200s/channel_%u", name, (unsigned)j);
        const uint32_t row = j / 2;
        const uint32_t at = add_piece(m, text, SC_BLOCK_HARD, l->area_um2 / n, PHY_ASPECT, 0,
                                      p->height_um * (row + 0.5) / a_side);
        if (m->status != SC_OK)
            return;
        sc_piece *piece = &p->piece[at];
        const double most = p->height_um * EDGE_SHARE / a_side;
        if (piece->height_um > most) {
            piece->width_um *= piece->height_um / most;
            piece->height_um = most;
        }
        piece->x_um = j % 2 == 0 ? piece->width_um / 2 : p->width_um - piece->width_um / 2;
        piece->fixed = true;
        join(m, at, hubs.first + j * hubs.n / n, l->rate_bits / n, l->name, "channels");
    }
}

static ends put_unit(making *m, uint32_t level, const char *name, const box *b, uint64_t nx,
                     uint64_t ny);

/* Rows of children, each fed from its hub and handing on to its neighbour. */
static void put_children(making *m, uint32_t level, const char *name, ends hubs, const box *b)
{
    const sc_plan *p = m->plan;
    const sc_plan_level *l = &p->level[level], *under = l + 1;
    const uint64_t columns = sc_plan_columns(p, level), rows = sc_plan_rows(p, level);
    const bool tiles = level + 1 == p->tile;
    const uint64_t tile_x = tiles ? p->tile_x : 1, tile_y = tiles ? p->tile_y : 1;
    const double row_bits = l->rate_bits > 0 ? l->rate_bits / (double)rows : HUGE_VAL;
    char what[SC_PIECE_NAME], text[SC_PIECE_NAME];
    (void)snprintf(what, sizeof what, "to %s", under->name);
    for (uint64_t y = 0; y < rows && m->status == SC_OK; y++) {
        uint32_t before = hubs.first + (uint32_t)(y * hubs.n / rows);
        const uint64_t ny = y + 1 < rows ? tile_y : l->children_y - y * tile_y;
        for (uint64_t x = 0; x < columns && m->status == SC_OK; x++) {
            const uint64_t nx = x + 1 < columns ? tile_x : l->children_x - x * tile_x;
            const double sx = (b->x1 - b->x0) / (double)columns;
            const double sy = (b->y1 - b->y0) / (double)rows;
            const box inner = {b->x0 + sx * (double)x, b->y0 + sy * (double)y,
                               b->x0 + sx * (double)(x + 1), b->y0 + sy * (double)(y + 1)};
            if (columns * rows == 1)
                (void)snprintf(text, sizeof text, "%.130s%.60s", name, under->name);
            else
                (void)snprintf(text, sizeof text, "%.130s%.60s_%llu_%llu", name, under->name,
                               (unsigned long long)x, (unsigned long long)y);
            const ends e = put_unit(m, level + 1, text, &inner, nx, ny);
            const double left = (double)(l->children_x - x * tile_x) * (double)ny;
            join(m, before, e.first + e.n / 2, fmin(row_bits, under->rate_bits * left), l->name,
                 what);
            before = e.first + e.n / 2;
        }
    }
}

static ends put_memory(making *m, uint32_t level, const char *name, const box *b)
{
    const sc_plan *p = m->plan;
    const sc_plan_level *l = &p->level[level];
    const bool on_edges = l->storage == SC_STORAGE_DRAM;
    const double own = on_edges ? 0 : l->area_um2 / l->inside_um2;
    const double middle = b->x0 + (b->x1 - b->x0) * own;
    const box inner = {middle, b->y0, b->x1, b->y1};
    char prefix[SC_PIECE_NAME];
    (void)snprintf(prefix, sizeof prefix, "%.130s/", name);
    const ends hubs = put_hubs(m, level, name, middle, b);
    if (on_edges)
        put_channels(m, l, name, hubs);
    else
        put_banks(m, l, name, hubs, (b->x0 + middle) / 2, b);
    if (level + 2 == p->n_levels && p->lanes_um2 > 0) {
        char text[SC_PIECE_NAME];
        (void)snprintf(text, sizeof text, "%.200s/lanes", name);
        const uint32_t lanes =
            add_piece(m, text, SC_BLOCK_SOFT, p->lanes_um2, 1, middle, (b->y0 + b->y1) / 2);
        join(m, hubs.first, lanes, p->lanes_bits, l->name, "lanes");
    }
    put_children(m, level, l->instances > 1 ? prefix : "", hubs, &inner);
    return hubs;
}

static double within(double v, double most)
{
    return fmin(fmax(v, 1 / most), most);
}

/* A unit at its place: a macro from the level of tiles on, else a memory with its children. */
// NOLINTNEXTLINE(misc-no-recursion): as deep as a design has levels, at most SC_MAX_LEVELS
static ends put_unit(making *m, uint32_t level, const char *name, const box *b, uint64_t nx,
                     uint64_t ny)
{
    const sc_plan *p = m->plan;
    if (level < p->tile)
        return put_memory(m, level, name, b);
    double aspect = (double)nx / (double)ny;
    if (m->parts->cols > 0 && m->parts->rows > 0)
        aspect *= (double)m->parts->cols / (double)m->parts->rows;
    const uint32_t at =
        add_piece(m, name, SC_BLOCK_HARD, p->level[level].inside_um2 * (double)nx * (double)ny,
                  within(aspect, MOST_ASPECT), (b->x0 + b->x1) / 2, (b->y0 + b->y1) / 2);
    return (ends){at, 1};
}

/* ---- a chip ---- */

static void put_rest(making *m, double overhead_um2)
{
    const double x_um = m->out->width_um / 2, y_um = m->out->height_um / 2;
    for (uint32_t i = 0; i < m->parts->n_extra; i++)
        if (m->parts->extra[i].area_mm2 > 0)
            (void)add_piece(m, m->parts->extra[i].name, SC_BLOCK_SOFT,
                            m->parts->extra[i].area_mm2 * UM2_PER_MM2, 1, x_um, y_um);
    if (overhead_um2 > 0)
        (void)add_piece(m, "overhead", SC_BLOCK_SOFT, overhead_um2, 1, x_um, y_um);
}

sc_status sc_pieces_make(sc_pieces *out, const sc_plan *plan, const sc_parts *parts,
                         const sc_floorplan_options *o)
{
    const double canvas_um2 = parts->area_mm2 * UM2_PER_MM2 / o->utilization;
    const double overhead_um2 = parts->overhead_mm2 * UM2_PER_MM2;
    const uint64_t n = plan->level[0].instances;
    double hubs = 0;
    memset(out, 0, sizeof *out);
    out->width_um = sqrt(canvas_um2 * o->aspect);
    out->height_um = canvas_um2 / out->width_um;
    for (uint32_t i = 0; i < plan->tile; i++)
        hubs += (double)plan->level[i].instances * hubs_of(plan, i);
    making m = {out, plan, parts, hubs > 0 ? overhead_um2 / hubs : 0, SC_OK};
    for (uint64_t i = 0; i < n && m.status == SC_OK; i++) {
        const box b = {out->width_um * (double)i / (double)n, 0,
                       out->width_um * (double)(i + 1) / (double)n, out->height_um};
        char name[SC_PIECE_NAME];
        if (n == 1)
            (void)snprintf(name, sizeof name, "%s", plan->level[0].name);
        else
            (void)snprintf(name, sizeof name, "%s_%llu", plan->level[0].name,
                           (unsigned long long)i);
        (void)put_unit(&m, 0, name, &b, 1, 1);
    }
    put_rest(&m, hubs > 0 ? 0 : overhead_um2);
    if (m.status != SC_OK)
        sc_pieces_clear(out);
    return m.status;
}

void sc_pieces_clear(sc_pieces *p)
{
    sc_intern_clear(&p->kind);
    sc_free(p->piece);
    sc_free(p->bus);
    memset(p, 0, sizeof *p);
}
