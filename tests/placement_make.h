#ifndef TESTS_PLACEMENT_MAKE_H
#define TESTS_PLACEMENT_MAKE_H
/** Netlists and placements for the tests of placement/. Included after cmocka.h. */
#include "core/buf.h"
#include "core/rng.h"
#include "core_support.h"
#include "placement/placement.h"

/** What a random case is made of. */
typedef struct made_size {
    uint32_t ports, hard, soft, pins_each; /* pins of a macro */
    uint32_t columns, rows, smoothing;
} made_size;

typedef struct made {
    sc_netlist *list;
    sc_placement *placement;
} made;

/** A netlist and a placement of texts; fails the test if they are refused. */
made make_of_texts(const char *netlist, const char *placement);
/** Random sizes, nets and places; some pins and macros lie on or past the edges of the canvas. */
made make_random(sc_rng *rng, const made_size *size);
void made_clear(made *m);
/** A number from 0 to n - 1. */
uint32_t pick(sc_rng *rng, uint32_t n);

/** Append one node of a netlist; attributes that are NULL or NaN are left out. */
typedef struct node_text {
    const char *name, *type, *macro, *sinks; /* sinks: `input: "a" input: "b"` */
    double width, height, x, y, x_offset, y_offset, weight;
} node_text;
#define NODE_NONE (double)NAN
void put_node(sc_buf *b, const node_text *node);
#endif
