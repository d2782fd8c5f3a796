#ifndef TESTS_WORKLOADS_SUPPORT_H
#define TESTS_WORKLOADS_SUPPORT_H
/** What the tests of workloads share. Included after cmocka.h. */
#include "core_support.h"
#include "workloads/builder.h"

static inline sc_workload *open_network(const char *spec)
{
    sc_workload *w = NULL;
    if (sc_workload_open(&w, spec) != SC_OK)
        fail_msg("%s: %s", spec, sc_error_message());
    return w;
}

static inline const sc_op *op_named(const sc_workload *w, const char *name)
{
    for (size_t i = 0; i < w->n_ops; i++)
        if (strcmp(w->ops[i].name, name) == 0)
            return &w->ops[i];
    fail_msg("no op %s", name);
    return NULL;
}

/* Two networks hold the same: names and descriptions apart, every row. */
static inline void assert_same_network(const sc_workload *a, const sc_workload *b)
{
    char first[33], second[33];
    assert_int_equal(sc_workload_fingerprint(first, a), SC_OK);
    assert_int_equal(sc_workload_fingerprint(second, b), SC_OK);
    assert_string_equal(first, second);
    assert_int_equal(a->macs, b->macs);
    assert_int_equal(a->parameters, b->parameters);
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->n_ops, b->n_ops);
    for (size_t i = 0; i < a->n_ops; i++) {
        const sc_op *x = &a->ops[i], *y = &b->ops[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->macs, y->macs);
        assert_int_equal(x->weights, y->weights);
        assert_int_equal(x->in_elems, y->in_elems);
        assert_int_equal(x->out_elems, y->out_elems);
        assert_int_equal(x->n_inputs, y->n_inputs);
        assert_memory_equal(x->inputs, y->inputs, x->n_inputs * sizeof *x->inputs);
    }
}
#endif
