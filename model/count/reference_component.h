#ifndef MODEL_COUNT_REFERENCE_COMPONENT_H
#define MODEL_COUNT_REFERENCE_COMPONENT_H
/** Inside the counting room: components of a reference architecture, one after the other. */
#include "model/arch/arch.h"
#include "model/count/reference_node.h"

/** What a file says of an architecture beside what is counted with. */
typedef struct sc_reference_origin {
    unsigned node_nm;     /* of the first technology named; 0: none */
    double cycle_seconds; /* 0: not given */
    char level_class[SC_MAX_LEVELS][SC_NAME_LEN], compute_class[SC_NAME_LEN];
    char dram_type[SC_NAME_LEN]; /* "LPDDR4", ...; "": not given */
    uint32_t compute_bits;       /* of an operand; 0: not given */
} sc_reference_origin;

/** Where copies of a component stand. */
typedef struct sc_reference_place {
    uint64_t copies;
    uint64_t x, y; /* the mesh they form; 0: the component's own attributes say, or nothing does */
} sc_reference_place;

/** An architecture while its components come in, outermost first. */
typedef struct sc_reference_builder {
    sc_arch arch;
    sc_reference_origin origin;
    uint64_t mesh_x[SC_MAX_LEVELS + 1], mesh_y[SC_MAX_LEVELS + 1]; /* last: the MACs' */
    const sc_node *at[SC_MAX_LEVELS + 1];
    bool has_compute;
    sc_reference_scope scope; /* what expressions may name; first the names of the whole input */
    const sc_node *spare;     /* the last component whose class says nothing; NULL: none */
    sc_reference_place spare_place;
    sc_reference_scope spare_scope;
    bool inherits; /* attributes of the maps in scope behind the first hold for components too */
} sc_reference_builder;

/** Add a component given as {name, class, attributes}: storage becomes a level, compute ends the
 *  chain; anything else is left out with a warning. Errors are recorded. */
void sc_reference_component(sc_reference_builder *b, const sc_node *component,
                            sc_reference_place place);

/** Whether a node is not switched off (`enabled: False`), which is warned of. */
bool sc_reference_enabled(const sc_node *n);

/** Where no component computes by its class, let the last one of a class that says nothing do it.
 */
void sc_reference_adopt_compute(sc_reference_builder *b);

/** Add a component of the oldest form, {name, technology, entries, ...}, in which attributes stand
 *  beside the name. */
void sc_reference_plain_component(sc_reference_builder *b, const sc_node *component, bool compute);

/** Take note of the technology and clock among attributes. */
void sc_reference_note_origin(sc_reference_builder *b, const sc_node *own);

/** Add a level that stores nothing: what lies between a level and copies of what is inside it. */
void sc_reference_fanout(sc_reference_builder *b, const sc_node *at, const char *name, uint64_t x,
                         uint64_t y);
#endif
