#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H
/** Members of `scantle import` that stand in files of their own. */
#include <jansson.h>

#include "options.h"

extern const sc_cli_command sc_cmd_import_timeloop, sc_cmd_import_scalesim;

/** One text and the file it belongs in; a NULL text is passed over. */
typedef struct sc_cli_part {
    const char *name, *text;
} sc_cli_part;

/** Write the parts into a folder, which is made if it is not there. @return an exit code. */
int sc_cli_write_parts(const char *folder, const sc_cli_part *parts, size_t n);

/** Print the sentences of a report under its key, and `more_assumptions`. */
void sc_cli_show_assumptions(const json_t *root);
#endif
