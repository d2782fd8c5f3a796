#include "targets_functions.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Zitzler, Deb, Thiele, Evolutionary Computation 8(2) 2000, doi:10.1162/106365600568202: T1 to T3.
 */
static double zdt_g(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return 1 + 9 * sum / (double)(n - 1);
}

static void zdt1(double *f, double *g, const double *x, size_t n)
{
    const double scale = zdt_g(x, n);
    (void)g;
    f[0] = x[0];
    f[1] = scale * (1 - sqrt(x[0] / scale));
}

static void zdt2(double *f, double *g, const double *x, size_t n)
{
    const double scale = zdt_g(x, n), ratio = x[0] / scale;
    (void)g;
    f[0] = x[0];
    f[1] = scale * (1 - ratio * ratio);
}

static void zdt3(double *f, double *g, const double *x, size_t n)
{
    const double scale = zdt_g(x, n), ratio = x[0] / scale;
    (void)g;
    f[0] = x[0];
    f[1] = scale * (1 - sqrt(ratio) - ratio * sin(10 * pi * x[0]));
}

/* Deb, Thiele, Laumanns, Zitzler, CEC 2002, doi:10.1109/CEC.2002.1007032: DTLZ2, 3 objectives. */
static void dtlz2(double *f, double *g, const double *x, size_t n)
{
    double far = 1;
    (void)g;
    for (size_t i = 2; i < n; i++)
        far += (x[i] - 0.5) * (x[i] - 0.5);
    f[0] = far * cos(x[0] * pi / 2) * cos(x[1] * pi / 2);
    f[1] = far * cos(x[0] * pi / 2) * sin(x[1] * pi / 2);
    f[2] = far * sin(x[0] * pi / 2);
}

/* Binh, Korn, MENDEL 1997; as in Deb, Multi-Objective Optimization using Evolutionary Algorithms,
 * 2001, section 8.1. */
static void bnh(double *f, double *g, const double *x, size_t n)
{
    (void)n;
    f[0] = 4 * x[0] * x[0] + 4 * x[1] * x[1];
    f[1] = (x[0] - 5) * (x[0] - 5) + (x[1] - 5) * (x[1] - 5);
    g[0] = ((x[0] - 5) * (x[0] - 5) + x[1] * x[1] - 25) / 25;
    g[1] = (7.7 - (x[0] - 8) * (x[0] - 8) - (x[1] + 3) * (x[1] + 3)) / 7.7;
}

/* Osyczka, Kundu, Structural Optimization 10(2) 1995, doi:10.1007/BF01743536. */
static void osy(double *f, double *g, const double *x, size_t n)
{
    static const double from[] = {2, 2, 1, 4, 1}, weight[] = {25, 1, 1, 1, 1};
    f[0] = f[1] = 0;
    for (size_t i = 0; i < 5; i++)
        f[0] -= weight[i] * (x[i] - from[i]) * (x[i] - from[i]);
    for (size_t i = 0; i < n; i++)
        f[1] += x[i] * x[i];
    g[0] = (2 - x[0] - x[1]) / 2;
    g[1] = (x[0] + x[1] - 6) / 6;
    g[2] = (x[1] - x[0] - 2) / 2;
    g[3] = (x[0] - 3 * x[1] - 2) / 2;
    g[4] = ((x[2] - 3) * (x[2] - 3) + x[3] - 4) / 4;
    g[5] = (4 - (x[4] - 3) * (x[4] - 3) - x[5]) / 4;
}

/* Tanaka, Watanabe, Furukawa, Tanino, IEEE SMC 1995, doi:10.1109/ICSMC.1995.537993. */
static void tnk(double *f, double *g, const double *x, size_t n)
{
    const double angle = x[1] > 0 ? atan(x[0] / x[1]) : pi / 2;
    (void)n;
    f[0] = x[0];
    f[1] = x[1];
    g[0] = 1 + 0.1 * cos(16 * angle) - x[0] * x[0] - x[1] * x[1];
    g[1] = ((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5) - 0.5) / 0.5;
}

static const double zeros[FUNCTION_MOST_VARIABLES], bnh_high[] = {5, 3};
static const double halves[] = {.5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5};
static const double osy_low[] = {0, 0, 1, 0, 1, 0}, osy_high[] = {10, 10, 5, 6, 5, 10};
static const unsigned osy_levels[] = {21, 21, 9, 13, 9, 21}; /* steps of 0.5 */
static const double tnk_high[] = {3.14159265358979323846, 3.14159265358979323846};

/* Ten variables for the ZDT functions, which the papers give 30: with 500 evaluations no method
 * comes near the front of thirty. Odd numbers of levels put 0.5 on the grid, DTLZ2's optimum. */
static const test_function all[] = {
    {.name = "zdt1",
     .source = "doi:10.1162/106365600568202",
     .n_variables = 10,
     .n_objectives = 2,
     .levels = 65,
     .label_levels = 9,
     .value = zdt1,
     .optimum = zeros,
     .n_front = 1,
     .greatest = {1, 10}},
    {.name = "zdt2",
     .source = "doi:10.1162/106365600568202",
     .n_variables = 10,
     .n_objectives = 2,
     .levels = 65,
     .label_levels = 9,
     .value = zdt2,
     .optimum = zeros,
     .n_front = 1,
     .greatest = {1, 10}},
    {.name = "zdt3",
     .source = "doi:10.1162/106365600568202",
     .n_variables = 10,
     .n_objectives = 2,
     .levels = 65,
     .label_levels = 9,
     .value = zdt3,
     .optimum = zeros,
     .n_front = 1,
     .greatest = {1, 10}},
    {.name = "dtlz2",
     .source = "doi:10.1109/CEC.2002.1007032",
     .n_variables = 12,
     .n_objectives = 3,
     .levels = 65,
     .label_levels = 9,
     .value = dtlz2,
     .optimum = halves,
     .n_front = 2,
     .greatest = {3.5, 3.5, 3.5}},
    {.name = "bnh",
     .source = "Binh and Korn, MENDEL 1997",
     .n_variables = 2,
     .n_objectives = 2,
     .n_constraints = 2,
     .levels = 1025,
     .label_levels = 33,
     .high = bnh_high,
     .value = bnh},
    {.name = "osy",
     .source = "doi:10.1007/BF01743536",
     .n_variables = 6,
     .n_objectives = 2,
     .n_constraints = 6,
     .own_levels = osy_levels,
     .low = osy_low,
     .high = osy_high,
     .value = osy},
    {.name = "tnk",
     .source = "doi:10.1109/ICSMC.1995.537993",
     .n_variables = 2,
     .n_objectives = 2,
     .n_constraints = 2,
     .levels = 1025,
     .label_levels = 33,
     .high = tnk_high,
     .value = tnk},
};

const test_function *test_function_at(size_t i)
{
    return i < sizeof all / sizeof *all ? &all[i] : NULL;
}
