#include "model/count/systolic.h"

static const sc_systolic_options defaults = SC_SYSTOLIC_OPTIONS_INIT;

/* Rows and columns of the operand that stays, and what streams past it. */
typedef struct view {
    uint64_t sr, sc, t;
} view;

static view view_of(uint64_t m, uint64_t n, uint64_t k, unsigned dataflow)
{
    return (view){dataflow == SC_OS ? m : k, dataflow == SC_IS ? m : n,
                  dataflow == SC_OS   ? k
                  : dataflow == SC_WS ? m
                                      : n};
}

/* Are there R cycles that load a tile or take its results out? */
static bool has_pass(unsigned dataflow, const sc_systolic_options *o)
{
    return dataflow != SC_OS || o->drain;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* *acc *= factor. @return whether it fits 63 bits. */
static bool times(uint64_t *acc, uint64_t factor)
{
    return !__builtin_mul_overflow(*acc, factor, acc) && !(*acc >> 63);
}

static bool plus(uint64_t *acc, uint64_t term)
{
    return !__builtin_add_overflow(*acc, term, acc) && !(*acc >> 63);
}

static bool product(uint64_t *out, uint64_t a, uint64_t b, uint64_t c)
{
    *out = a;
    return times(out, b) && times(out, c);
}

/* Every word of a streaming operand passes once a fold across its own direction, a staying one is
 * loaded once, and sums leave once a fold along the reduction. */
static bool count_sram(sc_systolic_cost *c, const sc_systolic_gemm *g)
{
    const uint64_t fr = c->folds_r, fc = c->folds_c;
    const bool os = g->dataflow == SC_OS, ws = g->dataflow == SC_WS;
    return product(&c->a_reads, g->m, g->k, g->dataflow == SC_IS ? 1 : fc) &&
           product(&c->b_reads, g->k, g->n,
                   os   ? fr
                   : ws ? 1
                        : fc) &&
           product(&c->out_writes, g->m, g->n, os ? 1 : fr);
}

/* The last fold takes its whole time; before it, one starts every `step` cycles. */
static bool count_cycles(uint64_t *out, const sc_systolic_gemm *g, const view *v, uint64_t folds,
                         const sc_systolic_options *o)
{
    uint64_t last = v->t - 1;
    if (!plus(&last, g->rows) || !plus(&last, g->cols - 1) ||
        (has_pass(g->dataflow, o) && !plus(&last, g->rows)))
        return false;
    *out = !o->double_buffered ? last : v->t > g->rows ? v->t : g->rows;
    return times(out, folds - 1) && plus(out, last);
}

sc_status sc_systolic_evaluate(sc_systolic_cost *out, const sc_systolic_gemm *g,
                               const sc_systolic_options *o)
{
    if (g->m < 1 || g->n < 1 || g->k < 1 || g->rows < 1 || g->cols < 1 ||
        (unsigned)g->dataflow >= SC_DATAFLOWS)
        return sc_fail(SC_EINVAL, "a matrix product and an array need extents of at least 1");
    const view v = view_of(g->m, g->n, g->k, g->dataflow);
    sc_systolic_cost c = {.folds_r = ceil_div(v.sr, g->rows), .folds_c = ceil_div(v.sc, g->cols)};
    uint64_t folds;
    if (!product(&folds, c.folds_r, c.folds_c, 1) ||
        !count_cycles(&c.cycles, g, &v, folds, o ? o : &defaults) || !count_sram(&c, g))
        return sc_fail(SC_ERANGE, "more than 2^63 - 1 cycles or words");
    *out = c;
    return SC_OK;
}

/* The row that made the batch fail, found again by itself. */
static sc_status batch_failure(size_t n, const sc_systolic_table *t, const sc_systolic_options *o)
{
    const uint32_t last = INT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const sc_systolic_gemm g = {t->m[i],    t->n[i],    t->k[i],
                                    t->rows[i], t->cols[i], (sc_dataflow)t->dataflow[i]};
        sc_systolic_cost c;
        if (t->m[i] > last || t->n[i] > last || t->k[i] > last || t->rows[i] > last ||
            t->cols[i] > last)
            return sc_fail(SC_EINVAL, "row %zu: an extent of more than 2^31 - 1", i);
        const sc_status st = sc_systolic_evaluate(&c, &g, o);
        if (st == SC_EINVAL)
            return sc_fail(st, "row %zu: an extent or dataflow out of range", i);
        if (st == SC_ERANGE)
            return sc_fail(st, "row %zu: more than 2^63 - 1 cycles", i);
    }
    return sc_fail(SC_EBUG, "no row of a failed batch fails by itself");
}

enum { BLOCK = 256 }; /* rows whose intermediates stay in the nearest cache */

typedef struct block {
    int32_t sr[BLOCK], sc[BLOCK], fr[BLOCK], fc[BLOCK];
    int64_t step[BLOCK], last[BLOCK]; /* cycles between folds; of one fold */
} block;

/* a where the mask is all ones, b where it is 0. */
static uint32_t choose(uint32_t mask, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & mask);
}

/* Operands by dataflow, without branches: tables mix dataflows. @return 0 if all are in range. */
static uint32_t arrange(block *b, size_t n, size_t at, const sc_systolic_table *t,
                        const sc_systolic_options *o)
{
    const uint32_t *m = t->m + at, *nn = t->n + at, *k = t->k + at;
    const uint32_t *r = t->rows + at, *c = t->cols + at;
    const uint8_t *flow = t->dataflow + at;
    const uint32_t os_pass = has_pass(SC_OS, o), overlap = o->double_buffered;
    uint32_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t os = 0u - (flow[i] == SC_OS), is = 0u - (flow[i] == SC_IS);
        const uint32_t stream = choose(os, k[i], choose(is, nn[i], m[i]));
        const uint32_t pass = r[i] * choose(os, os_pass, 1);
        b->sr[i] = (int32_t)choose(os, m[i], k[i]);
        b->sc[i] = (int32_t)choose(is, m[i], nn[i]);
        const uint32_t longer = stream > r[i] ? stream : r[i];
        b->last[i] = (int64_t)stream + r[i] + c[i] + pass - 2;
        b->step[i] = overlap ? (int64_t)longer : b->last[i];
        /* bit 31 of an extent is set if it is too large, of it less 1 if it is 0 */
        bad |= m[i] | nn[i] | k[i] | r[i] | c[i];
        bad |= (m[i] - 1) | (nn[i] - 1) | (k[i] - 1) | (r[i] - 1) | (c[i] - 1);
        bad |= (uint32_t)(flow[i] >= SC_DATAFLOWS) << 31;
    }
    return bad >> 31;
}

/* ceil(size / side): in doubles exact, as both have at most 31 bits. */
static void fold_counts(int32_t *out, size_t n, const int32_t *size, const uint32_t *side)
{
    for (size_t i = 0; i < n; i++) {
        const double across = (double)(int32_t)side[i];
        out[i] = (int32_t)(((double)size[i] + (across - 1)) / across);
    }
}

sc_status sc_systolic_batch(uint64_t *cycles, size_t n, const sc_systolic_table *t,
                            const sc_systolic_options *o)
{
    block b;
    if (!o)
        o = &defaults;
    for (size_t at = 0; at < n; at += BLOCK) {
        const size_t rows = n - at < BLOCK ? n - at : BLOCK;
        if (arrange(&b, rows, at, t, o))
            return batch_failure(n, t, o);
        fold_counts(b.fr, rows, b.sr, t->rows + at);
        fold_counts(b.fc, rows, b.sc, t->cols + at);
        uint64_t bad = 0;
        for (size_t i = 0; i < rows; i++) {
            const uint64_t folds = (uint64_t)b.fr[i] * (uint64_t)b.fc[i];
            uint64_t total;
            bad |= __builtin_mul_overflow(folds - 1, (uint64_t)b.step[i], &total);
            bad |= __builtin_add_overflow(total, (uint64_t)b.last[i], &total);
            bad |= total >> 63;
            cycles[at + i] = total;
        }
        if (bad)
            return batch_failure(n, t, o);
    }
    return SC_OK;
}
