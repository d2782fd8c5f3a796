#include "model/net/padding.h"

double sc_padding_share(unsigned n_dims, const uint64_t *size, const uint64_t *padded)
{
    double own = 1.0;
    for (unsigned d = 0; d < n_dims; d++)
        own *= (double)size[d] / (double)padded[d];
    return 1.0 - own;
}

json_t *sc_padding_json(const sc_einsum *names, const uint64_t *size, const uint64_t *padded,
                        bool *ok)
{
    json_t *o = json_object(), *list = json_array();
    sc_json_set(o, "share", sc_json_real(sc_padding_share(names->n_dims, size, padded)), ok);
    for (int d = 0; d < names->n_dims; d++) {
        if (size[d] == padded[d])
            continue;
        json_t *dim = json_object();
        sc_json_set(dim, "dim", json_string(names->dim_name[d]), ok);
        sc_json_set(dim, "size", sc_json_count(size[d]), ok);
        sc_json_set(dim, "padded", sc_json_count(padded[d]), ok);
        sc_json_append(list, dim, ok);
    }
    sc_json_set(o, "dims", list, ok);
    return o;
}

void sc_padding_text(sc_buf *b, const sc_einsum *names, const uint64_t *size,
                     const uint64_t *padded)
{
    bool any = false;
    for (int d = 0; d < names->n_dims; d++) {
        if (size[d] == padded[d])
            continue;
        sc_buf_printf(b, "%s%s %llu to %llu", any ? ", " : "", names->dim_name[d],
                      (unsigned long long)size[d], (unsigned long long)padded[d]);
        any = true;
    }
    if (any)
        sc_buf_printf(b, ": %.1f %% of the MACs are padding",
                      100.0 * sc_padding_share(names->n_dims, size, padded));
}
