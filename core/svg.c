#include "core/svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static void put_number(sc_buf *b, double v)
{
    char text[32];
    const double hundredths = round(v * 100.0) / 100.0;
    sc_double_text(text, sizeof text, hundredths == 0.0 ? 0.0 : hundredths); /* no "-0" */
    sc_buf_puts(b, text);
}

static void number(sc_svg *s, const char *name, double v)
{
    sc_buf_printf(&s->buf, " %s=\"", name);
    put_number(&s->buf, v);
    sc_buf_puts(&s->buf, "\"");
}

static void attribute(sc_svg *s, const char *name, const char *value)
{
    sc_buf_printf(&s->buf, " %s=\"", name);
    sc_buf_xml(&s->buf, value);
    sc_buf_puts(&s->buf, "\"");
}

/* End a shape, with a child that browsers show as a tooltip if there is one. */
static void close_shape(sc_svg *s, const char *name, const char *tooltip)
{
    if (!tooltip) {
        sc_buf_puts(&s->buf, "/>\n");
        return;
    }
    sc_buf_puts(&s->buf, "><title>");
    sc_buf_xml(&s->buf, tooltip);
    sc_buf_printf(&s->buf, "</title></%s>\n", name);
}

void sc_svg_begin(sc_svg *s, double width, double height, const char *title)
{
    *s = (sc_svg){.width = width, .height = height};
    sc_buf_init(&s->buf);
    sc_buf_puts(&s->buf, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    number(s, "width", width);
    number(s, "height", height);
    sc_buf_puts(&s->buf, " viewBox=\"0 0 ");
    put_number(&s->buf, width);
    sc_buf_puts(&s->buf, " ");
    put_number(&s->buf, height);
    sc_buf_puts(&s->buf, "\" font-family=\"sans-serif\">\n<title>");
    sc_buf_xml(&s->buf, title);
    sc_buf_puts(&s->buf, "</title>\n");
}

void sc_svg_line(sc_svg *s, double x1, double y1, double x2, double y2, const char *stroke,
                 double stroke_width)
{
    if (!all_finite((const double[]){x1, y1, x2, y2, stroke_width}, 5))
        return;
    sc_buf_puts(&s->buf, "<line");
    number(s, "x1", x1);
    number(s, "y1", y1);
    number(s, "x2", x2);
    number(s, "y2", y2);
    attribute(s, "stroke", stroke);
    number(s, "stroke-width", stroke_width);
    close_shape(s, "line", NULL);
}

static void open_rect(sc_svg *s, double x, double y, double w, double h)
{
    sc_buf_puts(&s->buf, "<rect");
    number(s, "x", x);
    number(s, "y", y);
    number(s, "width", w);
    number(s, "height", h);
}

void sc_svg_rect(sc_svg *s, double x, double y, double w, double h, const char *fill,
                 const char *tooltip)
{
    if (!all_finite((const double[]){x, y, w, h}, 4))
        return;
    open_rect(s, x, y, w, h);
    attribute(s, "fill", fill);
    close_shape(s, "rect", tooltip);
}

void sc_svg_box(sc_svg *s, double x, double y, double w, double h, double radius, const char *fill,
                const char *stroke, double stroke_width)
{
    if (!all_finite((const double[]){x, y, w, h, radius, stroke_width}, 6))
        return;
    open_rect(s, x, y, w, h);
    number(s, "rx", radius);
    attribute(s, "fill", fill);
    attribute(s, "stroke", stroke);
    number(s, "stroke-width", stroke_width);
    close_shape(s, "rect", NULL);
}

void sc_svg_circle(sc_svg *s, double x, double y, double r, const char *fill, double opacity,
                   const char *tooltip)
{
    if (!all_finite((const double[]){x, y, r, opacity}, 4))
        return;
    sc_buf_puts(&s->buf, "<circle");
    number(s, "cx", x);
    number(s, "cy", y);
    number(s, "r", r);
    attribute(s, "fill", fill);
    number(s, "fill-opacity", opacity);
    close_shape(s, "circle", tooltip);
}

void sc_svg_polyline(sc_svg *s, const double *xy, size_t n, const char *stroke, double stroke_width)
{
    if (!all_finite(xy, 2 * n) || !isfinite(stroke_width))
        return;
    sc_buf_puts(&s->buf, "<polyline fill=\"none\" points=\"");
    for (size_t i = 0; i < 2 * n; i++) {
        if (i > 0)
            sc_buf_puts(&s->buf, i % 2 ? "," : " ");
        put_number(&s->buf, xy[i]);
    }
    sc_buf_puts(&s->buf, "\"");
    attribute(s, "stroke", stroke);
    number(s, "stroke-width", stroke_width);
    close_shape(s, "polyline", NULL);
}

void sc_svg_text(sc_svg *s, double x, double y, double size_px, const char *anchor,
                 const char *text)
{
    if (!all_finite((const double[]){x, y, size_px}, 3))
        return;
    sc_buf_puts(&s->buf, "<text");
    number(s, "x", x);
    number(s, "y", y);
    number(s, "font-size", size_px);
    attribute(s, "text-anchor", anchor);
    sc_buf_puts(&s->buf, ">");
    sc_buf_xml(&s->buf, text);
    sc_buf_puts(&s->buf, "</text>\n");
}

void sc_svg_group(sc_svg *s, const char *tooltip)
{
    sc_buf_puts(&s->buf, "<g><title>");
    sc_buf_xml(&s->buf, tooltip);
    sc_buf_puts(&s->buf, "</title>\n");
}

void sc_svg_group_end(sc_svg *s)
{
    sc_buf_puts(&s->buf, "</g>\n");
}

sc_status sc_svg_end(sc_svg *s, char **out)
{
    sc_buf_puts(&s->buf, "</svg>\n");
    return sc_buf_take(&s->buf, out);
}

void sc_svg_clear(sc_svg *s)
{
    sc_buf_clear(&s->buf);
}
