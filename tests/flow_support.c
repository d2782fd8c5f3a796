/* cmocka wants these four first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flow_support.h"
#include "scantle/design.h"

enum { PATH_BYTES = 512, RING = 8 };

int flow_set_up(void **state)
{
    char *folder = strdup("flow-test-XXXXXX");
    if (!folder || !mkdtemp(folder))
        return -1;
    *state = folder;
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int flow_tear_down(void **state)
{
    DIR *d = opendir(*state);
    for (struct dirent *e; d && (e = readdir(d));)
        (void)unlink(flow_path(state, e->d_name));
    if (d)
        (void)closedir(d);
    const int gone = rmdir(*state);
    free(*state);
    return gone;
}

const char *flow_path(void **state, const char *name)
{
    static char ring[RING][PATH_BYTES];
    static int next;
    char *out = ring[next++ % RING];
    (void)snprintf(out, PATH_BYTES, "%s/%s", (const char *)*state, name);
    return out;
}

static const char *write_study(const char *path, const char *head, const char *more)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(head, f) >= 0 && fputs(more, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

const char *flow_model_study(void **state, const char *more)
{
    return write_study(flow_path(state, "study.yaml"),
                       "version: 1\n"
                       "name: small\n"
                       "template: fast\n"
                       "space: {restrict: {pes_x: [1, 2, 4], pes_y: [1, 2], systolic_x: [4, 8, 16],"
                       " systolic_y: [4, 8, 16], l2_mode: disabled, native_batch: [1, 4]}}\n"
                       "networks: ['" SCANTLE_SOURCE_DIR "/configs/networks/example.yaml']\n"
                       "map_budget: 60\n"
                       "batch: 16\n"
                       "seed: 5\n",
                       more);
}

const char *flow_external_study(void **state, const char *more)
{
    return write_study(flow_path(state, "external.yaml"),
                       "version: 1\n"
                       "name: outside\n"
                       "space:\n"
                       "  parameters:\n"
                       "    - {name: x, kind: int, min: 1, max: 64}\n"
                       "    - {name: mode, kind: categorical, values: [a, b]}\n"
                       "objectives: [{metric: cost, goal: min}]\n"
                       "limits: {weight: {max: 100}}\n"
                       "seed: 3\n",
                       more);
}

sc_study_outcome flow_run(const char *study, const char *db, int threads, uint64_t trials)
{
    sc_study *s = NULL;
    sc_store *store = NULL;
    sc_study_overrides over = SC_STUDY_OVERRIDES_INIT;
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    sc_study_outcome outcome = {0};
    over.trials = trials ? &trials : NULL;
    o.threads = threads;
    if (sc_study_open(&s, study, &over) != SC_OK ||
        sc_store_open(&store, db, SC_STORE_CREATE) != SC_OK ||
        sc_study_run(s, store, &o, &outcome) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_store_close(store);
    sc_study_close(s);
    return outcome;
}

char *flow_export(const char *study, const char *db)
{
    sc_study *s = NULL;
    sc_store *store = NULL;
    char id[33], *text = NULL;
    if (sc_study_open(&s, study, NULL) != SC_OK ||
        sc_store_open(&store, db, SC_STORE_READ) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_study_id(id, s);
    if (sc_store_export_text(&text, store, id, SC_STORE_CSV) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_store_close(store);
    sc_study_close(s);
    return text;
}
