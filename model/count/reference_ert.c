#include <string.h>

#include "model/arch/ert.h"
#include "model/count/reference_arch.h"

static void apply(void *context, const sc_ert_entry *e)
{
    sc_arch *a = context;
    for (unsigned l = 0; l < a->n_levels; l++)
        if (strcmp(a->level[l].name, e->name) == 0) {
            a->level[l].read_pj = sc_ert_energy(e, SC_ERT_READ, SC_ERT_READ);
            a->level[l].write_pj = sc_ert_energy(e, SC_ERT_WRITE, SC_ERT_WRITE);
            a->level[l].update_pj = sc_ert_energy(e, SC_ERT_UPDATE, SC_ERT_WRITE);
            a->level[l].leak_pj = e->given[SC_ERT_LEAK] ? e->pj[SC_ERT_LEAK] : 0;
        }
    if (strcmp(a->compute.name, e->name) == 0)
        a->compute.mac_pj = sc_ert_energy(e, SC_ERT_COMPUTE, SC_ERT_COMPUTE);
}

sc_status sc_reference_ert_read(sc_arch *arch, const sc_yaml *doc, const sc_node *ert)
{
    sc_arch a = *arch;
    sc_ert_tables(ert, apply, &a);
    const sc_status st = sc_yaml_status(doc);
    if (st == SC_OK)
        *arch = a;
    return st;
}
