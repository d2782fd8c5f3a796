#ifndef FLOW_TABLE_INNER_H
#define FLOW_TABLE_INNER_H
/** The inside of a recorded table, shared by the files table*.c only. */
#include "core/buf.h"
#include "core/expr.h"
#include "core/intern.h"
#include "core/rows.h"
#include "flow/table.h"

enum { SC_TABLE_EVALUATOR = 20 };

/** A parameter: one column, or several taken together. Its key in a row is the text of its cells,
 *  those of `within` first. */
typedef struct sc_table_axis {
    const char *name;
    size_t n_within, n_columns;
    const size_t *column; /* [n_within + n_columns] of the file */
    int kind;             /* an sc_space_kind, -1: by its cells */
    const sc_node *at;    /* while the study is read */
    sc_intern seen;       /* keys */
    uint32_t *index;      /* [seen.n] of each key among the values */
    uint32_t n_values;
    bool numbers, texts; /* whether a cell was one */
} sc_table_axis;

/** A column as a name of expressions. */
typedef struct sc_table_symbol {
    const char *name;
    size_t column;
    bool used, numbers;
    sc_intern labels; /* of a column of texts */
    uint32_t *rank;   /* [labels.n] of each label in the order of texts */
} sc_table_symbol;

/** A cell that says how a row ended. */
typedef struct sc_table_mark {
    size_t column;
    sc_store_state state;
    const char *text;
} sc_table_mark;

typedef struct sc_table_figure {
    const char *name, *text; /* text: the expression */
    const sc_node *at;       /* while the study is read */
    sc_expr *e;
} sc_table_figure;

/** What a row may be judged by. */
enum { SC_TABLE_FAILED, SC_TABLE_INFEASIBLE, SC_TABLE_VIOLATION, SC_TABLE_RULES };

typedef enum sc_table_missing {
    SC_MISSING_UNSAID,
    SC_MISSING_INFEASIBLE,
    SC_MISSING_FAILED,
    SC_MISSING_EXCLUDED
} sc_table_missing;

struct sc_table {
    const char *path;
    size_t n_axes, n_symbols, n_marks, n_figures, n_columns;
    const char **column; /* [n_columns] as the study calls them */
    sc_table_axis *axis;
    sc_table_symbol *symbol;
    sc_table_mark *mark;
    sc_table_figure *figure;
    sc_table_figure rule[SC_TABLE_RULES]; /* text NULL: not given */
    sc_table_missing missing;
    bool numbered; /* rows have numbers (JSON), not lines */
    /* rows */
    size_t n_rows, key_words;
    uint32_t *keys;    /* [n_rows][key_words] */
    double *values;    /* [n_rows][n_figures] */
    double *violation; /* [n_rows]; NULL without a rule */
    uint32_t *line;    /* [n_rows] */
    uint8_t *state;    /* [n_rows] sc_store_state */
    uint32_t *slot;    /* [slots] row + 1, 0 = free */
    size_t slots;
    double worst; /* the largest violation of a row, at least 1 */
    sc_hash128 hash;
    char evaluator[SC_TABLE_EVALUATOR];
};

/** The key of a point. key: [key_words]. */
void sc_table__pack(const sc_table *t, const uint32_t *origin, uint32_t *key);
/** Slot of a key: its row's or the free one where it belongs. */
size_t sc_table__slot(const sc_table *t, const uint32_t *key);

/** Both passes over the rows, and between them the space. Records what is wrong at a node. */
bool sc_table__load(sc_table *t, sc_study *s, sc_rows *r, const sc_node *at);

/** Note the key of this row among those seen. @return SC_OK; SC_EPARSE with the place; SC_ENOMEM.
 */
sc_status sc_table__see(sc_table_axis *a, sc_buf *scratch, const sc_rows *r) SC_MUST_USE;
/** Index of this row's value. @return SC_OK; SC_EPARSE if it was not seen; SC_ENOMEM. */
sc_status sc_table__index(uint32_t *out, const sc_table_axis *a, sc_buf *scratch,
                          const sc_rows *r) SC_MUST_USE;
/** When all keys were seen: the values they stand for, added to the space as a parameter. */
sc_status sc_table__add_axis(sc_space *space, sc_table_axis *a) SC_MUST_USE;
/** Texts in an order of their own: numbers by value and first, then by their bytes. */
int sc_table__compare(const char *a, const char *b);
#endif
