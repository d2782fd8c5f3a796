#ifndef MODEL_COUNT_CONSTRAINTS_H
#define MODEL_COUNT_CONSTRAINTS_H
/** What a user asks of every mapping of one op on one design, and whether a mapping obeys. */
#include "model/count/mapping.h"

/** What is asked of one block of loops. Loops of factor 1 stand anywhere. */
typedef struct sc_loop_limits {
    uint64_t fixed[SC_MAX_DIMS]; /* 0 = free */
    uint64_t min[SC_MAX_DIMS];   /* 1 = none */
    uint64_t max[SC_MAX_DIMS];   /* 0 = none */
    uint8_t order[SC_MAX_DIMS];
    uint8_t n_inner, n_outer; /* order[0..n_inner) are the innermost loops innermost first,
                                 order[SC_MAX_DIMS - n_outer ..) the outermost ones, the last of
                                 them outermost; a dimension stands at most once */
    uint16_t order_total;     /* whether order gives all */
} sc_loop_limits;

/** What is asked of one level. */
typedef struct sc_level_limits {
    sc_loop_limits temporal, spatial;
    int split; /* -1 free; else the first `split` dimensions of the spatial order, those of factor 1
                  counted, lie on X and the rest on Y */
    uint8_t must_keep, must_bypass; /* bit 1 << tensor */
    bool no_links;                  /* instances pass nothing to their neighbours */
    bool no_multicast;              /* each instance is sent its own copy */
} sc_level_limits;

/** Level 0 is the outermost, as in sc_arch. Dimensions and tensors are those of one einsum. */
typedef struct sc_map_constraints {
    uint8_t n_levels;
    sc_level_limits level[SC_MAX_LEVELS];
} sc_map_constraints;

/** Nothing constrained. @param n_levels  at most SC_MAX_LEVELS. */
void sc_map_constraints_init(sc_map_constraints *c, unsigned n_levels);

/** Dimensions by the place they are given in a block, from the innermost: 0 .. n_inner - 1, then
 * all that are given none as one, then the outer ones. Loops obey if their ranks never fall. */
void sc_loop_ranks(uint8_t rank[SC_MAX_DIMS], const sc_loop_limits *limits);

/** How a mapping breaks what was asked. */
typedef enum sc_breach_code {
    SC_OBEYS = 0,
    SC_BREACH_FACTOR, /* the factor is `have`, asked for is `need` */
    SC_BREACH_MIN,    /* the factor is `have`, less than `need` */
    SC_BREACH_MAX,    /* the factor is `have`, more than `need` */
    SC_BREACH_ORDER,  /* the dimension's loop stands `have` loops from the innermost, counted from 0
                         among those of a factor above 1; asked for is `need` */
    SC_BREACH_SPLIT,  /* the loop lies on axis `have`, asked for is `need` (0 = X, 1 = Y); dim = -1:
                         `have` dimensions lie on X; at most `need` may or, if have < need, at
                         least so many must */
    SC_BREACH_KEEP,   /* the level must keep the tensor: need 1, have 0 */
    SC_BREACH_BYPASS  /* the level must let it pass: need 0, have 1 */
} sc_breach_code;

typedef struct sc_breach {
    sc_breach_code code;
    int level, dim, tensor; /* dim and tensor: -1 if the breach is not of one */
    bool spatial;           /* of factors and order: of the spatial block */
    uint64_t need, have;
} sc_breach;

const char *sc_breach_name(sc_breach_code c); /* "obeys", "factor", "min", ... */

/**
 * The first breach: levels outermost first; in each kept tensors, then factors by dimension and
 * order of the temporal block, then those of the spatial one and its split. no_links and
 * no_multicast say how a mapping is counted and are never broken by one.
 * @param c  as many levels as m, whose dimensions and tensors are in range (sc_mapping_check).
 * @return SC_OBEYS if there is none. Allocates nothing.
 */
sc_breach sc_map_constraints_check(const sc_map_constraints *c, const sc_mapping *m,
                                   const sc_einsum *e);

/** Whether a spatial block has the order and the split that are asked for; factors aside. */
bool sc_map_constraints_places(const sc_level_limits *limits, const sc_block *b,
                               const sc_einsum *e);
#endif
