#include "version.h"

#include <stdio.h>

#include "commit.h" /* generated at every build */
#include "message.h"
#include "scantle/evaluate.h"
#include "scantle/store.h"
#include "show.h"

int sc_cli_put_version(const sc_cli *cli)
{
    if (!cli->globals.json) {
        printf("scantle %s (commit %s)\nmodel %s\ndatabase schema %d\nlibraries %s\n",
               SC_CLI_VERSION, SC_CLI_COMMIT, sc_model_version(), sc_store_schema_version(),
               SC_CLI_LIBRARIES);
        return SC_EXIT_OK;
    }
    json_t *root = json_pack("{s:s, s:s, s:s, s:i, s:s}", "version", SC_CLI_VERSION, "commit",
                             SC_CLI_COMMIT, "model_version", sc_model_version(), "schema",
                             sc_store_schema_version(), "libraries", SC_CLI_LIBRARIES);
    int code = sc_cli_show_json(cli, root, NULL);
    json_decref(root);
    return code;
}
