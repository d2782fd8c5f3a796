#ifndef PLACEMENT_NETLIST_PB_H
#define PLACEMENT_NETLIST_PB_H
/** Nodes of a Circuit Training netlist as its text says them, before they are joined. */
#include <stdbool.h>

#include "placement/faults.h"
#include "placement/netlist.h"

/** Numbers that an attribute of a node may hold. */
typedef enum sc_attr {
    SC_ATTR_WIDTH,
    SC_ATTR_HEIGHT,
    SC_ATTR_X,
    SC_ATTR_Y,
    SC_ATTR_X_OFFSET,
    SC_ATTR_Y_OFFSET,
    SC_ATTR_WEIGHT,
    SC_ATTRS
} sc_attr;

typedef struct sc_pb_node {
    const char *name, *type, *macro, *orient; /* NULL where it says nothing */
    uint32_t line, column;                    /* of the node */
    uint32_t first_sink, n_sinks;             /* in the list of sinks */
    double value[SC_ATTRS];
    bool has[SC_ATTRS];
} sc_pb_node;

typedef struct sc_pb_sink {
    const char *name;
    uint32_t line, column;
} sc_pb_sink;

typedef struct sc_pb_nodes {
    size_t n, capacity, n_sinks, sinks_capacity;
    sc_pb_node *node; /* [n] without the node of metadata */
    sc_pb_sink *sink; /* [n_sinks] */
} sc_pb_nodes;

void sc_pb_nodes_clear(sc_pb_nodes *nodes);
/** Read a text, which names then point into. @return SC_OK; SC_EPARSE at the first fault of the
 *  form; SC_ENOMEM. */
sc_status sc_pb_nodes_read(sc_pb_nodes *out, const char *file, char *text) SC_MUST_USE;
/** Join nodes to blocks, pins and nets; every fault is recorded. @return SC_OK, also with faults;
 *  SC_ENOMEM; SC_ERANGE. */
sc_status sc_netlist_join(sc_netlist *out, const sc_pb_nodes *nodes, sc_faults *faults) SC_MUST_USE;
#endif
