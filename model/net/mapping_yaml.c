#include <string.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/number.h"
#include "model/net/map_result.h"

enum { FORM_VERSION = 1 };

bool sc_mapped_clips(const sc_mapped *m, int dim)
{
    const uint64_t bound = m->padded.bound[dim];
    return sc_mapping_dim(&m->mapping, (unsigned)dim, bound).product > bound;
}

typedef struct reader {
    const sc_einsum *e;
    const sc_arch *a;
    sc_mapping *m;
} reader;

static int find_dim(const sc_einsum *e, const char *name, size_t length)
{
    for (int d = 0; d < e->n_dims; d++)
        if (strlen(e->dim_name[d]) == length && memcmp(e->dim_name[d], name, length) == 0)
            return d;
    return -1;
}

/* One loop, "K=16". */
static bool read_loop(sc_loops *loops, const reader *r, const sc_node *n)
{
    const char *text = sc_node_text(n), *equals = strchr(text, '=');
    const int dim = equals ? find_dim(r->e, text, (size_t)(equals - text)) : -1;
    int64_t factor;
    if (dim < 0) {
        sc_node_error(n, "'%.40s' is no loop: write DIMENSION=FACTOR with a dimension of the op",
                      text);
        return false;
    }
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim) {
            sc_node_error(n, "dimension %s stands twice in one block", r->e->dim_name[dim]);
            return false;
        }
    if (sc_integer_read(&factor, equals + 1) != SC_OK || factor < 1) {
        sc_node_error_at(n, (size_t)(equals + 1 - text), "a factor is a whole number from 1");
        return false;
    }
    loops->dim[loops->n] = (uint8_t)dim;
    loops->factor[loops->n++] = (uint64_t)factor;
    return true;
}

/* Loops are written outermost first and kept innermost first. */
static bool read_loops(sc_loops *loops, const reader *r, const sc_node *level, const char *key)
{
    if (!sc_node_get(level, key))
        return true;
    const sc_node *list = sc_map_sequence(level, key);
    if (!list)
        return false;
    bool ok = true;
    for (size_t i = sc_node_count(list); i-- > 0;)
        ok &= read_loop(loops, r, sc_node_item(list, i));
    return ok;
}

static bool read_keep(sc_block *b, const reader *r, const sc_node *level)
{
    const char *names[SC_MAX_TENSORS];
    const sc_node *list = sc_map_sequence(level, "keep");
    bool ok = list != NULL;
    for (int t = 0; t < r->e->n_tensors; t++)
        names[t] = r->e->tensor[t].name;
    for (size_t i = 0; ok && i < sc_node_count(list); i++) {
        size_t t;
        ok = sc_node_choice(&t, sc_node_item(list, i), names, r->e->n_tensors);
        if (ok)
            b->keep |= (uint8_t)(1u << t);
    }
    return ok;
}

static bool read_level(const reader *r, const sc_node *n, int level)
{
    static const char *const keys[] = {"level", "keep", "temporal", "x", "diagonal", "y"};
    const char *name;
    sc_block *b = &r->m->level[level];
    bool ok = sc_map_only(n, keys, sizeof keys / sizeof *keys);
    if (!sc_map_text(&name, n, "level"))
        return false;
    if (strcmp(name, r->a->level[level].name) != 0) {
        sc_node_error(sc_node_get(n, "level"), "level '%.40s' stands where the design has '%s'",
                      name, r->a->level[level].name);
        return false;
    }
    ok &= read_keep(b, r, n);
    ok &= read_loops(&b->temporal, r, n, "temporal");
    ok &= read_loops(&b->spatial, r, n, "x");
    const int first_diagonal = b->spatial.n;
    ok &= read_loops(&b->spatial, r, n, "diagonal");
    b->split = b->spatial.n;
    for (int i = first_diagonal; i < b->split; i++)
        b->diagonal |= (uint8_t)(1u << i);
    ok &= read_loops(&b->spatial, r, n, "y");
    return ok;
}

/* The dimensions of the list `clip`, a bit each, with the places where they stand. */
static bool read_clip(uint32_t *clip, const sc_node *at[SC_MAX_DIMS], const reader *r,
                      const sc_node *root)
{
    const char *names[SC_MAX_DIMS];
    bool ok = true;
    *clip = 0;
    if (!sc_node_get(root, "clip"))
        return true;
    const sc_node *list = sc_map_sequence(root, "clip");
    for (int d = 0; d < r->e->n_dims; d++)
        names[d] = r->e->dim_name[d];
    for (size_t i = 0; list && i < sc_node_count(list); i++) {
        const sc_node *item = sc_node_item(list, i);
        size_t d;
        if (!sc_node_choice(&d, item, names, r->e->n_dims)) {
            ok = false;
            continue;
        }
        if (*clip >> d & 1) {
            sc_node_error(item, "dimension %s stands twice", names[d]);
            ok = false;
        }
        *clip |= 1u << d;
        at[d] = item;
    }
    return ok && list;
}

/* The bounds that are counted: of clipped dimensions the op's, of others what the factors make. */
static bool set_bounds(sc_einsum *padded, const reader *r, const sc_node *root)
{
    const sc_node *at[SC_MAX_DIMS];
    uint32_t clip;
    bool ok = read_clip(&clip, at, r, root);
    *padded = *r->e;
    for (int d = 0; ok && d < r->e->n_dims; d++) {
        const sc_mapped_dim f = sc_mapping_dim(r->m, (unsigned)d, r->e->bound[d]);
        const unsigned long long product = f.product, bound = r->e->bound[d];
        const sc_node *levels = sc_node_get(root, "levels");
        if (product > INT64_MAX) {
            sc_node_error(levels, "factors of %s multiply to more than 2^63 - 1, the op has %llu",
                          r->e->dim_name[d], bound);
            return false;
        }
        if (product < bound) {
            sc_node_error(levels, "factors of %s multiply to %llu, the op has %llu",
                          r->e->dim_name[d], product, bound);
            return false;
        }
        if (!(clip >> d & 1)) {
            padded->bound[d] = product;
            continue;
        }
        if (f.needed < f.outer) {
            sc_node_error(at[d],
                          "factors of %s multiply to %llu, the op has %llu: of the outermost loop "
                          "only %llu of %llu iterations have work",
                          r->e->dim_name[d], product, bound, (unsigned long long)f.needed,
                          (unsigned long long)f.outer);
            return false;
        }
    }
    return ok;
}

static bool read_body(sc_mapping *out, sc_einsum *padded, const sc_node *node, const sc_einsum *e,
                      const sc_arch *a)
{
    sc_mapping m = {.n_levels = (uint8_t)a->n_levels};
    const reader r = {e, a, &m};
    bool ok = true;
    const sc_node *levels = sc_map_sequence(node, "levels");
    if (!levels)
        return false;
    if (sc_node_count(levels) != a->n_levels) {
        sc_node_error(levels, "%zu levels, the design has %u", sc_node_count(levels), a->n_levels);
        return false;
    }
    for (uint32_t level = 0; level < a->n_levels; level++)
        ok &= read_level(&r, sc_node_item(levels, level), (int)level);
    if (!ok || !set_bounds(padded, &r, node))
        return false;
    *out = m;
    return true;
}

bool sc_mapping_read(sc_mapping *out, sc_einsum *padded, const sc_node *root, const sc_einsum *e,
                     const sc_arch *a)
{
    static const char *const keys[] = {"version", "op", "clip", "levels"};
    bool ok = sc_map_version(root, FORM_VERSION);
    ok &= sc_map_only(root, keys, sizeof keys / sizeof *keys);
    return read_body(out, padded, root, e, a) && ok;
}

bool sc_mapping_read_entry(sc_mapping *out, sc_einsum *padded, const sc_node *entry,
                           const sc_einsum *e, const sc_arch *a)
{
    static const char *const keys[] = {"op", "clip", "levels"};
    const bool ok = sc_map_only(entry, keys, sizeof keys / sizeof *keys);
    return read_body(out, padded, entry, e, a) && ok;
}

bool sc_mapping_is_set(const sc_node *root)
{
    return sc_node_get(root, "mappings") != NULL;
}

/* Index of the op of that name; looked for from `hint` on, since files follow the network. */
static size_t find_op(const sc_mapped_op *ops, size_t n, const char *name, size_t hint)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(ops[(hint + i) % n].name, name) == 0)
            return (hint + i) % n;
    return n;
}

bool sc_mapping_entries(const sc_node **entry, const sc_node *root, const sc_mapped_op *ops,
                        size_t n_ops, bool others)
{
    static const char *const keys[] = {"version", "mappings"};
    const char *name;
    size_t at = 0;
    if (!sc_mapping_is_set(root)) {
        if (n_ops > 1)
            sc_node_error(root, "one mapping and no word of which op it is: 'op: NAME' is missing");
        entry[0] = root;
        return n_ops == 1;
    }
    bool ok = sc_map_version(root, FORM_VERSION);
    ok &= sc_map_only(root, keys, 2);
    const sc_node *list = sc_map_sequence(root, "mappings");
    memset(entry, 0, n_ops * sizeof *entry);
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *item = sc_node_item(list, i);
        if (!sc_map_text(&name, item, "op")) {
            ok = false;
            continue;
        }
        at = find_op(ops, n_ops, name, at + 1);
        if (at == n_ops && !others)
            sc_node_error(sc_node_get(item, "op"), "the network maps no op '%.60s'", name);
        else if (at < n_ops && entry[at])
            sc_node_error(sc_node_get(item, "op"), "op '%.60s' stands twice", name);
        else if (at < n_ops)
            entry[at] = item;
    }
    for (size_t i = 0; list && i < n_ops; i++)
        if (!entry[i])
            sc_node_error(list, "no mapping of op '%.60s'", ops[i].name);
    return ok && list;
}

static void write_loops(sc_buf *b, const char *key, const sc_loops *loops, const sc_einsum *e,
                        int from, int to, uint8_t only, uint8_t wanted)
{
    const char *comma = "";
    sc_buf_printf(b, "    %s: [", key);
    for (int i = to; i-- > from;)
        if ((only & 1u << i) == (wanted & 1u << i)) {
            sc_buf_printf(b, "%s%s=%llu", comma, e->dim_name[loops->dim[i]],
                          (unsigned long long)loops->factor[i]);
            comma = ", ";
        }
    sc_buf_puts(b, "]\n");
}

static void write_level(sc_buf *b, const sc_mapped *m, const sc_level *level, int i)
{
    const sc_block *block = &m->mapping.level[i];
    const char *comma = "";
    sc_buf_printf(b, "  - level: %s\n    keep: [", level->name);
    for (int t = 0; t < m->padded.n_tensors; t++)
        if (block->keep & 1u << t) {
            sc_buf_printf(b, "%s%s", comma, m->padded.tensor[t].name);
            comma = ", ";
        }
    sc_buf_puts(b, "]\n");
    write_loops(b, "temporal", &block->temporal, &m->padded, 0, block->temporal.n, 0, 0);
    if (block->spatial.n == 0)
        return;
    write_loops(b, "x", &block->spatial, &m->padded, 0, block->split, block->diagonal, 0);
    if (block->diagonal)
        write_loops(b, "diagonal", &block->spatial, &m->padded, 0, block->split, block->diagonal,
                    UINT8_MAX);
    write_loops(b, "y", &block->spatial, &m->padded, block->split, block->spatial.n, 0, 0);
}

static void write_clip(sc_buf *b, const sc_mapped *m, const char *prefix)
{
    bool any = false;
    for (int d = 0; d < m->padded.n_dims; d++)
        if (sc_mapped_clips(m, d)) {
            sc_buf_printf(b, "%s%s%s", any ? "" : prefix, any ? ", " : "clip: [",
                          m->padded.dim_name[d]);
            any = true;
        }
    if (any)
        sc_buf_puts(b, "]\n");
}

/* Its name and levels, each line after `prefix` and the first one after `first`. */
static sc_status write_body(sc_buf *b, const sc_mapped *m, const sc_arch *a, const char *op,
                            const char *first, const char *prefix)
{
    char *name = NULL;
    json_t *text = json_string(op); /* a JSON string is a YAML scalar */
    const sc_status st = text ? sc_json_write(&name, text, 0) : SC_ENOMEM;
    json_decref(text);
    if (st != SC_OK)
        return st;
    sc_buf_printf(b, "%sop: %s\n", first, name);
    sc_free(name);
    write_clip(b, m, prefix);
    sc_buf_printf(b, "%slevels:\n", prefix);
    for (int level = 0; level < (int)a->n_levels; level++)
        write_level(b, m, &a->level[level], level);
    return SC_OK;
}

sc_status sc_mapping_write(char **out, const sc_mapped *m, const sc_arch *a, const char *op)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_printf(&b, "version: %d\n", FORM_VERSION);
    const sc_status st = write_body(&b, m, a, op, "", "");
    if (st == SC_OK)
        return sc_buf_take(&b, out);
    sc_buf_clear(&b);
    return st;
}

/* An entry's levels stand as far in as its `levels:`, which YAML takes. */
sc_status sc_mapping_write_set(char **out, const sc_map_result *r)
{
    sc_buf b;
    sc_status st = SC_OK;
    sc_buf_init(&b);
    sc_buf_printf(&b, "version: %d\nmappings:\n", FORM_VERSION);
    for (size_t i = 0; i < r->n_ops && st == SC_OK; i++)
        st = write_body(&b, &r->ops[i].mapped, &r->arch, r->ops[i].name, "- ", "  ");
    if (st == SC_OK)
        return sc_buf_take(&b, out);
    sc_buf_clear(&b);
    return st;
}
