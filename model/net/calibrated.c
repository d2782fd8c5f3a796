#include "model/net/calibrated.h"

#include <string.h>

#include "core/json.h"
#include "model/count/tiled_run.h"

/* Dimensions of the einsum as the tiled-run model knows them; -1 = it is repeated. */
typedef struct roles {
    int of[SC_MAX_DIMS];
} roles;

static int find(const sc_einsum *e, const char *name)
{
    for (int d = 0; d < e->n_dims; d++)
        if (strcmp(e->dim_name[d], name) == 0)
            return d;
    return -1;
}

static const sc_tensor *of_role(const sc_einsum *e, sc_role role)
{
    for (int t = 0; t < e->n_tensors; t++)
        if (e->tensor[t].role == role)
            return &e->tensor[t];
    return NULL;
}

/* Stride of the outputs along one axis of the input. @return 0 if the axis is not a plain window:
 * outputs that are spread out (a transposed convolution) or a kernel that is (a dilated one). */
static uint64_t stride_of(const sc_tensor *input, int output, int window)
{
    for (int r = 0; r < input->n_ranks; r++) {
        const sc_rank *rank = &input->rank[r];
        int64_t stride = 0, dilation = 0;
        for (int i = 0; i < rank->n_terms; i++) {
            if (rank->dim[i] == output)
                stride = rank->coef[i];
            if (rank->dim[i] == window)
                dilation = rank->coef[i];
        }
        if (stride > 0)
            return dilation == 1 ? (uint64_t)stride : 0;
    }
    return 0;
}

/* A convolution has P, Q, R, S and channels K and C; a product M, N, K stands as P, K, C. */
static bool assign_roles(roles *to, sc_tiled_layer *layer, const sc_einsum *e)
{
    static const char *const conv[SC_TILED_DIMS] = {"K", "C", "P", "Q", "R", "S"};
    static const char *const product[3] = {"N", "K", "M"};
    const sc_tensor *input = of_role(e, SC_ROLE_INPUT);
    const bool window = find(e, "P") >= 0;
    for (int d = 0; d < SC_MAX_DIMS; d++)
        to->of[d] = -1;
    layer->stride_p = layer->stride_q = 1;
    for (int t = 0; t < (window ? SC_TILED_DIMS : 3); t++) {
        const int d = find(e, window ? conv[t] : product[t]);
        if (d < 0)
            return false;
        to->of[d] = t;
    }
    if (!window)
        return true;
    if (!input || find(e, "Z") >= 0)
        return false;
    layer->stride_p = stride_of(input, find(e, "P"), find(e, "R"));
    layer->stride_q = stride_of(input, find(e, "Q"), find(e, "S"));
    return layer->stride_p > 0 && layer->stride_q > 0;
}

/* The outermost level's loops in time, outermost first. */
static void outer_loops(sc_tiled_layer *layer, const roles *to, const sc_loops *loops)
{
    for (int i = loops->n; i-- > 0;) {
        const int t = to->of[loops->dim[i]];
        if (t < 0 || loops->factor[i] == 1)
            continue;
        layer->outer_dim[layer->n_outer] = (uint8_t)t;
        layer->outer[layer->n_outer++] = loops->factor[i];
        layer->tile[t] /= loops->factor[i];
    }
}

bool sc_calibrated_cycles(double *cycles, const sc_mapped *m, const sc_arch *a)
{
    const sc_einsum *e = &m->padded;
    sc_tiled_layer layer = {.n_outer = 0};
    sc_tiled_work work;
    roles to;
    if (!assign_roles(&to, &layer, e))
        return false;
    double repeat = 1;
    for (int t = 0; t < SC_TILED_DIMS; t++)
        layer.extent[t] = layer.spatial[t] = 1;
    for (int d = 0; d < e->n_dims; d++) {
        if (to.of[d] >= 0)
            layer.extent[to.of[d]] = e->bound[d];
        else
            repeat *= (double)e->bound[d];
    }
    memcpy(layer.tile, layer.extent, sizeof layer.tile);
    outer_loops(&layer, &to, &m->mapping.level[0].temporal);
    for (int l = 0; l < m->mapping.n_levels; l++) {
        const sc_loops *s = &m->mapping.level[l].spatial;
        for (int i = 0; i < s->n; i++)
            if (to.of[s->dim[i]] >= 0)
                layer.spatial[to.of[s->dim[i]]] *= s->factor[i];
    }
    if (sc_tiled_count(&work, &layer, a->compute.rows, a->calibration.driver) != SC_OK)
        return false; /* extents that no table of measurements has */
    work.repeat *= repeat;
    *cycles = sc_tiled_cycles(&work, a->calibration.factor);
    return true;
}

json_t *sc_calibration_json(const sc_calibration *c, bool *ok)
{
    char hash[SC_HASH_HEX];
    if (!c->name[0])
        return json_null();
    json_t *o = json_object();
    sc_hash_hex(sc_calibration_hash(c), hash);
    sc_json_set(o, "name", json_string(c->name), ok);
    sc_json_set(o, "driver", json_string(sc_calibration_driver_name(c->driver)), ok);
    sc_json_set(o, "hash", json_string(hash), ok);
    return o;
}
