#ifndef CORE_EXPR_H
#define CORE_EXPR_H
/**
 * Small expression language of templates, spaces and constraints: numbers (with 1e3 forms and
 * binary suffixes Ki Mi Gi Ti), + - * / % ^, comparisons, && || !, c ? a : b, min max (two or more
 * arguments), ceil floor round abs log2 log10 sqrt pow ceil_div, names, and 'label' compared by ==
 * or != with a name that has labels (a categorical parameter). No assignment, no loops. Nesting,
 * length and working stack are capped when compiling, so evaluation cannot fail or run long.
 * The full grammar and the meaning of every operator: docs/formats/expressions.md.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/yaml.h"
#include "scantle/error.h"

/** A name an expression may use; labels of a categorical one in index order, else NULL. */
typedef struct sc_symbol {
    const char *name;
    const char *const *labels;
    size_t n_labels;
} sc_symbol;

/** A compiled expression: immutable, shared by threads. */
typedef struct sc_expr sc_expr;

/**
 * Compile. Names are bound to positions in @p symbols, whose values sc_expr_eval takes.
 * @param symbols   [n_symbols], at most 65,535; not kept.
 * @param[out] at   on failure the 0-based byte of text where it went wrong; may be NULL.
 * @return SC_OK; SC_EPARSE (message says what and suggests a near name); SC_ENOMEM. *out is
 *         untouched on failure. Cost: O(length + names * symbols).
 */
sc_status sc_expr_compile(sc_expr **out, const char *text, const sc_symbol *symbols,
                          size_t n_symbols, size_t *at) SC_MUST_USE;

/** The same from a YAML scalar: a failure is recorded at the node's line and the very column.
 *  @return false after recording; silently false for NULL. */
bool sc_expr_from_node(sc_expr **out, const sc_node *node, const sc_symbol *symbols,
                       size_t n_symbols);
void sc_expr_destroy(sc_expr *e); /* NULL is fine */

/** Evaluate; comparisons give 1 or 0. NaN where the arithmetic has no finite value (log2 of 0, x/0,
 *  overflow), and where a part that was needed has none, conditions included: the caller reports
 *  it. Only the branch taken is evaluated. No allocation; safe from many threads.
 *  @param values  [n_symbols], a categorical one's index; may be NULL if there are no symbols.
 *  Cost: a few nanoseconds an operation. */
double sc_expr_eval(const sc_expr *e, const double *values);

/** Whether the compiled text uses symbol i. */
bool sc_expr_uses(const sc_expr *e, size_t i);
const char *sc_expr_text(const sc_expr *e);
#endif
