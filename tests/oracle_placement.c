#include "oracle_placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
    double x, y;
} point;

typedef struct cell {
    int row, column;
} cell;

typedef struct maps {
    const sc_canvas *canvas;
    double gw, gh;                               /* of a cell */
    double *h, *v, *covered, *macro_h, *macro_v; /* [rows * columns] */
} maps;

static point pin_place(const sc_netlist *list, const sc_spot *spot, uint32_t pin)
{
    const sc_pin *p = &list->pin[pin];
    const sc_spot *s = &spot[p->block];
    const double x = p->dx_um, y = p->dy_um;
    point d = {0, 0};

    if (list->block[p->block].kind == SC_BLOCK_HARD) {
        switch (s->orient) {
        case SC_ORIENT_N: d = (point){x, y}; break;
        case SC_ORIENT_FN: d = (point){-x, y}; break;
        case SC_ORIENT_S: d = (point){-x, -y}; break;
        case SC_ORIENT_FS: d = (point){x, -y}; break;
        case SC_ORIENT_E: d = (point){y, -x}; break;
        case SC_ORIENT_FE: d = (point){-y, -x}; break;
        case SC_ORIENT_W: d = (point){-y, x}; break;
        case SC_ORIENT_FW: d = (point){y, x}; break;
        default: break;
        }
    }
    return (point){s->x_um + d.x, s->y_um + d.y};
}

static double hpwl(const sc_netlist *list, const sc_spot *spot, size_t net)
{
    double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
    for (uint32_t k = list->net_first[net]; k < list->net_first[net + 1]; k++) {
        const point p = pin_place(list, spot, list->net_pin[k]);
        left = fmin(left, p.x);
        right = fmax(right, p.x);
        low = fmin(low, p.y);
        high = fmax(high, p.y);
    }
    return right - left + high - low;
}

/* ---- wires ---- */

static void along_row(maps *m, int row, int a, int b, double w)
{
    for (int c = a < b ? a : b; c < (a < b ? b : a); c++)
        m->h[row * (int)m->canvas->columns + c] += w;
}

static void along_column(maps *m, int column, int a, int b, double w)
{
    for (int r = a < b ? a : b; r < (a < b ? b : a); r++)
        m->v[r * (int)m->canvas->columns + column] += w;
}

static int by_column(const void *a, const void *b)
{
    const cell *p = a, *q = b;
    return p->column != q->column ? p->column - q->column : p->row - q->row;
}

static int by_row(const void *a, const void *b)
{
    const cell *p = a, *q = b;
    return p->row != q->row ? p->row - q->row : p->column - q->column;
}

static int min2(int a, int b)
{
    return a < b ? a : b;
}

static int max2(int a, int b)
{
    return a > b ? a : b;
}

static void three(maps *m, cell p[3], double w)
{
    qsort(p, 3, sizeof *p, by_column);
    const int x1 = p[0].column, x2 = p[1].column, x3 = p[2].column;
    const int y1 = p[0].row, y2 = p[1].row, y3 = p[2].row;

    if (x1 < x2 && x2 < x3 && min2(y1, y3) < y2 && y2 < max2(y1, y3)) {
        along_row(m, y1, x1, x2, w);
        along_row(m, y2, x2, x3, w);
        along_column(m, x2, y1, y2, w);
        along_column(m, x3, y2, y3, w);
    } else if (x2 == x3 && x1 < x2 && y1 < min2(y2, y3)) {
        along_row(m, y1, x1, x2, w);
        along_column(m, x2, y1, max2(y2, y3), w);
    } else if (y2 == y3) {
        along_row(m, y1, x1, x2, w);
        along_row(m, y2, x2, x3, w);
        along_column(m, x2, y1, y2, w);
    } else {
        qsort(p, 3, sizeof *p, by_row);
        const int least = min2(p[0].column, min2(p[1].column, p[2].column));
        const int most = max2(p[0].column, max2(p[1].column, p[2].column));
        along_row(m, p[1].row, least, most, w);
        along_column(m, p[0].column, p[0].row, p[1].row, w);
        along_column(m, p[2].column, p[1].row, p[2].row, w);
    }
}

static void wire(maps *m, const sc_netlist *list, const sc_spot *spot, size_t net)
{
    const sc_canvas *v = m->canvas;
    const uint32_t first = list->net_first[net], end = list->net_first[net + 1];
    const double w = list->net_weight[net] > 1 ? list->net_weight[net] : 1;
    cell *at = calloc(end - first, sizeof *at);
    int n = 0;

    for (uint32_t k = first; k < end; k++) {
        const point p = pin_place(list, spot, list->net_pin[k]);
        const cell c = {min2((int)floor(p.y / m->gh), (int)v->rows - 1),
                        min2((int)floor(p.x / m->gw), (int)v->columns - 1)};
        bool known = false;
        if (p.x < 0 || p.y < 0 || p.x > v->width_um || p.y > v->height_um) {
            n = 0;
            break;
        }
        for (int i = 0; i < n; i++)
            known = known || (at[i].row == c.row && at[i].column == c.column);
        if (!known)
            at[n++] = c;
    }
    if (n == 3)
        three(m, at, w);
    for (int i = 1; i < n && n != 3; i++) {
        along_row(m, at[0].row, at[0].column, at[i].column, w);
        along_column(m, at[i].column, at[0].row, at[i].row, w);
    }
    free(at);
}

/* Spread each cell's amount over its neighbours at most s away in one direction. */
static void smooth(double *map, int rows, int columns, int s, bool along_columns)
{
    double *out = calloc((size_t)rows * (size_t)columns, sizeof *out);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            const int at = along_columns ? c : r, end = (along_columns ? columns : rows) - 1;
            const int from = max2(at - s, 0), to = min2(at + s, end);
            for (int i = from; i <= to; i++)
                out[along_columns ? r * columns + i : i * columns + c] +=
                    map[r * columns + c] / (to - from + 1);
        }
    }
    memcpy(map, out, (size_t)rows * (size_t)columns * sizeof *out);
    free(out);
}

/* ---- macros ---- */

static double shared(double a0, double a1, double b0, double b1)
{
    return fmax(0, fmin(a1, b1) - fmax(a0, b0));
}

static void cover(maps *m, const sc_block *b, const sc_spot *s)
{
    const sc_canvas *v = m->canvas;
    const bool turned = s->orient == SC_ORIENT_E || s->orient == SC_ORIENT_W ||
                        s->orient == SC_ORIENT_FE || s->orient == SC_ORIENT_FW;
    const double w = turned ? b->height_um : b->width_um, h = turned ? b->width_um : b->height_um;
    const double x0 = s->x_um - w / 2, x1 = s->x_um + w / 2, y0 = s->y_um - h / 2,
                 y1 = s->y_um + h / 2;
    const int columns = (int)v->columns, rows = (int)v->rows;
    const int c0 = max2((int)floor(x0 / m->gw), 0), c1 = min2((int)floor(x1 / m->gw), columns - 1);
    const int r0 = max2((int)floor(y0 / m->gh), 0), r1 = min2((int)floor(y1 / m->gh), rows - 1);
    bool partly_row = false, partly_column = false;

    for (int r = r0; r <= r1; r++) {
        for (int c = c0; c <= c1; c++) {
            const double dx = shared(x0, x1, c * m->gw, (c + 1) * m->gw);
            const double dy = shared(y0, y1, r * m->gh, (r + 1) * m->gh);
            m->covered[r * columns + c] += dx * dy / (m->gw * m->gh);
            if (b->kind != SC_BLOCK_HARD)
                continue;
            partly_row =
                partly_row || (r0 != r1 && (r == r0 || r == r1) && fabs(dy - m->gh) > 1e-5);
            partly_column =
                partly_column || (c0 != c1 && (c == c0 || c == c1) && fabs(dx - m->gw) > 1e-5);
            m->macro_v[r * columns + c] += dx * v->v_routes_macro;
            m->macro_h[r * columns + c] += dy * v->h_routes_macro;
        }
    }
    for (int c = c0; c <= c1 && partly_row; c++)
        m->macro_v[r1 * columns + c] -=
            shared(x0, x1, c * m->gw, (c + 1) * m->gw) * v->v_routes_macro;
    for (int r = r0; r <= r1 && partly_column; r++)
        m->macro_h[r * columns + c1] -=
            shared(y0, y1, r * m->gh, (r + 1) * m->gh) * v->h_routes_macro;
}

/* ---- sums ---- */

static int descending(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p < *q) - (*p > *q);
}

static double top_mean(double *value, int n, int k)
{
    double sum = 0;
    qsort(value, (size_t)n, sizeof *value, descending);
    for (int i = 0; i < k; i++)
        sum += value[i];
    return sum / k;
}

static double density(double *covered, int n)
{
    double sum = 0;
    int used = 0;
    if (n >= 10)
        return 0.5 * top_mean(covered, n, n / 10);
    for (int i = 0; i < n; i++) {
        sum += covered[i];
        used += covered[i] > 0;
    }
    return used > 0 ? 0.5 * sum / used : 0;
}

static double congestion(const maps *m, int n)
{
    const sc_canvas *v = m->canvas;
    double *all = calloc(2 * (size_t)n, sizeof *all);
    for (int i = 0; i < n; i++) {
        all[i] = (m->h[i] + m->macro_h[i]) / (m->gh * v->h_routes_per_um);
        all[n + i] = (m->v[i] + m->macro_v[i]) / (m->gw * v->v_routes_per_um);
    }
    const int k = max2((int)floor(0.05 * 2 * n), 1);
    const double mean = top_mean(all, 2 * n, k);
    free(all);
    return mean;
}

sc_place_cost oracle_placement(const sc_netlist *list, const sc_canvas *canvas, const sc_spot *spot)
{
    const int columns = (int)canvas->columns, rows = (int)canvas->rows, n = columns * rows;
    double *all = calloc(5 * (size_t)n, sizeof *all), weights = 0;
    maps m = {canvas,
              canvas->width_um / columns,
              canvas->height_um / rows,
              all,
              all + n,
              all + 2 * n,
              all + 3 * n,
              all + 4 * n};
    sc_place_cost cost = {0};

    for (size_t net = 0; net < list->n_nets; net++) {
        cost.hpwl_um += list->net_weight[net] * hpwl(list, spot, net);
        weights += list->net_weight[net];
        wire(&m, list, spot, net);
    }
    smooth(m.h, rows, columns, (int)canvas->smoothing, false);
    smooth(m.v, rows, columns, (int)canvas->smoothing, true);
    for (size_t b = 0; b < list->n_blocks; b++)
        if (list->block[b].kind == SC_BLOCK_HARD || list->block[b].kind == SC_BLOCK_SOFT)
            cover(&m, &list->block[b], &spot[b]);
    if (weights > 0)
        cost.wirelength = cost.hpwl_um / ((canvas->width_um + canvas->height_um) * weights);
    cost.congestion = congestion(&m, n);
    cost.density = density(m.covered, n);
    cost.proxy = cost.wirelength + 0.5 * cost.density + 0.5 * cost.congestion;
    free(all);
    return cost;
}
