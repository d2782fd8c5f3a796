#include "workloads/builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "workloads/checked.h"
#include "workloads/infer.h"
#include "workloads/names.h"

enum { ARENA_BYTES = 1 << 16, FIRST_OPS = 64, FIRST_INPUTS = 4, MAX_BITS = 64 };

struct sc_builder {
    sc_arena *arena;
    const char *name;
    uint64_t batch;
    uint32_t bits;
    size_t n_inputs, input_capacity;
    sc_network_input *inputs;
    size_t n_ops, op_capacity;
    sc_op *ops;
    sc_names names; /* of ops and inputs, to producers */
};

static char *keep(sc_builder *b, const char *text)
{
    return sc_arena_strndup(b->arena, text, strlen(text));
}

sc_status sc_builder_create(sc_builder **out, const char *name, uint64_t batch, uint32_t bits)
{
    sc_status st = SC_ENOMEM;
    if (bits < 1 || bits > MAX_BITS)
        return sc_fail(SC_EINVAL, "%" PRIu32 " bits an element, must be 1 to %d", bits, MAX_BITS);
    sc_builder *b = sc_calloc(1, sizeof *b);
    if (!b)
        return SC_ENOMEM;
    b->batch = batch;
    b->bits = bits;
    if ((st = sc_arena_create(&b->arena, ARENA_BYTES)) != SC_OK)
        goto done;
    if (!(b->name = keep(b, name))) {
        st = SC_ENOMEM;
        goto done;
    }
    *out = b;
    b = NULL;
done:
    sc_builder_destroy(b);
    return st;
}

void sc_builder_destroy(sc_builder *b)
{
    if (!b)
        return;
    sc_arena_destroy(b->arena);
    sc_free(b->inputs);
    sc_free(b->ops);
    sc_names_clear(&b->names);
    sc_free(b);
}

/* The array with room for one more item, or NULL on out of memory. */
static void *make_room(void *items, size_t *capacity, size_t used, size_t first, size_t size)
{
    if (used < *capacity)
        return items;
    const size_t wanted = *capacity ? 2 * *capacity : first;
    void *grown = sc_realloc_array(items, wanted, size);
    if (grown)
        *capacity = wanted;
    return grown;
}

static sc_status check_name(const sc_builder *b, const char *name, const char *shown)
{
    int32_t other;
    if (!name || !name[0])
        return sc_fail(SC_EINVAL, "an op or input has no name");
    if (sc_names_get(&b->names, &other, name))
        return sc_fail(SC_EINVAL, "the name '%s' is taken", shown);
    return SC_OK;
}

static sc_status check_shape(const sc_builder *b, const char *shown, sc_shape s)
{
    static const char *const what[] = {"batch", "channels", "depth", "height", "width"};
    const uint64_t extent[] = {b->batch, s.c, s.d, s.h, s.w};
    uint64_t elements = 1;
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) {
        if (extent[i] < 1)
            return sc_fail(SC_EINVAL, "%s 0 in tensor '%s'", what[i], shown);
        if (!sc_count_mul(&elements, extent[i]))
            return sc_fail(SC_ERANGE, "tensor '%s' has more than 2^63 - 1 elements", shown);
    }
    return SC_OK;
}

sc_status sc_builder_input(sc_builder *b, int32_t *producer, const char *name, sc_shape shape)
{
    char shown[SC_SHOWN_LEN];
    sc_network_input in = {.shape = shape};
    const int32_t number = -1 - (int32_t)b->n_inputs;
    sc_text_show(shown, name ? name : "");
    sc_status st = check_name(b, name, shown);
    if (st != SC_OK || (st = check_shape(b, shown, shape)) != SC_OK)
        return st;
    if (b->n_inputs == SC_MAX_OP_INPUTS)
        return sc_fail(SC_EINVAL, "more than %d network inputs", SC_MAX_OP_INPUTS);
    sc_network_input *grown =
        make_room(b->inputs, &b->input_capacity, b->n_inputs, FIRST_INPUTS, sizeof in);
    if (!grown)
        return SC_ENOMEM;
    b->inputs = grown;
    if (!(in.name = keep(b, name)) || sc_names_put(&b->names, in.name, number) != SC_OK)
        return SC_ENOMEM;
    b->inputs[b->n_inputs++] = in;
    *producer = number;
    return SC_OK;
}

bool sc_builder_shape(const sc_builder *b, sc_shape *out, int32_t producer)
{
    if (producer < 0) {
        const size_t i = (size_t)(-1 - (int64_t)producer);
        if (i >= b->n_inputs)
            return false;
        *out = b->inputs[i].shape;
        return true;
    }
    if ((size_t)producer >= b->n_ops)
        return false;
    const sc_op *op = &b->ops[producer];
    *out = (sc_shape){op->cout, op->od, op->oh, op->ow};
    return true;
}

/* Part of an extent that is read. */
static bool take(uint64_t *extent, uint64_t part)
{
    if (part > *extent)
        return false;
    if (part)
        *extent = part;
    return true;
}

static sc_status resolve_operand(sc_operand *out, const sc_builder *b, const sc_infer *job,
                                 size_t i)
{
    const sc_input_ref *ref = &job->spec->inputs[i];
    sc_shape s;
    if (!sc_builder_shape(b, &s, ref->producer))
        return sc_fail(SC_EINVAL, "op '%s': input %zu is no earlier op", job->name, i + 1);
    if (ref->as.c) {
        *out = (sc_operand){ref->producer, ref->as};
        return check_shape(b, job->name, ref->as);
    }
    if (!take(&s.c, ref->take.c) || !take(&s.d, ref->take.d) || !take(&s.h, ref->take.h) ||
        !take(&s.w, ref->take.w))
        return sc_fail(SC_EINVAL,
                       "op '%s': input %zu takes more than its producer's channels, depth, height, "
                       "width %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                       job->name, i + 1, s.c, s.d, s.h, s.w);
    *out = (sc_operand){ref->producer, s};
    return SC_OK;
}

/* Distinct producers in the order they are first read; every network input counts as -1. */
static size_t list_producers(int32_t *out, const sc_operand *in, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t p = in[i].producer < 0 ? -1 : in[i].producer;
        size_t k = 0;
        while (k < count && out[k] != p)
            k++;
        if (k == count)
            out[count++] = p;
    }
    return count;
}

/* A part that is the whole is no part: equal networks get equal descriptions. */
static void drop_whole(const sc_builder *b, sc_input_ref *ref)
{
    sc_shape s;
    sc_shape *t = &ref->take;
    if (!sc_builder_shape(b, &s, ref->producer))
        return;
    if (memcmp(&ref->as, &s, sizeof s) == 0)
        ref->as = (sc_shape){0};
    t->c = t->c == s.c ? 0 : t->c;
    t->d = t->d == s.d ? 0 : t->d;
    t->h = t->h == s.h ? 0 : t->h;
    t->w = t->w == s.w ? 0 : t->w;
}

/* Own copy of a description; what a kind has a usual value of is filled in. */
static sc_op_spec *copy_spec(sc_builder *b, const sc_op_spec *spec, const char *function)
{
    sc_op_spec *s = sc_arena_calloc(b->arena, 1, sizeof *s);
    sc_input_ref *refs = sc_arena_calloc(b->arena, spec->n_inputs, sizeof *refs);
    if (!s || !refs)
        return NULL;
    *s = *spec;
    if (spec->n_inputs)
        memcpy(refs, spec->inputs, spec->n_inputs * sizeof *refs);
    for (size_t i = 0; i < s->n_inputs; i++)
        drop_whole(b, &refs[i]);
    for (int a = 0; a < SC_AXES && s->kind == SC_OP_POOL; a++)
        s->stride[a] = s->stride[a] ? s->stride[a] : s->kernel[a];
    s->inputs = refs;
    s->name = keep(b, spec->name);
    s->function = keep(b, function);
    return s->name && s->function ? s : NULL;
}

static sc_status resolve_operands(sc_builder *b, sc_infer *job)
{
    const size_t n = job->spec->n_inputs;
    sc_operand *in = sc_arena_calloc(b->arena, n, sizeof *in);
    int32_t *producers = sc_arena_calloc(b->arena, n, sizeof *producers);
    if (!in || !producers)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const sc_status st = resolve_operand(&in[i], b, job, i);
        if (st != SC_OK)
            return st;
    }
    job->in = job->op->operands = in;
    job->op->n_operands = n;
    job->op->inputs = producers;
    job->op->n_inputs = list_producers(producers, in, n);
    return SC_OK;
}

/* The function of the kind, its usual one if none is stated. */
static sc_status choose_function(const char **out, const sc_op_spec *s, const char *shown)
{
    size_t n;
    const char *const *names = sc_op_functions(s->kind, &n);
    const char *wanted = s->function && s->function[0] ? s->function : NULL;
    char wanted_shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    for (size_t i = 0; i < n; i++)
        if (!wanted || strcmp(wanted, names[i]) == 0) {
            *out = names[i];
            return SC_OK;
        }
    return sc_fail(SC_EINVAL, "op '%s': %s has no function '%s'%s", shown, sc_op_kind_name(s->kind),
                   sc_text_show(wanted_shown, wanted ? wanted : ""),
                   sc_did_you_mean(hint, wanted ? sc_nearest(wanted, names, n) : NULL));
}

static sc_status check_spec(const sc_builder *b, const sc_op_spec *spec, const char *shown)
{
    const sc_status st = check_name(b, spec->name, shown);
    if (st != SC_OK)
        return st;
    if (spec->kind >= SC_OP_KINDS)
        return sc_fail(SC_EINVAL, "op '%s': no such kind", shown);
    if (spec->bits > MAX_BITS)
        return sc_fail(SC_EINVAL, "op '%s': %" PRIu32 " bits an element, at most %d", shown,
                       spec->bits, MAX_BITS);
    if (spec->n_inputs > SC_MAX_OP_INPUTS)
        return sc_fail(SC_EINVAL, "op '%s': %zu inputs, at most %d", shown, spec->n_inputs,
                       SC_MAX_OP_INPUTS);
    if (b->n_ops == SC_MAX_OPS)
        return sc_fail(SC_EINVAL, "more than %d ops", SC_MAX_OPS);
    return SC_OK;
}

/* Groups of one channel each are what hardware calls depthwise. */
static void name_depthwise(sc_op_spec *s, const sc_operand *in)
{
    if (s->kind == SC_OP_CONV && s->n_inputs == 1 && s->groups > 1 && s->groups == in[0].read.c)
        s->kind = SC_OP_DWCONV;
}

sc_status sc_builder_add(sc_builder *b, int32_t *index, const sc_op_spec *spec)
{
    sc_op op = {.batch = b->batch, .bits = spec->bits ? spec->bits : b->bits};
    sc_infer job = {.op = &op, .spec = spec};
    const char *function = NULL;
    sc_op_spec *own;
    sc_text_show(job.name, spec->name ? spec->name : "");
    sc_status st = check_spec(b, spec, job.name);
    if (st != SC_OK || (st = choose_function(&function, spec, job.name)) != SC_OK)
        return st;
    if (!(own = copy_spec(b, spec, function)))
        return SC_ENOMEM;
    if ((st = resolve_operands(b, &job)) != SC_OK)
        return st;
    name_depthwise(own, job.in);
    job.spec = op.spec = own;
    op.name = own->name;
    op.kind = own->kind;
    op.function = own->function;
    if ((st = sc_infer__op(&job)) != SC_OK)
        return st;
    sc_op *grown = make_room(b->ops, &b->op_capacity, b->n_ops, FIRST_OPS, sizeof op);
    if (!grown)
        return SC_ENOMEM;
    b->ops = grown;
    if ((st = sc_names_put(&b->names, op.name, (int32_t)b->n_ops)) != SC_OK)
        return st;
    *index = (int32_t)b->n_ops;
    b->ops[b->n_ops++] = op;
    return SC_OK;
}

bool sc_builder_find(const sc_builder *b, int32_t *producer, const char *name)
{
    return sc_names_get(&b->names, producer, name);
}

size_t sc_builder_ops(const sc_builder *b)
{
    return b->n_ops;
}

const sc_op *sc_builder_op(const sc_builder *b, size_t i)
{
    return &b->ops[i];
}

char *sc_builder_printf(sc_builder *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int length = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = length < 0 ? NULL : sc_arena_calloc(b->arena, (size_t)length + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    return text;
}

static sc_status total_up(sc_workload *w)
{
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        if (!sc_count_add(&w->macs, op->macs) || !sc_count_add(&w->parameters, op->weights) ||
            !sc_count_add(&w->parameters, op->other_params))
            return sc_fail(SC_ERANGE, "the network has more than 2^63 - 1 multiply-accumulates or "
                                      "parameters");
    }
    return SC_OK;
}

sc_status sc_builder_finish(sc_workload **out, sc_builder *b)
{
    sc_status st = SC_ENOMEM;
    sc_network_input *inputs = NULL;
    sc_workload *w = NULL;
    if (!b->n_ops)
        return sc_fail(SC_EINVAL, "a network needs at least one op");
    if (!(w = sc_calloc(1, sizeof *w)) ||
        !(w->ops = sc_arena_calloc(b->arena, b->n_ops, sizeof *w->ops)) ||
        !(inputs = sc_arena_calloc(b->arena, b->n_inputs, sizeof *inputs)))
        goto done;
    memcpy(w->ops, b->ops, b->n_ops * sizeof *w->ops);
    memcpy(inputs, b->inputs, b->n_inputs * sizeof *inputs);
    w->name = b->name;
    w->batch = b->batch;
    w->bits = b->bits;
    w->n_inputs = b->n_inputs;
    w->inputs = inputs;
    w->n_ops = b->n_ops;
    if ((st = total_up(w)) != SC_OK)
        goto done;
    w->arena = b->arena;
    b->arena = NULL;
    b->n_ops = b->n_inputs = 0;
    *out = w;
    w = NULL;
done:
    sc_workload_destroy(w);
    return st;
}

sc_status sc_workload__derive(sc_workload **out, const sc_workload *w, uint64_t batch,
                              uint32_t bits)
{
    sc_builder *b = NULL;
    int32_t index;
    sc_status st = sc_builder_create(&b, w->name, batch, bits);
    for (size_t i = 0; i < w->n_inputs && st == SC_OK; i++)
        st = sc_builder_input(b, &index, w->inputs[i].name, w->inputs[i].shape);
    for (size_t i = 0; i < w->n_ops && st == SC_OK; i++)
        st = sc_builder_add(b, &index, w->ops[i].spec);
    if (st == SC_OK)
        st = sc_builder_finish(out, b);
    sc_builder_destroy(b);
    return st;
}

sc_status sc_workload_with_batch(sc_workload **out, const sc_workload *w, uint64_t batch)
{
    return sc_workload__derive(out, w, batch, w->bits);
}
