#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One unit with what a value in the base unit is multiplied by; a list ends with a NULL name. */
typedef struct step {
    const char *unit;
    double factor;
} step;

static const step seconds[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}, {NULL, 0}};
static const step joules[] = {{"J", 1}, {"mJ", 1e3}, {"uJ", 1e6}, {"nJ", 1e9}, {NULL, 0}};
static const step watts[] = {{"W", 1}, {"mW", 1e3}, {NULL, 0}};
static const step areas[] = {{"mm2", 1}, {NULL, 0}};
static const step rates[] = {{"1/s", 1}, {NULL, 0}};
static const step rates_per_watt[] = {{"1/(s W)", 1}, {NULL, 0}};
static const step rates_per_area[] = {{"1/(s mm2)", 1}, {NULL, 0}};
static const step joule_seconds[] = {{"J s", 1}, {NULL, 0}};
static const step joule_seconds2[] = {{"J s2", 1}, {NULL, 0}};
static const step percent[] = {{"%", 100}, {NULL, 0}};
static const step bytes[] = {
    {"GiB", 0x1p-30}, {"MiB", 0x1p-20}, {"KiB", 0x1p-10}, {"B", 1}, {NULL, 0}};

static const struct {
    const char *name, *title;
    const step *steps;
} figures[] = {{"latency_s", "batch latency", seconds},
               {"throughput_per_s", "throughput", rates},
               {"energy_j", "batch energy", joules},
               {"power_w", "power", watts},
               {"area_mm2", "area", areas},
               {"tdp_w", "TDP", watts},
               {"perf_per_tdp", "perf/TDP", rates_per_watt},
               {"perf_per_area", "perf/area", rates_per_area},
               {"edp_js", "energy-delay", joule_seconds},
               {"ed2p_js2", "energy-delay^2", joule_seconds2},
               {"utilization", "utilisation", percent},
               {"time_s", "time", seconds},
               {"dram_bytes", "DRAM", bytes}};

static const step *step_for(const step *steps, double largest)
{
    while (steps[1].unit && !(fabs(largest) * steps->factor >= 1.0))
        steps++;
    return steps;
}

void sc_figure_of(sc_figure *out, const char *name, double largest)
{
    const size_t length = strcspn(name, "["); /* NAME[NETWORK] is a figure of one network */
    const char *network = name[length] ? name + length + 1 : NULL;
    *out = (sc_figure){.unit = "", .factor = 1.0};
    (void)snprintf(out->title, sizeof out->title, "%s", name);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (strlen(figures[i].name) != length || memcmp(figures[i].name, name, length) != 0)
            continue;
        const step *s = step_for(figures[i].steps, largest);
        out->unit = s->unit;
        out->factor = s->factor;
        if (network)
            (void)snprintf(out->title, sizeof out->title, "%s of %.*s", figures[i].title,
                           (int)strcspn(network, "]"), network);
        else
            (void)snprintf(out->title, sizeof out->title, "%s", figures[i].title);
    }
}

void sc_figure_heading(char out[SC_FIGURE_TITLE], const sc_figure *f)
{
    char text[SC_FIGURE_TITLE + 16];
    (void)snprintf(text, sizeof text, "%s%s%s", f->title, f->unit[0] ? ", " : "", f->unit);
    (void)snprintf(out, SC_FIGURE_TITLE, "%.*s", SC_FIGURE_TITLE - 1, text);
}

void sc_figure_number(char out[SC_FIGURE_NUMBER], double v)
{
    const double size = fabs(v);
    if (isnan(v))
        (void)snprintf(out, SC_FIGURE_NUMBER, "-");
    else if (size >= 1e3 && size < 1e7)
        (void)snprintf(out, SC_FIGURE_NUMBER, "%.0f", v);
    else
        (void)snprintf(out, SC_FIGURE_NUMBER, "%.4g", v);
}

void sc_figure_cell(sc_buf *b, const sc_figure *f, double v)
{
    char number[SC_FIGURE_NUMBER];
    if (strcmp(f->unit, "%") == 0 && isfinite(v))
        (void)snprintf(number, sizeof number, "%.2f",
                       v * f->factor); /* shares stand below each other */
    else
        sc_figure_number(number, v * f->factor);
    sc_buf_printf(b, "<td>%s</td>", number);
}

void sc_figure_heading_cell(sc_buf *b, const sc_figure *f)
{
    char heading[SC_FIGURE_TITLE];
    sc_figure_heading(heading, f);
    sc_buf_puts(b, "<th>");
    sc_buf_xml(b, heading);
    sc_buf_puts(b, "</th>");
}
