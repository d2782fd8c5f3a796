/** What the commands of macro placement share. */
#include "place.h"

#include <stdio.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"

const sc_cli_operand sc_cli_netlist_operands[] = {
    {.name = "NETLIST",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "text protobuf of Circuit Training, gzip too"},
    {.name = NULL}};

/* One side of a grid, 1 to 4096; 0 if the text is none. */
static uint32_t read_side(const char *text, size_t n)
{
    char digits[8] = "";
    uint64_t side = 0;
    if (n < sizeof digits)
        memcpy(digits, text, n);
    return sc_cli_whole(&side, digits) && side <= 4096 ? (uint32_t)side : 0;
}

bool sc_cli_grid(uint32_t *columns, uint32_t *rows, const char *option, const char *text)
{
    const size_t n = strcspn(text, "x");
    *columns = read_side(text, n);
    *rows = text[n] == 'x' ? read_side(text + n + 1, strlen(text + n + 1)) : 0;
    if (*columns > 0 && *rows > 0)
        return true;
    sc_cli_error("--%s: '%s' should be columns x rows, such as 32x28", option, text);
    return false;
}

bool sc_cli_cost_options(sc_place_options *out, const sc_cli_cost_values *v)
{
    if (v->wirelength.given)
        out->wirelength_weight = v->wirelength.value;
    if (v->density.given)
        out->density_weight = v->density.value;
    if (v->congestion.given)
        out->congestion_weight = v->congestion.value;
    return v->congestion_grid == NULL ||
           sc_cli_grid(&out->congestion_columns, &out->congestion_rows, "congestion-grid",
                       v->congestion_grid);
}

/* The parts of the best cost and how the moves fare, behind the usual line. */
static int show_progress(const sc_place_progress *now, void *payload)
{
    char more[112];
    (void)snprintf(
        more, sizeof more, "wirelength %.4f density %.4f congestion %.4f  %.0f %% accepted",
        now->best.wirelength, now->best.density, now->best.congestion, 100 * now->accepted);
    sc_cli_progress_show(payload, &now->run, sc_cli_moves, more);
    return sc_cli_interrupted();
}

sc_place_run sc_cli_place_run(const sc_cli *cli, const sc_cli_run_values *v,
                              sc_cli_progress *progress)
{
    sc_place_run run = SC_PLACE_RUN_INIT;

    if (cli->globals.seed.given)
        run.seed = cli->globals.seed.value;
    if (v->moves.given) {
        run.moves = v->moves.value;
        run.seconds = 0;
    }
    if (v->time.given)
        run.seconds = v->time.value;
    if (v->chains.given)
        run.chains = (uint32_t)v->chains.value;
    if (cli->globals.threads.given)
        run.threads = (int)cli->globals.threads.value;
    run.state = v->state;
    sc_cli_catch_interrupts();
    sc_cli_progress_begin(progress, &cli->globals);
    run.progress = show_progress;
    run.payload = progress;
    return run;
}

json_t *sc_cli_cost_json(const sc_place_cost *c)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "hpwl_um", c->hpwl_um, "wirelength_cost",
                     c->wirelength, "density_cost", c->density, "congestion_cost", c->congestion,
                     "proxy_cost", c->proxy);
}
