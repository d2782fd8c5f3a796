#ifndef CORE_EXPR_CODE_H
#define CORE_EXPR_CODE_H
/**
 * The compiled form of an expression: postfix instructions on a stack whose top is kept apart.
 * Shared by core/expr_*.c alone.
 */
#include <math.h>
#include <stdint.h>

#include "core/expr.h"

enum { SC_EXPR_STACK = 64, SC_EXPR_CODE = 4096 };

/** Binary operations come first, up to SC_OP_CEIL_DIV: they find their right operand by `from`. */
typedef enum sc_op_code {
    SC_OP_ADD,
    SC_OP_SUB,
    SC_OP_MUL,
    SC_OP_DIV,
    SC_OP_MOD,
    SC_OP_POW,
    SC_OP_LT,
    SC_OP_LE,
    SC_OP_GT,
    SC_OP_GE,
    SC_OP_EQ,
    SC_OP_NE,
    SC_OP_MIN,
    SC_OP_MAX,
    SC_OP_CEIL_DIV,
    /* unary, on the top */
    SC_OP_NEG,
    SC_OP_NOT,
    SC_OP_TRUTH, /* 0 stays, all else becomes 1 */
    SC_OP_CEIL,
    SC_OP_FLOOR,
    SC_OP_ROUND,
    SC_OP_ABS,
    SC_OP_LOG2,
    SC_OP_LOG10,
    SC_OP_SQRT,
    /* flow */
    SC_OP_PUSH,
    SC_OP_JUMP,   /* to target */
    SC_OP_AND,    /* 0 or NaN on top: keep it and jump to target; else drop it */
    SC_OP_OR,     /* NaN on top: keep it, non-zero: make it 1, and jump; else drop it */
    SC_OP_BRANCH, /* NaN on top: keep it and jump to end; else drop it, and if 0 jump to target */
} sc_op_code;

/** Where an operand comes from. Most are a constant or a symbol: read in place, they save an
 *  instruction and two moves. */
typedef enum sc_operand_from { SC_FROM_STACK, SC_FROM_POOL, SC_FROM_VALUES } sc_operand_from;

typedef struct sc_instr {
    uint8_t op, from;
    union {
        uint16_t index;  /* of the operand in the pool or the values */
        uint16_t target; /* instruction to go on with */
    };
    uint16_t end; /* of a BRANCH */
} sc_instr;

struct sc_expr {
    char *text;
    sc_instr *code;
    double *pool; /* constants */
    bool *uses;   /* [n_symbols] */
    size_t n_code, n_pool, n_symbols;
};

/** Ceiling of a / b. For whole a, b below 2^53 the rounding of the quotient cannot hide a
 *  remainder: it differs from a whole number by at least 1/b, which is over half a unit in its last
 *  place. */
static inline double sc_ceil_div(double a, double b)
{
    return b == 0.0 ? (double)NAN : ceil(a / b);
}

/** One binary operation; NaN in, NaN out. The compiler folds constants by the same rules. */
static inline double sc_apply_binary(sc_op_code op, double a, double b)
{
    if (isunordered(a, b))
        return (double)NAN;
    switch (op) {
    case SC_OP_ADD: return a + b;
    case SC_OP_SUB: return a - b;
    case SC_OP_MUL: return a * b;
    case SC_OP_DIV: return b == 0.0 ? (double)NAN : a / b;
    case SC_OP_MOD: return fmod(a, b);
    case SC_OP_POW: return pow(a, b);
    case SC_OP_LT: return a < b;
    case SC_OP_LE: return a <= b;
    case SC_OP_GT: return a > b;
    case SC_OP_GE: return a >= b;
    case SC_OP_EQ: return a == b;
    case SC_OP_NE: return a != b;
    case SC_OP_MIN: return a < b ? a : b;
    case SC_OP_MAX: return a > b ? a : b;
    case SC_OP_CEIL_DIV: return sc_ceil_div(a, b);
    default: return (double)NAN;
    }
}

/** One unary operation; NaN in, NaN out. */
static inline double sc_apply_unary(sc_op_code op, double a)
{
    if (isnan(a))
        return a;
    switch (op) {
    case SC_OP_NEG: return -a;
    case SC_OP_NOT: return a == 0.0;
    case SC_OP_TRUTH: return a != 0.0;
    case SC_OP_CEIL: return ceil(a);
    case SC_OP_FLOOR: return floor(a);
    case SC_OP_ROUND: return round(a);
    case SC_OP_ABS: return fabs(a);
    case SC_OP_LOG2: return a > 0.0 ? log2(a) : (double)NAN;
    case SC_OP_LOG10: return a > 0.0 ? log10(a) : (double)NAN;
    case SC_OP_SQRT: return sqrt(a);
    default: return (double)NAN;
    }
}
#endif
