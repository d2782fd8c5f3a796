#ifndef MODEL_MAPPER_EXACT_SPACE_H
#define MODEL_MAPPER_EXACT_SPACE_H
/**
 * Inside the exact mapper: the map space of one op on one design. Extents of a tile are divisors of
 * the bounds, named by their index; a tile of all dimensions is a point of the lattice of divisors.
 */
#include "model/mapper/exact.h"

enum {
    SC_NO_DIVISOR = UINT16_MAX,
    SC_NO_COMPONENT = UINT8_MAX,
    SC_ALL_MASKS = 1 << SC_MAX_TENSORS
};

/** A dimension whose bound exceeds 1. */
typedef struct sc_xdim {
    unsigned dim; /* of the einsum */
    uint64_t bound;
    unsigned n;              /* divisors */
    const uint64_t *divisor; /* [n] ascending */
    const uint16_t *times;   /* [n][n]: index of the product, SC_NO_DIVISOR if it does not divide */
    const uint16_t *over;    /* [n][n]: index of the quotient, SC_NO_DIVISOR if there is none */
    size_t stride;           /* in the lattice */
} sc_xdim;

/** Indices of the divisors that are a tile's extents. */
typedef struct sc_shape {
    uint16_t at[SC_MAX_DIMS];
} sc_shape;

/** One tensor over the dimensions of the space. */
typedef struct sc_xtensor {
    uint16_t relevant; /* bit 1 << dimension */
    bool plain;        /* tiles of different indices are disjoint */
    bool dense;        /* plain, and a tile has no gaps */
    uint8_t n_ranks;
    sc_rank rank[SC_MAX_RANKS];
    /* Dimensions that share a rank, directly or by others, make a component: tiles can overlap, or
     * their movements cancel, along one of several dimensions only. */
    uint8_t component[SC_MAX_DIMS];
    uint16_t members[SC_MAX_DIMS]; /* of a component: bit 1 << dimension */
    uint8_t n_components;
    double words; /* of the whole tensor */
} sc_xtensor;

/** Energy of one word at one level, a block's share of it. */
typedef struct sc_word_pj {
    double read, write, update;
} sc_word_pj;

typedef struct sc_xlevel {
    uint64_t fan;      /* children built under one instance */
    uint8_t may, must; /* tensors, bit 1 << tensor: kept; of the outermost level must = all kept */
    double charged;    /* access energies a used instance, at least: clusters share one */
    unsigned n_sets;   /* of tensors that it may keep together */
    uint8_t set[SC_ALL_MASKS];
    double unit[SC_MAX_TENSORS]; /* of the bandwidths, a word */
    sc_word_pj pj[SC_MAX_TENSORS];
    double block[SC_MAX_TENSORS]; /* words of an access; below 1 as well */
} sc_xlevel;

typedef struct sc_space {
    const sc_einsum *e;
    const sc_arch *a;
    const sc_exact_options *o;
    const sc_map_constraints *limits; /* NULL: none */
    unsigned n_dims, n_tensors, output, n_levels;
    sc_xdim dim[SC_MAX_DIMS];
    sc_xtensor tensor[SC_MAX_TENSORS];
    sc_xlevel level[SC_MAX_LEVELS];
    size_t lattice; /* points */
    double macs, mac_pj;
    bool timed; /* some level has a bandwidth */
} sc_space;

/** Prepare. Memory comes from `arena`; e, a and o are kept. @return as sc_exact_map. */
struct sc_arena;
sc_status sc_space_init(sc_space *x, struct sc_arena *arena, const sc_einsum *e, const sc_arch *a,
                        const sc_exact_options *o) SC_MUST_USE;

/** Number of a tile in the lattice. */
static inline size_t sc_shape_index(const sc_space *x, const sc_shape *s)
{
    size_t i = 0;
    for (unsigned d = 0; d < x->n_dims; d++)
        i += s->at[d] * x->dim[d].stride;
    return i;
}

static inline uint64_t sc_shape_extent(const sc_space *x, const sc_shape *s, unsigned d)
{
    return x->dim[d].divisor[s->at[d]];
}

/** Whether a component has several dimensions: tiles of a tensor may overlap along it. */
static inline bool sc_is_window(const sc_xtensor *t, unsigned component)
{
    const uint16_t members = t->members[component];
    return (members & (members - 1)) != 0;
}

/** How many of a component's dimensions have a factor above 1. */
static inline unsigned sc_spread_along(const sc_xtensor *t, unsigned component,
                                       const sc_shape *factor)
{
    unsigned spread = 0;
    for (unsigned d = 0; t->members[component] >> d; d++)
        spread += t->members[component] >> d & 1 && factor->at[d] > 0;
    return spread;
}

/** Words of a tensor's tile. @param extent [n_dims]. */
double sc_space_words(const sc_xtensor *t, const double *extent);

/** Tensors that one instance of the level cannot hold together are told by the engine's own rule.
 *  @param words  [n_tensors] of the tiles; below 2^63. */
bool sc_space_fits(const sc_space *x, unsigned level, uint8_t keep, const double *words);

/** Whether constraints allow a factor. @param d  of the space. */
bool sc_space_allows(const sc_space *x, unsigned level, bool spatial, unsigned d, uint64_t factor);
#endif
