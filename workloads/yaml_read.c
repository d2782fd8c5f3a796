/* A network from YAML: every error of the file in one go, none twice. */
#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "workloads/names.h"
#include "workloads/yaml_form.h"

enum {
    DEFAULT_BITS = 16,
    MOST_WORDS = SC_OP_KINDS + 16, /* kinds and activations */
    MOST_KEYS = 8 + SC_FIELDS,
    SUGGESTED_OPS = 64, /* near names are looked for among so many ops before */
    SUGGESTIONS = 20    /* and no more often: further errors are only counted */
};

typedef struct reader {
    sc_builder *b;
    sc_names failed; /* ops with an error: what reads them is passed over in silence */
    int32_t latest;  /* what an op reads that does not say: the op before it */
    enum latest_is {
        NOTHING, /* no op or input came yet */
        BROKEN,  /* it has an error, which is recorded */
        KNOWN
    } latest_is;
    const char *words[MOST_WORDS];
    sc_op_kind word_kind[MOST_WORDS];
    size_t n_words;
    unsigned n_unknown; /* inputs that nothing produces */
} reader;

/* Kinds as files name them: an activation by its function. */
static void list_words(reader *r)
{
    size_t n;
    const char *const *functions = sc_op_functions(SC_OP_ACTIVATION, &n);
    for (sc_op_kind k = 0; k < SC_OP_KINDS; k++)
        if (k != SC_OP_ACTIVATION) {
            r->words[r->n_words] = sc_op_kind_name(k);
            r->word_kind[r->n_words++] = k;
        }
    for (size_t i = 0; i < n; i++) {
        r->words[r->n_words] = functions[i];
        r->word_kind[r->n_words++] = SC_OP_ACTIVATION;
    }
}

static bool read_count(uint64_t *out, const sc_node *n, uint64_t least)
{
    int64_t v;
    if (!sc_node_integer(&v, n))
        return false;
    if (v < 0 || (uint64_t)v < least) {
        sc_node_error(n, "%" PRId64 ", must be at least %" PRIu64, v, least);
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

static bool read_precision(uint32_t *bits, const sc_node *n)
{
    static const char *const names[] = {"int8", "bf16", "fp16", "fp32"};
    static const uint32_t bits_of[] = {8, 16, 16, 32};
    const char *text = sc_node_text(n);
    uint64_t v;
    size_t i;
    if (text[0] < '0' || text[0] > '9') {
        if (!sc_node_choice(&i, n, names, sizeof names / sizeof *names))
            return false;
        *bits = bits_of[i];
        return true;
    }
    if (!read_count(&v, n, 1))
        return false;
    if (v > 64) {
        sc_node_error(n, "%" PRIu64 " bits an element, at most 64", v);
        return false;
    }
    *bits = (uint32_t)v;
    return true;
}

/* The extents under their names in a map. */
static bool read_extents(sc_shape *out, const sc_node *map, uint64_t unstated)
{
    uint64_t extent[SC_EXTENTS];
    bool ok = true;
    for (int i = 0; i < SC_EXTENTS; i++) {
        const sc_node *n = sc_node_get(map, sc_extent_names[i]);
        extent[i] = unstated;
        ok = (!n || read_count(&extent[i], n, 1)) && ok;
    }
    *out = (sc_shape){extent[0], extent[1], extent[2], extent[3]};
    return ok;
}

/* A list of numbers, or one number as a list of one. @return how many; 0 after an error. */
static size_t read_list(uint64_t *out, size_t most, const sc_node *n, uint64_t least)
{
    if (sc_node_kind_of(n) == SC_NODE_SCALAR)
        return read_count(out, n, least);
    const size_t count = sc_node_kind_of(n) == SC_NODE_SEQUENCE ? sc_node_count(n) : 0;
    if (count < 1 || count > most) {
        sc_node_error(n, "must be a number or a list of up to %zu", most);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (!read_count(&out[i], sc_node_item(n, i), least))
            return 0;
    return count;
}

/* One number for height and width, or [height, width], or [depth, height, width]. */
static bool read_axes(uint64_t axes[SC_AXES], const sc_node *n, uint64_t least)
{
    uint64_t v[SC_AXES];
    switch (read_list(v, SC_AXES, n, least)) {
    case 1: axes[SC_HEIGHT] = axes[SC_WIDTH] = v[0]; return true;
    case 2:
        axes[SC_HEIGHT] = v[0];
        axes[SC_WIDTH] = v[1];
        return true;
    case 3: memcpy(axes, v, sizeof v); return true;
    default: return false;
    }
}

/* same, valid, or numbers: as read_axes on both sides, or [top, left, bottom, right], or [front,
 * top, left, back, bottom, right]. */
static bool read_padding(sc_op_spec *s, const sc_node *n)
{
    static const char *const names[] = {"same", "valid"};
    static const sc_padding values[] = {SC_PAD_SAME, SC_PAD_VALID};
    const char *text = sc_node_text(n);
    uint64_t v[2 * SC_AXES] = {0};
    size_t i;
    if (sc_node_kind_of(n) == SC_NODE_SCALAR && (text[0] < '0' || text[0] > '9')) {
        if (!sc_node_choice(&i, n, names, 2))
            return false;
        s->padding = values[i];
        return true;
    }
    const size_t count = read_list(v, 2 * SC_AXES, n, 0);
    if (count == 5)
        sc_node_error(n, "padding has 1, 2, 3, 4 or 6 numbers");
    if (count == 0 || count == 5)
        return false;
    if (count == 6) {
        memcpy(s->pad, v, sizeof v);
    } else if (count == 4) {
        memcpy(&s->pad[SC_HEIGHT], v, 2 * sizeof *v);
        memcpy(&s->pad[SC_AXES + SC_HEIGHT], v + 2, 2 * sizeof *v);
    } else {
        uint64_t sides[SC_AXES] = {0};
        (void)read_axes(sides, n, 0);
        memcpy(s->pad, sides, sizeof sides);
        memcpy(&s->pad[SC_AXES], sides, sizeof sides);
    }
    return true;
}

static bool read_field(sc_op_spec *s, const sc_node *n, const sc_field *f)
{
    char *member = (char *)s + f->offset;
    uint64_t v[SC_AXES] = {0};
    bool flag, ok = false;
    switch (f->what) {
    case SC_FIELD_COUNT:
        if ((ok = read_count(v, n, f->least)))
            memcpy(member, v, sizeof v[0]);
        break;
    case SC_FIELD_FLAG:
        if ((ok = sc_node_bool(&flag, n)))
            memcpy(member, &flag, sizeof flag);
        break;
    case SC_FIELD_AXES:
        if ((ok = read_axes(v, n, f->least)))
            memcpy(member, v, sizeof v);
        break;
    }
    return ok;
}

static bool check_keys(const sc_node *op, uint32_t kind)
{
    const char *allowed[MOST_KEYS] = {"name", "kind", "inputs", "precision"};
    size_t n = 4;
    for (int i = 0; i < SC_FIELDS; i++)
        if (sc_fields[i].kinds & kind)
            allowed[n++] = sc_fields[i].key;
    if (sc_kinds_with_function & kind)
        allowed[n++] = "function";
    if (sc_kinds_with_padding & kind)
        allowed[n++] = "padding";
    if (sc_kinds_with_shape & kind)
        allowed[n++] = "shape";
    return sc_map_only(op, allowed, n);
}

static bool read_shape(sc_op_spec *s, const sc_node *op)
{
    const sc_node *n = sc_map_map(op, "shape");
    const bool resize = s->kind == SC_OP_RESIZE; /* which keeps its channels */
    return n && sc_map_only(n, sc_extent_names + resize, SC_EXTENTS - (size_t)resize) &&
           read_extents(&s->shape, n, 0);
}

/* Everything under the op's keys but its inputs. */
static bool read_keys(sc_op_spec *s, const sc_node *op)
{
    const uint32_t kind = UINT32_C(1) << s->kind;
    const sc_node *n;
    bool ok = check_keys(op, kind);
    for (int i = 0; i < SC_FIELDS; i++)
        if (sc_fields[i].kinds & kind && (n = sc_node_get(op, sc_fields[i].key)) != NULL)
            ok = read_field(s, n, &sc_fields[i]) && ok;
    if (sc_kinds_with_function & kind && sc_node_get(op, "function"))
        ok = sc_map_text(&s->function, op, "function") && ok;
    if (sc_kinds_with_padding & kind && (n = sc_node_get(op, "padding")) != NULL)
        ok = read_padding(s, n) && ok;
    if (sc_kinds_with_shape & kind)
        ok = read_shape(s, op) && ok;
    if ((n = sc_node_get(op, "precision")) != NULL)
        ok = read_precision(&s->bits, n) && ok;
    if (s->global && (n = sc_node_get(op, "kernel")) != NULL) {
        sc_node_error(n, "a global pool has no kernel: it is as large as what it reads");
        ok = false;
    }
    return ok;
}

static void unknown_input(reader *r, const sc_node *n)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    const size_t ops = r->n_unknown++ < SUGGESTIONS ? sc_builder_ops(r->b) : 0;
    sc_near near;
    sc_near_begin(&near, sc_node_text(n));
    for (size_t i = ops > SUGGESTED_OPS ? ops - SUGGESTED_OPS : 0; i < ops; i++)
        sc_near_offer(&near, sc_builder_op(r->b, i)->name);
    sc_node_error(n, "no earlier op or network input '%s'%s", sc_text_show(shown, sc_node_text(n)),
                  sc_did_you_mean(hint, near.best));
}

/* One input: a name, or {of: name, channels: ...} for a part of it. */
static bool read_ref(sc_input_ref *ref, reader *r, const sc_node *n)
{
    static const char *const allowed[] = {"of", "as", "channels", "depth", "height", "width"};
    int32_t ignored;
    const sc_node *as = NULL;
    if (sc_node_kind_of(n) == SC_NODE_MAP) {
        if (!sc_map_only(n, allowed, sizeof allowed / sizeof *allowed) ||
            !read_extents(&ref->take, n, 0))
            return false;
        if ((as = sc_node_get(n, "as")) != NULL &&
            (!sc_map_map(n, "as") || !sc_map_only(as, sc_extent_names, SC_EXTENTS) ||
             !read_extents(&ref->as, as, 1)))
            return false;
        n = sc_map_node(n, "of");
    }
    if (!n)
        return false;
    if (sc_builder_find(r->b, &ref->producer, sc_node_text(n)))
        return true;
    if (!sc_names_get(&r->failed, &ignored, sc_node_text(n)))
        unknown_input(r, n);
    return false;
}

/* The inputs of an op: as listed, or the one result before it. @return the array, to be freed; NULL
 * after an error. */
static sc_input_ref *read_refs(size_t *count, reader *r, const sc_node *op)
{
    const sc_node *list = sc_node_get(op, "inputs");
    const size_t n = list ? sc_node_count(list) : 1;
    bool ok = true;
    if (list && !sc_map_sequence(op, "inputs"))
        return NULL;
    if (!list && r->latest_is == NOTHING)
        sc_node_error(op, "reads nothing: no op or network input stands before it");
    if (!list && r->latest_is != KNOWN)
        return NULL;
    if (n > SC_MAX_OP_INPUTS) {
        sc_node_error(list, "%zu inputs, at most %d", n, SC_MAX_OP_INPUTS);
        return NULL;
    }
    sc_input_ref *refs = sc_calloc(n ? n : 1, sizeof *refs);
    if (!refs) {
        sc_node_fail(op, SC_ENOMEM);
        return NULL;
    }
    if (!list)
        refs[0].producer = r->latest;
    for (size_t i = 0; list && i < n; i++)
        ok = read_ref(&refs[i], r, sc_node_item(list, i)) && ok;
    if (!ok) {
        sc_free(refs);
        return NULL;
    }
    *count = n;
    return refs;
}

/* Record the thread's last failure at a node: as the document's own if it is about its contents. */
static void record(const sc_node *at, sc_status st)
{
    if (st == SC_EINVAL || st == SC_ERANGE)
        sc_node_error(at, "%s", sc_error_message());
    else
        sc_node_fail(at, st);
}

static bool add_op(reader *r, const sc_node *op)
{
    sc_op_spec s = {.kind = SC_OP_KINDS};
    size_t word;
    if (sc_node_kind_of(op) != SC_NODE_MAP) {
        sc_node_error(op, "an op must be a map");
        return false;
    }
    bool ok = sc_map_text(&s.name, op, "name");
    if (!sc_map_choice(&word, op, "kind", r->words, r->n_words))
        return false;
    s.kind = r->word_kind[word];
    if (s.kind == SC_OP_ACTIVATION)
        s.function = r->words[word];
    ok = read_keys(&s, op) && ok;
    sc_input_ref *refs = read_refs(&s.n_inputs, r, op);
    s.inputs = refs;
    if (ok && refs) {
        const sc_status st = sc_builder_add(r->b, &r->latest, &s);
        if (st != SC_OK)
            record(op, st);
        ok = st == SC_OK;
    }
    sc_free(refs);
    return ok && refs;
}

/* What reads that name says nothing: its fault is told already. */
static void set_failed(reader *r, const sc_node *at, const char *name)
{
    int32_t ignored;
    r->latest_is = BROKEN;
    if (!sc_names_get(&r->failed, &ignored, name) && sc_names_put(&r->failed, name, 0) != SC_OK)
        sc_node_fail(at, SC_ENOMEM);
}

static void read_op(reader *r, const sc_node *op)
{
    const char *name = sc_map_text_or(op, "name", "");
    if (add_op(r, op)) {
        r->latest_is = KNOWN;
        return;
    }
    set_failed(r, op, name);
}

static void read_inputs(reader *r, const sc_node *root)
{
    const sc_node *map = sc_map_map(root, "inputs");
    sc_shape shape;
    if (map && !sc_node_count(map))
        sc_node_error(map, "a network needs an input");
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const sc_node *n = sc_node_item(map, i);
        if (!sc_map_only(n, sc_extent_names, SC_EXTENTS) || !read_extents(&shape, n, 1)) {
            set_failed(r, n, sc_node_key(map, i));
            continue;
        }
        const sc_status st = sc_builder_input(r->b, &r->latest, sc_node_key(map, i), shape);
        r->latest_is = KNOWN;
        if (st != SC_OK) {
            record(sc_node_key_node(map, i), st);
            set_failed(r, n, sc_node_key(map, i));
        }
    }
}

static void read_network(reader *r, const sc_node *root)
{
    read_inputs(r, root);
    const sc_node *ops = sc_map_sequence(root, "ops");
    for (size_t i = 0; i < sc_node_count(ops); i++)
        read_op(r, sc_node_item(ops, i));
    if (ops && !sc_node_count(ops))
        sc_node_error(ops, "a network needs at least one op");
}

sc_status sc_workload__yaml_read(sc_workload **out, const sc_yaml *doc)
{
    static const char *const allowed[] = {"version", "name", "batch", "precision", "inputs", "ops"};
    const sc_node *root = sc_yaml_root(doc), *n;
    reader r = {.latest_is = NOTHING};
    const char *name = "";
    uint64_t batch = 1;
    uint32_t bits = DEFAULT_BITS;
    sc_status st = SC_OK;
    list_words(&r);
    if (sc_map_only(root, allowed, sizeof allowed / sizeof *allowed)) {
        (void)sc_map_version(root, 1);
        (void)sc_map_text(&name, root, "name");
        if ((n = sc_node_get(root, "batch")) != NULL)
            (void)read_count(&batch, n, 0); /* 0 is refused with the name of a tensor */
        if ((n = sc_node_get(root, "precision")) != NULL)
            (void)read_precision(&bits, n);
        if ((st = sc_builder_create(&r.b, name, batch, bits)) != SC_OK)
            goto done;
        read_network(&r, root);
    }
    if ((st = sc_yaml_status(doc)) == SC_OK)
        st = sc_builder_finish(out, r.b);
done:
    sc_names_clear(&r.failed);
    sc_builder_destroy(r.b);
    return st;
}

sc_status sc_workload__yaml_open(sc_workload **out, const char *path)
{
    sc_yaml *doc = NULL;
    sc_status st = sc_yaml_open(&doc, path);
    if (st == SC_OK)
        st = sc_workload__yaml_read(out, doc);
    sc_yaml_close(doc);
    return st;
}
