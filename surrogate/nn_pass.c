/* Forward and backward passes: which layer's numbers are where, layer after layer. */
#include <string.h>

#include "core/mem.h"
#include "surrogate/nn_inner.h"

enum { SCRATCH = 2 * SC_NN_WIDEST };

sc_status sc_nn_work_create(sc_nn_work **out, const sc_nn *n, size_t samples, bool learning)
{
    if (n->result == SC_NN_NONE || samples == 0 || samples > SC_NN_SAMPLES)
        return sc_fail(SC_EINVAL, "network: a workspace needs a finished one and 1 to %d samples",
                       SC_NN_SAMPLES);
    sc_nn_work *w = sc_calloc(1, sizeof *w);
    if (!w)
        return SC_ENOMEM;
    w->samples = samples;
    w->value = sc_calloc(n->n_values, samples * sizeof(sc_real));
    w->kept = sc_calloc(n->n_kept, samples * sizeof(sc_real));
    w->scratch = sc_calloc(SCRATCH, sizeof(sc_real));
    if (learning)
        w->gradient = sc_calloc(n->n_values, samples * sizeof(sc_real));
    if (w->value && w->kept && w->scratch && (w->gradient || !learning)) {
        *out = w;
        return SC_OK;
    }
    sc_nn_work_destroy(w);
    return SC_ENOMEM;
}

void sc_nn_work_destroy(sc_nn_work *w)
{
    if (!w)
        return;
    sc_free(w->value);
    sc_free(w->kept);
    sc_free(w->scratch);
    sc_free(w->gradient);
    sc_free(w);
}

size_t sc_nn_work_bytes(const sc_nn *n, size_t samples, bool learning)
{
    const size_t a_sample = n->n_values * (learning ? 2 : 1) + n->n_kept;
    return (a_sample * samples + SCRATCH) * sizeof(sc_real) + sizeof(sc_nn_work);
}

/* ---- a layer's place in a pass ---- */

uint32_t sc_nn__count(const sc_pass *p, const sc_layer *l, size_t sample)
{
    const uint32_t *count = l->set == SC_NN_NONE ? NULL : p->b->count[l->set];
    return count && count[sample] < l->fields ? count[sample] : l->fields;
}

void sc_nn__give(sc_real *out, const sc_real *v, size_t n, bool fresh)
{
    if (fresh) {
        memcpy(out, v, n * sizeof *out);
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] += v[i];
}

static sc_pass pass_of(const sc_nn *n, const sc_real *weights, sc_nn_work *w, const sc_nn_batch *b,
                       const sc_layer *l)
{
    sc_pass p = {.net = n, .l = l, .b = b};
    p.weight = weights + l->weight;
    p.y = w->value + l->value * w->samples;
    p.kept = w->kept + l->kept * w->samples;
    p.scratch = w->scratch;
    for (size_t k = 0; k < 2; k++)
        if (l->from[k] != SC_NN_NONE) {
            p.from[k] = &n->layer[l->from[k]];
            p.x[k] = w->value + p.from[k]->value * w->samples;
        }
    return p;
}

const sc_real *sc_nn_forward(const sc_nn *n, const sc_real *weights, sc_nn_work *w,
                             const sc_nn_batch *b)
{
    for (uint32_t i = 0; i < n->n_layers; i++) {
        const sc_pass p = pass_of(n, weights, w, b, &n->layer[i]);
        switch (p.l->kind) {
        case SC_LAYER_REAL:
            memcpy(p.y, b->real[p.l->option], b->n * sc_nn__size(p.l) * sizeof *p.y);
            break;
        case SC_LAYER_EMBED: sc_nn__embed(&p); break;
        case SC_LAYER_TOKENS: sc_nn__tokens(&p); break;
        case SC_LAYER_DENSE: sc_nn__dense(&p); break;
        case SC_LAYER_NORM: sc_nn__norm(&p); break;
        case SC_LAYER_ATTENTION: sc_nn__attention(&p); break;
        case SC_LAYER_ADD: sc_nn__add(&p); break;
        case SC_LAYER_MULTIPLY: sc_nn__multiply(&p); break;
        case SC_LAYER_JOIN: sc_nn__join(&p); break;
        case SC_LAYER_POOL: sc_nn__pool(&p); break;
        case SC_LAYER_MIX: sc_nn__mix(&p); break;
        case SC_LAYER_KINDS: break;
        }
    }
    return w->value + n->layer[n->result].value * w->samples;
}

void sc_nn_backward(const sc_nn *n, const sc_real *weights, sc_nn_work *w, const sc_nn_batch *b,
                    const sc_real *d_result, sc_real *d_weights, bool inputs)
{
    const sc_layer *last = &n->layer[n->result];
    memcpy(w->gradient + last->value * w->samples, d_result,
           b->n * sc_nn__size(last) * sizeof *d_result);
    for (uint32_t i = n->n_layers; i-- > 0;) {
        sc_pass p = pass_of(n, weights, w, b, &n->layer[i]);
        p.dy = w->gradient + p.l->value * w->samples;
        p.d_weight = d_weights ? d_weights + p.l->weight : NULL;
        for (size_t k = 0; k < 2; k++)
            if (p.from[k] && (inputs || p.from[k]->kind != SC_LAYER_REAL))
                p.dx[k] = w->gradient + p.from[k]->value * w->samples;
        switch (p.l->kind) {
        case SC_LAYER_REAL: break;
        case SC_LAYER_EMBED: sc_nn__embed_back(&p); break;
        case SC_LAYER_TOKENS: sc_nn__tokens_back(&p); break;
        case SC_LAYER_DENSE: sc_nn__dense_back(&p); break;
        case SC_LAYER_NORM: sc_nn__norm_back(&p); break;
        case SC_LAYER_ATTENTION: sc_nn__attention_back(&p); break;
        case SC_LAYER_ADD: sc_nn__add_back(&p); break;
        case SC_LAYER_MULTIPLY: sc_nn__multiply_back(&p); break;
        case SC_LAYER_JOIN: sc_nn__join_back(&p); break;
        case SC_LAYER_POOL: sc_nn__pool_back(&p); break;
        case SC_LAYER_MIX: sc_nn__mix_back(&p); break;
        case SC_LAYER_KINDS: break;
        }
    }
}

const sc_real *sc_nn_d_real(const sc_nn *n, const sc_nn_work *w, size_t i)
{
    return w->gradient + n->layer[n->real[i]].value * w->samples;
}

void sc_nn_d_code(sc_real *out, const sc_nn *n, const sc_real *weights, const sc_nn_work *w,
                  const sc_nn_batch *b, size_t i, size_t sample, uint32_t field)
{
    const sc_layer *l = &n->layer[n->code[i]];
    const uint32_t level = b->code[i][sample * l->fields + field];
    const sc_real *table = weights + l->weight + (size_t)l->first_level[field] * l->width;
    const sc_real *now = table + (size_t)(level < l->level[field] ? level : 0) * l->width;
    const sc_real *d =
        w->gradient + l->value * w->samples + (sample * l->fields + field) * l->width;
    for (uint32_t k = 0; k < l->level[field]; k++) {
        sc_real sum = 0;
        for (uint32_t j = 0; j < l->width; j++)
            sum += d[j] * (table[(size_t)k * l->width + j] - now[j]);
        out[k] = sum;
    }
}
