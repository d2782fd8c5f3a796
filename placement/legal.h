#ifndef PLACEMENT_LEGAL_H
#define PLACEMENT_LEGAL_H
/** Whether a placement keeps the rules, looked at apart from any placer. */
#include "placement/placement.h"

typedef enum sc_violation_kind {
    SC_VIOLATION_OUTSIDE,      /* a hard macro reaches out of the canvas */
    SC_VIOLATION_OVERLAP,      /* two hard macros overlap */
    SC_VIOLATION_BLOCKED,      /* a hard macro stands on a blockage of rate 1 */
    SC_VIOLATION_SOFT_OUTSIDE, /* the centre of a soft macro is outside: its nets would not count */
    SC_VIOLATION_KINDS
} sc_violation_kind;

extern const char *const sc_violation_names[SC_VIOLATION_KINDS];

typedef struct sc_violation {
    sc_violation_kind kind;
    uint32_t block;
    uint32_t other; /* the other block, or the number of the blockage from 0 */
    double amount;  /* area in um2; of a soft macro the distance in um */
} sc_violation;

/**
 * All violations by more than the canvas's overlap threshold.
 * @param[out] out  heap, to be freed with sc_free(); NULL if there is none.
 * @return SC_OK; SC_ENOMEM. Cost: O(n log n) and the pairs that meet along x.
 */
sc_status sc_legal_check(sc_violation **out, size_t *n, const sc_netlist *list,
                         const sc_canvas *canvas, const sc_spot *spot) SC_MUST_USE;
#endif
