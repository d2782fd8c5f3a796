#include "placement/orient.h"

#include <string.h>

const char *const sc_orient_names[SC_ORIENTS] = {"N", "FN", "S", "FS", "E", "FE", "W", "FW"};

const sc_turn sc_turns[SC_ORIENTS] = {
    [SC_ORIENT_N] = {1, 0, 0, 1},    /* (x, y) */
    [SC_ORIENT_FN] = {-1, 0, 0, 1},  /* (-x, y) */
    [SC_ORIENT_S] = {-1, 0, 0, -1},  /* (-x, -y) */
    [SC_ORIENT_FS] = {1, 0, 0, -1},  /* (x, -y) */
    [SC_ORIENT_E] = {0, 1, -1, 0},   /* (y, -x) */
    [SC_ORIENT_FE] = {0, -1, -1, 0}, /* (-y, -x) */
    [SC_ORIENT_W] = {0, -1, 1, 0},   /* (-y, x) */
    [SC_ORIENT_FW] = {0, 1, 1, 0},   /* (y, x) */
};

bool sc_orient_of_name(sc_orient *out, const char *name)
{
    for (int o = 0; o < SC_ORIENTS; o++) {
        if (strcmp(name, sc_orient_names[o]) == 0) {
            *out = (sc_orient)o;
            return true;
        }
    }
    return false;
}
