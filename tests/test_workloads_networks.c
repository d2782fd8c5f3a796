/* Built-in networks: published figures, options, batch and precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workloads_support.h"

/* GMACs to the digits printed, parameters exactly; 0 = not published. */
static const struct {
    const char *spec;
    double gmacs, unit; /* unit of the last digit */
    uint64_t parameters;
} published[] = {
    {"efficientnet-b0", 0.3858, 1e-4, 5288548},
    {"efficientnet-b1", 0.6868, 1e-4, 7794184},
    {"efficientnet-b2", 0.9936, 1e-4, 9109994},
    {"efficientnet-b3", 1.8, 0.1, 12233232}, /* the paper's 1.8 B, torchvision's parameters */
    {"efficientnet-b4", 4.3938, 1e-4, 19341616},
    {"efficientnet-b5", 0, 0, 30389784}, /* torchvision; the paper's 9.9 B is of another count */
    {"efficientnet-b6", 19.0676, 1e-4, 43040704},
    {"efficientnet-b7", 37.7459, 1e-4, 66347960},
    {"resnet50", 4.0892, 1e-4, 25557032},
    {"resnet50-v1", 0, 0, 25557032},
    {"resnet50-v2", 0, 0, 25549352}, /* timm's resnetv2_50 */
    {"mobilenet-v2", 0.3008, 1e-4, 3504872},
    {"mobilenet-v3-large", 0.2166, 1e-4, 5483032},
    {"mobilenet-v3-small", 0, 0, 2542856},       /* torchvision */
    {"mobilenet-edgetpu", 0.990, 2e-3, 4091432}, /* its authors: 990 M, 4.0 M; summed by hand */
    {"vit-b16", 17.564, 1e-3, 86567656},
    {"bert-base:seq=128", 11.174, 1e-3, 109482240},
    {"bert-large:seq=128", 39.461, 1e-3, 335141888},
    {"unet:572", 150.43, 1e-2, 31030658},
    {"unet:256", 0, 0, 31030658},
    {"llama2-7b:prefill=2048", 14630.8, 0.1, 6738415616},
    {"llama2-70b:prefill=2048", 0, 0, 68976648192},
    {"llama3-8b:prefill=2048", 0, 0, 8030261248},
    {"vgg16", 15.47, 1e-2, 138357544}, /* torchvision: 138,357,544 parameters, 15.47 G */
    {"alexnet", 0.666, 1e-3, 0},       /* 666 M in the Eyeriss paper */
    {"unet3d", 0, 0, 19069955},        /* section 2 of the paper */
    {"ssd300", 0, 0, 35641826},        /* torchvision's ssd300_vgg16 */
};

static void test_published(void **state)
{
    for (size_t i = 0; i < COUNT(published); i++) {
        sc_workload *w = open_network(published[i].spec);
        const double gmacs = (double)sc_workload_macs(w) * 1e-9;
        if (published[i].unit > 0 && (gmacs < published[i].gmacs - 0.51 * published[i].unit ||
                                      gmacs > published[i].gmacs + 0.51 * published[i].unit))
            fail_msg("%s: %.6f GMACs, published %.6f", published[i].spec, gmacs,
                     published[i].gmacs);
        if (published[i].parameters)
            assert_true(sc_workload_parameters(w) == published[i].parameters);
        sc_workload_destroy(w);
    }
}

/* v1 strides before the 3x3: the first 1x1 of three stages runs on a quarter of the positions. */
static void test_resnet_versions(void **state)
{
    sc_workload *v1 = open_network("resnet50-v1"), *v1_5 = open_network("resnet50");
    sc_workload *v2 = open_network("resnet50-v2");
    const uint64_t saved = 256u * 128 * (56 * 56 - 28 * 28) + 512u * 256 * (28 * 28 - 14 * 14) +
                           1024u * 512 * (14 * 14 - 7 * 7);
    assert_true(v1_5->macs - v1->macs == saved);
    assert_true(v2->macs == v1_5->macs);
    sc_workload_destroy(v1);
    sc_workload_destroy(v1_5);
    sc_workload_destroy(v2);
}

static void test_list(void **state)
{
    static const char *const wanted[] = {
        "efficientnet-b0",
        "efficientnet-b7",
        "efficientnet-x-b0",
        "efficientnet-x-b7",
        "efficientnet-edgetpu-s",
        "efficientnet-edgetpu-m",
        "efficientnet-edgetpu-l",
        "resnet50",
        "resnet50-v1",
        "resnet50-v2",
        "mobilenet-v2",
        "mobilenet-v3-large",
        "mobilenet-v3-small",
        "mobilenet-edgetpu",
        "bert-base",
        "bert-large",
        "vit-b16",
        "unet",
        "llama2-7b",
        "llama2-70b",
        "llama3-8b",
        "alexnet",
        "vgg16",
        "deeplab-v3plus",
        "unet3d",
        "ssd300",
        "mask-rcnn-backbone",
        "gnmt",
        "rnnt-encoder",
        "rnnt-decoder",
    };
    size_t n = 0;
    while (sc_workload_builtin(n))
        n++;
    assert_null(sc_workload_builtin_about(n));
    for (size_t k = 0; k < COUNT(wanted); k++) {
        size_t i = 0;
        while (i < n && strcmp(sc_workload_builtin(i), wanted[k]) != 0)
            i++;
        if (i == n)
            fail_msg("no built-in %s", wanted[k]);
    }
    static const char *const read_by_us[] = {"deeplab-v3plus",     "unet3d", "ssd300",
                                             "mask-rcnn-backbone", "gnmt",   "rnnt-encoder",
                                             "rnnt-decoder"};
    for (size_t i = 0; i < n; i++) {
        bool marked = false;
        for (size_t k = 0; k < COUNT(read_by_us); k++)
            marked = marked || strcmp(sc_workload_builtin(i), read_by_us[k]) == 0;
        assert_int_equal(strstr(sc_workload_builtin_about(i), "our reading") != NULL, marked);
    }
}

/* Every built-in: inputs come before, batch multiplies what it must, its name opens it again. */
static void test_every_builtin(void **state)
{
    const char *name;
    for (size_t b = 0; (name = sc_workload_builtin(b)) != NULL; b++) {
        sc_workload *one = open_network(name), *three = NULL, *again, *back = NULL;
        char spec[160];
        assert_int_equal(sc_workload_with_batch(&three, one, 3), SC_OK);
        assert_int_equal(sc_workload_batch(three), 3);
        assert_int_equal(three->n_ops, one->n_ops);
        for (size_t i = 0; i < one->n_ops; i++) {
            const sc_op *x = &one->ops[i], *y = &three->ops[i];
            for (size_t k = 0; k < x->n_inputs; k++)
                assert_true(x->inputs[k] < (int32_t)i && x->inputs[k] >= -1);
            assert_true(y->macs == 3 * x->macs);
            assert_true(y->in_elems == 3 * x->in_elems && y->out_elems == 3 * x->out_elems);
            assert_true(y->cache_elems == 3 * x->cache_elems);
            assert_true(y->weights == x->weights && y->other_params == x->other_params);
            assert_true(y->m * y->n * y->k * y->count == y->macs);
            assert_int_equal(x->bits, 16);
        }
        const char *own = sc_workload_name(one);
        (void)snprintf(spec, sizeof spec, "%s%sbatch=3", own, strchr(own, ':') ? "," : ":");
        again = open_network(spec);
        assert_string_equal(sc_workload_name(again), own);
        assert_same_network(again, three);
        assert_int_equal(sc_workload_with_batch(&back, three, 1), SC_OK);
        assert_same_network(back, one);
        sc_workload_destroy(one);
        sc_workload_destroy(three);
        sc_workload_destroy(again);
        sc_workload_destroy(back);
    }
}

/* One decoding step of Llama-3-8B, 5 sequences, 29 positions of context: by hand. */
static void test_decode(void **state)
{
    sc_workload *w = open_network("llama3-8b:decode,ctx=29,batch=5,bits=8");
    const uint64_t per_layer = 4096u * 4096 * 2 + 4096u * 1024 * 2 + 3u * 4096 * 14336;
    const uint64_t products = 2u * 32 * 128 * 29;
    assert_string_equal(sc_workload_name(w), "llama3-8b:decode,ctx=29");
    assert_true(w->macs == 5 * (32 * (per_layer + products) + UINT64_C(4096) * 128256));
    const sc_op *qk = op_named(w, "l31_qk"), *av = op_named(w, "l31_av");
    assert_int_equal(qk->bits, 8);
    assert_int_equal(qk->m, 1);
    assert_int_equal(qk->n, 29);
    assert_int_equal(qk->k, 128);
    assert_int_equal(qk->count, 5 * 32);
    assert_int_equal(qk->sharing, 4);
    assert_int_equal(qk->cache_elems, 5 * 28 * 1024); /* keys of 8 heads; the new one comes in */
    assert_int_equal(qk->in_elems, 5 * (4096 + 29 * 1024));
    assert_int_equal(av->out_elems, 5 * 4096);
    assert_int_equal(av->in_elems, 5 * (32 * 29 + 29 * 1024));
    assert_true(av->weight_is_activation && av->weights == 0);
    assert_int_equal(op_named(w, "l0_gate")->m, 5);
    sc_workload_destroy(w);
}

static void test_positions_grow(void **state)
{
    sc_workload *short_one = open_network("bert-base:seq=512");
    sc_workload *long_one = open_network("bert-base:seq=513");
    assert_true(sc_workload_parameters(long_one) == sc_workload_parameters(short_one) + 768);
    sc_workload_destroy(short_one);
    sc_workload_destroy(long_one);
}

static void test_recurrent(void **state)
{
    sc_workload *w = open_network("gnmt:seq=7,batch=3");
    const sc_op *h = op_named(w, "enc1_h");
    assert_true(h->recurrent);
    assert_int_equal(h->m, 3); /* one step: the sequences of the batch */
    assert_int_equal(h->count, 7);
    assert_int_equal(h->weights, 4096 * 1024);
    assert_int_equal(h->macs, 3 * 7 * 4096 * 1024);
    assert_int_equal(h->in_elems, 3 * 7 * (4096 + 1024));
    assert_int_equal(op_named(w, "enc1_cell")->out_elems, 3 * 7 * 1024);
    sc_workload_destroy(w);
}

static void test_bad_specs(void **state)
{
    static const struct {
        const char *spec;
        sc_status status;
        const char *says;
    } cases[] = {
        {"efficentnet-b0", SC_ENOTFOUND, "(did you mean 'efficientnet-b0'?)"},
        {"", SC_ENOTFOUND, "no built-in network"},
        {"no/such/file.yaml", SC_ENOTFOUND, "no/such/file.yaml"},
        {"resnet50:btach=2", SC_EINVAL, "no option 'btach' (did you mean 'batch'?)"},
        {"resnet50:seq=2", SC_EINVAL, "no option 'seq'"},
        {"resnet50:batch=0", SC_EINVAL, "batch 0 in tensor 'image'"},
        {"resnet50:batch=-1", SC_EINVAL, "'batch' is '-1'"},
        {"resnet50:batch=1.5", SC_EINVAL, "'batch' is '1.5'"},
        {"resnet50:batch=99999999999999999999", SC_EINVAL, "whole number"},
        {"resnet50:batch", SC_EINVAL, "'batch'"},
        {"resnet50:batch=2,batch=3", SC_EINVAL, "given twice"},
        {"resnet50:batch=2,", SC_EINVAL, "empty"},
        {"resnet50:,batch=2", SC_EINVAL, "empty"},
        {"resnet50:bits=12", SC_EINVAL, "8, 16 or 32"},
        {"resnet50:bits=16,bits=16", SC_EINVAL, "given twice"},
        {"bert-base:seq=0", SC_EINVAL, "'seq' is '0'"},
        {"bert-base:sqe=12", SC_EINVAL, "(did you mean 'seq'?)"},
        {"bert-base:seq", SC_EINVAL, "'seq'"},
        {"bert-base:seq=5,seq=5", SC_EINVAL, "given twice"},
        {"unet:300", SC_EINVAL, "572"},
        {"unet:572,256", SC_EINVAL, "given twice"},
        {"unet:size=572", SC_EINVAL, "no option 'size'"},
        {"llama2-7b:ctx=5", SC_EINVAL, "'ctx' needs 'decode'"},
        {"llama2-7b:decode,prefill=5", SC_EINVAL, "exclude"},
        {"llama2-7b:decode=1", SC_EINVAL, "takes no value"},
        {"bert-base:seq=2147483647,batch=2147483647", SC_ERANGE, "2^63 - 1"},
        {"resnet50:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
         SC_EINVAL, "too long"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sc_workload *w = NULL;
        const sc_status st = sc_workload_open(&w, cases[i].spec);
        if (st != cases[i].status)
            fail_msg("'%s': %s, %s", cases[i].spec, sc_status_name(st), sc_error_message());
        assert_null(w);
        assert_says(cases[i].says);
    }
}

static void test_batch_zero(void **state)
{
    sc_workload *w = open_network("bert-base:seq=3"), *none = NULL;
    assert_int_equal(sc_workload_with_batch(&none, w, 0), SC_EINVAL);
    assert_says("batch 0 in tensor 'tokens'");
    assert_null(none);
    sc_workload_destroy(w);
    sc_workload_destroy(NULL);
}

static sc_status open_and_close(void *spec)
{
    sc_workload *w = NULL, *other = NULL;
    char fingerprint[33];
    sc_status st = sc_workload_open(&w, spec);
    if (st == SC_OK)
        st = sc_workload_with_batch(&other, w, 2);
    if (st == SC_OK)
        st = sc_workload_fingerprint(fingerprint, other);
    sc_workload_destroy(w);
    sc_workload_destroy(other);
    return st;
}

static void test_out_of_memory(void **state)
{
    static char cnn[] = "alexnet:batch=2", language[] = "llama2-7b:decode,ctx=4";
    assert_true(fail_each_allocation(open_and_close, cnn) > 10);
    assert_true(fail_each_allocation(open_and_close, language) > 10);
}

static void test_fingerprint(void **state)
{
    static const char *const specs[] = {"resnet50",          "resnet50-v1",
                                        "resnet50:batch=2",  "resnet50:bits=8",
                                        "bert-base:seq=128", "bert-base:seq=129"};
    char id[COUNT(specs)][33];
    for (size_t i = 0; i < COUNT(specs); i++) {
        sc_workload *w = open_network(specs[i]);
        assert_int_equal(sc_workload_fingerprint(id[i], w), SC_OK);
        assert_int_equal(strlen(id[i]), 32);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(id[i], id[k]);
        sc_workload_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),   cmocka_unit_test(test_resnet_versions),
        cmocka_unit_test(test_list),        cmocka_unit_test(test_every_builtin),
        cmocka_unit_test(test_decode),      cmocka_unit_test(test_positions_grow),
        cmocka_unit_test(test_recurrent),   cmocka_unit_test(test_bad_specs),
        cmocka_unit_test(test_batch_zero),  cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
