#include "model/count/picture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/locale.h"
#include "core/text.h"

/* TOP: of the outermost band. GAP: between bands, for what moves. */
enum { TOP = 140, GAP = 58, MOST_TEXT = 640 };

const char *const sc_picture_time = "#7a97ab", *const sc_picture_slow = "#b3261e",
                  *const sc_picture_energy = "#d39a2c";

/* By role, so that a tensor looks the same in all pictures; a second one of a role differs. */
static int color_of(const sc_einsum *e, int tensor)
{
    for (int t = 0; t < tensor; t++)
        if (e->tensor[t].role == e->tensor[tensor].role)
            return SC_ROLES;
    return (int)e->tensor[tensor].role;
}

const char *sc_picture_color(const sc_picture *p, int tensor)
{
    static const char *const colors[SC_ROLES + 1] = {"#2f6fb5", "#c4622d", "#2e8b57", "#8a5a9e"};
    return colors[color_of(p->v->einsum, tensor)];
}

const char *sc_picture_pale(const sc_picture *p, int tensor)
{
    static const char *const colors[SC_ROLES + 1] = {"#eaf2fb", "#fcefe7", "#e8f5ed", "#f4edf7"};
    return colors[color_of(p->v->einsum, tensor)];
}

sc_picture_look sc_picture_look_of(const char *axis)
{
    static const sc_picture_look in_time = {"#ffffff", "#7d8a94"}, x = {"#e9e0f7", "#7a55b8"},
                                 y = {"#d7f1ee", "#1f8a80"}, both = {"#fbe3ef", "#b03a80"};
    if (!axis)
        return in_time;
    if (strlen(axis) > 1)
        return both;
    return axis[0] == 'X' ? x : y;
}

/* As vsnprintf in the C locale. */
SC_PRINTF(2, 0)
static void format(char text[MOST_TEXT], const char *fmt, va_list args)
{
    const sc_locale locale = sc_locale_enter_c();
    (void)vsnprintf(text, MOST_TEXT, fmt, args);
    sc_locale_leave(locale);
}

void sc_picture_text(sc_picture *p, const sc_picture_label *at, const char *fmt, ...)
{
    char text[MOST_TEXT], cut[MOST_TEXT - 4];
    const size_t room = (size_t)fmax(4.0, at->width / (0.6 * at->size)); /* of mean letters */
    va_list args;
    va_start(args, fmt);
    format(text, fmt, args);
    va_end(args);
    if (strlen(text) > room) {
        (void)sc_text_copy(cut, room - 2 < sizeof cut ? room - 2 : sizeof cut, text);
        (void)snprintf(text, sizeof text, "%s...", cut);
    }
    sc_svg_text(&p->svg, at->x, at->y, at->size, at->anchor, text);
}

void sc_picture_group(sc_picture *p, const char *fmt, ...)
{
    char text[MOST_TEXT];
    va_list args;
    va_start(args, fmt);
    format(text, fmt, args);
    va_end(args);
    sc_svg_group(&p->svg, text);
}

void sc_picture_bar(sc_picture *p, double x, double y, double width, double share,
                    const char *color)
{
    sc_svg_rect(&p->svg, x, y, width, 6, "#dfe5ea", NULL);
    if (share > 0.0) /* 0 of 0 is no share */
        sc_svg_rect(&p->svg, x, y, width * fmin(share, 1.0), 6, color, NULL);
}

/* Places of all bands. @return height of the whole. */
static double lay_out(sc_picture *p)
{
    const int n = p->v->mapping->n_levels;
    double y = TOP;
    p->lane =
        (double)(SC_PICTURE_WIDTH - SC_PICTURE_MARGIN - SC_PICTURE_LANES) / p->v->einsum->n_tensors;
    for (int band = 0; band <= n; band++) {
        p->top[band] = y;
        p->height[band] = band < n ? sc_picture_level_height(p->v, band) : sc_picture_macs_height();
        y += p->height[band] + GAP;
    }
    return y - GAP + SC_PICTURE_MARGIN;
}

sc_status sc_view_picture(char **svg, const sc_mapping_view *v)
{
    sc_picture p = {.v = v};
    char title[MOST_TEXT];
    const double height = lay_out(&p);
    (void)snprintf(title, sizeof title, "Mapping of %s on %s", v->op, v->design);
    sc_svg_begin(&p.svg, SC_PICTURE_WIDTH, height, title);
    sc_svg_rect(&p.svg, 0, 0, SC_PICTURE_WIDTH, height, "#ffffff", NULL);
    sc_picture_header(&p);
    for (int level = 0; level < v->mapping->n_levels; level++)
        sc_picture_level(&p, level);
    sc_picture_macs(&p);
    for (int t = 0; t < v->einsum->n_tensors; t++)
        for (int level = sc_next_keeper(v, -1, t); level < v->mapping->n_levels;
             level = sc_next_keeper(v, level, t))
            sc_picture_link(&p, level, t);
    return sc_svg_end(&p.svg, svg);
}
