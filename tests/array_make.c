#include "array_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "core_support.h"
#include "count_make.h"
#include "count_random.h"

static bool chance(uint64_t *seed, unsigned percent)
{
    return random_below(seed, 100) < percent;
}

/* Dimensions and tensors of an op; strides and dilations go where %u stands. */
static const struct form {
    const char *dims, *weight, *input, *output;
} forms[] = {
    {"MKN", "W K,N", "I M,K", "O M,N"},
    {"MKN", "W K,N", "I M,K", "O M,N"},
    {"HMKN", "W H,K,N", "I H,M,K", "O H,M,N"},
    {"PQCK", "W C,K", "I C,%uP,%uQ", "O K,P,Q"},
    {"PRCK", "W C,K,R", "I C,%uP+%uR", "O K,P"},
    {"PQRSCK", "W C,K,R,S", "I C,%uP+%uR,%uQ+%uS", "O K,P,Q"},
    {"GPR", "W G,R", "I G,%uP+%uR", "O G,P"},
    {"GPQRS", "W G,R,S", "I G,%uP+%uR,%uQ+%uS", "O G,P,Q"},
    {"GCKP", "W G,C,K", "I G,C,P", "O G,K,P"},
    {"PRCK", "W C,K,R", "I C,P", "O K,%uP+%uR"},
};

static void draw_bounds(char *out, size_t size, const char *dims, uint64_t *seed)
{
    const size_t n = strlen(dims);
    uint64_t bound[SC_MAX_DIMS], left = 24 + random_below(seed, 200);
    size_t used = 0;
    for (size_t d = 0; d < n; d++)
        bound[d] = 1;
    for (size_t i = 0; i < 2 * n; i++) {
        const size_t d = random_below(seed, n);
        const uint64_t b = 1 + random_below(seed, 7);
        if (bound[d] > 1 || b > left)
            continue;
        bound[d] = b;
        left /= b;
    }
    out[0] = '\0';
    for (size_t d = 0; d < n; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%c%u", d ? " " : "", dims[d],
                                 (unsigned)bound[d]);
}

static void draw_tensor(char *out, const char *form, uint64_t *seed)
{
    for (; *form; form++) {
        if (form[0] != '%') {
            *out++ = *form;
            continue;
        }
        *out++ = (char)('1' + (chance(seed, 60) ? 0 : random_below(seed, 3)));
        form++;
    }
    *out = '\0';
}

static sc_einsum draw_op(uint64_t *seed)
{
    const struct form *f = &forms[random_below(seed, COUNT(forms))];
    char dims[128], input[64], output[64];
    draw_bounds(dims, sizeof dims, f->dims, seed);
    draw_tensor(input, f->input, seed);
    draw_tensor(output, f->output, seed);
    return count_einsum(dims, f->weight, input, output);
}

static double draw_bandwidth(uint64_t *seed)
{
    static const double rates[] = {0.25, 0.5, 1, 1.5, 2, 3, 4, 7, 16};
    return rates[random_below(seed, COUNT(rates))];
}

/* One port for all, a port each way, or both limits. */
static void draw_ports(sc_level *v, unsigned percent, uint64_t *seed)
{
    if (!chance(seed, percent))
        return;
    const unsigned kind = (unsigned)random_below(seed, 4);
    if (kind != 0)
        v->read_bw = draw_bandwidth(seed);
    if (kind == 1 || kind == 3)
        v->write_bw = draw_bandwidth(seed);
    if (kind == 0 || kind == 3)
        v->shared_bw = draw_bandwidth(seed);
}

/* Sizes from a word of each tensor, seldom from less, to enough for all. */
static void draw_capacity(sc_level *v, const sc_einsum *e, uint64_t *seed)
{
    uint64_t all = 0, one = 0;
    for (unsigned i = 0; i < e->n_tensors; i++) {
        uint64_t words;
        if (sc_einsum_volume(&words, e, i, e->bound) != SC_OK)
            fail_msg("%s", sc_error_message());
        all += sc_level_size(v, &e->tensor[i], words);
        one += sc_level_size(v, &e->tensor[i], 1);
    }
    one = chance(seed, 95) ? one : 1;
    v->bounded = true;
    v->partitioned = chance(seed, 40);
    v->buffers = chance(seed, 50) ? 1 : 2;
    for (unsigned r = 0; r < SC_ROLES; r++)
        v->capacity[r] =
            (uint64_t)v->buffers * (one + random_below(seed, chance(seed, 60) ? 24 : all));
}

void array_add_level(sc_arch *a, const char *name, bool words)
{
    sc_level *v = &a->level[a->n_levels++];
    (void)snprintf(v->name, sizeof v->name, "%s", name);
    v->instances = v->fanout_x = v->fanout_y = 1;
    v->buffers = 1;
    v->word_bits = words ? 16 : 0;
    v->block_words = words ? 1 : 0;
    v->block_bits = words ? 0 : 64;
    v->cluster_size = 1;
    v->may_keep = ARRAY_ALL_ROLES;
    v->read_pj = v->write_pj = v->update_pj = 1;
}

/* DRAM, perhaps L3; a grid of perhaps L2, of L1 and an array each. */
static sc_arch draw_arch(const sc_einsum *e, uint64_t *seed)
{
    sc_arch a = {.clock_hz = 1e9, .native_batch = 1};
    const bool words = chance(seed, 15), wide = chance(seed, 40);
    const unsigned kind = (unsigned)random_below(seed, 10); /* few have an L2: large spaces */
    const bool l3 = kind >= 5, l2 = kind == 4 || kind == 9;
    array_add_level(&a, "DRAM", words);
    a.level[0].must_keep = ARRAY_ALL_ROLES;
    if (l3)
        array_add_level(&a, "L3", words);
    const unsigned grid = a.n_levels - 1;
    if (l2)
        array_add_level(&a, "L2", words);
    array_add_level(&a, "L1", words);
    array_add_level(&a, "REG", words);
    const unsigned array = a.n_levels - 2;
    a.compute.rows = 1 + random_below(seed, 4);
    a.compute.cols = 1 + random_below(seed, 4);
    a.compute.double_buffered = chance(seed, 50);
    a.compute.dataflows = (uint8_t)(1 + random_below(seed, ARRAY_ALL_ROLES));
    a.level[grid].fanout_x = 1 + random_below(seed, 2);
    a.level[grid].fanout_y = 1 + random_below(seed, 2);
    a.level[array].fanout_x = a.compute.cols;
    a.level[array].fanout_y = a.compute.rows;
    for (unsigned l = 1; l < a.n_levels; l++)
        a.level[l].instances =
            a.level[l - 1].instances * a.level[l - 1].fanout_x * a.level[l - 1].fanout_y;
    a.compute.instances = a.level[a.n_levels - 1].instances;
    for (unsigned l = 0; l < a.n_levels; l++) {
        sc_level *v = &a.level[l];
        v->output_bits = !words && wide && l > grid ? 32 : 0;
        if (l == array + 1)
            continue;
        draw_ports(v, l == 0 ? 90 : l < array ? 70 : 10, seed);
        if (l > 0)
            draw_capacity(v, e, seed);
        if (l > 0 && chance(seed, 10))
            v->may_keep = (uint8_t)random_below(seed, ARRAY_ALL_ROLES + 1u);
        if (l > 0 && l < array && chance(seed, 5))
            v->must_keep = (uint8_t)(random_below(seed, ARRAY_ALL_ROLES + 1u) & v->may_keep);
        v->no_reduction = l <= grid && chance(seed, 50);
        v->no_overlap = l < array && chance(seed, 8);
    }
    if (a.level[array].may_keep == 0)
        a.level[array].may_keep = 1u << SC_ROLE_WEIGHT;
    a.level[array + 1].bounded = true;
    a.level[array + 1].capacity[0] = words ? 1 : 4;
    return a;
}

/* Children under up to two of the levels outside the innermost buffer. */
static void draw_fans(sc_arch *a, unsigned inner, uint64_t *seed)
{
    uint64_t left = 6;
    for (unsigned n = 1 + (unsigned)random_below(seed, 2); n > 0; n--) {
        sc_level *v = &a->level[inner > 1 ? random_below(seed, inner) : 0];
        const uint64_t x = 1 + random_below(seed, 3), y = chance(seed, 60) ? 1 : 2;
        if (v->fanout_x * v->fanout_y > 1 || x * y > left)
            continue;
        v->fanout_x = x;
        v->fanout_y = y;
        left /= x * y;
    }
}

/* The array of a design, its size that of the level's children. */
static void draw_array(sc_arch *a, unsigned array, bool words, uint64_t *seed)
{
    a->compute.rows = a->level[array].fanout_y;
    a->compute.cols = a->level[array].fanout_x;
    a->compute.double_buffered = chance(seed, 50);
    a->compute.dataflows = (uint8_t)(1 + random_below(seed, ARRAY_ALL_ROLES));
    a->level[array + 1].bounded = true;
    a->level[array + 1].capacity[0] = words ? 1 : 4;
}

/* Ports, sizes and rules of the levels down to the innermost buffer; the hollow one holds nothing.
 */
static void draw_levels(sc_arch *a, const sc_einsum *e, unsigned inner, unsigned hollow, bool words,
                        uint64_t *seed)
{
    const bool wide = chance(seed, 40), plain = a->compute.rows == 0;
    a->level[0].must_keep = ARRAY_ALL_ROLES;
    for (unsigned l = 0; l <= inner; l++) {
        sc_level *v = &a->level[l];
        v->output_bits = !words && wide && l > 0 ? 32 : 0;
        v->no_reduction = chance(seed, l < inner ? 50 : 10);
        v->no_multicast = chance(seed, l < inner ? 15 : 5);
        if (l == hollow) {
            v->may_keep = 0;
            continue;
        }
        draw_ports(v, l == 0 ? 90 : l < inner ? 70 : plain ? 50 : 20, seed);
        v->no_overlap = l < inner && chance(seed, 8);
        if (l == 0)
            continue;
        draw_capacity(v, e, seed);
        if (chance(seed, l < inner ? 40 : 10)) /* as on a design with memories of their own */
            v->may_keep = (uint8_t)random_below(seed, ARRAY_ALL_ROLES + 1u);
        if (chance(seed, 5))
            v->must_keep = (uint8_t)(random_below(seed, ARRAY_ALL_ROLES + 1u) & v->may_keep);
    }
    if (a->level[inner].may_keep == 0)
        a->level[inner].may_keep = 1u << SC_ROLE_WEIGHT;
}

/* DRAM, perhaps one or two buffers more and a level that holds nothing, the innermost buffer;
 * under it plain MACs, an array or several. Children side by side anywhere outside it. */
static sc_arch draw_fan_arch(const sc_einsum *e, uint64_t *seed)
{
    static const char *const names[] = {"DRAM", "L3", "L2", "FAN", "L1", "ARRAYS", "REG"};
    sc_arch a = {.clock_hz = 1e9, .native_batch = 1};
    const bool words = chance(seed, 15), plain = chance(seed, 70);
    const bool has[] = {true,
                        chance(seed, 50),
                        chance(seed, 12),
                        chance(seed, 15),
                        true,
                        !plain && chance(seed, 40),
                        !plain};
    unsigned hollow = SC_MAX_LEVELS;
    for (unsigned i = 0; i < COUNT(names); i++) {
        if (!has[i])
            continue;
        if (i == 3)
            hollow = a.n_levels;
        array_add_level(&a, names[i], words);
    }
    const unsigned array = a.n_levels - (plain ? 1 : 2), inner = array - (has[5] ? 1 : 0);
    draw_fans(&a, inner, seed);
    a.level[array].fanout_x = 1 + random_below(seed, 4);
    a.level[array].fanout_y = 1 + random_below(seed, 3);
    if (has[5]) { /* holds nothing: the fan-out to arrays under one buffer */
        a.level[inner].fanout_x = 1 + random_below(seed, 3);
        a.level[inner].fanout_y = 1 + random_below(seed, 2);
        a.level[array].bounded = true;
        a.level[array].may_keep = 0;
        a.level[array].no_reduction = chance(seed, 20);
    }
    for (unsigned l = 1; l < a.n_levels; l++)
        a.level[l].instances =
            a.level[l - 1].instances * a.level[l - 1].fanout_x * a.level[l - 1].fanout_y;
    a.compute.instances =
        a.level[array].instances * a.level[array].fanout_x * a.level[array].fanout_y;
    if (!plain)
        draw_array(&a, array, words, seed);
    draw_levels(&a, e, inner, hollow, words, seed);
    return a;
}

static void draw_problem(oracle_array_problem *p, sc_arch (*arch)(const sc_einsum *, uint64_t *),
                         uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->e = draw_op(&seed);
    p->input_share = chance(&seed, 75) ? 1 : (double)(1 + random_below(&seed, 9)) / 10;
    p->a = arch(&p->e, &seed);
    if (p->a.level[0].word_bits == 0 && chance(&seed, 30))
        for (unsigned t = 0; t < p->e.n_tensors; t++)
            p->e.tensor[t].bits = 8;
    p->loose = chance(&seed, 20);
    p->sides = chance(&seed, 10);
}

void array_problem(oracle_array_problem *p, uint64_t seed)
{
    draw_problem(p, draw_arch, seed);
}

void array_fan_problem(oracle_array_problem *p, uint64_t seed)
{
    draw_problem(p, draw_fan_arch, seed);
}
