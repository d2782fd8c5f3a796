#include "core/units.h"
#include "model/count/picture.h"

enum { HEAD = 5 }; /* half the width of an arrow's head */

static void draw_head(sc_picture *p, double x, double y, int down, const char *color)
{
    const double back = down ? y - 2 * HEAD : y + 2 * HEAD;
    sc_svg_polyline(&p->svg, (const double[]){x - HEAD, back, x, y, x + HEAD, back}, 3, color, 2);
}

static void open_link(sc_picture *p, const sc_link_view *link, int level, int tensor)
{
    const sc_mapping_view *v = p->v;
    const bool output = tensor == v->einsum->output, macs = link->to == v->mapping->n_levels;
    sc_picture_group(
        p, "%s, %s %s %s: %.0f words %s, %.0f %s, %.0f partial sums back",
        v->einsum->tensor[tensor].name, v->arch->level[level].name, output ? "from" : "to",
        macs ? v->arch->compute.name : v->arch->level[link->to].name, link->outer,
        output ? "written" : "read", link->inner, output ? "handed on" : "taken in", link->back);
}

void sc_picture_link(sc_picture *p, int level, int tensor)
{
    const sc_mapping_view *v = p->v;
    const bool output = tensor == v->einsum->output;
    const char *color = sc_picture_color(p, tensor);
    const double x = SC_PICTURE_LANES + tensor * p->lane + 9, room = p->lane - 26;
    const double from = p->top[level] + p->height[level] - SC_PICTURE_PAD;
    char words[32], factor[32], back[32];
    sc_link_view link;
    sc_link_view_of(&link, v, level, tensor);
    const double to = p->top[link.to] + SC_PICTURE_PAD, text = p->top[level] + p->height[level];
    open_link(p, &link, level, tensor);
    sc_svg_line(&p->svg, x, from, x, to, color, 2);
    draw_head(p, x, output ? from : to, !output, color);
    sc_picture_text(p, &(sc_picture_label){x + 10, text + 16, 11, room, "start"}, "%s words",
                    sc_count_text(words, link.outer));
    double y = text + 16;
    const double shared = link.inner / link.outer;
    if (shared >= 1.005) /* counts are averages over instances, rounded */
        sc_picture_text(p, &(sc_picture_label){x + 10, y += 15, 11, room, "start"},
                        output ? "sums of %s" : "each to %s", sc_factor_text(factor, shared));
    if (link.back > 0.0) {
        draw_head(p, x, to, 1, color);
        sc_picture_text(p, &(sc_picture_label){x + 10, y + 15, 11, room, "start"}, "%s back",
                        sc_count_text(back, link.back));
    }
    sc_svg_group_end(&p->svg);
}

/* A sample of a loop's box and what it stands for. */
static void legend_loop(sc_picture *p, double x, const char *axis, const char *meaning)
{
    const sc_picture_look look = sc_picture_look_of(axis);
    sc_svg_box(&p->svg, x, 89, 22, 14, axis ? 0 : 5, look.fill, look.stroke, 1.5);
    sc_picture_text(p, &(sc_picture_label){x + 28, 100, 11, 190, "start"}, "%s", meaning);
}

static void legend_bar(sc_picture *p, double x, const char *color, const char *meaning)
{
    sc_svg_rect(&p->svg, x, 93, 22, 6, color, NULL);
    sc_picture_text(p, &(sc_picture_label){x + 28, 100, 11, 190, "start"}, "%s", meaning);
}

void sc_picture_header(sc_picture *p)
{
    const sc_mapping_view *v = p->v;
    const double x = SC_PICTURE_MARGIN, width = SC_PICTURE_WIDTH - 2 * SC_PICTURE_MARGIN;
    char energy[32], share[32], sure[32] = "";
    sc_quantity_format(energy, sizeof energy, 1e-12 * v->cost->energy_pj, SC_UNIT_JOULE);
    if (v->certificate)
        sc_certificate_text(sure, v->certificate);
    sc_picture_text(p, &(sc_picture_label){x, 30, 18, width, "start"}, "%s", v->op);
    sc_picture_text(p, &(sc_picture_label){x, 50, 11, width, "start"}, "on %s", v->design);
    sc_picture_text(p, &(sc_picture_label){x, 74, 13, width, "start"},
                    "%.0f cycles%s%s, utilisation %s, %s%s%s", v->cycles, sure[0] ? ", " : "", sure,
                    sc_share_text(share, v->utilization), energy, v->dataflow ? ", " : "",
                    v->dataflow ? v->dataflow : "");
    legend_loop(p, x, NULL, "loop in time");
    legend_loop(p, x + 116, "X", "in space, on X");
    legend_loop(p, x + 240, "Y", "on Y");
    legend_loop(p, x + 310, "X and Y", "on both");
    legend_bar(p, x + 400, sc_picture_time, "share of the time");
    legend_bar(p, x + 540, sc_picture_slow, "the level that sets it");
    legend_bar(p, x + 700, sc_picture_energy, "share of the energy");
    sc_picture_text(p, &(sc_picture_label){x, 124, 11, width, "start"},
                    "Boxes at the right: the tile in one instance, its share of the capacity, how "
                    "many it holds one after another. Arrows: words of all instances.");
}
