/* What a network is, as text, and the hash of it. */
#include <inttypes.h>
#include <string.h>

#include "core/buf.h"
#include "core/hash.h"
#include "workloads/graph.h"

/* Names are counted, so that no name can pass for something else. */
static void put_name(sc_buf *b, const char *name)
{
    sc_buf_printf(b, "%zu:%s", strlen(name), name);
}

static void put_numbers(sc_buf *b, const uint64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sc_buf_printf(b, " %" PRIu64, v[i]);
}

static void put_op(sc_buf *b, const sc_op *op)
{
    const uint64_t v[] = {
        op->cin,
        op->d,
        op->h,
        op->w,
        op->cout,
        op->od,
        op->oh,
        op->ow,
        op->t,
        op->r,
        op->s,
        op->stride_d,
        op->stride_h,
        op->stride_w,
        op->dilation_d,
        op->dilation_h,
        op->dilation_w,
        op->groups,
        op->pad_front,
        op->pad_top,
        op->pad_left,
        op->pad_back,
        op->pad_bottom,
        op->pad_right,
        op->m,
        op->n,
        op->k,
        op->count,
        op->other_params,
        op->cache_elems,
        op->sharing,
        op->recurrent,
        op->bits,
        op->n_operands,
    };
    put_name(b, op->name);
    sc_buf_printf(b, " %s ", sc_op_kind_name(op->kind));
    put_name(b, op->function);
    put_numbers(b, v, sizeof v / sizeof *v);
    for (size_t i = 0; i < op->n_operands; i++) {
        const sc_shape s = op->operands[i].read;
        const uint64_t read[] = {s.c, s.d, s.h, s.w};
        sc_buf_printf(b, " <%" PRId32, op->operands[i].producer);
        put_numbers(b, read, sizeof read / sizeof *read);
    }
    sc_buf_puts(b, "\n");
}

sc_status sc_workload_fingerprint(char out[33], const sc_workload *w)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_printf(&b, "workload 1 batch %" PRIu64 "\n", w->batch);
    for (size_t i = 0; i < w->n_ops; i++)
        put_op(&b, &w->ops[i]);
    const sc_status st = b.status;
    if (st == SC_OK)
        sc_hash_hex(sc_hash128_of(b.text, b.length), out);
    sc_buf_clear(&b);
    return st;
}
