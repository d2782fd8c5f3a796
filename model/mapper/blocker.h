#ifndef MODEL_MAPPER_BLOCKER_H
#define MODEL_MAPPER_BLOCKER_H
/** Of a map space without a mapping: a smallest set of limits that together rule out all. */
#include "model/count/constraints.h"
#include "scantle/error.h"

/** What stands in the way of every mapping. */
typedef enum sc_blocker_code {
    SC_BLOCKER_CAPACITY, /* the level holds `have` words or bytes and would have to hold `need` */
    SC_BLOCKER_FACTOR,   /* a constraint asks for a factor of `have`; with `need` there are mappings
                          */
    SC_BLOCKER_KEEP,     /* the level must keep the tensor: have 1, need 0 */
    SC_BLOCKER_BYPASS,   /* the level must not keep the tensor: have 0, need 1 */
    SC_BLOCKER_MESH_X,   /* `have` children stand along X and `need` are needed */
    SC_BLOCKER_MESH_Y,
    SC_BLOCKER_ORDER, /* the loops have to stand in an order: have 1, need 0 */
    SC_BLOCKER_SPLIT, /* so many dimensions have to lie along X; with `need` there are mappings */
    SC_BLOCKER_DATAFLOW,  /* the array runs `have` dataflows; none takes what is asked: need 0 */
    SC_BLOCKER_SEQUENTIAL /* steps of the dimension wait for one another: have 1, need 0 */
} sc_blocker_code;

typedef struct sc_blocker {
    sc_blocker_code code;
    int level, dim, tensor; /* -1: not of one */
    bool spatial;           /* of a factor or an order */
    uint64_t need, have;
} sc_blocker;

enum { SC_MAX_BLOCKERS = 64, SC_BLOCKER_WHERE = 4 * SC_NAME_LEN };

const char *sc_blocker_name(sc_blocker_code c); /* "capacity", "factor", "keep", "bypass", ... */

/** Where it stands: "L1: K in time", "L1: weight", "L1". */
void sc_blocker_where(char out[SC_BLOCKER_WHERE], const sc_blocker *b, const sc_einsum *e,
                      const sc_arch *a);

/** A space from which limits are taken off, one after another. */
typedef struct sc_blocked {
    const sc_einsum *e;
    sc_arch arch;
    sc_map_constraints limits;
    int sequential;    /* dimension, -1: none */
    bool any_place;    /* dimensions lie on the array as on any grid */
    bool nearest;      /* of factors, tell the one next to what is asked for; else any that does */
    bool design_first; /* take limits of the design off before constraints: of two sets tell the one
                          that the user can change */
    unsigned codes;    /* bit 1 << code: limits of such kinds are taken off */
    /** Does any mapping fit? Fills the three below. */
    sc_status (*look)(struct sc_blocked *);
    bool fits, decided; /* decided: not given up after too much work; else fits is false */
    sc_mapping mapping; /* one that fits */
} sc_blocked;

/**
 * Begin with all limits on. Tensors that the design makes a level keep, or not keep, are told as if
 * a constraint did.
 * @param limits  NULL: none.
 */
void sc_blocked_init(sc_blocked *s, const sc_einsum *e, const sc_arch *a,
                     const sc_map_constraints *limits);

/**
 * The set: with all other limits gone there is no mapping, with any one of it gone as well there
 * is. There may be several; what is taken off last is likelier told. Where looking gives up, a
 * limit is named that may not be needed.
 * @param[out] n  how many; 0: some mapping fits, or the space is too large to tell.
 * @return SC_OK, or what look() returns.
 */
sc_status sc_blockers_find(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, sc_blocked *s) SC_MUST_USE;
#endif
