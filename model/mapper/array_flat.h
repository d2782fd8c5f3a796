#ifndef MODEL_MAPPER_ARRAY_FLAT_H
#define MODEL_MAPPER_ARRAY_FLAT_H
/**
 * Inside the exact mapper of systolic arrays: ops without windows, searched from the lanes on.
 * Dimensions that move the same tensors are a *class*: where each is the whole of a rank, every
 * cost depends on the products of a class's factors alone. Rules: docs/algorithms/array_mapper.md.
 */
#include "model/mapper/array.h"
#include "model/mapper/array_space.h"

enum {
    SC_FLAT_CLASSES = 7, /* sets of tensors that a dimension may move: three tensors */
    SC_FLAT_DIMS = 4,    /* of one class, at most */
    SC_FLAT_PLACES = SC_PLACE_DIAGONAL + 1,
    SC_FLAT_LANES = 8192,    /* of all classes in all places; 40 bytes each */
    SC_FLAT_VECTORS = 32768, /* 64 bytes each, and as many again while they are listed */
    SC_FLAT_SPLITS = 8192    /* remembered; 40 bytes each */
};

/** One way to lay the dimensions of a class on array and grid, and the steps that it leaves. */
typedef struct sc_flat_vector {
    uint16_t array[SC_FLAT_DIMS], grid[SC_FLAT_DIMS]; /* lanes */
    uint32_t steps[SC_FLAT_DIMS];
    uint32_t all_array, x, y; /* products: lanes of the array, of each axis of the grid */
    uint8_t on_y;             /* bit 1 << index of the dimension: its children stand on Y */
    double all_steps;
} sc_flat_vector;

/** Steps of a class that lanes leave, split: outside the innermost buffers and in them; products,
 *  and each dimension's outside. */
typedef struct sc_flat_split {
    double outer, inner;
    uint32_t of[SC_FLAT_DIMS]; /* outside; inside the least that covers the rest */
    uint32_t vector;           /* whose steps they are: index of sc_flat.vector */
} sc_flat_split;

/** All ways to lay a class that are alike in products. */
typedef struct sc_flat_lanes {
    uint32_t array, x, y;
    double steps;             /* the least of all of them */
    unsigned first, n;        /* in sc_flat.vector */
    unsigned split, n_splits; /* in sc_flat.split, fewest steps outside first; 0: no list */
} sc_flat_lanes;

/** All ways to lay a class, least padding first. */
typedef struct sc_flat_list {
    uint64_t array;    /* lanes of the array that they may take */
    unsigned first, n; /* in sc_flat.lanes */
} sc_flat_list;

typedef struct sc_flat {
    const sc_array_space *space;
    bool is;  /* the op has no windows, and all its ways to lay classes find room */
    bool all; /* splits that others of fewer or as many steps stand for are listed too */
    unsigned n_classes, n_dims[SC_FLAT_CLASSES], dim[SC_FLAT_CLASSES][SC_FLAT_DIMS];
    unsigned class_of[SC_MAX_DIMS];
    unsigned n_lists[SC_FLAT_CLASSES];
    sc_flat_list list[SC_FLAT_CLASSES][SC_FLAT_PLACES];
    unsigned n_lanes, n_vectors, n_splits;
    sc_flat_lanes lanes[SC_FLAT_LANES], spare_lanes[SC_FLAT_LANES];
    sc_flat_vector vector[SC_FLAT_VECTORS], spare_vector[SC_FLAT_VECTORS];
    sc_flat_split split[SC_FLAT_SPLITS], spare_split[SC_FLAT_SPLITS];
    uint32_t item[SC_FLAT_VECTORS], scratch[SC_FLAT_VECTORS];
} sc_flat;

/** Find the classes of the `n` dimensions `dim`; sets f->is. */
void sc_flat_init(sc_flat *f, const sc_array_space *s, const unsigned *dim, unsigned n);

/** The list of all ways to lay a class where its dimensions go to `place` of the array, made when
 *  it is first asked for. @param padding  those that pad steps and lanes to more than so many times
 *  the class are left out. @return NULL if there is no room. */
const sc_flat_list *sc_flat_list_lanes(sc_flat *f, unsigned c, sc_array_place place,
                                       double padding);

/** Forget all splits. @param all  sc_flat.all from now on. */
void sc_flat_forget_splits(sc_flat *f, bool all);

/** List the splits of lanes of each class, of `n`. They hold until the next call.
 *  @return false if there is no room for all of them. */
bool sc_flat_list_splits(sc_flat *f, sc_flat_lanes *const *lanes, unsigned n);
#endif
