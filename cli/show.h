#ifndef CLI_SHOW_H
#define CLI_SHOW_H
/**
 * JSON documents of the library as tables for people. A command names the keys it shows and how;
 * with --json the document goes out as it is, so both forms say the same.
 */
#include <jansson.h>

#include "options.h"
#include "table.h"

typedef enum sc_cli_form {
    SC_CLI_AS_TEXT,
    SC_CLI_AS_COUNT,   /* every digit, in groups of three */
    SC_CLI_AS_NUMBER,  /* four significant digits */
    SC_CLI_AS_PERCENT, /* a share of 1 */
    SC_CLI_AS_BYTES,
    SC_CLI_AS_SECONDS,
    SC_CLI_AS_JOULE,
    SC_CLI_AS_WATT,
    SC_CLI_AS_MM2,
    SC_CLI_AS_HZ,
    SC_CLI_AS_RATE /* a second */
} sc_cli_form;

/** One key of an object; tables of fields end with a NULL key. A key with dots goes inwards. */
typedef struct sc_cli_field {
    const char *key, *heading;
    sc_cli_form form;
} sc_cli_field;

/** Write one value as text; null, or an absent one, is "-". out: size bytes, cut if too long. */
void sc_cli_format(char *out, size_t size, const json_t *value, sc_cli_form form);
const json_t *sc_cli_find(const json_t *object, const char *key);

/** The next cell of a table. */
void sc_cli_show_cell(sc_cli_table *table, const json_t *value, sc_cli_form form);
/** An array of objects as a table; fields that no row has are left out. */
sc_status sc_cli_show_rows(const json_t *rows, const sc_cli_field *fields) SC_MUST_USE;
/** An object as one line a field; absent ones are left out. */
void sc_cli_show_fields(const json_t *object, const sc_cli_field *fields);
/** An object as a table of two columns, its keys under heading; nothing for an empty one. */
sc_status sc_cli_show_map(const json_t *object, const char *heading, sc_cli_form form) SC_MUST_USE;
/** Write a number in as many digits as reading it back needs, other values as text. */
void sc_cli_format_exact(char *out, size_t size, const json_t *value);
/** Write a parameter's value in every digit, in its unit: the symbol of a base unit, a JSON string,
 *  or NULL for a plain number. */
void sc_cli_format_parameter(char *out, size_t size, const json_t *value, const json_t *unit);
/** Parameters as a table, each in its unit; units: by parameter, those that have one, or NULL. */
sc_status sc_cli_show_parameters(const json_t *params, const json_t *units) SC_MUST_USE;
/** An empty line and a bold heading, above a further table. */
void sc_cli_show_heading(const char *heading);

/** Prints a document for people. */
typedef sc_status (*sc_cli_show_fn)(const json_t *root);

/** Print a document that the library handed over, and release it: as it is with --json, else
 *  through show. @return an exit code. */
int sc_cli_show(const sc_cli *cli, char *document, sc_cli_show_fn show);
/** The same for a document of ours, which stays the caller's; NULL = out of memory. show may be
 * NULL where --json is known to be given. */
int sc_cli_show_json(const sc_cli *cli, const json_t *root, sc_cli_show_fn show);
#endif
