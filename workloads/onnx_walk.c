/* From what a file says to one list of nodes in execution order. */
#include <stdio.h>
#include <string.h>

#include "workloads/onnx_graph.h"

static sc_status visit(sc_onnx *x, sc_onnx_node *n);

static sc_status open_scope(sc_onnx *x, sc_onnx_scope **out, const sc_onnx_scope *outer,
                            const sc_onnx_node *call)
{
    x->fatal = x->n_scopes > SC_ONNX_NESTED;
    if (x->fatal)
        return sc_fail(SC_EPARSE,
                       "%s: error: functions and branches stand more than %d deep in each other",
                       x->file.name, SC_ONNX_NESTED);
    sc_onnx_scope *scope = sc_arena_calloc(x->arena, 1, sizeof *scope);
    if (!scope)
        return SC_ENOMEM;
    scope->around = x->scope;
    scope->outer = outer;
    scope->call = call;
    x->scope = scope;
    x->n_scopes++;
    *out = scope;
    return SC_OK;
}

static void close_scope(sc_onnx *x)
{
    sc_names_clear(&x->scope->names);
    x->scope = x->scope->around;
    x->n_scopes--;
}

static sc_status make_node(sc_onnx *x, sc_onnx_node **out, const sc_onnx_scope *scope,
                           const sc_onnx_call *call)
{
    x->n_references += call->n_inputs + call->n_outputs + call->n_attributes;
    x->fatal = ++x->n_met > SC_ONNX_NODES || x->n_references > SC_ONNX_REFERENCES;
    if (x->fatal)
        return sc_fail(SC_EPARSE,
                       "%s: error: more than %d nodes, or too many names, functions expanded",
                       x->file.name, SC_ONNX_NODES);
    sc_onnx_node *n = sc_arena_calloc(x->arena, 1, sizeof *n);
    if (!n)
        return SC_ENOMEM;
    n->call = call;
    n->scope = scope;
    n->n_in = call->n_inputs;
    n->n_out = call->n_outputs;
    n->in = sc_arena_calloc(x->arena, n->n_in ? n->n_in : 1, sizeof(sc_onnx_value *));
    n->out = sc_arena_calloc(x->arena, n->n_out ? n->n_out : 1, sizeof(sc_onnx_value *));
    if (!n->in || !n->out)
        return SC_ENOMEM;
    *out = n;
    return SC_OK;
}

/* Bind the names that a node gives. */
static sc_status define_outputs(sc_onnx *x, sc_onnx_scope *scope, sc_onnx_node *n, int32_t maker)
{
    char shown[SC_SHOWN_LEN];
    for (size_t i = 0; i < n->n_out; i++) {
        const char *name = n->call->outputs[i];
        sc_onnx_value *v = NULL;
        if (!name[0])
            continue;
        const sc_status st = sc_onnx_local(x, &v, scope, name);
        if (st != SC_OK)
            return st;
        if (v->made) {
            (void)sc_onnx_fail(x, n, "gives '%s', which was given before",
                               sc_text_show(shown, name));
            continue;
        }
        v->made = true;
        v->maker = maker;
        n->out[i] = v;
    }
    return SC_OK;
}

static void resolve_inputs(sc_onnx *x, const sc_onnx_scope *scope, sc_onnx_node *n)
{
    char shown[SC_SHOWN_LEN];
    for (size_t i = 0; i < n->n_in; i++) {
        const char *name = n->call->inputs[i];
        if (!name[0])
            continue;
        n->in[i] = sc_onnx_resolve(x, scope, name);
        if (n->in[i] && n->in[i]->made)
            continue;
        (void)sc_onnx_fail(x, n, "reads '%s', which nothing gives", sc_text_show(shown, name));
        for (size_t k = 0; k < n->n_out; k++)
            if (n->out[k])
                n->out[k]->broken = true;
        n->in[i] = NULL;
    }
}

static size_t count_names(const sc_onnx_graph *g)
{
    size_t n = g->n_outputs;
    for (size_t i = 0; i < g->n_nodes; i++) {
        n += g->nodes[i].n_inputs;
        for (size_t k = 0; k < g->nodes[i].n_attributes; k++)
            if (g->nodes[i].attributes[k].graph)
                n += count_names(g->nodes[i].attributes[k].graph);
    }
    return n;
}

static void capture(const sc_onnx *x, const sc_onnx_scope *scope, sc_onnx_node *n, const char *name)
{
    sc_onnx_value *v = sc_onnx_resolve(x, scope, name);
    if (v && v->maker >= 0)
        n->captured[n->n_captured++] = v;
}

static void capture_graph(const sc_onnx *x, const sc_onnx_scope *scope, sc_onnx_node *n,
                          const sc_onnx_graph *g)
{
    for (size_t i = 0; i < g->n_outputs; i++)
        capture(x, scope, n, g->outputs[i].name);
    for (size_t i = 0; i < g->n_nodes; i++) {
        for (size_t k = 0; k < g->nodes[i].n_inputs; k++)
            capture(x, scope, n, g->nodes[i].inputs[k]);
        for (size_t k = 0; k < g->nodes[i].n_attributes; k++)
            if (g->nodes[i].attributes[k].graph)
                capture_graph(x, scope, n, g->nodes[i].attributes[k].graph);
    }
}

/* What subgraphs of a node read from outside of them must be there before it runs. */
static sc_status capture_all(sc_onnx *x, const sc_onnx_scope *scope, sc_onnx_node *n)
{
    size_t most = 0;
    for (size_t k = 0; k < n->call->n_attributes; k++)
        if (n->call->attributes[k].graph)
            most += count_names(n->call->attributes[k].graph);
    if (!most)
        return SC_OK;
    x->n_references += most;
    x->fatal = x->n_references > SC_ONNX_REFERENCES;
    if (x->fatal)
        return sc_fail(SC_EPARSE, "%s: error: too many names in its branches", x->file.name);
    if (!(n->captured = sc_arena_calloc(x->arena, most, sizeof(sc_onnx_value *))))
        return SC_ENOMEM;
    for (size_t k = 0; k < n->call->n_attributes; k++)
        if (n->call->attributes[k].graph)
            capture_graph(x, scope, n, n->call->attributes[k].graph);
    return SC_OK;
}

static sc_status run_calls(sc_onnx *x, sc_onnx_scope *scope, const sc_onnx_call *calls, size_t n)
{
    sc_status st = SC_OK;
    sc_onnx_node **list = sc_arena_calloc(x->arena, n ? n : 1, sizeof(sc_onnx_node *));
    if (!list)
        return SC_ENOMEM;
    for (size_t i = 0; i < n && st == SC_OK; i++)
        if ((st = make_node(x, &list[i], scope, &calls[i])) == SC_OK)
            st = define_outputs(x, scope, list[i], (int32_t)i);
    for (size_t i = 0; i < n && st == SC_OK; i++) {
        resolve_inputs(x, scope, list[i]);
        st = capture_all(x, scope, list[i]);
    }
    return st == SC_OK ? sc_onnx_sort(x, list, n, visit) : st;
}

static sc_status execute(sc_onnx *x, sc_onnx_node *n)
{
    if (x->n_nodes == x->node_capacity) {
        const size_t wanted = x->node_capacity ? 2 * x->node_capacity : 256;
        void *grown = sc_realloc_array(x->nodes, wanted, sizeof *x->nodes);
        if (!grown)
            return SC_ENOMEM;
        x->nodes = grown;
        x->node_capacity = wanted;
    }
    x->nodes[x->n_nodes++] = n;
    for (size_t i = 0; i < n->n_out; i++)
        if (n->out[i])
            n->out[i]->source = n;
    return SC_OK;
}

static void break_outputs(const sc_onnx_node *n)
{
    for (size_t i = 0; i < n->n_out; i++)
        if (n->out[i])
            n->out[i]->broken = true;
}

/* A node that hands a value on under another name, or shape. */
static sc_status make_identity(sc_onnx *x, sc_onnx_node **out, sc_onnx_value *from,
                               sc_onnx_value *to)
{
    static char *const none[] = {NULL};
    static const sc_onnx_call identity = {.name = "",
                                          .op = "Identity",
                                          .domain = "",
                                          .n_inputs = 1,
                                          .n_outputs = 1,
                                          .inputs = none,
                                          .outputs = none};
    sc_onnx_node *n = NULL;
    const sc_status st = make_node(x, &n, x->scope, &identity);
    if (st != SC_OK)
        return st;
    n->in[0] = from;
    n->out[0] = to;
    n->op = sc_onnx_find_op("", identity.op);
    to->made = true;
    *out = n;
    return SC_OK;
}

/* Let the names that a body gives stand for the values that its caller waits for. */
static sc_status bind_outputs(sc_onnx_scope *body, const sc_onnx_node *n, const char *const *names,
                              size_t count)
{
    int32_t taken;
    for (size_t i = 0; i < n->n_out && i < count; i++) {
        sc_onnx_value *v = n->out[i];
        if (!v)
            continue;
        v->made = false;
        v->maker = -1;
        if (sc_names_get(&body->names, &taken, names[i]))
            continue; /* an input or constant of the body handed through */
        const sc_status st = sc_names_put(&body->names, names[i], v->index);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

/* Values that the body did not make are handed through it. */
static sc_status collect_outputs(sc_onnx *x, const sc_onnx_scope *body, const sc_onnx_node *n,
                                 const char *const *names, size_t count)
{
    char shown[SC_SHOWN_LEN];
    sc_status st = SC_OK;
    for (size_t i = 0; i < n->n_out && st == SC_OK; i++) {
        sc_onnx_value *v = n->out[i];
        if (!v || v->made)
            continue;
        sc_onnx_value *from = i < count ? sc_onnx_resolve(x, body, names[i]) : NULL;
        if (from == v && body->outer) /* the branch names a value from around it */
            from = sc_onnx_resolve(x, body->outer, names[i]);
        if (from && from != v && from->made) {
            sc_onnx_node *identity = NULL;
            st = make_identity(x, &identity, from, v);
            st = st == SC_OK ? visit(x, identity) : st;
        } else {
            (void)sc_onnx_fail(x, n, "its body does not give its output '%s'",
                               sc_text_show(shown, i < count ? names[i] : ""));
            v->broken = v->made = true;
        }
    }
    return st;
}

static sc_status run_body(sc_onnx *x, sc_onnx_scope *body, const sc_onnx_node *n,
                          const sc_onnx_call *calls, size_t n_calls, const char *const *outputs,
                          size_t n_outputs)
{
    sc_status st = bind_outputs(body, n, outputs, n_outputs);
    if (st == SC_OK && (st = run_calls(x, body, calls, n_calls)) == SC_OK)
        st = collect_outputs(x, body, n, outputs, n_outputs);
    if (st == SC_OK)
        close_scope(x); /* after a failure sc_onnx_clear() does */
    return st;
}

static sc_status call_function(sc_onnx *x, sc_onnx_node *n, const sc_onnx_function *f)
{
    sc_onnx_scope *body = NULL;
    sc_status st = open_scope(x, &body, NULL, n);
    if (st != SC_OK)
        return st;
    for (size_t i = 0; i < f->n_inputs && i < n->n_in; i++) {
        int32_t taken;
        if (n->in[i] && !sc_names_get(&body->names, &taken, f->inputs[i]) &&
            (st = sc_names_put(&body->names, f->inputs[i], n->in[i]->index)) != SC_OK)
            return st;
    }
    return run_body(x, body, n, f->nodes, f->n_nodes, (const char *const *)f->outputs,
                    f->n_outputs);
}

static sc_status take_branch(sc_onnx *x, sc_onnx_node *n)
{
    const sc_onnx_value *condition = sc_onnx_in(n, 0);
    sc_onnx_scope *body = NULL;
    if (!condition || !condition->data || condition->n < 1)
        return sc_onnx_fail(x, n, "control flow: its condition is not constant");
    const bool yes =
        sc_onnx_is_real(condition->elem) ? condition->data[0].r != 0.0 : condition->data[0].i != 0;
    const sc_onnx_attribute *branch = sc_onnx_get(n, yes ? "then_branch" : "else_branch");
    if (!branch || !branch->graph)
        return sc_onnx_fail(x, n, "has no graph for the branch that its condition takes");
    const sc_onnx_graph *g = branch->graph;
    const char **outputs = sc_arena_calloc(x->arena, g->n_outputs + 1, sizeof *outputs);
    if (!outputs)
        return SC_ENOMEM;
    for (size_t i = 0; i < g->n_outputs; i++)
        outputs[i] = g->outputs[i].name;
    sc_status st = open_scope(x, &body, n->scope, NULL);
    if (st == SC_OK && (st = sc_onnx_declare(x, body, g, false)) == SC_OK)
        st = run_body(x, body, n, g->nodes, g->n_nodes, outputs, g->n_outputs);
    return st;
}

enum { KEY_LEN = 256 };

/* Name of a function as its call has it; longer ones are not found. */
static bool function_key(char key[KEY_LEN], const char *op, const char *domain)
{
    const int n = snprintf(key, KEY_LEN, "%s %s", op, domain);
    return n > 0 && n < KEY_LEN;
}

static const sc_onnx_function *find_function(const sc_onnx *x, const sc_onnx_call *c)
{
    char key[KEY_LEN];
    int32_t i;
    if (x->file.n_functions && function_key(key, c->op, c->domain) &&
        sc_names_get(&x->functions, &i, key))
        return &x->file.functions[i];
    return NULL;
}

static sc_status list_functions(sc_onnx *x)
{
    char key[KEY_LEN];
    int32_t taken;
    for (size_t i = 0; i < x->file.n_functions; i++) {
        const sc_onnx_function *f = &x->file.functions[i];
        if (!function_key(key, f->name, f->domain) || sc_names_get(&x->functions, &taken, key))
            continue;
        const char *kept = sc_arena_strndup(x->arena, key, strlen(key));
        if (!kept || sc_names_put(&x->functions, kept, (int32_t)i) != SC_OK)
            return SC_ENOMEM;
    }
    return SC_OK;
}

static sc_status unknown_op(sc_onnx *x, sc_onnx_node *n)
{
    char shown[SC_ONNX_SHOWN_LEN], domain[SC_SHOWN_LEN];
    const sc_onnx_call *c = n->call;
    sc_text_show(domain, c->domain[0] ? c->domain : "the standard domain");
    if (sc_onnx_is_opaque(c->op))
        return sc_onnx_fail(x, n, "an op of %s whose multiplications are not known here", domain);
    if (x->options.refuse)
        return sc_onnx_fail(x, n, "an op of %s that is not known here", domain);
    sc_onnx_note(x, "%s: an op of %s that is not known here, counted as movement",
                 sc_onnx_show(shown, n), domain);
    return SC_OK;
}

static bool all_shaped(const sc_onnx_node *n)
{
    for (size_t i = 0; i < n->n_in; i++)
        if (n->in[i] && !n->in[i]->shaped)
            return false;
    return true;
}

/* Whether the file itself states a shape without open dimensions. */
static bool states_shape(const sc_onnx_value *v)
{
    bool whole = v->info && v->info->shaped;
    for (size_t i = 0; whole && i < v->info->rank; i++)
        whole = v->info->dims[i].size > 0;
    return whole;
}

/* An op that fails where the file itself states the results' shapes, and whose shape no product
 * depends on, is taken at the file's word. */
static sc_status infer(sc_onnx *x, sc_onnx_node *n)
{
    const size_t length = x->errors.length, told = x->n_errors;
    bool stated = !(n->op->traits & SC_ONNX_MACS);
    const sc_status st = n->op->infer(x, n);
    x->fatal = x->n_numbers > SC_ONNX_NUMBERS;
    if (x->fatal)
        return sc_fail(SC_EPARSE, "%s: error: more constants than are worked out", x->file.name);
    if (x->no_memory)
        return SC_ENOMEM;
    for (size_t i = 0; i < n->n_out; i++)
        stated = stated && (!n->out[i] || states_shape(n->out[i]));
    if (st != SC_EPARSE || !stated || x->errors.length <= length)
        return st;
    x->errors.text[x->errors.length - 1] = '\0'; /* the end of its line */
    sc_onnx_note(x, "%s (the file's own shape is taken)", sc_onnx_told(x, length));
    x->errors.length = length;
    x->errors.text[length] = '\0';
    x->n_errors = told;
    for (size_t i = 0; i < n->n_out; i++)
        if (n->out[i])
            n->out[i]->shaped = false;
    return SC_OK;
}

/* Results without a shape get the one that the file states; others are compared with it. */
static sc_status finish_outputs(sc_onnx *x, sc_onnx_node *n)
{
    /* products are counted where the file has them, even of constants alone */
    bool constant = n->n_in > 0 && !(n->op && n->op->traits & SC_ONNX_MACS);
    sc_status st = SC_OK;
    for (size_t i = 0; i < n->n_in; i++)
        constant = constant && (!n->in[i] || n->in[i]->constant);
    for (size_t i = 0; i < n->n_out && st == SC_OK; i++) {
        sc_onnx_value *v = n->out[i];
        if (!v)
            continue;
        v->constant = v->constant || constant || v->data;
        st = sc_onnx_adopt(x, v, true);
    }
    return st;
}

/* Before opset 7 a second operand lay along `axis` of the first, with `broadcast` set: it is read
 * with axes of one element behind its own. */
static sc_status align_operand(sc_onnx *x, sc_onnx_node *n)
{
    const sc_onnx_value *a = sc_onnx_in(n, 0), *b = sc_onnx_in(n, 1);
    if (n->n_in != 2 || !a || !b || !a->shaped || !b->shaped || b->rank >= a->rank ||
        !sc_onnx_int(n, "broadcast", 0) || !sc_onnx_get(n, "axis"))
        return SC_OK;
    int64_t axis = sc_onnx_int(n, "axis", 0);
    sc_status st = sc_onnx_axis(x, n, &axis, a->rank);
    if (st != SC_OK || axis + b->rank >= a->rank)
        return st;
    sc_onnx_value *view = NULL;
    sc_onnx_node *identity = NULL;
    if ((st = sc_onnx_new_value(x, &view, b->name)) != SC_OK ||
        (st = make_identity(x, &identity, n->in[1], view)) != SC_OK)
        return st;
    view->elem = b->elem;
    view->bits = b->bits;
    view->constant = b->constant;
    view->n = b->n;
    view->data = b->data;
    view->shaped = true;
    view->rank = (uint8_t)(a->rank - axis);
    for (size_t i = 0; i < view->rank; i++)
        view->dim[i] = i < b->rank ? b->dim[i] : 1;
    n->in[1] = view;
    return execute(x, identity);
}

static sc_status visit_op(sc_onnx *x, sc_onnx_node *n)
{
    const sc_onnx_call *c = n->call;
    n->op = sc_onnx_find_op(c->domain, c->op);
    sc_status st = align_operand(x, n);
    if (st != SC_OK)
        return st;
    if (!n->op)
        st = unknown_op(x, n);
    else if (all_shaped(n) || (n->op->traits & SC_ONNX_LAZY))
        st = infer(x, n);
    if (st == SC_OK && (st = finish_outputs(x, n)) == SC_OK && n->op &&
        (n->op->traits & SC_ONNX_MACS) && n->n_out && n->out[0] &&
        (!n->out[0]->shaped || !all_shaped(n)))
        st = sc_onnx_fail(x, n, "the shapes it multiplies are missing");
    return st == SC_OK ? execute(x, n) : st;
}

static sc_status visit(sc_onnx *x, sc_onnx_node *n)
{
    const char *op = n->call->op;
    const sc_onnx_function *f = find_function(x, n->call);
    sc_status st = SC_OK;
    bool broken = false;
    for (size_t i = 0; i < n->n_out; i++)
        broken = broken || (n->out[i] && n->out[i]->broken);
    for (size_t i = 0; i < n->n_in; i++)
        broken = broken || (n->in[i] && n->in[i]->broken);
    if (broken) { /* told where it broke */
        break_outputs(n);
        return SC_OK;
    }
    const bool standard = !n->call->domain[0];
    if (f)
        st = call_function(x, n, f);
    else if (standard && strcmp(op, "If") == 0)
        st = take_branch(x, n);
    else if (standard &&
             (strcmp(op, "Loop") == 0 || strcmp(op, "Scan") == 0 || strcmp(op, "SequenceMap") == 0))
        st = sc_onnx_fail(x, n, "control flow is not imported");
    else
        st = visit_op(x, n);
    if (st == SC_EPARSE && !x->fatal) { /* told; go on to find more */
        break_outputs(n);
        st = SC_OK;
    }
    return st;
}

void sc_onnx_count_readers(sc_onnx *x)
{
    for (size_t i = 0; i < x->n_values; i++)
        x->values[i]->n_readers = x->values[i]->output;
    for (size_t i = 0; i < x->n_nodes; i++) {
        sc_onnx_node *n = x->nodes[i];
        for (size_t k = 0; k < n->n_in && !n->gone; k++)
            if (n->in[k]) {
                n->in[k]->n_readers++;
                n->in[k]->reader = n;
            }
    }
}

static sc_status tell_errors(const sc_onnx *x)
{
    if (x->n_errors > SC_ONNX_MESSAGES)
        return sc_fail(SC_EPARSE, "%s%s: error: and %zu more", x->errors.text, x->file.name,
                       x->n_errors - SC_ONNX_MESSAGES);
    return sc_fail(SC_EPARSE, "%.*s", (int)x->errors.length - 1, x->errors.text);
}

sc_status sc_onnx_walk(sc_onnx *x)
{
    const sc_onnx_graph *g = x->file.graph;
    sc_onnx_scope *scope = NULL;
    sc_status st = list_functions(x);
    if (st != SC_OK || (st = open_scope(x, &scope, NULL, NULL)) != SC_OK ||
        (st = sc_onnx_declare(x, scope, g, true)) != SC_OK ||
        (st = run_calls(x, scope, g->nodes, g->n_nodes)) != SC_OK)
        return st;
    sc_onnx_count_readers(x);
    if (x->errors.status != SC_OK || x->notes.status != SC_OK)
        return SC_ENOMEM;
    return x->n_errors ? tell_errors(x) : SC_OK;
}

void sc_onnx_clear(sc_onnx *x)
{
    while (x->scope)
        close_scope(x);
    sc_names_clear(&x->functions);
    sc_free(x->values);
    sc_free(x->nodes);
    sc_buf_clear(&x->errors);
    sc_buf_clear(&x->notes);
}
