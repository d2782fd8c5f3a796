/** Placements of Circuit Training: a heading in comments, then one line a block. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/number.h"
#include "placement/faults.h"
#include "placement/placement.h"

enum { MOST_BYTES = 1 << 30, MOST_GRID = 4096 };

/* Defaults of Circuit Training where the heading says nothing. */
static const sc_canvas canvas_default = {.h_routes_per_um = 70.33,
                                         .v_routes_per_um = 74.51,
                                         .h_routes_macro = 51.79,
                                         .v_routes_macro = 51.79,
                                         .overlap_um2 = 4e-3};

typedef struct reading {
    const sc_netlist *list;
    sc_placement *placement;
    sc_faults faults;
    uint32_t line;
    char *at;          /* what is left of this line */
    const char *start; /* of this line */
    uint32_t *placed;  /* [n_blocks] line that places the block, 0 = none yet */
} reading;

static void fault(reading *r, const char *fmt, ...) SC_PRINTF(2, 3);
static void fault(reading *r, const char *fmt, ...)
{
    char what[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    sc_faults_add(&r->faults, r->line, (uint32_t)(r->at - r->start) + 1, "%s", what);
}

/* ---- words of a line ---- */

static void skip_blanks(reading *r)
{
    r->at += strspn(r->at, " \t\r");
}

/* Pass over a text if it stands here. */
static bool take_text(reading *r, const char *text)
{
    const size_t n = strlen(text);
    skip_blanks(r);
    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* A finite number; records a fault if there is none. */
static bool take_number(double *out, reading *r, const char *what)
{
    skip_blanks(r);
    const size_t n = sc_number_span(r->at);
    if (n == 0 || strchr(" \t\r", r->at[n]) == NULL || sc_number_read(out, r->at, n, 0) != SC_OK) {
        fault(r, "%s should be a finite number, not '%.*s'", what, (int)strcspn(r->at, " \t\r"),
              r->at);
        return false;
    }
    r->at += n;
    return true;
}

/* A whole number from min to max. */
static bool take_count(uint32_t *out, reading *r, const char *what, uint32_t min, uint32_t max)
{
    double v = 0;
    skip_blanks(r);
    char *at = r->at;
    if (!take_number(&v, r, what))
        return false;
    if (!(v >= min && v <= max) || v != (double)(uint32_t)v) {
        r->at = at;
        fault(r, "%s should be a whole number from %u to %u", what, min, max);
        return false;
    }
    *out = (uint32_t)v;
    return true;
}

/* ---- the heading ---- */

static void read_blockage(reading *r)
{
    sc_canvas *canvas = &r->placement->canvas;
    sc_blockage b;

    if (!take_number(&b.x0_um, r, "the left of a blockage") ||
        !take_number(&b.y0_um, r, "the bottom of a blockage") ||
        !take_number(&b.x1_um, r, "the right of a blockage") ||
        !take_number(&b.y1_um, r, "the top of a blockage") ||
        !take_number(&b.rate, r, "the rate of a blockage"))
        return;
    if (b.x1_um <= b.x0_um || b.y1_um <= b.y0_um) {
        fault(r, "a blockage should reach from lower left to upper right");
        return;
    }
    if (b.rate < 0 || b.rate > 1) {
        fault(r, "the rate of a blockage should be from 0 to 1, not %g", b.rate);
        return;
    }
    sc_blockage *grown = sc_realloc_array(canvas->blockage, canvas->n_blockages + 1, sizeof *grown);
    if (grown == NULL) {
        r->faults.text.status = SC_ENOMEM;
        return;
    }
    canvas->blockage = grown;
    canvas->blockage[canvas->n_blockages++] = b;
}

static void read_size(reading *r)
{
    sc_canvas *canvas = &r->placement->canvas;
    if (!take_number(&canvas->width_um, r, "the width"))
        return;
    if (!take_text(r, "Height :"))
        fault(r, "'Height :' should follow the width");
    else if (take_number(&canvas->height_um, r, "the height") &&
             (canvas->width_um <= 0 || canvas->height_um <= 0))
        fault(r, "a canvas of %g x %g um; both should be positive", canvas->width_um,
              canvas->height_um);
}

static void read_grid(reading *r)
{
    sc_canvas *canvas = &r->placement->canvas;
    if (!take_count(&canvas->columns, r, "the number of columns", 1, MOST_GRID))
        return;
    if (!take_text(r, "Rows :"))
        fault(r, "'Rows :' should follow the columns");
    else
        (void)take_count(&canvas->rows, r, "the number of rows", 1, MOST_GRID);
}

/* Two numbers behind `hor :` and `ver :`, positive or, if that is allowed, zero. */
static void read_routes(reading *r, double *h, double *v, bool zero)
{
    double hor = 0, ver = 0;
    if (!take_number(&hor, r, "the horizontal routes"))
        return;
    if (!take_text(r, "ver :")) {
        fault(r, "'ver :' should follow the horizontal routes");
        return;
    }
    if (!take_number(&ver, r, "the vertical routes"))
        return;
    if (hor < 0 || ver < 0 || (!zero && (hor == 0 || ver == 0))) {
        fault(r, "routes of %g and %g; both should be positive", hor, ver);
        return;
    }
    *h = hor;
    *v = ver;
}

/* A comment: what it says of the canvas, or nothing. */
static void read_heading(reading *r)
{
    sc_canvas *canvas = &r->placement->canvas;
    r->at++;
    if (take_text(r, "Columns :"))
        read_grid(r);
    else if (take_text(r, "Width :"))
        read_size(r);
    else if (take_text(r, "Routes per micron, hor :"))
        read_routes(r, &canvas->h_routes_per_um, &canvas->v_routes_per_um, false);
    else if (take_text(r, "Routes used by macros, hor :"))
        read_routes(r, &canvas->h_routes_macro, &canvas->v_routes_macro, true);
    else if (take_text(r, "Smoothing factor :"))
        (void)take_count(&canvas->smoothing, r, "the smoothing factor", 0, MOST_GRID);
    else if (take_text(r, "Overlap threshold :"))
        (void)take_number(&canvas->overlap_um2, r, "the overlap threshold");
    else if (take_text(r, "Blockage :"))
        read_blockage(r);
}

/* ---- blocks ---- */

/* The orientation of a block; a port has '-'. */
static bool take_orient(sc_spot *spot, reading *r)
{
    char name[4] = "";
    skip_blanks(r);
    const size_t n = strcspn(r->at, " \t\r");
    if (n < sizeof name)
        memcpy(name, r->at, n);
    if (strcmp(name, "-") != 0 && !sc_orient_of_name(&spot->orient, name)) {
        fault(r, "'%.*s' is no orientation; known are N S W E FN FS FW FE, and - for a port",
              (int)n, r->at);
        return false;
    }
    r->at += n;
    return true;
}

/* The block of an index in the netlist's file; SIZE_MAX after recording a fault. */
static size_t take_block(reading *r)
{
    uint32_t node = 0;
    const uint32_t most = (uint32_t)r->list->n_nodes - 1;
    if (!take_count(&node, r, "the index of a node", 0, most))
        return SIZE_MAX;
    const uint32_t block = r->list->node_block[node];
    if (block >= r->list->n_blocks) {
        fault(r, "node %u is a pin, which goes with its macro", node);
        return SIZE_MAX;
    }
    if (r->placed[block] > 0) {
        fault(r, "node %u ('%s') a second time; the first is in line %u", node,
              r->list->block[block].name, r->placed[block]);
        return SIZE_MAX;
    }
    return block;
}

static void read_spot(reading *r)
{
    sc_spot spot = {0};
    uint32_t fixed = 0;
    const size_t block = take_block(r);

    if (block == SIZE_MAX || !take_number(&spot.x_um, r, "x") || !take_number(&spot.y_um, r, "y") ||
        !take_orient(&spot, r) || !take_count(&fixed, r, "the mark of fixed ones", 0, 1))
        return;
    skip_blanks(r);
    if (*r->at != '\0') {
        fault(r, "'%s' behind the five fields of a block", r->at);
        return;
    }
    spot.fixed = fixed == 1 || r->list->block[block].kind == SC_BLOCK_PORT;
    r->placement->spot[block] = spot;
    r->placed[block] = r->line;
}

/* ---- the file ---- */

static void read_lines(reading *r, char *text)
{
    while (*text != '\0') {
        char *end = text + strcspn(text, "\n");
        const bool more = *end == '\n';
        *end = '\0';
        r->line++;
        r->start = r->at = text;
        skip_blanks(r);
        if (*r->at == '#')
            read_heading(r);
        else if (*r->at != '\0')
            read_spot(r);
        text = end + more;
    }
}

/* What a whole file must have said; blocks it left out stand where the netlist has them. */
static void check_whole(reading *r)
{
    const sc_canvas *canvas = &r->placement->canvas;
    if (r->faults.count > 0)
        return;
    if (canvas->columns == 0)
        sc_faults_add(&r->faults, 1, 1, "no line '# Columns : C  Rows : R' says the grid");
    if (canvas->width_um <= 0)
        sc_faults_add(&r->faults, 1, 1, "no line '# Width : W  Height : H' says the canvas");
    for (size_t b = 0; b < r->list->n_blocks; b++) {
        if (r->placed[b] > 0)
            continue;
        r->placement->spot[b] = r->list->block[b].spot;
        if (!r->list->block[b].has_spot)
            sc_faults_add(&r->faults, 1, 1, "no line places node %u ('%s')", r->list->block[b].node,
                          r->list->block[b].name);
    }
}

static sc_status read_text(sc_placement *placement, const sc_netlist *list, char *text)
{
    reading r = {.list = list, .placement = placement};

    sc_faults_init(&r.faults, placement->name);
    r.placed = sc_calloc(list->n_blocks, sizeof *r.placed);
    if (r.placed == NULL)
        return SC_ENOMEM;
    read_lines(&r, text);
    check_whole(&r);
    const sc_status st = sc_faults_status(&r.faults);
    sc_faults_clear(&r.faults);
    sc_free(r.placed);
    return st;
}

sc_status sc_placement_parse(sc_placement **out, const sc_netlist *list, const char *name,
                             char *text, size_t n)
{
    if (strlen(text) != n)
        return sc_fail(SC_EPARSE, "%s:1:1: error: a NUL byte: this is no text", name);
    sc_placement *placement = sc_calloc(1, sizeof *placement);
    if (placement == NULL)
        return SC_ENOMEM;
    placement->canvas = canvas_default;
    placement->n_blocks = list->n_blocks;
    placement->name = sc_strdup(name);
    placement->spot = sc_calloc(list->n_blocks, sizeof *placement->spot);
    sc_status st = placement->name != NULL && placement->spot != NULL ? SC_OK : SC_ENOMEM;
    if (st == SC_OK)
        st = read_text(placement, list, text);
    if (st == SC_OK) {
        *out = placement;
        placement = NULL;
    }
    sc_placement_destroy(placement);
    return st;
}

sc_status sc_placement_open(sc_placement **out, const sc_netlist *list, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    sc_status st = sc_file_read(&text, &length, path, MOST_BYTES);
    if (st == SC_OK)
        st = sc_placement_parse(out, list, path, text, length);
    sc_free(text);
    return st;
}

void sc_placement_destroy(sc_placement *placement)
{
    if (placement == NULL)
        return;
    sc_free(placement->canvas.blockage);
    sc_free(placement->spot);
    sc_free(placement->name);
    sc_free(placement);
}
