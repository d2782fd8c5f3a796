/* Names and extents that a graph states: inputs, weights, dimensions that the caller binds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_graph.h"

enum { FIRST_VALUES = 1024 };

sc_onnx_value *sc_onnx_resolve(const sc_onnx *x, const sc_onnx_scope *scope, const char *name)
{
    int32_t i;
    for (; scope; scope = scope->outer)
        if (sc_names_get(&scope->names, &i, name))
            return x->values[i];
    return NULL;
}

sc_status sc_onnx_new_value(sc_onnx *x, sc_onnx_value **out, const char *name)
{
    if (x->n_values == x->value_capacity) {
        const size_t wanted = x->value_capacity ? 2 * x->value_capacity : FIRST_VALUES;
        void *grown = sc_realloc_array(x->values, wanted, sizeof *x->values);
        if (!grown)
            return SC_ENOMEM;
        x->values = grown;
        x->value_capacity = wanted;
    }
    sc_onnx_value *v = sc_arena_calloc(x->arena, 1, sizeof *v);
    if (!v)
        return SC_ENOMEM;
    v->name = name;
    v->index = (int32_t)x->n_values;
    v->maker = -1;
    v->repeat = 1;
    x->values[x->n_values++] = v;
    *out = v;
    return SC_OK;
}

sc_status sc_onnx_local(sc_onnx *x, sc_onnx_value **out, sc_onnx_scope *scope, const char *name)
{
    int32_t i;
    if (sc_names_get(&scope->names, &i, name)) {
        *out = x->values[i];
        return SC_OK;
    }
    const sc_status st = sc_onnx_new_value(x, out, name);
    return st == SC_OK ? sc_names_put(&scope->names, name, (*out)->index) : st;
}

/* Dimension bound by its own name. */
static bool bound(sc_onnx *x, int64_t *size, const char *name)
{
    for (size_t i = 0; name && i < x->options.n_dims; i++)
        if (strcmp(x->options.dim[i].name, name) == 0) {
            x->options.dim[i].used = true;
            *size = (int64_t)x->options.dim[i].size;
            return true;
        }
    return false;
}

/* Dimension i of a value, bound as "value[i]". */
static bool bound_by_place(sc_onnx *x, int64_t *size, const char *value, size_t i)
{
    char place[SC_ONNX_NAME_LEN];
    const int n = snprintf(place, sizeof place, "%s[%zu]", value, i);
    return n > 0 && (size_t)n < sizeof place && bound(x, size, place);
}

static bool names_a_sequence(const char *name)
{
    return name &&
           (strcmp(name, "seq") == 0 || strstr(name, "sequence") || strstr(name, "seq_len"));
}

/* Size of an open dimension, and what was assumed where nothing binds it. */
static int64_t open_size(sc_onnx *x, const sc_onnx_value *v, size_t i, bool told)
{
    char shown[SC_SHOWN_LEN], value[SC_SHOWN_LEN];
    const sc_onnx_dim *d = &v->info->dims[i];
    int64_t size = 1;
    if (bound(x, &size, d->name) || bound_by_place(x, &size, v->name, i))
        return size;
    const bool first = i == 0 && (!d->name || !names_a_sequence(d->name));
    if (x->options.batch && (first || (d->name && strncmp(d->name, "batch", 5) == 0))) {
        x->batch_bound = true;
        return (int64_t)x->options.batch;
    }
    if (x->options.seq && names_a_sequence(d->name)) {
        x->seq_bound = true;
        return (int64_t)x->options.seq;
    }
    if (!told)
        return 1;
    sc_text_show(value, v->name);
    if (d->name)
        sc_onnx_note(x, "dimension '%s' (%zu of '%s') is open: taken as 1",
                     sc_text_show(shown, d->name), i, value);
    else
        sc_onnx_note(x, "dimension '%s[%zu]' is open: taken as 1", value, i);
    return 1;
}

static void compare(sc_onnx *x, const sc_onnx_value *v)
{
    char shown[SC_SHOWN_LEN];
    const sc_onnx_info *info = v->info;
    bool differs = info->rank != v->rank;
    for (size_t i = 0; !differs && i < info->rank; i++)
        differs = info->dims[i].size > 0 && info->dims[i].size != v->dim[i];
    /* a result without dimensions is how some files say that they do not know them */
    if (differs && info->rank)
        sc_onnx_note(x,
                     "the file's own shape of '%s' differs from the one that follows, which is "
                     "used",
                     sc_text_show(shown, v->name));
}

sc_status sc_onnx_adopt(sc_onnx *x, sc_onnx_value *v, bool told)
{
    const sc_onnx_info *info = v->info;
    uint64_t count = 1;
    if (!info)
        return SC_OK;
    v->elem = v->elem ? v->elem : info->elem;
    if (!info->shaped || info->rank > SC_ONNX_RANK)
        return SC_OK;
    if (v->shaped) {
        compare(x, v);
        return SC_OK;
    }
    for (size_t i = 0; i < info->rank; i++) {
        v->dim[i] = info->dims[i].size > 0 ? info->dims[i].size : open_size(x, v, i, told);
        if (!sc_count_mul(&count, (uint64_t)v->dim[i]))
            return SC_OK; /* as good as unknown */
    }
    v->rank = (uint8_t)info->rank;
    v->shaped = true;
    return SC_OK;
}

static sc_status bad_tensor(sc_onnx *x, const char *what, const char *name, const char *why)
{
    char shown[SC_SHOWN_LEN];
    x->fatal = true;
    return sc_fail(SC_EPARSE, "%s: error: %s '%s' %s", x->file.name, what,
                   sc_text_show(shown, name), why);
}

static sc_status declare_weight(sc_onnx *x, sc_onnx_scope *scope, const sc_onnx_tensor *t)
{
    sc_onnx_value *v = NULL;
    uint64_t count = 1;
    bool empty = false;
    if (t->rank > SC_ONNX_RANK)
        return bad_tensor(x, "initializer", t->name, "has more than 12 dimensions");
    for (size_t i = 0; i < t->rank; i++) {
        if (t->dims[i] < 0)
            return bad_tensor(x, "initializer", t->name, "has a negative dimension");
        empty = empty || t->dims[i] == 0; /* which must not hide that the others are too many */
        if (!sc_count_mul(&count, t->dims[i] ? (uint64_t)t->dims[i] : 1))
            return bad_tensor(x, "initializer", t->name, "has more than 2^63 - 1 elements");
    }
    if (!sc_count_add(&x->stored, empty ? 0 : count))
        return sc_fail(SC_ERANGE, "%s: error: its initializers pass 2^63 - 1 elements",
                       x->file.name);
    const sc_status st = sc_onnx_local(x, &v, scope, t->name);
    if (st != SC_OK)
        return st;
    if (v->made)
        return bad_tensor(x, "initializer", t->name, "is given twice");
    v->made = v->weight = v->constant = v->shaped = true;
    v->elem = t->elem;
    v->rank = (uint8_t)t->rank;
    if (t->rank)
        memcpy(v->dim, t->dims, t->rank * sizeof *t->dims);
    v->n = t->n;
    v->data = t->data;
    return SC_OK;
}

static sc_status declare_input(sc_onnx *x, sc_onnx_scope *scope, const sc_onnx_info *info)
{
    sc_onnx_value *v = NULL;
    const sc_status st = sc_onnx_local(x, &v, scope, info->name);
    if (st != SC_OK || v->weight) /* older files list the weights as inputs too */
        return st;
    if (v->made)
        return bad_tensor(x, "input", info->name, "is given twice");
    for (size_t i = 0; i < info->rank; i++)
        if (info->dims[i].size < -1)
            return bad_tensor(x, "input", info->name, "has a negative dimension");
    v->made = v->input = true;
    v->info = info;
    return sc_onnx_adopt(x, v, true);
}

/* A value's shape as the file states it, for when it does not follow. */
static sc_status declare_info(sc_onnx *x, sc_onnx_scope *scope, const sc_onnx_info *info,
                              bool is_output)
{
    sc_onnx_value *v = NULL;
    const sc_status st = sc_onnx_local(x, &v, scope, info->name);
    if (st != SC_OK)
        return st;
    if (!v->made)
        v->info = info;
    v->output = v->output || is_output;
    return SC_OK;
}

sc_status sc_onnx_declare(sc_onnx *x, sc_onnx_scope *scope, const sc_onnx_graph *g, bool whole)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < g->n_weights && st == SC_OK; i++)
        st = declare_weight(x, scope, &g->weights[i]);
    for (size_t i = 0; whole && i < g->n_inputs && st == SC_OK; i++)
        st = declare_input(x, scope, &g->inputs[i]);
    for (size_t i = 0; whole && i < g->n_infos && st == SC_OK; i++)
        st = declare_info(x, scope, &g->infos[i], false);
    for (size_t i = 0; whole && i < g->n_outputs && st == SC_OK; i++)
        st = declare_info(x, scope, &g->outputs[i], true);
    return st;
}
