#ifndef CORE_EXPR_LEX_H
#define CORE_EXPR_LEX_H
/** Tokens of the expression language; shared by core/expr_*.c alone. */
#include <stddef.h>

#include "scantle/error.h"

typedef enum sc_token_kind {
    SC_TOKEN_END,
    SC_TOKEN_NUMBER,
    SC_TOKEN_NAME,
    SC_TOKEN_LABEL, /* start and length are those of the text inside the quotes */
    SC_TOKEN_PLUS,
    SC_TOKEN_MINUS,
    SC_TOKEN_STAR,
    SC_TOKEN_SLASH,
    SC_TOKEN_WHOLE, /* // */
    SC_TOKEN_PERCENT,
    SC_TOKEN_CARET,
    SC_TOKEN_LT,
    SC_TOKEN_LE,
    SC_TOKEN_GT,
    SC_TOKEN_GE,
    SC_TOKEN_EQ,
    SC_TOKEN_NE,
    SC_TOKEN_AND,
    SC_TOKEN_OR,
    SC_TOKEN_NOT,
    SC_TOKEN_QUESTION,
    SC_TOKEN_COLON,
    SC_TOKEN_OPEN,
    SC_TOKEN_CLOSE,
    SC_TOKEN_COMMA
} sc_token_kind;

typedef struct sc_token {
    sc_token_kind kind;
    size_t start, length; /* in bytes */
    double number;        /* of SC_TOKEN_NUMBER */
} sc_token;

/** The token at or after byte *at, which moves behind it.
 *  @return SC_OK; SC_EPARSE with out->start at the fault. */
sc_status sc_token_next(sc_token *out, const char *text, size_t *at) SC_MUST_USE;
#endif
