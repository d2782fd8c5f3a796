#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H
/** How the page and the plots write a study's values: by what title, in which unit. */
#include <stddef.h>

#include "core/buf.h"

enum { SC_FIGURE_TITLE = 160, SC_FIGURE_NUMBER = 32 };

typedef struct sc_figure {
    char title[SC_FIGURE_TITLE]; /* "latency", "latency of resnet50"; else the value's own name */
    const char *unit;            /* "ms"; "" for values of an external evaluator */
    double factor;               /* what a value is multiplied by to be in that unit */
} sc_figure;

/** The figure of a value by its name, in the unit in which the largest of those shown together is
 *  1 or more, where the unit has prefixes. */
void sc_figure_of(sc_figure *out, const char *name, double largest);
/** "latency, ms" */
void sc_figure_heading(char out[SC_FIGURE_TITLE], const sc_figure *f);
/** Four significant digits, no exponent between 1e-3 and 1e7; "-" for NaN. */
void sc_figure_number(char out[SC_FIGURE_NUMBER], double v);
/** A table cell with the number of v, in the figure's unit. */
void sc_figure_cell(sc_buf *b, const sc_figure *f, double v);
/** A heading cell with the figure's title and unit, escaped. */
void sc_figure_heading_cell(sc_buf *b, const sc_figure *f);
#endif
