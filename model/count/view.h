#ifndef MODEL_COUNT_VIEW_H
#define MODEL_COUNT_VIEW_H
/** One mapping as people read it: its loops as text, and a picture of its levels, tiles and moves.
 *  Every figure is a count of the engine or follows from them as stated here. */
#include <stdbool.h>

#include "core/buf.h"
#include "model/count/count.h"

/** How sure it is that no other mapping is better. */
typedef struct sc_certificate {
    const char *goal;     /* what was minimised: "cycles", "energy", ... */
    double value, bound;  /* of the goal; no mapping of the op has less than the bound */
    bool optimal;         /* proved: nothing is better than value */
    uint64_t nodes;       /* partial mappings looked at, 0 = none */
    uint64_t evaluations; /* whole mappings counted */
    double seconds;       /* time spent; NaN = not measured */
} sc_certificate;

/** By how much the value may be above the best, as a share: value / bound - 1; 0 if proved. */
double sc_certificate_gap(const sc_certificate *c);
/** "optimal" or "gap 2.8 %". @return out. */
const char *sc_certificate_text(char out[32], const sc_certificate *c);

/** What is shown; everything borrowed. The mapping fits, and counts and cost are of it. */
typedef struct sc_mapping_view {
    const char *op, *design;
    const sc_einsum *einsum; /* whose bounds the factors multiply to */
    const sc_arch *arch;
    const sc_mapping *mapping;
    const sc_counts *counts;
    const sc_cost *cost;
    double cycles;         /* of the op; more than cost->cycles where something else takes time */
    double compute_cycles; /* of the MACs alone */
    double utilization;    /* useful MACs over cycles x MAC units built */
    const char *dataflow;  /* of the array; NULL = no array */
    const sc_certificate *certificate; /* NULL = none */
} sc_mapping_view;

/** One tensor at one level that keeps it: per used instance, on average. */
typedef struct sc_tile_view {
    uint64_t words, bytes;
    double share;    /* of the room the level has for it; NaN = no limit */
    uint64_t loads;  /* tiles held one after another: the steps of the temporal loops further out,
                        without those inside which the tile stays the same */
    uint64_t moved;  /* words brought in from further out (fills); of the output, words handed on
                        outwards (loads * words); at the outermost level that keeps it, the tile */
    uint64_t served; /* reads; of the output, updates */
    double reuse;    /* served / moved */
} sc_tile_view;

/** @param level  one that keeps the tensor. */
void sc_tile_view_of(sc_tile_view *out, const sc_mapping_view *v, int level, int tensor);

/** The next level inside that keeps the tensor; n_levels: the MACs. level = -1: the outermost. */
int sc_next_keeper(const sc_mapping_view *v, int level, int tensor);

/** Words between a level that keeps a tensor and the next one inside; of all used instances. */
typedef struct sc_link_view {
    int to;       /* sc_next_keeper() */
    double outer; /* at the outer level: reads; of the output, updates */
    double inner; /* at the inner end: fills, or a word a MAC; of the output, what it hands on */
    double back;  /* partial sums of the output that come back in (fills); else 0 */
} sc_link_view;
void sc_link_view_of(sc_link_view *out, const sc_mapping_view *v, int level, int tensor);

/** Energy of a level, tensors and leakage, pJ. */
double sc_level_energy(const sc_mapping_view *v, int level);

/** "X", "Y" or "X and Y": where spatial loop i of a block lies. */
const char *sc_spatial_axis(const sc_block *b, int i);

/** A count in at most 7 characters: "12345", "1.23 M". @return out. */
const char *sc_count_text(char out[32], double count);
/** A factor in three digits: "1.5", "12.3 k". @return out. */
const char *sc_factor_text(char out[32], double factor);
/** A share of 1 in at most three digits: "12.5 %", "0.65 %", "< 0.1 %". @return out. */
const char *sc_share_text(char out[32], double share);

/** The loops as one would write them, with tiles, loads and reuse at every level. Loops of a single
 *  step are left out. */
void sc_view_loops(sc_buf *b, const sc_mapping_view *v);

/** The same as an SVG, 1000 px wide; free with sc_free. @return SC_OK or SC_ENOMEM. */
sc_status sc_view_picture(char **svg, const sc_mapping_view *v) SC_MUST_USE;
#endif
