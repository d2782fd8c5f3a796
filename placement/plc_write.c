/** Placements as Circuit Training writes them; numbers in as many digits as reading back needs. */
#include "core/buf.h"
#include "core/mem.h"
#include "core/number.h"
#include "placement/cost.h"
#include "scantle/text.h"

static void put_number(sc_buf *b, const char *before, double value)
{
    char text[32];
    sc_double_text(text, sizeof text, value);
    sc_buf_printf(b, "%s%s", before, text);
}

static void put_canvas(sc_buf *b, const sc_canvas *c)
{
    sc_buf_printf(b, "# Columns : %u  Rows : %u\n", c->columns, c->rows);
    put_number(b, "# Width : ", c->width_um);
    put_number(b, "  Height : ", c->height_um);
    put_number(b, "\n# Routes per micron, hor : ", c->h_routes_per_um);
    put_number(b, "  ver : ", c->v_routes_per_um);
    put_number(b, "\n# Routes used by macros, hor : ", c->h_routes_macro);
    put_number(b, "  ver : ", c->v_routes_macro);
    sc_buf_printf(b, "\n# Smoothing factor : %u\n", c->smoothing);
    put_number(b, "# Overlap threshold : ", c->overlap_um2);
    sc_buf_puts(b, "\n");
    for (size_t i = 0; i < c->n_blockages; i++) {
        const sc_blockage *k = &c->blockage[i];
        put_number(b, "# Blockage : ", k->x0_um);
        put_number(b, " ", k->y0_um);
        put_number(b, " ", k->x1_um);
        put_number(b, " ", k->y1_um);
        put_number(b, " ", k->rate);
        sc_buf_puts(b, "\n");
    }
}

static void put_costs(sc_buf *b, const sc_place_cost *cost)
{
    sc_buf_printf(b,
                  "# Wirelength : %.3f\n# Wirelength cost : %.4f\n# Congestion cost : %.4f\n"
                  "# Density cost : %.4f\n",
                  cost->hpwl_um, cost->wirelength, cost->congestion, cost->density);
}

static void put_spot(sc_buf *b, const sc_block *block, const sc_spot *spot)
{
    const bool port = block->kind == SC_BLOCK_PORT;
    sc_buf_printf(b, "%u", block->node);
    put_number(b, " ", spot->x_um);
    put_number(b, " ", spot->y_um);
    sc_buf_printf(b, " %s %d\n", port ? "-" : sc_orient_names[spot->orient], spot->fixed);
}

sc_status sc_placement_write(const sc_placement *placement, const sc_netlist *netlist,
                             const char *path)
{
    const sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_place_cost cost;
    sc_buf b;
    char *text = NULL;

    sc_status st = sc_place_cost_of(&cost, netlist, placement, &options);
    if (st != SC_OK)
        return st;
    sc_buf_init(&b);
    sc_buf_puts(&b, "# Placement file for Circuit Training\n");
    put_canvas(&b, &placement->canvas);
    put_costs(&b, &cost);
    sc_buf_puts(&b, "#\n# node_index x y orientation fixed\n");
    for (size_t i = 0; i < netlist->n_blocks; i++)
        put_spot(&b, &netlist->block[i], &placement->spot[i]);
    const size_t n = b.length;
    if ((st = sc_buf_take(&b, &text)) == SC_OK)
        st = sc_file_write(path, text, n);
    sc_free(text);
    return st;
}
