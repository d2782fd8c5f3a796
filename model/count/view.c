#include "model/count/view.h"

#include <math.h>
#include <stdio.h>

#include "core/locale.h"

double sc_certificate_gap(const sc_certificate *c)
{
    return c->optimal ? 0.0 : c->value / c->bound - 1.0;
}

const char *sc_certificate_text(char out[32], const sc_certificate *c)
{
    const sc_locale locale = sc_locale_enter_c();
    if (c->optimal)
        (void)snprintf(out, 32, "optimal");
    else
        (void)snprintf(out, 32, "gap %.1f %%", 100.0 * sc_certificate_gap(c));
    sc_locale_leave(locale);
    return out;
}

static bool keeps(const sc_mapping_view *v, int level, int tensor)
{
    return v->mapping->level[level].keep >> tensor & 1;
}

/* Loops of one step move nothing; the steps of others count once one of them, or one further in,
 * has moved the tile. */
static uint64_t loads_of(const sc_mapping_view *v, int level, int tensor)
{
    uint64_t loads = 1;
    bool moves = false;
    for (int outer = level - 1; outer >= 0; outer--) {
        const sc_loops *loops = &v->mapping->level[outer].temporal;
        for (int i = 0; i < loops->n; i++) {
            if (loops->factor[i] == 1)
                continue;
            moves |= sc_einsum_relevant(v->einsum, (unsigned)tensor, loops->dim[i]) != 0;
            if (moves)
                loads *= loops->factor[i];
        }
    }
    return loads;
}

static uint64_t bytes_of(const sc_level *l, const sc_tensor *t, uint64_t words)
{
    return l->word_bits > 0 ? (uint64_t)ceil((double)words * l->word_bits / 8.0)
                            : sc_level_size(l, t, words);
}

void sc_tile_view_of(sc_tile_view *out, const sc_mapping_view *v, int level, int tensor)
{
    const sc_level *l = &v->arch->level[level];
    const sc_tensor *t = &v->einsum->tensor[tensor];
    const sc_access *at = &v->counts->at[level][tensor];
    const bool output = tensor == v->einsum->output;
    const bool outermost = sc_next_keeper(v, -1, tensor) == level;
    *out = (sc_tile_view){.words = at->tile,
                          .bytes = bytes_of(l, t, at->tile),
                          .share = (double)NAN,
                          .loads = outermost ? 1 : loads_of(v, level, tensor),
                          .served = output ? at->updates : at->reads};
    if (l->bounded)
        out->share =
            (double)sc_level_size(l, t, at->tile) / (double)sc_level_room(l, (unsigned)t->role);
    out->moved = outermost ? at->tile : output ? out->loads * at->tile : at->fills;
    out->reuse = (double)out->served / (double)out->moved;
}

int sc_next_keeper(const sc_mapping_view *v, int level, int tensor)
{
    do
        level++;
    while (level < v->mapping->n_levels && !keeps(v, level, tensor));
    return level;
}

void sc_link_view_of(sc_link_view *out, const sc_mapping_view *v, int level, int tensor)
{
    const bool output = tensor == v->einsum->output;
    const sc_access *at = &v->counts->at[level][tensor];
    const double used = (double)v->counts->used_instances[level];
    const int to = sc_next_keeper(v, level, tensor);
    *out = (sc_link_view){.to = to, .outer = (double)(output ? at->updates : at->reads) * used};
    if (to == v->mapping->n_levels) {
        out->inner = (double)v->counts->macs;
        return;
    }
    sc_tile_view inner;
    const double inner_used = (double)v->counts->used_instances[to];
    sc_tile_view_of(&inner, v, to, tensor);
    out->inner = (double)inner.moved * inner_used;
    if (output)
        out->back = (double)v->counts->at[to][tensor].fills * inner_used;
}

double sc_level_energy(const sc_mapping_view *v, int level)
{
    double pj = v->cost->leak_pj[level];
    for (int t = 0; t < v->einsum->n_tensors; t++)
        pj += v->cost->tensor_pj[level][t];
    return pj;
}

const char *sc_spatial_axis(const sc_block *b, int i)
{
    if (b->diagonal >> i & 1)
        return "X and Y";
    return i < b->split ? "X" : "Y";
}

const char *sc_count_text(char out[32], double count)
{
    static const char prefixes[] = "kMGTPE";
    const sc_locale locale = sc_locale_enter_c();
    int p = -1;
    if (count >= 99999.5)
        do {
            count /= 1000.0;
            p++;
        } while (count >= 999.5 && prefixes[p + 1]);
    if (p < 0)
        (void)snprintf(out, 32, "%.0f", count);
    else
        (void)snprintf(out, 32, "%.*f %c",
                       count < 9.995   ? 2
                       : count < 99.95 ? 1
                                       : 0,
                       count, prefixes[p]);
    sc_locale_leave(locale);
    return out;
}

const char *sc_factor_text(char out[32], double factor)
{
    if (factor >= 999.5)
        return sc_count_text(out, factor);
    const sc_locale locale = sc_locale_enter_c();
    (void)snprintf(out, 32, "%.3g", factor);
    sc_locale_leave(locale);
    return out;
}

const char *sc_share_text(char out[32], double share)
{
    const sc_locale locale = sc_locale_enter_c();
    if (share > 0.0 && share < 0.001)
        (void)snprintf(out, 32, "< 0.1 %%");
    else
        (void)snprintf(out, 32, "%.*g %%", share < 0.01 ? 2 : 3, 100.0 * share);
    sc_locale_leave(locale);
    return out;
}
