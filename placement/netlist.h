#ifndef PLACEMENT_NETLIST_H
#define PLACEMENT_NETLIST_H
/**
 * What is to be placed: blocks (ports, hard macros, soft macros, standard cells), their pins, and
 * nets between pins. Immutable once read. Lengths in um, offsets of pins from the centre of their
 * block at orientation N.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "placement/orient.h"
#include "scantle/place.h"

#define SC_NO_BLOCK UINT32_MAX

typedef enum sc_block_kind {
    SC_BLOCK_PORT,
    SC_BLOCK_HARD, /* a macro: memory, analogue, array */
    SC_BLOCK_SOFT, /* a cluster of standard cells */
    SC_BLOCK_CELL, /* a standard cell */
    SC_BLOCK_KINDS
} sc_block_kind;

extern const char *const sc_block_kind_names[SC_BLOCK_KINDS];

/** Where a block stands: its centre. */
typedef struct sc_spot {
    double x_um, y_um;
    sc_orient orient;
    bool fixed;
} sc_spot;

typedef struct sc_block {
    const char *name;
    sc_block_kind kind;
    uint32_t node;              /* index in the netlist's file, by which a .plc names it */
    double width_um, height_um; /* at orientation N; 0 of a port */
    bool has_spot;              /* the netlist says where it stands: */
    sc_spot spot;
} sc_block;

typedef struct sc_pin {
    uint32_t block;
    double dx_um, dy_um;
} sc_pin;

struct sc_netlist {
    char *text; /* of the file; names point into it */
    char *name; /* of the file */
    size_t n_nodes, n_blocks, n_pins, n_nets, n_of_kind[SC_BLOCK_KINDS];
    sc_block *block;      /* [n_blocks] in the order of the file */
    uint32_t *node_block; /* [n_nodes] SC_NO_BLOCK for a pin */
    sc_pin *pin;          /* [n_pins] */
    uint32_t *net_first;  /* [n_nets + 1] where each net begins in net_pin */
    uint32_t *net_pin;    /* [net_first[n_nets]] pins, the driver of each net first */
    double *net_weight;   /* [n_nets] */
};

/** As sc_netlist_open(), from a text of n bytes, which is copied; name stands in messages. */
sc_status sc_netlist_parse(sc_netlist **out, const char *name, const char *text,
                           size_t n) SC_MUST_USE;
#endif
