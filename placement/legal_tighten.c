/** Least movement that keeps which macro is beside or above which: one linear programme an axis. */
#include <glpk.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "placement/legal_graph.h"

enum { ROUNDS = 4, STEPS = 20000 }; /* programmes in turn; simplex iterations of one */
static const double least_gain_um = 1e-6;

/* Along which axis a pair is kept apart: one that it is apart along now, and of two the one that
 * holds it off less from where it wants to be. */
static void choose_all(sc_legal_graph *g)
{
    for (uint32_t a = 0; a < g->n_movable; a++) {
        for (uint32_t b = a + 1; b < g->n; b++) {
            double best = -(double)INFINITY;
            for (int axis = 0; axis < 2; axis++) {
                const bool forth = g->rank[axis][a] < g->rank[axis][b];
                const uint32_t first = forth ? a : b, last = forth ? b : a;
                const double apart = sc_legal_graph_apart(g, axis, a, b);
                const double *now = g->earliest[axis], *want = g->want[axis];
                const double wanted = want[last] - want[first] - apart;
                const double rank = now[last] - now[first] >= apart - least_gain_um
                                        ? fmin(wanted, 1e9)
                                        : -1e9 + now[last] - now[first] - apart;
                if (rank <= best)
                    continue;
                best = rank;
                sc_legal_graph_choose(g, a, b, axis);
            }
        }
    }
}

/* Arcs of movable boxes that follow from no others. follows: [n] words of a row for each box. */
static size_t list_arcs(uint32_t (*arc)[2], const sc_legal_graph *g, int axis, uint64_t *follows)
{
    const size_t words = g->n / 64 + 1;
    const uint32_t *order = g->order[axis];
    size_t n = 0;

    for (uint32_t i = g->n;
         i-- > 0;) { /* from the last, so that what follows later ones is known */
        const uint32_t a = order[i];
        uint64_t *of_a = follows + a * words;
        memset(of_a, 0, words * sizeof *of_a);
        if (a >= g->n_movable)
            continue;
        for (uint32_t k = i + 1; k < g->n; k++) {
            const uint32_t b = order[k];
            if (b >= g->n_movable || sc_legal_graph_axis(g, a, b) != axis ||
                (of_a[b / 64] >> (b % 64) & 1) != 0)
                continue;
            arc[n][0] = a;
            arc[n++][1] = b;
            of_a[b / 64] |= (uint64_t)1 << (b % 64);
            for (size_t w = 0; w < words; w++)
                of_a[w] |= follows[b * words + w];
        }
    }
    return n;
}

/* Bounds of a movable box, with the arcs to boxes that stand. */
static void bound(double *low, double *high, const sc_legal_graph *g, int axis, uint32_t b)
{
    *low = g->low[axis][b];
    *high = g->high[axis][b];
    for (uint32_t s = g->n_movable; s < g->n; s++) {
        if (sc_legal_graph_axis(g, b, s) != axis)
            continue;
        const double apart = sc_legal_graph_apart(g, axis, b, s);
        if (g->rank[axis][s] < g->rank[axis][b])
            *low = fmax(*low, g->low[axis][s] + apart);
        else
            *high = fmin(*high, g->low[axis][s] - apart);
    }
}

/* Column i + 1: the centre of box i; then how far it went up, and down. */
static void fill(glp_prob *lp, const sc_legal_graph *g, int axis, uint32_t (*arc)[2], size_t n_arcs)
{
    const int n = (int)g->n_movable;
    glp_add_cols(lp, 3 * n);
    glp_add_rows(lp, n + (int)n_arcs);
    for (int i = 0; i < n; i++) {
        double low, high;
        bound(&low, &high, g, axis, (uint32_t)i);
        glp_set_col_bnds(lp, i + 1, high - low > least_gain_um ? GLP_DB : GLP_FX, low, high);
        for (int side = 1; side <= 2; side++) {
            glp_set_col_bnds(lp, i + 1 + side * n, GLP_LO, 0, 0);
            glp_set_obj_coef(lp, i + 1 + side * n, 1);
        }
        glp_set_row_bnds(lp, i + 1, GLP_FX, g->want[axis][i], 0);
        glp_set_mat_row(lp, i + 1, 3, (int[]){0, i + 1, i + 1 + n, i + 1 + 2 * n},
                        (double[]){0, 1, -1, 1});
    }
    for (size_t k = 0; k < n_arcs; k++) {
        const int row = n + 1 + (int)k;
        glp_set_row_bnds(lp, row, GLP_LO, sc_legal_graph_apart(g, axis, arc[k][0], arc[k][1]), 0);
        glp_set_mat_row(lp, row, 2, (int[]){0, (int)arc[k][1] + 1, (int)arc[k][0] + 1},
                        (double[]){0, 1, -1});
    }
}

static void solve(double *place, const sc_legal_graph *g, int axis, uint32_t (*arc)[2],
                  size_t n_arcs)
{
    glp_smcp how;
    glp_prob *lp = glp_create_prob();

    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_DUALP;
    how.it_lim = STEPS;
    fill(lp, g, axis, arc, n_arcs);
    (void)glp_simplex(lp, &how);
    for (uint32_t i = 0; i < g->n_movable; i++)
        place[i] = glp_get_col_prim(lp, (int)i + 1);
    glp_delete_prob(lp);
}

/* One programme an axis from where macros stand. */
static sc_status step(sc_legalising *l)
{
    sc_legal_graph g;
    sc_status st = sc_legal_graph_create(&g, l, l->spot);

    if (st != SC_OK)
        return st;
    const size_t pairs = (size_t)g.n_movable * g.n_movable / 2 + 1;
    double *place = sc_calloc(g.n + 1, sizeof *place);
    uint32_t(*arc)[2] = sc_calloc(pairs, sizeof *arc);
    uint64_t *follows = sc_calloc((g.n + 1) * ((size_t)g.n / 64 + 1), sizeof *follows);
    if (place == NULL || arc == NULL || follows == NULL) {
        st = SC_ENOMEM;
    } else {
        choose_all(&g);
        for (int axis = 0; axis < 2; axis++) {
            solve(place, &g, axis, arc, list_arcs(arc, &g, axis, follows));
            sc_legal_graph_solve(&g, axis);
            sc_legal_graph_put(&g, axis, place, l);
        }
    }
    sc_free(follows);
    sc_free(arc);
    sc_free(place);
    sc_legal_graph_clear(&g);
    return st;
}

sc_status sc_legal_tighten(sc_legalising *l)
{
    const size_t bytes = l->list->n_blocks * sizeof *l->spot;
    sc_spot *before = sc_calloc(l->list->n_blocks + 1, sizeof *before);
    sc_status st = before != NULL ? SC_OK : SC_ENOMEM;
    bool better = true;

    for (int round = 0; round < ROUNDS && better && st == SC_OK; round++) {
        const double was = sc_legal_moved_all(l);
        memcpy(before, l->spot, bytes);
        st = step(l);
        sc_legal_put_all(l);
        better = st == SC_OK && sc_legal_holds(l) && sc_legal_moved_all(l) < was - least_gain_um;
        if (!better) {
            memcpy(l->spot, before, bytes);
            sc_legal_put_all(l);
        }
    }
    sc_free(before);
    return st;
}
