#include "version.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "commit.h" /* generated at every build */
#include "message.h"
#include "scantle/evaluate.h"

int sc_cli_put_version(const sc_cli *cli)
{
    if (!cli->globals.json) {
        printf("scantle %s (commit %s)\nmodel %s\nlibraries %s\n", SC_CLI_VERSION, SC_CLI_COMMIT,
               sc_model_version(), SC_CLI_LIBRARIES);
        return SC_EXIT_OK;
    }
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s}", "version", SC_CLI_VERSION, "commit", SC_CLI_COMMIT,
                  "model_version", sc_model_version(), "libraries", SC_CLI_LIBRARIES);
    int failed = root == NULL || json_dumpf(root, stdout, JSON_INDENT(2)) != 0;
    json_decref(root);
    putchar('\n');
    return failed ? SC_EXIT_INTERNAL : SC_EXIT_OK;
}
