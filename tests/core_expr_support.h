#ifndef TESTS_CORE_EXPR_SUPPORT_H
#define TESTS_CORE_EXPR_SUPPORT_H
/** The names and values that the tests of expressions use. Included after cmocka.h. */
#include "core/expr.h"
#include "core_support.h"

static const char *const modes[] = {"private", "shared", "disabled"};
static const sc_symbol symbols[] = {{"pes_x", NULL, 0},
                                    {"pes_y", NULL, 0},
                                    {"mode", modes, 3},
                                    {"zero", NULL, 0},
                                    {"l2.size", NULL, 0}};
static const double values[] = {7, 11, 1, 0, 13.5};

static inline sc_expr *compile(const char *text)
{
    sc_expr *e = NULL;
    if (sc_expr_compile(&e, text, symbols, COUNT(symbols), NULL) != SC_OK)
        fail_msg("%s: %s", text, sc_error_message());
    return e;
}
#endif
