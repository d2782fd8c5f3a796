#include "workloads/onnx_graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "workloads/checked.h"

enum { MESSAGE_LEN = 400, UNSEEN = 0, OPEN = 1, DONE = 2 };

#define ERROR_MARK ": error: "

const char *sc_onnx_show(char out[SC_ONNX_SHOWN_LEN], const sc_onnx_node *n)
{
    char name[SC_SHOWN_LEN], op[SC_SHOWN_LEN];
    const char *given = n->call->name;
    if (!given[0] && n->call->n_outputs && n->call->outputs[0])
        given = n->call->outputs[0];
    (void)snprintf(out, SC_ONNX_SHOWN_LEN, "node '%s' (%s)", sc_text_show(name, given),
                   sc_text_show(op, n->call->op));
    return out;
}

const char *sc_onnx_told(const sc_onnx *x, size_t offset)
{
    return x->errors.text + offset + strlen(x->file.name) + strlen(ERROR_MARK);
}

sc_status(sc_onnx_fail)(sc_onnx *x, const sc_onnx_node *n, const char *fmt, ...)
{
    char text[MESSAGE_LEN], shown[SC_ONNX_SHOWN_LEN];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (x->n_errors++ < SC_ONNX_MESSAGES)
        sc_buf_printf(&x->errors, "%s" ERROR_MARK "%s: %s\n", x->file.name, sc_onnx_show(shown, n),
                      text);
    return SC_EPARSE;
}

void sc_onnx_note(sc_onnx *x, const char *fmt, ...)
{
    char text[MESSAGE_LEN];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (x->n_notes++ < SC_ONNX_MESSAGES)
        sc_buf_printf(&x->notes, "%s\n", text);
}

sc_onnx_value *sc_onnx_in(const sc_onnx_node *n, size_t i)
{
    return i < n->n_in ? n->in[i] : NULL;
}

const sc_onnx_attribute *sc_onnx_get(const sc_onnx_node *n, const char *name)
{
    const sc_onnx_attribute *a = sc_onnx_attribute_of(n->call, name);
    while (a && a->from) { /* what the call of the function says */
        const sc_onnx_scope *scope = n->scope;
        while (scope && !scope->call)
            scope = scope->outer;
        if (!scope)
            return NULL;
        n = scope->call;
        a = sc_onnx_attribute_of(n->call, a->from);
    }
    return a;
}

int64_t sc_onnx_int(const sc_onnx_node *n, const char *name, int64_t fallback)
{
    const sc_onnx_attribute *a = sc_onnx_get(n, name);
    return a && a->kind == SC_ONNX_INT ? a->integer : fallback;
}

const char *sc_onnx_text(const sc_onnx_node *n, const char *name, const char *fallback)
{
    const sc_onnx_attribute *a = sc_onnx_get(n, name);
    return a && a->kind == SC_ONNX_TEXT ? a->text : fallback;
}

const int64_t *sc_onnx_ints(const sc_onnx_node *n, const char *name, size_t *count)
{
    const sc_onnx_attribute *a = sc_onnx_get(n, name);
    const bool is_list = a && a->kind == SC_ONNX_INTS;
    *count = is_list ? a->n : 0;
    return is_list ? a->ints : NULL;
}

sc_status sc_onnx_axis(sc_onnx *x, const sc_onnx_node *n, int64_t *axis, size_t rank)
{
    const int64_t r = (int64_t)rank;
    if (*axis < -r || *axis >= r)
        return sc_onnx_fail(x, n, "axis %" PRId64 " of a tensor of %zu dimensions", *axis, rank);
    *axis += *axis < 0 ? r : 0;
    return SC_OK;
}

uint64_t sc_onnx_span(const sc_onnx_value *v, size_t from, size_t to)
{
    uint64_t n = 1;
    for (size_t i = from; i < to && i < v->rank; i++)
        if (!sc_count_mul(&n, (uint64_t)v->dim[i]))
            return 0;
    return n;
}

uint64_t sc_onnx_count(const sc_onnx_value *v)
{
    return sc_onnx_span(v, 0, v->rank);
}

sc_status sc_onnx_shape(sc_onnx *x, const sc_onnx_node *n, size_t out, size_t rank,
                        const int64_t *dim)
{
    sc_onnx_value *v = out < n->n_out ? n->out[out] : NULL;
    uint64_t count = 1;
    if (!v)
        return SC_OK;
    if (rank > SC_ONNX_RANK)
        return sc_onnx_fail(x, n, "%zu dimensions, at most %d", rank, SC_ONNX_RANK);
    for (size_t i = 0; i < rank; i++) {
        if (dim[i] < 0)
            return sc_onnx_fail(x, n, "dimension %zu of its result is %" PRId64, i, dim[i]);
        /* a 0 must not hide that the others are too many */
        if (!sc_count_mul(&count, dim[i] ? (uint64_t)dim[i] : 1))
            return sc_onnx_fail(x, n, "its result has more than 2^63 - 1 elements");
    }
    v->shaped = true;
    v->rank = (uint8_t)rank;
    if (rank)
        memmove(v->dim, dim, rank * sizeof *dim);
    return SC_OK;
}

bool sc_onnx_afford(sc_onnx *x, size_t numbers)
{
    x->n_numbers += numbers;
    return x->n_numbers <= SC_ONNX_NUMBERS;
}

sc_onnx_number *sc_onnx_data(sc_onnx *x, sc_onnx_value *v, size_t n)
{
    sc_onnx_number *data =
        sc_onnx_afford(x, n) ? sc_arena_calloc(x->arena, n ? n : 1, sizeof *data) : NULL;
    v->data = data;
    v->n = data ? n : 0;
    return data;
}

/** A node whose makers are being looked at. */
typedef struct pending {
    size_t node, next; /* next: input, or captured value behind them */
} pending;

static sc_status tell_cycle(sc_onnx *x, sc_onnx_node *const *list, const pending *stack,
                            size_t depth, size_t again)
{
    char first[SC_ONNX_SHOWN_LEN], second[SC_ONNX_SHOWN_LEN];
    size_t start = depth;
    while (start > 0 && stack[start - 1].node != again)
        start--;
    x->fatal = true;
    return sc_fail(SC_EPARSE,
                   "%s" ERROR_MARK "a cycle of %zu nodes: %s reads, by way of %s, itself",
                   x->file.name, depth - start + 1, sc_onnx_show(first, list[again]),
                   sc_onnx_show(second, list[stack[depth - 1].node]));
}

/* Makers of the node on top that are not done are put on top of it. */
static bool next_maker(size_t *maker, sc_onnx_node *const *list, size_t n, pending *p)
{
    const sc_onnx_node *node = list[p->node];
    while (p->next < node->n_in + node->n_captured) {
        const size_t i = p->next++;
        const sc_onnx_value *v = i < node->n_in ? node->in[i] : node->captured[i - node->n_in];
        if (v && v->maker >= 0 && (size_t)v->maker < n) {
            *maker = (size_t)v->maker;
            return true;
        }
    }
    return false;
}

static sc_status finish_node(sc_onnx *x, sc_onnx_node *node,
                             sc_status (*visit)(sc_onnx *x, sc_onnx_node *node))
{
    const sc_status st = visit(x, node);
    for (size_t i = 0; i < node->n_out; i++)
        if (node->out[i])
            node->out[i]->maker = -1; /* it is there */
    return st;
}

sc_status sc_onnx_sort(sc_onnx *x, sc_onnx_node *const *list, size_t n,
                       sc_status (*visit)(sc_onnx *x, sc_onnx_node *node))
{
    sc_status st = SC_OK;
    unsigned char *state = sc_calloc(n ? n : 1, 1);
    pending *stack = sc_calloc(n ? n : 1, sizeof *stack);
    if (!state || !stack) {
        st = SC_ENOMEM;
        goto done;
    }
    for (size_t root = 0; root < n && st == SC_OK; root++) {
        size_t depth = 0, maker;
        if (state[root] == UNSEEN) {
            stack[depth++] = (pending){.node = root};
            state[root] = OPEN;
        }
        while (depth && st == SC_OK) {
            pending *p = &stack[depth - 1];
            if (!next_maker(&maker, list, n, p)) {
                state[p->node] = DONE;
                st = finish_node(x, list[p->node], visit);
                depth--;
            } else if (state[maker] == OPEN) {
                st = tell_cycle(x, list, stack, depth, maker);
            } else if (state[maker] == UNSEEN) {
                state[maker] = OPEN;
                stack[depth++] = (pending){.node = maker};
            }
        }
    }
done:
    sc_free(state);
    sc_free(stack);
    return st;
}
