#include "model/net/memory.h"

#include <math.h>

#include "core/mem.h"
#include "model/net/op_cost.h"

enum { NONE = -1 };

struct sc_memory_plan {
    const sc_workload *w;
    /* Tensors: network inputs, then results of ops. dies[i]: the first that op i is the last to
     * read; next[t]: another one of the same op. */
    int32_t *dies; /* [n_ops] */
    int32_t *next; /* [n_inputs + n_ops] */
};

static size_t tensor_of(const sc_workload *w, int32_t producer)
{
    return producer < 0 ? (size_t)(-1 - producer) : w->n_inputs + (size_t)producer;
}

/* Walked from the end, the first op to read a tensor is its last reader. */
static void find_last_readers(sc_memory_plan *p, bool *known)
{
    const sc_workload *w = p->w;
    for (size_t i = 0; i < w->n_ops; i++)
        p->dies[i] = NONE;
    for (size_t i = w->n_ops; i-- > 0;)
        for (size_t k = 0; k < w->ops[i].n_operands; k++) {
            const size_t t = tensor_of(w, w->ops[i].operands[k].producer);
            if (known[t])
                continue;
            known[t] = true;
            p->next[t] = p->dies[i];
            p->dies[i] = (int32_t)t;
        }
}

sc_status sc_memory_plan_create(sc_memory_plan **out, const sc_workload *w)
{
    const size_t tensors = w->n_inputs + w->n_ops;
    sc_status st = SC_ENOMEM;
    bool *known = sc_calloc(tensors, sizeof *known);
    sc_memory_plan *p = sc_calloc(1, sizeof *p);
    if (!known || !p)
        goto done;
    p->w = w;
    p->dies = sc_calloc(w->n_ops, sizeof *p->dies);
    p->next = sc_calloc(tensors, sizeof *p->next);
    if (!p->dies || !p->next)
        goto done;
    find_last_readers(p, known);
    *out = p;
    p = NULL;
    st = SC_OK;
done:
    sc_free(known);
    sc_memory_plan_destroy(p);
    return st;
}

void sc_memory_plan_destroy(sc_memory_plan *p)
{
    if (!p)
        return;
    sc_free(p->dies);
    sc_free(p->next);
    sc_free(p);
}

static double bytes_of(const sc_workload *w, size_t tensor, const sc_arch *a)
{
    if (tensor >= w->n_inputs) {
        const sc_op *op = &w->ops[tensor - w->n_inputs];
        return (double)op->out_elems * sc_op_bits_on(op, a) / 8.0;
    }
    const sc_shape s = w->inputs[tensor].shape;
    const sc_op as = {.bits = w->bits};
    return (double)w->batch * (double)s.c * (double)s.d * (double)s.h * (double)s.w *
           sc_op_bits_on(&as, a) / 8.0;
}

static double room(const sc_level *l)
{
    double sum = 0;
    for (int r = 0; l->bounded && r < (l->partitioned ? SC_ROLES : 1); r++)
        sum += floor((double)l->capacity[r] / l->buffers);
    return sum * (double)l->instances;
}

void sc_memory_need_of(sc_memory_need *out, const sc_memory_plan *p, const sc_arch *a)
{
    const sc_workload *w = p->w;
    double alive = 0;
    *out = (sc_memory_need){.have = room(&a->level[0])};
    for (size_t t = 0; t < w->n_inputs; t++)
        alive += bytes_of(w, t, a);
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        const double width = sc_op_bits_on(op, a) / 8.0;
        if (!op->weight_is_activation)
            out->weights += (double)op->weights * width;
        out->weights += (double)op->other_params * width;
        out->cache += (double)op->cache_elems * width;
        alive += bytes_of(w, w->n_inputs + i, a);
        out->activations = fmax(out->activations, alive);
        for (int32_t t = p->dies[i]; t != NONE; t = p->next[t])
            alive -= bytes_of(w, (size_t)t, a);
    }
}

double sc_memory_over(const sc_memory_need *n)
{
    const double need = n->weights + n->cache + n->activations;
    return n->have > 0 && need > n->have ? need - n->have : 0;
}
