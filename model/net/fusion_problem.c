#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/net/fusion.h"

static bool good(double v)
{
    return isfinite(v) && v >= 0.0;
}

static sc_status check_gain(const sc_fusion_problem *p, const sc_fusion_gain *g, double bytes,
                            size_t step, const char *what)
{
    for (int l = 0; l < p->n_lines; l++)
        if (!isfinite(g->cycles[l]) || !good(g->hold[l]))
            return sc_fail(SC_EINVAL,
                           "fusion: step %zu: gains of its %s must be finite, hold 0 or more", step,
                           what);
    if (!good(g->dram_bytes))
        return sc_fail(SC_EINVAL, "fusion: step %zu: bytes of its %s must be 0 or more", step,
                       what);
    if (!good(g->block_bytes) || g->block_bytes > bytes)
        return sc_fail(SC_EINVAL, "fusion: step %zu: block of its %s must be within its %g bytes",
                       step, what, bytes);
    return SC_OK;
}

static sc_status check_reads(const sc_fusion_problem *p, size_t i, size_t *known_from)
{
    const sc_fusion_step *s = &p->step[i];
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
        const uint32_t t = p->read[r].tensor;
        if (t >= p->n_tensors)
            return sc_fail(SC_EINVAL, "fusion: step %zu reads tensor %u of %zu", i, t,
                           p->n_tensors);
        for (size_t q = s->first_read; q < r; q++)
            if (p->read[q].tensor == t)
                return sc_fail(SC_EINVAL, "fusion: step %zu reads tensor %u twice", i, t);
        const sc_status st = check_gain(p, &p->read[r].gain, p->tensor[t].bytes, i, "input");
        if (st != SC_OK)
            return st;
        known_from[t] = known_from[t] ? known_from[t] : i + 1;
    }
    return SC_OK;
}

/* known_from[t]: 1 + the first step that makes or reads it. */
static sc_status check_step(const sc_fusion_problem *p, size_t i, size_t next_read,
                            size_t *known_from)
{
    const sc_fusion_step *s = &p->step[i];
    double blocks = s->weight.block_bytes;
    for (int l = 0; l < p->n_lines; l++)
        if (!good(s->cycles[l]))
            return sc_fail(SC_EINVAL, "fusion: step %zu: cycles must be 0 or more", i);
    if (!good(s->work_bytes) || s->work_bytes > p->capacity_bytes)
        return sc_fail(SC_EINVAL, "fusion: step %zu: working blocks of %g bytes, the buffer has %g",
                       i, s->work_bytes, p->capacity_bytes);
    if (!good(s->weight_bytes))
        return sc_fail(SC_EINVAL, "fusion: step %zu: weight bytes must be 0 or more", i);
    if (s->first_read != next_read || s->n_reads > p->n_reads - next_read)
        return sc_fail(SC_EINVAL, "fusion: step %zu: its reads must follow those before", i);
    sc_status st = check_gain(p, &s->weight, s->weight_bytes, i, "weights");
    if (st != SC_OK || (st = check_reads(p, i, known_from)) != SC_OK)
        return st;
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++)
        blocks += p->read[r].gain.block_bytes;
    if (s->made >= 0) {
        if ((size_t)s->made >= p->n_tensors || known_from[s->made])
            return sc_fail(SC_EINVAL, "fusion: step %zu: tensor %d is made or read before, or none",
                           i, s->made);
        known_from[s->made] = i + 1;
        blocks += s->made_gain.block_bytes;
        st = check_gain(p, &s->made_gain, p->tensor[s->made].bytes, i, "output");
    }
    if (st == SC_OK && blocks > s->work_bytes * (1.0 + 1e-12))
        return sc_fail(SC_EINVAL, "fusion: step %zu: blocks of %g bytes of %g", i, blocks,
                       s->work_bytes);
    return st;
}

sc_status sc_fusion_check(const sc_fusion_problem *p)
{
    sc_status st = SC_OK;
    size_t next_read = 0;
    if (!good(p->capacity_bytes))
        return sc_fail(SC_EINVAL, "fusion: capacity must be 0 or more");
    if (p->n_lines < 1 || p->n_lines > SC_FUSION_MAX_LINES)
        return sc_fail(SC_EINVAL, "fusion: %d lines, not 1 to %d", p->n_lines, SC_FUSION_MAX_LINES);
    if (p->n_steps == 0 || p->n_steps > INT32_MAX || p->n_tensors > INT32_MAX)
        return sc_fail(SC_EINVAL, "fusion: needs at least one step, and below 2^31");
    for (size_t t = 0; t < p->n_tensors; t++)
        if (!good(p->tensor[t].bytes))
            return sc_fail(SC_EINVAL, "fusion: tensor %zu: bytes must be 0 or more", t);
    size_t *known_from = sc_calloc(p->n_tensors, sizeof *known_from);
    if (!known_from)
        return SC_ENOMEM;
    for (size_t i = 0; i < p->n_steps && st == SC_OK; i++) {
        st = check_step(p, i, next_read, known_from);
        next_read += p->step[i].n_reads;
    }
    if (st == SC_OK && next_read != p->n_reads)
        st = sc_fail(SC_EINVAL, "fusion: %zu reads, the steps have %zu", p->n_reads, next_read);
    sc_free(known_from);
    return st;
}

enum { NONE = -1 };

/* Where a tensor is between two of its uses. */
typedef struct walk {
    int64_t *used;   /* [n_tensors] step that used it last, NONE = none yet */
    int64_t *last;   /* [n_tensors] its read before, NONE = none yet */
    bool *stays;     /* [n_reads] the tensor stays behind for a later read */
    bool *made_stay; /* [n_tensors] its maker leaves it there */
    double *live;    /* [n_steps] bytes of activations that stay over the step or are used at it */
    bool lost;       /* something is read that is nowhere */
} walk;

static void spread(double *live, int64_t from, int64_t to, double bytes)
{
    for (int64_t i = from; i < to; i++)
        live[i] += bytes;
}

/* Which use leaves its tensor for which read, and what the steps between hold. */
static void follow(walk *w, const sc_fusion_problem *p, const sc_fusion_choice *c)
{
    int64_t *last = w->last;
    for (size_t t = 0; t < p->n_tensors; t++)
        w->used[t] = last[t] = NONE;
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
            const uint32_t t = p->read[r].tensor;
            if (c->from_buffer[r] && w->used[t] == NONE)
                w->lost = true;
            if (c->from_buffer[r] && w->used[t] != NONE) {
                spread(w->live, w->used[t] + 1, (int64_t)i, p->tensor[t].bytes);
                if (last[t] == NONE)
                    w->made_stay[t] = true;
                else
                    w->stays[last[t]] = true;
            }
            w->used[t] = (int64_t)i;
            last[t] = (int64_t)r;
        }
        if (s->made >= 0)
            w->used[s->made] = (int64_t)i;
    }
}

static void apply(double *cycles, int n_lines, const sc_fusion_gain *g, bool served, bool stays)
{
    for (int l = 0; served && l < n_lines; l++)
        cycles[l] -= g->cycles[l];
    for (int l = 0; !served && stays && l < n_lines; l++)
        cycles[l] += g->hold[l];
}

static double longest(const double *cycles, int n_lines)
{
    double t = cycles[0];
    for (int l = 1; l < n_lines; l++)
        t = fmax(t, cycles[l]);
    return t;
}

/* One step: its lines, and bytes of its row of the capacity but for pinned weights. */
static double run(double *cycles, const walk *w, const sc_fusion_problem *p,
                  const sc_fusion_choice *c, size_t i)
{
    const sc_fusion_step *s = &p->step[i];
    double bytes = s->work_bytes + w->live[i];
    memcpy(cycles, s->cycles, sizeof s->cycles);
    apply(cycles, p->n_lines, &s->weight, c->pinned[i], false);
    if (c->pinned[i])
        bytes -= s->weight.block_bytes;
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
        const sc_fusion_gain *g = &p->read[r].gain;
        apply(cycles, p->n_lines, g, c->from_buffer[r], w->stays[r]);
        if (c->from_buffer[r] || w->stays[r])
            bytes += p->tensor[p->read[r].tensor].bytes - g->block_bytes;
    }
    if (s->made >= 0) {
        const sc_fusion_gain *g = &s->made_gain;
        apply(cycles, p->n_lines, g, c->unwritten[s->made], w->made_stay[s->made]);
        if (w->made_stay[s->made])
            bytes += p->tensor[s->made].bytes - g->block_bytes;
    }
    return bytes;
}

static double spared(const sc_fusion_problem *p, const sc_fusion_choice *c, size_t i)
{
    const sc_fusion_step *s = &p->step[i];
    double bytes = c->pinned[i] ? s->weight.dram_bytes : 0.0;
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++)
        bytes += c->from_buffer[r] ? p->read[r].gain.dram_bytes : 0.0;
    return bytes + (s->made >= 0 && c->unwritten[s->made] ? s->made_gain.dram_bytes : 0.0);
}

/* Nothing may be unwritten that leaves, is made by no step, or is read elsewhere or by nobody. */
static bool is_lost(const sc_fusion_problem *p, const sc_fusion_choice *c, const int64_t *last)
{
    bool lost = false;
    size_t unmade = 0;
    for (size_t t = 0; t < p->n_tensors; t++) {
        lost = lost || (c->unwritten[t] && (p->tensor[t].leaves || last[t] == NONE));
        unmade += c->unwritten[t];
    }
    for (size_t r = 0; r < p->n_reads; r++)
        lost = lost || (c->unwritten[p->read[r].tensor] && !c->from_buffer[r]);
    for (size_t i = 0; i < p->n_steps; i++) {
        lost = lost || (c->pinned[i] && p->step[i].weight_bytes <= 0.0);
        unmade -= p->step[i].made >= 0 && c->unwritten[p->step[i].made];
    }
    return lost || unmade > 0;
}

static sc_status open_walk(walk *w, const sc_fusion_problem *p, const sc_fusion_choice *c)
{
    *w = (walk){.used = sc_calloc(p->n_tensors, sizeof *w->used),
                .last = sc_calloc(p->n_tensors, sizeof *w->last),
                .stays = sc_calloc(p->n_reads, sizeof *w->stays),
                .made_stay = sc_calloc(p->n_tensors, sizeof *w->made_stay),
                .live = sc_calloc(p->n_steps, sizeof *w->live)};
    if (!w->used || !w->last || !w->stays || !w->made_stay || !w->live)
        return SC_ENOMEM;
    follow(w, p, c);
    return SC_OK;
}

static void close_walk(walk *w)
{
    sc_free(w->used);
    sc_free(w->last);
    sc_free(w->stays);
    sc_free(w->made_stay);
    sc_free(w->live);
}

sc_status sc_fusion_lines_of(double (*cycles)[SC_FUSION_MAX_LINES], double *bytes,
                             const sc_fusion_problem *p, const sc_fusion_choice *c)
{
    walk w;
    const sc_status st = open_walk(&w, p, c);
    for (size_t i = 0; st == SC_OK && i < p->n_steps; i++)
        bytes[i] = run(cycles[i], &w, p, c, i);
    close_walk(&w);
    return st;
}

sc_status sc_fusion_value_of(sc_fusion_value *out, double *step_cycles, const sc_fusion_problem *p,
                             const sc_fusion_choice *c)
{
    walk w;
    const sc_status st = open_walk(&w, p, c);
    sc_fusion_value v = {.first_violation = p->n_steps};
    for (size_t i = 0; i < p->n_steps; i++)
        v.pinned_bytes += c->pinned[i] ? p->step[i].weight_bytes : 0.0;
    for (size_t i = 0; st == SC_OK && i < p->n_steps; i++) {
        double cycles[SC_FUSION_MAX_LINES];
        const double bytes = run(cycles, &w, p, c, i), time = longest(cycles, p->n_lines);
        v.cycles += time;
        v.dram_bytes += spared(p, c, i);
        v.peak_bytes = fmax(v.peak_bytes, bytes);
        if (step_cycles)
            step_cycles[i] = time;
        if (bytes + v.pinned_bytes > p->capacity_bytes * (1.0 + 1e-12) &&
            v.first_violation == p->n_steps)
            v.first_violation = i;
    }
    v.feasible =
        st == SC_OK && v.first_violation == p->n_steps && !w.lost && !is_lost(p, c, w.last);
    close_walk(&w);
    if (st == SC_OK)
        *out = v;
    return st;
}
