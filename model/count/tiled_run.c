#include "model/count/tiled_run.h"

#include <math.h>

enum { LINE_BYTES = 64, CACHE_BYTES = 512 << 10, LIBRARY_BLOCK = 16 };
typedef enum tensor { WEIGHTS, INPUT, OUTPUT, TENSORS } tensor;

/* Bit 1 << dimension: what moves the tensor. */
static const unsigned relevant[TENSORS] = {
    [WEIGHTS] = 1 << SC_TILED_K | 1 << SC_TILED_C | 1 << SC_TILED_R | 1 << SC_TILED_S,
    [INPUT] =
        1 << SC_TILED_C | 1 << SC_TILED_P | 1 << SC_TILED_Q | 1 << SC_TILED_R | 1 << SC_TILED_S,
    [OUTPUT] = 1 << SC_TILED_K | 1 << SC_TILED_P | 1 << SC_TILED_Q,
};

const double sc_tiled_ideal[SC_TILED_FACTORS] = {
    [SC_TILED_PASS_SIDE] = 1, [SC_TILED_ROW] = 1,
    [SC_TILED_BUS] = 16,      [SC_TILED_LINE] = 4, /* 64 bytes at 16 a cycle */
    [SC_TILED_OVERLAP] = 64,
};

static double ceil_div(double a, double b)
{
    return ceil(a / b);
}

/* ---- the run as the driver makes it ---- */

/* A tile and the loops over tiles, outermost first. */
typedef struct run {
    const sc_tiled_layer *layer;
    double tile[SC_TILED_DIMS];
    unsigned n;
    uint8_t dim[SC_TILED_LOOPS];
    double times[SC_TILED_LOOPS];
    bool loose_input; /* rows of input as the library asks for them, past the window's end */
} run;

static bool is_product(const sc_tiled_layer *l)
{
    return l->extent[SC_TILED_Q] == 1 && l->extent[SC_TILED_R] == 1 && l->extent[SC_TILED_S] == 1;
}

static void run_as_mapped(run *x, const sc_tiled_layer *l)
{
    x->n = l->n_outer;
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        x->tile[d] = (double)l->tile[d];
    for (unsigned i = 0; i < l->n_outer; i++) {
        x->dim[i] = l->outer_dim[i];
        x->times[i] = (double)l->outer[i];
    }
}

/* The library takes tiles in whole blocks of the array, as many as the mapping's tile has blocks of
 * 16, and walks them in an order of its own: rows, columns, then the sum. */
static void run_as_library_product(run *x, const sc_tiled_layer *l, double side)
{
    static const uint8_t order[] = {SC_TILED_P, SC_TILED_K, SC_TILED_C};
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        x->tile[d] = 1;
    x->n = 3;
    for (unsigned i = 0; i < x->n; i++) {
        const uint8_t d = order[i];
        const double extent = (double)l->extent[d];
        x->tile[d] = fmin(extent, side * ceil_div((double)l->tile[d], LIBRARY_BLOCK));
        x->dim[i] = d;
        x->times[i] = ceil_div(extent, x->tile[d]);
    }
}

/* ---- rows, bytes, lines ---- */

/* A tile of a tensor: rows of contiguous elements, `pitch` apart. */
typedef struct slab {
    double rows, width, pitch;
} slab;

static double input_span(const run *x, double outputs, double stride, double window)
{
    return x->loose_input ? outputs * stride + window - 1 : (outputs - 1) * stride + window;
}

static slab slab_of(const run *x, tensor which, const double *t)
{
    const sc_tiled_layer *l = x->layer;
    const double k = (double)l->extent[SC_TILED_K], c = (double)l->extent[SC_TILED_C];
    if (which == WEIGHTS)
        return (slab){t[SC_TILED_C] * t[SC_TILED_R] * t[SC_TILED_S], t[SC_TILED_K], k};
    if (which == OUTPUT)
        return (slab){t[SC_TILED_P] * t[SC_TILED_Q], t[SC_TILED_K], k};
    return (slab){input_span(x, t[SC_TILED_P], (double)l->stride_p, t[SC_TILED_R]) *
                      input_span(x, t[SC_TILED_Q], (double)l->stride_q, t[SC_TILED_S]),
                  t[SC_TILED_C], c};
}

/* Narrow rows that lie close share lines; rows far apart take a line each at least. */
static double lines_of(slab s)
{
    return fmax(1, s.rows * fmax(s.width, fmin(s.pitch, LINE_BYTES)) / LINE_BYTES);
}

static double footprint(const run *x, const double *t)
{
    double lines = 0;
    for (unsigned i = 0; i < TENSORS; i++)
        lines += lines_of(slab_of(x, (tensor)i, t));
    return lines * LINE_BYTES;
}

/* Lines that come from DRAM: the innermost loops whose data fit the cache together are read once;
 * each iteration of the loops outside reads again what it moves. Where all data fit, none do: the
 * host has just written them. */
static double missed_lines(const run *x)
{
    double held[SC_TILED_DIMS], next[SC_TILED_DIMS], total = 0;
    unsigned outside = x->n;
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        held[d] = next[d] = x->tile[d];
    for (; outside > 0; outside--) {
        next[x->dim[outside - 1]] *= x->times[outside - 1];
        if (footprint(x, next) > CACHE_BYTES)
            break;
        held[x->dim[outside - 1]] = next[x->dim[outside - 1]];
    }
    if (outside == 0)
        return 0;
    const bool fits = footprint(x, held) <= CACHE_BYTES;
    for (unsigned i = 0; i < TENSORS; i++) {
        double reads = 1;
        bool moved = !fits;
        for (unsigned j = outside; j-- > 0;) {
            moved = moved || (relevant[i] >> x->dim[j] & 1) != 0;
            reads *= moved ? x->times[j] : 1;
        }
        total += reads * lines_of(slab_of(x, (tensor)i, held));
    }
    return total;
}

/* ---- the count ---- */

static sc_status check(const sc_tiled_layer *l, uint64_t side)
{
    const uint64_t most = (uint64_t)1 << 31;
    bool good = side <= most && l->stride_p > 0 && l->stride_p <= most && l->stride_q > 0 &&
                l->stride_q <= most && l->n_outer <= SC_TILED_LOOPS;
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        good = good && l->extent[d] > 0 && l->extent[d] <= most && l->tile[d] > 0 &&
               l->tile[d] <= most && l->spatial[d] > 0 && l->spatial[d] <= most;
    return good ? SC_OK : sc_fail(SC_EINVAL, "a layer's extents, tiles and strides are 1 to 2^31");
}

static double fitted_side(const sc_tiled_layer *l)
{
    double side = 4; /* the smallest that is built */
    for (unsigned d = 0; d < SC_TILED_DIMS; d++)
        while (side < (double)l->spatial[d])
            side *= 2;
    return side;
}

static double elements(slab s)
{
    return s.rows * s.width;
}

sc_status sc_tiled_count(sc_tiled_work *out, const sc_tiled_layer *layer, uint64_t side,
                         sc_tiled_driver driver)
{
    run x = {.layer = layer, .loose_input = driver == SC_TILED_GEMMINI};
    const sc_status st = check(layer, side);
    if (st != SC_OK)
        return st;

    sc_tiled_work w = {.product = is_product(layer), .tiles = 1, .repeat = 1};
    w.side = side > 0 ? (double)side : fitted_side(layer);
    if (w.product && driver == SC_TILED_GEMMINI)
        run_as_library_product(&x, layer, w.side);
    else
        run_as_mapped(&x, layer);
    for (unsigned i = 0; i < x.n; i++)
        w.tiles *= x.times[i];

    const double *t = x.tile;
    const double pieces = ceil_div(t[SC_TILED_P], w.side); /* the array streams at most `side` */
    w.passes = ceil_div(t[SC_TILED_K], w.side) * ceil_div(t[SC_TILED_C], w.side) * t[SC_TILED_Q] *
               t[SC_TILED_R] * t[SC_TILED_S] * pieces;
    w.stream = t[SC_TILED_P] / pieces;
    const slab weights = slab_of(&x, WEIGHTS, t), input = slab_of(&x, INPUT, t);
    w.rows =
        weights.rows * ceil_div(weights.width, w.side) + input.rows * ceil_div(input.width, w.side);
    w.bytes = elements(weights) + elements(input);
    w.lines = missed_lines(&x);
    const double p = (double)layer->extent[SC_TILED_P], q = (double)layer->extent[SC_TILED_Q];
    if (driver == SC_TILED_GEMMINI && !w.product)
        w.repeat = fmax(p, q) / fmin(p, q);
    *out = w;
    return SC_OK;
}

double sc_tiled_cycles(const sc_tiled_work *w, const double *factor)
{
    const double shortest = factor[SC_TILED_PASS] + factor[SC_TILED_PASS_SIDE] * w->side;
    const double row = factor[SC_TILED_ROW] + factor[SC_TILED_ROW_SIDE] * w->side;
    const double busy[] = {
        w->tiles * factor[w->product ? SC_TILED_HOST_PRODUCT : SC_TILED_HOST_WINDOW],
        w->tiles * w->passes * fmax(w->stream, shortest),
        w->tiles * (w->rows * row + w->bytes / factor[SC_TILED_BUS]) +
            w->lines * factor[SC_TILED_LINE],
    };
    const double overlap = factor[SC_TILED_OVERLAP];
    const double longest = fmax(busy[0], fmax(busy[1], busy[2]));
    double sum = 0;
    for (unsigned i = 0; i < 3; i++)
        sum += pow(busy[i] / longest, overlap); /* of the longest, so that no power overflows */
    return w->repeat * longest * pow(sum, 1 / overlap) + factor[SC_TILED_START];
}
