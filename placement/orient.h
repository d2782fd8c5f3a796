#ifndef PLACEMENT_ORIENT_H
#define PLACEMENT_ORIENT_H
/**
 * The eight orientations of a macro, named as LEF/DEF names them: N S W E and their mirror images
 * FN FS FW FE. W and E, FW and FE turn by 90 degrees: width and height change places.
 */
#include <stdbool.h>

typedef enum sc_orient {
    SC_ORIENT_N,
    SC_ORIENT_FN,
    SC_ORIENT_S,
    SC_ORIENT_FS,
    SC_ORIENT_E,
    SC_ORIENT_FE,
    SC_ORIENT_W,
    SC_ORIENT_FW,
    SC_ORIENTS
} sc_orient;

extern const char *const sc_orient_names[SC_ORIENTS];

/** What an offset from the centre at N becomes: x' = xx x + xy y, y' = yx x + yy y. */
typedef struct sc_turn {
    double xx, xy, yx, yy;
} sc_turn;
extern const sc_turn sc_turns[SC_ORIENTS];

/** Whether width and height change places. */
static inline bool sc_orient_is_turned(sc_orient o)
{
    return o >= SC_ORIENT_E;
}

/** @return false if no orientation has that name. */
bool sc_orient_of_name(sc_orient *out, const char *name);
#endif
