#ifndef SCANTLE_FLOORPLAN_H
#define SCANTLE_FLOORPLAN_H
/**
 * @file scantle/floorplan.h
 * @brief From a design to a netlist of macros that can be placed, and what a placement of it says
 * about the design: wirelength by bus, congestion, area beside the analytic one.
 */
#include "scantle/design.h"
#include "scantle/place.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_floorplan sc_floorplan; /**< immutable; shared by threads */

typedef struct sc_floorplan_options {
    uint32_t version;
    double utilization;     /**< area of all blocks over that of the canvas, above 0, at most 1 */
    double aspect;          /**< width over height of the canvas, 1/16 to 16 */
    uint32_t macros;        /**< at most about so many hard macros, 2 to 100000 */
    uint64_t bank_bytes;    /**< of one SRAM macro, more where macros would be too many */
    double h_routes_per_um; /**< tracks there are, as in a .plc */
    double v_routes_per_um;
    double h_routes_macro; /**< tracks a hard macro takes */
    double v_routes_macro;
} sc_floorplan_options;
#define SC_FLOORPLAN_OPTIONS_VERSION 1
/** Banks as TPUv4i's 128 MiB in 128 blocks [R]; tracks of all netlists that Cheng et al., ISPD
 * 2023, published, whatever the node. */
#define SC_FLOORPLAN_OPTIONS_INIT                                                                  \
    {                                                                                              \
        SC_FLOORPLAN_OPTIONS_VERSION, 0.75, 1.0, 300, 1048576, 57.031, 56.818, 39.583, 30.303      \
    }
/** NULL if the options can be used, else why not. */
SC_API const char *sc_floorplan_options_check(const sc_floorplan_options *options);

/**
 * Derive macros and buses of a design: SRAM banks, arrays, lanes, memory interfaces on the edges,
 * the rest as soft macros; where there would be too many, neighbouring PEs as one tile
 * (docs/algorithms/floorplan.md). Areas add up to the design's.
 * @return SC_OK; SC_EINVAL if the options do not check; SC_ENOMEM; *out untouched on failure.
 * Cost: O(macros). Threads: safe. Determinism: a pure function of its inputs.
 */
SC_API sc_status sc_floorplan_create(sc_floorplan **out, const sc_design *design,
                                     const sc_floorplan_options *options) SC_MUST_USE;
SC_API void sc_floorplan_destroy(sc_floorplan *plan); /**< NULL is fine */
/** What is to be placed; borrowed, lives as long as the floorplan. */
SC_API const sc_netlist *sc_floorplan_netlist(const sc_floorplan *plan);
/** The canvas and a first place for each block, in general not a legal one: PEs in their mesh,
 *  interfaces fixed on the left and right edges. @return SC_OK; SC_ENOMEM. */
SC_API sc_status sc_floorplan_start(sc_placement **out, const sc_floorplan *plan) SC_MUST_USE;
/** Write the netlist (docs/formats/netlist.md), whole or not at all. @return SC_OK; the statuses of
 *  sc_file_write(). */
SC_API sc_status sc_floorplan_write(const sc_floorplan *plan, const char *path) SC_MUST_USE;
/**
 * A placement of it as JSON: areas (analytic, canvas, box around what is placed), macros, costs,
 * legality, and of each kind of bus its number, bits, mean and longest length in um, wire in
 * bit mm, and its power in W if every wire toggled at the design's peak rate.
 * Free with sc_release(). @return SC_OK; SC_EINVAL if the options do not check; SC_ENOMEM.
 */
SC_API sc_status sc_floorplan_json(char **out, const sc_floorplan *plan,
                                   const sc_placement *placement,
                                   const sc_place_options *options) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
