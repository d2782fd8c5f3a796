/* Matrix products of a GPU, against their measured times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core/mem.h"
#include "flow/validate.h"
#include "scantle/evaluate.h"
#include "workloads/builder.h"

enum { BITS = 16, LARGE = 1024 }; /* LARGE: where every size is at least so, the aim holds */

static const char source[] = "measured, published with an LLM hardware model (BSD-3)";

/* The sum so far, of rows where every size is LARGE. */
typedef struct errors {
    double sum, aim;
    unsigned rows, within;
} errors;

static sc_status product(sc_workload **out, uint64_t m, uint64_t n, uint64_t k)
{
    sc_builder *b = NULL;
    sc_input_ref x = {0};
    int32_t index;
    const sc_op_spec spec = {
        .name = "gemm", .kind = SC_OP_MATMUL, .n_inputs = 1, .inputs = &x, .channels = n};
    sc_status st = sc_builder_create(&b, "gemm", 1, BITS);
    if (st != SC_OK)
        return st;
    st = sc_builder_input(b, &x.producer, "x", (sc_shape){k, 1, m, 1});
    if (st == SC_OK)
        st = sc_builder_add(b, &index, &spec);
    if (st == SC_OK)
        st = sc_builder_finish(out, b);
    sc_builder_destroy(b);
    return st;
}

static sc_status latency_ms(double *out, const sc_validation *v, const sc_design *d, uint64_t m,
                            uint64_t n, uint64_t k)
{
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.threads = v->options.threads;
    o.batch = 1;
    sc_status st = product(&w, m, n, k);
    if (st == SC_OK)
        st = sc_evaluate(&e, d, w, &o);
    if (st == SC_OK && !sc_evaluation_feasible(e))
        st = sc_fail(SC_EINVAL, "the model finds no mapping for it");
    if (st == SC_OK)
        *out = 1e3 * sc_evaluation_metrics(e)->latency_s;
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    return st;
}

/* Cells "M", "N", "K" and "0.1900ms". */
static bool read_row(uint64_t size[3], double *ms, const sc_csv *c, size_t row)
{
    char *end;
    for (unsigned i = 0; i < 3; i++) {
        const char *cell = sc_csv_cell(c, row, i);
        const double value = strtod(cell, &end);
        if (end == cell || *end || !(value >= 1 && value <= 1e9))
            return false;
        size[i] = (uint64_t)value;
    }
    *ms = strtod(sc_csv_cell(c, row, 3), &end);
    return strcmp(end, "ms") == 0 && *ms > 0;
}

static void add_row(sc_validation *v, errors *all, const sc_design *d, const sc_csv *c, size_t row)
{
    uint64_t size[3];
    char what[96];
    sc_validation_row r = SC_VALIDATION_ROW(what);
    if (!read_row(size, &r.published, c, row)) {
        (void)snprintf(what, sizeof what, "line %d", sc_csv_line(c, row));
        sc_validation_absent(v, what, "not read: a line is M, N, K and a time in ms");
        return;
    }
    (void)snprintf(what, sizeof what, "M %llu, N %llu, K %llu", (unsigned long long)size[0],
                   (unsigned long long)size[1], (unsigned long long)size[2]);
    if (latency_ms(&r.modelled, v, d, size[0], size[1], size[2]) != SC_OK) {
        sc_validation_absent(v, what, sc_error_message());
        return;
    }
    r.unit = "ms";
    r.error = 100 * (r.modelled / r.published - 1);
    r.use = "held-out";
    r.source = source;
    if (size[0] >= LARGE && size[1] >= LARGE && size[2] >= LARGE) {
        r.aim = all->aim;
        all->sum += fabs(r.error);
        all->within += fabs(r.error) < all->aim;
        all->rows++;
    }
    sc_validation_add(v, &r);
}

static void add_totals(sc_validation *v, const errors *all)
{
    sc_validation_row r = SC_VALIDATION_ROW("Sizes of 1,024 and up: mean error");
    r.unit = "%";
    r.use = "held-out";
    r.source = source;
    r.modelled = all->sum / all->rows;
    r.aim = all->aim;
    sc_validation_add(v, &r);
    r.what = "Sizes of 1,024 and up: share within 20 %";
    r.modelled = 100.0 * all->within / all->rows;
    r.aim = (double)NAN;
    sc_validation_add(v, &r);
}

void sc_validate_gemm(sc_validation *v)
{
    sc_design *d = NULL;
    sc_csv *c = NULL;
    errors all = {.aim = 20};
    sc_validation_begin(v, "A100: matrix products",
                        "Half precision, [M][K] x [K][N], by the platform a100, whose constants "
                        "are its data sheet's. The launch of a kernel is not modelled: it is a "
                        "third of the shortest time among sizes of 1,024 and up, and most of it "
                        "below. The error is to stay within the aim where every size is at least "
                        "1,024.");
    char *path = sc_validation_data(v, "Matrix products", "systolic/matmul_A100.csv");
    if (!path)
        return;
    if (sc_design_open(&d, "a100") != SC_OK || sc_csv_open(&c, path) != SC_OK) {
        sc_validation_absent(v, "Matrix products", sc_error_message());
    } else {
        for (size_t row = 0; row < sc_csv_rows(c); row++)
            add_row(v, &all, d, c, row);
        if (all.rows > 0)
            add_totals(v, &all);
    }
    sc_csv_close(c);
    sc_design_destroy(d);
    sc_free(path);
}
