#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/rng.h"
#include "store_support.h"

int support_folder(void **state)
{
    /* In memory where there is such a folder: hundreds of commits would wait for the disk, and what
     * a flush is worth is tested by counting them. */
    const char *base = getenv("TMPDIR");
    char *folder = malloc(512);
    if (!folder)
        return -1;
    if (!base)
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, 512, "%s/scantle_store_XXXXXX", base);
    *state = mkdtemp(folder);
    return *state ? 0 : -1;
}

int support_remove_folder(void **state)
{
    char command[640];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    const int rc = system(command);
    free(*state);
    return rc;
}

const char *support_old_path(void **state, const char *name)
{
    static char path[8][640];
    static unsigned turn;
    turn = (turn + 1) % 8;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", (const char *)*state, name);
    return path[turn];
}

const char *support_path(void **state, const char *name)
{
    static const char *const suffix[] = {"", "-wal", "-shm", "-journal"};
    char beside[700];
    const char *path = support_old_path(state, name);
    for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
        (void)snprintf(beside, sizeof beside, "%s%s", path, suffix[i]);
        (void)unlink(beside);
    }
    return path;
}

sc_store_study support_study(sc_store_keep keep)
{
    static const char *const parameters[] = {"pes", "kind"};
    static const sc_store_value values[] = {
        {"perf", SC_GOAL_MAX}, {"energy_j", SC_GOAL_MIN}, {"area_mm2", SC_GOAL_NONE}};
    return (sc_store_study){.name = "alpha",
                            .config = "version: 1\n",
                            .config_hash = {0x0123456789abcdefU, 42},
                            .seed = 7,
                            .model_version = "model-1",
                            .keep = keep,
                            .parameters = parameters,
                            .n_parameters = 2,
                            .values = values,
                            .n_values = SUPPORT_VALUES};
}

const sc_store_trial *support_trial(uint64_t i)
{
    static char parameters[64];
    static double values[SUPPORT_VALUES];
    static sc_store_trial t;
    sc_rng rng;

    sc_rng_init(&rng, 1, 77, i);
    (void)snprintf(parameters, sizeof parameters, "pes=%" PRIu64 ",kind='a, b'", i * 3 + 1);
    /* Coarse values, so that vectors repeat and the front has ties to break. */
    values[0] = (double)gsl_rng_uniform_int(&rng.gsl, 40);
    values[1] = (double)gsl_rng_uniform_int(&rng.gsl, 40) / 8;
    values[2] = gsl_rng_uniform(&rng.gsl);
    t = (sc_store_trial){.index = i,
                         .point = sc_hash128_of(&i, sizeof i),
                         .parameters = parameters,
                         .values = values,
                         .n_values = SUPPORT_VALUES,
                         .evaluator = "model",
                         .model_version = "model-1"};
    if (i % 5 == 1) {
        t.state = SC_STATE_INFEASIBLE;
        t.violation = 0.25 * (double)i;
        t.reasons = "[{\"code\":\"area\",\"where\":\"L2\",\"excess\":12.5}]";
        values[1] = NAN;
    } else if (i % 11 == 3) {
        t.state = SC_STATE_FAILED;
        t.violation = NAN;
        values[0] = INFINITY;
        values[1] = -INFINITY;
        values[2] = NAN;
    }
    return &t;
}

const sc_store_result *support_result(uint64_t i)
{
    static sc_store_metric metrics[2];
    static sc_store_result r;
    metrics[0] = (sc_store_metric){"latency_s", 1e-3 * (double)i};
    metrics[1] = (sc_store_metric){"energy_j", 0.1 * (double)i};
    r = (sc_store_result){.design = {i, i + 1},
                          .workload = {3, 5},
                          .model_version = "model-1",
                          .options = "batch=1",
                          .evaluator = "model",
                          .metrics = metrics,
                          .n_metrics = 2};
    return &r;
}

sc_store *support_open(const char *path, sc_store_mode mode)
{
    sc_store *s = NULL;
    if (sc_store_open(&s, path, mode) != SC_OK)
        fail_msg("%s", sc_error_message());
    return s;
}

sc_store_writer *support_writer(sc_store *s, sc_store_keep keep)
{
    const sc_store_study study = support_study(keep);
    sc_store_writer *w = NULL;
    if (sc_store_writer_open(&w, s, &study) != SC_OK)
        fail_msg("%s", sc_error_message());
    return w;
}

void support_tell(sc_store *s, sc_store_writer *w, uint64_t first, uint64_t end)
{
    assert_ok(sc_store_begin(s));
    for (uint64_t i = first; i < end; i++) {
        assert_ok(sc_store_put_result(s, support_result(i)));
        assert_ok(sc_store_put_trial(w, support_trial(i)));
    }
    assert_ok(sc_store_put_checkpoint(w, &end, sizeof end));
    assert_ok(sc_store_commit(s));
}

char *support_export(sc_store *s, sc_store_format format)
{
    char *text = NULL;
    if (sc_store_export_text(&text, s, "alpha", format) != SC_OK)
        fail_msg("%s", sc_error_message());
    return text;
}

void support_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

uint64_t support_faults(sc_store *s)
{
    sc_store_check check = {0};
    const sc_status st = sc_store_verify(s, NULL, NULL, &check);
    assert_true(st == (check.faults ? SC_ESTORE : SC_OK));
    return check.faults;
}
