#include "model/count/groups.h"

#include <string.h>

enum { MAX_ROWS = 1 << 13 }; /* of a tangled fan */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Ranks in which a loop moves, bit 1 << rank. */
static unsigned ranks_of(const sc_fan *f, unsigned loop)
{
    unsigned ranks = 0;
    for (unsigned r = 0; r < f->n_ranks; r++)
        ranks |= (unsigned)(f->move[loop][r] != 0) << r;
    return ranks;
}

/* Two loops that share ranks: after how many iterations one undoes the other. */
static void add_pair(sc_fan *f, unsigned a, unsigned b, unsigned ranks)
{
    const unsigned r = (unsigned)__builtin_ctz(ranks);
    const uint64_t g = gcd(f->move[a][r], f->move[b][r]);
    uint64_t step_a = f->move[b][r] / g, step_b = f->move[a][r] / g;
    for (unsigned k = 0; k < f->n_ranks; k++)
        if (f->move[a][k] * step_a != f->move[b][k] * step_b)
            step_a = step_b = 0;
    f->pair[f->n_pairs].a = (uint8_t)a;
    f->pair[f->n_pairs].b = (uint8_t)b;
    f->pair[f->n_pairs].step_a = step_a;
    f->pair[f->n_pairs++].step_b = step_b;
}

static void find_pairs(sc_fan *f)
{
    uint16_t paired = 0;
    f->n_pairs = 0;
    f->tangled = false;
    for (unsigned a = 0; a < f->n; a++)
        for (unsigned b = a + 1; b < f->n; b++) {
            const unsigned common = ranks_of(f, a) & ranks_of(f, b);
            if (!common)
                continue;
            if (paired >> a & 1 || paired >> b & 1) {
                f->tangled = true;
                f->n_pairs = 0;
                return;
            }
            paired |= (uint16_t)(1u << a | 1u << b);
            add_pair(f, a, b, common);
        }
}

void sc_fan_build(sc_fan *f, const sc_nest *n, const sc_plan_tensor *t, unsigned level)
{
    f->n = n->n_spatial[level];
    f->n_ranks = t->n_ranks;
    f->children = n->fan[level];
    f->relevant = 0;
    for (unsigned s = 0; s < f->n; s++) {
        const sc_nest_loop *loop = &n->spatial[level][s];
        f->factor[s] = loop->factor;
        f->relevant |= (uint16_t)((t->relevant >> loop->dim & 1) << s);
        sc_nest_move(f->move[s], t, loop->dim, loop->step);
    }
    f->n_pairs = 0;
    f->tangled = false;
    if (!t->plain)
        find_pairs(f);
}

/* Points of a pair's rectangle whose k-th neighbour along the repetition is also in it. */
static uint64_t pair_overlap(const sc_fan *f, const struct sc_fan_pair *p, uint64_t k)
{
    const uint64_t m = f->factor[p->a], n = f->factor[p->b];
    if (k == 0)
        return m * n;
    if (p->step_a == 0 || p->step_a > (m - 1) / k || p->step_b > (n - 1) / k)
        return 0;
    return (m - k * p->step_a) * (n - k * p->step_b);
}

/* Next digits in counting order, loop 0 fastest, loop `fixed` left out; false after the last. */
static bool next_row(uint64_t *digit, const sc_fan *f, unsigned fixed)
{
    for (unsigned s = 0; s < f->n; s++) {
        if (s == fixed || !(f->relevant >> s & 1))
            continue;
        if (++digit[s] < f->factor[s])
            return true;
        digit[s] = 0;
    }
    return false;
}

/* By how many iterations of loop `along` the rows of two points differ; false if by no whole
 * number below that loop's factor. */
static bool shift_of(int64_t *out, const sc_fan *f, unsigned along, const uint64_t *digit,
                     const uint64_t *other)
{
    const uint64_t *unit = f->move[along];
    bool known = false;
    *out = 0;
    for (unsigned r = 0; r < f->n_ranks; r++) {
        uint64_t apart = 0;
        for (unsigned s = 0; s < f->n; s++)
            if (s != along)
                apart += (digit[s] - other[s]) * f->move[s][r];
        if (unit[r] == 0 ? apart != 0 : (int64_t)apart % (int64_t)unit[r] != 0)
            return false;
        if (unit[r] == 0)
            continue;
        const int64_t shift = (int64_t)apart / (int64_t)unit[r];
        if (known && shift != *out)
            return false;
        *out = shift;
        known = true;
    }
    return *out < (int64_t)f->factor[along] && -*out < (int64_t)f->factor[along];
}

/* Rows along the longest loop, each the same places shifted: of every row, the places that no row
 * before it has. */
static uint64_t tangled_groups(const sc_fan *f)
{
    unsigned along = 0;
    uint64_t places = 1;
    for (unsigned s = 0; s < f->n; s++)
        places *= f->relevant >> s & 1 ? f->factor[s] : 1;
    for (unsigned s = 0; s < f->n; s++)
        if (f->relevant >> s & 1 &&
            (!(f->relevant >> along & 1) || f->factor[s] > f->factor[along]))
            along = s;
    const int64_t length = (int64_t)f->factor[along];
    if (places / f->factor[along] > MAX_ROWS)
        return 0;
    uint64_t digit[SC_MAX_DIMS] = {0}, groups = 0;
    do {
        uint64_t other[SC_MAX_DIMS] = {0};
        int64_t from = 0, to = length; /* places of this row not seen yet */
        while (memcmp(other, digit, sizeof other) != 0 && from < to) {
            int64_t shift;
            if (shift_of(&shift, f, along, digit, other)) {
                if (shift >= 0 && length - shift > from)
                    from = length - shift;
                if (shift <= 0 && -shift < to)
                    to = -shift;
            }
            if (!next_row(other, f, along))
                break;
        }
        groups += from < to ? (uint64_t)(to - from) : 0;
    } while (next_row(digit, f, along));
    return groups;
}

uint64_t sc_fan_groups(const sc_fan *f)
{
    uint64_t groups = 1;
    if (f->tangled)
        return tangled_groups(f);
    for (unsigned s = 0; s < f->n; s++)
        if (f->relevant >> s & 1)
            groups *= f->factor[s];
    for (unsigned i = 0; i < f->n_pairs; i++) {
        const uint64_t points = pair_overlap(f, &f->pair[i], 0);
        groups = groups / points * (points - pair_overlap(f, &f->pair[i], 1));
    }
    return groups;
}

void sc_group_sizes_add(sc_group_sizes *s, uint64_t children, uint64_t groups)
{
    unsigned i = s->n;
    if (groups == 0)
        return;
    while (i > 0 && s->at[i - 1].children > children)
        i--;
    if (i > 0 && s->at[i - 1].children == children) {
        s->at[i - 1].groups += groups;
        return;
    }
    if (s->n == sizeof s->at / sizeof *s->at) {
        s->cut = true;
        return;
    }
    memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof *s->at);
    s->at[i].children = children;
    s->at[i].groups = groups;
    s->n++;
}

/* Every group so far becomes, for each run length k of the pair, as many groups of k times the
 * children as there are runs. */
static void multiply_pair(sc_group_sizes *s, const sc_fan *f, const struct sc_fan_pair *p)
{
    const sc_group_sizes before = *s;
    uint64_t here = pair_overlap(f, p, 0), next = pair_overlap(f, p, 1);
    s->n = 0;
    for (uint64_t k = 1; here > 0 && !s->cut; k++) {
        const uint64_t after = pair_overlap(f, p, k + 1);
        const uint64_t runs = here - next - (next - after);
        for (unsigned i = 0; i < before.n; i++)
            sc_group_sizes_add(s, before.at[i].children * k, before.at[i].groups * runs);
        here = next;
        next = after;
    }
}

void sc_fan_sizes(sc_group_sizes *s, const sc_fan *f)
{
    uint64_t children = 1, groups = 1;
    uint16_t paired = 0;
    s->n = 0;
    s->cut = f->tangled;
    if (f->tangled)
        return;
    for (unsigned i = 0; i < f->n_pairs; i++)
        paired |= (uint16_t)(1u << f->pair[i].a | 1u << f->pair[i].b);
    for (unsigned k = 0; k < f->n; k++) {
        if (!(f->relevant >> k & 1))
            children *= f->factor[k];
        else if (!(paired >> k & 1))
            groups *= f->factor[k];
    }
    sc_group_sizes_add(s, children, groups);
    for (unsigned i = 0; i < f->n_pairs; i++)
        multiply_pair(s, f, &f->pair[i]);
}

void sc_fan_walks(sc_walks *w, const sc_fan *f)
{
    w->n = 0;
    for (unsigned s = 0; s < f->n; s++)
        if (!(f->relevant >> s & 1))
            w->at[w->n++] = (struct sc_walk){(uint8_t)s, (uint8_t)s, 1, 0};
    for (unsigned i = 0; i < f->n_pairs; i++)
        if (f->pair[i].step_a)
            w->at[w->n++] = (struct sc_walk){f->pair[i].a, f->pair[i].b, (int64_t)f->pair[i].step_a,
                                             -(int64_t)f->pair[i].step_b};
}
