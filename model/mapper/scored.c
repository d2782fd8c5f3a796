#include "model/mapper/scored.h"

#include <string.h>

#include "core/hash.h"

/* Words that tell mappings apart, at most: a head a level, and two a loop. */
enum { MAX_WORDS = SC_MAX_LEVELS * (1 + 4 * SC_MAX_DIMS) };

static size_t put_loops(uint64_t *word, const sc_loops *loops, unsigned split, unsigned tag)
{
    size_t n = 0;
    for (unsigned i = 0; i < loops->n; i++) {
        if (loops->factor[i] == 1)
            continue;
        word[n++] = loops->dim[i] | (uint64_t)(i < split) << 8 | (uint64_t)tag << 9;
        word[n++] = loops->factor[i];
    }
    return n;
}

void sc_scored_clear(sc_scored *s)
{
    memset(s->name, 0, sizeof s->name);
}

sc_scored_at sc_scored_find(const sc_scored *s, const sc_mapping *m)
{
    uint64_t word[MAX_WORDS];
    size_t n = 0;
    for (unsigned level = 0; level < m->n_levels; level++) {
        const sc_block *b = &m->level[level];
        word[n++] = b->keep | 1u << 10; /* no loop has this bit */
        n += put_loops(word + n, &b->temporal, 0, 0);
        n += put_loops(word + n, &b->spatial, b->split, 2);
    }
    const sc_hash128 h = sc_hash128_of(word, n * sizeof *word);
    sc_scored_at at = {.name = {h.hi, h.lo | 1}, .place = (unsigned)(h.hi % SC_SCORED)};
    at.known = s->name[at.place][0] == at.name[0] && s->name[at.place][1] == at.name[1];
    return at;
}

void sc_scored_put(sc_scored *s, const sc_scored_at *at, double cycles, double energy_pj)
{
    s->name[at->place][0] = at->name[0];
    s->name[at->place][1] = at->name[1];
    s->cycles[at->place] = cycles;
    s->energy_pj[at->place] = energy_pj;
}
