#include "fusion_make.h"

#include <math.h>
#include <string.h>

enum { CHIP, DRAM, PORT, LINES };

static double whole(sc_rng *r, unsigned long most)
{
    return (double)gsl_rng_uniform_int(&r->gsl, most + 1);
}

static bool chance(sc_rng *r, double p)
{
    return gsl_rng_uniform(&r->gsl) < p;
}

/* ---- shapes ---- */

/* Tensors that step i reads, the step before it first. Tensor 0 is the network's input, step i
 * makes tensor i + 1. */
static size_t operands(uint32_t out[3], sc_rng *r, enum fusion_shape shape, size_t i)
{
    size_t n = 0;
    out[n++] = (uint32_t)i;
    if (shape == SHAPE_SKIPS && i >= 3 && i % 3 == 0)
        out[n++] = (uint32_t)(i - 2);
    if (shape == SHAPE_SQUEEZE && i >= 3 && i % 4 == 3) /* pool, fc, then scale by it */
        out[n++] = (uint32_t)(i - 2);
    if (shape == SHAPE_SQUEEZE && i >= 6 && i % 6 == 5)
        out[n++] = (uint32_t)(i - 5);
    if (shape == SHAPE_RESIDUAL && i % 5 == 1)
        out[0] = (uint32_t)(i - 1); /* q and k of one */
    if (shape == SHAPE_RESIDUAL && i % 5 == 2)
        out[n++] = (uint32_t)(i - 1);
    if (shape == SHAPE_RESIDUAL && i >= 4 && i % 5 == 4)
        out[n++] = (uint32_t)(i - 4);
    if (shape == SHAPE_ANY)
        for (int k = 0; k < 2; k++)
            if (i > 0 && chance(r, 0.3))
                out[n++] = (uint32_t)(i - whole(r, i < 6 ? i : 6));
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (out[a] == out[b])
                out[b--] = out[--n];
    return n;
}

/* ---- numbers ---- */

static sc_fusion_gain gain_of(sc_rng *r, double bytes, double *traffic, double *work)
{
    sc_fusion_gain g = {.dram_bytes = bytes};
    g.cycles[DRAM] = bytes * (1 + whole(r, 1));
    *traffic += g.cycles[DRAM];
    if (chance(r, 0.3)) {
        g.cycles[PORT] = -whole(r, (unsigned long)bytes);
        g.hold[PORT] = whole(r, (unsigned long)bytes);
    } else if (chance(r, 0.3)) {
        g.cycles[PORT] = whole(r, (unsigned long)bytes);
    }
    if (chance(r, 0.3))
        g.cycles[CHIP] = whole(r, 3);
    if (chance(r, 0.5))
        g.block_bytes = whole(r, (unsigned long)bytes);
    *work += g.block_bytes;
    return g;
}

void make_fusion(made_fusion *m, sc_rng *r, enum fusion_shape shape, size_t steps)
{
    size_t reads = 0;
    double most_work = 0.0, all = 0.0;
    m->p = (sc_fusion_problem){.n_lines = LINES,
                               .n_steps = steps,
                               .n_tensors = steps + 1,
                               .step = m->step,
                               .read = m->read,
                               .tensor = m->tensor};
    for (size_t t = 0; t <= steps; t++) {
        m->tensor[t] = (sc_fusion_tensor){1.0 + whole(r, 30), t == steps || chance(r, 0.05)};
        all += m->tensor[t].bytes;
    }
    for (size_t i = 0; i < steps; i++) {
        sc_fusion_step *s = &m->step[i];
        uint32_t from[3];
        double traffic = 0.0, work = 0.0;
        *s = (sc_fusion_step){.first_read = reads, .made = (int32_t)i + 1};
        s->n_reads = operands(from, r, shape, i);
        for (size_t j = 0; j < s->n_reads; j++, reads++) {
            m->read[reads].tensor = from[j];
            m->read[reads].gain = gain_of(r, m->tensor[from[j]].bytes, &traffic, &work);
        }
        s->made_gain = gain_of(r, m->tensor[i + 1].bytes, &traffic, &work);
        if (chance(r, 0.5)) {
            s->weight_bytes = 1.0 + whole(r, 25);
            s->weight = gain_of(r, s->weight_bytes, &traffic, &work);
        }
        all += s->weight_bytes;
        s->cycles[DRAM] = traffic;
        s->cycles[PORT] = whole(r, (unsigned long)traffic);
        s->cycles[CHIP] = 9.0 + whole(r, (unsigned long)traffic / 2);
        s->work_bytes = work + whole(r, 5);
        most_work = fmax(most_work, s->work_bytes);
    }
    m->p.n_reads = reads;
    m->p.capacity_bytes = most_work + whole(r, (unsigned long)(all * (chance(r, 0.5) ? 0.3 : 0.8)));
}

/* ---- all choices ---- */

typedef struct decision {
    enum { PIN, GAP, SPARE } kind;
    size_t at; /* step, read, tensor */
} decision;

/* Step that uses the tensor before step i, -1 = none. */
static long used_before(const sc_fusion_problem *p, uint32_t tensor, size_t i)
{
    for (size_t k = i; k-- > 0;) {
        if (p->step[k].made == (int32_t)tensor)
            return (long)k;
        for (size_t j = 0; j < p->step[k].n_reads; j++)
            if (p->read[p->step[k].first_read + j].tensor == tensor)
                return (long)k;
    }
    return -1;
}

static bool has_readers(const sc_fusion_problem *p, int32_t tensor)
{
    for (size_t r = 0; r < p->n_reads; r++)
        if (p->read[r].tensor == (uint32_t)tensor)
            return true;
    return false;
}

static size_t list(decision *d, const sc_fusion_problem *p, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        if (s->weight_bytes > 0.0 && n++ < most)
            d[n - 1] = (decision){PIN, i};
        for (size_t j = s->first_read; j < s->first_read + s->n_reads; j++)
            if (used_before(p, p->read[j].tensor, i) >= 0 && n++ < most)
                d[n - 1] = (decision){GAP, j};
        if (s->made >= 0 && !p->tensor[s->made].leaves && has_readers(p, s->made) && n++ < most)
            d[n - 1] = (decision){SPARE, (size_t)s->made};
    }
    return n;
}

size_t fusion_decisions(const sc_fusion_problem *p)
{
    decision none;
    return list(&none, p, 0);
}

enum { MOST = 24, SMALL = 32 };

typedef struct picture {
    bool pin[SMALL], gap[FUSION_READS], spare[SMALL];
    bool there[SMALL][SMALL]; /* [step][tensor] it is in the buffer because of a gap */
    bool stays[SMALL][SMALL]; /* [step][tensor] a gap begins at the step */
} picture;

static void change(double c[SC_FUSION_MAX_LINES], const sc_fusion_gain *g, bool served, bool stays)
{
    if (served)
        for (int l = 0; l < LINES; l++)
            c[l] -= g->cycles[l];
    else if (stays)
        c[PORT] += g->hold[PORT];
}

/* Time of a step, or INFINITY where it does not fit with so many bytes pinned. */
static double step_time(const sc_fusion_problem *p, const picture *w, size_t i, double pinned)
{
    const sc_fusion_step *s = &p->step[i];
    double c[SC_FUSION_MAX_LINES], bytes = s->work_bytes + pinned;
    memcpy(c, s->cycles, sizeof c);
    for (size_t t = 0; t < p->n_tensors; t++)
        bytes += w->there[i][t] ? p->tensor[t].bytes : 0.0;
    for (size_t j = s->first_read; j < s->first_read + s->n_reads; j++) {
        const uint32_t t = p->read[j].tensor;
        change(c, &p->read[j].gain, w->gap[j], w->stays[i][t]);
        bytes -= w->there[i][t] ? p->read[j].gain.block_bytes : 0.0;
    }
    if (s->made >= 0) {
        change(c, &s->made_gain, w->spare[s->made], w->stays[i][s->made]);
        bytes -= w->there[i][s->made] ? s->made_gain.block_bytes : 0.0;
    }
    change(c, &s->weight, w->pin[i], false);
    bytes -= w->pin[i] ? s->weight.block_bytes : 0.0;
    if (bytes > p->capacity_bytes)
        return (double)INFINITY;
    return fmax(c[0], fmax(c[1], c[2]));
}

static double try_one(const sc_fusion_problem *p, const decision *d, size_t n, unsigned long bits,
                      const long *before, picture *w)
{
    double pinned = 0.0, cycles = 0.0;
    memset(w, 0, sizeof *w);
    for (size_t k = 0; k < n; k++) {
        if (!(bits >> k & 1))
            continue;
        if (d[k].kind == PIN) {
            w->pin[d[k].at] = true;
            pinned += p->step[d[k].at].weight_bytes;
        } else if (d[k].kind == SPARE) {
            w->spare[d[k].at] = true;
        } else {
            w->gap[d[k].at] = true;
        }
    }
    for (size_t i = 0; i < p->n_steps; i++)
        for (size_t j = p->step[i].first_read; j < p->step[i].first_read + p->step[i].n_reads;
             j++) {
            const uint32_t t = p->read[j].tensor;
            if (w->spare[t] && !w->gap[j])
                return (double)INFINITY;
            if (!w->gap[j])
                continue;
            w->stays[before[j]][t] = true;
            for (size_t k = (size_t)before[j]; k <= i; k++)
                w->there[k][t] = true;
        }
    for (size_t i = 0; i < p->n_steps; i++)
        cycles += step_time(p, w, i, pinned);
    return cycles;
}

double brute_fusion(const sc_fusion_problem *p)
{
    decision d[MOST];
    long before[FUSION_READS];
    picture w;
    double best = (double)INFINITY;
    const size_t n = list(d, p, MOST);
    for (size_t i = 0; i < p->n_steps; i++)
        for (size_t j = p->step[i].first_read; j < p->step[i].first_read + p->step[i].n_reads; j++)
            before[j] = used_before(p, p->read[j].tensor, i);
    for (unsigned long bits = 0; bits >> n == 0; bits++)
        best = fmin(best, try_one(p, d, n, bits, before, &w));
    return best;
}
