/** `scantle tell STUDY [RESULTS]`: results of an evaluator of the user's own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "scantle/study.h"
#include "show.h"

enum { MAX_RESULTS = 256 * 1024 * 1024 }; /* bytes; about a million results */

/* Copy a stream to its end. @return an exit code; *text is the caller's to free. */
static int copy_all(char **text, FILE *in, const char *name)
{
    char piece[1 << 16];
    size_t n = 0, total = 0;
    bool has_nul = false;
    FILE *out = open_memstream(text, &n);

    if (out == NULL) {
        sc_cli_error("out of memory");
        return SC_EXIT_INTERNAL;
    }
    for (size_t got; total <= MAX_RESULTS && (got = fread(piece, 1, sizeof piece, in)) > 0;) {
        has_nul = has_nul || memchr(piece, '\0', got) != NULL;
        total += fwrite(piece, 1, got, out);
    }
    if (fclose(out) != 0) {
        sc_cli_error("out of memory");
        return SC_EXIT_INTERNAL;
    }
    if (ferror(in))
        sc_cli_error("%s: cannot be read", name);
    else if (total > MAX_RESULTS)
        sc_cli_error("%s: more than %d MiB", name, MAX_RESULTS / (1024 * 1024));
    else if (has_nul)
        sc_cli_error("%s: a NUL byte is no part of JSON", name);
    else
        return SC_EXIT_OK;
    return SC_EXIT_USAGE;
}

static int read_results(char **text, const char *path)
{
    bool is_stdin = path == NULL || strcmp(path, "-") == 0;
    FILE *in = is_stdin ? stdin : fopen(path, "rb");

    if (in == NULL) {
        sc_cli_error("%s: %s", path, strerror(errno));
        return SC_EXIT_USAGE;
    }
    int code = copy_all(text, in, is_stdin ? "standard input" : path);
    if (!is_stdin)
        (void)fclose(in);
    return code;
}

static sc_status show_told(const json_t *root)
{
    printf("%" JSON_INTEGER_FORMAT " new results\n",
           json_integer_value(json_object_get(root, "told")));
    return SC_OK;
}

static int run(const sc_cli *cli)
{
    sc_study *study = NULL;
    sc_store *store = NULL;
    char *text = NULL;
    uint64_t told = 0;

    int code = sc_cli_open_study(cli, &study, NULL);
    if (code == SC_EXIT_OK)
        code = read_results(&text, cli->operand[1]);
    if (code == SC_EXIT_OK)
        code = sc_cli_open_database(cli, &store, SC_STORE_WRITE);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_study_tell(study, store, text, &told);
        json_t *root = json_pack("{s:I}", "told", (json_int_t)told);
        code = st == SC_OK ? sc_cli_show_json(cli, root, show_told) : sc_cli_fail_input(st);
        json_decref(root);
    }
    free(text);
    sc_store_close(store);
    sc_study_close(study);
    return code;
}

static const sc_cli_operand operands[] = {
    {.name = "STUDY", .kind = SC_CLI_OPERAND_FILE, .help = "the study's YAML file"},
    {.name = "RESULTS",
     .kind = SC_CLI_OPERAND_FILE,
     .optional = true,
     .help = "JSON file; standard input if it is - or left out"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle tell study.yaml results.json",
     "results.json: [{\"id\": \"...\", \"metrics\": {\"latency_s\": 0.012}}]"},
    {"echo '{\"id\": \"3f9a...\", \"infeasible\": \"does not route\"}' | scantle tell study.yaml",
     "One point that cannot be built; \"failed\" with a reason is for an evaluator that broke."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_tell = {
    .name = "tell",
    .summary = "Bring results of points that scantle ask gave out",
    .about = "All or nothing: one wrong result and none is taken. Telling the same again is fine.",
    .examples = examples,
    .operands = operands,
    .run = run,
};
