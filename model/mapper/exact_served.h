#ifndef MODEL_MAPPER_EXACT_SERVED_H
#define MODEL_MAPPER_EXACT_SERVED_H
/**
 * Inside the exact mapper: what neighbours leave to the parent at a step that moves the tile by
 * some vector, at best over all arrangements of the children. Remembered for one spatial choice.
 */
#include "model/mapper/exact_spatial.h"

/** At least, over all arrangements; shares of all children. */
typedef struct sc_served {
    bool any;      /* some neighbour hands something on; else the rest says what the parent does */
    double all;    /* groups; exactly */
    double groups; /* groups with a child that no neighbour serves */
    double alone;  /* children that no neighbour serves */
    double ratio;  /* such groups for one such child */
} sc_served;

/** @return NULL without memory. */
struct sc_served_memo *sc_served_create(void);
void sc_served_destroy(struct sc_served_memo *memo);
/** Forget all: another spatial choice begins. */
void sc_served_reset(struct sc_served_memo *memo);

/** Whether neighbours under a level can be looked at: not too many, and there is a memory. */
bool sc_served_known(const sc_grid_choice *g, unsigned level);

/**
 * At one movement. Only where sc_served_known().
 * @param by  [ranks of the tensor] how far the step takes the tile; all 0: it stands still.
 * Cost: O(arrangements * children) once, then a look-up.
 */
sc_served sc_served_at(const sc_space *x, const sc_grid_choice *g, unsigned level, unsigned tensor,
                       const sc_xtile *child, const double *by);

/** At any movement that loops outside the child can make; without a child's own tile the MACs'. */
sc_served sc_served_least(const sc_space *x, const sc_grid_choice *g, unsigned level,
                          unsigned tensor, const sc_xtile *child);
#endif
