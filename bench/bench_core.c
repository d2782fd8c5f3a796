/* What the readers of core cost on one core: a constraint evaluated, a text parsed. One line a
 * measurement: what, how much a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/csv.h"
#include "core/expr.h"
#include "core/json.h"
#include "core/rng.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other work on the machine does not count */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void require(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "%s\n", sc_error_message());
        exit(1);
    }
}

static void bench_expr(void)
{
    enum { RUNS = 10000000 };
    static const char *const labels[] = {"private", "shared", "disabled"};
    static const sc_symbol symbols[] = {
        {"pes_x", NULL, 0}, {"pes_y", NULL, 0}, {"mode", labels, 3}};
    static const char *const texts[] = {
        "pes_x * pes_y <= 4096", "mode == 'disabled' ? 0 : ceil_div(pes_x * 64Ki, pes_y)",
        ("pes_x * pes_y * pes_x * pes_y <= 16Ki && pes_x * pes_y >= 4 && (mode == 'disabled' || "
         "pes_x < 100)"), /* one text */
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        sc_expr *e = NULL;
        double sum = 0.0;
        require(sc_expr_compile(&e, texts[k], symbols, 3, NULL));
        const double begin = seconds();
        for (int i = 0; i < RUNS; i++) {
            const double v[] = {i % 256 + 1, i % 128 + 1, i % 3};
            sum += sc_expr_eval(e, v);
        }
        printf("%.3g evaluations/s (mean %.3g): %s\n", RUNS / (seconds() - begin), sum / RUNS,
               texts[k]);
        sc_expr_destroy(e);
    }
}

/* 8 MB of rows, each with its number in two places. */
static size_t fill(char *text, const char *head, const char *middle, const char *tail)
{
    size_t n = 0;
    for (int i = 0; n < 8000000; i++)
        n += (size_t)sprintf(text + n, "%s%d%s%d%s", head, i, middle, i, tail);
    return n;
}

static void bench_parsers(void)
{
    static char text[8100000];
    sc_yaml *y = NULL;
    sc_csv *c = NULL;
    json_t *j = NULL;
    size_t n = fill(text, "- {name: layer_", ", size: ", "}\n");
    double begin = seconds();
    require(sc_yaml_parse(&y, "bench", text, n));
    printf("%.3g MB/s of YAML\n", (double)n / 1e6 / (seconds() - begin));
    sc_yaml_close(y);

    n = fill(text, "layer_", ",", ",3.14159,conv\n");
    begin = seconds();
    require(sc_csv_parse(&c, "bench", text, n));
    printf("%.3g MB/s of CSV\n", (double)n / 1e6 / (seconds() - begin));
    begin = seconds();
    for (size_t i = 0; i < sc_csv_rows(c); i++) {
        int64_t whole;
        double v;
        require(sc_csv_integer(&whole, c, i, 1));
        require(sc_csv_number(&v, c, i, 2));
    }
    printf("%.3g numbers/s of CSV\n", 2.0 * (double)sc_csv_rows(c) / (seconds() - begin));
    sc_csv_close(c);

    text[0] = '[';
    n = 1 + fill(text + 1, "{\"name\": \"layer_", "\", \"size\": ", "},\n");
    memcpy(text + n, "0]", 2);
    begin = seconds();
    require(sc_json_parse(&j, "bench", text, n + 2));
    printf("%.3g MB/s of JSON\n", (double)n / 1e6 / (seconds() - begin));
    json_decref(j);
}

static void bench_rng(void)
{
    enum { DRAWS = 50000000 };
    sc_rng r;
    double sum = 0.0;
    sc_rng_init(&r, 1, 2, 3);
    const double begin = seconds();
    for (int i = 0; i < DRAWS; i++)
        sum += gsl_rng_uniform(&r.gsl);
    printf("%.3g uniforms/s (mean %.4f)\n", DRAWS / (seconds() - begin), sum / DRAWS);
}

int main(void)
{
    bench_expr();
    bench_parsers();
    bench_rng();
    return 0;
}
