/* Annealing at other temperatures and from other starts: bench_anneal NETLIST PLACEMENT MOVES HOT
 * COLD SEEDS [given|spiral|analytic] prints the proxy cost of the start and of what each seed
 * reached, moves a second of processor time, and seconds of the start. HOT or COLD -: as the
 * program has it for that start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placement/anneal.h"
#include "placement/legalise.h"
#include "placement/start.h"

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

static void make_start(sc_placement *placement, sc_buf *why, const sc_netlist *list,
                       const char *name)
{
    double moved = 0;
    if (strcmp(name, "analytic") == 0) {
        require(sc_start_analytic(placement->spot, why, list, &placement->canvas, NULL));
        return;
    }
    if (strcmp(name, "spiral") == 0)
        require(sc_start_spiral(placement->spot, list, &placement->canvas));
    require(sc_legalise(placement->spot, &moved, why, list, &placement->canvas, NULL));
}

int main(int argc, char **argv)
{
    const sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_netlist *list = NULL;
    sc_placement *placement = NULL;
    sc_buf why;

    if (argc != 7 && argc != 8) {
        fprintf(stderr, "usage: bench_anneal NETLIST PLACEMENT MOVES HOT COLD SEEDS [START]\n");
        return 1;
    }
    const char *start = argc == 8 ? argv[7] : "given";
    sc_anneal_rule rule = strcmp(start, "given") == 0 ? sc_anneal_usual : sc_anneal_scratch;
    if (strcmp(argv[4], "-") != 0)
        rule.hot = strtod(argv[4], NULL);
    if (strcmp(argv[5], "-") != 0)
        rule.cold = strtod(argv[5], NULL);
    sc_buf_init(&why);
    require(sc_netlist_open(&list, argv[1]));
    require(sc_placement_open(&placement, list, argv[2]));
    sc_spot *spot = calloc(list->n_blocks, sizeof *spot);
    if (spot == NULL)
        return 1;
    const double begun = seconds();
    make_start(placement, &why, list, start);
    printf("start: %.3g s\n", seconds() - begun);
    run.moves = strtoull(argv[3], NULL, 10);
    run.seconds = 0;
    for (run.seed = 1; run.seed <= strtoull(argv[6], NULL, 10); run.seed++) {
        sc_place_outcome out;
        memcpy(spot, placement->spot, list->n_blocks * sizeof *spot);
        const double begin = seconds();
        require(sc_anneal(spot, &out, list, &placement->canvas, &options, &rule, &run));
        printf("%.4f (%.4f %.4f %.4f) -> %.4f (%.4f %.4f %.4f), %.3g of the moves accepted, %.3g "
               "moves/s\n",
               out.start.proxy, out.start.wirelength, out.start.density, out.start.congestion,
               out.best.proxy, out.best.wirelength, out.best.density, out.best.congestion,
               (double)out.accepted / (double)out.moves, (double)out.moves / (seconds() - begin));
    }
    free(spot);
    sc_buf_clear(&why);
    sc_placement_destroy(placement);
    sc_netlist_destroy(list);
    return 0;
}
