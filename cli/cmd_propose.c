/** `scantle propose`: the best of many candidates by a surrogate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "surrogate.h"

typedef struct propose_values {
    const char *model, *csv, *output;
    sc_cli_integer top, differ;
    sc_cli_number feasible, caution;
    sc_cli_list constraints;
} propose_values;

/* ---- constraints ---- */

/* COLUMN<=X, COLUMN>=X or COLUMN=X; the column's name is cut off in place. */
static bool read_limit(sc_surrogate_limit *out, char *text)
{
    char *sign = strpbrk(text, "<>=");
    const char kind = sign != NULL ? *sign : '\0';
    char *rest = NULL;
    if (sign == NULL || sign == text || (kind != '=' && sign[1] != '='))
        return false;
    const char *number = sign + (kind == '=' ? 1 : 2);
    const double v = strtod(number, &rest);
    if (rest == number || *rest != '\0' || isnan(v))
        return false;
    *sign = '\0';
    *out = (sc_surrogate_limit){text, kind == '<' ? -HUGE_VAL : v, kind == '>' ? HUGE_VAL : v};
    return true;
}

static bool read_limits(sc_surrogate_limit *out, char **copy, const sc_cli_list *texts)
{
    bool ok = true;
    for (size_t i = 0; i < texts->n; i++) {
        copy[i] = strdup(texts->item[i]);
        if (copy[i] == NULL || !read_limit(&out[i], copy[i])) {
            sc_cli_error("--constraint: '%s' should be COLUMN<=X, COLUMN>=X or COLUMN=X",
                         texts->item[i]);
            ok = false;
        }
    }
    return ok;
}

/* ---- a run ---- */

static int propose(const sc_cli *cli, const sc_surrogate_limit *limits)
{
    const propose_values *v = cli->values;
    sc_propose_options o = SC_PROPOSE_OPTIONS_INIT;
    sc_surrogate *s = NULL;
    char *text = NULL;
    size_t n = 0;

    o.limits = limits;
    o.n_limits = v->constraints.n;
    o.threads = sc_cli_threads(cli);
    if (v->top.given)
        o.top = (size_t)v->top.value;
    if (v->differ.given)
        o.differ = (uint32_t)v->differ.value;
    if (v->feasible.given)
        o.feasible = v->feasible.value;
    if (v->caution.given)
        o.caution = v->caution.value;
    const char *wrong = sc_propose_options_check(&o);
    if (wrong != NULL) {
        sc_cli_error("%s (--top, --p-feasible, --caution, --diverse)", wrong);
        return SC_EXIT_USAGE;
    }
    sc_status st = sc_surrogate_open(&s, v->model);
    if (st == SC_OK)
        st = sc_surrogate_propose_table(&text, &n, s, v->csv, &o);
    sc_surrogate_destroy(s);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    const char *heading_end = strchr(text, '\n');
    const bool none = heading_end == NULL || heading_end[1] == '\0';
    const int code = sc_cli_put_csv(cli, text, v->output);
    if (none)
        sc_cli_note("no candidate keeps the constraints");
    return code == SC_EXIT_OK && none ? SC_EXIT_INFEASIBLE : code;
}

static int run(const sc_cli *cli)
{
    const propose_values *v = cli->values;
    const size_t n = v->constraints.n;
    int code = SC_EXIT_USAGE;

    if (v->model == NULL || v->csv == NULL) {
        sc_cli_error("propose needs --model MODEL and --csv CANDIDATES");
        return SC_EXIT_USAGE;
    }
    sc_surrogate_limit *limits = calloc(n + 1, sizeof *limits);
    char **copy = calloc(n + 1, sizeof *copy);
    if (limits == NULL || copy == NULL) {
        sc_cli_error("no memory for constraints");
        code = SC_EXIT_INTERNAL;
    } else if (read_limits(limits, copy, &v->constraints)) {
        code = propose(cli, limits);
    }
    for (size_t i = 0; copy != NULL && i < n; i++)
        free(copy[i]);
    free(copy);
    free(limits);
    return code;
}

#define AT(field) offsetof(propose_values, field)
static const sc_cli_option options[] = {
    {.name = "model",
     .kind = SC_CLI_FILE,
     .argument = "MODEL",
     .offset = AT(model),
     .help = "a surrogate that train wrote"},
    {.name = "csv",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(csv),
     .help = "candidates: a row each, with the columns learned from, in any order"},
    {.name = "top",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(top),
     .min = 1,
     .max = 1000000,
     .help = "so many proposals",
     .fallback = "10"},
    {.name = "constraint",
     .kind = SC_CLI_LIST,
     .argument = "BOUND",
     .offset = AT(constraints),
     .help = "COLUMN<=X, COLUMN>=X or COLUMN=X, of any column of the candidates; may be given "
             "again"},
    {.name = "diverse",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(differ),
     .min = 1,
     .max = 1024,
     .help = "any two proposals differ in at least N of the columns learned from",
     .fallback = "1"},
    {.name = "p-feasible",
     .kind = SC_CLI_QUANTITY,
     .argument = "P",
     .offset = AT(feasible),
     .help =
         "candidates that are feasible with at least this probability come first, by score; "
         "then the others, by that probability (default: the one from which on 98 % of the designs "
         "held out of the log were)"},
    {.name = "caution",
     .kind = SC_CLI_QUANTITY,
     .argument = "C",
     .offset = AT(caution),
     .help = "standard deviations between the members taken off a score",
     .fallback = "0"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write to FILE (default: standard output)"},
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle propose --model model --csv space.csv --top 20 --diverse 3",
     "Twenty designs worth a simulation."},
    {"scantle propose --model model --csv space.csv --constraint 'area_mm2<=100'",
     "The best within a bound."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_propose = {
    .name = "propose",
    .summary = "Propose the best of many designs without a simulation",
    .about = "CSV: the candidate's columns, best first, then those of predict. Scores are "
             "cautious: where the members differ, a candidate falls back.",
    .examples = examples,
    .options = options,
    .values_size = sizeof(propose_values),
    .run = run,
};
