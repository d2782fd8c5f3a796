#ifndef MODEL_ARCH_FORMULA_H
#define MODEL_ARCH_FORMULA_H
/**
 * Numbers of a template that depend on its parameters. A formula is an expression over constants,
 * parameters and `let` names; since a parameter has few values, one that looks at few parameters is
 * tabulated when the template is loaded, and a point costs a look-up instead of an evaluation.
 */
#include "core/expr.h"
#include "core/mem.h"
#include "model/arch/constant.h"
#include "model/arch/template.h"

enum {
    SC_TEMPLATE_PARAMS = 64, /* one bit each in a word */
    SC_MAX_LETS = 64,
    SC_MAX_SYMBOLS = 2 * SC_MAX_CONSTANTS + SC_TEMPLATE_PARAMS + SC_MAX_LETS,
    SC_MAX_FORMULAS = 512,
    SC_FORMULA_DEPS = 6,     /* parameters a tabulated formula may depend on */
    SC_FORMULA_TABLE = 4096, /* values a tabulated formula may have */
    SC_TABLE_WORK = 1 << 24  /* bytes of expression text evaluated for all tables of a template */
};

typedef struct sc_formula {
    const sc_expr *expr; /* NULL: the number */
    double number;
    const double *table; /* [product of the counts of dep]; NULL: evaluate */
    uint8_t n_deps;
    uint8_t dep[SC_FORMULA_DEPS]; /* parameter indices */
    uint32_t stride[SC_FORMULA_DEPS];
    const char *file; /* where it stands, for messages about its value */
    int line, column;
} sc_formula;

/** The names a template's expressions may use: constants, then parameters, then lets, each able to
 *  use those before it. Lives in the template; immutable once read. */
typedef struct sc_scope {
    sc_arena *arena;  /* borrowed */
    const char *file; /* of the document being read */
    size_t n_symbols, first_param, n_params, n_lets;
    sc_symbol symbol[SC_MAX_SYMBOLS];
    const char *kind[SC_MAX_SYMBOLS]; /* "constant", "parameter", "let" */
    double value[SC_MAX_SYMBOLS];     /* constants only */
    sc_param param[SC_TEMPLATE_PARAMS];
    sc_formula let[SC_MAX_LETS];
    sc_expr *expr[SC_MAX_FORMULAS]; /* owns every formula's expression */
    size_t n_exprs;
    size_t table_work; /* of SC_TABLE_WORK, spent: a file cannot make its loading long */
} sc_scope;

/** One point of the space while its formulas are asked; values are filled in when first needed. */
typedef struct sc_point {
    const sc_scope *scope;
    const uint32_t *index; /* [n_params] */
    bool filled;
    double value[SC_MAX_SYMBOLS];
} sc_point;

/** Add a name of a kind ("constant", "parameter", "let"); labels for a categorical parameter, else
 *  NULL and 0. @return its index, or SC_MAX_SYMBOLS after recording (not a name, twice, reserved,
 *  too many). */
size_t sc_scope__add(sc_scope *s, const sc_node *at, const char *kind, const char *name,
                     const char *const *labels, size_t n_labels);
void sc_scope__clear(sc_scope *s); /* frees the expressions */

/** Compile a node over the names known so far. A text that is a quantity of the unit ("16 MiB") is
 *  that number; unit SC_UNIT_NONE: expressions only. @return false after recording. */
bool sc_formula__read(sc_formula *out, sc_scope *s, const sc_node *at, sc_unit unit);
/** A formula that is a number. */
sc_formula sc_formula__number(double value);
/** Read the `let:` map, in its order. */
void sc_scope__read_lets(sc_scope *s, const sc_node *map);

/** Tabulate if it depends on few enough parameters and the template's work is not spent; otherwise
 *  it stays an expression. @return SC_OK; SC_ENOMEM. */
sc_status sc_formula__tabulate(sc_formula *f, sc_scope *s) SC_MUST_USE;

/** Value at a point; NaN where it has none. No allocation. */
double sc_formula__value(const sc_formula *f, sc_point *p);

/** Record SC_ERANGE: the formula's place and text, its value there and what was needed. */
sc_status sc_formula__fail(const sc_formula *f, double value, const char *needed);
#endif
