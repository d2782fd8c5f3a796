#include <string.h>

#include "core/expr_code.h"
#include "core/expr_lex.h"
#include "core/mem.h"
#include "core/text.h"

enum { MAX_TEXT = 16 << 10, MAX_DEPTH = 64, MAX_SYMBOLS = UINT16_MAX };

/* What a part of the text stands for. Labels and the names they are compared with are no numbers:
 * only == and != take them. */
typedef enum part_kind { PART_NUMBER, PART_CATEGORY, PART_LABEL } part_kind;

typedef struct part {
    part_kind kind;
    size_t symbol; /* of a category */
    size_t start, length;
    size_t code; /* its first instruction; a label has none */
} part;

typedef struct parser {
    const char *text;
    const sc_symbol *symbols;
    size_t n_symbols;
    sc_expr *e;
    size_t code_capacity, pool_capacity;
    sc_token token; /* the one to be looked at */
    size_t next;    /* byte behind it */
    size_t fault;   /* where the failure is */
    sc_status status;
    int depth; /* of recursion */
    int held;  /* values on the stack when the code so far has run */
} parser;

#define FAIL(p, at, ...) ((p)->fault = (at), (p)->status = sc_fail(SC_EPARSE, __VA_ARGS__), false)

static bool expression(parser *p, part *out);

static bool advance(parser *p)
{
    p->status = sc_token_next(&p->token, p->text, &p->next);
    p->fault = p->token.start;
    return p->status == SC_OK;
}

static const char *shown_span(char out[SC_SHOWN_LEN], const char *text, size_t length)
{
    char span[SC_SHOWN_LEN + 1];
    const size_t n = length < SC_SHOWN_LEN ? length : SC_SHOWN_LEN;
    memcpy(span, text, n);
    span[n] = '\0';
    return sc_text_show(out, span);
}

static bool emit(parser *p, sc_instr i)
{
    sc_expr *e = p->e;
    if (e->n_code == SC_EXPR_CODE)
        return FAIL(p, p->token.start, "the expression is too long");
    if (e->n_code == p->code_capacity) {
        const size_t capacity = p->code_capacity ? 2 * p->code_capacity : 16;
        sc_instr *grown = sc_realloc_array(e->code, capacity, sizeof *grown);
        if (!grown) {
            p->status = SC_ENOMEM;
            return false;
        }
        e->code = grown;
        p->code_capacity = capacity;
    }
    e->code[e->n_code++] = i;
    return true;
}

static bool emit_push(parser *p, sc_operand_from from, size_t index)
{
    if (++p->held >= SC_EXPR_STACK)
        return FAIL(p, p->token.start, "the expression is nested too deeply");
    return emit(p, (sc_instr){.op = SC_OP_PUSH, .from = (uint8_t)from, .index = (uint16_t)index});
}

static bool emit_constant(parser *p, double v)
{
    sc_expr *e = p->e;
    if (e->n_pool == SC_EXPR_CODE)
        return FAIL(p, p->token.start, "the expression is too long");
    if (e->n_pool == p->pool_capacity) {
        const size_t capacity = p->pool_capacity ? 2 * p->pool_capacity : 8;
        double *grown = sc_realloc_array(e->pool, capacity, sizeof *grown);
        if (!grown) {
            p->status = SC_ENOMEM;
            return false;
        }
        e->pool = grown;
        p->pool_capacity = capacity;
    }
    e->pool[e->n_pool++] = v;
    return emit_push(p, SC_FROM_POOL, e->n_pool - 1);
}

/* Whether the code from there on is the push of one constant, which no jump can lead into. */
static bool is_constant(const sc_expr *e, size_t code)
{
    return e->n_code == code + 1 && e->code[code].op == SC_OP_PUSH &&
           e->code[code].from == SC_FROM_POOL;
}

static bool emit_unary(parser *p, sc_op_code op, size_t operand)
{
    sc_expr *e = p->e;
    if (!is_constant(e, operand))
        return emit(p, (sc_instr){.op = (uint8_t)op});
    double *constant = &e->pool[e->code[operand].index];
    *constant = sc_apply_unary(op, *constant);
    return true;
}

/* A right operand that is one push is read where it lies instead; two constants become one. */
static bool emit_binary(parser *p, sc_op_code op, size_t left, size_t right)
{
    sc_expr *e = p->e;
    p->held--;
    if (e->n_code != right + 1 || e->code[right].op != SC_OP_PUSH)
        return emit(p, (sc_instr){.op = (uint8_t)op, .from = SC_FROM_STACK});
    sc_instr *last = &e->code[right];
    const bool right_constant = is_constant(e, right);
    last->op = (uint8_t)op;
    if (right_constant && right == left + 1 && e->code[left].op == SC_OP_PUSH &&
        e->code[left].from == SC_FROM_POOL) {
        double *constant = &e->pool[e->code[left].index];
        *constant = sc_apply_binary(op, *constant, e->pool[last->index]);
        e->n_code--;
    }
    return true;
}

static size_t find_symbol(const parser *p, const sc_token *name)
{
    for (size_t i = 0; i < p->n_symbols; i++)
        if (strlen(p->symbols[i].name) == name->length &&
            memcmp(p->symbols[i].name, p->text + name->start, name->length) == 0)
            return i;
    return SIZE_MAX;
}

static bool want_number(parser *p, const part *a)
{
    char shown[SC_SHOWN_LEN];
    (void)shown_span(shown, p->text + a->start, a->length);
    switch (a->kind) {
    case PART_NUMBER: return true;
    case PART_CATEGORY:
        return FAIL(p, a->start, "'%s' has labels and is no number: compare it with == or != '%s'",
                    shown, p->symbols[a->symbol].labels[0]);
    case PART_LABEL:
        return FAIL(p, a->start,
                    "the label '%s' can only be compared, by == or !=, with a name that has labels",
                    shown);
    }
    return false;
}

static bool numeric_expression(parser *p, part *out)
{
    return expression(p, out) && want_number(p, out);
}

static const struct function {
    const char *name;
    sc_op_code op;
    size_t least, most; /* arguments */
} functions[] = {
    {"min", SC_OP_MIN, 2, SIZE_MAX}, {"max", SC_OP_MAX, 2, SIZE_MAX},    {"ceil", SC_OP_CEIL, 1, 1},
    {"floor", SC_OP_FLOOR, 1, 1},    {"round", SC_OP_ROUND, 1, 1},       {"abs", SC_OP_ABS, 1, 1},
    {"log2", SC_OP_LOG2, 1, 1},      {"sqrt", SC_OP_SQRT, 1, 1},         {"pow", SC_OP_POW, 2, 2},
    {"log10", SC_OP_LOG10, 1, 1},    {"ceil_div", SC_OP_CEIL_DIV, 2, 2},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct function *find_function(const parser *p, const sc_token *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == name->length &&
            memcmp(functions[i].name, p->text + name->start, name->length) == 0)
            return &functions[i];
    return NULL;
}

/* Name what was probably meant: a function where one is called, a symbol elsewhere. */
static bool unknown_name(parser *p, const sc_token *name, bool called)
{
    char shown[SC_SHOWN_LEN], suggestion[SC_SUGGEST_LEN];
    (void)shown_span(shown, p->text + name->start, name->length);
    if (!called && find_function(p, name))
        return FAIL(p, name->start, "'%s' is a function: write %s(...)", shown, shown);
    if (called && find_symbol(p, name) != SIZE_MAX)
        return FAIL(p, name->start, "'%s' is no function", shown);
    sc_near near;
    sc_near_begin(&near, shown);
    for (size_t i = 0; i < (called ? FUNCTIONS : p->n_symbols); i++)
        sc_near_offer(&near, called ? functions[i].name : p->symbols[i].name);
    return FAIL(p, name->start, "unknown %s '%s'%s", called ? "function" : "name", shown,
                sc_did_you_mean(suggestion, near.best));
}

static bool wrong_arity(parser *p, const sc_token *name, const struct function *f, size_t found)
{
    return FAIL(p, name->start, "%s takes %s%zu argument%s, found %zu", f->name,
                f->most > f->least ? "at least " : "", f->least, f->least == 1 ? "" : "s", found);
}

/* The arguments and the operation: min and max of several are taken pair by pair, left to right. */
static bool call(parser *p, const sc_token *name, part *out)
{
    const struct function *f = find_function(p, name);
    if (!f)
        return unknown_name(p, name, true);
    if (!advance(p)) /* the parenthesis */
        return false;
    size_t n = 0;
    const size_t first = p->e->n_code;
    while (p->token.kind != SC_TOKEN_CLOSE || n > 0) {
        part argument;
        if (!numeric_expression(p, &argument))
            return false;
        n++;
        if (f->most == 1 && n == 1 && !emit_unary(p, f->op, argument.code))
            return false;
        if (f->most > 1 && n > 1 && n <= f->most && !emit_binary(p, f->op, first, argument.code))
            return false;
        if (p->token.kind != SC_TOKEN_COMMA)
            break;
        if (!advance(p))
            return false;
    }
    if (p->token.kind != SC_TOKEN_CLOSE)
        return FAIL(p, p->token.start, "expected ')' or ',' in the arguments of %s", f->name);
    if (n < f->least || n > f->most)
        return wrong_arity(p, name, f, n);
    *out = (part){.start = name->start, .length = p->token.start + 1 - name->start, .code = first};
    return advance(p);
}

static bool named(parser *p, part *out)
{
    const sc_token name = p->token;
    if (!advance(p))
        return false;
    if (p->token.kind == SC_TOKEN_OPEN)
        return call(p, &name, out);
    const size_t i = find_symbol(p, &name);
    if (i == SIZE_MAX)
        return unknown_name(p, &name, false);
    p->e->uses[i] = true;
    *out = (part){.kind = p->symbols[i].n_labels > 0 ? PART_CATEGORY : PART_NUMBER,
                  .symbol = i,
                  .start = name.start,
                  .length = name.length,
                  .code = p->e->n_code};
    return emit_push(p, SC_FROM_VALUES, i);
}

static bool parenthesis(parser *p, part *out)
{
    const size_t open = p->token.start;
    if (!advance(p) || !expression(p, out))
        return false;
    if (p->token.kind != SC_TOKEN_CLOSE)
        return FAIL(p, p->token.start, "expected ')' for the '(' at column %zu", open + 1);
    return advance(p);
}

static bool primary(parser *p, part *out)
{
    const sc_token t = p->token;
    char shown[SC_SHOWN_LEN];
    switch (t.kind) {
    case SC_TOKEN_NUMBER:
        *out = (part){.start = t.start, .length = t.length, .code = p->e->n_code};
        return emit_constant(p, t.number) && advance(p);
    case SC_TOKEN_LABEL:
        *out =
            (part){.kind = PART_LABEL, .start = t.start, .length = t.length, .code = p->e->n_code};
        return advance(p);
    case SC_TOKEN_NAME: return named(p, out);
    case SC_TOKEN_OPEN: return parenthesis(p, out);
    case SC_TOKEN_END: return FAIL(p, t.start, "the expression ends where a value should stand");
    default:
        return FAIL(p, t.start, "expected a value, found '%s'",
                    shown_span(shown, p->text + t.start, t.length));
    }
}

static bool unary(parser *p, part *out);

/* The power binds more tightly than a sign before it and less than one behind: -2^2 is -4. */
static bool power(parser *p, part *out)
{
    if (!primary(p, out))
        return false;
    if (p->token.kind != SC_TOKEN_CARET)
        return true;
    part exponent;
    if (!want_number(p, out) || !advance(p) || !unary(p, &exponent) || !want_number(p, &exponent))
        return false;
    return emit_binary(p, SC_OP_POW, out->code, exponent.code);
}

static bool unary(parser *p, part *out)
{
    const sc_token sign = p->token;
    if (sign.kind != SC_TOKEN_MINUS && sign.kind != SC_TOKEN_PLUS && sign.kind != SC_TOKEN_NOT)
        return power(p, out);
    if (++p->depth > MAX_DEPTH)
        return FAIL(p, sign.start, "the expression is nested too deeply");
    if (!advance(p) || !unary(p, out) || !want_number(p, out))
        return false;
    p->depth--;
    if (sign.kind == SC_TOKEN_PLUS)
        return true;
    return emit_unary(p, sign.kind == SC_TOKEN_MINUS ? SC_OP_NEG : SC_OP_NOT, out->code);
}

typedef enum level {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_EQUAL,
    LEVEL_ORDER,
    LEVEL_SUM,
    LEVEL_PRODUCT
} level;

/* Operators between two values, and how tightly they bind; as in C. */
static const struct infix {
    sc_token_kind token;
    level level;
    sc_op_code op;
} infixes[] = {
    {SC_TOKEN_OR, LEVEL_OR, SC_OP_OR},
    {SC_TOKEN_AND, LEVEL_AND, SC_OP_AND},
    {SC_TOKEN_EQ, LEVEL_EQUAL, SC_OP_EQ},
    {SC_TOKEN_NE, LEVEL_EQUAL, SC_OP_NE},
    {SC_TOKEN_LT, LEVEL_ORDER, SC_OP_LT},
    {SC_TOKEN_LE, LEVEL_ORDER, SC_OP_LE},
    {SC_TOKEN_GT, LEVEL_ORDER, SC_OP_GT},
    {SC_TOKEN_GE, LEVEL_ORDER, SC_OP_GE},
    {SC_TOKEN_PLUS, LEVEL_SUM, SC_OP_ADD},
    {SC_TOKEN_MINUS, LEVEL_SUM, SC_OP_SUB},
    {SC_TOKEN_STAR, LEVEL_PRODUCT, SC_OP_MUL},
    {SC_TOKEN_SLASH, LEVEL_PRODUCT, SC_OP_DIV},
    {SC_TOKEN_WHOLE, LEVEL_PRODUCT, SC_OP_DIV}, /* and rounded down */
    {SC_TOKEN_PERCENT, LEVEL_PRODUCT, SC_OP_MOD},
};

static const struct infix *find_infix(sc_token_kind token)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (infixes[i].token == token)
            return &infixes[i];
    return NULL;
}

static bool operation(parser *p, part *out, level lowest);

/* a && b, a || b: b is only evaluated when it decides. */
static bool logical(parser *p, const part *left, const struct infix *op)
{
    part right;
    sc_expr *e = p->e;
    const size_t jump = e->n_code;
    if (!want_number(p, left) || !emit(p, (sc_instr){.op = (uint8_t)op->op}))
        return false;
    p->held--; /* it is dropped where the right side is evaluated */
    if (!operation(p, &right, op->level + 1) || !want_number(p, &right) ||
        !emit(p, (sc_instr){.op = SC_OP_TRUTH}))
        return false;
    e->code[jump].target = (uint16_t)e->n_code;
    return true;
}

/* name == 'label': the index of the label is what the name's value is compared with. */
static bool compare_label(parser *p, const part *name, const part *label, sc_op_code op)
{
    char shown_label[SC_SHOWN_LEN], shown_name[SC_SHOWN_LEN], suggestion[SC_SUGGEST_LEN];
    (void)shown_span(shown_label, p->text + label->start, label->length);
    (void)shown_span(shown_name, p->text + name->start, name->length);
    if (name->kind != PART_CATEGORY)
        return FAIL(p, label->start, "'%s' has no labels: it cannot be compared with '%s'",
                    shown_name, shown_label);
    const sc_symbol *s = &p->symbols[name->symbol];
    for (size_t i = 0; i < s->n_labels; i++) {
        if (strlen(s->labels[i]) == label->length &&
            memcmp(s->labels[i], p->text + label->start, label->length) == 0)
            return emit_constant(p, (double)i) && emit_binary(p, op, name->code, p->e->n_code - 1);
    }
    return FAIL(p, label->start, "'%s' is no label of '%s'%s", shown_label, shown_name,
                sc_did_you_mean(suggestion, sc_nearest(shown_label, s->labels, s->n_labels)));
}

static bool arithmetic(parser *p, const part *left, const struct infix *op)
{
    part right;
    if (!operation(p, &right, op->level + 1))
        return false;
    if (op->level == LEVEL_EQUAL && (left->kind == PART_LABEL) != (right.kind == PART_LABEL)) {
        const bool label_first = left->kind == PART_LABEL;
        return compare_label(p, label_first ? &right : left, label_first ? left : &right, op->op);
    }
    return want_number(p, left) && want_number(p, &right) &&
           emit_binary(p, op->op, left->code, right.code) &&
           (op->token != SC_TOKEN_WHOLE || emit_unary(p, SC_OP_FLOOR, left->code));
}

/* Operators that bind at least as tightly as the lowest level, from left to right. */
static bool operation(parser *p, part *out, level lowest)
{
    if (!unary(p, out))
        return false;
    const struct infix *op, *before = NULL;
    while ((op = find_infix(p->token.kind)) && op->level >= lowest) {
        const bool comparison = op->level == LEVEL_EQUAL || op->level == LEVEL_ORDER;
        if (comparison && before && before->level == op->level)
            return FAIL(p, p->token.start, "comparisons do not chain: write a < b && b < c");
        if (!advance(p) || !(op->level <= LEVEL_AND ? logical(p, out, op) : arithmetic(p, out, op)))
            return false;
        before = op;
        out->kind = PART_NUMBER;
        out->length = p->token.start - out->start;
    }
    return true;
}

static bool conditional(parser *p, const part *condition)
{
    part a, b;
    sc_expr *e = p->e;
    const size_t branch = e->n_code;
    if (!want_number(p, condition) || !advance(p) || !emit(p, (sc_instr){.op = SC_OP_BRANCH}))
        return false;
    p->held--;
    if (!numeric_expression(p, &a))
        return false;
    if (p->token.kind != SC_TOKEN_COLON)
        return FAIL(p, p->token.start, "expected ':' and what holds if the condition does not");
    const size_t jump = e->n_code;
    if (!advance(p) || !emit(p, (sc_instr){.op = SC_OP_JUMP}))
        return false;
    e->code[branch].target = (uint16_t)e->n_code;
    p->held--; /* only one of the two values is there at the end */
    if (!numeric_expression(p, &b))
        return false;
    e->code[jump].target = e->code[branch].end = (uint16_t)e->n_code;
    return true;
}

static bool expression(parser *p, part *out)
{
    if (++p->depth > MAX_DEPTH)
        return FAIL(p, p->token.start, "the expression is nested too deeply");
    if (!operation(p, out, LEVEL_OR))
        return false;
    if (p->token.kind == SC_TOKEN_QUESTION) {
        if (!conditional(p, out))
            return false;
        out->kind = PART_NUMBER;
        out->length = p->token.start - out->start;
    }
    p->depth--;
    return true;
}

static bool whole(parser *p)
{
    part all;
    char shown[SC_SHOWN_LEN];
    if (strlen(p->text) > MAX_TEXT)
        return FAIL(p, 0, "the expression is too long");
    if (p->n_symbols > MAX_SYMBOLS)
        return FAIL(p, 0, "more than %d names", MAX_SYMBOLS);
    if (!advance(p))
        return false;
    if (p->token.kind == SC_TOKEN_END)
        return FAIL(p, 0, "the expression is empty");
    if (!numeric_expression(p, &all))
        return false;
    if (p->token.kind != SC_TOKEN_END)
        return FAIL(p, p->token.start, "expected an operator, found '%s'",
                    shown_span(shown, p->text + p->token.start, p->token.length));
    return true;
}

sc_status sc_expr_compile(sc_expr **out, const char *text, const sc_symbol *symbols,
                          size_t n_symbols, size_t *at)
{
    sc_status st = SC_ENOMEM;
    sc_expr *e = sc_calloc(1, sizeof *e);
    parser p = {.text = text, .symbols = symbols, .n_symbols = n_symbols, .e = e};

    if (!e || !(e->text = sc_strdup(text)) || !(e->uses = sc_calloc(n_symbols, sizeof *e->uses)))
        goto done;
    e->n_symbols = n_symbols;
    if (!whole(&p)) {
        st = p.status;
        goto done;
    }
    *out = e;
    e = NULL;
    st = SC_OK;
done:
    if (st == SC_EPARSE && at)
        *at = p.fault;
    sc_expr_destroy(e);
    return st;
}

bool sc_expr_from_node(sc_expr **out, const sc_node *node, const sc_symbol *symbols,
                       size_t n_symbols)
{
    size_t at = 0;
    if (!node)
        return false;
    if (sc_node_kind_of(node) != SC_NODE_SCALAR) {
        sc_node_error(node, "expected an expression");
        return false;
    }
    const sc_status st = sc_expr_compile(out, sc_node_text(node), symbols, n_symbols, &at);
    if (st == SC_EPARSE)
        sc_node_error_at(node, at, "%s", sc_error_message());
    else if (st != SC_OK)
        sc_node_fail(node, st);
    return st == SC_OK;
}
