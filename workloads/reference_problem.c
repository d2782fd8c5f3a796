#include "workloads/reference_problem.h"

#include <ctype.h>
#include <string.h>

#include "core/text.h"
#include "workloads/reference_size.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { MAX_COEFFICIENTS = 16 };

typedef struct problem_reader {
    sc_einsum e;
    const sc_node *macros; /* may be NULL */
    unsigned n_coefficients;
    char coefficient_name[MAX_COEFFICIENTS][SC_NAME_LEN];
    int64_t coefficient[MAX_COEFFICIENTS];
} problem_reader;

/* The shape the reference tool calls cnn-layer: what older files mean when they name no shape. */
static const char cnn_layer[] =
    "{name: CNN-Layer, dimensions: [R, S, P, Q, C, K, N],"
    " coefficients: [{name: Wstride, default: 1}, {name: Hstride, default: 1},"
    "                {name: Wdilation, default: 1}, {name: Hdilation, default: 1}],"
    " data_spaces: [{name: Weights, projection: [[[C]], [[K]], [[R]], [[S]]]},"
    "               {name: Inputs, projection: [[[N]], [[C]],"
    "                   [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]},"
    "               {name: Outputs, projection: [[[N]], [[K]], [[Q]], [[P]]], read_write: true}]}";

/* The other shapes it comes with. */
static const char gemm_abz[] =
    "{name: gemm-ABZ, dimensions: [M, N, K],"
    " data_spaces: [{name: A, projection: [[[M]], [[K]]]}, {name: B, projection: [[[N]], [[K]]]},"
    "               {name: Z, projection: [[[M]], [[N]]], read_write: true}]}";

static const struct {
    const char *name, *text;
} built_in[] = {{"cnn-layer", cnn_layer}, {"gemm-ABZ", gemm_abz}};

bool sc_reference_same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
            return false;
    return *a == *b;
}

static bool is_known(const char *key, const char *const *known, size_t n_known)
{
    for (size_t k = 0; k < n_known; k++)
        if (sc_reference_same(key, known[k]))
            return true;
    return false;
}

/* The value of a key, - and _ alike. */
static const sc_node *get(const sc_node *map, const char *name)
{
    for (size_t i = 0; sc_node_kind_of(map) == SC_NODE_MAP && i < sc_node_count(map); i++)
        if (sc_reference_same(sc_node_key(map, i), name))
            return sc_node_item(map, i);
    return NULL;
}

/* A key that is not known is passed over, unless it looks like one that was mistyped. */
static void report_unknown(const sc_node *map, size_t i, const char *const *known, size_t n_known,
                           const char *what)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    const char *key = sc_node_key(map, i);
    const char *near = strlen(key) > 2 ? sc_nearest(key, known, n_known) : NULL;
    if (near)
        sc_node_error(sc_node_key_node(map, i), "unknown key '%s'%s", sc_text_show(shown, key),
                      sc_did_you_mean(hint, near));
    else
        sc_node_warning(sc_node_key_node(map, i), "'%s' %s, passed over", sc_text_show(shown, key),
                        what);
}

static void warn_unknown(const sc_node *map, const char *const *known, size_t n_known)
{
    for (size_t i = 0; i < sc_node_count(map); i++)
        if (!is_known(sc_node_key(map, i), known, n_known))
            report_unknown(map, i, known, n_known, "has no meaning here");
}

static bool read_name(char out[SC_NAME_LEN], const sc_node *n, const char *what)
{
    if (sc_node_kind_of(n) != SC_NODE_SCALAR || !sc_node_text(n)[0]) {
        sc_node_error(n, "a %s must be a name", what);
        return false;
    }
    if (!sc_text_copy(out, SC_NAME_LEN, sc_node_text(n))) {
        sc_node_error(n, "a %s may have at most %d bytes", what, SC_NAME_LEN - 1);
        return false;
    }
    return true;
}

static int find(char names[][SC_NAME_LEN], unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

static bool read_dimensions(problem_reader *r, const sc_node *shape)
{
    const sc_node *list = sc_map_sequence(shape, "dimensions");
    if (!list)
        return false;
    if (sc_node_count(list) > SC_MAX_DIMS) {
        sc_node_error(list, "%zu dimensions, at most %d", sc_node_count(list), SC_MAX_DIMS);
        return false;
    }
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *item = sc_node_item(list, i);
        char *name = r->e.dim_name[r->e.n_dims];
        if (!read_name(name, item, "dimension"))
            return false;
        if (find(r->e.dim_name, r->e.n_dims, name) >= 0) {
            sc_node_error(item, "dimension '%s' stands twice", name);
            return false;
        }
        r->e.n_dims++;
    }
    return true;
}

static bool read_coefficients(problem_reader *r, const sc_node *shape)
{
    const sc_node *list = sc_node_get(shape, "coefficients");
    if (!list || sc_node_is_null(list))
        return true;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE || sc_node_count(list) > MAX_COEFFICIENTS) {
        sc_node_error(list, "coefficients must be a list of at most %d", MAX_COEFFICIENTS);
        return false;
    }
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *item = sc_node_item(list, i);
        const sc_node *name = sc_node_get(item, "name"), *value = sc_node_get(item, "default");
        char *to = r->coefficient_name[r->n_coefficients];
        if (!name) {
            sc_node_error(item, "a coefficient needs a name");
            return false;
        }
        if (!read_name(to, name, "coefficient"))
            return false;
        if (find(r->e.dim_name, r->e.n_dims, to) >= 0 ||
            find(r->coefficient_name, r->n_coefficients, to) >= 0) {
            sc_node_error(name, "the name '%s' is taken", to);
            return false;
        }
        r->coefficient[i] = 1;
        if (value && !sc_reference_size(&r->coefficient[i], r->macros, value, 0))
            return false;
        r->n_coefficients++;
    }
    return true;
}

static void unknown_factor(const problem_reader *r, const sc_node *n)
{
    const char *names[SC_MAX_DIMS + MAX_COEFFICIENTS];
    size_t count = 0;
    for (unsigned d = 0; d < r->e.n_dims; d++)
        names[count++] = r->e.dim_name[d];
    for (unsigned c = 0; c < r->n_coefficients; c++)
        names[count++] = r->coefficient_name[c];
    const char *near = sc_nearest(sc_node_text(n), names, count);
    char hint[SC_SUGGEST_LEN];
    sc_node_error(n, "'%s' is no dimension or coefficient%s", sc_node_text(n),
                  sc_did_you_mean(hint, near));
}

/* A term while its factors are collected. */
typedef struct term {
    int dim; /* -1 until one is met */
    int64_t coef;
} term;

static bool multiply_term(term *t, problem_reader *r, const sc_node *factor)
{
    const char *name = sc_node_text(factor);
    const int dim = find(r->e.dim_name, r->e.n_dims, name);
    const int known = find(r->coefficient_name, r->n_coefficients, name);
    int64_t value = 1;
    if (dim >= 0) {
        if (t->dim >= 0) {
            sc_node_error(factor, "a term multiplies one dimension, not '%s' and '%s'",
                          r->e.dim_name[t->dim], name);
            return false;
        }
        t->dim = dim;
        return true;
    }
    if (known >= 0) {
        value = r->coefficient[known];
    } else if (!isdigit((unsigned char)name[0])) {
        unknown_factor(r, factor);
        return false;
    } else if (!sc_reference_size(&value, r->macros, factor, 0)) {
        return false;
    }
    if (__builtin_mul_overflow(t->coef, value, &t->coef)) {
        sc_node_error(factor, "the coefficient passes 2^63 - 1");
        return false;
    }
    return true;
}

static bool add_term(sc_rank *rank, const term *t, const sc_node *at)
{
    if (t->dim < 0) {
        sc_node_error(at, "a term needs a dimension");
        return false;
    }
    if (t->coef == 0) {
        sc_node_warning(at, "a coefficient of 0: the dimension does not move the tensor");
        return true;
    }
    if (rank->n_terms == SC_MAX_TERMS) {
        sc_node_error(at, "a rank may sum at most %d terms", SC_MAX_TERMS);
        return false;
    }
    rank->dim[rank->n_terms] = (uint8_t)t->dim;
    rank->coef[rank->n_terms++] = t->coef;
    return true;
}

/* One term: a name, or a list of factors. */
static bool read_term(sc_rank *rank, problem_reader *r, const sc_node *n)
{
    term t = {-1, 1};
    if (sc_node_kind_of(n) == SC_NODE_SCALAR)
        return multiply_term(&t, r, n) && add_term(rank, &t, n);
    for (size_t i = 0; i < sc_node_count(n); i++) {
        const sc_node *factor = sc_node_item(n, i);
        if (sc_node_kind_of(n) != SC_NODE_SEQUENCE || sc_node_kind_of(factor) != SC_NODE_SCALAR) {
            sc_node_error(factor, "a term is a list of names");
            return false;
        }
        if (!multiply_term(&t, r, factor))
            return false;
    }
    return add_term(rank, &t, n);
}

/* [P, Wstride]: names at the depth where terms stand. One dimension among them makes it a product;
 * only dimensions make it a sum. */
static bool is_flat_product(problem_reader *r, const sc_node *n)
{
    size_t dims = 0;
    for (size_t i = 0; i < sc_node_count(n); i++) {
        const sc_node *item = sc_node_item(n, i);
        if (sc_node_kind_of(item) != SC_NODE_SCALAR)
            return false;
        dims += find(r->e.dim_name, r->e.n_dims, sc_node_text(item)) >= 0;
    }
    return dims == 1;
}

static bool read_rank(sc_rank *rank, problem_reader *r, const sc_node *n)
{
    if (sc_node_kind_of(n) == SC_NODE_SCALAR || is_flat_product(r, n))
        return read_term(rank, r, n);
    if (sc_node_kind_of(n) != SC_NODE_SEQUENCE || !sc_node_count(n)) {
        sc_node_error(n, "a rank is a list of terms, such as [[R, Wdilation], [P, Wstride]]");
        return false;
    }
    for (size_t i = 0; i < sc_node_count(n); i++)
        if (!read_term(rank, r, sc_node_item(n, i)))
            return false;
    return true;
}

static bool read_data_space(problem_reader *r, const sc_node *n, uint32_t bits)
{
    sc_tensor *t = &r->e.tensor[r->e.n_tensors];
    const sc_node *name = sc_node_get(n, "name"), *projection;
    const sc_node *output = get(n, "read_write");
    bool writes = false;
    if (!name) {
        sc_node_error(n, "a data space needs a name");
        return false;
    }
    if (!read_name(t->name, name, "data space") ||
        !(projection = sc_map_sequence(n, "projection")) ||
        (output && !sc_node_bool(&writes, output)))
        return false;
    if (sc_node_count(projection) > SC_MAX_RANKS) {
        sc_node_error(projection, "%zu ranks, at most %d", sc_node_count(projection), SC_MAX_RANKS);
        return false;
    }
    for (size_t i = 0; i < sc_node_count(projection); i++) {
        sc_rank *rank = &t->rank[t->n_ranks];
        if (!read_rank(rank, r, sc_node_item(projection, i)))
            return false;
        if (rank->n_terms > 0)
            t->n_ranks++;
    }
    t->role = writes ? SC_ROLE_OUTPUT : SC_ROLE_INPUT;
    t->bits = bits;
    for (unsigned i = 0; i < r->e.n_tensors; i++)
        if (strcmp(r->e.tensor[i].name, t->name) == 0) {
            sc_node_error(name, "data space '%s' stands twice", t->name);
            return false;
        }
    r->e.n_tensors++;
    return true;
}

static bool has_word(const char *name, const char *word)
{
    const size_t n = strlen(word);
    for (; *name; name++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)name[i]) == word[i])
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* Which read-only tensor is the weight: see the header. */
static void assign_weight(sc_einsum *e)
{
    sc_tensor *second = NULL;
    unsigned n_inputs = 0;
    for (unsigned i = 0; i < e->n_tensors; i++) {
        sc_tensor *t = &e->tensor[i];
        if (t->role != SC_ROLE_INPUT)
            continue;
        if (has_word(t->name, "weight") || has_word(t->name, "filter") ||
            strcmp(t->name, "B") == 0) {
            t->role = SC_ROLE_WEIGHT;
            return;
        }
        if (++n_inputs == 2)
            second = t;
    }
    if (second)
        second->role = SC_ROLE_WEIGHT;
}

static bool read_data_spaces(problem_reader *r, const sc_node *shape, uint32_t bits)
{
    const sc_node *list = get(shape, "data_spaces");
    unsigned n_outputs = 0;
    if (!list || sc_node_kind_of(list) != SC_NODE_SEQUENCE) {
        sc_node_error(list ? list : shape, "a shape needs data_spaces, a list");
        return false;
    }
    if (sc_node_count(list) > SC_MAX_TENSORS) {
        sc_node_error(list, "%zu data spaces, at most %d", sc_node_count(list), SC_MAX_TENSORS);
        return false;
    }
    for (size_t i = 0; i < sc_node_count(list); i++) {
        if (!read_data_space(r, sc_node_item(list, i), bits))
            return false;
        if (r->e.tensor[i].role == SC_ROLE_OUTPUT) {
            r->e.output = (uint8_t)i;
            n_outputs++;
        }
    }
    if (n_outputs != 1) {
        sc_node_error(list, "%u data spaces are read_write, must be exactly one", n_outputs);
        return false;
    }
    assign_weight(&r->e);
    return true;
}

/* A key of the instance that no shape of this problem has. */
static void unknown_size(const problem_reader *r, const sc_node *instance, size_t i)
{
    static const char *const others[] = {"shape",   "version",   "name",     "Wstride",
                                         "Hstride", "Wdilation", "Hdilation"};
    static const char *const sparse[] = {"densities", "commonDensity"};
    if (is_known(sc_node_key(instance, i), sparse, COUNT_OF(sparse))) {
        const sc_node *value = sc_node_item(instance, i);
        if (sc_node_count(value) > 0 || sc_node_text(value)[0])
            sc_node_warning(sc_node_key_node(instance, i),
                            "'%s' has no effect here: tensors are dense", sc_node_key(instance, i));
        return;
    }
    const char *names[SC_MAX_DIMS + MAX_COEFFICIENTS];
    size_t n = 0;
    for (unsigned d = 0; d < r->e.n_dims; d++)
        names[n++] = r->e.dim_name[d];
    for (unsigned c = 0; c < r->n_coefficients; c++)
        names[n++] = r->coefficient_name[c];
    if (is_known(sc_node_key(instance, i), others, 3))
        return; /* the sizes stand beside them */
    const bool plain = is_known(sc_node_key(instance, i), others, sizeof others / sizeof *others);
    report_unknown(instance, i, names, plain ? 0 : n, "is no dimension or coefficient");
}

static bool read_instance(problem_reader *r, const sc_node *instance)
{
    bool ok = true;
    if (sc_node_kind_of(instance) != SC_NODE_MAP) {
        sc_node_error(instance, "the instance must be a map of dimensions to sizes");
        return false;
    }
    for (size_t i = 0; i < sc_node_count(instance); i++) {
        const char *key = sc_node_key(instance, i);
        const int dim = find(r->e.dim_name, r->e.n_dims, key);
        const int coef = find(r->coefficient_name, r->n_coefficients, key);
        int64_t size;
        if (dim < 0 && coef < 0) {
            unknown_size(r, instance, i);
        } else if (!sc_reference_size(&size, r->macros, sc_node_item(instance, i), dim >= 0)) {
            ok = false;
        } else if (dim >= 0) {
            r->e.bound[dim] = (uint64_t)size;
        } else {
            r->coefficient[coef] = size;
        }
    }
    for (unsigned d = 0; d < r->e.n_dims; d++)
        if (!sc_node_get(instance, r->e.dim_name[d])) {
            char all[SC_EINSUM_DIMS_LEN];
            sc_node_error(instance, "the instance has no size of dimension '%s': the shape has %s",
                          r->e.dim_name[d], sc_einsum_dims(all, &r->e));
            ok = false;
        }
    return ok;
}

/* Projections multiply coefficients, so the instance, which may set them, is read before. */
static bool read_problem(problem_reader *r, const sc_node *shape, const sc_node *instance,
                         uint32_t bits)
{
    static const char *const known[] = {"name",    "dimensions", "coefficients", "data_spaces",
                                        "version", "ins",        "out",          "flatten"};
    if (sc_node_kind_of(shape) != SC_NODE_MAP) {
        sc_node_error(shape, "a shape must be a map");
        return false;
    }
    if (sc_node_count(get(shape, "flatten")) > 0) {
        sc_node_error(get(shape, "flatten"), "flattened dimensions are not modelled");
        return false;
    }
    warn_unknown(shape, known, sizeof known / sizeof *known);
    (void)sc_text_copy(r->e.name, SC_NAME_LEN, sc_map_text_or(shape, "name", "problem"));
    return read_dimensions(r, shape) && read_coefficients(r, shape) && read_instance(r, instance) &&
           read_data_spaces(r, shape, bits);
}

/* The name without the ending of a file. */
static void plain_shape_name(char out[SC_NAME_LEN], const char *text)
{
    static const char *const endings[] = {".yaml", ".yml", ".cfg"};
    if (!sc_text_copy(out, SC_NAME_LEN, text))
        out[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        char *end = strstr(out, endings[i]);
        if (end && strcmp(end, endings[i]) == 0)
            *end = '\0';
    }
}

/* A shape of its own, or the name of the one we know; *named owns the latter's document. */
static const sc_node *find_shape(sc_status *st, sc_yaml **named, const sc_node *problem)
{
    const sc_node *shape = sc_node_get(problem, "shape"), *ops = sc_node_get(problem, "ops");
    char name[SC_NAME_LEN];
    size_t k = 0;
    if (shape && sc_node_kind_of(shape) != SC_NODE_SCALAR)
        return shape;
    if (ops && sc_node_count(ops) == 1)
        return sc_node_item(ops, 0);
    if (sc_node_kind_of(problem) == SC_NODE_SEQUENCE)
        ops = problem;
    if (ops) {
        sc_node_error(ops, "a problem of several ops is not modelled: give one");
        return NULL;
    }
    if (shape) {
        plain_shape_name(name, sc_node_text(shape));
        while (k < COUNT_OF(built_in) && !sc_reference_same(name, built_in[k].name))
            k++;
    }
    if (k == COUNT_OF(built_in)) {
        sc_node_error(shape, "shape '%s' is not built in (cnn-layer, gemm-ABZ are): write it out",
                      sc_node_text(shape));
        return NULL;
    }
    *st = sc_yaml_parse(named, built_in[k].name, built_in[k].text, strlen(built_in[k].text));
    return *st == SC_OK ? sc_yaml_root(*named) : NULL;
}

/* What cannot be counted: an einsum that breaks its rules, products past 64 bits. */
static void check_sizes(const problem_reader *r, const sc_node *problem, const sc_node *instance)
{
    uint64_t product;
    if (sc_einsum_check(&r->e) != SC_OK) {
        sc_node_error(problem, "%s", sc_error_message());
        return;
    }
    if (sc_einsum_macs(&product, &r->e) != SC_OK)
        sc_node_error(instance, "%s", sc_error_message());
    for (unsigned t = 0; t < r->e.n_tensors; t++)
        if (sc_einsum_volume(&product, &r->e, t, r->e.bound) != SC_OK)
            sc_node_error(instance, "%s", sc_error_message());
}

sc_status sc_reference_problem_read(sc_einsum *out, const sc_yaml *doc, const sc_node *problem,
                                    const sc_node *macros, uint32_t bits)
{
    static const char *const known[] = {"shape", "instance", "version", "ops", "io", "dimensions"};
    problem_reader r = {.macros = macros};
    sc_status st = SC_OK;
    sc_yaml *named = NULL;
    const sc_node *instance = sc_node_get(problem, "instance");
    const sc_node *shape = find_shape(&st, &named, problem);
    if (st != SC_OK)
        goto done;
    if (instance)
        warn_unknown(problem, known, sizeof known / sizeof *known);
    const sc_node *named_shape = sc_node_get(problem, "shape");
    const sc_node *sizes = instance ? instance : problem;
    bool whole = false; /* else recorded, perhaps where the macros stand */
    if (!shape || (!instance && sc_node_kind_of(named_shape) != SC_NODE_SCALAR)) {
        if (shape)
            sc_node_error(problem, "a problem needs an instance");
    } else if ((whole = read_problem(&r, shape, sizes, bits))) {
        check_sizes(&r, problem, sizes);
    }
    st = sc_yaml_status(doc);
    if (st == SC_OK && !whole)
        st = SC_EPARSE;
    if (st == SC_OK)
        *out = r.e;
done:
    sc_yaml_close(named);
    return st;
}
