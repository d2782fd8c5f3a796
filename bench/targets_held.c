/* Test functions that no constant of ours was chosen on: docs/benchmarks.md, "Held back". */
#include "targets_functions.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Zitzler, Deb, Thiele 2000 (doi:10.1162/106365600568202), T4: 21^9 local fronts. */
static void zdt4(double *f, double *g, const double *x, size_t n)
{
    double scale = 1 + 10 * (double)(n - 1);
    (void)g;
    for (size_t i = 1; i < n; i++)
        scale += x[i] * x[i] - 10 * cos(4 * pi * x[i]);
    f[0] = x[0];
    f[1] = scale * (1 - sqrt(x[0] / scale));
}

/* The same, T6: few points of the grid lie near the front. */
static void zdt6(double *f, double *g, const double *x, size_t n)
{
    double sum = 0;
    (void)g;
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    const double scale = 1 + 9 * pow(sum / (double)(n - 1), 0.25);
    f[0] = 1 - exp(-4 * x[0]) * pow(sin(6 * pi * x[0]), 6);
    f[1] = scale * (1 - (f[0] / scale) * (f[0] / scale));
}

/* Deb, Thiele, Laumanns, Zitzler 2002 (doi:10.1109/CEC.2002.1007032): DTLZ1, a plane behind many
 * local ones; DTLZ7, four pieces. Three objectives. */
static void dtlz1(double *f, double *g, const double *x, size_t n)
{
    double far = (double)(n - 2);
    (void)g;
    for (size_t i = 2; i < n; i++)
        far += (x[i] - 0.5) * (x[i] - 0.5) - cos(20 * pi * (x[i] - 0.5));
    const double scale = 0.5 * (1 + 100 * far);
    f[0] = scale * x[0] * x[1];
    f[1] = scale * x[0] * (1 - x[1]);
    f[2] = scale * (1 - x[0]);
}

static void dtlz7(double *f, double *g, const double *x, size_t n)
{
    double far = 1, height = 3;
    (void)g;
    for (size_t i = 2; i < n; i++)
        far += 9 * x[i] / (double)(n - 2);
    for (size_t j = 0; j < 2; j++) {
        f[j] = x[j];
        height -= x[j] / (1 + far) * (1 + sin(3 * pi * x[j]));
    }
    f[2] = (1 + far) * height;
}

/* Srinivas, Deb, Evolutionary Computation 2(3) 1994, doi:10.1162/evco.1994.2.3.221. */
static void srn(double *f, double *g, const double *x, size_t n)
{
    (void)n;
    f[0] = 2 + (x[0] - 2) * (x[0] - 2) + (x[1] - 1) * (x[1] - 1);
    f[1] = 9 * x[0] - (x[1] - 1) * (x[1] - 1);
    g[0] = (x[0] * x[0] + x[1] * x[1] - 225) / 225;
    g[1] = (x[0] - 3 * x[1] + 10) / 10;
}

/* CONSTR: Deb et al., IEEE Trans. Evol. Comput. 6(2) 2002, doi:10.1109/4235.996017, table V. */
static void constr(double *f, double *g, const double *x, size_t n)
{
    (void)n;
    f[0] = x[0];
    f[1] = (1 + x[1]) / x[0];
    g[0] = (6 - x[1] - 9 * x[0]) / 6;
    g[1] = 1 + x[1] - 9 * x[0];
}

/* Welded beam, cost and deflection: Deb, Pratap, Moitra, PPSN VI 2000,
 * doi:10.1007/3-540-45356-3_54. x: thickness of the weld h, length l, height t, thickness of the
 * beam b, inches. */
static void weld(double *f, double *g, const double *x, size_t n)
{
    const double h = x[0], l = x[1], t = x[2], b = x[3];
    (void)n;
    const double arm = 0.25 * (l * l + (h + t) * (h + t));
    const double shear = 6000 / (sqrt(2) * h * l);
    const double bending =
        6000 * (14 + 0.5 * l) * sqrt(arm) /
        (2 * (0.7071067811865476 * h * l * (l * l / 12 + 0.25 * (h + t) * (h + t))));
    const double stress = sqrt(shear * shear + bending * bending + l * shear * bending / sqrt(arm));
    f[0] = 1.10471 * h * h * l + 0.04811 * t * b * (14 + l);
    f[1] = 2.1952 / (t * t * t * b);
    g[0] = (stress - 13600) / 13600;
    g[1] = (504000 / (t * t * b) - 30000) / 30000;
    g[2] = (h - b) / 5;
    g[3] = (6000 - 64746.022 * (1 - 0.0282346 * t) * t * b * b * b) / 6000;
}

/* Parts from a catalogue, as a board is put together: a processor of twelve and a memory of eight,
 * whose figures follow no order, and how many lanes, banks and links of each there are. Least time
 * and cost within power, area and capacity; about one point in thirty keeps the limits. Ours. */
static void board(double *f, double *g, const double *x)
{
    static const double speed[12] = {7, 2, 11, 5, 3, 13, 4, 9, 6, 2.5, 8, 10};
    static const double price[12] = {60, 9, 95, 52, 20, 160, 24, 66, 55, 30, 57, 120};
    static const double draw[12] = {9, 2, 17, 5, 6, 24, 3, 10, 12, 1.5, 14, 11};
    static const double width[8] = {16, 4, 25, 8, 12, 6, 32, 10};
    static const double fee[8] = {40, 6, 75, 13, 34, 8, 130, 18};
    static const double room[8] = {4, 16, 2, 8, 8, 32, 1, 6};
    const size_t c = (size_t)x[0], m = (size_t)x[1];
    const double lanes = 1 + x[2], banks = 1 + x[3], links = 1 + x[4];
    const double work = 4000 / (speed[c] * pow(lanes, 0.9));
    const double traffic = 6000 / (width[m] * banks) + 300 / links;

    f[0] = fmax(work, traffic) + 0.2 * fmin(work, traffic) + 2 * lanes / links;
    f[1] = price[c] * lanes + fee[m] * banks + 7 * links * (banks > 8 ? 2 : 1);
    g[0] = (draw[c] * lanes + 1.5 * banks * sqrt(width[m]) + links - 60) / 60;
    g[1] = (40 - room[m] * banks) / 40;
    g[2] = (lanes * (2 + 0.1 * speed[c]) + 3 * banks + 2 * links - 45) / 45;
}

static void board_front(double *f, double *g, const double *x, size_t n)
{
    (void)n;
    board(f, g, x);
}

/* The same, least time alone within a cost. */
static void board_time(double *f, double *g, const double *x, size_t n)
{
    double both[2];
    (void)n;
    board(both, g, x);
    f[0] = both[0];
    g[3] = (both[1] - 500) / 500;
}

static const double zdt4_low[] = {0, -5, -5, -5, -5, -5, -5, -5, -5, -5};
static const double zdt4_high[] = {1, 5, 5, 5, 5, 5, 5, 5, 5, 5};
static const double zdt4_optimum[10], dtlz7_optimum[FUNCTION_MOST_VARIABLES];
static const double halves[] = {.5, .5, .5, .5, .5, .5, .5};
static const double srn_low[] = {-20, -20}, srn_high[] = {20, 20};
static const double constr_low[] = {0.1, 0}, constr_high[] = {1, 5};
static const double weld_low[] = {0.125, 0.1, 0.1, 0.125}, weld_high[] = {5, 10, 10, 5};
static const unsigned weld_levels[] = {40, 34, 34, 40};
static const double board_high[] = {11, 7, 15, 15, 15};
static const unsigned board_levels[] = {12, 8, 16, 16, 16};

static const test_function held[] = {
    {.name = "zdt4",
     .source = "doi:10.1162/106365600568202",
     .n_variables = 10,
     .n_objectives = 2,
     .levels = 65,
     .label_levels = 9,
     .low = zdt4_low,
     .high = zdt4_high,
     .value = zdt4,
     .optimum = zdt4_optimum,
     .n_front = 1,
     /* nine times the most of x^2 - 10 cos(4 pi x) on [-5, 5], by both ends of 4.75 + 0.006 */
     .greatest = {1, 91 + 9 * 32.591}},
    {.name = "zdt6",
     .source = "doi:10.1162/106365600568202",
     .n_variables = 10,
     .n_objectives = 2,
     .levels = 65,
     .label_levels = 9,
     .value = zdt6,
     .optimum = dtlz7_optimum,
     .n_front = 1,
     .greatest = {1, 10}},
    {.name = "dtlz1",
     .source = "doi:10.1109/CEC.2002.1007032",
     .n_variables = 7,
     .n_objectives = 3,
     .levels = 65,
     .label_levels = 9,
     .value = dtlz1,
     .optimum = halves,
     .n_front = 2,
     /* 0.5 (1 + 100 g), each of five terms of g at most 1 + 0.25 + 1 */
     .greatest = {563, 563, 563}},
    {.name = "dtlz7",
     .source = "doi:10.1109/CEC.2002.1007032",
     .n_variables = 12,
     .n_objectives = 3,
     .levels = 65,
     .label_levels = 9,
     .value = dtlz7,
     .optimum = dtlz7_optimum,
     .n_front = 2,
     .greatest = {1, 1, 33}},
    {.name = "srn",
     .source = "doi:10.1162/evco.1994.2.3.221",
     .n_variables = 2,
     .n_objectives = 2,
     .n_constraints = 2,
     .levels = 1025,
     .label_levels = 33,
     .low = srn_low,
     .high = srn_high,
     .value = srn},
    {.name = "constr",
     .source = "doi:10.1109/4235.996017",
     .n_variables = 2,
     .n_objectives = 2,
     .n_constraints = 2,
     .levels = 1025,
     .label_levels = 33,
     .low = constr_low,
     .high = constr_high,
     .value = constr},
    {.name = "weld",
     .source = "doi:10.1007/3-540-45356-3_54",
     .n_variables = 4,
     .n_objectives = 2,
     .n_constraints = 4,
     .own_levels = weld_levels,
     .low = weld_low,
     .high = weld_high,
     .value = weld},
    {.name = "board",
     .source = "ours",
     .n_variables = 5,
     .n_objectives = 2,
     .n_constraints = 3,
     .own_levels = board_levels,
     .labels = 3,
     .high = board_high,
     .value = board_front},
    {.name = "board-time",
     .source = "ours",
     .n_variables = 5,
     .n_objectives = 1,
     .n_constraints = 4,
     .own_levels = board_levels,
     .labels = 3,
     .high = board_high,
     .value = board_time},
};

const test_function *test_function_held(size_t i)
{
    return i < sizeof held / sizeof *held ? &held[i] : NULL;
}
