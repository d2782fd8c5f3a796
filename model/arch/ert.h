#ifndef MODEL_ARCH_ERT_H
#define MODEL_ARCH_ERT_H
/** Energy reference tables (ERT) of the public estimation tool: `{tables: [{name, actions: [{name,
 *  energy}]}]}`, or in the oldest form `{tables: {NAME: {ACTION: {energy}}}}` with a list of rows
 * in place of one; energies in pJ an action. */
#include <stdbool.h>
#include <stddef.h>

#include "core/yaml.h"
#include "workloads/einsum.h"

typedef enum sc_ert_action {
    SC_ERT_READ,
    SC_ERT_WRITE,
    SC_ERT_UPDATE,
    SC_ERT_LEAK,
    SC_ERT_COMPUTE,
    SC_ERT_ACTIONS
} sc_ert_action;

/** One component of the table. */
typedef struct sc_ert_entry {
    char name[SC_NAME_LEN];    /* behind the path's last dot, without a range */
    double pj[SC_ERT_ACTIONS]; /* the dearest of an action's rows; see given */
    bool given[SC_ERT_ACTIONS];
    double largest; /* of all actions but leak */
    int line;       /* of the component in the file */
} sc_ert_entry;

/** Take note of one component. */
typedef void (*sc_ert_taker)(void *context, const sc_ert_entry *entry);

/** Hand every component of `tables` to take, in the file's order. Names of actions that mean
 *  nothing here are passed over; errors are recorded in the document, and the component is then
 *  handed over with what could be read. */
void sc_ert_tables(const sc_node *ert, sc_ert_taker take, void *context);

/** A component's own name in a path: behind the last dot, before any range. */
void sc_ert_component(char *out, size_t size, const char *path);

/** Energy of an action; where it is missing that of another, else the largest of the component. */
double sc_ert_energy(const sc_ert_entry *e, sc_ert_action action, sc_ert_action other);
#endif
