/* Rates of a 64-256-256-2 network in batches of 256, in one thread: rows learned from and rows
 * forecast a second of processor time. bench/peers/surrogate.py is the same network in PyTorch. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/mem.h"
#include "surrogate/adam.h"
#include "surrogate/blas.h"
#include "surrogate/loss.h"
#include "surrogate/nn.h"

enum { IN = 64, WIDTH = 256, OUT = 2, BATCH = 256, ROUNDS = 400 };

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What both measurements work on. */
typedef struct stand {
    sc_nn *net;
    sc_nn_work *work;
    sc_adam adam;
    sc_real *weights, *gradient;
    sc_real x[BATCH * IN], y[BATCH * OUT], d[BATCH * OUT];
} stand;

static double learn(stand *s, const sc_nn_batch *b)
{
    const double begin = cpu_s();
    for (int i = 0; i < ROUNDS; i++) {
        const sc_real *result = sc_nn_forward(s->net, s->weights, s->work, b);
        for (size_t k = 0; k < (size_t)BATCH * OUT; k++)
            s->d[k] = 0;
        (void)sc_loss_squared(s->d, result, s->y, (size_t)BATCH * OUT, 1.0);
        sc_nn_backward(s->net, s->weights, s->work, b, s->d, s->gradient, false);
        sc_adam_step(&s->adam, s->weights, s->gradient);
    }
    return (double)ROUNDS * BATCH / (cpu_s() - begin);
}

static double forecast(const stand *s, const sc_nn_batch *b)
{
    const double begin = cpu_s();
    for (int i = 0; i < ROUNDS; i++)
        (void)sc_nn_forward(s->net, s->weights, s->work, b);
    return (double)ROUNDS * BATCH / (cpu_s() - begin);
}

static sc_status begin(stand *s)
{
    sc_rng r;
    sc_status st = sc_nn_create(&s->net);
    if (st != SC_OK)
        return st;
    uint32_t h = sc_nn_dense(s->net, sc_nn_real(s->net, 1, IN, false), WIDTH, SC_ACT_RELU);
    h = sc_nn_dense(s->net, h, WIDTH, SC_ACT_RELU);
    st = sc_nn_finish(s->net, sc_nn_dense(s->net, h, OUT, SC_ACT_NONE));
    if (st == SC_OK)
        st = sc_nn_work_create(&s->work, s->net, BATCH, true);
    if (st == SC_OK)
        st = sc_adam_init(&s->adam, sc_nn_weights(s->net));
    if (st != SC_OK)
        return st;
    s->weights = sc_calloc(sc_nn_weights(s->net), sizeof *s->weights);
    s->gradient = sc_calloc(sc_nn_weights(s->net), sizeof *s->gradient);
    if (!s->weights || !s->gradient)
        return SC_ENOMEM;
    sc_rng_init(&r, 1, 1, 1);
    sc_nn_begin(s->net, s->weights, &r);
    for (size_t i = 0; i < (size_t)BATCH * IN; i++)
        s->x[i] = (sc_real)(gsl_rng_uniform(&r.gsl) - 0.5);
    for (size_t i = 0; i < (size_t)BATCH * OUT; i++)
        s->y[i] = (sc_real)gsl_rng_uniform(&r.gsl);
    return SC_OK;
}

int main(void)
{
    static stand s;
    (void)sc_blas_threads(1);
    if (begin(&s) == SC_OK) {
        const sc_nn_batch b = {.n = BATCH, .real = {s.x}};
        (void)learn(&s, &b); /* warm */
        for (int round = 0; round < 3; round++) {
            const double rows = learn(&s, &b);
            printf("learned %.0f, forecast %.0f rows a second of processor time\n", rows,
                   forecast(&s, &b));
        }
    } else {
        (void)fprintf(stderr, "%s\n", sc_error_message());
    }
    sc_free(s.weights);
    sc_free(s.gradient);
    sc_adam_clear(&s.adam);
    sc_nn_work_destroy(s.work);
    sc_nn_destroy(s.net);
    return 0;
}
