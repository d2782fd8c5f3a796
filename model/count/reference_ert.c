#include <string.h>

#include "core/text.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_node.h"

enum { READ, WRITE, UPDATE, LEAK, COMPUTE, ACTIONS };

/* Energies of one component's actions, pJ; which of them stand in the table. */
typedef struct action_table {
    double pj[ACTIONS];
    bool given[ACTIONS];
    double largest; /* of all actions but leak */
} action_table;

/* What an action is called there; -1 if it has no meaning here. */
static int action_of(const char *name)
{
    static const struct {
        const char *name;
        int action;
    } names[] = {{"read", READ},
                 {"random_read", READ},
                 {"write", WRITE},
                 {"random_fill", WRITE},
                 {"fill", WRITE},
                 {"update", UPDATE},
                 {"random_update", UPDATE},
                 {"leak", LEAK},
                 {"compute", COMPUTE},
                 {"mac_random", COMPUTE},
                 {"mac", COMPUTE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].action;
    return -1;
}

static void read_actions(action_table *t, const sc_node *actions)
{
    for (size_t i = 0; i < sc_node_count(actions); i++) {
        const sc_node *item = sc_node_item(actions, i);
        const char *name;
        double pj;
        if (!sc_map_text(&name, item, "name") || !sc_map_number(&pj, item, "energy", SC_UNIT_NONE))
            continue;
        if (pj < 0) {
            sc_node_error(sc_node_get(item, "energy"), "an energy must not be negative");
            continue;
        }
        const int action = action_of(name);
        if (action < 0)
            continue;
        if (!t->given[action] || pj > t->pj[action])
            t->pj[action] = pj;
        t->given[action] = true;
        if (action != LEAK && pj > t->largest)
            t->largest = pj;
    }
}

/* Energy of an action; where it is missing that of another, else the largest of the table. */
static double energy_of(const action_table *t, int action, int other)
{
    return t->given[action] ? t->pj[action] : t->given[other] ? t->pj[other] : t->largest;
}

/* The component's own name: behind the last dot, before any range. */
static void component_name(char *out, size_t size, const char *path)
{
    size_t end = strcspn(path, "[");
    const char *bracket;
    /* ranges may stand on outer names too: a.pe[0..3].spad */
    while ((bracket = strchr(path + end, ']')) && bracket[1] != '\0')
        end = (size_t)(bracket - path) + 1 + strcspn(bracket + 1, "[");
    size_t start = end;
    while (start > 0 && path[start - 1] != '.')
        start--;
    const size_t length = end - start < size ? end - start : size - 1;
    memcpy(out, path + start, length);
    out[length] = '\0';
}

static void apply(sc_arch *a, const char *name, const action_table *t)
{
    for (unsigned l = 0; l < a->n_levels; l++)
        if (strcmp(a->level[l].name, name) == 0) {
            a->level[l].read_pj = energy_of(t, READ, READ);
            a->level[l].write_pj = energy_of(t, WRITE, WRITE);
            a->level[l].update_pj = energy_of(t, UPDATE, WRITE);
            a->level[l].leak_pj = t->given[LEAK] ? t->pj[LEAK] : 0;
        }
    if (strcmp(a->compute.name, name) == 0)
        a->compute.mac_pj = energy_of(t, COMPUTE, COMPUTE);
}

sc_status sc_reference_ert_read(sc_arch *arch, const sc_yaml *doc, const sc_node *ert)
{
    sc_arch a = *arch;
    const sc_node *tables = sc_map_sequence(ert, "tables");
    for (size_t i = 0; i < sc_node_count(tables); i++) {
        const sc_node *table = sc_node_item(tables, i);
        action_table t = {.largest = 0};
        char name[SC_NAME_LEN];
        const char *path;
        const sc_node *actions = sc_map_sequence(table, "actions");
        if (!sc_map_text(&path, table, "name") || !actions)
            continue;
        read_actions(&t, actions);
        component_name(name, sizeof name, path);
        apply(&a, name, &t);
    }
    const sc_status st = sc_yaml_status(doc);
    if (st == SC_OK)
        *arch = a;
    return st;
}
