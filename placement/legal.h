#ifndef PLACEMENT_LEGAL_H
#define PLACEMENT_LEGAL_H
/** Whether a placement keeps the rules, looked at apart from any placer. */
#include "placement/rules.h"

typedef enum sc_violation_kind {
    SC_VIOLATION_OUTSIDE,      /* a hard macro reaches out of the canvas */
    SC_VIOLATION_OVERLAP,      /* two hard macros overlap */
    SC_VIOLATION_BLOCKED,      /* a hard macro stands on a blockage of rate 1 */
    SC_VIOLATION_SOFT_OUTSIDE, /* the centre of a soft macro is outside: its nets would not count */
    SC_VIOLATION_HALO,        /* less than the halos or the spacing between two hard macros, or of a
                                 macro and a blockage or the edge */
    SC_VIOLATION_REGION,      /* a macro out of its region */
    SC_VIOLATION_ORIENTATION, /* a hard macro turned as it may not be */
    SC_VIOLATION_MOVED,       /* a macro that the rules fix at a place is not there */
    SC_VIOLATION_KINDS
} sc_violation_kind;

extern const char *const sc_violation_names[SC_VIOLATION_KINDS];

typedef struct sc_violation {
    sc_violation_kind kind;
    uint32_t block;
    uint32_t
        other;     /* the other block, or the number of the blockage from 0, those of the rules that
                      the canvas has not behind its own; of a halo SC_NO_BLOCK
                      if it is no block's */
    double amount; /* area in um2; of a soft macro, a halo, a region and a moved one the distance in
                      um */
} sc_violation;

/**
 * All violations by more than the canvas's overlap threshold. Of rules NULL asks nothing more.
 * @param[out] out  heap, to be freed with sc_free(); NULL if there is none.
 * @return SC_OK; SC_ENOMEM. Cost: O(n log n) and the pairs that meet along x.
 */
sc_status sc_legal_check(sc_violation **out, size_t *n, const sc_netlist *list,
                         const sc_canvas *canvas, const sc_place_rules *rules,
                         const sc_spot *spot) SC_MUST_USE;
#endif
