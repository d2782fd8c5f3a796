#include <stdbool.h>
#include <string.h>

#include "model/arch/ert.h"
#include "model/count/reference_arch.h"

/* An architecture, and which of its parts an entry was met for; the compute units are the last. */
typedef struct taken {
    sc_arch *a;
    bool met[SC_MAX_LEVELS + 1];
} taken;

static void apply(void *context, const sc_ert_entry *e)
{
    taken *t = context;
    sc_arch *a = t->a;
    for (unsigned l = 0; l < a->n_levels; l++)
        if (strcmp(a->level[l].name, e->name) == 0) {
            a->level[l].read_pj = sc_ert_energy(e, SC_ERT_READ, SC_ERT_READ);
            a->level[l].write_pj = sc_ert_energy(e, SC_ERT_WRITE, SC_ERT_WRITE);
            a->level[l].update_pj = sc_ert_energy(e, SC_ERT_UPDATE, SC_ERT_WRITE);
            a->level[l].leak_pj = e->given[SC_ERT_LEAK] ? e->pj[SC_ERT_LEAK] : 0;
            t->met[l] = true;
        }
    if (strcmp(a->compute.name, e->name) == 0) {
        a->compute.mac_pj = sc_ert_energy(e, SC_ERT_COMPUTE, SC_ERT_COMPUTE);
        t->met[SC_MAX_LEVELS] = true;
    }
}

/* The level that the tool's front end puts before copies: it stores nothing. */
static bool is_between(const char *name)
{
    const char *end = strstr(name, "_spatial");
    return strncmp(name, "inter_", 6) == 0 && end && strcmp(end, "_spatial") == 0;
}

/* Parts that the table leaves at their default energies; a table of none of them is of another
 * architecture. */
static void check_entries(const taken *t, const sc_node *ert)
{
    bool any = t->met[SC_MAX_LEVELS];
    for (unsigned l = 0; l < t->a->n_levels; l++)
        any |= t->met[l];
    if (!any) {
        sc_node_error(ert,
                      "no entry of this table is of a part of the architecture: one of '%s' or "
                      "'%s' was expected",
                      t->a->level[0].name, t->a->compute.name);
        return;
    }
    for (unsigned l = 0; l < t->a->n_levels; l++)
        if (!t->met[l] && !is_between(t->a->level[l].name))
            sc_node_warning(ert, "no entry of '%s': it keeps its default energies",
                            t->a->level[l].name);
    if (!t->met[SC_MAX_LEVELS])
        sc_node_warning(ert, "no entry of '%s': it keeps its default energy", t->a->compute.name);
}

sc_status sc_reference_ert_read(sc_arch *arch, const sc_yaml *doc, const sc_node *ert)
{
    sc_arch a = *arch;
    taken t = {.a = &a};
    sc_ert_tables(ert, apply, &t);
    if (sc_yaml_status(doc) == SC_OK)
        check_entries(&t, ert);
    const sc_status st = sc_yaml_status(doc);
    if (st == SC_OK)
        *arch = a;
    return st;
}
