/* Systolic timing: by hand, against published tables and a cycle-by-cycle simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/csv.h"
#include "core/file.h"
#include "count_data.h"
#include "count_random.h"
#include "model/count/systolic.h"
#include "scantle/systolic.h"

static sc_systolic_cost cost_of(uint64_t m, uint64_t n, uint64_t k, uint64_t rows, uint64_t cols,
                                sc_dataflow flow, const sc_systolic_options *o)
{
    const sc_systolic_gemm g = {m, n, k, rows, cols, flow};
    sc_systolic_cost c;
    if (sc_systolic_evaluate(&c, &g, o) != SC_OK)
        fail_msg("%s", sc_error_message());
    return c;
}

/* Case 9: 4x4x4 on 4x4: the last MAC has index 9; results take 4 cycles to leave. */
static void case_9_gemm_4x4x4(void **state)
{
    sc_systolic_options drain = SC_SYSTOLIC_OPTIONS_INIT;
    drain.drain = true;
    assert_int_equal(cost_of(4, 4, 4, 4, 4, SC_OS, NULL).cycles, 10);
    assert_int_equal(cost_of(4, 4, 4, 4, 4, SC_OS, &drain).cycles, 14);
}

static void by_hand(void **state)
{
    sc_systolic_options drain = SC_SYSTOLIC_OPTIONS_INIT, both = SC_SYSTOLIC_OPTIONS_INIT;
    drain.drain = true;
    both.drain = both.double_buffered = true;
    /* primes: 13 x 11 x 7 on 5 x 3; os folds 3 x 4, ws 2 x 4, is 2 x 5 */
    assert_int_equal(cost_of(13, 11, 7, 5, 3, SC_OS, NULL).cycles, 3 * 4 * (7 + 5 + 3 - 2));
    assert_int_equal(cost_of(13, 11, 7, 5, 3, SC_WS, NULL).cycles, 2 * 4 * (13 + 10 + 3 - 2));
    assert_int_equal(cost_of(13, 11, 7, 5, 3, SC_IS, NULL).cycles, 2 * 5 * (11 + 10 + 3 - 2));
    assert_int_equal(cost_of(13, 11, 7, 5, 3, SC_OS, &drain).cycles, 3 * 4 * (7 + 10 + 3 - 2));
    assert_int_equal(cost_of(13, 11, 7, 5, 3, SC_OS, &both).cycles, 11 * 7 + 7 + 10 + 3 - 2);
    assert_int_equal(cost_of(13, 11, 7, 5, 3, SC_WS, &both).cycles, 7 * 13 + 13 + 10 + 3 - 2);
    assert_int_equal(cost_of(2, 11, 7, 5, 3, SC_WS, &both).cycles, 7 * 5 + 2 + 10 + 3 - 2);
    const sc_systolic_cost os = cost_of(13, 11, 7, 5, 3, SC_OS, NULL);
    assert_int_equal(os.a_reads, 13 * 7 * 4);
    assert_int_equal(os.b_reads, 7 * 11 * 3);
    assert_int_equal(os.out_writes, 13 * 11);
    const sc_systolic_cost is = cost_of(13, 11, 7, 5, 3, SC_IS, NULL);
    assert_int_equal(is.a_reads, 13 * 7);
    assert_int_equal(is.b_reads, 7 * 11 * 5);
    assert_int_equal(is.out_writes, 13 * 11 * 2);
}

/* Cases 8 and 11: lanes that do not divide the work leave some idle: 64 over 14 lanes takes 5
 * passes, 157 over 16 takes 10. And 1 x 256 times 256 x 72 writes at most 0.28 words a cycle on
 * average. */
static void cases_8_and_11_idle_lanes(void **state)
{
    assert_int_equal(cost_of(64, 1, 1, 14, 1, SC_OS, NULL).folds_r, 5); /* 64 of 70 */
    const sc_systolic_cost c = cost_of(157, 113, 1, 16, 16, SC_OS, NULL);
    assert_int_equal(c.folds_r, 10); /* 157 of 160 = 0.981 */
    assert_int_equal(c.folds_c, 8);
    const sc_systolic_cost fc = cost_of(1, 72, 256, 1, 72, SC_OS, NULL);
    assert_int_equal(fc.out_writes, 72);
    assert_true((double)fc.out_writes / (double)fc.cycles <= 0.28125);
}

/* Output stationary, a cycle at a time: a[i][k] and b[k][j] meet in PE i, j at cycle k + i + j. */
static uint64_t simulate_os(uint64_t m, uint64_t n, uint64_t k, uint64_t rows, uint64_t cols)
{
    uint64_t cycles = 0;
    for (uint64_t top = 0; top < m; top += rows)
        for (uint64_t left = 0; left < n; left += cols) {
            uint64_t last = 0;
            for (uint64_t i = 0; i < rows; i++) /* idle rows and columns pass values on */
                for (uint64_t j = 0; j < cols; j++)
                    if (k - 1 + i + j > last)
                        last = k - 1 + i + j;
            cycles += last + 1;
        }
    return cycles;
}

static void against_simulation(void **state)
{
    sc_systolic_options overlap = SC_SYSTOLIC_OPTIONS_INIT;
    overlap.double_buffered = true;
    uint64_t seed = 11;
    for (unsigned i = 0; i < 300; i++) {
        const uint64_t m = random_below(&seed, 20) + 1, n = random_below(&seed, 20) + 1;
        const uint64_t k = random_below(&seed, 20) + 1, r = random_below(&seed, 9) + 1;
        const uint64_t c = random_below(&seed, 9) + 1;
        assert_int_equal(cost_of(m, n, k, r, c, SC_OS, NULL).cycles, simulate_os(m, n, k, r, c));
        /* symmetry: the two stationary operands differ by a transposition */
        assert_int_equal(cost_of(m, n, k, r, c, SC_WS, NULL).cycles,
                         cost_of(n, m, k, r, c, SC_IS, NULL).cycles);
        for (int flow = SC_OS; flow < SC_DATAFLOWS; flow++) /* overlap never costs */
            assert_true(cost_of(m, n, k, r, c, (sc_dataflow)flow, &overlap).cycles <=
                        cost_of(m, n, k, r, c, (sc_dataflow)flow, NULL).cycles);
    }
}

static uint64_t field(const sc_csv *csv, size_t row, const char *name)
{
    int64_t v;
    assert_int_equal(sc_csv_integer(&v, csv, row, sc_csv_find(csv, name)), SC_OK);
    return (uint64_t)v;
}

/* Cycles and SRAM accesses of a public cycle simulator, which prints cycles - 1, and in os counts
 * R + C more writes a fold. */
static void simulator_rows(void **state)
{
    char path[512];
    sc_csv *csv = NULL;
    assert_int_equal(sc_csv_open(&csv, reference_data(path, sizeof path, "systolic/goldens.csv")),
                     SC_OK);
    assert_int_equal(sc_csv_rows(csv), 39);
    for (size_t row = 1; row < sc_csv_rows(csv); row++) {
        const char *flow = sc_csv_cell(csv, row, sc_csv_find(csv, "dataflow"));
        const uint64_t r = field(csv, row, "array_h"), c = field(csv, row, "array_w");
        const sc_dataflow d = flow[0] == 'o' ? SC_OS : flow[0] == 'w' ? SC_WS : SC_IS;
        const sc_systolic_cost ours = cost_of(field(csv, row, "M"), field(csv, row, "N"),
                                              field(csv, row, "K"), r, c, d, NULL);
        assert_int_equal(ours.cycles,
                         field(csv, row, "total_cycles") - field(csv, row, "stall_cycles") + 1);
        assert_int_equal(ours.folds_r, field(csv, row, "folds_r"));
        assert_int_equal(ours.folds_c, field(csv, row, "folds_c"));
        assert_int_equal(ours.a_reads, field(csv, row, "ifmap_sram_reads"));
        assert_int_equal(ours.b_reads, field(csv, row, "filter_sram_reads"));
        const uint64_t extra = d == SC_OS ? ours.folds_r * ours.folds_c * (r + c) : 0;
        assert_int_equal(ours.out_writes + extra, field(csv, row, "ofmap_sram_writes"));
    }
    sc_csv_close(csv);
}

/* Every row of a published table, through the CSV command: its cycles are the formula's less 1. */
static void check_lookup(const char *name, size_t rows)
{
    char path[512];
    char *text = NULL;
    sc_csv *csv = NULL;
    int64_t theirs, ours;
    if (sc_systolic_csv(&text, reference_data(path, sizeof path, name), NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_csv_parse(&csv, name, text, strlen(text)), SC_OK);
    assert_int_equal(sc_csv_columns(csv), 9);
    assert_int_equal(sc_csv_rows(csv), rows);
    for (size_t row = 0; row < rows; row++) {
        assert_int_equal(sc_csv_integer(&theirs, csv, row, 6), SC_OK);
        assert_int_equal(sc_csv_integer(&ours, csv, row, 8), SC_OK);
        assert_int_equal(ours, theirs + 1);
    }
    sc_csv_close(csv);
    sc_release(text);
}

static void lookup_tables(void **state)
{
    check_lookup("systolic/look_up_table_8_8.csv", 141);
    check_lookup("systolic/look_up_table_32_32.csv", 18573);
}

enum { ROWS = 4000 };
static uint32_t column[5][ROWS];
static uint8_t flows[ROWS];
static uint64_t batch_cycles[ROWS];
static const sc_systolic_table batch_table = {column[0], column[1], column[2],
                                              column[3], column[4], flows};

/* The batch kernel divides in doubles: extents of all sizes, and around multiples of the array. */
static void batch_agrees(void **state)
{
    uint64_t seed = 5;
    for (unsigned variant = 0; variant < 4; variant++) {
        const sc_systolic_options o = {1, variant & 1, variant >> 1 & 1};
        for (unsigned i = 0; i < ROWS; i++) {
            for (unsigned k = 3; k < 5; k++)
                column[k][i] = 1 + (uint32_t)random_below(&seed, 1u << (1 + i % 15));
            for (unsigned k = 0; k < 3; k++) {
                const uint64_t side = column[3 + k % 2][i];
                uint64_t v = 1 + random_below(&seed, 1u << (1 + i % 20));
                if (i % 3 == 0)
                    v = v / side * side + random_below(&seed, 3);
                column[k][i] = (uint32_t)(v > 1 ? v - 1 : 1);
            }
            flows[i] = (uint8_t)random_below(&seed, 3);
        }
        assert_int_equal(sc_systolic_batch(batch_cycles, ROWS, &batch_table, &o), SC_OK);
        for (unsigned i = 0; i < ROWS; i++)
            assert_int_equal(batch_cycles[i],
                             cost_of(column[0][i], column[1][i], column[2][i], column[3][i],
                                     column[4][i], (sc_dataflow)flows[i], &o)
                                 .cycles);
    }
}

static void batch_rejects(void **state)
{
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned k = 0; k < 5; k++)
            column[k][i] = 7;
        flows[i] = SC_WS;
    }
    column[4][5] = 0;
    assert_int_equal(sc_systolic_batch(batch_cycles, 8, &batch_table, NULL), SC_EINVAL);
    assert_says("row 5");
    column[4][5] = 0x80000000u;
    assert_int_equal(sc_systolic_batch(batch_cycles, 8, &batch_table, NULL), SC_EINVAL);
    column[4][5] = INT32_MAX;
    flows[2] = 3;
    assert_int_equal(sc_systolic_batch(batch_cycles, 8, &batch_table, NULL), SC_EINVAL);
    assert_says("row 2");
    flows[2] = SC_WS;
    column[0][6] = column[1][6] = column[2][6] = INT32_MAX;
    column[3][6] = column[4][6] = 1;
    assert_int_equal(sc_systolic_batch(batch_cycles, 8, &batch_table, NULL), SC_ERANGE);
    assert_says("row 6");
    column[0][6] = 1; /* (2^31 - 1)^2 * (1 + 1 + 1 + 1 - 2) cycles still fit */
    assert_int_equal(sc_systolic_batch(batch_cycles, 8, &batch_table, NULL), SC_OK);
    assert_int_equal(batch_cycles[6], 2u * (uint64_t)INT32_MAX * INT32_MAX);
}

static void rejects(void **state)
{
    sc_systolic_cost c = {.cycles = 17};
    for (unsigned i = 0; i < 5; i++) {
        uint64_t v[5] = {3, 3, 3, 3, 3};
        v[i] = 0;
        const sc_systolic_gemm g = {v[0], v[1], v[2], v[3], v[4], SC_IS};
        assert_int_equal(sc_systolic_evaluate(&c, &g, NULL), SC_EINVAL);
    }
    const sc_systolic_gemm huge = {1ull << 40, 1ull << 40, 1, 1, 1, SC_OS};
    assert_int_equal(sc_systolic_evaluate(&c, &huge, NULL), SC_ERANGE);
    assert_int_equal(c.cycles, 17);
}

static const char *write_file(const char *text)
{
    static const char name[] = "count_systolic_test.csv";
    assert_int_equal(sc_file_write(name, text, strlen(text)), SC_OK);
    return name;
}

static void csv_forms(void **state)
{
    char *out = NULL;
    /* any order, any case, other columns kept, quotes kept where needed */
    assert_int_equal(sc_systolic_csv(&out,
                                     write_file("name,Dataflow,c,r,k,n,m,cycles\n"
                                                "\"a,b\", WS ,4,4,4,4,4,99\n"),
                                     NULL),
                     SC_OK);
    assert_string_equal(out, "name,Dataflow,c,r,k,n,m,given_cycles,cycles\n"
                             "\"a,b\",\" WS \",4,4,4,4,4,99,14\n");
    sc_release(out);
    assert_int_equal(
        sc_systolic_csv(&out, write_file("4,4,4,4,4,os,x\r\n4,4,4,2,4,os,y\r\n"), NULL), SC_OK);
    assert_string_equal(out, "4,4,4,4,4,os,x,10\n4,4,4,2,4,os,y,16\n");
    sc_release(out);
}

static void csv_rejects(void **state)
{
    static const char *const wrong[][2] = {
        {"4,4,4,4\n", "no column C: rows are M,N,K,R,C,dataflow"},
        {"M,N,K,R,C\n4,4,4,4,4\n", "1:1: error: no column dataflow"},
        {"M,N,K,R,C,dataflow,m\n4,4,4,4,4,os,1\n", "1:20: error: a second column M"},
        {"4,4,4,4,4,xs\n", "1:11: error: dataflow 'xs'"},
        {"4,0,4,4,4,os\n", "1:3: error: N is 0"},
        {"4,4,4,4,4,os\n4,4,-4,4,4,os\n", "2:5: error: K is -4"},
        {"4,4,4,four,4,os\n", "1:7: error"},
        {"9223372036854775807,9,9,1,1,os\n", "1:1: error: more than 2^63 - 1"},
        {"99999999999999999999,9,9,1,1,os\n", "1:1: error"},
    };
    char *out = NULL;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(sc_systolic_csv(&out, write_file(wrong[i][0]), NULL), SC_EPARSE);
        assert_says("count_systolic_test.csv:");
        assert_says(wrong[i][1]);
        assert_null(out);
    }
    /* every wrong cell in one run */
    assert_int_equal(sc_systolic_csv(&out, write_file("4,0,4,4,4,os\n4,4,4,0,4,zs\n"), NULL),
                     SC_EPARSE);
    assert_says("1:3: ");
    assert_says("2:7: ");
    assert_says("2:11: ");
    assert_int_equal(sc_systolic_csv(&out, "no_such_file.csv", NULL), SC_ENOTFOUND);
}

static sc_status run_csv(void *payload)
{
    char *out = NULL;
    const sc_status st = sc_systolic_csv(&out, payload, NULL);
    sc_release(out);
    return st;
}

static void out_of_memory(void **state)
{
    char *good = strdup(write_file("M,N,K,R,C,dataflow\n4,4,4,4,4,os\n"));
    assert_true(fail_each_allocation(run_csv, good) > 2);
    free(good);
}

static int remove_file(void **state)
{
    (void)unlink("count_systolic_test.csv");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_9_gemm_4x4x4),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(cases_8_and_11_idle_lanes),
        cmocka_unit_test(against_simulation),
        cmocka_unit_test(simulator_rows),
        cmocka_unit_test(lookup_tables),
        cmocka_unit_test(batch_agrees),
        cmocka_unit_test(batch_rejects),
        cmocka_unit_test(rejects),
        cmocka_unit_test(csv_forms),
        cmocka_unit_test(csv_rejects),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
