#ifndef CORE_SVG_H
#define CORE_SVG_H
/**
 * SVG drawing into a text buffer: begin, draw, end. Coordinates in px from the top left corner,
 * rounded to 1/100; text, colours and tooltips are escaped. A shape with a coordinate that is not
 * finite is left out. Failure (out of memory) sticks and is told by sc_svg_end().
 */
#include "core/buf.h"

typedef struct sc_svg {
    sc_buf buf;
    double width, height;
} sc_svg;

/** title: what a screen reader and a hovering mouse say. */
void sc_svg_begin(sc_svg *s, double width, double height, const char *title);
void sc_svg_line(sc_svg *s, double x1, double y1, double x2, double y2, const char *stroke,
                 double stroke_width);
void sc_svg_rect(sc_svg *s, double x, double y, double w, double h, const char *fill,
                 const char *tooltip); /* tooltip may be NULL */
/** A rectangle with a border and corners of that radius. */
void sc_svg_box(sc_svg *s, double x, double y, double w, double h, double radius, const char *fill,
                const char *stroke, double stroke_width);
void sc_svg_circle(sc_svg *s, double x, double y, double r, const char *fill, double opacity,
                   const char *tooltip);
/** xy: [n][2]. */
void sc_svg_polyline(sc_svg *s, const double *xy, size_t n, const char *stroke,
                     double stroke_width);
/** Text with its baseline at y. anchor: "start", "middle" or "end" at x. */
void sc_svg_text(sc_svg *s, double x, double y, double size_px, const char *anchor,
                 const char *text);
/** Shapes up to the end of the group share a tooltip. Groups nest. */
void sc_svg_group(sc_svg *s, const char *tooltip);
void sc_svg_group_end(sc_svg *s);
/** Close the drawing and hand its text over; free with sc_free. The drawing is clear afterwards. */
sc_status sc_svg_end(sc_svg *s, char **out) SC_MUST_USE;
void sc_svg_clear(sc_svg *s); /* drop an unfinished drawing */
#endif
