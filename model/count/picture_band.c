#include <math.h>
#include <string.h>

#include "core/units.h"
#include "model/count/picture.h"

enum { BOX_WIDTH = 56, BOX_STEP = 60, BOX_GAP = 6, IN_TIME = 34, IN_SPACE = 48, TILE = 96 };
enum { PER_ROW = (SC_PICTURE_LANES - SC_PICTURE_LOOPS) / BOX_STEP, MACS = 104 };

static int rows_of(const sc_loops *loops)
{
    int n = 0;
    for (int i = 0; i < loops->n; i++)
        n += loops->factor[i] > 1;
    return (n + PER_ROW - 1) / PER_ROW;
}

double sc_picture_level_height(const sc_mapping_view *v, int level)
{
    const sc_block *b = &v->mapping->level[level];
    const double loops = rows_of(&b->temporal) * (IN_TIME + BOX_GAP) +
                         rows_of(&b->spatial) * (IN_SPACE + BOX_GAP) - BOX_GAP;
    return fmax(TILE, loops) + 2 * SC_PICTURE_PAD;
}

double sc_picture_macs_height(void)
{
    return MACS;
}

/* What a band is: its name, how much of it works, how long and with what energy. */
typedef struct band_facts {
    const char *name;
    uint64_t used, built;
    double cycles, energy_pj;
    bool sets_time;
} band_facts;

static void draw_facts(sc_picture *p, int band, const band_facts *f)
{
    const double x = SC_PICTURE_MARGIN + SC_PICTURE_PAD, y = p->top[band];
    const double width = SC_PICTURE_LOOPS - x - 2 * SC_PICTURE_PAD;
    char used[32], built[32], cycles[32], energy[32];
    sc_quantity_format(energy, sizeof energy, 1e-12 * f->energy_pj, SC_UNIT_JOULE);
    sc_svg_box(&p->svg, SC_PICTURE_MARGIN, y, SC_PICTURE_WIDTH - 2 * SC_PICTURE_MARGIN,
               p->height[band], 6, "#f7f9fb", "#b9c5ce", 1);
    sc_picture_group(p, "%s: %llu of %llu used, %.0f cycles, %.6g pJ", f->name,
                     (unsigned long long)f->used, (unsigned long long)f->built, f->cycles,
                     f->energy_pj);
    sc_picture_text(p, &(sc_picture_label){x, y + 22, 15, width, "start"}, "%s", f->name);
    sc_picture_text(p, &(sc_picture_label){x, y + 40, 12, width, "start"}, "%s of %s used",
                    sc_count_text(used, (double)f->used), sc_count_text(built, (double)f->built));
    sc_picture_text(p, &(sc_picture_label){x, y + 59, 12, width, "start"}, "%s cycles",
                    sc_count_text(cycles, f->cycles));
    sc_picture_bar(p, x, y + 64, width, f->cycles / p->v->cycles,
                   f->sets_time ? sc_picture_slow : sc_picture_time);
    sc_picture_text(p, &(sc_picture_label){x, y + 85, 12, width, "start"}, "%s", energy);
    sc_picture_bar(p, x, y + 90, width, f->energy_pj / p->v->cost->energy_pj, sc_picture_energy);
    sc_svg_group_end(&p->svg);
}

/* axis: NULL for a loop in time. */
static void draw_loop(sc_picture *p, double x, double y, uint64_t factor, const char *dim,
                      const char *axis)
{
    const sc_picture_look look = sc_picture_look_of(axis);
    const double middle = x + BOX_WIDTH / 2.0;
    char steps[32];
    sc_picture_group(p, "%s %s in 0..%llu%s%s", axis ? "parallel-for" : "for", dim,
                     (unsigned long long)factor, axis ? " on " : "", axis ? axis : "");
    sc_svg_box(&p->svg, x, y, BOX_WIDTH, axis ? IN_SPACE : IN_TIME, axis ? 0 : 8, look.fill,
               look.stroke, 1.5);
    sc_picture_text(p, &(sc_picture_label){middle, y + 15, 13, BOX_WIDTH, "middle"}, "%s", dim);
    sc_picture_text(p, &(sc_picture_label){middle, y + 28, 10, BOX_WIDTH, "middle"}, "0..%s",
                    sc_count_text(steps, (double)factor));
    if (axis)
        sc_picture_text(p, &(sc_picture_label){middle, y + 42, 10, BOX_WIDTH, "middle"}, "on %s",
                        strlen(axis) > 1 ? "X+Y" : axis);
    sc_svg_group_end(&p->svg);
}

/* Outermost first, left to right; in time above, in space below. */
static void draw_loops(sc_picture *p, int level)
{
    const sc_block *b = &p->v->mapping->level[level];
    double y = p->top[level] + SC_PICTURE_PAD;
    for (int space = 0; space < 2; space++) {
        const sc_loops *loops = space ? &b->spatial : &b->temporal;
        const double step = (space ? IN_SPACE : IN_TIME) + BOX_GAP;
        int column = 0;
        for (int i = loops->n; i-- > 0;) {
            if (loops->factor[i] == 1)
                continue;
            if (column == PER_ROW) {
                column = 0;
                y += step;
            }
            draw_loop(p, SC_PICTURE_LOOPS + column++ * BOX_STEP, y, loops->factor[i],
                      p->v->einsum->dim_name[loops->dim[i]], space ? sc_spatial_axis(b, i) : NULL);
        }
        if (column > 0)
            y += step;
    }
}

static void open_tile(sc_picture *p, const sc_tile_view *t, int level, int tensor)
{
    const char *name = p->v->einsum->tensor[tensor].name;
    const char *at = p->v->arch->level[level].name;
    char share[32] = "";
    if (isfinite(t->share))
        sc_share_text(share, t->share);
    sc_picture_group(p,
                     "%s at %s: tile %llu words, %llu bytes%s%s; %llu tiles, %llu words moved, "
                     "%llu served, reuse %.6g",
                     name, at, (unsigned long long)t->words, (unsigned long long)t->bytes,
                     share[0] ? ", of capacity " : "", share, (unsigned long long)t->loads,
                     (unsigned long long)t->moved, (unsigned long long)t->served, t->reuse);
}

static void draw_tile(sc_picture *p, int level, int tensor)
{
    const double left = SC_PICTURE_LANES + tensor * p->lane, width = p->lane - 8;
    const double x = left + 6, y = p->top[level] + SC_PICTURE_PAD, inside = width - 12;
    char words[32], bytes[32], loads[32], reuse[32], share[32];
    sc_tile_view t;
    sc_tile_view_of(&t, p->v, level, tensor);
    sc_quantity_format(bytes, sizeof bytes, (double)t.bytes, SC_UNIT_BYTES);
    open_tile(p, &t, level, tensor);
    sc_svg_box(&p->svg, left, y, width, TILE, 4, sc_picture_pale(p, tensor),
               sc_picture_color(p, tensor), 1.5);
    sc_picture_text(p, &(sc_picture_label){x, y + 15, 12, inside, "start"}, "%s",
                    p->v->einsum->tensor[tensor].name);
    sc_picture_text(p, &(sc_picture_label){x, y + 30, 11, inside, "start"}, "%s word%s",
                    sc_count_text(words, (double)t.words), t.words == 1 ? "" : "s");
    sc_picture_text(p, &(sc_picture_label){x, y + 44, 11, inside, "start"}, "%s", bytes);
    if (isfinite(t.share)) {
        sc_picture_bar(p, x, y + 50, inside - 46, t.share, sc_picture_color(p, tensor));
        sc_picture_text(p, &(sc_picture_label){left + width - 6, y + 57, 10, 46, "end"}, "%s",
                        sc_share_text(share, t.share));
    }
    sc_picture_text(p, &(sc_picture_label){x, y + 73, 11, inside, "start"}, "%s tile%s",
                    sc_count_text(loads, (double)t.loads), t.loads == 1 ? "" : "s");
    sc_picture_text(p, &(sc_picture_label){x, y + 88, 11, inside, "start"}, "reuse %s",
                    sc_factor_text(reuse, t.reuse));
    sc_svg_group_end(&p->svg);
}

void sc_picture_level(sc_picture *p, int level)
{
    const sc_mapping_view *v = p->v;
    const sc_level *l = &v->arch->level[level];
    const band_facts facts = {l->name,
                              v->counts->used_instances[level],
                              l->instances,
                              v->cost->level_cycles[level],
                              sc_level_energy(v, level),
                              v->cost->bound == level};
    draw_facts(p, level, &facts);
    draw_loops(p, level);
    for (int t = 0; t < v->einsum->n_tensors; t++)
        if (v->mapping->level[level].keep >> t & 1)
            draw_tile(p, level, t);
}

void sc_picture_macs(sc_picture *p)
{
    const sc_mapping_view *v = p->v;
    const int band = v->mapping->n_levels;
    const double x = SC_PICTURE_LOOPS, y = p->top[band];
    const double width = SC_PICTURE_LANES - SC_PICTURE_LOOPS - 24;
    const band_facts facts = {
        v->arch->compute.name, v->counts->used_macs, v->arch->compute.instances,
        v->compute_cycles,     v->cost->mac_pj,      v->cost->bound < 0};
    char macs[32], share[32];
    draw_facts(p, band, &facts);
    sc_picture_group(p, "%llu multiply-accumulates, utilisation %s",
                     (unsigned long long)v->counts->macs, sc_share_text(share, v->utilization));
    sc_picture_text(p, &(sc_picture_label){x, y + 30, 13, width, "start"},
                    "%s multiply-accumulates", sc_count_text(macs, (double)v->counts->macs));
    sc_picture_text(p, &(sc_picture_label){x, y + 56, 13, width, "start"}, "utilisation %s",
                    sc_share_text(share, v->utilization));
    sc_picture_bar(p, x, y + 66, width, v->utilization, sc_picture_time);
    sc_svg_group_end(&p->svg);
    for (int t = 0; t < v->einsum->n_tensors; t++) {
        const double left = SC_PICTURE_LANES + t * p->lane, lane = p->lane - 8;
        sc_svg_box(&p->svg, left, y + SC_PICTURE_PAD, lane, 24, 4, sc_picture_pale(p, t),
                   sc_picture_color(p, t), 1.5);
        sc_picture_text(
            p, &(sc_picture_label){left + 6, y + SC_PICTURE_PAD + 16, 12, lane - 12, "start"}, "%s",
            v->einsum->tensor[t].name);
    }
}
