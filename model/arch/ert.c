#include "model/arch/ert.h"

#include <string.h>

/* A joule an access: what is above is no energy in pJ, and sums of it would have no finite value.
 */
#define MAX_PJ 1e12

/* What an action is called there; -1 if it has no meaning here. */
static int action_of(const char *name)
{
    static const struct {
        const char *name;
        int action;
    } names[] = {{"read", SC_ERT_READ},
                 {"random_read", SC_ERT_READ},
                 {"write", SC_ERT_WRITE},
                 {"random_fill", SC_ERT_WRITE},
                 {"fill", SC_ERT_WRITE},
                 {"update", SC_ERT_UPDATE},
                 {"random_update", SC_ERT_UPDATE},
                 {"leak", SC_ERT_LEAK},
                 {"compute", SC_ERT_COMPUTE},
                 {"mac_random", SC_ERT_COMPUTE},
                 {"mac", SC_ERT_COMPUTE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].action;
    return -1;
}

/* Take note of one row of an action. */
static void take_energy(sc_ert_entry *t, const char *name, const sc_node *row)
{
    double pj;
    const int action = action_of(name);
    if (!sc_map_number(&pj, row, "energy", SC_UNIT_NONE))
        return;
    if (pj < 0) {
        sc_node_error(sc_node_get(row, "energy"), "an energy must not be negative");
        return;
    }
    if (pj > MAX_PJ) {
        sc_node_error(sc_node_get(row, "energy"), "%g pJ: an energy is in pJ, at most %g", pj,
                      MAX_PJ);
        return;
    }
    if (action < 0)
        return;
    if (!t->given[action] || pj > t->pj[action])
        t->pj[action] = pj;
    t->given[action] = true;
    if (action != SC_ERT_LEAK && pj > t->largest)
        t->largest = pj;
}

static void read_actions(sc_ert_entry *t, const sc_node *actions)
{
    for (size_t i = 0; i < sc_node_count(actions); i++) {
        const char *name;
        if (sc_map_text(&name, sc_node_item(actions, i), "name"))
            take_energy(t, name, sc_node_item(actions, i));
    }
}

/* The oldest form: actions by name, each one row or a list of them. */
static void read_named_actions(sc_ert_entry *t, const sc_node *actions)
{
    for (size_t i = 0; i < sc_node_count(actions); i++) {
        const sc_node *rows = sc_node_item(actions, i);
        if (sc_node_kind_of(rows) != SC_NODE_SEQUENCE)
            take_energy(t, sc_node_key(actions, i), rows);
        else
            for (size_t k = 0; k < sc_node_count(rows); k++)
                take_energy(t, sc_node_key(actions, i), sc_node_item(rows, k));
    }
}

double sc_ert_energy(const sc_ert_entry *e, sc_ert_action action, sc_ert_action other)
{
    return e->given[action] ? e->pj[action] : e->given[other] ? e->pj[other] : e->largest;
}

void sc_ert_component(char *out, size_t size, const char *path)
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

static void take_named_tables(const sc_node *tables, sc_ert_taker take, void *context)
{
    for (size_t i = 0; i < sc_node_count(tables); i++) {
        sc_ert_entry e = {.line = sc_node_line(sc_node_key_node(tables, i))};
        read_named_actions(&e, sc_node_item(tables, i));
        sc_ert_component(e.name, sizeof e.name, sc_node_key(tables, i));
        take(context, &e);
    }
}

void sc_ert_tables(const sc_node *ert, sc_ert_taker take, void *context)
{
    if (sc_node_kind_of(sc_node_get(ert, "tables")) == SC_NODE_MAP) {
        take_named_tables(sc_node_get(ert, "tables"), take, context);
        return;
    }
    const sc_node *tables = sc_map_sequence(ert, "tables");
    for (size_t i = 0; i < sc_node_count(tables); i++) {
        const sc_node *table = sc_node_item(tables, i);
        sc_ert_entry e = {.line = sc_node_line(table)};
        const char *path;
        const sc_node *actions = sc_map_sequence(table, "actions");
        if (!sc_map_text(&path, table, "name") || !actions)
            continue;
        read_actions(&e, actions);
        sc_ert_component(e.name, sizeof e.name, path);
        take(context, &e);
    }
}
