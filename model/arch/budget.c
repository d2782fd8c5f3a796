/* Area and thermal design power of a chain, part by part. docs/algorithms/area_power.md. */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "model/arch/form.h"

static const double JOULE_PER_PJ = 1e-12;

/* All instances at their peak rates. Where reads and writes have limits of their own and a shared
 * one, the lower of the two binds. */
static double level_peak_w(const sc_built *b, uint32_t i)
{
    const sc_level *a = &b->arch.level[i];
    const double *rate = b->peak[i];
    const double bytes_per_block = a->block_bits / 8.0;
    const double apart = rate[SC_RATE_READ] * a->read_pj + rate[SC_RATE_WRITE] * a->write_pj;
    const double shared = rate[SC_RATE_SHARED] * fmax(a->read_pj, a->write_pj);
    double pj = apart;
    if (rate[SC_RATE_SHARED] > 0 && (apart == 0 || shared < apart))
        pj = shared;
    return pj / bytes_per_block * JOULE_PER_PJ * (double)a->instances * b->arch.clock_hz;
}

static void add(sc_budget *out, const char *name, double area_mm2, double tdp_w)
{
    sc_item *item = &out->item[out->n_items++];
    (void)sc_text_copy(item->name, SC_NAME_LEN, name);
    item->area_mm2 = area_mm2;
    item->tdp_w = tdp_w;
    out->area_mm2 += area_mm2;
    out->tdp_w += tdp_w;
}

static sc_status add_extra(sc_budget *out, const sc_item_form *f, sc_point *p)
{
    const double area = sc_formula__value(&f->area_mm2, p);
    const double power = sc_formula__value(&f->power_w, p);
    if (!(area >= 0) || isinf(area))
        return sc_formula__fail(&f->area_mm2, area, "an area of 0 or more");
    if (!(power >= 0) || isinf(power))
        return sc_formula__fail(&f->power_w, power, "a power of 0 or more");
    add(out, f->name, area, power);
    return SC_OK;
}

/* By area, but for the parts whose leakage is the user's own; with their share of overhead, which
 * has no figure of its own, by area. */
static double leakage_w(const sc_budget *out, const sc_template *t, const sc_built *b)
{
    const sc_arch *a = &b->arch;
    const double macs = (double)a->compute.instances;
    double by_area_mm2 = out->area_mm2, own_pj = 0;
    if (t->compute.leaks) {
        by_area_mm2 -= macs * t->compute.mac_mm2;
        own_pj += macs * t->compute.leak_pj;
    }
    for (uint32_t i = 0; i < a->n_levels; i++)
        if (b->form[i]->leaks) {
            by_area_mm2 -= b->area_mm2[i];
            own_pj += (double)a->level[i].instances * b->form[i]->leak_pj;
        }
    return fmax(0, by_area_mm2) * t->tech->leakage_w_per_mm2 + own_pj * JOULE_PER_PJ * a->clock_hz;
}

sc_status sc_form__budget(sc_budget *out, const sc_template *t, const sc_built *b, sc_point *p)
{
    const sc_arch *a = &b->arch;
    const double macs = (double)a->compute.instances, lanes = (double)a->vector.lanes;
    sc_status st = SC_OK;
    memset(out, 0, sizeof *out);
    add(out, a->compute.name, macs * t->compute.mac_mm2,
        macs * a->compute.mac_pj * JOULE_PER_PJ * a->clock_hz);
    for (uint32_t i = 0; i < a->n_levels; i++)
        if (b->form[i]->storage != SC_STORAGE_NONE)
            add(out, a->level[i].name, b->area_mm2[i], level_peak_w(b, i));
    if (lanes > 0)
        add(out, "vector", lanes * t->lane_mm2, lanes * t->lane_op_pj * JOULE_PER_PJ * a->clock_hz);
    for (size_t i = 0; i < t->n_extra; i++)
        if ((st = add_extra(out, &t->extra[i], p)) != SC_OK)
            return st;
    const double dynamic_w = out->tdp_w;
    add(out, "overhead", out->area_mm2 * t->tech->overhead_share, 0);
    add(out, "clock", 0, dynamic_w * t->tech->clock_share);
    out->leak_w = leakage_w(out, t, b);
    add(out, "leakage", 0, out->leak_w);
    out->clock_share = t->tech->clock_share;
    out->area_limit_mm2 = sc_formula__value(&t->area_limit_mm2, p);
    if (!(out->area_limit_mm2 >= 0) || isinf(out->area_limit_mm2))
        return sc_formula__fail(&t->area_limit_mm2, out->area_limit_mm2, "an area of 0 or more");
    if (!isfinite(out->area_mm2) || !isfinite(out->tdp_w))
        return sc_fail(SC_ERANGE,
                       "%s: area or power is not finite: look for a rate, an energy or an area "
                       "that is too large",
                       t->name);
    return SC_OK;
}

sc_status sc_template_budget(sc_budget *out, const sc_template *t, const uint32_t *index)
{
    sc_built b;
    sc_point p;
    sc_budget budget;
    sc_status st = SC_OK;
    if ((st = sc_form__point(&p, t, index)) == SC_OK && (st = sc_form__build(&b, t, &p)) == SC_OK &&
        (st = sc_form__budget(&budget, t, &b, &p)) == SC_OK)
        memcpy(out, &budget, sizeof *out); /* padding too */
    return st;
}
