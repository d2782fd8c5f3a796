/* What costs of placements cost on one core: the whole, and moves tried one by one.
 * bench_placement NETLIST PLACEMENT: one line a measurement. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/rng.h"
#include "placement/cost.h"

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

static void bench_whole(sc_cost *cost)
{
    enum { RUNS = 1000 };
    const double begin = seconds();
    for (int i = 0; i < RUNS; i++)
        sc_cost_recount(cost);
    printf("%.3g ms a whole cost (%.6f)\n", 1e3 * (seconds() - begin) / RUNS,
           sc_cost_now(cost).proxy);
}

/* Random shifts by up to two cells of macros of one kind; a third is accepted. */
static void bench_moves(sc_cost *cost, const sc_netlist *list, const sc_canvas *canvas,
                        sc_block_kind kind)
{
    enum { RUNS = 200000 };
    sc_rng rng;
    int tried = 0;

    if (list->n_of_kind[kind] == 0)
        return;
    sc_rng_init(&rng, 1, 1, kind);
    const double begin = seconds();
    while (tried < RUNS) {
        const uint32_t block = (uint32_t)gsl_rng_uniform_int(&rng.gsl, list->n_blocks);
        if (list->block[block].kind != kind)
            continue;
        sc_move move = {block, sc_cost_spots(cost)[block]};
        move.spot.x_um +=
            (gsl_rng_uniform(&rng.gsl) - 0.5) * 4 * canvas->width_um / canvas->columns;
        move.spot.y_um += (gsl_rng_uniform(&rng.gsl) - 0.5) * 4 * canvas->height_um / canvas->rows;
        (void)sc_cost_try(cost, &move, 1);
        if (++tried % 3 == 0)
            sc_cost_accept(cost);
        else
            sc_cost_reject(cost);
    }
    printf("%.4g tries/s of a %s\n", RUNS / (seconds() - begin), sc_block_kind_names[kind]);
}

int main(int argc, char **argv)
{
    const sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_netlist *list = NULL;
    sc_placement *placement = NULL;
    sc_cost *cost = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: bench_placement NETLIST PLACEMENT\n");
        return 1;
    }
    const double begin = seconds();
    require(sc_netlist_open(&list, argv[1]));
    printf("%.3g s to read\n", seconds() - begin);
    require(sc_placement_open(&placement, list, argv[2]));
    require(sc_cost_create(&cost, list, &placement->canvas, placement->spot, &options));
    bench_whole(cost);
    bench_moves(cost, list, &placement->canvas, SC_BLOCK_HARD);
    bench_moves(cost, list, &placement->canvas, SC_BLOCK_SOFT);
    sc_cost_destroy(cost);
    sc_placement_destroy(placement);
    sc_netlist_destroy(list);
    return 0;
}
