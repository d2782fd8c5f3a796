#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workloads_support.h"

/* out[p] += in[stride * p + dilation * r] * weight[r] */
static sc_einsum conv_1d(uint64_t r, uint64_t p, int64_t stride, int64_t dilation)
{
    return (sc_einsum){
        .name = "conv1d",
        .n_dims = 2,
        .n_tensors = 3,
        .output = 2,
        .dim_name = {"R", "P"},
        .bound = {r, p},
        .tensor = {{.name = "input",
                    .role = SC_ROLE_INPUT,
                    .n_ranks = 1,
                    .bits = 16,
                    .rank = {{.n_terms = 2, .dim = {0, 1}, .coef = {dilation, stride}}}},
                   {.name = "weight",
                    .role = SC_ROLE_WEIGHT,
                    .n_ranks = 1,
                    .bits = 16,
                    .rank = {{.n_terms = 1, .dim = {0}, .coef = {1}}}},
                   {.name = "output",
                    .role = SC_ROLE_OUTPUT,
                    .n_ranks = 1,
                    .bits = 16,
                    .rank = {{.n_terms = 1, .dim = {1}, .coef = {1}}}}},
    };
}

static void test_macs(void **state)
{
    sc_einsum e = conv_1d(3, 16, 1, 1);
    uint64_t macs = 7;
    assert_int_equal(sc_einsum_macs(&macs, &e), SC_OK);
    assert_int_equal(macs, 48);
    e.bound[0] = UINT64_C(1) << 31;
    e.bound[1] = (UINT64_C(1) << 32) - 1;
    assert_int_equal(sc_einsum_macs(&macs, &e), SC_OK);
    assert_true(macs == UINT64_C(9223372034707292160));
    macs = 7;
    e.bound[1] = UINT64_C(1) << 32; /* 2^63: one too many */
    assert_int_equal(sc_einsum_macs(&macs, &e), SC_ERANGE);
    assert_int_equal(macs, 7);
    assert_says("conv1d");
}

static void test_volume(void **state)
{
    static const struct {
        uint64_t r, p;
        int64_t stride, dilation;
        uint64_t input;
    } cases[] = {
        {3, 16, 1, 1, 18},                     /* sliding by one */
        {1, 7, 2, 1, 13},                      /* gaps counted: 0, 2, ..., 12 */
        {3, 5, 2, 1, 11},    {3, 5, 1, 4, 13}, /* 4 * 1 + 2 * 4 + 1 */
        {11, 55, 4, 1, 227},                   /* AlexNet's first layer */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const sc_einsum e = conv_1d(cases[i].r, cases[i].p, cases[i].stride, cases[i].dilation);
        const uint64_t extent[] = {cases[i].r, cases[i].p};
        uint64_t words;
        assert_int_equal(sc_einsum_volume(&words, &e, 0, extent), SC_OK);
        assert_int_equal(words, cases[i].input);
        assert_int_equal(sc_einsum_volume(&words, &e, 1, extent), SC_OK);
        assert_int_equal(words, cases[i].r);
        assert_int_equal(sc_einsum_volume(&words, &e, 2, extent), SC_OK);
        assert_int_equal(words, cases[i].p);
    }
}

static void test_volume_overflow(void **state)
{
    const sc_einsum e = conv_1d(2, 2, INT64_MAX, 1);
    const uint64_t fits[] = {1, 1}, too_far[] = {1, 3}, just_too_far[] = {1, 2};
    uint64_t words = 7;
    assert_int_equal(sc_einsum_volume(&words, &e, 0, too_far), SC_ERANGE);
    assert_int_equal(sc_einsum_volume(&words, &e, 0, just_too_far), SC_ERANGE);
    assert_int_equal(words, 7);
    assert_says("input");
    assert_int_equal(sc_einsum_volume(&words, &e, 0, fits), SC_OK);
    assert_int_equal(words, 1);
}

static void test_relevant(void **state)
{
    const sc_einsum e = conv_1d(3, 16, 1, 1);
    assert_true(sc_einsum_relevant(&e, 0, 0) && sc_einsum_relevant(&e, 0, 1));
    assert_true(sc_einsum_relevant(&e, 1, 0) && !sc_einsum_relevant(&e, 1, 1));
    assert_true(!sc_einsum_relevant(&e, 2, 0) && sc_einsum_relevant(&e, 2, 1));
}

static void break_name(sc_einsum *e)
{
    e->name[0] = '\0';
}
static void break_dims(sc_einsum *e)
{
    e->n_dims = SC_MAX_DIMS + 1;
}
static void break_dim_name(sc_einsum *e)
{
    e->dim_name[1][0] = '\0';
}
static void break_dim_twice(sc_einsum *e)
{
    e->dim_name[1][0] = 'R';
}
static void break_bound(sc_einsum *e)
{
    e->bound[1] = 0;
}
static void break_output(sc_einsum *e)
{
    e->output = 3;
}
static void break_role(sc_einsum *e)
{
    e->tensor[0].role = SC_ROLE_OUTPUT;
}
static void break_output_role(sc_einsum *e)
{
    e->tensor[2].role = SC_ROLE_INPUT;
}
static void break_tensor_name(sc_einsum *e)
{
    memset(e->tensor[1].name, 'x', SC_NAME_LEN); /* not terminated */
}
static void break_tensor_twice(sc_einsum *e)
{
    memcpy(e->tensor[1].name, "input", 6);
}
static void break_bits(sc_einsum *e)
{
    e->tensor[1].bits = 0;
}
static void break_ranks(sc_einsum *e)
{
    e->tensor[1].n_ranks = SC_MAX_RANKS + 1;
}
static void break_terms(sc_einsum *e)
{
    e->tensor[1].rank[0].n_terms = 0;
}
static void break_term(sc_einsum *e)
{
    e->tensor[1].rank[0].dim[0] = 2;
}
static void break_coef(sc_einsum *e)
{
    e->tensor[0].rank[0].coef[1] = 0;
}

static void test_check(void **state)
{
    static const struct {
        void (*spoil)(sc_einsum *e);
        const char *says;
    } cases[] = {
        {break_name, "no name"},
        {break_dims, "13 dimensions"},
        {break_dim_name, "dimension 1"},
        {break_dim_twice, "dimension R stands twice"},
        {break_bound, "P has bound 0"},
        {break_output, "output 3"},
        {break_role, "tensor input"},
        {break_output_role, "tensor output"},
        {break_tensor_name, "tensor 1"},
        {break_tensor_twice, "tensor input stands twice"},
        {break_bits, "weight: 0 bits"},
        {break_ranks, "9 ranks"},
        {break_terms, "0 terms"},
        {break_term, "no dimension 2"},
        {break_coef, "coefficient 0 of P"},
    };
    const sc_einsum good = conv_1d(3, 16, 1, 1);
    assert_int_equal(sc_einsum_check(&good), SC_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        sc_einsum e = good;
        cases[i].spoil(&e);
        assert_int_equal(sc_einsum_check(&e), SC_EINVAL);
        assert_says(cases[i].says);
    }
}

/* Every MAC op of a network: its einsum is well-formed and has its MACs, weights and results. */
static void check_einsums(const char *spec)
{
    sc_workload *w = open_network(spec);
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        sc_einsum e;
        uint64_t v;
        if (!sc_op_is_mac(op)) {
            assert_int_equal(sc_op_einsum(&e, op), SC_EINVAL);
            assert_says(op->name);
            continue;
        }
        assert_int_equal(sc_op_einsum(&e, op), SC_OK);
        assert_int_equal(sc_einsum_check(&e), SC_OK);
        assert_int_equal(sc_einsum_macs(&v, &e), SC_OK);
        assert_int_equal(v, op->macs);
        assert_int_equal(v, op->m * op->n * op->k * op->count);
        assert_int_equal(sc_einsum_volume(&v, &e, 1, e.bound), SC_OK);
        if (op->weight_is_activation)
            assert_int_equal(v, op->count / op->sharing * op->k * op->n);
        else
            assert_int_equal(v, op->weights);
        assert_int_equal(sc_einsum_volume(&v, &e, e.output, e.bound), SC_OK);
        if (op->kind != SC_OP_TCONV)
            assert_int_equal(v, op->out_elems);
        assert_int_equal(e.tensor[0].bits, op->bits);
    }
    sc_workload_destroy(w);
}

static void test_networks(void **state)
{
    static const char *const specs[] = {
        "efficientnet-b0:batch=3,bits=8",
        "resnet50:batch=2",
        "bert-base:seq=17,batch=3",
        "unet:256",
        "unet3d:batch=2",
        "llama3-8b:decode,ctx=29,batch=5",
        "alexnet",
        "gnmt:seq=7",
    };
    for (size_t i = 0; i < COUNT(specs); i++)
        check_einsums(specs[i]);
}

static void test_dimension_order(void **state)
{
    static const struct {
        const char *spec, *op, *dims;
    } cases[] = {
        {"alexnet", "conv1", "NKCPQRS"},
        {"alexnet", "conv2", "NKCPQRSG"},
        {"mobilenet-v2", "b1_0_dw", "GPQRSN"},
        {"unet3d", "d1_a", "NKCPQRSZT"},
        {"unet", "u0_up", "NKCPQRS"},
        {"bert-base", "l0_q", "MNK"},
        {"bert-base", "l0_qk", "HMNK"},
        {"llama3-8b", "l0_qk", "HJMNK"},
        {"resnet50", "fc", "MNK"},
        {"gnmt", "dec0_h", "LMNK"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sc_workload *w = open_network(cases[i].spec);
        char dims[SC_MAX_DIMS + 1] = "";
        sc_einsum e;
        assert_int_equal(sc_op_einsum(&e, op_named(w, cases[i].op)), SC_OK);
        for (unsigned d = 0; d < e.n_dims; d++)
            strcat(dims, e.dim_name[d]);
        assert_string_equal(dims, cases[i].dims);
        sc_workload_destroy(w);
    }
}

/* 56 x 56 into 28 x 28 by a 3x3 of stride 2: rows (28 - 1) * 2 + 3 = 57, padding included. */
static void test_stride_is_coefficient(void **state)
{
    sc_workload *w = open_network("resnet50");
    sc_einsum e;
    uint64_t words;
    assert_int_equal(sc_op_einsum(&e, op_named(w, "s3_0_b")), SC_OK);
    assert_int_equal(sc_einsum_volume(&words, &e, 0, e.bound), SC_OK);
    assert_int_equal(words, 128 * 57 * 57);
    sc_workload_destroy(w);
    /* a transposed 2x2 of stride 2 fills (196 - 1) * 2 + 2 = 392 rows of 64 channels */
    w = open_network("unet:572");
    assert_int_equal(sc_op_einsum(&e, op_named(w, "u0_up")), SC_OK);
    assert_int_equal(sc_einsum_volume(&words, &e, e.output, e.bound), SC_OK);
    assert_int_equal(words, 64 * 392 * 392);
    sc_workload_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_macs),
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_volume_overflow),
        cmocka_unit_test(test_relevant),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_dimension_order),
        cmocka_unit_test(test_stride_is_coefficient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
