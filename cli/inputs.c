#include "inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

const sc_cli_operand sc_cli_pair_operands[] = {SC_CLI_PAIR_OPERANDS, {.name = NULL}};

const char *const sc_cli_mapping_rules[] = {"search", "plain", NULL};
const char *const sc_cli_padding_rules[] = {"on", "off", NULL};
const char *const sc_cli_softmax_rules[] = {"best", "three", "two", NULL};
const char *const sc_cli_fusion_rules[] = {"off", "on", NULL};
const char *const sc_cli_attention_rules[] = {"apart", "cascade", NULL};
const char *const sc_cli_tiles_rules[] = {"off", "on", NULL};

sc_rules sc_cli_rules(const sc_cli_model_values *values, const sc_rules *rules)
{
    sc_rules r = *rules;
    if (values->mapping >= 0)
        r.mapping = (sc_mapping_rule)values->mapping;
    if (values->padding >= 0)
        r.padding = (sc_padding_rule)values->padding;
    if (values->softmax >= 0)
        r.softmax = (sc_softmax_rule)values->softmax;
    if (values->fusion >= 0)
        r.fusion = (sc_fusion_rule)values->fusion;
    if (values->attention >= 0)
        r.attention = (sc_attention_rule)values->attention;
    if (values->tiles >= 0)
        r.tiles = (sc_tiles_rule)values->tiles;
    return r;
}

sc_evaluate_options sc_cli_evaluate_options(const sc_cli *cli, const sc_cli_model_values *values)
{
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.threads = (int)cli->globals.threads.value;
    o.batch = values->batch.value;
    o.map_budget = values->map_budget.value;
    o.map_nodes = values->map_nodes.value;
    o.rules = sc_cli_rules(values, &o.rules);
    return o;
}

void sc_cli_say_idle_nodes(const sc_cli_model_values *values, const sc_design *design,
                           const sc_rules *rules)
{
    const char *why = values->map_nodes.given && values->map_nodes.value > 0
                          ? sc_map_nodes_idle(design, rules)
                          : NULL;
    if (why != NULL)
        sc_cli_warning("%s: --map-nodes has no effect %s", sc_design_spec(design), why);
}

const char *sc_cli_database(const sc_cli *cli)
{
    const char *path = cli->globals.db != NULL ? cli->globals.db : getenv("SCANTLE_DB");
    return path != NULL && *path != '\0' ? path : "scantle.db";
}

bool sc_cli_is_trial(const char *word)
{
    size_t n = strspn(word, "0123456789abcdef");
    return n >= 4 && n <= 32 && word[n] == '\0';
}

static sc_status design_of_trial(const sc_cli *cli, sc_design **design, const char *id)
{
    sc_store *store = NULL;
    sc_status st = sc_store_open(&store, sc_cli_database(cli), SC_STORE_READ);
    if (st == SC_OK)
        st = sc_study_design_open(design, store, id);
    sc_store_close(store);
    return st;
}

int sc_cli_open_design(const sc_cli *cli, sc_design **design, const char *word)
{
    const char *db = sc_cli_database(cli);
    sc_status st = sc_design_open(design, word);
    if (st == SC_ENOTFOUND && sc_cli_is_trial(word) && access(db, F_OK) == 0)
        st = design_of_trial(cli, design, word);
    else if (st == SC_ENOTFOUND && sc_cli_is_trial(word))
        sc_cli_error("no trial '%s': there is no database %s (--db names another)", word, db);
    return st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
}

int sc_cli_open_pair(const sc_cli *cli, sc_design **design, sc_workload **workload)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;

    /* both are tried, so that one run reports what is wrong with either */
    int bad_design = sc_cli_open_design(cli, &d, cli->operand[0]);
    sc_status st = sc_workload_open(&w, cli->operand[1]);
    int bad_workload = st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
    if (bad_design == SC_EXIT_OK && bad_workload == SC_EXIT_OK) {
        *design = d;
        *workload = w;
        return SC_EXIT_OK;
    }
    sc_design_destroy(d);
    sc_workload_destroy(w);
    return bad_design != SC_EXIT_OK ? bad_design : bad_workload;
}

int sc_cli_open_calibrated(const sc_cli *cli, sc_design **design, sc_workload **workload,
                           const char *calibration)
{
    int code = sc_cli_open_pair(cli, design, workload);
    if (code != SC_EXIT_OK || calibration == NULL)
        return code;
    sc_status st = sc_design_calibrate(*design, calibration);
    if (st == SC_OK)
        return SC_EXIT_OK;
    sc_design_destroy(*design);
    sc_workload_destroy(*workload);
    *design = NULL;
    *workload = NULL;
    return sc_cli_fail_input(st);
}

int sc_cli_open_database(const sc_cli *cli, sc_store **store, sc_store_mode mode)
{
    sc_status st = sc_store_open(store, sc_cli_database(cli), mode);
    return st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
}

int sc_cli_open_study(const sc_cli *cli, sc_study **study, const sc_cli_integer *trials)
{
    sc_study_overrides overrides = SC_STUDY_OVERRIDES_INIT;
    if (cli->globals.seed.given)
        overrides.seed = &cli->globals.seed.value;
    if (trials != NULL && trials->given)
        overrides.trials = &trials->value;
    sc_status st = sc_study_open(study, cli->operand[0], &overrides);
    return st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
}

static sc_status id_of_file(char id[33], const char *path)
{
    sc_study *study = NULL;
    const sc_study_overrides none = SC_STUDY_OVERRIDES_INIT;
    sc_status st = sc_study_open(&study, path, &none);
    if (st == SC_OK)
        sc_study_id(id, study);
    sc_study_close(study);
    return st;
}

int sc_cli_find_study(char id[33], sc_store *store, const char *word)
{
    struct stat info;
    bool file = stat(word, &info) == 0 && S_ISREG(info.st_mode);
    sc_status st = file ? id_of_file(id, word) : sc_store_study_find(id, store, word);
    return st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
}
