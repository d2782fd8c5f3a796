/* Description of networks: constructors, checks, weights to begin with, and their bytes. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "core/mem.h"
#include "surrogate/nn_inner.h"

sc_status sc_nn_create(sc_nn **out)
{
    sc_nn *n = sc_calloc(1, sizeof *n);
    if (!n)
        return SC_ENOMEM;
    n->result = SC_NN_NONE;
    *out = n;
    return SC_OK;
}

void sc_nn_destroy(sc_nn *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->n_layers; i++)
        sc_free(n->layer[i].level);
    sc_free(n);
}

static const char *const kind_names[SC_LAYER_KINDS] = {
    "real input", "embedding", "tokens", "dense",   "normalisation", "attention",
    "sum",        "product",   "join",   "pooling", "mixture"};

/* ---- constructors ---- */

static uint32_t refuse(sc_nn *n, sc_status status, sc_layer_kind kind, const char *why)
{
    if (n->status == SC_OK)
        n->status =
            sc_fail(status, "network: layer %u (%s) %s", n->n_layers, kind_names[kind], why);
    return SC_NN_NONE;
}

/* Add a layer whose from[], fields, width and options are set. */
static uint32_t append(sc_nn *n, const sc_layer *l)
{
    if (n->status != SC_OK)
        return SC_NN_NONE;
    if (n->n_layers == SC_NN_LAYERS)
        return refuse(n, SC_ERANGE, l->kind, "is one too many");
    if (l->fields == 0 || l->width == 0)
        return refuse(n, SC_EINVAL, l->kind, "has no extent");
    if (l->fields > SC_NN_WIDEST || l->width > SC_NN_WIDEST || sc_nn__size(l) > SC_NN_WIDEST ||
        l->n_kept > (size_t)64 * SC_NN_WIDEST)
        return refuse(n, SC_ERANGE, l->kind, "is too wide");
    if (l->n_weights > SC_NN_WEIGHTS - n->n_weights)
        return refuse(n, SC_ERANGE, l->kind, "has too many weights");
    sc_layer *kept = &n->layer[n->n_layers];
    *kept = *l;
    kept->weight = n->n_weights;
    kept->value = n->n_values;
    kept->kept = n->n_kept;
    n->n_weights += l->n_weights;
    n->n_values += sc_nn__size(l);
    n->n_kept += l->n_kept;
    return n->n_layers++;
}

/* The layer of that number; NULL, and the failure noted, if there is none. */
static const sc_layer *layer_at(sc_nn *n, uint32_t i, sc_layer_kind kind)
{
    if (i < n->n_layers)
        return &n->layer[i];
    refuse(n, SC_EINVAL, kind, "takes a layer that is not there");
    return NULL;
}

static sc_layer layer_of(sc_layer_kind kind, uint32_t a, uint32_t b, uint32_t fields,
                         uint32_t width)
{
    return (sc_layer){
        .kind = kind, .from = {a, b}, .fields = fields, .width = width, .set = SC_NN_NONE};
}

uint32_t sc_nn_real(sc_nn *n, uint32_t fields, uint32_t width, bool set)
{
    sc_layer l = layer_of(SC_LAYER_REAL, SC_NN_NONE, SC_NN_NONE, fields, width);
    if (n->n_real == SC_NN_INPUTS)
        return refuse(n, SC_ERANGE, l.kind, "is one input too many");
    l.option = n->n_real;
    l.set = set ? n->n_real : SC_NN_NONE;
    const uint32_t i = append(n, &l);
    if (i != SC_NN_NONE)
        n->real[n->n_real++] = i;
    return i;
}

uint32_t sc_nn_embed(sc_nn *n, uint32_t fields, const uint32_t *levels, uint32_t width)
{
    sc_layer l = layer_of(SC_LAYER_EMBED, SC_NN_NONE, SC_NN_NONE, fields, width);
    if (n->n_code == SC_NN_INPUTS || fields > SC_NN_WIDEST || width > SC_NN_WIDEST)
        return refuse(n, SC_ERANGE, l.kind, "is one input too many, or too wide");
    l.option = n->n_code;
    l.level = sc_calloc(2 * (size_t)fields, sizeof *l.level);
    if (!l.level)
        return refuse(n, SC_ENOMEM, l.kind, "finds no memory");
    l.first_level = l.level + fields;
    size_t total = 0;
    bool empty = false;
    for (uint32_t f = 0; f < fields && total <= SC_NN_WEIGHTS; f++) {
        l.level[f] = levels[f];
        l.first_level[f] = (uint32_t)total;
        total += levels[f];
        empty |= levels[f] == 0;
    }
    l.n_weights = total > SC_NN_WEIGHTS ? SIZE_MAX : total * width;
    const uint32_t i =
        empty ? refuse(n, SC_EINVAL, l.kind, "has a field without levels") : append(n, &l);
    if (i != SC_NN_NONE)
        n->code[n->n_code++] = i;
    else
        sc_free(l.level);
    return i;
}

uint32_t sc_nn_tokens(sc_nn *n, uint32_t from, uint32_t out)
{
    const sc_layer *x = layer_at(n, from, SC_LAYER_TOKENS);
    if (!x)
        return SC_NN_NONE;
    sc_layer l = layer_of(SC_LAYER_TOKENS, from, SC_NN_NONE, (uint32_t)sc_nn__size(x), out);
    l.n_weights = 2 * sc_nn__size(&l);
    if (x->set != SC_NN_NONE)
        return refuse(n, SC_EINVAL, l.kind, "cannot take a set apart");
    return append(n, &l);
}

static uint32_t dense(sc_nn *n, uint32_t from, uint32_t out, sc_activation act, bool whole)
{
    const sc_layer *x = layer_at(n, from, SC_LAYER_DENSE);
    if (!x)
        return SC_NN_NONE;
    sc_layer l = layer_of(SC_LAYER_DENSE, from, SC_NN_NONE, whole ? 1 : x->fields, out);
    l.whole = whole;
    l.option = (uint32_t)act;
    l.set = whole ? SC_NN_NONE : x->set;
    l.n_weights = ((whole ? sc_nn__size(x) : x->width) + 1) * out;
    l.n_kept = act == SC_ACT_SILU ? sc_nn__size(&l) : 0;
    if (whole && x->set != SC_NN_NONE)
        return refuse(n, SC_EINVAL, l.kind, "takes a set as a whole: pool it first");
    if (act > SC_ACT_TANH)
        return refuse(n, SC_EINVAL, l.kind, "has no such activation");
    return append(n, &l);
}

uint32_t sc_nn_dense(sc_nn *n, uint32_t from, uint32_t out, sc_activation act)
{
    return dense(n, from, out, act, false);
}

uint32_t sc_nn_dense_whole(sc_nn *n, uint32_t from, uint32_t out, sc_activation act)
{
    return dense(n, from, out, act, true);
}

uint32_t sc_nn_norm(sc_nn *n, uint32_t from)
{
    const sc_layer *x = layer_at(n, from, SC_LAYER_NORM);
    if (!x)
        return SC_NN_NONE;
    sc_layer l = layer_of(SC_LAYER_NORM, from, SC_NN_NONE, x->fields, x->width);
    l.set = x->set;
    l.n_weights = 2 * (size_t)x->width;
    l.n_kept = sc_nn__size(x) + x->fields; /* normalised, and one over the deviation */
    return append(n, &l);
}

uint32_t sc_nn_attention(sc_nn *n, uint32_t from, uint32_t heads)
{
    const sc_layer *x = layer_at(n, from, SC_LAYER_ATTENTION);
    if (!x)
        return SC_NN_NONE;
    sc_layer l = layer_of(SC_LAYER_ATTENTION, from, SC_NN_NONE, x->fields, x->width);
    l.set = x->set;
    l.option = heads;
    l.n_weights = 4 * (size_t)x->width * (x->width + 1);
    /* queries, keys and values; what heads found; both derivatives; and the weights of attention */
    l.n_kept = 8 * sc_nn__size(x) + (size_t)heads * x->fields * x->fields;
    if (heads == 0 || x->width % heads != 0)
        return refuse(n, SC_EINVAL, l.kind, "has heads that do not divide the width");
    return append(n, &l);
}

static uint32_t combine(sc_nn *n, sc_layer_kind kind, uint32_t a, uint32_t b)
{
    const sc_layer *x = layer_at(n, a, kind), *y = layer_at(n, b, kind);
    if (!x || !y)
        return SC_NN_NONE;
    sc_layer l = layer_of(kind, a, b, x->fields, x->width);
    l.set = x->set;
    if (x->width != y->width || (y->fields != x->fields && y->fields != 1))
        return refuse(n, SC_EINVAL, kind, "takes two of different shapes");
    if (y->fields != 1 && y->set != x->set)
        return refuse(n, SC_EINVAL, kind, "takes two different sets");
    return append(n, &l);
}

uint32_t sc_nn_add(sc_nn *n, uint32_t a, uint32_t b)
{
    return combine(n, SC_LAYER_ADD, a, b);
}

uint32_t sc_nn_multiply(sc_nn *n, uint32_t a, uint32_t b)
{
    return combine(n, SC_LAYER_MULTIPLY, a, b);
}

uint32_t sc_nn_join(sc_nn *n, uint32_t a, uint32_t b)
{
    const sc_layer *x = layer_at(n, a, SC_LAYER_JOIN), *y = layer_at(n, b, SC_LAYER_JOIN);
    if (!x || !y)
        return SC_NN_NONE;
    const bool alike = x->width == y->width;
    const size_t all = sc_nn__size(x) + sc_nn__size(y);
    const sc_layer l = layer_of(SC_LAYER_JOIN, a, b, alike ? x->fields + y->fields : 1,
                                alike ? x->width : (uint32_t)all);
    if (x->set != SC_NN_NONE || y->set != SC_NN_NONE)
        return refuse(n, SC_EINVAL, l.kind, "takes a set: pool it first");
    return append(n, &l);
}

uint32_t sc_nn_pool(sc_nn *n, uint32_t from, sc_pooling how)
{
    const sc_layer *x = layer_at(n, from, SC_LAYER_POOL);
    if (!x)
        return SC_NN_NONE;
    sc_layer l = layer_of(SC_LAYER_POOL, from, SC_NN_NONE, 1, x->width);
    l.option = (uint32_t)how;
    l.n_kept = how == SC_POOL_MAX ? x->width : 0; /* whose it was */
    if (how > SC_POOL_MAX)
        return refuse(n, SC_EINVAL, l.kind, "has no such way");
    return append(n, &l);
}

uint32_t sc_nn_mix(sc_nn *n, uint32_t heads, uint32_t gate)
{
    const sc_layer *x = layer_at(n, heads, SC_LAYER_MIX), *g = layer_at(n, gate, SC_LAYER_MIX);
    if (!x || !g)
        return SC_NN_NONE;
    sc_layer l = layer_of(SC_LAYER_MIX, heads, gate, 1, x->width);
    l.n_kept = x->fields; /* the vote */
    if (sc_nn__size(g) != x->fields || x->set != SC_NN_NONE || g->set != SC_NN_NONE)
        return refuse(n, SC_EINVAL, l.kind, "needs one number of the gate for each head");
    return append(n, &l);
}

uint32_t sc_nn_transformer(sc_nn *n, uint32_t from, uint32_t heads, uint32_t hidden)
{
    const sc_layer *x = layer_at(n, from, SC_LAYER_ATTENTION);
    if (!x)
        return SC_NN_NONE;
    const uint32_t width = x->width;
    const uint32_t looked = sc_nn_add(n, from, sc_nn_attention(n, sc_nn_norm(n, from), heads));
    const uint32_t wide = sc_nn_dense(n, sc_nn_norm(n, looked), hidden, SC_ACT_SILU);
    return sc_nn_add(n, looked, sc_nn_dense(n, wide, width, SC_ACT_NONE));
}

sc_status sc_nn_finish(sc_nn *n, uint32_t result)
{
    bool reached[SC_NN_LAYERS] = {false};
    if (n->status != SC_OK)
        return n->status;
    if (result != n->n_layers - 1)
        return n->status = sc_fail(SC_EINVAL, "network: the result is not its last layer");
    reached[result] = true;
    for (uint32_t i = n->n_layers; i-- > 0;) {
        sc_layer *l = &n->layer[i];
        if (!reached[i])
            return n->status = sc_fail(SC_EINVAL, "network: layer %u (%s) leads nowhere", i,
                                       kind_names[l->kind]);
        for (size_t k = 0; k < 2; k++)
            if (l->from[k] != SC_NN_NONE) {
                l->fresh[k] = !reached[l->from[k]];
                reached[l->from[k]] = true;
            }
    }
    n->result = result;
    return SC_OK;
}

/* ---- of a finished network ---- */

size_t sc_nn_weights(const sc_nn *n)
{
    return n->n_weights;
}

size_t sc_nn_outputs(const sc_nn *n)
{
    return sc_nn__size(&n->layer[n->result]);
}

size_t sc_nn_real_size(const sc_nn *n, size_t i)
{
    return i < n->n_real ? sc_nn__size(&n->layer[n->real[i]]) : 0;
}

size_t sc_nn_code_size(const sc_nn *n, size_t i)
{
    return i < n->n_code ? n->layer[n->code[i]].fields : 0;
}

static void draw(sc_real *out, size_t n, double deviation, sc_rng *r)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (sc_real)(deviation * gsl_ran_gaussian_ziggurat(&r->gsl, 1.0));
}

void sc_nn_begin(const sc_nn *n, sc_real *weights, sc_rng *r)
{
    memset(weights, 0, n->n_weights * sizeof *weights);
    for (uint32_t i = 0; i < n->n_layers; i++) {
        const sc_layer *l = &n->layer[i];
        sc_real *w = weights + l->weight;
        const size_t width = l->width;
        if (l->kind == SC_LAYER_EMBED)
            draw(w, l->n_weights, 1.0, r);
        if (l->kind == SC_LAYER_TOKENS)
            draw(w, l->n_weights / 2, 1.0, r);
        if (l->kind == SC_LAYER_DENSE) {
            const size_t in = l->n_weights / width - 1;
            const bool half = l->option == SC_ACT_RELU || l->option == SC_ACT_SILU;
            draw(w, in * width, sqrt((half ? 2.0 : 1.0) / (double)in), r);
        }
        if (l->kind == SC_LAYER_NORM)
            for (size_t j = 0; j < width; j++)
                w[j] = 1;
        if (l->kind == SC_LAYER_ATTENTION) {
            draw(w, 3 * width * width, sqrt(1.0 / (double)width), r);
            draw(w + 3 * width * (width + 1), width * width, sqrt(1.0 / (double)width), r);
        }
    }
}

/* ---- bytes ---- */

enum { NET_FORM = 1 };

void sc_nn_write(sc_buf *out, const sc_nn *n)
{
    sc_blob_u32(out, NET_FORM);
    sc_blob_u32(out, n->n_layers);
    for (uint32_t i = 0; i < n->n_layers; i++) {
        const sc_layer *l = &n->layer[i];
        const uint32_t words[] = {(uint32_t)l->kind, l->from[0], l->from[1],           l->fields,
                                  l->width,          l->option,  l->set != SC_NN_NONE, l->whole};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            sc_blob_u32(out, words[k]);
        if (l->kind == SC_LAYER_EMBED)
            for (uint32_t f = 0; f < l->fields; f++)
                sc_blob_u32(out, l->level[f]);
    }
}

static void read_embedding(sc_nn *n, sc_blob *b, uint32_t fields, uint32_t width)
{
    if (fields == 0 || fields > b->left / 4) {
        b->broken = true;
        return;
    }
    uint32_t *levels = sc_calloc(fields, sizeof *levels);
    if (!levels) {
        n->status = SC_ENOMEM;
        return;
    }
    for (uint32_t f = 0; f < fields; f++)
        levels[f] = sc_blob_read_u32(b);
    sc_nn_embed(n, fields, levels, width);
    sc_free(levels);
}

/* Through the constructors, which refuse what no network is. */
static void read_layer(sc_nn *n, sc_blob *b)
{
    uint32_t v[8];
    for (size_t k = 0; k < 8; k++)
        v[k] = sc_blob_read_u32(b);
    if (b->broken)
        return;
    switch ((sc_layer_kind)v[0]) {
    case SC_LAYER_REAL: sc_nn_real(n, v[3], v[4], v[6] != 0); break;
    case SC_LAYER_EMBED: read_embedding(n, b, v[3], v[4]); break;
    case SC_LAYER_TOKENS: sc_nn_tokens(n, v[1], v[4]); break;
    case SC_LAYER_DENSE: dense(n, v[1], v[4], (sc_activation)v[5], v[7] != 0); break;
    case SC_LAYER_NORM: sc_nn_norm(n, v[1]); break;
    case SC_LAYER_ATTENTION: sc_nn_attention(n, v[1], v[5]); break;
    case SC_LAYER_ADD: sc_nn_add(n, v[1], v[2]); break;
    case SC_LAYER_MULTIPLY: sc_nn_multiply(n, v[1], v[2]); break;
    case SC_LAYER_JOIN: sc_nn_join(n, v[1], v[2]); break;
    case SC_LAYER_POOL: sc_nn_pool(n, v[1], (sc_pooling)v[5]); break;
    case SC_LAYER_MIX: sc_nn_mix(n, v[1], v[2]); break;
    default: b->broken = true;
    }
}

sc_status sc_nn_read(sc_nn **out, sc_blob *b)
{
    sc_nn *n = NULL;
    sc_status st = sc_nn_create(&n);
    if (st != SC_OK)
        return st;
    const uint32_t form = sc_blob_read_u32(b), layers = sc_blob_read_u32(b);
    b->broken |= form != NET_FORM || layers == 0 || layers > SC_NN_LAYERS;
    for (uint32_t i = 0; i < layers && !b->broken && n->status == SC_OK; i++)
        read_layer(n, b);
    st = b->broken ? sc_fail(SC_EPARSE, "network: its description is damaged")
                   : sc_nn_finish(n, n->n_layers - 1);
    if (st == SC_OK)
        *out = n;
    else
        sc_nn_destroy(n);
    return st == SC_OK || st == SC_ENOMEM ? st : SC_EPARSE;
}
