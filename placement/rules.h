#ifndef PLACEMENT_RULES_H
#define PLACEMENT_RULES_H
/** What a user asks of a legal placement beyond no overlap: halos, spacing, regions, orientations.
 *  A NULL rule set asks nothing more. */
#include "placement/placement.h"

#define SC_NO_REGION UINT32_MAX

/** Orientations that do not turn by 90 degrees, and all eight, as bits. */
enum { SC_ORIENTS_UPRIGHT = 0x0f, SC_ORIENTS_TURNED = 0xf0, SC_ORIENTS_ALL = 0xff };

typedef struct sc_rect {
    double x0_um, y0_um, x1_um, y1_um;
} sc_rect;

/** What is asked of one block. */
typedef struct sc_rule {
    bool has_halo;     /* else the usual one */
    double halo_um[2]; /* left and right, below and above, at orientation N */
    uint8_t orients;   /* bit o: orientation o may be; 0: the usual ones */
    uint32_t region;   /* SC_NO_REGION: the whole canvas */
    bool has_at;       /* it stands at: */
    double at_um[2];   /* its centre */
    bool has_orient;
    sc_orient orient;
    signed char fixed; /* -1: as the start says */
} sc_rule;

struct sc_place_rules {
    size_t n_blocks;
    sc_rule *of; /* [n_blocks] */
    double halo_um[2], spacing_um[2];
    bool rotate; /* macros may turn by 90 degrees unless their own rule says otherwise */
    size_t n_regions, n_blockages;
    sc_rect *region;
    sc_blockage *blockage; /* besides those of the canvas */
};

/** Halo of a hard macro along the canvas's axes at an orientation, um. */
void sc_rules_halo(double halo[2], const sc_place_rules *rules, uint32_t block, sc_orient orient);
/** What a hard macro keeps to each side from other macros and blockages: its halo, and at least
 *  half of the spacing, um. */
void sc_rules_margin(double margin[2], const sc_place_rules *rules, uint32_t block,
                     sc_orient orient);
/** Orientations a hard macro may have, as bits; `start` gives the ones that do not turn it. */
uint8_t sc_rules_orients(const sc_place_rules *rules, uint32_t block, sc_orient start);
/** Where a block must lie: its region, or NULL. */
const sc_rect *sc_rules_region(const sc_place_rules *rules, uint32_t block);
/** Whether the canvas has the i-th blockage of the rules already. */
bool sc_rules_on_canvas(const sc_place_rules *rules, size_t i, const sc_canvas *canvas);
/** Whether a name is of a pattern, in which * stands for any text and ? for one character; a name
 *  that reads like the pattern always is. */
bool sc_rules_match(const char *pattern, const char *name);
/** As sc_place_rules_open(), from a text of n bytes; name stands in messages. */
sc_status sc_place_rules_parse(sc_place_rules **out, const sc_netlist *list, const char *name,
                               const char *text, size_t n) SC_MUST_USE;
#endif
