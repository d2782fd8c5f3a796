#ifndef SCANTLE_REFERENCE_H
#define SCANTLE_REFERENCE_H
/**
 * @file scantle/reference.h
 * @brief Score a mapping given in the YAML of the public reference tool, by that tool's own rules.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_reference_options {
    uint32_t version;
    /** Older reuse rule: a step on which a tile stands still also counts as a stride, so sliding
     *  windows lose their reuse around a stationary loop. Figures published before 2025 used it. */
    int reuse_pre_2025;
    /** Words that neighbours hand on: "reference" (also NULL; numbered as that tool does), "true"
     *  (children at their real places on the mesh) or "none". */
    const char *links;
    int charge_drain;       /**< also charge the read that takes finished outputs out of a level */
    const char *ert_path;   /**< energy reference table; NULL: an ERT section, else the built-in */
    const char *macro_path; /**< file whose `macro` section binds names to sizes; may be NULL */
} sc_reference_options;
#define SC_REFERENCE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        1, 0, NULL, 0, NULL, NULL                                                                  \
    }

/**
 * Count and cost one mapping.
 *
 * The three paths may name one file; each is searched for its own section (architecture, problem,
 * mapping), all for ERT and macro. Warnings go to the log. What fits is reported as
 *
 *     {"feasible": true, "problem", "cycles", "compute_cycles", "bound", "energy_pj",
 *      "mac_energy_pj", "macs", "utilized_macs", "utilization",
 *      "levels": [{"name", "cycles", "instances", "utilized_instances", "capacity",
 *                  "total_capacity", "energy_pj", "leak_pj",
 *                  "tensors": [{"name", "tile", "reads", "fills", "updates", "instances",
 *                               "energy_pj"}]}]}
 *
 * levels outermost first, of each the tensors it keeps. Counts are words per used instance,
 * energies of all instances, capacity words of one instance and total_capacity of all (null: no
 * limit). What does not fit is
 *
 *     {"feasible": false, "reasons": [{"code", "where", "need", "have", "excess"}],
 *      "cycles": null, "energy_pj": null}
 *
 * @param[out] json      free with sc_release(); untouched on failure.
 * @param[out] feasible  1 or 0; NULL is fine; untouched on failure.
 * @param      o         NULL = defaults.
 * @return SC_OK, fitting or not; SC_EPARSE with every error of all files as file:line:column;
 *         SC_EINVAL for an unknown option or a missing path; SC_ENOTFOUND, SC_EIO; SC_ERANGE if a
 *         count passes 2^63 - 1; SC_ENOMEM.
 * Threads: safe. Cost: linear in the files; independent of the PEs.
 */
SC_API sc_status sc_reference_map(char **json, int *feasible, const char *architecture_path,
                                  const char *problem_path, const char *mapping_path,
                                  const sc_reference_options *o) SC_MUST_USE;

/**
 * The same mapping as an SVG, 1000 px wide: levels, loops, tiles and what moves between them.
 * @param[out] svg  free with sc_release(); untouched on failure.
 * @return as sc_reference_map(); SC_EINVAL for a mapping that does not fit.
 */
SC_API sc_status sc_reference_picture(char **svg, const char *architecture_path,
                                      const char *problem_path, const char *mapping_path,
                                      const sc_reference_options *o) SC_MUST_USE;

/** The same mapping as loops, outermost first, with the tiles, loads and reuse of each level.
 *  Otherwise as sc_reference_picture(). */
SC_API sc_status sc_reference_loops(char **text, const char *architecture_path,
                                    const char *problem_path, const char *mapping_path,
                                    const sc_reference_options *o) SC_MUST_USE;

typedef struct sc_reference_best_options {
    uint32_t version;
    const char *objective; /**< "edp" (also NULL), "energy", "delay" or "ed2p" */
    uint64_t node_budget;  /**< partial mappings looked at; 0: until proved */
    int timing;            /**< also report the seconds spent, which differ from run to run */
    int loops, picture;    /**< also make these texts */
    int imperfect;         /**< factors need not divide, last iterations are smaller */
} sc_reference_best_options;
#define SC_REFERENCE_BEST_OPTIONS_INIT                                                             \
    {                                                                                              \
        1, NULL, 0, 0, 0, 0, 0                                                                     \
    }

/** What the search for the best mapping makes; NULL: not asked for, or nothing fits. */
typedef struct sc_reference_best {
    char *report;  /**< JSON, see sc_reference_find() */
    char *loops;   /**< as sc_reference_loops() */
    char *picture; /**< as sc_reference_picture() */
    int feasible;
} sc_reference_best;

/**
 * Find the mapping of a problem on an architecture with the least objective, and prove it.
 *
 * All perfect factors, loop orders, spatial splits and bypasses are searched that capacities,
 * meshes and the constraints of the files allow. The report is that of sc_reference_map() with
 *
 *     "objective", "value", "lower_bound", "optimal", "gap", "nodes", "evaluations", "mapping",
 *     "map_space":{"mappings","exact"}
 *
 * where no mapping has less than lower_bound, in pJ, cycles, pJ*cycles or pJ*cycles^2, gap is value
 * / lower_bound - 1 (null: no lower bound), and mapping is the list that sc_reference_map() reads
 * back. map_space is how many mappings there are before capacities: an integer where exact, a real
 * past 2^63, null where counting takes too long. If nothing fits, reasons are limits that together
 * rule out every mapping, and none of which could be left out: code "capacity" (words), "factor",
 * "keep" or "bypass" (1 yes, 0 no); have is what the limit is, with need something would fit.
 *
 * With b->imperfect also factors that multiply to more than a bound are searched, without an idle
 * iteration of the outermost loop, and all is counted without links between neighbours. "optimal"
 * is true only where a walk of all such mappings, or the lower bound, proves it. Instead of
 * map_space the report has
 * "imperfect":{"walked","perfect_value","perfect_optimal","links_left_out"}: the least objective of
 * perfect factors so counted (null: none fits), and whether the architecture has children side by
 * side and rules of links that were left out.
 * @param[out] out  free with sc_reference_best_clear(); untouched on failure.
 * @param      o, b  NULL = defaults.
 * @return as sc_reference_map(); SC_EINVAL also for an unknown objective; SC_ERANGE also where a
 *         dimension has too many divisors to be searched exactly.
 * Threads: safe. Determinism: a function of files and options, timing left out. Cost: milliseconds
 * to seconds, docs/algorithms/exact_mapper.md.
 */
SC_API sc_status sc_reference_find(sc_reference_best *out, const char *architecture_path,
                                   const char *problem_path, const sc_reference_options *o,
                                   const sc_reference_best_options *b) SC_MUST_USE;
SC_API void sc_reference_best_clear(sc_reference_best *b); /**< NULL is fine */

/** What an import makes; each text is NULL where there is none. */
typedef struct sc_reference_export {
    char *report;      /**< JSON, see sc_reference_import() */
    char *platform;    /**< docs/formats/template.md */
    char *energies;    /**< energy table that the platform names, as energies.yaml beside it */
    char *network;     /**< docs/formats/workload.md: one op */
    char *mapping;     /**< docs/formats/mapping.md: of that op on that platform */
    char *constraints; /**< docs/formats/constraints.md: of mappings of that op */
} sc_reference_export;

/**
 * Read files of the reference tool and write what they hold in our forms.
 *
 * Versions 0.2, 0.3 and 0.4 and the oldest form are read; sections may stand in any of the files.
 * An architecture or a problem is needed; a mapping, constraints, names (`macro`, `variables`) and
 * tables of energy and area (ERT, ART) may be there. What our forms cannot hold is told by name
 * under `assumptions`, and stands as a comment in the texts. The report is
 *
 *     {"files": [], "problem", "macs", "dimensions": [{"name", "bound"}],
 *      "tensors": [{"name", "role", "elements"}],
 *      "levels": [{"name", "instances", "capacity_words", "total_words", "word_bits",
 *                  "block_words", "cluster_size", "fanout_x", "fanout_y"}], "compute": {"name",
 * "instances"}, "constraints", "mapping", "energy_table", "counts", "assumptions": [], "warnings":
 * []}
 *
 * with null for what the files do not have; counts is the report of sc_reference_map() for the
 * mapping.
 * @param[out] out   free with sc_reference_export_clear(); untouched on failure.
 * @param      paths [n_paths] files, or folders, whose YAML files are read, those below too.
 * @return as sc_reference_map(). Threads: safe. Cost: linear in the files.
 */
SC_API sc_status sc_reference_import(sc_reference_export *out, const char *const *paths,
                                     size_t n_paths) SC_MUST_USE;
SC_API void sc_reference_export_clear(sc_reference_export *e); /**< NULL is fine */
#ifdef __cplusplus
}
#endif
#endif
