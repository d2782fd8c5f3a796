#ifndef WORKLOADS_ONNX_GRAPH_H
#define WORKLOADS_ONNX_GRAPH_H
/**
 * An ONNX graph being understood: one list of nodes in execution order, functions and constant
 * branches expanded, every tensor with its extents where they follow from the file and the options.
 *
 * onnx_walk.c makes the list and calls, node by node, the inference of the op (onnx_infer_*.c,
 * which also works out small constants, since shapes depend on them); onnx_lower_*.c then turns it
 * into an op graph.
 */
#include "core/buf.h"
#include "core/text.h"
#include "workloads/names.h"
#include "workloads/onnx_file.h"

enum {
    SC_ONNX_RANK = 12,            /* dimensions of a tensor */
    SC_ONNX_NODES = 1 << 17,      /* executed, functions expanded */
    SC_ONNX_REFERENCES = 1 << 22, /* names and attributes of all those nodes */
    SC_ONNX_NUMBERS = 1 << 23,    /* worked out in all */
    SC_ONNX_NESTED = 32,          /* functions and branches within each other */
    SC_ONNX_MESSAGES = 20,        /* errors or assumptions that are told one by one */
    SC_ONNX_OPTIONS = 32,         /* dimensions bound by the caller */
    SC_ONNX_NAME_LEN = 64         /* of a bound dimension, NUL included */
};

struct sc_onnx_node;

typedef struct sc_onnx_value {
    const char *name;
    int32_t index; /* in sc_onnx.values */
    int elem;      /* 0 = unknown */
    bool shaped;
    uint8_t rank;
    bool made;     /* something gives it */
    bool constant; /* does not depend on the graph's inputs */
    bool weight;   /* an initializer */
    bool broken;   /* made by a node with an error, which is told */
    bool input;    /* of the graph */
    bool output;   /* of the graph */
    int64_t dim[SC_ONNX_RANK];
    size_t n;                    /* of data */
    const sc_onnx_number *data;  /* of a small constant; NULL if not known */
    uint32_t bits;               /* precision where it was quantised before; 0 = that of elem */
    const sc_onnx_info *info;    /* what the file says of it; may be NULL */
    int32_t maker;               /* node of the list being sorted; -1 = none */
    struct sc_onnx_node *source; /* node that gives it; NULL for inputs and weights */
    uint32_t n_readers;
    struct sc_onnx_node *reader; /* the last one */
    /* while it is lowered */
    int32_t producer; /* of the op graph */
    bool lowered;
    bool direct;     /* the very result of its row, not a view of one */
    uint64_t repeat; /* times that each of its elements stands in it (an expanded tensor) */
} sc_onnx_value;

struct sc_onnx;
struct sc_onnx_op;

typedef struct sc_onnx_node {
    const sc_onnx_call *call;
    const struct sc_onnx_op *op;
    const struct sc_onnx_scope *scope;
    size_t n_in, n_out;
    sc_onnx_value **in, **out; /* NULL where left out */
    size_t n_captured;
    sc_onnx_value **captured; /* read by its subgraphs */
    bool folded;              /* lowered as part of an earlier one */
    bool gone;                /* part of a pattern that became one node */
} sc_onnx_node;

/** Names that nodes of one graph or function body see. */
typedef struct sc_onnx_scope {
    struct sc_onnx_scope *around;      /* open when this one was opened */
    const struct sc_onnx_scope *outer; /* of a subgraph; NULL for the graph and for functions */
    const sc_onnx_node *call;          /* of the function whose body this is; else NULL */
    sc_names names;                    /* to indices of sc_onnx.values */
} sc_onnx_scope;

/** What the caller may say. */
typedef struct sc_onnx_options {
    uint64_t batch; /* 0 = not given */
    uint64_t seq;
    uint32_t bits;
    bool refuse; /* ops that scantle does not know; else they are counted as movement */
    size_t n_dims;
    struct {
        char name[SC_ONNX_NAME_LEN];
        uint64_t size;
        bool used;
    } dim[SC_ONNX_OPTIONS];
} sc_onnx_options;

typedef struct sc_onnx {
    sc_arena *arena;
    sc_onnx_file file;
    sc_onnx_options options;
    bool batch_bound, seq_bound; /* these options went into a dimension of the file */
    sc_onnx_scope *scope;        /* the innermost one open */
    size_t n_scopes;             /* open */
    sc_onnx_value **values;
    size_t n_values, value_capacity;
    sc_onnx_node **nodes; /* executed, in order */
    size_t n_nodes, node_capacity;
    size_t n_met;                     /* nodes met, expanded ones too */
    uint64_t n_references, n_numbers; /* against the caps above */
    sc_names functions;               /* "name domain" to index */
    sc_buf errors, notes;             /* a line each */
    size_t n_errors, n_notes;
    bool no_memory;  /* for a list that an inference reads */
    bool fatal;      /* a failure that is no node's own: nothing more can be found */
    uint64_t stored; /* elements of initializers */
} sc_onnx;

/** Expand and infer: fills nodes and values from file and options, which the caller has set with
 * the arena. @return SC_OK; SC_EPARSE with every error, a line each; SC_ERANGE; SC_ENOMEM. */
sc_status sc_onnx_walk(sc_onnx *x) SC_MUST_USE;
/** Turn patterns of nodes that mean one op into that op (onnx_fuse.c). @return SC_OK; SC_ENOMEM. */
sc_status sc_onnx_fuse(sc_onnx *x) SC_MUST_USE;
/** Fill n_readers and reader of every value. */
void sc_onnx_count_readers(sc_onnx *x);
/** Free what is not in the arena. */
void sc_onnx_clear(sc_onnx *x);

/* ---- parts of the walk ---- */

/** Look at every node of a list once, its makers first. @return as sc_onnx_walk(). */
sc_status sc_onnx_sort(sc_onnx *x, sc_onnx_node *const *list, size_t n,
                       sc_status (*visit)(sc_onnx *x, sc_onnx_node *node)) SC_MUST_USE;
/** Make the inputs, weights and outputs of the file's graph known. */
sc_status sc_onnx_declare(sc_onnx *x, sc_onnx_scope *scope, const sc_onnx_graph *g,
                          bool whole) SC_MUST_USE;
/** Extents from what the file says of a value. @param told  note what is assumed. */
sc_status sc_onnx_adopt(sc_onnx *x, sc_onnx_value *v, bool told) SC_MUST_USE;
/** A value that no scope names. */
sc_status sc_onnx_new_value(sc_onnx *x, sc_onnx_value **out, const char *name) SC_MUST_USE;
/** Value of that name in this very scope, made if it is not there. */
sc_status sc_onnx_local(sc_onnx *x, sc_onnx_value **out, sc_onnx_scope *scope,
                        const char *name) SC_MUST_USE;
/** Value of that name as a node sees it; NULL if there is none. */
sc_onnx_value *sc_onnx_resolve(const sc_onnx *x, const sc_onnx_scope *scope, const char *name);

/** Tell an assumption; those after the first SC_ONNX_MESSAGES are only counted. */
void sc_onnx_note(sc_onnx *x, const char *fmt, ...) SC_PRINTF(2, 3);
/** An error of a node: recorded with its name, and SC_EPARSE. */
sc_status sc_onnx_fail(sc_onnx *x, const sc_onnx_node *n, const char *fmt, ...) SC_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* as sc_fail: tell it what is returned */
void sc_onnx_fail_says(sc_onnx *x, const sc_onnx_node *n, const char *fmt, ...) SC_PRINTF(3, 4);
#define sc_onnx_fail(...) (sc_onnx_fail_says(__VA_ARGS__), SC_EPARSE)
#endif
/** What the error that begins at an offset of x->errors says, without the file's name. */
const char *sc_onnx_told(const sc_onnx *x, size_t offset);
enum { SC_ONNX_SHOWN_LEN = 2 * SC_SHOWN_LEN + 16 };
/** "node 'conv1' (Conv)". @return out. */
const char *sc_onnx_show(char out[SC_ONNX_SHOWN_LEN], const sc_onnx_node *n);

/* ---- what an inference reads ---- */

/** i-th input; NULL if it is left out. */
sc_onnx_value *sc_onnx_in(const sc_onnx_node *n, size_t i);
/** Attribute, looked up in the call of a function where the body says so; NULL if not given. */
const sc_onnx_attribute *sc_onnx_get(const sc_onnx_node *n, const char *name);
int64_t sc_onnx_int(const sc_onnx_node *n, const char *name, int64_t fallback);
const char *sc_onnx_text(const sc_onnx_node *n, const char *name, const char *fallback);
/** List of integers; *count 0 and NULL if not given. */
const int64_t *sc_onnx_ints(const sc_onnx_node *n, const char *name, size_t *count);
/** An axis counted from the front. @return SC_OK; SC_EPARSE if it is outside the rank. */
sc_status sc_onnx_axis(sc_onnx *x, const sc_onnx_node *n, int64_t *axis, size_t rank) SC_MUST_USE;
/** Elements of a shaped value; 0 if they pass 2^63 - 1 too, which inference refuses. */
uint64_t sc_onnx_count(const sc_onnx_value *v);
/** Product of extents [from, to). */
uint64_t sc_onnx_span(const sc_onnx_value *v, size_t from, size_t to);

/** Account for numbers that an inference copies. @return false over SC_ONNX_NUMBERS. */
bool sc_onnx_afford(sc_onnx *x, size_t numbers);

/* ---- what an inference writes ---- */

/** Set extents. @return SC_OK; SC_EPARSE for a negative one, a rank over SC_ONNX_RANK, or more than
 *  2^63 - 1 elements. */
sc_status sc_onnx_shape(sc_onnx *x, const sc_onnx_node *n, size_t out, size_t rank,
                        const int64_t *dim) SC_MUST_USE;
/** Numbers for a shaped output; NULL on out of memory or over SC_ONNX_NUMBERS, which is an error of
 * the walk\'s own: the caller returns SC_ENOMEM in either case. */
sc_onnx_number *sc_onnx_data(sc_onnx *x, sc_onnx_value *v, size_t n);

/** Inference: shapes, element types and small constants of the outputs. Inputs are shaped. */
typedef sc_status (*sc_onnx_infer_fn)(sc_onnx *x, sc_onnx_node *n);

struct sc_lower;
typedef sc_status (*sc_onnx_lower_fn)(struct sc_lower *l, sc_onnx_node *n);

/** What is known of an op. */
typedef struct sc_onnx_op {
    const char *name;
    sc_onnx_infer_fn infer;
    sc_onnx_lower_fn lower;
    const char *function; /* of the row it becomes; or NULL */
    enum sc_onnx_traits {
        SC_ONNX_MACS = 1,      /* it multiplies: without a shape there is no count */
        SC_ONNX_LAZY = 2,      /* infer copes with inputs of unknown shape */
        SC_ONNX_PER_DOMAIN = 4 /* known in another domain than the standard one too */
    } traits;
} sc_onnx_op;

/** Look an op up. @return NULL if it is not known. */
const sc_onnx_op *sc_onnx_find_op(const char *domain, const char *name);
/** Op of a domain of its own that multiplies in a way that is not counted. */
bool sc_onnx_is_opaque(const char *name);
#endif
