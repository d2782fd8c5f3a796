#include "count_make.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_random.h"

static uint8_t dim_of(const sc_einsum *e, char name)
{
    for (unsigned d = 0; d < e->n_dims; d++)
        if (e->dim_name[d][0] == name)
            return (uint8_t)d;
    abort(); /* a test names a dimension it does not have */
}

static void add_tensor(sc_einsum *e, const char *text)
{
    sc_tensor *t = &e->tensor[e->n_tensors];
    (void)snprintf(t->name, sizeof t->name, "%c%u", text[0], e->n_tensors);
    t->role = text[0] == 'O' ? SC_ROLE_OUTPUT : text[0] == 'W' ? SC_ROLE_WEIGHT : SC_ROLE_INPUT;
    t->bits = 16;
    if (t->role == SC_ROLE_OUTPUT)
        e->output = e->n_tensors;
    e->n_tensors++;
    for (const char *p = text + 2; *p; t->n_ranks++) {
        sc_rank *r = &t->rank[t->n_ranks];
        for (;; p++) {
            int64_t coef = 0;
            while (isdigit((unsigned char)*p))
                coef = 10 * coef + (*p++ - '0');
            r->dim[r->n_terms] = dim_of(e, *p++);
            r->coef[r->n_terms++] = coef ? coef : 1;
            if (*p != '+')
                break;
        }
        p += *p == ',';
    }
}

sc_einsum count_einsum(const char *dims, const char *first, const char *second, const char *third)
{
    sc_einsum e = {.name = "op"};
    const char *tensors[] = {first, second, third};
    while (*dims) {
        e.dim_name[e.n_dims][0] = *dims++;
        e.bound[e.n_dims++] = strtoull(dims, (char **)&dims, 10);
        dims += *dims == ' ';
    }
    for (unsigned i = 0; i < 3 && tensors[i]; i++)
        add_tensor(&e, tensors[i]);
    return e;
}

sc_arch count_random_arch(uint64_t *seed, unsigned n, uint64_t children)
{
    sc_arch a = {.n_levels = n, .clock_hz = 1e9, .native_batch = 1};
    uint64_t instances = 1;
    for (unsigned l = 0; l < n; l++) {
        sc_level *v = &a.level[l];
        const bool array = random_below(seed, 2);
        (void)snprintf(v->name, sizeof v->name, "L%u", l);
        v->instances = instances;
        v->fanout_x = array ? 1 + random_below(seed, children) : 1;
        v->fanout_y = array ? 1 + random_below(seed, children / v->fanout_x) : 1;
        v->buffers = 1;
        v->word_bits = 16;
        v->block_words = 1;
        v->cluster_size = 1;
        v->may_keep = (1 << SC_ROLES) - 1;
        instances *= v->fanout_x * v->fanout_y;
    }
    a.compute.instances = instances;
    return a;
}

static void put(sc_loops *loops, unsigned d, uint64_t factor)
{
    unsigned i = 0;
    while (i < loops->n && loops->dim[i] != d)
        i++;
    if (i == loops->n) {
        loops->dim[loops->n] = (uint8_t)d;
        loops->factor[loops->n++] = 1;
    }
    loops->factor[i] *= factor;
}

/* Loops in another order, and perhaps one that loops over nothing among them. */
static void stir(uint64_t *seed, sc_loops *loops, unsigned n_dims)
{
    const unsigned d = (unsigned)random_below(seed, n_dims);
    put(loops, d, 1);
    for (unsigned i = loops->n; i-- > 1;) {
        const unsigned k = (unsigned)random_below(seed, i + 1);
        const uint8_t dim = loops->dim[i];
        const uint64_t factor = loops->factor[i];
        loops->dim[i] = loops->dim[k];
        loops->factor[i] = loops->factor[k];
        loops->dim[k] = dim;
        loops->factor[k] = factor;
    }
}

static uint64_t side_used(const sc_block *b, unsigned side)
{
    uint64_t used = 1;
    for (unsigned i = 0; i < b->spatial.n; i++)
        if (b->diagonal >> i & 1 || side == (i >= b->split))
            used *= b->spatial.factor[i];
    return used;
}

/* Put a prime of dimension d on one side of a level's mesh if there is room. */
static bool put_in_space(sc_block *b, const sc_level *l, unsigned d, uint64_t p, unsigned side)
{
    if (side_used(b, side) * p > (side ? l->fanout_y : l->fanout_x))
        return false;
    for (unsigned i = 0; i < b->spatial.n; i++)
        if (b->spatial.dim[i] == d && side != (i >= b->split))
            return false;
    if (side == 0) { /* X loops stand before the Y loops */
        unsigned at = 0;
        while (at < b->split && b->spatial.dim[at] != d)
            at++;
        if (at == b->split) {
            memmove(&b->spatial.dim[at + 1], &b->spatial.dim[at], b->spatial.n - at);
            memmove(&b->spatial.factor[at + 1], &b->spatial.factor[at],
                    (b->spatial.n - at) * sizeof *b->spatial.factor);
            b->spatial.dim[at] = (uint8_t)d;
            b->spatial.factor[at] = 1;
            b->spatial.n++;
            b->split++;
        }
        b->spatial.factor[at] *= p;
        return true;
    }
    put(&b->spatial, d, p);
    return true;
}

sc_mapping count_random_mapping(uint64_t *seed, const sc_einsum *e, const sc_arch *a)
{
    sc_mapping m = {.n_levels = (uint8_t)a->n_levels};
    const uint8_t all = (uint8_t)((1u << e->n_tensors) - 1);
    for (unsigned d = 0; d < e->n_dims; d++) {
        uint64_t rest = e->bound[d];
        for (uint64_t p = 2; rest > 1; p += rest % p != 0) {
            if (rest % p)
                continue;
            rest /= p;
            const unsigned l = (unsigned)random_below(seed, a->n_levels);
            sc_block *b = &m.level[l];
            if (random_below(seed, 3) == 0 ||
                !put_in_space(b, &a->level[l], d, p, (unsigned)random_below(seed, 2)))
                put(&b->temporal, d, p);
        }
    }
    for (unsigned l = 0; l < a->n_levels; l++) {
        stir(seed, &m.level[l].temporal, e->n_dims);
        m.level[l].keep =
            l == 0 || random_below(seed, 2) ? all : (uint8_t)random_below(seed, all + 1u);
    }
    return m;
}

static unsigned long long bound(uint64_t *seed, uint64_t most, int twos)
{
    if (!twos)
        return 1 + random_below(seed, most);
    unsigned long long v = 1;
    while (2 * v <= most && random_below(seed, 3))
        v *= 2;
    return v;
}

sc_einsum count_random_einsum(uint64_t *seed, unsigned kind, int twos)
{
    char dims[128], input[64];
    const unsigned long long p = bound(seed, 8, twos), q = bound(seed, 6, twos);
    const unsigned long long r = bound(seed, 4, twos), s = bound(seed, 4, twos);
    const unsigned long long c = bound(seed, 6, twos), k = bound(seed, 6, twos);
    const unsigned long long n = bound(seed, 2, twos), g = bound(seed, 4, twos);
    const unsigned stride[2] = {1 + (unsigned)random_below(seed, 3),
                                1 + (unsigned)random_below(seed, 2)};
    const unsigned dilation[2] = {1 + (unsigned)random_below(seed, 2),
                                  1 + (unsigned)random_below(seed, 3)};
    (void)snprintf(input, sizeof input, "%uP+%uR,%uQ+%uS", stride[0], dilation[0], stride[1],
                   dilation[1]);
    char in[80];
    switch (kind) {
    case 0:
        (void)snprintf(dims, sizeof dims, "R%llu S%llu P%llu Q%llu C%llu K%llu N%llu", r, s, p, q,
                       c, k, n);
        (void)snprintf(in, sizeof in, "I N,C,%s", input);
        return count_einsum(dims, "W C,K,R,S", in, "O N,K,Q,P");
    case 1:
        (void)snprintf(dims, sizeof dims, "R%llu S%llu P%llu Q%llu C%llu N%llu", r, s, p, q, c, n);
        (void)snprintf(in, sizeof in, "I N,C,%s", input);
        return count_einsum(dims, "W C,R,S", in, "O N,C,Q,P");
    case 2:
        (void)snprintf(dims, sizeof dims, "M%llu K%llu N%llu", 2 * p, 3 * c, 2 * q);
        return count_einsum(dims, "I M,K", "W K,N", "O M,N");
    case 3:
        (void)snprintf(dims, sizeof dims, "H%llu M%llu K%llu N%llu", g, p, c, q);
        return count_einsum(dims, "I H,M,K", "W H,K,N", "O H,M,N");
    case 4:
        (void)snprintf(dims, sizeof dims, "R%llu P%llu Q%llu C%llu K%llu G%llu", r, p, q, c, k, g);
        (void)snprintf(in, sizeof in, "I G,C,%uP+%uR,%uQ", stride[0], dilation[0], stride[1]);
        return count_einsum(dims, "W G,C,K,R", in, "O G,K,Q,P");
    default:
        (void)snprintf(dims, sizeof dims, "R%llu S%llu P%llu Q%llu C%llu K%llu", r, s, p, q, c, k);
        (void)snprintf(in, sizeof in, "O K,%s", input);
        return count_einsum(dims, "W C,K,R,S", "I C,P,Q", in);
    }
}

static void SC_PRINTF(3, 4) say(char *out, size_t size, const char *fmt, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(out + used, size - used, fmt, args);
    va_end(args);
}

static void say_loops(char *out, size_t size, const char *what, const sc_loops *loops,
                      const sc_einsum *e)
{
    say(out, size, "%s ", what);
    for (unsigned i = 0; i < loops->n; i++)
        say(out, size, "%s%llu", e->dim_name[loops->dim[i]], (unsigned long long)loops->factor[i]);
}

const char *count_describe(const sc_einsum *e, const sc_arch *a, const sc_mapping *m)
{
    static char out[4096];
    out[0] = '\0';
    for (unsigned i = 0; i < e->n_tensors; i++) {
        say(out, sizeof out, "%s", e->tensor[i].name);
        for (unsigned r = 0; r < e->tensor[i].n_ranks; r++) {
            const sc_rank *rank = &e->tensor[i].rank[r];
            for (unsigned k = 0; k < rank->n_terms; k++)
                say(out, sizeof out, "%c%lld%s", k ? '+' : ' ', (long long)rank->coef[k],
                    e->dim_name[rank->dim[k]]);
        }
        say(out, sizeof out, "; ");
    }
    for (unsigned l = 0; l < m->n_levels; l++) {
        const sc_block *b = &m->level[l];
        say(out, sizeof out, "\n  %s mesh %llux%llu keep %u split %u ", a->level[l].name,
            (unsigned long long)a->level[l].fanout_x, (unsigned long long)a->level[l].fanout_y,
            b->keep, b->split);
        say_loops(out, sizeof out, "time", &b->temporal, e);
        say_loops(out, sizeof out, " space", &b->spatial, e);
    }
    return out;
}
