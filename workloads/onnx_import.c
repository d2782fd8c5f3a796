#include "workloads/onnx_import.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "workloads/checked.h"
#include "workloads/onnx_lower.h"

enum { ARENA_BYTES = 1 << 16, LAST_OPSET_READ = 25, FILE_BITS = 32 };

static const char suffix[] = ".onnx";

/** An import, from options to totals. */
typedef struct import {
    sc_onnx x;
    sc_lower l;
    sc_workload *w;
} import;

/* ---- options ---- */

static sc_status given_twice(const char *key)
{
    char shown[SC_SHOWN_LEN];
    return sc_fail(SC_EINVAL, "option '%s' is given twice", sc_text_show(shown, key));
}

/* *out is 0 until the option is given. */
static sc_status read_value(uint64_t *out, const char *key, const char *text, int64_t most)
{
    char shown[SC_SHOWN_LEN];
    int64_t v;
    if (*out != 0)
        return given_twice(key);
    if (sc_integer_read(&v, text) != SC_OK || v < 1 || v > most)
        return sc_fail(SC_EINVAL, "option '%s' must be a whole number from 1 to %" PRId64,
                       sc_text_show(shown, key), most);
    *out = (uint64_t)v;
    return SC_OK;
}

static sc_status read_dim(sc_onnx_options *o, const char *key, const char *value)
{
    char shown[SC_SHOWN_LEN];
    if (o->n_dims == SC_ONNX_OPTIONS)
        return sc_fail(SC_EINVAL, "more than %d dimensions are bound", SC_ONNX_OPTIONS);
    for (size_t i = 0; i < o->n_dims; i++)
        if (strcmp(o->dim[i].name, key) == 0)
            return given_twice(key);
    if (!sc_text_copy(o->dim[o->n_dims].name, SC_ONNX_NAME_LEN, key))
        return sc_fail(SC_EINVAL, "the name '%s' is too long", sc_text_show(shown, key));
    return read_value(&o->dim[o->n_dims++].size, key, value, INT32_MAX);
}

static sc_status read_bits(uint32_t *bits, const char *value)
{
    uint64_t v = *bits;
    const sc_status st = read_value(&v, "bits", value, FILE_BITS);
    if (st == SC_OK && v != 8 && v != 16 && v != 32)
        return sc_fail(SC_EINVAL, "option 'bits' must be 8, 16 or 32");
    *bits = (uint32_t)v;
    return st;
}

/* One "key=value"; the last = counts, since a dimension may be called "a=b". */
static sc_status read_option(sc_onnx_options *o, char *text)
{
    static const char *const ways[] = {"refuse", "movement"};
    char shown[SC_SHOWN_LEN];
    char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return sc_fail(SC_EINVAL, "option '%s' must be NAME=VALUE", sc_text_show(shown, text));
    const char *value = equals + 1;
    *equals = '\0';
    if (strcmp(text, "batch") == 0)
        return read_value(&o->batch, text, value, INT32_MAX);
    if (strcmp(text, "seq") == 0)
        return read_value(&o->seq, text, value, INT32_MAX);
    if (strcmp(text, "bits") == 0)
        return read_bits(&o->bits, value);
    if (strcmp(text, "unsupported") != 0)
        return read_dim(o, text, value);
    o->refuse = strcmp(value, ways[0]) == 0;
    return o->refuse || strcmp(value, ways[1]) == 0
               ? SC_OK
               : sc_fail(SC_EINVAL, "option 'unsupported' must be refuse or movement");
}

static sc_status read_options(sc_onnx_options *o, const char *text)
{
    sc_status st = SC_OK;
    char *copy = sc_strdup(text), *at = copy;
    if (!copy)
        return SC_ENOMEM;
    while (*at && st == SC_OK) {
        const size_t n = strcspn(at, ",");
        const bool more = at[n] == ',';
        at[n] = '\0';
        st = read_option(o, at);
        at += n + more;
    }
    sc_free(copy);
    return st;
}

static void offer_dims(sc_near *near, const sc_onnx_graph *g)
{
    for (size_t i = 0; i < g->n_inputs; i++)
        for (size_t k = 0; k < g->inputs[i].rank; k++)
            if (g->inputs[i].dims[k].name)
                sc_near_offer(near, g->inputs[i].dims[k].name);
}

/* A bound dimension that the file does not have is a mistake, not a wish. */
static sc_status check_dims(const sc_onnx *x)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    if (x->options.seq && !x->seq_bound)
        return sc_fail(SC_EINVAL,
                       "%s: error: no open dimension is called a sequence: bind it by name",
                       x->file.name);
    for (size_t i = 0; i < x->options.n_dims; i++) {
        sc_near near;
        if (x->options.dim[i].used)
            continue;
        sc_near_begin(&near, x->options.dim[i].name);
        offer_dims(&near, x->file.graph);
        return sc_fail(SC_EINVAL, "%s: error: no dimension '%s' in the file%s", x->file.name,
                       sc_text_show(shown, x->options.dim[i].name),
                       sc_did_you_mean(hint, near.best));
    }
    return SC_OK;
}

/* ---- lowering ---- */

/* Precision of the network: of the first input or weight that holds numbers with a fraction. */
static uint32_t network_bits(const sc_onnx *x)
{
    for (size_t i = 0; i < x->n_values; i++)
        if ((x->values[i]->input || x->values[i]->weight) && sc_onnx_is_real(x->values[i]->elem))
            return sc_onnx_bits(x->values[i]->elem);
    return FILE_BITS;
}

/* Samples that stand in every tensor, if they do: the first extent of the first input, or the
 * second where a recurrent layer reads it, which has its steps in front. */
static uint64_t likely_batch(const sc_onnx *x)
{
    for (size_t i = 0; i < x->n_values; i++) {
        const sc_onnx_value *v = x->values[i];
        if (!v->input || !v->shaped || v->rank < 2 || !sc_onnx_count(v) || !v->n_readers)
            continue;
        const bool steps_first = v->reader && v->reader->op &&
                                 v->reader->op->lower == sc_lower__recurrent &&
                                 sc_onnx_int(v->reader, "layout", 0) == 0;
        return (uint64_t)v->dim[steps_first];
    }
    return 1;
}

static bool all_constant(const sc_onnx_node *n)
{
    bool any = false;
    for (size_t i = 0; i < n->n_out; i++) {
        if (n->out[i] && !n->out[i]->constant)
            return false;
        any = any || n->out[i];
    }
    return any;
}

static sc_status lower_nodes(sc_lower *l)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < l->x->n_nodes && st == SC_OK; i++) {
        sc_onnx_node *n = l->x->nodes[i];
        if (!n->folded && !n->gone && !all_constant(n))
            st = n->op ? n->op->lower(l, n) : sc_lower__move(l, n);
    }
    return st;
}

/* Forget an attempt. */
static void restart(sc_lower *l, uint64_t batch)
{
    for (size_t i = 0; i < l->x->n_values; i++) {
        l->x->values[i]->lowered = l->x->values[i]->direct = false;
        l->x->values[i]->repeat = 1;
    }
    for (size_t i = 0; i < l->x->n_nodes; i++)
        l->x->nodes[i]->folded = false;
    sc_builder_destroy(l->b);
    l->b = NULL;
    l->batch = batch;
    l->unfit = false;
    l->n_uncounted = l->n_renamed = 0;
}

static sc_status lower_as(sc_lower *l, const char *name, uint64_t batch)
{
    restart(l, batch);
    const sc_status st = sc_builder_create(&l->b, name, batch, l->bits);
    return st == SC_OK ? lower_nodes(l) : st;
}

static sc_status lower(import *m, const char *name)
{
    sc_lower *l = &m->l;
    const uint64_t batch = likely_batch(&m->x);
    l->x = &m->x;
    l->bits = network_bits(&m->x);
    sc_status st = lower_as(l, name, batch);
    if (st == SC_EINVAL && l->unfit) {
        if (m->x.options.batch && !m->x.batch_bound)
            return sc_fail(SC_EINVAL,
                           "%s: error: its batch of %" PRIu64 " is fixed: batch=%" PRIu64
                           " cannot be told apart from its other extents",
                           m->x.file.name, batch, m->x.options.batch);
        sc_onnx_note(&m->x,
                     "not every tensor has a share of each of %" PRIu64
                     " samples: imported as one sample",
                     batch);
        st = lower_as(l, name, 1);
    }
    if (st == SC_OK && sc_builder_ops(l->b))
        st = sc_builder_finish(&m->w, l->b);
    return st;
}

/* Another batch size or precision than the file's. */
static sc_status rescale(import *m)
{
    const sc_onnx_options *o = &m->x.options;
    const bool batch = o->batch && !m->x.batch_bound;
    sc_workload *other = NULL;
    if (!m->w || (!batch && !o->bits))
        return SC_OK;
    const sc_status st = sc_workload__derive(&other, m->w, batch ? o->batch : m->w->batch,
                                             o->bits ? o->bits : m->w->bits);
    if (st == SC_OK) {
        sc_workload_destroy(m->w);
        m->w = other;
    }
    return st;
}

/* ---- report ---- */

static int put(json_t *o, const char *key, uint64_t v)
{
    return json_object_set_new(o, key, json_integer((json_int_t)v));
}

/* MACs by op of the file. Their sum is the network's total, which is checked. */
static json_t *macs_by_op(const import *m)
{
    json_t *o = json_object();
    for (size_t i = 0; m->w && i < m->w->n_ops; i++) {
        const char *op = m->l.row_op[i];
        const uint64_t macs = m->w->ops[i].macs;
        const json_int_t before = json_integer_value(json_object_get(o, op));
        if (macs && put(o, op, (uint64_t)before + macs) != 0) {
            json_decref(o);
            return NULL;
        }
    }
    return o;
}

static json_t *assumptions(const sc_onnx *x)
{
    json_t *list = json_array();
    const char *at = x->notes.length ? x->notes.text : "";
    while (*at) {
        const size_t n = strcspn(at, "\n");
        if (json_array_append_new(list, json_stringn(at, n)) != 0) {
            json_decref(list);
            return NULL;
        }
        at += n + (at[n] == '\n');
    }
    return list;
}

static sc_status write_report(char **out, const import *m, const char *name)
{
    const sc_workload *w = m->w;
    json_t *o = json_object();
    const sc_onnx *x = &m->x;
    int failed = json_object_set_new(o, "name", json_string(name));
    failed |= put(o, "opset", x->file.opset > 0 ? (uint64_t)x->file.opset : 0);
    failed |= put(o, "nodes", x->n_nodes);
    failed |= put(o, "ops", w ? w->n_ops : 0);
    failed |= put(o, "macs", w ? w->macs : 0);
    failed |= put(o, "parameters", x->stored);
    failed |= put(o, "network_parameters", w ? w->parameters : 0);
    failed |= put(o, "batch", w ? w->batch : m->l.batch);
    failed |= put(o, "bits", w ? w->bits : m->l.bits);
    failed |= json_object_set_new(o, "macs_by_op", macs_by_op(m));
    failed |= json_object_set_new(o, "assumptions", assumptions(x));
    failed |= put(o, "more_assumptions",
                  x->n_notes > SC_ONNX_MESSAGES ? x->n_notes - SC_ONNX_MESSAGES : 0);
    const sc_status st = failed ? sc_fail(SC_ENOMEM, "out of memory") : sc_json_write(out, o, 1);
    json_decref(o);
    return st;
}

/* ---- the whole ---- */

static void note_rest(import *m)
{
    char shown[SC_SHOWN_LEN];
    if (m->l.n_uncounted)
        sc_onnx_note(&m->x,
                     "%zu nodes are not counted, their sizes depend on data; the first is '%s'",
                     m->l.n_uncounted, sc_text_show(shown, m->l.first_uncounted));
    if (!m->x.file.opset)
        sc_onnx_note(&m->x, "no opset is stated: read as the newest");
    else if (m->x.file.opset > LAST_OPSET_READ)
        sc_onnx_note(&m->x, "opset %" PRId64 " is newer than those known (to %d)", m->x.file.opset,
                     LAST_OPSET_READ);
}

/* The file's name without folder and suffix. */
static void network_name(char out[SC_SHOWN_LEN], const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    sc_text_show(out, base);
    char *end = strstr(out, suffix);
    if (end && end != out && !end[sizeof suffix - 1])
        *end = '\0';
}

static void clear(import *m)
{
    sc_onnx_clear(&m->x);
    sc_arena_destroy(m->x.arena);
    sc_builder_destroy(m->l.b);
    sc_free(m->l.row_op);
    sc_workload_destroy(m->w);
}

static sc_status run(import *m, sc_onnx_source *source, const char *options, const char *name)
{
    sc_buf_init(&m->x.errors);
    sc_buf_init(&m->x.notes);
    sc_status st = read_options(&m->x.options, options);
    if (st != SC_OK || (st = sc_arena_create(&m->x.arena, ARENA_BYTES)) != SC_OK ||
        (st = sc_onnx_decode(&m->x.file, m->x.arena, source)) != SC_OK ||
        (st = sc_onnx_walk(&m->x)) != SC_OK || (st = check_dims(&m->x)) != SC_OK ||
        (st = sc_onnx_fuse(&m->x)) != SC_OK || (st = lower(m, name)) != SC_OK ||
        (st = rescale(m)) != SC_OK)
        return st;
    note_rest(m);
    return m->x.notes.status;
}

sc_status sc_onnx_import(sc_workload **out, char **report, sc_onnx_source *source,
                         const char *options)
{
    char name[SC_SHOWN_LEN], *text = NULL;
    import *m = sc_calloc(1, sizeof *m);
    if (!m)
        return SC_ENOMEM;
    network_name(name, source->name);
    sc_status st = run(m, source, options, name);
    if (st == SC_OK && report)
        st = write_report(&text, m, name);
    if (st == SC_OK) {
        *out = m->w;
        m->w = NULL;
        if (report)
            *report = text;
    }
    clear(m);
    sc_free(m);
    return st;
}

/* Where the options begin, or NULL: behind ".onnx:", or else the last colon. */
static const char *options_of(const char *spec)
{
    const char *found = NULL;
    if (sc_file_exists(spec))
        return NULL;
    for (const char *at = spec; (at = strstr(at, ".onnx:")) != NULL; at++)
        found = at + sizeof suffix;
    const char *colon = strrchr(spec, ':');
    return found ? found : colon ? colon + 1 : NULL;
}

bool sc_onnx_is_spec(const char *spec)
{
    const size_t n = strlen(spec), k = sizeof suffix - 1;
    return (n > k && strcmp(spec + n - k, suffix) == 0) || strstr(spec, ".onnx:");
}

sc_status sc_onnx_open(sc_workload **out, char **report, const char *spec)
{
    sc_status st = SC_OK;
    const char *options = options_of(spec);
    sc_workload *w = NULL;
    char *path = sc_strdup(spec), *text = NULL;
    sc_onnx_source *source = sc_calloc(1, sizeof *source);
    if (!path || !source) {
        st = SC_ENOMEM;
        goto done;
    }
    if (options)
        path[options - spec - 1] = '\0';
    source->name = path;
    source->fd = -1;
    if ((st = sc_file_open(&source->fd, &source->size, path)) != SC_OK ||
        (st = sc_onnx_import(&w, report ? &text : NULL, source, options ? options : "")) != SC_OK)
        goto done;
    if (!w && !report) {
        st = sc_fail(SC_EPARSE, "%s: error: no op to run in it", path);
        goto done;
    }
    *out = w;
    if (report)
        *report = text;
done:
    if (source)
        sc_file_close(source->fd);
    sc_free(source);
    sc_free(path);
    return st;
}
