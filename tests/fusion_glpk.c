#include "fusion_glpk.h"

#include <glpk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns: T of each step; then binaries: pin of each step, gap before each read, spare of each
 * tensor; then helpers of each read and of each step's result: there, hold. */
typedef struct program {
    const sc_fusion_problem *p;
    glp_prob *lp;
    int n, row; /* entries of the row that is being made; its index */
    int *ind;
    double *val;
    long *before, *after; /* [n_reads] read that uses the tensor before and after, -1 = none */
    long *user;           /* [n_tensors] step that made it, -1 = none */
    long *first;          /* [n_tensors] first read */
    size_t *step;         /* [n_reads] */
} program;

static int time_of(const program *m, size_t i)
{
    (void)m;
    return 1 + (int)i;
}

static int pin(const program *m, size_t i)
{
    return 1 + (int)(m->p->n_steps + i);
}

static int gap(const program *m, size_t r)
{
    return 1 + (int)(2 * m->p->n_steps + r);
}

static int spare(const program *m, size_t t)
{
    return 1 + (int)(2 * m->p->n_steps + m->p->n_reads + t);
}

static int helper(const program *m, int which, size_t use)
{
    const size_t uses = m->p->n_reads + m->p->n_steps;
    return 1 +
           (int)(2 * m->p->n_steps + m->p->n_reads + m->p->n_tensors + (size_t)which * uses + use);
}

enum { THERE, HOLD };

static void put(program *m, int column, double v)
{
    if (v == 0.0)
        return;
    for (int k = 1; k <= m->n; k++)
        if (m->ind[k] == column) {
            m->val[k] += v;
            return;
        }
    m->n++;
    m->ind[m->n] = column;
    m->val[m->n] = v;
}

static void close_row(program *m, int kind, double bound)
{
    const int row = glp_add_rows(m->lp, 1);
    glp_set_row_bnds(m->lp, row, kind, bound, bound);
    glp_set_mat_row(m->lp, row, m->n, m->ind, m->val);
    m->n = 0;
}

static void link_uses(program *m)
{
    const sc_fusion_problem *p = m->p;
    long *last = calloc(p->n_tensors, sizeof *last);
    for (size_t t = 0; t < p->n_tensors; t++)
        last[t] = m->user[t] = m->first[t] = -1;
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
            const uint32_t t = p->read[r].tensor;
            m->step[r] = i;
            m->before[r] = last[t];
            m->after[r] = -1;
            if (last[t] >= 0)
                m->after[last[t]] = (long)r;
            else
                m->first[t] = (long)r;
            last[t] = (long)r;
        }
        if (s->made >= 0)
            m->user[s->made] = (long)i;
    }
    free(last);
}

/* T >= line, for all lines of a step. */
static void time_rows(program *m, size_t i)
{
    const sc_fusion_problem *p = m->p;
    const sc_fusion_step *s = &p->step[i];
    for (int l = 0; l < p->n_lines; l++) {
        put(m, time_of(m, i), 1.0);
        put(m, pin(m, i), s->weight.cycles[l]);
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
            put(m, gap(m, r), p->read[r].gain.cycles[l]);
            put(m, helper(m, HOLD, r), -p->read[r].gain.hold[l]);
        }
        if (s->made >= 0) {
            put(m, spare(m, (size_t)s->made), s->made_gain.cycles[l]);
            put(m, helper(m, HOLD, p->n_reads + i), -s->made_gain.hold[l]);
        }
        close_row(m, GLP_LO, s->cycles[l]);
    }
}

/* helper >= a - b; columns of 0 are left out. */
static void at_least(program *m, int column, int a, int b)
{
    put(m, column, 1.0);
    if (a)
        put(m, a, -1.0);
    if (b)
        put(m, b, 1.0);
    close_row(m, GLP_LO, 0.0);
}

static void use_rows(program *m)
{
    const sc_fusion_problem *p = m->p;
    for (size_t r = 0; r < p->n_reads; r++) {
        const uint32_t t = p->read[r].tensor;
        const int next = m->after[r] >= 0 ? gap(m, (size_t)m->after[r]) : 0;
        at_least(m, helper(m, THERE, r), gap(m, r), 0);
        at_least(m, helper(m, THERE, r), next, 0);
        at_least(m, helper(m, HOLD, r), next, gap(m, r));
        at_least(m, gap(m, r), spare(m, t), 0);
        if (m->before[r] < 0 && m->user[t] < 0)
            glp_set_col_bnds(m->lp, gap(m, r), GLP_FX, 0.0, 0.0);
    }
    for (size_t i = 0; i < p->n_steps; i++) {
        const int32_t t = p->step[i].made;
        if (p->step[i].weight_bytes <= 0.0)
            glp_set_col_bnds(m->lp, pin(m, i), GLP_FX, 0.0, 0.0);
        if (t < 0 || m->first[t] < 0)
            continue;
        const int next = gap(m, (size_t)m->first[t]);
        at_least(m, helper(m, THERE, p->n_reads + i), next, 0);
        at_least(m, helper(m, HOLD, p->n_reads + i), next, spare(m, (size_t)t));
    }
    for (size_t t = 0; t < p->n_tensors; t++)
        if (m->user[t] < 0 || m->first[t] < 0 || p->tensor[t].leaves)
            glp_set_col_bnds(m->lp, spare(m, t), GLP_FX, 0.0, 0.0);
}

static void room_row(program *m, size_t i)
{
    const sc_fusion_problem *p = m->p;
    const sc_fusion_step *s = &p->step[i];
    for (size_t k = 0; k < p->n_steps; k++)
        put(m, pin(m, k), p->step[k].weight_bytes);
    put(m, pin(m, i), -s->weight.block_bytes);
    for (size_t r = 0; r < p->n_reads; r++) {
        const uint32_t t = p->read[r].tensor;
        const long from = m->before[r] >= 0 ? (long)m->step[m->before[r]] : m->user[t];
        if (from >= 0 && from < (long)i && i < m->step[r])
            put(m, gap(m, r), p->tensor[t].bytes);
    }
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++)
        put(m, helper(m, THERE, r),
            p->tensor[p->read[r].tensor].bytes - p->read[r].gain.block_bytes);
    if (s->made >= 0)
        put(m, helper(m, THERE, p->n_reads + i),
            p->tensor[s->made].bytes - s->made_gain.block_bytes);
    close_row(m, GLP_UP, p->capacity_bytes - s->work_bytes);
}

static void columns(program *m)
{
    const sc_fusion_problem *p = m->p;
    const int all = helper(m, HOLD, p->n_reads + p->n_steps) - 1;
    glp_add_cols(m->lp, all);
    m->ind = calloc((size_t)all + 1, sizeof *m->ind);
    m->val = calloc((size_t)all + 1, sizeof *m->val);
    for (int c = 1; c <= all; c++) {
        const bool binary = c >= pin(m, 0) && c < helper(m, THERE, 0);
        if (binary)
            glp_set_col_kind(m->lp, c, GLP_BV);
        else if (c <= (int)p->n_steps)
            glp_set_col_bnds(m->lp, c, GLP_LO, 0.0, 0.0);
        else
            glp_set_col_bnds(m->lp, c, GLP_DB, 0.0, 1.0);
        glp_set_obj_coef(m->lp, c, c <= (int)p->n_steps ? 1.0 : 0.0);
    }
}

glpk_fusion solve_by_glpk(const sc_fusion_problem *p, int most_ms)
{
    program m = {.p = p, .lp = glp_create_prob()};
    m.before = calloc(p->n_reads + 1, sizeof *m.before);
    m.after = calloc(p->n_reads + 1, sizeof *m.after);
    m.step = calloc(p->n_reads + 1, sizeof *m.step);
    m.user = calloc(p->n_tensors, sizeof *m.user);
    m.first = calloc(p->n_tensors, sizeof *m.first);
    link_uses(&m);
    columns(&m);
    glp_term_out(GLP_OFF);
    for (size_t i = 0; i < p->n_steps; i++) {
        time_rows(&m, i);
        room_row(&m, i);
    }
    use_rows(&m);
    glp_iocp o;
    glp_init_iocp(&o);
    o.presolve = GLP_ON;
    o.tm_lim = most_ms;
    o.msg_lev = GLP_MSG_OFF;
    const int failed = glp_intopt(m.lp, &o);
    const int status = glp_mip_status(m.lp);
    glpk_fusion out = {.finished = !failed && status == GLP_OPT, .cycles = (double)INFINITY};
    if (status == GLP_OPT || status == GLP_FEAS)
        out.cycles = glp_mip_obj_val(m.lp);
    glp_delete_prob(m.lp);
    free(m.ind);
    free(m.val);
    free(m.before);
    free(m.after);
    free(m.step);
    free(m.user);
    free(m.first);
    return out;
}
