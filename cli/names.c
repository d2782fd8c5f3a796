#include "names.h"

#include "show.h"

static sc_status show_names(const json_t *rows)
{
    static const sc_cli_field fields[] = {{"name", "name", SC_CLI_AS_TEXT},
                                          {"about", "about", SC_CLI_AS_TEXT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    return sc_cli_show_rows(rows, fields);
}

int sc_cli_list_names(const sc_cli *cli, const char *(*name)(size_t i),
                      const char *(*about)(size_t i))
{
    json_t *rows = json_array();
    for (size_t i = 0; rows != NULL && name(i) != NULL; i++) {
        json_t *row = json_pack("{s:s, s:s}", "name", name(i), "about", about(i));
        if (json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    }
    int code = sc_cli_show_json(cli, rows, show_names);
    json_decref(rows);
    return code;
}
