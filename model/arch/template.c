/* Templates: found, read with the files they extend, hashed; their parameters and points. */
#include "model/arch/template.h"

#include <string.h>

#include "model/arch/data_dir.h"
#include "model/arch/digest.h"
#include "model/arch/form.h"
#include "model/arch/param.h"

enum { MAX_EXTENDS = 8 };

/* The documents of a template: the one asked for, then what it extends. */
typedef struct chain {
    size_t n;
    char *path[MAX_EXTENDS];
    sc_yaml *doc[MAX_EXTENDS];
} chain;

static const struct {
    const char *name, *about;
} BUILTINS[] = {
    {"fast", "FAST datapath space: a mesh of systolic arrays at 7 nm, 16 parameters"},
    {"edge", "PRIME edge space: a grid of PEs of cores of SIMD lanes at 16 nm, 10 parameters"},
    {"tpu-v1", "TPUv1 at 28 nm: one 256 x 256 int8 array, DDR3"},
    {"tpu-v2", "TPU-v2 at 16 nm: 2 cores of one 128 x 128 bf16 array, HBM"},
    {"tpu-v3", "TPU-v3 as built at 16 nm"},
    {"tpu-v3-7nm", "TPU-v3 die-shrunk to 7 nm, the baseline of studies"},
    {"tpu-v4i", "TPUv4i at 7 nm: four 128 x 128 bf16 arrays, 128 MiB of common memory, HBM2"},
    {"eyeriss", "Eyeriss at 65 nm: 12 x 14 PEs of one 16-bit MAC"},
    {"simba", "Simba at 16 nm: 36 chiplets of 16 int8 PEs"},
    {"nvdla-2048", "NVDLA at 16 nm, 2048 int8 MACs, 512 KiB"},
    {"nvdla-1024", "NVDLA at 16 nm, 1024 int8 MACs, 256 KiB"},
    {"nvdla-512", "NVDLA at 16 nm, 512 int8 MACs, 256 KiB"},
    {"nvdla-256", "NVDLA at 16 nm, 256 int8 MACs, 256 KiB"},
    {"nvdla-128", "NVDLA at 16 nm, 128 int8 MACs, 256 KiB"},
    {"nvdla-64", "NVDLA at 16 nm, 64 int8 MACs, 128 KiB"},
    {"nvdla-32", "NVDLA at 16 nm, 32 int8 MACs, 128 KiB"},
    {"gemmini", "Gemmini at 22 nm: 16 x 16 int8 MACs, 256 KiB of scratchpad"},
    {"a100", "A100 at 7 nm: 108 SMs of fp16 tensor cores, HBM2"},
    {"a100-80gb", "A100 with 80 GB: HBM2e at 2,039 GB/s"},
    {"v100", "V100 at 12 nm: 80 SMs of fp16 tensor cores, HBM2"},
    {"ipu-gc200", "IPU GC200 at 7 nm: 1,472 fp16 tiles of 624 KiB"},
    {"gaudi", "Gaudi at 16 nm: a bf16 matrix engine and 8 vector cores, HBM2"},
};
enum { N_BUILTINS = sizeof BUILTINS / sizeof BUILTINS[0] };

const char *sc_design_builtin(size_t i)
{
    return i < N_BUILTINS ? BUILTINS[i].name : NULL;
}

const char *sc_design_builtin_about(size_t i)
{
    return i < N_BUILTINS ? BUILTINS[i].about : NULL;
}

static void chain_clear(chain *c)
{
    for (size_t i = 0; i < c->n; i++) {
        sc_yaml_close(c->doc[i]);
        sc_free(c->path[i]);
    }
    c->n = 0;
}

static sc_status chain_add(chain *c, const char *reference, const char *beside)
{
    static const char *const FOLDERS[] = {"templates", "platforms"};
    const char *known[N_BUILTINS];
    for (size_t i = 0; i < N_BUILTINS; i++)
        known[i] = BUILTINS[i].name;
    const sc_data_kind kind = {"template or platform", FOLDERS, 2, known, N_BUILTINS};
    sc_status st = sc_data__find(&c->path[c->n], reference, &kind, beside);
    if (st == SC_OK && (st = sc_yaml_open(&c->doc[c->n], c->path[c->n])) != SC_OK) {
        sc_free(c->path[c->n]);
        return st;
    }
    c->n += st == SC_OK;
    return st;
}

static sc_status chain_add_text(chain *c, const char *name, const char *text, size_t n)
{
    sc_status st = sc_yaml_parse(&c->doc[0], name, text, n);
    if (st != SC_OK)
        return st;
    c->path[0] = sc_strdup(name);
    c->n = 1; /* chain_clear takes it from here */
    return c->path[0] ? SC_OK : SC_ENOMEM;
}

/* Add what the first document extends, and so on. */
static sc_status chain_complete(chain *c)
{
    for (;;) {
        const sc_yaml *y = c->doc[c->n - 1];
        const sc_node *extends = sc_node_get(sc_yaml_root(y), "extends");
        sc_status st = SC_OK;
        if (!extends)
            return SC_OK;
        if (c->n == MAX_EXTENDS)
            sc_node_error(extends, "more than %d files extend one another", MAX_EXTENDS);
        else if ((st = chain_add(c, sc_node_text(extends), c->path[c->n - 1])) == SC_ENOTFOUND)
            sc_node_error(extends, "%s", sc_error_message());
        else if (st == SC_OK)
            continue;
        else
            return st;
        return sc_yaml_status(y);
    }
}

/* The node under a key in the first document that has it. *doc: which. */
static const sc_node *chain_get(const chain *c, const char *key, size_t *doc)
{
    for (size_t i = 0; i < c->n; i++) {
        const sc_node *n = sc_node_get(sc_yaml_root(c->doc[i]), key);
        if (n) {
            *doc = i;
            return n;
        }
    }
    return NULL;
}

static sc_status chain_status(const chain *c)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < c->n && st == SC_OK; i++)
        st = sc_yaml_status(c->doc[i]);
    return st;
}

static void check_keys(const chain *c)
{
    static const char *const KEYS[] = {
        "version",   "name",      "about",   "source",       "technology", "clock",
        "constants", "published", "extends", "parameters",   "let",        "levels",
        "compute",   "vector",    "items",   "native_batch", "limits"};
    for (size_t i = 0; i < c->n; i++) {
        const bool last = i + 1 == c->n;
        const sc_node *root = sc_yaml_root(c->doc[i]);
        /* a file that extends another changes figures, not the organisation */
        (void)sc_map_only(root, KEYS, last ? sizeof KEYS / sizeof KEYS[0] : 9);
        (void)sc_map_version(root, 1);
    }
}

static void read_about(sc_template *t, const chain *c)
{
    const sc_node *root = sc_yaml_root(c->doc[0]);
    const char *name = NULL;
    if (sc_map_text(&name, root, "name"))
        t->name = sc_arena__text(t->arena, root, name);
    t->about = sc_arena__text(t->arena, root, sc_map_text_or(root, "about", ""));
    t->source = sc_arena__text(t->arena, root, sc_map_text_or(root, "source", ""));
    if (sc_node_get(root, "published"))
        sc_constants__read(&t->published, t->arena, sc_map_map(root, "published"));
}

static sc_status read_technology(sc_template *t, const chain *c)
{
    size_t doc = c->n - 1;
    const sc_node *n = chain_get(c, "technology", &doc);
    if (!n) {
        sc_node_error(sc_yaml_root(c->doc[doc]), "key 'technology' is missing");
        return chain_status(c);
    }
    if (sc_node_kind_of(n) == SC_NODE_MAP) /* a table inside this file */
        return sc_tech__read(&t->tech, c->doc[doc], n, c->path[doc]);
    const sc_status st = sc_tech__open(&t->tech, sc_node_text(n), c->path[doc]);
    if (st != SC_ENOTFOUND)
        return st;
    sc_node_error(n, "%s", sc_error_message());
    return chain_status(c);
}

/* Give a constant its value; one that is there from an extended document takes the new one. */
static void set_constant(sc_scope *s, size_t first, const sc_constant *c, const sc_node *at)
{
    size_t i = first;
    while (i < s->n_symbols && strcmp(s->symbol[i].name, c->name) != 0)
        i++;
    if (i == s->n_symbols)
        i = sc_scope__add(s, at, "constant", c->name, NULL, 0);
    if (i < SC_MAX_SYMBOLS)
        s->value[i] = c->value;
}

/* Constants of the technology, then of the documents, the extended ones first. */
static void read_constants(sc_template *t, const chain *c)
{
    const sc_constants *tech = &t->tech->constants;
    for (size_t i = 0; i < tech->n; i++)
        set_constant(&t->scope, 0, &tech->item[i], sc_yaml_root(c->doc[0]));
    const size_t first = t->scope.n_symbols;
    for (size_t d = c->n; d-- > 0;) {
        const sc_node *root = sc_yaml_root(c->doc[d]);
        const sc_node *map = sc_node_get(root, "constants") ? sc_map_map(root, "constants") : NULL;
        sc_constants__read(&t->constants, t->arena, map);
        for (size_t i = 0; i < t->constants.n; i++)
            set_constant(&t->scope, first, &t->constants.item[i],
                         sc_node_get(map, t->constants.item[i].name));
    }
}

static const char *set_file(sc_template *t, const chain *c, size_t doc)
{
    const sc_yaml *y = c->doc[doc];
    t->scope.file = sc_arena__text(t->arena, sc_yaml_root(y), sc_yaml_name(y));
    return t->scope.file;
}

/* A table of measured energies of which this chip has no part is a mistake, not a no-op. */
static void check_measured(const sc_template *t, const sc_node *technology)
{
    bool any = t->tech->n_measured == 0 || sc_tech__measured(t->tech, t->compute.name);
    for (size_t i = 0; i < t->n_levels; i++)
        any = any || sc_tech__measured(t->tech, t->level[i].name);
    if (!any)
        sc_node_error(technology,
                      "%s has energies of %zu components, none of them a level or the MACs here "
                      "('%s' is the first)",
                      t->tech->ert, t->tech->n_measured, t->tech->measured[0].name);
}

static void read_formulas(sc_template *t, const chain *c)
{
    size_t doc = c->n - 1;
    const sc_node *root = sc_yaml_root(c->doc[doc]);
    const sc_node *batch = sc_node_get(root, "native_batch");
    const sc_node *parameters = sc_node_get(root, "parameters"), *let = sc_node_get(root, "let");
    if (!set_file(t, c, doc))
        return;
    t->scope.arena = t->arena;
    sc_params__read(&t->scope, t->when, parameters ? sc_map_sequence(root, "parameters") : NULL);
    sc_scope__read_lets(&t->scope, let ? sc_map_map(root, "let") : NULL);
    t->native_batch = sc_formula__number(1);
    if (batch)
        (void)sc_formula__read(&t->native_batch, &t->scope, batch, SC_UNIT_NONE);
    sc_form__read_chain(t, root);
    check_measured(t, chain_get(c, "technology", &doc));
    const sc_node *clock = chain_get(c, "clock", &doc);
    if (!clock)
        sc_node_error(root, "key 'clock' is missing");
    else if (set_file(t, c, doc))
        (void)sc_formula__read(&t->clock_hz, &t->scope, clock, SC_UNIT_HZ);
}

/* Every formula of the template once, in a fixed order. */
static sc_status tabulate(sc_template *t)
{
    sc_scope *s = &t->scope;
    sc_formula *rest[] = {&t->clock_hz,     &t->native_batch, &t->compute.x, &t->compute.y,
                          &t->compute.rows, &t->compute.cols, &t->lanes,     &t->area_limit_mm2};
    sc_status st = SC_OK;
    for (size_t i = 0; st == SC_OK && i < s->n_lets; i++)
        st = sc_formula__tabulate(&s->let[i], s);
    for (size_t i = 0; st == SC_OK && i < s->n_params; i++)
        st = sc_formula__tabulate(&t->when[i], s);
    for (size_t i = 0; st == SC_OK && i < sizeof rest / sizeof rest[0]; i++)
        st = sc_formula__tabulate(rest[i], s);
    for (size_t i = 0; st == SC_OK && i < t->n_levels * SC_SLOTS; i++)
        st = sc_formula__tabulate(&t->level[i / SC_SLOTS].f[i % SC_SLOTS], s);
    for (size_t i = 0; st == SC_OK && i < t->n_extra * 2; i++)
        st = sc_formula__tabulate(i % 2 ? &t->extra[i / 2].power_w : &t->extra[i / 2].area_mm2, s);
    return st;
}

static sc_status hash_template(sc_template *t, const chain *c)
{
    char tech[SC_HASH_HEX];
    sc_buf text;
    sc_buf_init(&text);
    for (size_t i = 0; i < c->n; i++)
        sc_yaml__digest(&text, sc_yaml_root(c->doc[i]));
    sc_hash_hex(t->tech->hash, tech);
    sc_buf_puts(&text, tech);
    const sc_status st = text.status;
    if (st == SC_OK)
        t->hash = sc_hash128_of(text.text, text.length);
    sc_buf_clear(&text);
    return st;
}

/* The default point must be a chip: most mistakes in expressions show there. */
static sc_status check_default(const sc_template *t)
{
    uint32_t index[SC_TEMPLATE_PARAMS];
    sc_budget budget;
    for (size_t i = 0; i < t->scope.n_params; i++)
        index[i] = (uint32_t)t->scope.param[i].fallback;
    sc_template_canonical(t, index);
    const sc_status st = sc_template_budget(&budget, t, index);
    return st == SC_ERANGE ? SC_EPARSE : st; /* the message names file, line and column */
}

static sc_status read_template(sc_template *t, const chain *c)
{
    sc_status st = SC_OK;
    check_keys(c);
    read_about(t, c);
    if ((st = read_technology(t, c)) != SC_OK)
        return st;
    read_constants(t, c);
    read_formulas(t, c);
    if ((st = chain_status(c)) != SC_OK || (st = tabulate(t)) != SC_OK ||
        (st = hash_template(t, c)) != SC_OK)
        return st;
    return check_default(t);
}

/* The template of a chain whose first document is there. */
static sc_status create(sc_template **out, chain *c, const char *spec)
{
    sc_status st = SC_OK;
    sc_template *t = sc_calloc(1, sizeof *t);
    if (!t)
        return SC_ENOMEM;
    atomic_init(&t->refs, 1);
    if ((st = sc_arena_create(&t->arena, 1 << 16)) != SC_OK)
        goto done;
    if (!(t->spec = sc_arena_strndup(t->arena, spec, strlen(spec)))) {
        st = SC_ENOMEM;
        goto done;
    }
    if ((st = chain_complete(c)) != SC_OK || (st = read_template(t, c)) != SC_OK)
        goto done;
    *out = t;
    t = NULL;
done:
    sc_template_destroy(t);
    return st;
}

sc_status sc_template_open(sc_template **out, const char *name_or_path)
{
    chain c = {0};
    sc_status st = chain_add(&c, name_or_path, NULL);
    if (st == SC_OK)
        st = create(out, &c, name_or_path);
    chain_clear(&c);
    return st;
}

sc_status sc_template__parse(sc_template **out, const char *name, const char *text, size_t n)
{
    chain c = {0};
    sc_status st = chain_add_text(&c, name, text, n);
    if (st == SC_OK)
        st = create(out, &c, name);
    chain_clear(&c);
    return st;
}

sc_template *sc_template__ref(const sc_template *t)
{
    sc_template *shared = (sc_template *)t; /* only the count changes */
    atomic_fetch_add(&shared->refs, 1);
    return shared;
}

void sc_template_destroy(sc_template *t)
{
    if (!t || atomic_fetch_sub(&t->refs, 1) != 1)
        return;
    sc_scope__clear(&t->scope);
    sc_tech__destroy(t->tech);
    sc_arena_destroy(t->arena);
    sc_free(t);
}

const char *sc_template_name(const sc_template *t)
{
    return t->name;
}

size_t sc_template_params(const sc_template *t)
{
    return t->scope.n_params;
}

const sc_param *sc_template_param(const sc_template *t, size_t i)
{
    return i < t->scope.n_params ? &t->scope.param[i] : NULL;
}

sc_hash128 sc_template_hash(const sc_template *t)
{
    return t->hash;
}

/* A condition without a value (NaN) does not hold. */
static bool holds(double v)
{
    return v > 0 || v < 0;
}

bool sc_template_active(const sc_template *t, size_t i, const uint32_t *index)
{
    sc_point p;
    p.scope = &t->scope;
    p.index = index;
    p.filled = false;
    return holds(sc_formula__value(&t->when[i], &p));
}

void sc_template_canonical(const sc_template *t, uint32_t *index)
{
    for (size_t i = 0; i < t->scope.n_params; i++)
        if (!sc_template_active(t, i, index))
            index[i] = (uint32_t)t->scope.param[i].fallback;
}
