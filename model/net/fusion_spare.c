#include "model/net/fusion_spare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum { NEVER = -1 };

typedef struct weight {
    double worth; /* bytes spared a byte pinned */
    size_t step;
} weight;

typedef struct state {
    const sc_fusion_problem *p;
    sc_fusion_choice *c;
    double (*cycles)[SC_FUSION_MAX_LINES]; /* [n_steps] lines as chosen */
    double *bytes;                         /* [n_steps] working blocks and activations */
    double pinned;
    int64_t *maker, *last; /* [n_tensors] steps */
    bool *used, *all;      /* [n_tensors] some read of it, every read is served by the buffer */
    weight *order;         /* [n_steps] */
} state;

static double longest(const double *cycles, int n_lines)
{
    double t = cycles[0];
    for (int l = 1; l < n_lines; l++)
        t = fmax(t, cycles[l]);
    return t;
}

static void shift(double *cycles, int n_lines, const sc_fusion_gain *g, bool served)
{
    for (int l = 0; l < n_lines; l++)
        cycles[l] += served ? -g->cycles[l] : g->hold[l];
}

/* Whether the step is no slower with the operand in the buffer. */
static bool no_slower(const state *s, size_t i, const sc_fusion_gain *g, bool served)
{
    double with[SC_FUSION_MAX_LINES];
    memcpy(with, s->cycles[i], sizeof with);
    shift(with, s->p->n_lines, g, served);
    return longest(with, s->p->n_lines) <= longest(s->cycles[i], s->p->n_lines);
}

/* Gain of a step's operand that is the tensor; NULL: it passes the step by. */
static const sc_fusion_gain *gain_at(const sc_fusion_problem *p, size_t i, size_t tensor,
                                     size_t *read)
{
    const sc_fusion_step *s = &p->step[i];
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++)
        if (p->read[r].tensor == tensor) {
            *read = r;
            return &p->read[r].gain;
        }
    return s->made == (int32_t)tensor ? &s->made_gain : NULL;
}

static bool whole_fits(const state *s, size_t t, double room)
{
    const sc_fusion_problem *p = s->p;
    size_t read = 0;
    for (int64_t i = s->maker[t]; i <= s->last[t]; i++) {
        const sc_fusion_gain *g = gain_at(p, (size_t)i, t, &read);
        const bool served = i > s->maker[t] || !p->tensor[t].leaves;
        if (s->bytes[i] + p->tensor[t].bytes - (g ? g->block_bytes : 0.0) > room ||
            (g && !no_slower(s, (size_t)i, g, served)))
            return false;
    }
    return true;
}

static void keep_whole(state *s, size_t t)
{
    const sc_fusion_problem *p = s->p;
    size_t read = 0;
    for (int64_t i = s->maker[t]; i <= s->last[t]; i++) {
        const sc_fusion_gain *g = gain_at(p, (size_t)i, t, &read);
        const bool served = i > s->maker[t] || !p->tensor[t].leaves;
        s->bytes[i] += p->tensor[t].bytes - (g ? g->block_bytes : 0.0);
        if (!g)
            continue;
        shift(s->cycles[i], p->n_lines, g, served);
        if (i > s->maker[t])
            s->c->from_buffer[read] = true;
        else
            s->c->unwritten[t] = served;
    }
}

/* Everybody who reads it finds it in the buffer, so it need not be written, where that is no
 * slower.
 */
static void leave_unwritten(state *s, size_t i, size_t t)
{
    const sc_fusion_problem *p = s->p;
    const sc_fusion_gain *g = &p->step[i].made_gain;
    double with[SC_FUSION_MAX_LINES];
    if (!s->all[t] || s->last[t] == NEVER || p->tensor[t].leaves || s->c->unwritten[t])
        return;
    memcpy(with, s->cycles[i], sizeof with);
    for (int l = 0; l < p->n_lines; l++)
        with[l] -= g->hold[l] + g->cycles[l];
    if (longest(with, p->n_lines) > longest(s->cycles[i], p->n_lines))
        return;
    memcpy(s->cycles[i], with, sizeof with);
    s->c->unwritten[t] = true;
}

static int by_worth(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static void pin_more(state *s)
{
    const sc_fusion_problem *p = s->p;
    size_t n = 0;
    double peak = 0.0;
    for (size_t i = 0; i < p->n_steps; i++) {
        peak = fmax(peak, s->bytes[i]);
        if (!s->c->pinned[i] && p->step[i].weight_bytes > 0.0 && p->step[i].weight.dram_bytes > 0.0)
            s->order[n++] = (weight){p->step[i].weight.dram_bytes / p->step[i].weight_bytes, i};
    }
    qsort(s->order, n, sizeof *s->order, by_worth);
    for (size_t k = 0; k < n; k++) {
        const size_t i = s->order[k].step;
        if (s->pinned + peak + p->step[i].weight_bytes > p->capacity_bytes ||
            !no_slower(s, i, &p->step[i].weight, true))
            continue;
        s->c->pinned[i] = true;
        s->pinned += p->step[i].weight_bytes;
    }
}

/* The choice as it came: what its steps take and hold. */
static sc_status begin(state *s)
{
    const sc_fusion_problem *p = s->p;
    for (size_t t = 0; t < p->n_tensors; t++) {
        s->maker[t] = s->last[t] = NEVER;
        s->all[t] = true;
    }
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *at = &p->step[i];
        if (at->made >= 0)
            s->maker[at->made] = (int64_t)i;
        for (size_t r = at->first_read; r < at->first_read + at->n_reads; r++) {
            s->last[p->read[r].tensor] = (int64_t)i;
            s->used[p->read[r].tensor] |= s->c->from_buffer[r];
            s->all[p->read[r].tensor] &= s->c->from_buffer[r];
        }
        s->pinned += s->c->pinned[i] ? at->weight_bytes : 0.0;
    }
    return sc_fusion_lines_of(s->cycles, s->bytes, p, s->c);
}

sc_status sc_fusion_spare(sc_fusion_choice *c, const sc_fusion_problem *p)
{
    state s = {.p = p, .c = c};
    sc_status st = SC_ENOMEM;
    s.cycles = sc_calloc(p->n_steps, sizeof *s.cycles);
    s.bytes = sc_calloc(p->n_steps, sizeof *s.bytes);
    s.maker = sc_calloc(p->n_tensors, sizeof *s.maker);
    s.last = sc_calloc(p->n_tensors, sizeof *s.last);
    s.used = sc_calloc(p->n_tensors, sizeof *s.used);
    s.all = sc_calloc(p->n_tensors, sizeof *s.all);
    s.order = sc_calloc(p->n_steps, sizeof *s.order);
    if (!s.cycles || !s.bytes || !s.maker || !s.last || !s.used || !s.all || !s.order ||
        (st = begin(&s)) != SC_OK)
        goto done;
    for (size_t i = 0; i < p->n_steps; i++) {
        const int32_t t = p->step[i].made;
        if (t >= 0)
            leave_unwritten(&s, i, (size_t)t);
        if (t >= 0 && s.last[t] != NEVER && !s.used[t] && p->tensor[t].bytes > 0.0 &&
            whole_fits(&s, (size_t)t, p->capacity_bytes - s.pinned))
            keep_whole(&s, (size_t)t);
    }
    pin_more(&s);
done:
    sc_free(s.cycles);
    sc_free(s.bytes);
    sc_free(s.maker);
    sc_free(s.last);
    sc_free(s.used);
    sc_free(s.all);
    sc_free(s.order);
    return st;
}
