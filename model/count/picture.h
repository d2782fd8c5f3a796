#ifndef MODEL_COUNT_PICTURE_H
#define MODEL_COUNT_PICTURE_H
/** Inside the counting room: the parts of a mapping's picture, drawn onto one SVG. */
#include "core/svg.h"
#include "model/count/view.h"

/* Places, px. Left to right: what a level is, its loops, then a lane for each tensor. */
enum {
    SC_PICTURE_WIDTH = 1000,
    SC_PICTURE_MARGIN = 16,
    SC_PICTURE_LOOPS = 196,
    SC_PICTURE_LANES = 622,
    SC_PICTURE_PAD = 9 /* inside a band */
};

typedef struct sc_picture {
    sc_svg svg;
    const sc_mapping_view *v;
    double top[SC_MAX_LEVELS + 1], height[SC_MAX_LEVELS + 1]; /* of the bands; last: MACs */
    double lane;                                              /* width of one */
} sc_picture;

/** Height of a level's loops and tiles. */
double sc_picture_level_height(const sc_mapping_view *v, int level);
/** Height of the band of the MACs. */
double sc_picture_macs_height(void);

/** Title, totals and what colours mean. */
void sc_picture_header(sc_picture *p);
/** Band of a level, or of the MACs: name, use, cycles and energy; loops; tiles. */
void sc_picture_level(sc_picture *p, int level);
void sc_picture_macs(sc_picture *p);
/** What moves between a level that keeps a tensor and the next one inside. */
void sc_picture_link(sc_picture *p, int level, int tensor);

/** Text of at most `width` px as far as bytes tell: what is longer ends in "...". */
typedef struct sc_picture_label {
    double x, y, size, width;
    const char *anchor;
} sc_picture_label;
void sc_picture_text(sc_picture *p, const sc_picture_label *at, const char *fmt, ...)
    SC_PRINTF(3, 4);
/** Begin a group of shapes with a tooltip; ends with sc_svg_group_end(). */
void sc_picture_group(sc_picture *p, const char *fmt, ...) SC_PRINTF(2, 3);
/** A share of 1 as a bar; more than 1 is drawn as 1. */
void sc_picture_bar(sc_picture *p, double x, double y, double width, double share,
                    const char *color);

/** Colours of a tensor, strong and pale. */
const char *sc_picture_color(const sc_picture *p, int tensor);
const char *sc_picture_pale(const sc_picture *p, int tensor);

/** Fill and border of a loop's box: in time, or spatial loop i of a block. */
typedef struct sc_picture_look {
    const char *fill, *stroke;
} sc_picture_look;
sc_picture_look sc_picture_look_of(const char *axis); /* NULL: in time; see sc_spatial_axis() */

/** Bars of time, of the level that sets it, and of energy. */
extern const char *const sc_picture_time, *const sc_picture_slow, *const sc_picture_energy;
#endif
