#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "core/text.h"
#include "workloads/scalesim.h"

enum { MAX_CELLS = 12, CELL_LEN = 96 };

/* One line, cut at its commas. */
typedef struct topology_line {
    char cell[MAX_CELLS][CELL_LEN];
    int column[MAX_CELLS];
    unsigned n; /* without empty cells at the end */
    bool ends_with_comma;
    int open_quote; /* column of a cell with one quote alone; 0: none */
    int number;
} topology_line;

typedef struct topology_reader {
    sc_builder *b;
    sc_scalesim_log *log;
    const char *path;
    unsigned layers, overhanging, depthwise, single, without_comma;
    unsigned header; /* cells of the header line */
    bool has_header, products, convolutions, sparse, comments, full;
} topology_reader;

static void fail_at(const topology_reader *r, const topology_line *l, unsigned cell,
                    const char *what)
{
    char shown[SC_SHOWN_LEN];
    sc_scalesim_error(r->log, r->path, l->number, cell < l->n ? l->column[cell] : 1, "%s%s%s", what,
                      cell < l->n ? ": " : "",
                      cell < l->n ? sc_text_show(shown, l->cell[cell]) : "");
}

/* Cut a line; text behind a # is a comment. @return false for a line that says nothing. */
static bool cut_line(topology_reader *r, topology_line *l, const char *text, size_t length)
{
    const char *comment = memchr(text, '#', length), *at = text;
    const char *end = comment ? comment : text + length;
    r->comments |= comment != NULL;
    l->n = 0;
    l->ends_with_comma = false;
    l->open_quote = 0;
    for (unsigned cells = 0; at <= end && cells < MAX_CELLS; cells++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *from = at, *to = comma ? comma : end;
        size_t n = 0;
        bool open = false;
        for (const char *p = from; p < to; p++)
            open ^= *p == '"';
        if (open && l->open_quote == 0)
            l->open_quote = (int)(from - text) + 1;
        while (from < to && (isspace((unsigned char)*from) || *from == '"'))
            from++;
        while (to > from && (isspace((unsigned char)to[-1]) || to[-1] == '"'))
            to--;
        for (const char *p = from; p < to && n + 1 < CELL_LEN; p++)
            l->cell[cells][n++] = *p;
        l->cell[cells][n] = '\0';
        l->column[cells] = (int)(from - text) + 1;
        if (n > 0)
            l->n = cells + 1;
        else
            l->ends_with_comma = !comma && cells > 0;
        at = comma ? comma + 1 : end + 1;
    }
    return l->n > 0;
}

/* Numbers of the cells from the second on. @return false after recording. */
static bool read_numbers(uint64_t *out, const topology_reader *r, const topology_line *l,
                         unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        int64_t v;
        if (i + 1 >= l->n) {
            sc_scalesim_error(r->log, r->path, l->number, 1,
                              "%u numbers behind the name, needed %u", l->n - 1, n);
            return false;
        }
        if (sc_integer_read(&v, l->cell[i + 1]) != SC_OK || v < 1) {
            fail_at(r, l, i + 1, "expected a whole number of at least 1");
            return false;
        }
        out[i] = (uint64_t)v;
    }
    return true;
}

/* The name marks a layer whose filters see one channel each. */
static bool is_depthwise(const char *name)
{
    for (const char *p = name; *p; p++)
        if (strncasecmp(p, "dw", 2) == 0 || strncasecmp(p, "depthwise", 9) == 0 ||
            strncmp(p, "DP", 2) == 0)
            return true;
    return false;
}

/* Append the op behind an input of its own. */
static void add_layer(topology_reader *r, const topology_line *l, const sc_op_spec *layer,
                      sc_shape shape)
{
    char *name = sc_builder_printf(r->b, "%s", l->cell[0]);
    int32_t producer, index;
    int again = 1;
    while (name && sc_builder_find(r->b, &producer, name))
        name = sc_builder_printf(r->b, "%s_%d", l->cell[0], ++again);
    char *input = name ? sc_builder_printf(r->b, "in_%s", name) : NULL;
    sc_status st = input ? sc_builder_input(r->b, &producer, input, shape) : SC_ENOMEM;
    const sc_input_ref ref = {.producer = producer};
    if (st == SC_OK) {
        sc_op_spec spec = *layer;
        spec.name = name;
        spec.n_inputs = 1;
        spec.inputs = &ref;
        st = sc_builder_add(r->b, &index, &spec);
    }
    if (st == SC_ENOMEM)
        r->log->status = st;
    else if (st != SC_OK)
        sc_scalesim_error(r->log, r->path, l->number, 1, "%s", sc_error_message());
    if (again > 1)
        sc_scalesim_note(r->log, "line %d: a second layer of that name is called %s", l->number,
                         name ? name : "");
    r->layers++;
}

/* Positions behind the input that the last window needs: the simulator rounds the number of windows
 * up. @return false if a filter is larger than the input. */
static bool overhang(uint64_t *out, uint64_t input, uint64_t filter, uint64_t stride)
{
    if (filter > input)
        return false;
    *out = (stride - (input - filter) % stride) % stride;
    return true;
}

static void read_convolution(topology_reader *r, const topology_line *l)
{
    enum { HEIGHT, WIDTH, TAPS_H, TAPS_W, CHANNELS, FILTERS, STRIDE_H, STRIDE_W, NUMBERS };
    uint64_t v[NUMBERS], behind_h, behind_w;
    int64_t second;
    if (!read_numbers(v, r, l, STRIDE_W))
        return;
    v[STRIDE_W] = v[STRIDE_H];
    if (l->n > 8 && sc_integer_read(&second, l->cell[8]) == SC_OK && second >= 1)
        v[STRIDE_W] = (uint64_t)second;
    else if (l->n > 8)
        r->sparse = true;
    r->sparse |= l->n > 9;
    if (!overhang(&behind_h, v[HEIGHT], v[TAPS_H], v[STRIDE_H]) ||
        !overhang(&behind_w, v[WIDTH], v[TAPS_W], v[STRIDE_W])) {
        sc_scalesim_error(r->log, r->path, l->number, l->column[3],
                          "a filter of %llu x %llu is larger than the input of %llu x %llu (there "
                          "is no padding)",
                          (unsigned long long)v[TAPS_H], (unsigned long long)v[TAPS_W],
                          (unsigned long long)v[HEIGHT], (unsigned long long)v[WIDTH]);
        return;
    }
    sc_op_spec spec = {.kind = SC_OP_CONV, .channels = v[FILTERS], .groups = 1};
    spec.kernel[SC_HEIGHT] = v[TAPS_H];
    spec.kernel[SC_WIDTH] = v[TAPS_W];
    spec.stride[SC_HEIGHT] = v[STRIDE_H];
    spec.stride[SC_WIDTH] = v[STRIDE_W];
    spec.pad[SC_AXES + SC_HEIGHT] = behind_h;
    spec.pad[SC_AXES + SC_WIDTH] = behind_w;
    r->overhanging += behind_h > 0 || behind_w > 0;
    if (is_depthwise(l->cell[0])) {
        if (v[CHANNELS] == 1)
            r->single++;
        else
            r->depthwise++;
        spec.groups = v[CHANNELS];
        if (v[FILTERS] == 1)
            spec.channels = v[CHANNELS];
    }
    add_layer(r, l, &spec, (sc_shape){.c = v[CHANNELS], .d = 1, .h = v[HEIGHT], .w = v[WIDTH]});
}

static void read_product(topology_reader *r, const topology_line *l)
{
    uint64_t v[3];
    if (!read_numbers(v, r, l, 3))
        return;
    r->sparse |= l->n > 4;
    sc_op_spec spec = {.kind = SC_OP_MATMUL, .channels = v[1]};
    add_layer(r, l, &spec, (sc_shape){.c = v[2], .d = 1, .h = v[0], .w = 1});
}

static bool is_header(const topology_line *l)
{
    for (unsigned i = 1; i < l->n; i++)
        if (!isdigit((unsigned char)l->cell[i][0]))
            return true;
    return l->n == 1;
}

/* A file has layers of one form, which its header or else its first layer shows: a line that was
 * cut short is no product. */
static bool is_product(const topology_reader *r, const topology_line *l)
{
    if (r->products || r->convolutions)
        return r->products;
    if (r->header > 0)
        return r->header <= 5;
    return l->n <= 4 || (l->n == 5 && strchr(l->cell[4], ':'));
}

static void read_line(topology_reader *r, const topology_line *l, bool first)
{
    if (l->open_quote > 0) {
        sc_scalesim_error(r->log, r->path, l->number, l->open_quote,
                          "a quote that does not end before the comma: no cell may hold a comma");
        return;
    }
    if (first && is_header(l)) {
        r->has_header = true;
        r->header = l->n;
        return;
    }
    if (r->layers == SC_MAX_OP_INPUTS) {
        sc_scalesim_error(r->log, r->path, l->number, 1, "more than %d layers", SC_MAX_OP_INPUTS);
        r->full = true;
        return;
    }
    r->without_comma += !l->ends_with_comma;
    if (is_product(r, l)) {
        r->products = true;
        if (l->n > 5)
            fail_at(r, l, 5, "a product has three numbers: the lines before are of M, N, K");
        else
            read_product(r, l);
    } else {
        r->convolutions = true;
        read_convolution(r, l);
    }
}

/* What the file left to its reader. */
static void note_quirks(const topology_reader *r)
{
    sc_scalesim_log *log = r->log;
    if (!r->has_header)
        sc_scalesim_note(log, "no header line: the first line is a layer");
    if (r->convolutions)
        sc_scalesim_note(log, "no padding: inputs are as large as the file says, and carry it");
    if (r->products)
        sc_scalesim_note(log, "lines of M, N, K are products of [M][K] and [K][N]");
    if (r->overhanging > 0)
        sc_scalesim_note(log,
                         "%u layers have a last window that overhangs, which the simulator counts: "
                         "written as padding behind",
                         r->overhanging);
    if (r->depthwise > 0)
        sc_scalesim_note(log, "%u layers are depthwise by their name: one filter a channel",
                         r->depthwise);
    if (r->single > 0)
        sc_scalesim_note(log,
                         "%u layers are depthwise by their name and have one channel in the file: "
                         "kept so, though the network has as many as the layer before gives",
                         r->single);
    if (r->without_comma > 0 && r->without_comma < r->layers)
        sc_scalesim_note(log, "%u lines lack the last comma that others have", r->without_comma);
    if (r->comments)
        sc_scalesim_note(log, "text behind a # is left out");
    if (r->sparse)
        sc_scalesim_note(log, "a column of sparsity has no effect: layers are dense");
    if (r->layers > 1)
        sc_scalesim_note(log, "layers are not joined in the file: each reads an input of its own");
}

void sc_scalesim_read_topology(sc_builder *b, sc_scalesim_log *log, const char *path,
                               const char *text)
{
    topology_reader r = {.b = b, .log = log, .path = path};
    topology_line l = {.number = 0};
    bool first = true;
    while (*text && log->status == SC_OK && !r.full) {
        const size_t length = strcspn(text, "\n");
        l.number++;
        if (cut_line(&r, &l, text, length)) {
            read_line(&r, &l, first);
            first = false;
        }
        text += length + (text[length] == '\n');
    }
    if (r.layers == 0 && log->n_errors == 0 && log->status == SC_OK)
        sc_scalesim_error(log, path, 1, 1, "no layer in this file");
    note_quirks(&r);
}
