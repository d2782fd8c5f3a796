/* Derivatives of every layer and of compositions against finite differences, in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core_support.h"
#include "surrogate/adam.h"
#include "surrogate/nn.h"

enum { SAMPLES = 5, MOST = 4096 };

/* A network with made-up samples: two real inputs, codes and counts, as many as it takes. */
typedef struct bench {
    sc_nn *net;
    sc_nn_work *work;
    sc_nn_batch b;
    size_t n, outputs;
    double weights[MOST], d_weights[MOST], towards[MOST];
    double real[2][MOST];
    uint32_t code[MOST], count[SAMPLES];
} bench;

static bench t;

/* A loss that weighs every result: sum of towards * result. */
static double loss_now(void)
{
    const double *y = sc_nn_forward(t.net, t.weights, t.work, &t.b);
    double sum = 0;
    for (size_t i = 0; i < SAMPLES * t.outputs; i++)
        sum += t.towards[i] * y[i];
    return sum;
}

/* Fourth-order central difference of the loss by one number. */
static double difference(double *x)
{
    const double h = 1e-4, was = *x;
    double v[4];
    for (int i = 0; i < 4; i++) {
        *x = was + h * (double[]){-2, -1, 1, 2}[i];
        v[i] = loss_now();
    }
    *x = was;
    return (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h);
}

static void assert_derivative(double got, double *x, const char *what, size_t i)
{
    const double want = difference(x);
    if (!(fabs(got - want) <= 1e-8 * (1 + fabs(want))))
        fail_msg("%s %zu: derivative %.12g, by differences %.12g", what, i, got, want);
}

static void begin(void)
{
    assert_int_equal(sc_nn_create(&t.net), SC_OK);
}

static void draw(double *v, size_t n, sc_rng *r)
{
    for (size_t i = 0; i < n; i++)
        v[i] = 4 * gsl_rng_uniform(&r->gsl) - 2;
}

static void check_codes(void)
{
    double change[8], y[2];
    const size_t fields = sc_nn_code_size(t.net, 0);
    for (size_t i = 0; i < SAMPLES * fields; i++) {
        (void)loss_now();
        sc_nn_backward(t.net, t.weights, t.work, &t.b, t.towards, NULL, true);
        sc_nn_d_code(change, t.net, t.weights, t.work, &t.b, 0, i / fields, (uint32_t)(i % fields));
        assert_true(change[t.code[i]] == 0);
        y[0] = loss_now();
        const uint32_t was = t.code[i];
        t.code[i] = was ? 0 : 1;
        y[1] = loss_now();
        t.code[i] = was;
        /* exact where the network is linear in the embedding, which is why only such ones come here
         */
        assert_true(fabs(change[was ? 0 : 1] - (y[1] - y[0])) < 1e-9);
    }
}

/* Finish the network, and hold all derivatives by weights and inputs against differences. */
static void check(uint32_t result, bool linear_codes)
{
    sc_rng r;
    sc_rng_init(&r, 7, 1, 1);
    assert_int_equal(sc_nn_finish(t.net, result), SC_OK);
    assert_int_equal(sc_nn_work_create(&t.work, t.net, SAMPLES, true), SC_OK);
    t.n = sc_nn_weights(t.net);
    t.outputs = sc_nn_outputs(t.net);
    assert_true(t.n <= MOST && SAMPLES * t.outputs <= MOST);
    t.b = (sc_nn_batch){.n = SAMPLES, .code = {t.code}, .count = {t.count, t.count}};
    sc_nn_begin(t.net, t.weights, &r);
    for (size_t i = 0; i < t.n; i++) /* gains and biases must not stay at 1 and 0 */
        t.weights[i] += 0.3 * (gsl_rng_uniform(&r.gsl) - 0.5);
    draw(t.towards, SAMPLES * t.outputs, &r);
    for (size_t k = 0; k < 2; k++) {
        draw(t.real[k], SAMPLES * sc_nn_real_size(t.net, k), &r);
        t.b.real[k] = t.real[k];
    }
    for (size_t i = 0; i < SAMPLES * sc_nn_code_size(t.net, 0); i++)
        t.code[i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, 3);
    for (uint32_t s = 0; s < SAMPLES; s++)
        t.count[s] = s; /* an empty set among them */

    memset(t.d_weights, 0, sizeof t.d_weights);
    (void)loss_now();
    sc_nn_backward(t.net, t.weights, t.work, &t.b, t.towards, t.d_weights, true);
    double d_real[2][MOST];
    for (size_t k = 0; k < 2; k++)
        if (sc_nn_real_size(t.net, k))
            memcpy(d_real[k], sc_nn_d_real(t.net, t.work, k),
                   SAMPLES * sc_nn_real_size(t.net, k) * sizeof(double));
    for (size_t i = 0; i < t.n; i++)
        assert_derivative(t.d_weights[i], &t.weights[i], "weight", i);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < SAMPLES * sc_nn_real_size(t.net, k); i++)
            assert_derivative(d_real[k][i], &t.real[k][i], "input", i);
    if (linear_codes)
        check_codes();
    sc_nn_work_destroy(t.work);
    sc_nn_destroy(t.net);
}

static void test_dense(void **state)
{
    const sc_activation acts[] = {SC_ACT_NONE, SC_ACT_RELU, SC_ACT_SILU, SC_ACT_TANH};
    for (size_t i = 0; i < COUNT(acts); i++) {
        begin();
        check(sc_nn_dense(t.net, sc_nn_real(t.net, 3, 5, false), 7, acts[i]), false);
        begin();
        check(sc_nn_dense_whole(t.net, sc_nn_real(t.net, 3, 5, false), 7, acts[i]), false);
    }
}

static void test_embedding_and_tokens(void **state)
{
    begin();
    check(sc_nn_embed(t.net, 2, (uint32_t[]){3, 5}, 4), true);
    begin();
    check(sc_nn_dense_whole(t.net, sc_nn_embed(t.net, 2, (uint32_t[]){3, 5}, 4), 3, SC_ACT_NONE),
          true);
    begin();
    check(sc_nn_tokens(t.net, sc_nn_real(t.net, 1, 5, false), 3), false);
}

static void test_norm(void **state)
{
    begin();
    check(sc_nn_norm(t.net, sc_nn_real(t.net, 3, 5, false)), false);
}

static void test_attention(void **state)
{
    for (uint32_t heads = 1; heads <= 3; heads++) {
        if (6 % heads)
            continue;
        begin();
        check(sc_nn_attention(t.net, sc_nn_real(t.net, 4, 6, false), heads), false);
        begin();
        check(sc_nn_attention(t.net, sc_nn_real(t.net, 4, 6, true), heads), false);
    }
}

static void test_two_joined(void **state)
{
    typedef uint32_t (*join)(sc_nn *, uint32_t, uint32_t);
    const join joins[] = {sc_nn_add, sc_nn_multiply, sc_nn_join};
    for (size_t i = 0; i < COUNT(joins); i++) {
        for (uint32_t fields = 1; fields <= 3; fields += 2) {
            begin();
            const uint32_t a = sc_nn_real(t.net, 3, 5, false);
            check(joins[i](t.net, a, sc_nn_real(t.net, fields, 5, false)), false);
        }
        begin(); /* the same twice, and a second use of it */
        const uint32_t a = sc_nn_dense(t.net, sc_nn_real(t.net, 3, 5, false), 5, SC_ACT_TANH);
        check(sc_nn_join(t.net, joins[i](t.net, a, a), a), false);
    }
    begin();
    const uint32_t a = sc_nn_real(t.net, 3, 5, false);
    check(sc_nn_join(t.net, a, sc_nn_real(t.net, 2, 7, false)), false);
}

static void test_pooling_of_sets(void **state)
{
    const sc_pooling hows[] = {SC_POOL_MEAN, SC_POOL_SUM, SC_POOL_MAX};
    for (size_t i = 0; i < COUNT(hows); i++)
        for (int set = 0; set < 2; set++) {
            begin();
            const uint32_t x = sc_nn_real(t.net, 4, 3, set);
            check(sc_nn_pool(t.net, sc_nn_dense(t.net, x, 5, SC_ACT_TANH), hows[i]), false);
        }
}

static void test_mixture(void **state)
{
    begin();
    const uint32_t heads = sc_nn_real(t.net, 4, 2, false);
    check(sc_nn_mix(t.net, heads, sc_nn_real(t.net, 1, 4, false)), false);
}

/* PRIME's network in small: fields as tokens, two transformer layers, a context that scales them,
 * heads mixed by a vote. */
static void test_whole_network(void **state)
{
    begin();
    const uint32_t labels = sc_nn_embed(t.net, 2, (uint32_t[]){3, 5}, 4);
    const uint32_t numbers = sc_nn_tokens(t.net, sc_nn_real(t.net, 1, 3, false), 4);
    uint32_t h = sc_nn_join(t.net, numbers, labels);
    const uint32_t layers = sc_nn_dense(t.net, sc_nn_real(t.net, 4, 3, true), 4, SC_ACT_SILU);
    const uint32_t looked = sc_nn_transformer(t.net, layers, 2, 5);
    h = sc_nn_multiply(t.net, h, sc_nn_pool(t.net, looked, SC_POOL_MEAN));
    h = sc_nn_transformer(t.net, sc_nn_transformer(t.net, h, 2, 5), 1, 5);
    const uint32_t gate = sc_nn_dense_whole(t.net, h, 5, SC_ACT_NONE);
    check(sc_nn_mix(t.net, sc_nn_dense(t.net, h, 2, SC_ACT_NONE), gate), false);
}

static void test_adam_by_hand(void **state)
{
    sc_adam a;
    double w[2] = {1, -2}, g[2] = {0.5, 0};
    assert_int_equal(sc_adam_init(&a, 2), SC_OK);
    a.rate = 0.1;
    sc_adam_step(&a, w, g);
    /* first step: mean and square without bias are g and g^2: rate * g / (|g| + floor) */
    assert_true(fabs(w[0] - (1 - 0.1 * 0.5 / (0.5 + 1e-8))) < 1e-12);
    assert_true(w[1] == -2 && g[0] == 0);
    g[0] = -0.25;
    sc_adam_step(&a, w, g);
    const double m = (0.9 * 0.05 - 0.1 * 0.25) / (1 - 0.81);
    const double v = (0.999 * 0.001 * 0.25 + 0.001 * 0.0625) / (1 - 0.998001);
    assert_true(fabs(w[0] - (0.9 - 0.1 * m / sqrt(v))) < 1e-7);
    const double was = w[0];
    g[0] = NAN;
    sc_adam_step(&a, w, g);
    assert_true(w[0] == was && g[0] == 0 && a.steps == 2);
    sc_adam_clear(&a);
}

/* Decay shrinks weights without a gradient by (1 - rate decay); a long gradient is cut. */
static void test_adam_decay_and_cut(void **state)
{
    sc_adam a;
    double w[2] = {1, 2}, g[2] = {0, 0};
    assert_int_equal(sc_adam_init(&a, 2), SC_OK);
    a.decay = 0.5;
    sc_adam_step(&a, w, g);
    assert_true(fabs(w[0] - (1 - 0.5e-3)) < 1e-15 && fabs(w[1] - 2 * (1 - 0.5e-3)) < 1e-15);
    a.longest = 1;
    g[0] = 30, g[1] = 40;
    sc_adam_step(&a, w, g);
    assert_true(fabs(a.mean[0] - 0.06) < 1e-15 && fabs(a.mean[1] - 0.08) < 1e-15);
    sc_adam_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),        cmocka_unit_test(test_embedding_and_tokens),
        cmocka_unit_test(test_norm),         cmocka_unit_test(test_attention),
        cmocka_unit_test(test_two_joined),   cmocka_unit_test(test_pooling_of_sets),
        cmocka_unit_test(test_mixture),      cmocka_unit_test(test_whole_network),
        cmocka_unit_test(test_adam_by_hand), cmocka_unit_test(test_adam_decay_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
