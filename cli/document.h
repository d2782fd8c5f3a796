#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H
/** Whole texts that a command makes itself, on standard output, in a file, or inside JSON. */
#include <stdio.h>

#include "options.h"

/**
 * Let put write a text, then send it to path (standard output if NULL); with --json as
 * `{"<key>": "<text>"}`. @return an exit code.
 */
int sc_cli_put_document(const sc_cli *cli, const char *path, const char *key,
                        void (*put)(FILE *out, const sc_cli *cli));
#endif
