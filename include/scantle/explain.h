#ifndef SCANTLE_EXPLAIN_H
#define SCANTLE_EXPLAIN_H
/**
 * @file scantle/explain.h
 * @brief Why a network takes the time it takes on a design, what would relieve it, and what two
 * designs do differently.
 */
#include "scantle/evaluate.h"
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Explain one op or the whole network: what bounds it, the second bound and the distance to it, the
 * bytes of each level against the compulsory ones, and what one step of each parameter would
 * change; of an infeasible one each level, tensor and the bytes over.
 * `{"design","workload","batch","feasible","op","time_s","bound","second_bound","distance",
 *  "bounds":[{"bound","time_s","share","ops","relief_s"}],
 *  "levels":[{"name","bytes","compulsory_bytes","ratio"}],"op_list":[...],
 *  "misfits":[{"op","code","level","tensor","need_bytes","have_bytes","over_bytes"}],
 *  "steps":[{"set","feasible","time_per_sample_s","change","bound"}]}`.
 * distance: by which share the first bound would have to fall before the second sets the time;
 * relief_s: what lifting this bound alone could save at most. Forms: docs/formats/explain.md.
 * @param[out] out  free with sc_release().
 * @param      op   a name, or NULL for the network.
 * @return SC_OK, also when infeasible; SC_ENOTFOUND for an unknown op (with a suggestion); as
 *         sc_evaluate() otherwise. Cost: an evaluation, and two for each parameter.
 */
SC_API sc_status sc_explain(char **out, const sc_design *d, const sc_workload *w, const char *op,
                            const sc_evaluate_options *o) SC_MUST_USE;

/**
 * Two designs side by side: parameters that differ, area and TDP, and with a network its totals and
 * its ops, those first whose time differs most.
 * `{"a":{...},"b":{...},"values":[{"name","a","b"}],"totals":[{"name","a","b","ratio"}],
 *  "op_list":[{"name","kind","a_time_s","b_time_s","effect_s","a_bound","b_bound"}]}`.
 * Times are of one sample where the batches differ (`"per_sample": true`).
 * @param[out] out  free with sc_release().
 * @param      w    a network, or NULL to compare the designs alone.
 * @return SC_OK, also where one is infeasible; as sc_evaluate() otherwise.
 */
SC_API sc_status sc_diff(char **out, const sc_design *a, const sc_design *b, const sc_workload *w,
                         const sc_evaluate_options *o) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
