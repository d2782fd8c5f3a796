#include "inputs.h"

#include <stdlib.h>

#include "message.h"

const char *sc_cli_database(const sc_cli *cli)
{
    const char *path = cli->globals.db != NULL ? cli->globals.db : getenv("SCANTLE_DB");
    return path != NULL && *path != '\0' ? path : "scantle.db";
}

int sc_cli_open_pair(const sc_cli *cli, sc_design **design, sc_workload **workload)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    int bad_design = SC_EXIT_OK, bad_workload = SC_EXIT_OK;
    sc_status st = SC_OK;

    /* both are tried, so that one run reports what is wrong with either */
    if ((st = sc_design_open(&d, cli->operand[0])) != SC_OK)
        bad_design = sc_cli_fail_input(st);
    if ((st = sc_workload_open(&w, cli->operand[1])) != SC_OK)
        bad_workload = sc_cli_fail_input(st);
    if (bad_design == SC_EXIT_OK && bad_workload == SC_EXIT_OK) {
        *design = d;
        *workload = w;
        return SC_EXIT_OK;
    }
    sc_design_destroy(d);
    sc_workload_destroy(w);
    return bad_design != SC_EXIT_OK ? bad_design : bad_workload;
}
