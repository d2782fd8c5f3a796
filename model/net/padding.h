#ifndef MODEL_NET_PADDING_H
#define MODEL_NET_PADDING_H
/** What a mapping pads an op's dimensions to, and how much of the work that is. See
 * docs/algorithms/padding.md. */
#include "core/buf.h"
#include "core/json.h"
#include "workloads/einsum.h"

/** Share of the MACs done that are padding: 1 - product of size / padded. @param size, padded
 *  [n_dims], size <= padded. @return in [0, 1). */
double sc_padding_share(unsigned n_dims, const uint64_t *size, const uint64_t *padded);

/** {"share", "dims": [{"dim", "size", "padded"}]}: the dimensions that are padded. @param names the
 *  op or its padded form: only names are read. */
json_t *sc_padding_json(const sc_einsum *names, const uint64_t *size, const uint64_t *padded,
                        bool *ok);

/** `P 7 to 8, Q 7 to 8: 23.4 % of the MACs are padding`; nothing if no dimension is padded. */
void sc_padding_text(sc_buf *b, const sc_einsum *names, const uint64_t *size,
                     const uint64_t *padded);
#endif
