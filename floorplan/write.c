/* Pieces and buses as the files that placers read, so that both have one way in. */
#include <math.h>

#include "core/number.h"
#include "floorplan/floorplan.h"

enum { LEAST_SIDE = 10, MOST_SIDE = 50 }; /* cells of the grid along a side */

static void put_text(sc_buf *b, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            sc_buf_puts(b, "\\");
        sc_buf_append(b, text, 1);
    }
}

static void put_number(sc_buf *b, const char *key, double value)
{
    char text[32];
    sc_double_text(text, sizeof text, value);
    sc_buf_printf(b, "  attr { key: \"%s\" value { f: %s } }\n", key, text);
}

static void put_type(sc_buf *b, const char *type)
{
    sc_buf_printf(b, "  attr { key: \"type\" value { placeholder: \"%s\" } }\n", type);
}

static void put_piece(sc_buf *b, const sc_piece *p)
{
    sc_buf_puts(b, "node {\n  name: \"");
    put_text(b, p->name);
    sc_buf_puts(b, "\"\n");
    if (p->kind != SC_BLOCK_PORT) {
        put_type(b, p->kind == SC_BLOCK_HARD ? "MACRO" : "macro");
        put_number(b, "width", p->width_um);
        put_number(b, "height", p->height_um);
    } else
        put_type(b, "PORT");
}

static void put_pin(sc_buf *b, const sc_pieces *pieces, size_t bus, bool drives)
{
    const sc_bus *s = &pieces->bus[bus];
    const sc_piece *p = &pieces->piece[drives ? s->from : s->to];
    const float *at = drives ? s->from_at : s->to_at;
    sc_buf_printf(b, "node {\n  name: \"bus_%zu/%s\"\n", bus, drives ? "out" : "in");
    if (drives)
        sc_buf_printf(b, "  input: \"bus_%zu/in\"\n", bus);
    put_type(b, p->kind == SC_BLOCK_HARD ? "MACRO_PIN" : "macro_pin");
    sc_buf_puts(b, "  attr { key: \"macro_name\" value { placeholder: \"");
    put_text(b, p->name);
    sc_buf_puts(b, "\" } }\n");
    put_number(b, "x_offset", (double)at[0] * p->width_um / 2);
    put_number(b, "y_offset", (double)at[1] * p->height_um / 2);
    if (drives)
        put_number(b, "weight", s->bits);
    sc_buf_puts(b, "}\n");
}

/* A port drives by itself: the one bus that begins at it. */
static void put_port_bus(sc_buf *b, const sc_pieces *pieces, size_t piece)
{
    for (size_t i = 0; i < pieces->n_buses; i++)
        if (pieces->bus[i].from == piece) {
            sc_buf_printf(b, "  input: \"bus_%zu/in\"\n", i);
            put_number(b, "weight", pieces->bus[i].bits);
        }
}

void sc_floorplan_put_netlist(sc_buf *out, const sc_pieces *pieces)
{
    for (size_t i = 0; i < pieces->n; i++) {
        put_piece(out, &pieces->piece[i]);
        if (pieces->piece[i].kind == SC_BLOCK_PORT)
            put_port_bus(out, pieces, i);
        sc_buf_puts(out, "}\n");
    }
    for (size_t i = 0; i < pieces->n_buses; i++) {
        if (pieces->piece[pieces->bus[i].from].kind != SC_BLOCK_PORT)
            put_pin(out, pieces, i, true);
        put_pin(out, pieces, i, false);
    }
}

/* Cells of the size of a macro, within reason. */
static uint32_t cells(double share, size_t hard)
{
    const double n = ceil(sqrt(2 * (double)hard * share));
    return (uint32_t)fmin(fmax(n, LEAST_SIDE), MOST_SIDE);
}

void sc_floorplan_put_start(sc_buf *out, const sc_floorplan *plan)
{
    const sc_pieces *p = &plan->pieces;
    const sc_floorplan_options *o = &plan->options;
    const size_t hard = plan->netlist->n_of_kind[SC_BLOCK_HARD];
    char x[32], y[32];
    sc_double_text(x, sizeof x, p->width_um);
    sc_double_text(y, sizeof y, p->height_um);
    sc_buf_printf(out,
                  "# Columns : %u  Rows : %u\n# Width : %s  Height : %s\n"
                  "# Routes per micron, hor : %g  ver : %g\n"
                  "# Routes used by macros, hor : %g  ver : %g\n",
                  cells(o->aspect, hard), cells(1 / o->aspect, hard), x, y, o->h_routes_per_um,
                  o->v_routes_per_um, o->h_routes_macro, o->v_routes_macro);
    for (size_t i = 0; i < p->n; i++) {
        sc_double_text(x, sizeof x, p->piece[i].x_um);
        sc_double_text(y, sizeof y, p->piece[i].y_um);
        sc_buf_printf(out, "%u %s %s %s %d\n", plan->netlist->block[i].node, x, y,
                      p->piece[i].kind == SC_BLOCK_PORT ? "-" : "N", p->piece[i].fixed);
    }
}
