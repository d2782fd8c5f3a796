#ifndef MODEL_NET_MEMO_H
#define MODEL_NET_MEMO_H
/** Costs of ops already mapped, shared by the trials of a study: keyed by the op's shape and by the
 * part of the design that the mapper sees. A hit equals what a miss would compute, so results do
 * not depend on the memo, its size or the order of threads. */
#include "model/net/op_cost.h"

typedef struct sc_memo sc_memo;
/** @param capacity  entries at most; further ones are computed but not kept. */
sc_status sc_memo_create(sc_memo **out, size_t capacity) SC_MUST_USE;
void sc_memo_destroy(sc_memo *m); /* NULL is fine */

/** Names what the mapper sees of a design: levels, compute and dataflows; not clock, lanes, batch.
 */
sc_hash128 sc_memo_arch_hash(const sc_arch *a);

/** Look up or compute. memo may be NULL. Threads: safe. */
sc_status sc_memo_cost(sc_op_cost *out, sc_memo *memo, sc_hash128 arch_hash, const sc_op *op,
                       const sc_arch *a, const sc_cost_options *o) SC_MUST_USE;
/** The same with the mapping (sc_op_cost_with_mapping); costs kept without are not found by it. */
sc_status sc_memo_cost_with_mapping(sc_op_cost *out, sc_mapping *mapping, sc_memo *memo,
                                    sc_hash128 arch_hash, const sc_op *op, const sc_arch *a,
                                    const sc_cost_options *o) SC_MUST_USE;
uint64_t sc_memo_hits(const sc_memo *m);
#endif
