#include "core/expr_code.h"
#include "core/mem.h"

/* The compiler counts what is pushed, so there is always something to pop. */
static inline double pop(double **sp)
{
    return *--*sp; // NOLINT(clang-analyzer-core.*)
}

double sc_expr_eval(const sc_expr *e, const double *values)
{
    double stack[SC_EXPR_STACK];
    double *sp = stack; /* the first free place below the top */
    double top = 0.0;
    const double *const source[] = {NULL, e->pool, values};
    const sc_instr *const code = e->code;
    for (const sc_instr *i = code, *end = code + e->n_code; i < end; i++) {
        if (i->op <= SC_OP_CEIL_DIV) {
            double right = top;
            if (i->from == SC_FROM_STACK)
                top = pop(&sp);
            else
                right = source[i->from][i->index];
            top = sc_apply_binary((sc_op_code)i->op, top, right);
            continue;
        }
        switch (i->op) {
        case SC_OP_PUSH:
            *sp++ = top;
            top = source[i->from][i->index];
            break;
        case SC_OP_JUMP: i = code + i->target - 1; break;
        case SC_OP_AND:
            if (isnan(top) || top == 0.0)
                i = code + i->target - 1;
            else
                top = pop(&sp);
            break;
        case SC_OP_OR:
            if (top == 0.0) {
                top = pop(&sp);
            } else {
                top = isnan(top) ? top : 1.0;
                i = code + i->target - 1;
            }
            break;
        case SC_OP_BRANCH:
            if (isnan(top)) {
                i = code + i->end - 1;
            } else {
                const bool taken = top != 0.0;
                top = pop(&sp);
                i = taken ? i : code + i->target - 1;
            }
            break;
        default: top = sc_apply_unary((sc_op_code)i->op, top); break;
        }
    }
    return isfinite(top) ? top : (double)NAN;
}

bool sc_expr_uses(const sc_expr *e, size_t i)
{
    return i < e->n_symbols && e->uses[i];
}

const char *sc_expr_text(const sc_expr *e)
{
    return e->text;
}

void sc_expr_destroy(sc_expr *e)
{
    if (!e)
        return;
    sc_free(e->text);
    sc_free(e->code);
    sc_free(e->pool);
    sc_free(e->uses);
    sc_free(e);
}
