#include "mapper_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_support.h"
#include "count_make.h"
#include "count_random.h"
#include "model/count/reference_case.h"

/* Dimensions and tensors of an op; strides and dilations go where %u stands. */
typedef struct op_form {
    const char *dims, *weight, *input, *output;
} op_form;

static const op_form forms[MAPPER_KINDS] = {
    {"MKN", "W K,N", "I M,K", "O M,N"},
    {"MK", "W K", "I M,K", "O M"},
    {"HMKN", "W H,K,N", "I H,M,K", "O H,M,N"},
    {"RPCKN", "W C,K,R", "I N,C,%uP+%uR", "O N,K,P"},
    {"RSPQCK", "W C,K,R,S", "I C,%uP+%uR,%uQ+%uS", "O K,Q,P"},
    {"PQCK", "W C,K", "I C,%uP,%uQ", "O K,P,Q"},
    {"RSPQC", "W C,R,S", "I C,%uP+%uR,%uQ+%uS", "O C,Q,P"},
    {"RPCKG", "W G,C,K,R", "I G,C,%uP+%uR", "O G,K,P"},
    {"RPCK", "W C,K,R", "I C,P", "O K,%uP+%uR"},
};

static bool chance(uint64_t *seed, unsigned percent)
{
    return random_below(seed, 100) < percent;
}

/* Bounds multiply to so many primes, each in a dimension drawn for it. */
static void draw_bounds(char *out, size_t size, const char *dims, unsigned primes, uint64_t *seed)
{
    static const unsigned prime[] = {2, 2, 2, 2, 2, 3, 3, 3, 5, 7};
    const size_t n = strlen(dims);
    unsigned bound[SC_MAX_DIMS];
    size_t used = 0;
    for (size_t d = 0; d < n; d++)
        bound[d] = 1;
    for (unsigned i = 0; i < primes; i++)
        bound[random_below(seed, n)] *= prime[random_below(seed, COUNT(prime))];
    out[0] = '\0';
    for (size_t d = 0; d < n; d++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%c%u", d ? " " : "", dims[d], bound[d]);
}

/* A tensor's text with its coefficients put in. */
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

static sc_einsum draw_op(unsigned primes, uint64_t *seed)
{
    const op_form *f = &forms[random_below(seed, MAPPER_KINDS)];
    char dims[128], input[64], output[64];
    draw_bounds(dims, sizeof dims, f->dims, primes, seed);
    draw_tensor(input, f->input, seed);
    draw_tensor(output, f->output, seed);
    return count_einsum(dims, f->weight, input, output);
}

static double draw_bandwidth(uint64_t *seed, bool limited)
{
    static const double rates[] = {0.25, 0.5, 1, 2, 3, 4, 7};
    return limited && chance(seed, 50) ? rates[random_below(seed, COUNT(rates))] : 0;
}

/* Sizes from far too small to enough for all. */
static void draw_capacity(sc_level *v, const sc_einsum *e, uint64_t *seed)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < e->n_tensors; i++) {
        uint64_t words;
        if (sc_einsum_volume(&words, e, i, e->bound) != SC_OK)
            fail_msg("%s", sc_error_message());
        all += sc_level_size(v, &e->tensor[i], words);
    }
    for (unsigned r = 0; r < SC_ROLES; r++)
        v->capacity[r] = chance(seed, 40) ? 1 + random_below(seed, 6) : 1 + random_below(seed, all);
    v->buffers = chance(seed, 80) ? 1 : chance(seed, 50) ? 2 : 1.5;
}

/* Energies that make sense, energies whose sums tie, or any. */
static void draw_energy(sc_level *v, unsigned depth, uint64_t *seed)
{
    const double base = 200.0 / (1u << 3 * depth);
    switch (random_below(seed, 3)) {
    case 0: v->read_pj = v->write_pj = v->update_pj = base * 1.0653266331658291; break;
    case 1: v->read_pj = v->write_pj = v->update_pj = (double)random_below(seed, 4); break;
    default:
        v->read_pj = (double)random_below(seed, 1000) / 7;
        v->write_pj = (double)random_below(seed, 1000) / 7;
        v->update_pj = (double)random_below(seed, 1000) / 7;
    }
    if (chance(seed, 15))
        v->leak_pj = (double)random_below(seed, 100) / 9;
}

/* What only our own designs have. */
static void draw_own_ways(sc_level *v, bool bytes, uint64_t *seed)
{
    v->no_multicast = chance(seed, 15);
    v->no_reduction = chance(seed, 15);
    if (bytes) {
        v->word_bits = 0;
        v->block_bits = 8u << random_below(seed, 4);
        v->output_bits = chance(seed, 30) ? 32 : 0;
    }
    v->partitioned = chance(seed, 20);
    v->no_overlap = chance(seed, 10);
    for (unsigned r = 0; r < SC_ROLES; r++) {
        v->gated[r] = chance(seed, 15) ? (double)random_below(seed, 10) / 10 : 0;
        v->compression[r] = bytes && chance(seed, 15) ? 1 + (double)random_below(seed, 9) / 4 : 0;
    }
    if (chance(seed, 15)) /* one that need not divide the instances */
        v->cluster_size = 1 + (uint32_t)random_below(seed, 4);
}

static void draw_keeping(sc_level *v, uint64_t *seed)
{
    if (chance(seed, 15))
        v->may_keep = (uint8_t)random_below(seed, 1u << SC_ROLES);
    if (chance(seed, 10))
        v->must_keep = (uint8_t)(random_below(seed, 1u << SC_ROLES) & v->may_keep);
}

static sc_arch draw_arch(unsigned n, bool own, const sc_einsum *e, uint64_t *seed)
{
    sc_arch a = count_random_arch(seed, n, 6);
    const bool limited = chance(seed, 50), bytes = own && chance(seed, 50);
    for (unsigned l = 0; l < n; l++) {
        sc_level *v = &a.level[l];
        v->block_words = 1u << random_below(seed, l == 0 ? 4 : 3);
        v->cluster_size = v->instances % 2 || chance(seed, 70) ? 1 : 2;
        v->read_bw = draw_bandwidth(seed, limited);
        v->write_bw = draw_bandwidth(seed, limited);
        v->shared_bw = draw_bandwidth(seed, limited && own);
        draw_energy(v, l, seed);
        if (own)
            draw_own_ways(v, bytes, seed);
        v->bounded = l > 0 ? chance(seed, 95) : chance(seed, 5);
        draw_capacity(v, e, seed);
        if (l > 0)
            draw_keeping(v, seed);
    }
    a.compute.mac_pj = (double)random_below(seed, 3);
    a.compute.gated = own && chance(seed, 15) ? 0.5 : 0;
    return a;
}

static void draw_counting(sc_count_options *o, bool own, uint64_t *seed)
{
    *o = (sc_count_options)SC_COUNT_OPTIONS_INIT;
    o->links = SC_LINKS_REFERENCE;
    if (!own)
        return;
    o->links = (sc_links)random_below(seed, 3);
    o->reuse_pre_2025 = chance(seed, 20);
    o->charge_first_read = chance(seed, 30);
    o->charge_drain = chance(seed, 50);
}

void mapper_problem(oracle_problem *p, uint64_t seed, uint64_t most)
{
    static const unsigned primes[] = {0, 9, 8, 7, 6}; /* by levels */
    for (;;) {
        const unsigned n = chance(&seed, 5) ? 1 : 2 + (unsigned)random_below(&seed, 3);
        const bool own = chance(&seed, 50), may_fail = chance(&seed, 30);
        memset(p, 0, sizeof *p);
        p->e = draw_op(1 + (unsigned)random_below(&seed, primes[n]), &seed);
        for (unsigned i = 0; own && i < p->e.n_tensors; i++)
            p->e.tensor[i].bits =
                chance(&seed, 50) ? 8 : 4 * (1 + (unsigned)random_below(&seed, 8));
        p->a = draw_arch(n, own, &p->e, &seed);
        draw_counting(&p->count, own, &seed);
        p->energy_weight = (double)random_below(&seed, 4) / 3;
        p->cycle_weight = (double)random_below(&seed, 2000) / 3;
        const uint64_t size = oracle_mapspace_size(p, most);
        if (size <= most && (size > 0 || may_fail))
            return;
    }
}

/* ---- limits ---- */

static void shuffle(uint8_t *dims, unsigned n, uint64_t *seed)
{
    for (unsigned i = 0; i < n; i++)
        dims[i] = (uint8_t)i;
    for (unsigned i = n; i-- > 1;) {
        const unsigned k = (unsigned)random_below(seed, i + 1);
        const uint8_t t = dims[i];
        dims[i] = dims[k];
        dims[k] = t;
    }
}

static void limit_order(sc_loop_limits *b, unsigned n_dims, uint64_t *seed)
{
    uint8_t dims[SC_MAX_DIMS];
    shuffle(dims, n_dims, seed);
    b->n_inner = (uint8_t)random_below(seed, n_dims + 1);
    b->n_outer = (uint8_t)random_below(seed, n_dims + 1 - b->n_inner);
    if (chance(seed, 30)) { /* a whole order */
        b->n_inner = (uint8_t)n_dims;
        b->n_outer = 0;
    }
    memcpy(b->order, dims, b->n_inner);
    memcpy(b->order + SC_MAX_DIMS - b->n_outer, dims + n_dims - b->n_outer, b->n_outer);
}

static void limit_factor(sc_loop_limits *b, const sc_einsum *e, uint64_t *seed)
{
    const unsigned d = (unsigned)random_below(seed, e->n_dims);
    uint64_t f = 1 + random_below(seed, e->bound[d]);
    while (e->bound[d] % f)
        f--;
    switch (random_below(seed, 4)) {
    case 0: b->fixed[d] = f; break;
    case 1: b->min[d] = f; break;
    case 2: b->max[d] = f; break;
    default: b->fixed[d] = 1;
    }
}

void mapper_limits(oracle_problem *p, uint64_t seed)
{
    const unsigned n_levels = p->a.n_levels, all = (1u << p->e.n_tensors) - 1;
    p->constrained = true;
    sc_map_constraints_init(&p->limits, n_levels);
    for (unsigned n = 1 + (unsigned)random_below(&seed, 5); n > 0; n--) {
        const unsigned l = (unsigned)random_below(&seed, n_levels);
        sc_level_limits *v = &p->limits.level[l];
        sc_loop_limits *b = chance(&seed, 50) ? &v->temporal : &v->spatial;
        switch (random_below(&seed, 5)) {
        case 0:
        case 1: limit_factor(b, &p->e, &seed); break;
        case 2: limit_order(b, p->e.n_dims, &seed); break;
        case 3: v->split = (int)random_below(&seed, p->e.n_dims + 1u); break;
        default:
            v->must_keep = (uint8_t)random_below(&seed, all + 1);
            if (l > 0)
                v->must_bypass = (uint8_t)(random_below(&seed, all + 1) & ~v->must_keep);
        }
    }
}

/* ---- as text ---- */

typedef struct text {
    char at[16384];
    size_t n;
} text;

static void SC_PRINTF(2, 3) say(text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, args);
    va_end(args);
    if (n > 0 && t->n + (size_t)n < sizeof t->at)
        t->n += (size_t)n;
}

static void say_tensor(text *t, const sc_einsum *e, const sc_tensor *v)
{
    say(t, ", \"%c", "IWO"[v->role]);
    if (v->n_ranks == 0)
        say(t, " ");
    for (unsigned r = 0; r < v->n_ranks; r++)
        for (unsigned k = 0; k < v->rank[r].n_terms; k++) {
            say(t, "%s", k > 0 ? "+" : r > 0 ? "," : " ");
            if (v->rank[r].coef[k] > 1)
                say(t, "%lld", (long long)v->rank[r].coef[k]);
            say(t, "%s", e->dim_name[v->rank[r].dim[k]]);
        }
    say(t, "\"");
}

static void say_level(text *t, unsigned l, const sc_level *v)
{
    say(t,
        "\n.level[%u] = {\"%s\", .instances = %llu, .fanout_x = %llu, .fanout_y = %llu, "
        ".bounded = %d, .partitioned = %d, .capacity = {%llu, %llu, %llu}, .buffers = %g, "
        ".word_bits = %u, .block_bits = %u, .block_words = %u, .cluster_size = %u, "
        ".output_bits = %u, .read_bw = %g, .write_bw = %g, .shared_bw = %g, .may_keep = %u, "
        ".must_keep = %u, .no_multicast = %d, .no_reduction = %d, .no_overlap = %d, "
        ".gated = {%g, %g, %g}, .compression = {%g, %g, %g}, .read_pj = %.17g, "
        ".write_pj = %.17g, .update_pj = %.17g, .leak_pj = %.17g}",
        l, v->name, (unsigned long long)v->instances, (unsigned long long)v->fanout_x,
        (unsigned long long)v->fanout_y, v->bounded, v->partitioned,
        (unsigned long long)v->capacity[0], (unsigned long long)v->capacity[1],
        (unsigned long long)v->capacity[2], v->buffers, v->word_bits, v->block_bits, v->block_words,
        v->cluster_size, v->output_bits, v->read_bw, v->write_bw, v->shared_bw, v->may_keep,
        v->must_keep, v->no_multicast, v->no_reduction, v->no_overlap, v->gated[0], v->gated[1],
        v->gated[2], v->compression[0], v->compression[1], v->compression[2], v->read_pj,
        v->write_pj, v->update_pj, v->leak_pj);
}

static void say_block(text *t, const char *name, const sc_loop_limits *b, const sc_einsum *e)
{
    for (unsigned d = 0; d < e->n_dims; d++)
        if (b->fixed[d] > 0 || b->min[d] > 1 || b->max[d] > 0)
            say(t, " %s.%s{fixed %llu, min %llu, max %llu}", name, e->dim_name[d],
                (unsigned long long)b->fixed[d], (unsigned long long)b->min[d],
                (unsigned long long)b->max[d]);
    if (b->n_inner + b->n_outer > 0)
        say(t, " %s.order{", name);
    for (unsigned i = 0; i < b->n_inner; i++)
        say(t, "%s", e->dim_name[b->order[i]]);
    if (b->n_inner + b->n_outer > 0)
        say(t, " .. ");
    for (unsigned i = b->n_outer; i > 0; i--)
        say(t, "%s", e->dim_name[b->order[SC_MAX_DIMS - i]]);
    if (b->n_inner + b->n_outer > 0)
        say(t, "}");
}

const char *mapper_describe(const oracle_problem *p)
{
    static text t;
    t.n = 0;
    say(&t, "count_einsum(\"");
    for (unsigned d = 0; d < p->e.n_dims; d++)
        say(&t, "%s%s%llu", d ? " " : "", p->e.dim_name[d], (unsigned long long)p->e.bound[d]);
    say(&t, "\"");
    for (unsigned i = 0; i < p->e.n_tensors; i++)
        say_tensor(&t, &p->e, &p->e.tensor[i]);
    say(&t, "); bits");
    for (unsigned i = 0; i < p->e.n_tensors; i++)
        say(&t, " %u", p->e.tensor[i].bits);
    for (unsigned l = 0; l < p->a.n_levels; l++)
        say_level(&t, l, &p->a.level[l]);
    say(&t,
        "\n.compute = {.instances = %llu, .mac_pj = %g, .gated = %g}; links %d, pre-2025 %d, first "
        "read %d, "
        "drain %d; weights %.17g %.17g",
        (unsigned long long)p->a.compute.instances, p->a.compute.mac_pj, p->a.compute.gated,
        p->count.links, p->count.reuse_pre_2025, p->count.charge_first_read, p->count.charge_drain,
        p->energy_weight, p->cycle_weight);
    for (unsigned l = 0; p->constrained && l < p->a.n_levels; l++) {
        const sc_level_limits *v = &p->limits.level[l];
        say(&t, "\nlimits of level %u: split %d, must_keep %u, must_bypass %u", l, v->split,
            v->must_keep, v->must_bypass);
        say_block(&t, "temporal", &v->temporal, &p->e);
        say_block(&t, "spatial", &v->spatial, &p->e);
    }
    return t.at;
}

/* ---- reference data ---- */

void mapper_reference_case(oracle_problem *p, const char *folder)
{
    static sc_reference_case c;
    char arch[1100], problem[1100];
    (void)snprintf(arch, sizeof arch, "%s/arch.yaml", folder);
    (void)snprintf(problem, sizeof problem, "%s/problem.yaml", folder);
    memset(p, 0, sizeof *p);
    if (sc_reference_case_read(&c, arch, problem, NULL, NULL) != SC_OK ||
        sc_reference_count_options(&p->count, NULL) != SC_OK)
        fail_msg("%s: %s", folder, sc_error_message());
    p->e = c.problem;
    p->a = c.arch;
    p->energy_weight = p->cycle_weight = 1;
}
