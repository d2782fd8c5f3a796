#include "search_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/csv.h"
#include "core/mem.h"
#include "search/pareto.h"

static const uint32_t cardinality[TABLE_PARAMS] = {200, 2, 96, 2};
static const bool categorical[TABLE_PARAMS] = {false, false, false, true};
const sc_problem search_table_problem = {.n_params = TABLE_PARAMS,
                                         .cardinality = cardinality,
                                         .categorical = categorical,
                                         .n_objectives = 2};

static size_t rank_of(const uint32_t *p)
{
    size_t rank = 0;
    for (size_t i = 0; i < TABLE_PARAMS; i++)
        rank = rank * cardinality[i] + p[i];
    return rank;
}

enum column { OPTION, IP, OP, B, ALM, DSP, BRAM, CYCLES, VALID, COLUMNS };
static const char *const names[COLUMNS] = {"x1873", "IP",    "OP",     "B",    "ALMs",
                                           "DSPs",  "BRAMs", "Cycles", "Valid"};

static sc_status read_row(search_table *t, const sc_csv *c, const size_t *column, size_t row)
{
    static const double available[] = {262400, 1963, 2567}; /* ALM, DSP, BRAM of the device */
    int64_t v[COLUMNS] = {0};
    uint32_t p[TABLE_PARAMS];
    sc_status st = SC_OK;

    for (int k = IP; k < VALID && st == SC_OK; k++)
        st = sc_csv_integer(&v[k], c, row, column[k]);
    if (st != SC_OK)
        return st;
    p[0] = (uint32_t)(v[B] / 96 - 1);
    p[1] = (uint32_t)(v[OP] - 1);
    p[2] = (uint32_t)(v[IP] - 1);
    p[3] = strcmp(sc_csv_cell(c, row, column[OPTION]), "true") == 0;
    for (size_t i = 0; i < TABLE_PARAMS; i++)
        if (p[i] >= cardinality[i])
            return sc_fail(SC_EPARSE, "row %zu is outside the grid", row);
    const size_t rank = rank_of(p);
    t->objectives[rank][0] = log10((double)v[CYCLES]);
    t->objectives[rank][1] = log10((double)v[ALM]);
    t->valid[rank] = strcmp(sc_csv_cell(c, row, column[VALID]), "true") == 0;
    t->excess[rank] = 0.01; /* some are invalid for another reason */
    for (int k = 0; k < 3; k++)
        t->excess[rank] += fmax((double)v[ALM + k] / available[k] - 1, 0);
    return SC_OK;
}

static sc_status measure_front(search_table *t)
{
    double(*valid)[2] = sc_calloc(TABLE_ROWS, sizeof *valid);
    size_t n = 0;
    if (!valid)
        return SC_ENOMEM;
    for (size_t i = 0; i < TABLE_ROWS; i++)
        if (t->valid[i])
            memcpy(valid[n++], t->objectives[i], sizeof *valid);
    for (int j = 0; j < 2; j++) {
        t->ref[j] = -HUGE_VAL;
        for (size_t i = 0; i < n; i++)
            t->ref[j] = fmax(t->ref[j], valid[i][j]);
    }
    const sc_status st = sc_hypervolume(&t->volume, *valid, n, 2, t->ref);
    sc_free(valid);
    return st;
}

sc_status search_table_read(search_table *t, const char *data)
{
    size_t column[COLUMNS];
    char path[4096];
    sc_csv *c = NULL;

    snprintf(path, sizeof path, "%s/search/fpga_blackscholes_exhaustive.csv.gz", data);
    sc_status st = sc_csv_open(&c, path);
    for (size_t k = 0; k < COLUMNS && st == SC_OK; k++) {
        column[k] = sc_csv_find(c, names[k]);
        if (column[k] == SIZE_MAX)
            st = sc_fail(SC_EPARSE, "%s: no column %s", path, names[k]);
    }
    if (st == SC_OK && sc_csv_rows(c) != TABLE_ROWS + 1)
        st = sc_fail(SC_EPARSE, "%s: not %d rows", path, TABLE_ROWS);
    for (size_t row = 1; row <= TABLE_ROWS && st == SC_OK; row++)
        st = read_row(t, c, column, row);
    sc_csv_close(c);
    return st == SC_OK ? measure_front(t) : st;
}

static sc_status one_step(sc_optimizer *o, sc_archive *a, const search_table *t, bool graded)
{
    uint32_t p[TABLE_PARAMS];
    size_t got = 0;
    sc_stop why;
    bool added;
    sc_status st = sc_optimizer_ask(o, 1, p, &got, &why);
    if (st != SC_OK || got == 0)
        return st;
    const size_t rank = rank_of(p);
    const sc_trial trial = {p, t->valid[rank] ? SC_TRIAL_FEASIBLE : SC_TRIAL_INFEASIBLE,
                            graded ? t->excess[rank] : 1, t->objectives[rank]};
    st = sc_optimizer_tell(o, &trial, 1);
    return st == SC_OK && t->valid[rank] ? sc_archive_add(a, t->objectives[rank], rank, &added)
                                         : st;
}

sc_status search_table_run(double *share, const search_table *t, const char *optimizer,
                           const sc_optimizer_options *options, uint64_t seed, bool graded,
                           const unsigned *evaluations, size_t n)
{
    sc_optimizer *o = NULL;
    sc_archive *a = NULL;
    unsigned done = 0;
    sc_status st = sc_optimizer_create(&o, optimizer, &search_table_problem, seed, options);

    if (st == SC_OK)
        st = sc_archive_create(&a, 2);
    for (size_t k = 0; k < n && st == SC_OK; k++) {
        double volume = 0;
        for (; done < evaluations[k] && st == SC_OK; done++)
            st = one_step(o, a, t, graded);
        if (st == SC_OK && sc_archive_count(a) > 0)
            st = sc_hypervolume(&volume, sc_archive_values(a, 0), sc_archive_count(a), 2, t->ref);
        share[k] = volume / t->volume;
    }
    sc_archive_destroy(a);
    sc_optimizer_destroy(o);
    return st;
}
