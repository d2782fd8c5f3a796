#ifndef MODEL_MAPPER_EXACT_CHOICE_H
#define MODEL_MAPPER_EXACT_CHOICE_H
/** Inside the exact mapper: the tables of one spatial choice, over the tiles that it leaves. */
#include "model/mapper/exact_spatial.h"

/** Memory for the tables of one choice after another. */
typedef struct sc_choice_tables {
    sc_tables tables;
    double *figures;
    size_t room;     /* of figures */
    uint32_t *index; /* of tables.offset, [levels][sum of divisors] */
} sc_choice_tables;

/** Tiles of a choice: what is left in time once the choice's factors are taken off the bounds. */
size_t sc_choice_tiles(const sc_space *x, const sc_grid_choice *g);

/**
 * Fill in the tables.
 * @param dead  energy of all fills and reads outside a tile with which no mapping can be best any
 *              more: tiles that need as much count as not fitting.
 * @return SC_OK; SC_ENOMEM. Cost: O(tiles * levels * sets^2 * dimensions).
 */
sc_status sc_choice_build(sc_choice_tables *c, const sc_space *x, const sc_grid_choice *g,
                          double dead) SC_MUST_USE;
void sc_choice_clear(sc_choice_tables *c);
#endif
