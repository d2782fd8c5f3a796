#include "model/net/cascade_plan.h"

#include <string.h>

#include "core/mem.h"

enum { PLACES = 3 }; /* qk, softmax, av */

/* The only op that reads what op i makes; the number of ops: there is none, or there are several.
 */
static size_t only_reader(const sc_workload *w, size_t i)
{
    size_t reader = w->n_ops;
    for (size_t r = i + 1; r < w->n_ops; r++)
        for (size_t k = 0; k < w->ops[r].n_operands; k++)
            if (w->ops[r].operands[k].producer == (int32_t)i) {
                if (reader < w->n_ops)
                    return w->n_ops;
                reader = r;
            }
    return reader;
}

/* Whether a chain ends in a softmax's reader, by who reads what; its shapes are looked at later. */
static bool is_chain(sc_cascade_chain *out, const sc_workload *w, size_t softmax)
{
    const sc_op *op = &w->ops[softmax];
    if (op->kind != SC_OP_SOFTMAX || op->n_operands != 1 || op->operands[0].producer < 0)
        return false;
    const size_t qk = (size_t)op->operands[0].producer;
    if (w->ops[qk].kind != SC_OP_BMM || only_reader(w, qk) != softmax)
        return false;
    const size_t av = only_reader(w, softmax);
    *out = (sc_cascade_chain){.qk = qk, .softmax = softmax, .av = av};
    return av < w->n_ops && w->ops[av].kind == SC_OP_BMM && w->ops[av].n_operands == 2 &&
           w->ops[av].operands[0].producer == (int32_t)softmax && w->ops[qk].n_operands == 2;
}

static bool equal(const sc_network *n, const sc_cascade_chain *a, const sc_cascade_chain *b)
{
    return sc_network_unique_of(n, a->qk) == sc_network_unique_of(n, b->qk) &&
           sc_network_unique_of(n, a->softmax) == sc_network_unique_of(n, b->softmax) &&
           sc_network_unique_of(n, a->av) == sc_network_unique_of(n, b->av);
}

static void add_chain(sc_cascades *c, const sc_network *n, const sc_cascade_chain *chain)
{
    size_t same = 0;
    while (same < c->n_chains && !equal(n, &c->chain[same], chain))
        same++;
    const uint32_t role = 1 + PLACES * (uint32_t)c->n_chains;
    sc_cascade_chain *to = &c->chain[c->n_chains];
    *to = *chain;
    to->shape = same < c->n_chains ? c->chain[same].shape : c->n_shapes++;
    c->n_chains++;
    c->role[to->qk] = role;
    c->role[to->softmax] = role + 1;
    c->role[to->av] = role + 2;
}

sc_status sc_cascades_create(sc_cascades **out, const sc_network *n)
{
    const sc_workload *w = sc_network_workload(n);
    sc_cascades *c = sc_calloc(1, sizeof *c);
    if (!c)
        return SC_ENOMEM;
    size_t softmaxes = 0;
    for (size_t i = 0; i < w->n_ops; i++)
        softmaxes += w->ops[i].kind == SC_OP_SOFTMAX;
    c->n_ops = w->n_ops;
    c->chain = sc_calloc(softmaxes + 1, sizeof *c->chain);
    c->shape = sc_calloc(softmaxes + 1, sizeof *c->shape);
    c->role = sc_calloc(w->n_ops, sizeof *c->role);
    if (!c->chain || !c->shape || !c->role) {
        sc_cascades_destroy(c);
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < w->n_ops; i++) {
        sc_cascade_chain chain;
        if (is_chain(&chain, w, i))
            add_chain(c, n, &chain);
    }
    *out = c;
    return SC_OK;
}

void sc_cascades_destroy(sc_cascades *c)
{
    if (!c)
        return;
    sc_free(c->chain);
    sc_free(c->shape);
    sc_free(c->role);
    sc_free(c);
}

static void price(sc_cascade_shape *s, const sc_network *n, const sc_cascade_chain *chain,
                  const sc_op_cost *cost, const sc_arch *a)
{
    const sc_workload *w = sc_network_workload(n);
    const size_t op[PLACES] = {chain->qk, chain->softmax, chain->av};
    sc_cascade c;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < PLACES; i++) {
        const sc_op_cost *own = &cost[sc_network_unique_of(n, op[i])];
        s->apart_cycles += own->cycles;
        if (own->modelled_cycles > 0.0)
            return; /* a measured time is not held against a modelled one */
    }
    if (!sc_cascade_init(&c, &w->ops[op[0]], &w->ops[op[1]], &w->ops[op[2]], a))
        return;
    sc_cascade_search(&s->best, &c);
    s->possible = s->best.found;
    s->cost[PLACES - 1] = s->best.cost;
    for (int i = 0; i < PLACES; i++) /* the padded bounds stay those of the op by itself */
        memcpy(s->cost[i].padded, cost[sc_network_unique_of(n, op[i])].padded,
               sizeof s->cost[i].padded);
    s->cost[0].bound = SC_BOUND_COMPUTE;
    s->cost[1].bound = SC_BOUND_VECTOR;
}

void sc_cascades_price(sc_cascades *c, const sc_network *n, const sc_op_cost *cost,
                       const sc_arch *a)
{
    size_t known = 0;
    for (size_t i = 0; i < c->n_chains; i++)
        if (c->chain[i].shape == known)
            price(&c->shape[known++], n, &c->chain[i], cost, a);
}

size_t sc_cascades_take(sc_cascades *c, sc_cascade_take what)
{
    size_t taken = 0;
    for (size_t i = 0; i < c->n_shapes; i++) {
        sc_cascade_shape *s = &c->shape[i];
        const bool faster = s->possible && s->best.cost.cycles < s->apart_cycles;
        s->taken = what == SC_CASCADE_ALL ? s->possible : what == SC_CASCADE_FASTER && faster;
        taken += s->taken;
    }
    return taken;
}

const sc_cascade_chain *sc_cascades_chain(const sc_cascades *c, size_t op)
{
    if (!c || c->role[op] == 0)
        return NULL;
    const sc_cascade_chain *chain = &c->chain[(c->role[op] - 1) / PLACES];
    return c->shape[chain->shape].taken ? chain : NULL;
}

const sc_op_cost *sc_cascades_cost(const sc_cascades *c, const sc_network *n,
                                   const sc_op_cost *cost, size_t op)
{
    const sc_cascade_chain *chain = sc_cascades_chain(c, op);
    if (!chain)
        return &cost[sc_network_unique_of(n, op)];
    return &c->shape[chain->shape].cost[(c->role[op] - 1) % PLACES];
}
