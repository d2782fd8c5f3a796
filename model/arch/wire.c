/* Wires between a level and its children, by the distance their areas ask for.
 * docs/algorithms/area_power.md. */
#include <math.h>

#include "model/arch/form.h"

static const double MIB = 1048576;
static const double BITS = 64; /* of the access that energies are stated for */

static double level_area_mm2(const sc_built *b, uint32_t i)
{
    const sc_level *a = &b->arch.level[i];
    const sc_level_form *l = b->form[i];
    double one = l->storage == SC_STORAGE_DRAM ? b->channels[i] * l->phy_mm2 : 0;
    for (int r = 0; l->density && r < SC_ROLES; r++) /* a shared buffer is all in capacity[0] */
        one += (double)a->capacity[r] / MIB *
               sc_curve__at(l->density, (double)a->capacity[r] / b->banks[i]);
    return one * (double)a->instances;
}

/* A word goes from the middle of the square that an instance and all below it fill to a place
 * anywhere in it: a quarter of the side along X and as much along Y, on average. */
static double distance_mm(double area_mm2)
{
    return sqrt(area_mm2) / 2;
}

void sc_form__wires(sc_built *b, const sc_template *t)
{
    const sc_arch *a = &b->arch;
    const double spread = 1 + t->tech->overhead_share; /* control and wiring lie between */
    /* lanes stand beside the memory that feeds them, not between it and the MACs; without them,
     * designs that differ in lanes alone share the costs of their mappings */
    double inside = (double)a->compute.instances * t->compute.mac_mm2;
    for (uint32_t i = a->n_levels; i-- > 0;) {
        sc_level *l = &b->arch.level[i];
        b->area_mm2[i] = level_area_mm2(b, i);
        inside += b->area_mm2[i];
        if (b->form[i]->storage == SC_STORAGE_NONE || b->form[i]->measured)
            continue; /* nothing is read there; a measured energy is taken as it is */
        l->wire_pj = BITS * t->tech->wire_pj_per_bit_mm * t->tech->dynamic_scale *
                     distance_mm(inside * spread / (double)l->instances);
        l->read_pj += l->wire_pj;
        l->update_pj += l->wire_pj;
    }
}
