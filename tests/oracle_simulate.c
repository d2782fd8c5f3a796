#include "oracle_simulate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 4096, MAX_NEST = 96, MAX_CHILDREN = 256 };

typedef struct loop {
    unsigned dim;
    uint64_t factor, step;
} loop;

/* Loops of some blocks, innermost first. */
typedef struct loops {
    unsigned n;
    loop at[MAX_NEST];
} loops;

static void add_block(loops *out, uint64_t *extent, const sc_loops *block)
{
    for (unsigned i = 0; i < block->n; i++) {
        const unsigned d = block->dim[i];
        if (out && block->factor[i] > 1) {
            if (out->n == MAX_NEST)
                abort();
            out->at[out->n++] = (loop){d, block->factor[i], extent[d]};
        }
        extent[d] *= block->factor[i];
    }
}

/* Index of a word of the tensor in a row-major box; the whole tensor fits MAX_WORDS. */
static uint64_t word_at(const sc_einsum *e, const sc_tensor *t, const uint64_t *point)
{
    uint64_t word = 0;
    for (unsigned r = 0; r < t->n_ranks; r++) {
        uint64_t at = 0, size = 1;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++) {
            at += (uint64_t)t->rank[r].coef[k] * point[t->rank[r].dim[k]];
            size += (uint64_t)t->rank[r].coef[k] * (e->bound[t->rank[r].dim[k]] - 1);
        }
        word = word * size + at;
    }
    if (word >= MAX_WORDS) {
        fprintf(stderr, "oracle: tensor too large\n");
        abort();
    }
    return word;
}

static bool next(uint64_t *digit, uint64_t *point, const loops *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        point[l->at[i].dim] += l->at[i].step;
        if (++digit[i] < l->at[i].factor)
            return true;
        point[l->at[i].dim] -= l->at[i].step * l->at[i].factor;
        digit[i] = 0;
    }
    return false;
}

/* Words that the loops inside touch from a point on; there are n in all. */
static void touch(bool *words, uint64_t n, const sc_einsum *e, const sc_tensor *t,
                  const uint64_t *from, const loops *inside)
{
    uint64_t digit[MAX_NEST] = {0}, point[SC_MAX_DIMS];
    memcpy(point, from, sizeof point);
    memset(words, 0, n);
    do
        words[word_at(e, t, point)] = true;
    while (next(digit, point, inside));
}

oracle_traffic oracle_simulate(const sc_einsum *e, unsigned tensor, const sc_mapping *m,
                               unsigned level)
{
    static bool held[MAX_CHILDREN][MAX_WORDS], ever[MAX_CHILDREN][MAX_WORDS], now[MAX_WORDS];
    static bool served[MAX_WORDS];
    const sc_tensor *t = &e->tensor[tensor];
    const bool macs = level + 1 == m->n_levels; /* they hold nothing between steps */
    loops inside = {0}, space = {0}, outside = {0};
    uint64_t extent[SC_MAX_DIMS], digit[MAX_NEST] = {0}, point[SC_MAX_DIMS] = {0};
    oracle_traffic sum = {0};
    for (unsigned d = 0; d < e->n_dims; d++)
        extent[d] = e->bound[d] - 1;
    const uint64_t n_words = word_at(e, t, extent) + 1;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        extent[d] = 1;
    for (unsigned l = m->n_levels; l-- > level + 1;) {
        add_block(&inside, extent, &m->level[l].spatial);
        add_block(&inside, extent, &m->level[l].temporal);
    }
    add_block(&space, extent, &m->level[level].spatial);
    add_block(&outside, extent, &m->level[level].temporal);
    for (unsigned l = level; l-- > 0;) {
        add_block(NULL, extent, &m->level[l].spatial);
        add_block(&outside, extent, &m->level[l].temporal);
    }
    memset(held, 0, sizeof held);
    memset(ever, 0, sizeof ever);
    do {
        uint64_t child_digit[MAX_NEST] = {0}, at[SC_MAX_DIMS];
        unsigned child = 0;
        memcpy(at, point, sizeof at);
        memset(served, 0, n_words);
        do {
            touch(now, n_words, e, t, at, &inside);
            for (uint64_t w = 0; w < n_words; w++) {
                if (now[w] && (macs || !held[child][w])) {
                    sum.served += !served[w];
                    served[w] = true;
                    sum.received++;
                    sum.first += !ever[child][w];
                    ever[child][w] = true;
                }
                held[child][w] = now[w];
            }
            child++;
        } while (next(child_digit, at, &space));
    } while (next(digit, point, &outside));
    return sum;
}
