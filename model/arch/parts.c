/* A design's chain and budget as parts that stand on a die. */
#include <string.h>

#include "core/text.h"
#include "model/arch/form.h"
#include "model/arch/parts.h"

static const uint32_t USUAL_BITS =
    16; /* of an operand, where a platform leaves it to the network */

static void part_of(sc_part *out, const sc_built *b, uint32_t i)
{
    const sc_level *a = &b->arch.level[i];
    const double *rate = b->peak[i];
    (void)sc_text_copy(out->name, SC_NAME_LEN, a->name);
    out->storage = b->form[i]->storage;
    out->instances = a->instances;
    out->fanout_x = a->fanout_x;
    out->fanout_y = a->fanout_y;
    for (int r = 0; r < SC_ROLES; r++)
        if (a->capacity[r] > 0)
            out->bytes[out->buffers++] = a->capacity[r];
    out->channels = b->channels[i];
    out->area_mm2 = b->area_mm2[i] / (double)a->instances;
    out->bytes_per_cycle = rate[SC_RATE_READ] + rate[SC_RATE_WRITE];
    if (rate[SC_RATE_SHARED] > 0 &&
        (out->bytes_per_cycle == 0 || rate[SC_RATE_SHARED] < out->bytes_per_cycle))
        out->bytes_per_cycle = rate[SC_RATE_SHARED];
}

/* What the budget lists after compute, levels and lanes, up to the overhead. */
static void extras(sc_parts *out, const sc_template *t, const sc_budget *budget)
{
    uint32_t first = 1 + (out->lanes > 0);
    for (uint32_t i = 0; i < out->n_levels; i++)
        first += out->level[i].storage != SC_STORAGE_NONE;
    out->n_extra = (uint32_t)t->n_extra;
    memcpy(out->extra, budget->item + first, out->n_extra * sizeof *out->extra);
    out->overhead_mm2 = budget->item[first + out->n_extra].area_mm2;
}

sc_status sc_design_parts(sc_parts *out, const sc_design *d)
{
    const sc_template *t = sc_design_template(d);
    const sc_budget *budget = sc_design_budget(d);
    sc_built b;
    sc_point p;
    sc_status st = SC_OK;
    if ((st = sc_form__point(&p, t, sc_design_index(d))) != SC_OK ||
        (st = sc_form__build(&b, t, &p)) != SC_OK)
        return st;
    const sc_compute *c = &b.arch.compute;
    memset(out, 0, sizeof *out);
    out->n_levels = b.arch.n_levels;
    for (uint32_t i = 0; i < out->n_levels; i++)
        part_of(&out->level[i], &b, i);
    (void)sc_text_copy(out->compute, SC_NAME_LEN, c->name);
    out->macs = c->instances;
    out->rows = c->rows;
    out->cols = c->cols;
    out->mac_bits = c->mac_bits > 0 ? c->mac_bits : c->operand_bits;
    if (out->mac_bits == 0)
        out->mac_bits = USUAL_BITS;
    out->mac_mm2 = t->compute.mac_mm2;
    out->lanes = b.arch.vector.lanes;
    out->lane_mm2 = t->lane_mm2;
    extras(out, t, budget);
    out->area_mm2 = budget->area_mm2;
    out->clock_hz = b.arch.clock_hz;
    out->wire_pj_per_bit_mm = t->tech->wire_pj_per_bit_mm * t->tech->dynamic_scale;
    return SC_OK;
}
