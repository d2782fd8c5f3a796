#include <stddef.h>

#include "model/count/clip.h"

enum { MAX_LEFT = 32 };

/* Children of one row for which no child in the same place has been found yet. */
typedef struct left {
    unsigned n;
    sc_clip_span at[MAX_LEFT];
} left;

/* Take an interval off. @return false if there is no room for what remains. */
static bool take_off(left *l, const sc_clip_span *off)
{
    const unsigned n = l->n;
    unsigned kept = 0;
    left out;
    for (unsigned i = 0; i < n; i++) {
        const sc_clip_span *s = &l->at[i];
        const uint64_t low = off->low > s->low ? off->low : s->low;
        const uint64_t high = off->high < s->high ? off->high : s->high;
        if (kept + 2 > MAX_LEFT)
            return false;
        if (low >= high) {
            out.at[kept++] = *s;
            continue;
        }
        if (s->low < low)
            out.at[kept++] = (sc_clip_span){s->low, low};
        if (high < s->high)
            out.at[kept++] = (sc_clip_span){high, s->high};
    }
    out.n = kept;
    *l = out;
    return true;
}

static const struct sc_clip_line *line_of(const sc_clip_block *b, uint64_t y)
{
    for (unsigned i = 0; i < b->n; i++)
        if (y >= b->row[i].low && y < b->row[i].high)
            return &b->row[i];
    return NULL;
}

/* Take off the children x of a row for which x + by is among the spans. */
static bool take_off_moved(left *l, const struct sc_clip_line *line, uint64_t by)
{
    for (unsigned i = 0; i < line->n; i++) {
        const sc_clip_span *s = &line->at[i];
        if (s->high <= by)
            continue;
        const sc_clip_span off = {s->low > by ? s->low - by : 0, s->high - by};
        if (!take_off(l, &off))
            return false;
    }
    return true;
}

bool sc_clip_places(uint64_t *out, const sc_clip_block *b)
{
    uint64_t places = 0;
    for (unsigned i = 0; i < b->n; i++)
        for (uint64_t y = b->row[i].low; y < b->row[i].high; y++) {
            left l = {.n = 0};
            for (unsigned k = 0; k < b->row[i].n; k++)
                l.at[l.n++] = b->row[i].at[k];
            uint64_t by = b->step[0];
            for (uint64_t v = y; v >= b->step[1] && l.n > 0; by += b->step[0]) {
                v -= b->step[1];
                const struct sc_clip_line *line = line_of(b, v);
                if (line && !take_off_moved(&l, line, by))
                    return false;
            }
            for (unsigned k = 0; k < l.n; k++)
                places += l.at[k].high - l.at[k].low;
        }
    *out = places;
    return true;
}
