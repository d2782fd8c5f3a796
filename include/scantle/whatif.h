#ifndef SCANTLE_WHATIF_H
#define SCANTLE_WHATIF_H
/**
 * @file scantle/whatif.h
 * @brief What a change of a design's parameters does to a network: totals and per op, against the
 * base.
 */
#include "scantle/evaluate.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_whatif sc_whatif;

/**
 * Evaluate a design and each of its changed copies.
 * @param sets  [n] assignments as sc_design_with() takes them ("l3_global=64MiB"); each is one
 * variant.
 * @return SC_OK, also for infeasible variants; as sc_design_with() and sc_evaluate() otherwise.
 */
SC_API sc_status sc_whatif_create(sc_whatif **out, const sc_design *base, const sc_workload *w,
                                  const char *const *sets, size_t n,
                                  const sc_evaluate_options *o) SC_MUST_USE;

/** Every parameter one value down and one up, the others as they are: as many variants as that
 * gives. */
SC_API sc_status sc_whatif_sensitivity(sc_whatif **out, const sc_design *base, const sc_workload *w,
                                       const sc_evaluate_options *o) SC_MUST_USE;
SC_API void sc_whatif_destroy(sc_whatif *x); /**< NULL is fine */

SC_API size_t sc_whatif_variants(const sc_whatif *x); /**< the base not counted */
/** The assignment of variant i; NULL past the end. */
SC_API const char *sc_whatif_set(const sc_whatif *x, size_t i);
SC_API const sc_evaluation *sc_whatif_base(const sc_whatif *x);
SC_API const sc_evaluation *sc_whatif_variant(const sc_whatif *x, size_t i);
/** `{"base":{...},"variants":[{"set",metrics...,"ratio":{...},"op_list":[{"name","time_s",
 *  "base_time_s","bound","base_bound"}]}]}`; free with sc_release(). */
SC_API sc_status sc_whatif_json(char **out, const sc_whatif *x) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
