/* Budgets, chains and designs of random points of the FAST space, on one core. Prints one line a
 * measurement: what, how many a second. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/mem.h"
#include "core/rng.h"
#include "model/arch/template.h"

enum { POINTS = 4096, PARAMS = 16 };

static uint32_t point[POINTS][PARAMS];

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other work on the machine does not count */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, sc_error_message());
    exit(1);
}

static void draw_points(const sc_template *t)
{
    for (size_t i = 0; i < POINTS; i++) {
        sc_rng r;
        sc_rng_init(&r, 1, 1, i);
        for (size_t k = 0; k < PARAMS; k++)
            point[i][k] = (uint32_t)gsl_rng_uniform_int(&r.gsl, sc_template_param(t, k)->n_values);
    }
}

static double one_budget(const sc_template *t, size_t i)
{
    sc_budget b;
    if (sc_template_budget(&b, t, point[i]) != SC_OK)
        die("budget");
    return b.tdp_w;
}

static double one_arch(const sc_template *t, size_t i)
{
    sc_arch a;
    if (sc_template_arch(&a, t, point[i]) != SC_OK)
        die("arch");
    return (double)a.compute.instances;
}

static double one_canonical(const sc_template *t, size_t i)
{
    sc_template_canonical(t, point[i]);
    return point[i][0];
}

static double one_design(const sc_template *t, size_t i)
{
    sc_design *d = NULL;
    if (sc_design_create(&d, t, point[i]) != SC_OK)
        die("design");
    const double tdp = sc_design_tdp_w(d);
    sc_design_destroy(d);
    return tdp;
}

static double one_open(const sc_template *t, size_t i)
{
    (void)i;
    sc_template *again = NULL;
    if (sc_template_open(&again, sc_template_name(t)) != SC_OK)
        die("open");
    sc_template_destroy(again);
    return 0;
}

/* The best of five rounds of about 0.2 s: the least disturbed by other work on the machine. */
static void measure(const char *what, double (*one)(const sc_template *, size_t),
                    const sc_template *t)
{
    double best = 0, sum = 0;
    for (int round = 0; round < 5; round++) {
        size_t n = 0;
        const double start = seconds();
        double now = start;
        do {
            for (int k = 0; k < 16; k++)
                sum += one(t, n++ % POINTS);
            now = seconds();
        } while (now - start < 0.2);
        if ((double)n / (now - start) > best)
            best = (double)n / (now - start);
    }
    printf("%-10s %12.0f /s   (checksum %g)\n", what, best, sum);
}

int main(int argc, char **argv)
{
    sc_template *t = NULL;
    if (argc > 1 && sc_data_dir_set(argv[1]) != SC_OK)
        die(argv[1]);
    if (sc_template_open(&t, "fast") != SC_OK)
        die("fast");
    draw_points(t);
    measure("canonical", one_canonical, t);
    measure("budget", one_budget, t);
    measure("arch", one_arch, t);
    measure("design", one_design, t);
    measure("open", one_open, t);
    sc_template_destroy(t);
    return 0;
}
