#ifndef PLACEMENT_PBTEXT_H
#define PLACEMENT_PBTEXT_H
/**
 * Text-format protobuf without a schema, one field after the other, each with its place. Taken:
 * `name: value`, `name { ... }`, `name: < ... >`, lists in brackets, strings in both quotes with
 * the escapes of C, neighbouring strings as one, separators `,` and `;`, comments from `#`.
 * Reference: the text format language specification of Protocol Buffers. Differs: extension names
 * and Any expansions in brackets are refused.
 */
#include <stdbool.h>
#include <stdint.h>

#include "scantle/error.h"

typedef enum sc_pb_kind { SC_PB_END, SC_PB_VALUE, SC_PB_OPEN, SC_PB_CLOSE } sc_pb_kind;

enum { SC_PB_WORD = 64, SC_PB_DEPTH = 64 };

typedef struct sc_pb {
    const char *file; /* in messages */
    char *at;         /* next character of the text, which strings are unescaped in */
    const char *line_start;
    uint32_t line;
    int depth;
    char closer[SC_PB_DEPTH]; /* of each open message */
    bool in_list;             /* values of `name` go on up to the ] */
    /* the item that sc_pb_next() found */
    sc_pb_kind kind;
    char name[SC_PB_WORD]; /* of the field */
    const char *text;      /* a value as text: a string unescaped, in the text itself, or `word` */
    bool quoted;
    char word[SC_PB_WORD];
    uint32_t item_line, item_column; /* of the value, or of what opens or closes */
} sc_pb;

/** Begin at a NUL-ended text, which is changed while it is read and must outlive the values. */
void sc_pb_begin(sc_pb *p, const char *file, char *text);
/** Find the next item. @return SC_OK; SC_EPARSE with its place. Cost: O(bytes). */
sc_status sc_pb_next(sc_pb *p) SC_MUST_USE;
/** Pass over the rest of the message that was just opened. */
sc_status sc_pb_skip(sc_pb *p) SC_MUST_USE;
/** A value as a finite number. @return SC_OK; SC_EPARSE with its place. */
sc_status sc_pb_number(double *out, const sc_pb *p) SC_MUST_USE;
#endif
