#ifndef SCANTLE_PLACE_H
#define SCANTLE_PLACE_H
/**
 * @file scantle/place.h
 * @brief Macro placement: netlists, placements, and what a placement costs.
 *
 * The cost is a proxy: its published rank correlation with figures after routing is weak
 * (wirelength 0.26, worst slack 0.20; Cheng et al., ISPD 2023, doi:10.1145/3569052.3578926).
 */
#include <stdint.h>

#include "scantle/error.h"
#include "scantle/run.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_netlist sc_netlist;     /**< immutable; shared by threads */
typedef struct sc_placement sc_placement; /**< where the blocks of a netlist stand */

/**
 * Read a netlist: text protobuf of Circuit Training (docs/formats/netlist.md), gzip too.
 * @return SC_OK; SC_EPARSE with file, line and column of every fault (no such form, a name given
 *         twice, a pin or a net of what is not there, a size that is not positive, NaN);
 *         SC_ENOTFOUND; SC_EIO; SC_ENOMEM. *out untouched on failure. Cost: O(bytes), at most
 *         1 GiB. Memory: the text and about 200 bytes a node.
 */
SC_API sc_status sc_netlist_open(sc_netlist **out, const char *path) SC_MUST_USE;
SC_API void sc_netlist_destroy(sc_netlist *netlist); /**< NULL is fine */

/**
 * Read a placement: .plc of Circuit Training (docs/formats/plc.md), gzip too. Blocks that it does
 * not name stand where the netlist says. Costs in its heading are not read.
 * @return as sc_netlist_open(); SC_EPARSE also for an index that is no block of the netlist, a
 *         block placed twice or nowhere, and a heading without canvas or grid.
 */
SC_API sc_status sc_placement_open(sc_placement **out, const sc_netlist *netlist,
                                   const char *path) SC_MUST_USE;
SC_API void sc_placement_destroy(sc_placement *placement); /**< NULL is fine */

/** A canvas for a netlist without a placement. */
typedef struct sc_canvas_options {
    uint32_t version;
    double width_um, height_um; /**< 0: the box that the ports stand around, else a square */
    uint32_t columns,
        rows;           /**< of the grid; 0: 24 along the longer side, cells as good as square */
    double utilization; /**< area of all blocks over that of such a square */
} sc_canvas_options;
#define SC_CANVAS_OPTIONS_VERSION 1
#define SC_CANVAS_OPTIONS_INIT                                                                     \
    {                                                                                              \
        SC_CANVAS_OPTIONS_VERSION, 0, 0, 0, 0, 0.7                                                 \
    }
/** NULL if the options can be used, else why not. */
SC_API const char *sc_canvas_options_check(const sc_canvas_options *options);

/**
 * A placement to begin with: blocks where the netlist says, others in the middle, ports without a
 * place around the edge. Tracks are those of Circuit Training (docs/formats/plc.md).
 * @return SC_OK; SC_EINVAL if the options do not check; SC_ENOMEM. Cost: O(blocks).
 */
SC_API sc_status sc_placement_create(sc_placement **out, const sc_netlist *netlist,
                                     const sc_canvas_options *options) SC_MUST_USE;

/** What is asked of a legal placement beyond no overlap and nothing outside: halos, spacing,
 *  regions, orientations, blockages, fixed and pre-placed macros
 *  (docs/formats/placement_constraints.md). */
typedef struct sc_place_rules sc_place_rules;

/** Rules that ask nothing yet. @return SC_OK; SC_ENOMEM. */
SC_API sc_status sc_place_rules_create(sc_place_rules **out, const sc_netlist *netlist) SC_MUST_USE;
/**
 * Read rules from YAML.
 * @return SC_OK; SC_EPARSE with file, line and column of every fault (a macro or region that is not
 *         there, a length below 0, an unknown key); SC_ENOTFOUND; SC_EIO; SC_ENOMEM. *out untouched
 *         on failure. Cost: O(entries * blocks).
 */
SC_API sc_status sc_place_rules_open(sc_place_rules **out, const sc_netlist *netlist,
                                     const char *path) SC_MUST_USE;
SC_API void sc_place_rules_destroy(sc_place_rules *rules); /**< NULL is fine */
/** Halo of every hard macro whose own rule gives none, um: to each side along x and along y at
 *  orientation N. Halos of neighbours add. @return SC_OK; SC_EINVAL if one is not a number of at
 *  least 0. */
SC_API sc_status sc_place_rules_halo(sc_place_rules *rules, double x_um, double y_um) SC_MUST_USE;
/** Least gap between hard macros along x or along y, um; half of it belongs to each, where its halo
 *  is less. @return as sc_place_rules_halo(). */
SC_API sc_status sc_place_rules_spacing(sc_place_rules *rules, double x_um,
                                        double y_um) SC_MUST_USE;
/** Whether hard macros without orientations of their own may turn by 90 degrees. */
SC_API void sc_place_rules_rotate(sc_place_rules *rules, int rotate);
/** Put pre-placed macros where the rules say, fix what they fix, and add their blockages to the
 *  canvas. Once a placement. @return SC_OK; SC_EINVAL if it is of another netlist; SC_ENOMEM. */
SC_API sc_status sc_place_rules_apply(const sc_place_rules *rules,
                                      sc_placement *placement) SC_MUST_USE;

/** How the three costs make one, the grid of congestion, and the rules. */
typedef struct sc_place_options {
    uint32_t version;
    double wirelength_weight, density_weight, congestion_weight; /**< each at least 0 */
    uint32_t congestion_columns, congestion_rows;                /**< 0 = those of density */
    const sc_place_rules *rules; /**< of a legal placement; NULL: no more than no overlap */
} sc_place_options;
#define SC_PLACE_OPTIONS_VERSION 2
#define SC_PLACE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        SC_PLACE_OPTIONS_VERSION, 1.0, 0.5, 0.5, 0, 0, NULL                                        \
    }
/** NULL if the options can be used, else why not. */
SC_API const char *sc_place_options_check(const sc_place_options *options);

typedef struct sc_place_cost {
    double hpwl_um; /**< half perimeters of all nets, each times its weight */
    double wirelength, density, congestion;
    double proxy; /**< their weighted sum */
} sc_place_cost;

/**
 * Count the costs of a placement.
 * Reference: Mirhoseini et al., Nature 594, 2021, doi:10.1038/s41586-021-03544-w; the rules its
 * binary follows, docs/algorithms/placement_cost.md.
 * @return SC_OK; SC_EINVAL if the options do not check; SC_ENOMEM.
 * Threads: safe. Cost: O(pins + nets * side of the grid).
 */
SC_API sc_status sc_place_cost_of(sc_place_cost *out, const sc_netlist *netlist,
                                  const sc_placement *placement,
                                  const sc_place_options *options) SC_MUST_USE;

/**
 * The same as a JSON document, with every violation of the rules of a legal placement (a hard macro
 * outside the canvas, on another one or on a blockage; a soft macro's centre outside) by name and
 * amount. Free with sc_release().
 */
SC_API sc_status sc_place_score_json(char **out, const sc_netlist *netlist,
                                     const sc_placement *placement,
                                     const sc_place_options *options) SC_MUST_USE;
/** Where a placer begins. */
typedef enum sc_place_start {
    SC_PLACE_GIVEN,   /**< where the placement stands */
    SC_PLACE_SPIRAL,  /**< hard macros along a spiral from the edge inwards */
    SC_PLACE_ANALYTIC /**< least quadratic wirelength, spread; docs/algorithms/analytic_start.md */
} sc_place_start;

/** What a placer shows while it works. */
typedef struct sc_place_progress {
    sc_progress run;    /**< moves of all chains; best is the proxy cost */
    sc_place_cost best; /**< its parts */
    double accepted;    /**< share of the moves */
    double temperature; /**< of the chain that has the best, in units of the proxy cost */
} sc_place_progress;

/** Called between moves from the thread that called the placer; non-zero = stop now. */
typedef int (*sc_place_progress_fn)(const sc_place_progress *p, void *payload);

/** A budget of a placer, and who watches. Moves, seconds or both; what is spent first ends it. */
typedef struct sc_place_run {
    uint32_t version;
    uint64_t seed;
    uint64_t moves;                /**< tried by each chain; 0 = no limit */
    double seconds;                /**< wall clock, without the start; 0 = no limit */
    sc_place_progress_fn progress; /**< may be NULL */
    void *payload;
    sc_place_start start; /**< but for what is fixed */
    uint32_t chains;      /**< that anneal side by side from one start; the best placement counts */
    int threads;          /**< 0 = all cores; the result does not depend on it */
    const char *state;    /**< a file that the run is kept in every ten seconds and at its end, and
                               goes on from if it is there; NULL: none */
} sc_place_run;
#define SC_PLACE_RUN_VERSION 2
#define SC_PLACE_RUN_INIT                                                                          \
    {                                                                                              \
        SC_PLACE_RUN_VERSION, 1, 0, 60, NULL, NULL, SC_PLACE_GIVEN, 1, 0, NULL                     \
    }
/** NULL if the budget can be used, else why not. */
SC_API const char *sc_place_run_check(const sc_place_run *run);

typedef struct sc_place_outcome {
    sc_stop stop;
    sc_place_cost start, best; /**< of the legalised start; of what the placement is now */
    uint64_t moves, accepted;  /**< of all chains */
    uint32_t chain;            /**< that met the best placement, from 0 */
    double seconds;            /**< of all parts of a run that was kept */
    double legalised_um;       /**< how far hard macros went to make the start legal, in sum */
    uint64_t violations;       /**< rules of a legal placement that fixed blocks break */
} sc_place_outcome;

/**
 * Place by simulated annealing, from where a placement stands: legalised, then hard and soft macros
 * moved together (docs/algorithms/annealing.md). Fixed blocks stay.
 * @param placement  changed to the best placement met, also when it is stopped; untouched on
 * failure and if no legal start was found.
 * @param[out] why   a text if there is no legal start (free with sc_release()): which macro has no
 *                   place, with sizes; else NULL.
 * @return SC_OK, also if there is no legal start; SC_EINVAL if options or budget do not check, or
 *         run->state is of another run; SC_EPARSE if that file is damaged; SC_EIO; SC_ENOMEM.
 *         Determinism: by seed if the budget is in moves alone, for any number of threads, also of
 * a run that was stopped or killed and goes on from its state. Memory: some 100 bytes a pin and
 * chain.
 */
SC_API sc_status sc_place_anneal(sc_placement *placement, sc_place_outcome *out, char **why,
                                 const sc_netlist *netlist, const sc_place_options *options,
                                 const sc_place_run *run) SC_MUST_USE;

/** Write a placement as .plc, whole or not at all; read back it is the same to the last bit. Costs
 *  are in its heading. @return SC_OK; the statuses of sc_file_write(); SC_ENOMEM. */
SC_API sc_status sc_placement_write(const sc_placement *placement, const sc_netlist *netlist,
                                    const char *path) SC_MUST_USE;

/** Files that chip flows read placements from (docs/formats/placement_out.md). */
typedef enum sc_flow_format {
    SC_FLOW_OPENROAD, /**< Tcl, place_macro of each hard macro */
    SC_FLOW_INNOVUS,  /**< Tcl, placeInstance of each hard macro */
    SC_FLOW_BOOKSHELF /**< .pl, every block */
} sc_flow_format;

/**
 * Write a placement for a chip flow, whole or not at all: lower left corners of the boxes as they
 * are turned, um.
 * @return SC_OK; SC_EINVAL if the placement is of another netlist, or a name has a character that
 *         the format has no form for; the statuses of sc_file_write(); SC_ENOMEM.
 * Threads: safe. Cost: O(blocks).
 */
SC_API sc_status sc_placement_write_flow(const sc_placement *placement, const sc_netlist *netlist,
                                         sc_flow_format format, const char *path) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
