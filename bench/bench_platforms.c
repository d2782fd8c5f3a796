/* Published figures of real chips beside the model's. bench_platforms CONFIGS [LIST.yaml] */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "model/net/anchor.h"

typedef struct tally {
    size_t rows, within, aimed;
} tally;

static int show(const sc_anchor *a, tally *t)
{
    const sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    double modelled = 0;
    if (sc_anchor_measure(&modelled, a, &o) != SC_OK) {
        printf("%-28s %s\n", a->name, sc_error_message());
        return 1;
    }
    const double error = sc_anchor_error(a, modelled);
    const bool within = fabs(error) <= a->aim;
    t->rows++;
    t->aimed += a->aim > 0;
    t->within += a->aim > 0 && within;
    printf("%-28s %9.4g %9.4g %+7.1f%-3s %-9s", a->name, a->published, modelled, error,
           a->metric == SC_ANCHOR_AREA_SHARE ? "pt" : "%", a->tuned ? "tuned" : "held-out");
    if (a->aim > 0)
        printf(" %4.4g %-4s", a->aim, within ? "ok" : "MISS");
    else
        printf("          ");
    printf(" %s; %s\n", a->unit, a->source);
    return 0;
}

int main(int argc, char **argv)
{
    sc_anchors *list = NULL;
    tally tuned = {0, 0, 0}, held_out = {0, 0, 0};
    char *path = NULL;
    int failed = 0;

    if (argc < 2) {
        fprintf(stderr, "bench_platforms CONFIGS [LIST.yaml]\n");
        return 1;
    }
    path = argc > 2 ? sc_strdup(argv[2]) : sc_path_join(argv[1], "validation/silicon.yaml");
    if (!path || sc_data_dir_set(argv[1]) != SC_OK || sc_anchors_open(&list, path) != SC_OK) {
        fprintf(stderr, "%s\n", sc_error_message());
        sc_free(path);
        return 1;
    }
    printf("%-28s %9s %9s %10s %-9s %4s      unit; source\n", "anchor", "published", "modelled",
           "error", "use", "aim");
    for (size_t i = 0; i < sc_anchors_count(list); i++) {
        const sc_anchor *a = sc_anchors_get(list, i);
        failed |= show(a, a->tuned ? &tuned : &held_out);
    }
    printf("tuned to: %zu rows; held out: %zu rows, %zu of %zu with an aim within it\n", tuned.rows,
           held_out.rows, held_out.within, held_out.aimed);
    sc_anchors_close(list);
    sc_free(path);
    return failed;
}
