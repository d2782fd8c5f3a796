#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/svg.h"
#include "report/figure.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 84, RIGHT = 24, TOP = 34, BOTTOM = 56, TICKS = 5 };

static const char *const ink = "#20303c", *const faint = "#d5dde3", *const dot = "#7a97ab",
                         *const front_dot = "#c4481f", *const mark_dot = "#1a7f4b";

typedef struct axis {
    double low, high;
} axis;

typedef struct frame {
    sc_svg svg;
    axis x, y;
    sc_figure x_figure, y_figure; /* how the axes write their values */
} frame;

static void stretch(axis *a, double v)
{
    if (!isfinite(v))
        return;
    a->low = fmin(a->low, v);
    a->high = fmax(a->high, v);
}

/* Ticks at 1, 2 or 5 times a power of ten; at most about TICKS of them. */
static double tick_step(const axis *a)
{
    const double raw = (a->high - a->low) / TICKS, power = pow(10.0, floor(log10(raw)));
    const double share = raw / power;
    return power * (share <= 1.0 ? 1.0 : share <= 2.0 ? 2.0 : share <= 5.0 ? 5.0 : 10.0);
}

static void settle(axis *a)
{
    if (!(a->low <= a->high)) {
        a->low = 0.0;
        a->high = 1.0;
    }
    if (a->low == a->high) {
        const double half = a->low != 0.0 ? fabs(a->low) / 2.0 : 0.5;
        a->low -= half;
        a->high += half;
    }
    const double step = tick_step(a);
    a->low = floor(a->low / step) * step;
    a->high = ceil(a->high / step) * step;
}

static double place_x(const frame *f, double v)
{
    return LEFT + (v - f->x.low) / (f->x.high - f->x.low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const frame *f, double v)
{
    return HEIGHT - BOTTOM - (v - f->y.low) / (f->y.high - f->y.low) * (HEIGHT - TOP - BOTTOM);
}

static double largest(const axis *a)
{
    return fmax(fabs(a->low), fabs(a->high));
}

static void draw_axes(frame *f, const char *title, const char *x_name, const char *y_name)
{
    char text[32], heading[SC_FIGURE_TITLE];
    sc_figure_of(&f->x_figure, x_name, largest(&f->x));
    sc_figure_of(&f->y_figure, y_name, largest(&f->y));
    const double step_x = tick_step(&f->x), step_y = tick_step(&f->y);
    sc_svg_begin(&f->svg, WIDTH, HEIGHT, title);
    sc_svg_rect(&f->svg, 0, 0, WIDTH, HEIGHT, "#ffffff", NULL);
    for (int i = 0; f->x.low + i * step_x <= f->x.high + step_x / 2; i++) {
        const double v = f->x.low + i * step_x, x = place_x(f, v);
        (void)snprintf(text, sizeof text, "%.6g",
                       fabs(v) < step_x / 1e6 ? 0.0 : v * f->x_figure.factor);
        sc_svg_line(&f->svg, x, TOP, x, HEIGHT - BOTTOM, faint, 1);
        sc_svg_text(&f->svg, x, HEIGHT - BOTTOM + 18, 12, "middle", text);
    }
    for (int i = 0; f->y.low + i * step_y <= f->y.high + step_y / 2; i++) {
        const double v = f->y.low + i * step_y, y = place_y(f, v);
        (void)snprintf(text, sizeof text, "%.6g",
                       fabs(v) < step_y / 1e6 ? 0.0 : v * f->y_figure.factor);
        sc_svg_line(&f->svg, LEFT, y, WIDTH - RIGHT, y, faint, 1);
        sc_svg_text(&f->svg, LEFT - 8, y + 4, 12, "end", text);
    }
    sc_svg_line(&f->svg, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, ink, 1.5);
    sc_svg_line(&f->svg, LEFT, TOP, LEFT, HEIGHT - BOTTOM, ink, 1.5);
    sc_figure_heading(heading, &f->x_figure);
    sc_svg_text(&f->svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, 13, "middle", heading);
    sc_figure_heading(heading, &f->y_figure);
    sc_svg_text(&f->svg, LEFT, TOP - 14, 13, "start", heading);
}

static void draw_mark(frame *f, double x, double y, const char *label)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    const bool right = place_x(f, x) > WIDTH * 0.7;
    sc_svg_circle(&f->svg, place_x(f, x), place_y(f, y), 6, mark_dot, 1.0, label);
    sc_svg_text(&f->svg, place_x(f, x) + (right ? -10 : 10), place_y(f, y) - 8, 12,
                right ? "end" : "start", label);
}

static void draw_trial(frame *f, const sc_report_row *row, double x, double y, bool front)
{
    char tip[128];
    (void)snprintf(tip, sizeof tip, "trial %llu, %s: %.4g %s, %.4g %s",
                   (unsigned long long)row->index, row->id, x * f->x_figure.factor,
                   f->x_figure.unit, y * f->y_figure.factor, f->y_figure.unit);
    sc_svg_circle(&f->svg, place_x(f, x), place_y(f, y), front ? 5 : 3, front ? front_dot : dot,
                  front ? 1.0 : 0.55, tip);
}

static double value_of(const sc_report_row *row, size_t v)
{
    return v == SC_PLOT_TRIAL ? (double)row->index : row->values[v];
}

sc_status sc_plot_front(char **svg, const sc_report_study *r, size_t x_value, size_t y_value,
                        double mark_x, double mark_y, const char *mark_label)
{
    frame f = {.x = {(double)INFINITY, -(double)INFINITY},
               .y = {(double)INFINITY, -(double)INFINITY}};
    stretch(&f.x, mark_x);
    stretch(&f.y, mark_y);
    for (size_t i = 0; i < r->n_rows; i++)
        if (r->rows[i].state == SC_STATE_FEASIBLE) {
            stretch(&f.x, value_of(&r->rows[i], x_value));
            stretch(&f.y, r->rows[i].values[y_value]);
        }
    settle(&f.x);
    settle(&f.y);
    draw_axes(&f, r->info->study.name,
              x_value == SC_PLOT_TRIAL ? "trial" : r->info->study.values[x_value].name,
              r->info->study.values[y_value].name);
    for (int front = 0; front < 2; front++)
        for (size_t i = 0; i < r->n_rows; i++) {
            const sc_report_row *row = &r->rows[i];
            if (row->state == SC_STATE_FEASIBLE && row->front == front)
                draw_trial(&f, row, value_of(row, x_value), row->values[y_value], front);
        }
    draw_mark(&f, mark_x, mark_y, mark_label);
    return sc_svg_end(&f.svg, svg);
}

/* The best so far as a staircase. */
static sc_status draw_best(frame *f, const sc_report_study *r)
{
    const size_t v = r->objectives[0];
    double *xy = sc_calloc(4 * r->n_rows + 4, sizeof *xy);
    size_t n = 0;
    double best = (double)NAN;
    if (!xy)
        return SC_ENOMEM;
    for (size_t i = 0; i < r->n_rows; i++) {
        const sc_report_row *row = &r->rows[i];
        if (row->state != SC_STATE_FEASIBLE)
            continue;
        if (!isnan(best) && !sc_report_better(r, 0, row->values[v], best))
            continue;
        if (!isnan(best)) {
            xy[2 * n] = place_x(f, (double)row->index);
            xy[2 * n++ + 1] = place_y(f, best);
        }
        best = row->values[v];
        xy[2 * n] = place_x(f, (double)row->index);
        xy[2 * n++ + 1] = place_y(f, best);
    }
    if (n > 0) {
        xy[2 * n] = WIDTH - RIGHT;
        xy[2 * n++ + 1] = place_y(f, best);
        sc_svg_polyline(&f->svg, xy, n, front_dot, 2);
    }
    sc_free(xy);
    return SC_OK;
}

sc_status sc_plot_history(char **svg, const sc_report_study *r, double mark, const char *mark_label)
{
    const size_t v = r->objectives[0];
    frame f = {.x = {0.0, 1.0}, .y = {(double)INFINITY, -(double)INFINITY}};
    stretch(&f.y, mark);
    for (size_t i = 0; i < r->n_rows; i++) {
        stretch(&f.x, (double)r->rows[i].index);
        if (r->rows[i].state == SC_STATE_FEASIBLE)
            stretch(&f.y, r->rows[i].values[v]);
    }
    settle(&f.x);
    settle(&f.y);
    draw_axes(&f, "best so far", "trial", sc_report_objective(r, 0));
    for (size_t i = 0; i < r->n_rows; i++)
        if (r->rows[i].state == SC_STATE_FEASIBLE)
            draw_trial(&f, &r->rows[i], (double)r->rows[i].index, r->rows[i].values[v], false);
    const sc_status st = draw_best(&f, r);
    draw_mark(&f, f.x.high, mark, mark_label);
    if (st != SC_OK) {
        sc_svg_clear(&f.svg);
        return st;
    }
    return sc_svg_end(&f.svg, svg);
}
