/** A placer from start to end: legalise, anneal, hand the best placement over. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/run.h"
#include "placement/anneal.h"
#include "placement/legal.h"
#include "placement/legalise.h"
#include "placement/start.h"

const char *sc_place_run_check(const sc_place_run *run)
{
    if (run->version != SC_PLACE_RUN_VERSION)
        return "place run: another version of the library";
    if (!isfinite(run->seconds) || run->seconds < 0)
        return "place run: seconds should be a number of at least 0";
    if ((int)run->start < SC_PLACE_GIVEN || run->start > SC_PLACE_ANALYTIC)
        return "place run: no such start";
    if (run->chains < 1 || run->chains > 4096)
        return "place run: 1 to 4096 chains are needed";
    if (run->threads < 0)
        return "place run: threads should be at least 0";
    if (run->moves == 0 && run->seconds == 0)
        return "place run: a budget of moves, of seconds or of both is needed";
    return NULL;
}

/* Rules that are broken all the same: by blocks that are fixed. */
static sc_status count_violations(uint64_t *n, const sc_netlist *list, const sc_canvas *canvas,
                                  const sc_place_rules *rules, const sc_spot *spot)
{
    sc_violation *violation = NULL;
    size_t found = 0;
    const sc_status st = sc_legal_check(&violation, &found, list, canvas, rules, spot);
    sc_free(violation);
    *n = found;
    return st;
}

/* A legal start, unless why says why there is none. */
static sc_status make_start(sc_spot *spot, double *moved_um, sc_buf *why, const sc_netlist *list,
                            const sc_canvas *canvas, const sc_place_rules *rules,
                            sc_place_start start)
{
    sc_status st = SC_OK;
    if (start == SC_PLACE_SPIRAL)
        st = sc_start_spiral(spot, list, canvas);
    if (start == SC_PLACE_ANALYTIC)
        return sc_start_analytic(spot, why, list, canvas, rules);
    return st != SC_OK ? st : sc_legalise(spot, moved_um, why, list, canvas, rules);
}

sc_status sc_place_anneal(sc_placement *placement, sc_place_outcome *out, char **why,
                          const sc_netlist *netlist, const sc_place_options *options,
                          const sc_place_run *run)
{
    const char *wrong = sc_place_run_check(run);
    if (wrong == NULL)
        wrong = sc_place_options_check(options);
    if (wrong != NULL)
        return sc_fail(SC_EINVAL, "%s", wrong);
    const size_t n = netlist->n_blocks;
    sc_spot *spot = sc_calloc(n, sizeof *spot);
    sc_place_outcome outcome = {0};
    double moved_um = 0;
    char *reason = NULL;
    sc_buf text;

    if (spot == NULL)
        return SC_ENOMEM;
    sc_buf_init(&text);
    memcpy(spot, placement->spot, n * sizeof *spot);
    const double began = sc_now();
    sc_status st =
        make_start(spot, &moved_um, &text, netlist, &placement->canvas, options->rules, run->start);
    const double start_s = sc_now() - began;
    const bool legal = text.length == 0;
    if (st == SC_OK && legal)
        st = sc_anneal(spot, &outcome, netlist, &placement->canvas, options,
                       run->start == SC_PLACE_GIVEN ? &sc_anneal_usual : &sc_anneal_scratch, run);
    if (st == SC_OK && legal)
        st = count_violations(&outcome.violations, netlist, &placement->canvas, options->rules,
                              spot);
    if (st == SC_OK && !legal)
        st = sc_buf_take(&text, &reason);
    if (st == SC_OK) {
        outcome.legalised_um = moved_um;
        outcome.seconds += start_s;
        if (legal)
            memcpy(placement->spot, spot, n * sizeof *spot);
        *out = outcome;
        *why = reason;
    }
    sc_buf_clear(&text);
    sc_free(spot);
    return st;
}
