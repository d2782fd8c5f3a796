#include <string.h>

#include "core/text.h"
#include "model/count/reference_import.h"

enum { MAX_PAIRS = 2 }; /* axes along which a window slides */

/* Dimensions of our ops. */
typedef enum op_dim { DIM_N, DIM_G, DIM_K, DIM_C, DIM_P, DIM_Q, DIM_R, DIM_S, OP_DIMS } op_dim;

static const char *const conv_names[OP_DIMS] = {"N", "G", "K", "C", "P", "Q", "R", "S"};
/* A product has M rows for N and K is summed over. */
static const char *const product_names[OP_DIMS] = {"M", NULL, "N", "K", NULL, NULL, NULL, NULL};

/* A problem as one of our ops. */
typedef struct op_form {
    const sc_einsum *e;
    const sc_tensor *input, *weight, *output;
    op_dim of[SC_MAX_DIMS];
    bool paired[SC_MAX_DIMS];
    unsigned n_pairs;
    uint64_t extent[OP_DIMS], stride[MAX_PAIRS], dilation[MAX_PAIRS];
} op_form;

static bool moves(const sc_tensor *t, unsigned dim)
{
    for (unsigned r = 0; r < t->n_ranks; r++)
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            if (t->rank[r].dim[k] == dim)
                return true;
    return false;
}

static bool find_tensors(op_form *f, sc_reference_notes *notes)
{
    for (unsigned i = 0; i < f->e->n_tensors; i++) {
        const sc_tensor *t = &f->e->tensor[i];
        const sc_tensor **to = t->role == SC_ROLE_OUTPUT   ? &f->output
                               : t->role == SC_ROLE_WEIGHT ? &f->weight
                                                           : &f->input;
        if (*to) {
            sc_reference_note(notes, "no network: the problem has %u tensors, our ops multiply two",
                              f->e->n_tensors);
            return false;
        }
        *to = t;
    }
    if (!f->input || !f->weight || !f->output) {
        sc_reference_note(notes, "no network: the problem multiplies fewer than two tensors");
        return false;
    }
    return true;
}

/* A rank of the input that is a window sliding over positions of the output. */
static bool read_pair(op_form *f, const sc_rank *rank)
{
    const unsigned first = rank->dim[0], second = rank->dim[1];
    const bool tap_first = moves(f->weight, first);
    const unsigned tap = tap_first ? first : second, position = tap_first ? second : first;
    if (f->n_pairs == MAX_PAIRS || !moves(f->weight, tap) || moves(f->output, tap) ||
        moves(f->weight, position) || !moves(f->output, position) || f->paired[tap] ||
        f->paired[position])
        return false;
    const unsigned axis = f->n_pairs++;
    f->of[tap] = DIM_R + axis;
    f->of[position] = DIM_P + axis;
    f->paired[tap] = f->paired[position] = true;
    f->dilation[axis] = (uint64_t)rank->coef[tap_first ? 0 : 1];
    f->stride[axis] = (uint64_t)rank->coef[tap_first ? 1 : 0];
    return true;
}

static bool read_pairs(op_form *f)
{
    for (unsigned r = 0; r < f->input->n_ranks; r++) {
        const sc_rank *rank = &f->input->rank[r];
        if (rank->n_terms > 2 || (rank->n_terms == 2 && !read_pair(f, rank)) ||
            (rank->n_terms == 1 && rank->coef[0] != 1))
            return false;
    }
    for (unsigned k = 0; k < 2; k++) {
        const sc_tensor *t = k ? f->output : f->weight;
        for (unsigned r = 0; r < t->n_ranks; r++)
            if (t->rank[r].n_terms > 1 || (t->rank[r].n_terms == 1 && t->rank[r].coef[0] != 1))
                return false;
    }
    return true;
}

/* Which of our dimensions the others are, by the tensors they move. */
static bool read_rest(op_form *f)
{
    for (unsigned d = 0; d < f->e->n_dims; d++) {
        const bool i = moves(f->input, d), w = moves(f->weight, d), o = moves(f->output, d);
        if (!f->paired[d] && i + w + o < 2)
            return false;
        if (!f->paired[d])
            f->of[d] = i && w && o ? DIM_G : i && w ? DIM_C : w && o ? DIM_K : DIM_N;
        if (__builtin_mul_overflow(f->extent[f->of[d]], f->e->bound[d], &f->extent[f->of[d]]) ||
            f->extent[f->of[d]] > INT64_MAX)
            return false;
    }
    return true;
}

static bool read_form(op_form *f, const sc_einsum *e, sc_reference_notes *notes)
{
    *f = (op_form){.e = e, .stride = {1, 1}, .dilation = {1, 1}};
    for (unsigned d = 0; d < OP_DIMS; d++)
        f->extent[d] = 1;
    if (!find_tensors(f, notes))
        return false;
    if (read_pairs(f) && read_rest(f))
        return true;
    sc_reference_note(notes,
                      "no network: the problem is neither a convolution over one or two axes "
                      "nor a product of matrices");
    return false;
}

static bool is_product(const op_form *f)
{
    return f->n_pairs == 0 && f->extent[DIM_G] == 1;
}

/* Input positions along an axis: those that the windows touch. */
static bool touched(uint64_t *out, const op_form *f, unsigned axis)
{
    uint64_t span, taps;
    return !__builtin_mul_overflow(f->extent[DIM_P + axis] - 1, f->stride[axis], &span) &&
           !__builtin_mul_overflow(f->extent[DIM_R + axis] - 1, f->dilation[axis], &taps) &&
           !__builtin_add_overflow(span, taps, out) && !__builtin_add_overflow(*out, 1u, out) &&
           *out <= INT64_MAX;
}

static void put_conv(sc_buf *b, const op_form *f, const char *name, const uint64_t size[2])
{
    const unsigned long long g = f->extent[DIM_G];
    sc_buf_printf(b, "  input: {channels: %llu, height: %llu, width: %llu}\nops:\n",
                  g * f->extent[DIM_C], (unsigned long long)size[0], (unsigned long long)size[1]);
    sc_buf_printf(b,
                  "  - {name: %s, kind: conv, channels: %llu, kernel: [%llu, %llu], stride: [%llu, "
                  "%llu], dilation: [%llu, %llu], padding: valid, groups: %llu}\n",
                  name, g * f->extent[DIM_K], (unsigned long long)f->extent[DIM_R],
                  (unsigned long long)f->extent[DIM_S], (unsigned long long)f->stride[0],
                  (unsigned long long)f->stride[1], (unsigned long long)f->dilation[0],
                  (unsigned long long)f->dilation[1], g);
}

static bool put_network(sc_buf *b, const op_form *f, const char *name, uint32_t bits,
                        sc_reference_notes *notes)
{
    uint64_t size[2], channels;
    if (!touched(&size[0], f, 0) || !touched(&size[1], f, 1) ||
        __builtin_mul_overflow(f->extent[DIM_G], f->extent[DIM_C], &channels) ||
        __builtin_mul_overflow(f->extent[DIM_G], f->extent[DIM_K], &channels)) {
        sc_reference_note(notes, "no network: a size passes 2^63 - 1");
        return false;
    }
    sc_buf_printf(b, "version: 1\nname: %s\nprecision: %u\n", name, bits);
    if (is_product(f)) {
        sc_buf_printf(b,
                      "inputs:\n  input: {channels: %llu, height: %llu}\nops:\n"
                      "  - {name: %s, kind: matmul, channels: %llu}\n",
                      (unsigned long long)f->extent[DIM_C], (unsigned long long)f->extent[DIM_N],
                      name, (unsigned long long)f->extent[DIM_K]);
        sc_reference_note(notes, "tensor %s is written as the op's weights", f->weight->name);
        return true;
    }
    sc_buf_printf(b, "batch: %llu\ninputs:\n", (unsigned long long)f->extent[DIM_N]);
    put_conv(b, f, name, size);
    sc_reference_note(notes,
                      "no padding: the input has the %llu x %llu positions that the windows "
                      "touch",
                      (unsigned long long)size[0], (unsigned long long)size[1]);
    return true;
}

/* ---- the mapping ---- */

/* Whether each of our dimensions stands for one of the file's at most. */
static bool is_one_to_one(const op_form *f, sc_reference_notes *notes)
{
    for (unsigned d = 0; d < f->e->n_dims; d++)
        for (unsigned other = 0; other < d; other++)
            if (f->of[d] == f->of[other] && f->e->bound[d] > 1 && f->e->bound[other] > 1) {
                sc_reference_note(
                    notes, "no mapping and no constraints: dimensions %s and %s are one in our op",
                    f->e->dim_name[other], f->e->dim_name[d]);
                return false;
            }
    return true;
}

/* Loops from to-1 down to from: ours stand outermost first. */
static void put_loops(sc_buf *b, const char *key, const op_form *f, const sc_loops *loops,
                      unsigned from, unsigned to)
{
    const char *const *names = is_product(f) ? product_names : conv_names;
    const char *comma = "";
    sc_buf_printf(b, "    %s: [", key);
    for (unsigned i = to; i-- > from;) {
        if (loops->factor[i] == 1)
            continue;
        sc_buf_printf(b, "%s%s=%llu", comma, names[f->of[loops->dim[i]]],
                      (unsigned long long)loops->factor[i]);
        comma = ", ";
    }
    sc_buf_puts(b, "]\n");
}

/* Dimensions whose last iterations are smaller. */
static void put_clip(sc_buf *b, const op_form *f, const sc_mapping *m)
{
    const char *const *names = is_product(f) ? product_names : conv_names;
    const char *before = "clip: [";
    for (unsigned d = 0; d < f->e->n_dims; d++)
        if (sc_mapping_dim(m, d, f->e->bound[d]).product > f->e->bound[d]) {
            sc_buf_printf(b, "%s%s", before, names[f->of[d]]);
            before = ", ";
        }
    if (*before == ',')
        sc_buf_puts(b, "]\n");
}

static void put_mapping(sc_buf *b, const op_form *f, const char *op, const sc_reference_input *in)
{
    static const char *const roles[SC_ROLES] = {"input", "weight", "output"};
    sc_reference_names names;
    sc_reference_level_names(names, &in->c.arch);
    sc_buf_printf(b, "version: 1\nop: %s\n", op);
    put_clip(b, f, &in->c.mapping);
    sc_buf_puts(b, "levels:\n");
    for (unsigned l = 0; l < in->c.arch.n_levels; l++) {
        const sc_block *block = &in->c.mapping.level[l];
        const unsigned split = block->split < block->spatial.n ? block->split : block->spatial.n;
        const char *comma = "";
        sc_buf_printf(b, "  - level: %s\n    keep: [", names[l]);
        for (unsigned t = 0; t < f->e->n_tensors; t++)
            if (block->keep >> t & 1) {
                sc_buf_printf(b, "%s%s", comma, roles[f->e->tensor[t].role]);
                comma = ", ";
            }
        sc_buf_puts(b, "]\n");
        put_loops(b, "temporal", f, &block->temporal, 0, block->temporal.n);
        if (block->spatial.n == 0)
            continue;
        put_loops(b, "x", f, &block->spatial, 0, split);
        put_loops(b, "y", f, &block->spatial, split, block->spatial.n);
    }
}

/* ---- the constraints ---- */

/* A dimension of the file by our name; NULL if it cannot have a loop. */
static const char *name_of(const op_form *f, unsigned dim)
{
    return f->e->bound[dim] > 1 ? (is_product(f) ? product_names : conv_names)[f->of[dim]] : NULL;
}

/* Separators of a list in brackets that is opened by its first item. */
typedef struct list_writer {
    sc_buf *b;
    const char *head;
    bool open;
} list_writer;

static void put_item(list_writer *w, const char *name, const char *sign, uint64_t value)
{
    sc_buf_puts(w->b, w->open ? ", " : w->head);
    w->open = true;
    if (sign)
        sc_buf_printf(w->b, "%s%s%llu", name, sign, (unsigned long long)value);
    else
        sc_buf_puts(w->b, name);
}

static void close_list(list_writer *w, const char *tail)
{
    if (w->open)
        sc_buf_puts(w->b, tail);
}

static void put_factors(sc_buf *b, const op_form *f, const sc_loop_limits *limits)
{
    list_writer w = {b, "      factors: [", false};
    for (unsigned d = 0; d < f->e->n_dims; d++) {
        const char *name = name_of(f, d);
        if (!name)
            continue;
        if (limits->fixed[d] > 0) {
            put_item(&w, name, "=", limits->fixed[d]);
            continue;
        }
        if (limits->min[d] > 1)
            put_item(&w, name, ">=", limits->min[d]);
        if (limits->max[d] > 0)
            put_item(&w, name, "<=", limits->max[d]);
    }
    close_list(&w, "]\n");
}

/* Whether anything of a block is written. */
static bool asks(const op_form *f, const sc_loop_limits *limits)
{
    bool any = limits->n_inner + limits->n_outer > 0;
    for (unsigned d = 0; d < f->e->n_dims; d++)
        any |= name_of(f, d) && (limits->fixed[d] > 0 || limits->min[d] > 1 || limits->max[d] > 0);
    return any;
}

/* Outermost first. */
static void put_order(sc_buf *b, const op_form *f, const sc_loop_limits *limits)
{
    list_writer w = {b, "      order: [", false};
    if (limits->n_inner + limits->n_outer == 0)
        return;
    for (unsigned i = 0; i < limits->n_outer; i++)
        if (name_of(f, limits->order[SC_MAX_DIMS - 1 - i]))
            put_item(&w, name_of(f, limits->order[SC_MAX_DIMS - 1 - i]), NULL, 0);
    put_item(&w, "rest", NULL, 0);
    for (unsigned i = limits->n_inner; i-- > 0;)
        if (name_of(f, limits->order[i]))
            put_item(&w, name_of(f, limits->order[i]), NULL, 0);
    close_list(&w, "]\n");
}

/* Dimensions of one position are left out of our order, so that the split counts the others. */
static void put_split(sc_buf *b, const op_form *f, const sc_level_limits *limits, const char *level,
                      sc_reference_notes *notes)
{
    int split = 0;
    if (limits->split < 0)
        return;
    if (limits->split >= f->e->n_dims) {
        sc_buf_printf(b, "      split: %d\n", SC_MAX_DIMS);
        return;
    }
    if (limits->split > limits->spatial.n_inner) {
        sc_reference_note(notes,
                          "level %s: a split of %d passes the order that is given and is "
                          "not written",
                          level, limits->split);
        return;
    }
    for (int i = 0; i < limits->split; i++)
        split += name_of(f, limits->spatial.order[i]) != NULL;
    sc_buf_printf(b, "      split: %d\n", split);
}

static void put_tensors(sc_buf *b, const char *head, const op_form *f, uint8_t tensors)
{
    static const char *const roles[SC_ROLES] = {"input", "weight", "output"};
    list_writer w = {b, head, false};
    for (unsigned t = 0; t < f->e->n_tensors; t++)
        if (tensors >> t & 1)
            put_item(&w, roles[f->e->tensor[t].role], NULL, 0);
    close_list(&w, "]\n");
}

static void put_constraints(sc_buf *b, const op_form *f, const char *op,
                            const sc_reference_input *in, sc_reference_notes *notes)
{
    sc_reference_names names;
    sc_reference_level_names(names, &in->c.arch);
    sc_buf_printf(b, "version: 1\nop: %s\nlevels:\n", op);
    for (unsigned l = 0; l < in->c.arch.n_levels; l++) {
        const sc_level_limits *limits = &in->c.constraints.level[l];
        sc_buf_printf(b, "  - level: %s\n", names[l]);
        put_tensors(b, "    keep: [", f, limits->must_keep);
        put_tensors(b, "    bypass: [", f, limits->must_bypass);
        if (asks(f, &limits->temporal))
            sc_buf_puts(b, "    temporal:\n");
        put_factors(b, f, &limits->temporal);
        put_order(b, f, &limits->temporal);
        if (asks(f, &limits->spatial) || limits->split >= 0)
            sc_buf_puts(b, "    spatial:\n");
        put_factors(b, f, &limits->spatial);
        put_order(b, f, &limits->spatial);
        put_split(b, f, limits, names[l], notes);
        if (limits->no_links)
            sc_buf_puts(b, "    links: false\n");
        if (limits->no_multicast)
            sc_buf_puts(b, "    multicast: false\n");
    }
}

bool sc_reference_write_network(sc_buf *network, sc_buf *mapping, sc_buf *constraints,
                                const sc_reference_input *in, sc_reference_notes *notes)
{
    op_form f;
    char name[SC_NAME_LEN];
    sc_reference_plain_name(name, in->c.problem.name);
    if (!read_form(&f, &in->c.problem, notes) ||
        !put_network(network, &f, name, sc_reference_precision(in), notes)) {
        if (in->c.mapped)
            sc_reference_note(notes, "no mapping: it would be of an op that is not written");
        if (in->c.n_constraints > 0)
            sc_reference_note(notes, "no constraints: they would be of an op that is not written");
        return false;
    }
    if ((in->c.mapped || in->c.n_constraints > 0) && is_one_to_one(&f, notes)) {
        if (in->c.mapped)
            put_mapping(mapping, &f, name, in);
        if (in->c.n_constraints > 0)
            put_constraints(constraints, &f, name, in, notes);
    }
    return true;
}
