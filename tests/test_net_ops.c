/* Every kind of op on a design that holds it whole: MACs, lane operations and bytes against loops
 * that walk the op one element at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/net/op_cost.h"
#include "model_support.h"
#include "workloads/builder.h"

enum { MAX_ELEMENTS = 1 << 16, BYTES = 2 };

/* Elements that a walk has touched, and the MACs it has done. */
typedef struct walk {
    uint64_t macs;
    unsigned char in[MAX_ELEMENTS], weight[MAX_ELEMENTS], out[MAX_ELEMENTS];
} walk;

static walk touched;           /* large: not on the stack */
static bool seen[SC_OP_KINDS]; /* kinds that a loop has walked */

static void touch(uint64_t in, uint64_t weight, uint64_t out)
{
    assert_true(in < MAX_ELEMENTS && weight < MAX_ELEMENTS && out < MAX_ELEMENTS);
    touched.macs++;
    touched.in[in] = touched.weight[weight] = touched.out[out] = 1;
}

static double touched_bytes(void)
{
    uint64_t n = 0;
    for (size_t i = 0; i < MAX_ELEMENTS; i++)
        n += (uint64_t)touched.in[i] + touched.weight[i] + touched.out[i];
    return (double)(n * BYTES);
}

/* The op a spec makes behind network inputs of these shapes. */
static sc_workload *one_op(const sc_op_spec *spec, uint64_t batch, size_t n, const sc_shape *shapes)
{
    static const char *const names[] = {"a", "b", "c"};
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    sc_input_ref refs[3] = {{0}};
    sc_op_spec s = *spec;
    int32_t index;
    if (sc_builder_create(&b, "one", batch, 8 * BYTES) != SC_OK)
        fail_msg("%s", sc_error_message());
    for (size_t i = 0; i < n; i++)
        assert_int_equal(sc_builder_input(b, &refs[i].producer, names[i], shapes[i]), SC_OK);
    s.name = "op";
    s.n_inputs = n;
    s.inputs = refs;
    if (sc_builder_add(b, &index, &s) != SC_OK || sc_builder_finish(&w, b) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_builder_destroy(b);
    seen[w->ops[0].kind] = true;
    return w;
}

static sc_op_cost cost_of(const sc_workload *w, const sc_arch *a)
{
    sc_op_cost c;
    if (sc_op_cost_of(&c, &w->ops[0], a, &(sc_cost_options){.map_budget = 0}) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(c.misfit.code, SC_FITS);
    return c;
}

/* The op does what the walk did, and moves each touched element once. */
static void as_walked(const sc_op_spec *spec, uint64_t batch, size_t n, const sc_shape *shapes)
{
    const sc_arch a = grid_arch(4, 2, 1 << 20, 3.0);
    sc_workload *w = one_op(spec, batch, n, shapes);
    const sc_op_cost c = cost_of(w, &a);
    assert_int_equal(w->ops[0].macs, touched.macs);
    assert_true(c.compute_pj >= (double)touched.macs); /* 1 pJ a MAC, padded work included */
    assert_true(c.compulsory_bytes == touched_bytes());
    assert_true(c.level_bytes[0] >= touched_bytes());
    assert_true(c.cycles >= (double)touched.macs / 8.0);
    assert_true(c.cycles >= touched_bytes() / 3.0);
    sc_workload_destroy(w);
    /* one unit and no limits: energy decides, so nothing is fetched twice and no work added */
    const sc_arch one = grid_arch(1, 1, 1 << 20, 0.0);
    w = one_op(spec, batch, n, shapes);
    const sc_op_cost d = cost_of(w, &one);
    assert_true(d.compute_pj == (double)touched.macs);
    assert_true(d.level_bytes[0] == touched_bytes());
    sc_workload_destroy(w);
}

typedef struct window {
    uint64_t n, c, k, g, d, h, w, t, r, s, stride, dilation;
    bool transposed;
} window;

static uint64_t side(uint64_t in, uint64_t kernel, const window *v)
{
    const uint64_t reach = (kernel - 1) * v->dilation;
    return v->transposed ? (in - 1) * v->stride + reach + 1 : (in - reach - 1) / v->stride + 1;
}

/* All loops of a convolution, plain or transposed; sides are those of what the window moves over.
 */
static void walk_conv(const window *v)
{
    const uint64_t cg = v->c / v->g, kg = v->k / v->g;
    const uint64_t oh = side(v->h, v->r, v), ow = side(v->w, v->s, v), od = side(v->d, v->t, v);
    const uint64_t z_n = v->transposed ? v->d : od, y_n = v->transposed ? v->h : oh,
                   x_n = v->transposed ? v->w : ow;
    memset(&touched, 0, sizeof touched);
    for (uint64_t i = 0; i < v->n * v->g * kg * cg * z_n * y_n * x_n * v->t * v->r * v->s; i++) {
        uint64_t q = i;
        const uint64_t s = q % v->s, r = (q /= v->s) % v->r, t = (q /= v->r) % v->t;
        const uint64_t x = (q /= v->t) % x_n, y = (q /= x_n) % y_n, z = (q /= y_n) % z_n;
        const uint64_t c = (q /= z_n) % cg, k = (q /= cg) % kg, g = (q /= kg) % v->g;
        const uint64_t n = q / v->g;
        const uint64_t far_z = z * v->stride + t * v->dilation,
                       far_y = y * v->stride + r * v->dilation,
                       far_x = x * v->stride + s * v->dilation;
        const uint64_t iz = v->transposed ? z : far_z, iy = v->transposed ? y : far_y,
                       ix = v->transposed ? x : far_x;
        const uint64_t oz = v->transposed ? far_z : z, oy = v->transposed ? far_y : y,
                       ox = v->transposed ? far_x : x;
        touch((((n * v->c + g * cg + c) * v->d + iz) * v->h + iy) * v->w + ix,
              (((g * kg + k) * cg + c) * v->t + t) * v->r * v->s + r * v->s + s,
              (((n * v->k + g * kg + k) * od + oz) * oh + oy) * ow + ox);
    }
}

static void test_windows(void **state)
{
    const window windows[] = {
        {2, 3, 5, 1, 1, 7, 6, 1, 3, 2, 1, 1, false}, /* conv */
        {2, 3, 5, 1, 1, 7, 7, 1, 3, 3, 2, 1, false}, /* with stride */
        {1, 6, 6, 6, 1, 8, 7, 1, 3, 3, 1, 1, false}, /* depthwise */
        {2, 6, 9, 3, 1, 5, 5, 1, 3, 3, 1, 1, false}, /* grouped */
        {1, 2, 3, 1, 1, 9, 9, 1, 3, 3, 1, 2, false}, /* dilated */
        {1, 2, 3, 1, 5, 4, 6, 2, 3, 3, 1, 1, false}, /* 3-D */
        {2, 3, 4, 1, 1, 4, 5, 1, 3, 3, 2, 1, true},  /* transposed */
        {1, 4, 6, 2, 1, 3, 4, 1, 2, 2, 2, 1, true},  /* transposed, grouped */
    };
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const window *v = &windows[i];
        const sc_shape shape = {v->c, v->d, v->h, v->w};
        const sc_op_spec spec = {.kind = v->transposed ? SC_OP_TCONV : SC_OP_CONV,
                                 .channels = v->k,
                                 .groups = v->g,
                                 .kernel = {v->t, v->r, v->s},
                                 .stride = {1, v->stride, v->stride},
                                 .dilation = {1, v->dilation, v->dilation}};
        assert_true(v->d == 1 || v->stride * v->dilation == 1); /* depth has neither */
        walk_conv(v);
        as_walked(&spec, v->n, 1, &shape);
    }
}

/* h products of [m][k] and [k][n], j of them sharing the second operand. */
static void walk_products(uint64_t h, uint64_t j, uint64_t m, uint64_t n, uint64_t k)
{
    memset(&touched, 0, sizeof touched);
    for (uint64_t i = 0; i < h; i++)
        for (uint64_t a = 0; a < m; a++)
            for (uint64_t b = 0; b < n; b++)
                for (uint64_t c = 0; c < k; c++)
                    touch((i * m + a) * k + c, (i / j * k + c) * n + b, (i * m + a) * n + b);
}

static void test_products(void **state)
{
    walk_products(1, 1, 3, 11, 5 * 7); /* fully connected */
    as_walked(&(sc_op_spec){.kind = SC_OP_FC, .channels = 11}, 3, 1, &(sc_shape){5, 1, 7, 1});
    walk_products(1, 1, 2 * 13, 11, 5); /* per position */
    as_walked(&(sc_op_spec){.kind = SC_OP_MATMUL, .channels = 11}, 2, 1, &(sc_shape){5, 1, 13, 1});
}

/* Queries of 6 heads of 5 channels; keys and values of as many or of 2. */
static void test_attention(void **state)
{
    for (uint64_t kv = 2; kv <= 6; kv += 4) {
        const uint64_t share = 6 / kv;
        /* prefill: 7 queries on 7 keys */
        const sc_op_spec scores = {
            .kind = SC_OP_BMM, .transpose = true, .heads = 6, .kv_heads = kv};
        walk_products(6, share, 7, 7, 5);
        as_walked(&scores, 1, 2, (sc_shape[]){{30, 1, 7, 1}, {kv * 5, 1, 7, 1}});
        const sc_op_spec values = {.kind = SC_OP_BMM, .heads = 6, .kv_heads = kv};
        walk_products(6, share, 7, 5, 7);
        as_walked(&values, 1, 2, (sc_shape[]){{6, 1, 7, 7}, {kv * 5, 1, 7, 1}});
        /* decode: 1 query on its own key and 12 in the cache */
        sc_op_spec cached = scores;
        cached.cache = 12;
        walk_products(6, share, 1, 13, 5);
        as_walked(&cached, 1, 2, (sc_shape[]){{30, 1, 1, 1}, {kv * 5, 1, 1, 1}});
        sc_workload *w = one_op(&cached, 1, 2, (sc_shape[]){{30, 1, 1, 1}, {kv * 5, 1, 1, 1}});
        assert_int_equal(w->ops[0].cache_elems, kv * 5 * 12);
        sc_workload_destroy(w);
    }
}

/* 9 steps, each [2][16] x [16][32]: weights are fetched once, and a step does not start before the
 * last one has ended, so that the array's ramps are paid in each. */
static void test_recurrent_steps_wait(void **state)
{
    const sc_op_spec spec = {.kind = SC_OP_MATMUL, .channels = 32, .recurrent = 16};
    const sc_arch grid = grid_arch(1, 1, 1 << 20, 0.0);
    sc_arch array = array_arch(16, 32, 1 << 20);
    sc_workload *w = one_op(&spec, 2, 1, &(sc_shape){32, 1, 9, 1});
    const sc_op_cost c = cost_of(w, &grid);
    assert_int_equal(w->ops[0].macs, 9 * 2 * 16 * 32);
    assert_true(c.level_bytes[0] == BYTES * (16 * 32 + 9 * 2 * (16 + 32)));
    array.compute.dataflows = 1 << SC_WS;
    array.compute.double_buffered = true;
    const sc_op_cost s = cost_of(w, &array);
    /* one pass a step: its 2 cycles and the whole ramp, as no load of another pass hides behind it
     */
    assert_true(s.compute_cycles == 9 * (2 + 2 * 16 + 32 - 2));
    sc_workload_destroy(w);
}

/* ---- lanes ---- */

typedef struct lane_walk {
    double ops, special, reads, writes;
} lane_walk;

/* Rows of a softmax, as the textbook runs them in three passes and in two. */
static lane_walk walk_softmax(uint64_t rows, uint64_t n, int passes)
{
    lane_walk v = {0, 0, 0, 0};
    for (uint64_t row = 0; row < rows; row++) {
        for (uint64_t i = 0; i < n; i++) { /* maximum; with two passes the running sum too */
            v.reads++;
            v.ops += passes == 3 ? 1 : 3; /* compare; rescale-and-add, subtract */
            v.special += passes == 3 ? 0 : 2;
        }
        for (uint64_t i = 0; i < n && passes == 3; i++) { /* exp and sum */
            v.reads++, v.writes++;
            v.ops += 2; /* subtract, add */
            v.special++;
        }
        v.special++;                       /* the division, once a row */
        for (uint64_t i = 0; i < n; i++) { /* scale; with two passes exp again */
            v.reads++, v.writes++;
            v.ops += passes == 3 ? 1 : 2;
            v.special += passes == 3 ? 0 : 1;
        }
    }
    return v;
}

/* Few lanes want three passes (one exp an element), a narrow buffer wants two (three accesses). */
static void test_softmax_takes_the_cheaper_way(void **state)
{
    const sc_op_spec spec = {.kind = SC_OP_SOFTMAX};
    sc_arch a = grid_arch(1, 1, 1 << 12, 0.0);
    sc_workload *w = one_op(&spec, 1, 1, &(sc_shape){3, 1, 5, 64});
    const lane_walk three = walk_softmax(15, 64, 3), two = walk_softmax(15, 64, 2);
    assert_true(three.reads + three.writes == 5 * 15 * 64 && two.reads + two.writes == 3 * 15 * 64);
    sc_op_cost c = cost_of(w, &a);
    assert_int_equal(c.variant, SC_VARIANT_THREE_PASS);
    assert_true(c.compute_pj == three.ops + 4 * three.special);
    assert_true(c.compute_cycles == ceil((three.ops + three.special) / 8));
    assert_true(c.level_bytes[0] == 2 * 15 * 64 * BYTES); /* rows stay in the buffer */
    /* the buffer: filled once and read by the passes; written by them and drained once */
    assert_true(c.level_bytes[1] == (three.reads + three.writes + 2 * 15 * 64) * BYTES);
    a.vector.lanes = 1 << 12;
    a.level[1].shared_bw = 1.0;
    c = cost_of(w, &a);
    assert_int_equal(c.variant, SC_VARIANT_TWO_PASS);
    assert_true(c.compute_pj == two.ops + 4 * two.special);
    assert_true(c.cycles == (two.reads + two.writes + 2 * 15 * 64) * BYTES);
    assert_int_equal(c.bound, 1);
    sc_workload_destroy(w);
}

/* A row that no buffer holds is read from the outermost level in each pass. */
static void test_long_rows_come_again(void **state)
{
    const sc_op_spec spec = {.kind = SC_OP_RMSNORM};
    const sc_arch fits = grid_arch(1, 1, 1000 * BYTES, 0.0), small = grid_arch(1, 1, 1998, 0.0);
    sc_workload *w = one_op(&spec, 1, 1, &(sc_shape){1000, 1, 3, 1});
    const double scales = 1000 * BYTES; /* one a channel */
    assert_true(cost_of(w, &fits).level_bytes[0] == 2 * 3000 * BYTES + scales);
    assert_true(cost_of(w, &small).level_bytes[0] == 3 * 3000 * BYTES + scales);
    sc_workload_destroy(w);
}

/* What one op costs on one lane of a design that holds all of it: 1 pJ an operation, 4 a special
 * function, and every operand, parameter and result once through the memory. */
static void as_lanes_walk(const sc_op_spec *spec, size_t n, const sc_shape *shapes,
                          const lane_walk *v)
{
    sc_arch a = grid_arch(1, 1, 1 << 20, 0.0);
    sc_workload *w = one_op(spec, 2, n, shapes);
    a.vector.lanes = 1;
    const sc_op_cost c = cost_of(w, &a);
    assert_true(c.compute_pj == v->ops + 4 * v->special);
    assert_true(c.compute_cycles == v->ops + v->special);
    assert_true(c.level_bytes[0] == (v->reads + v->writes) * BYTES);
    assert_true(c.compulsory_bytes == c.level_bytes[0]);
    assert_int_equal(w->ops[0].macs, 0);
    sc_workload_destroy(w);
}

/* Rows of a norm, as the textbook runs them: statistics, then every element again. */
static void test_norms(void **state)
{
    enum { ROWS = 2 * 5, WIDTH = 12 };
    const sc_shape x = {WIDTH, 1, 5, 1};
    lane_walk layer = {0}, rms = {0}, batch = {0};
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < WIDTH; i++, layer.reads++, rms.reads++)
            layer.ops += 2, rms.ops += 1; /* sum and sum of squares; that of squares */
        layer.special++, rms.special++;   /* 1 / sqrt(variance), 1 / sqrt(mean square) */
        for (int i = 0; i < WIDTH; i++, layer.writes++, rms.writes++)
            layer.ops += 3, rms.ops += 2; /* centre, scale, gain and shift; scale, gain */
        for (int i = 0; i < WIDTH; i++, batch.reads++, batch.writes++)
            batch.ops++; /* gain and shift, the statistics being constants */
    }
    layer.reads += 2 * WIDTH, batch.reads += 2 * WIDTH, rms.reads += WIDTH; /* gains, shifts */
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_LAYERNORM}, 1, &x, &layer);
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_RMSNORM}, 1, &x, &rms);
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_BATCHNORM}, 1, &x, &batch);
    layer.ops += ROWS * WIDTH; /* a residual added on the way in */
    layer.reads += ROWS * WIDTH;
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_LAYERNORM}, 2, (sc_shape[]){x, x}, &layer);
}

/* A map of 3 x 4 made 6 x 8: copies, or three interpolations a value. */
static void test_resize(void **state)
{
    const sc_shape small = {5, 1, 3, 4}, large = {5, 1, 6, 8};
    lane_walk near = {0}, linear = {0};
    near.reads = linear.reads = 2 * 5 * 3 * 4;
    for (int i = 0; i < 2 * 5 * 6 * 8; i++, near.writes++, linear.writes++)
        linear.ops += 3; /* along the upper row, along the lower, between the two */
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_RESIZE, .shape = large}, 1, &small, &near);
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_RESIZE, .function = "bilinear", .shape = large}, 1,
                  &small, &linear);
}

/* 5 steps of a cell of 3: r, z = sigmoid; n = tanh(x + r h); h' = (1 - z) n + z h. A sigmoid or
 * tanh is a polynomial of 4 operations and one exp, 1 / (1 + e^-x) included. */
static void test_gru_cell(void **state)
{
    lane_walk v = {0};
    for (int i = 0; i < 2 * 5 * 3; i++) {
        v.ops += 3 * 4;
        v.special += 3;
        v.ops += 1 + 1 + 2; /* r h; 1 - z; product and multiply-add */
        v.reads += 3;
        v.writes++;
    }
    as_lanes_walk(&(sc_op_spec){.kind = SC_OP_ACTIVATION, .function = "gru_cell"}, 1,
                  &(sc_shape){9, 1, 5, 1}, &v);
}

static lane_walk lanes_of(const sc_op_spec *spec, size_t n, const sc_shape *shapes)
{
    const sc_arch a = grid_arch(1, 1, 1 << 20, 0.0);
    sc_workload *w = one_op(spec, 2, n, shapes);
    const sc_op_cost c = cost_of(w, &a);
    const lane_walk v = {.ops = c.compute_pj, .reads = c.level_bytes[0] / BYTES};
    assert_true(c.compulsory_bytes == c.level_bytes[0]);
    sc_workload_destroy(w);
    return v;
}

static void test_other_vector_ops(void **state)
{
    const sc_shape map = {3, 1, 6, 4}, one = {3, 1, 1, 1};
    /* overlapping windows compare each element as often as a window holds it */
    double compares = 0, outs = 0;
    for (int n = 0; n < 2 * 3; n++)
        for (int y = 0; y + 3 <= 6; y++)
            for (int x = 0; x + 3 <= 4; x++, outs++)
                for (int r = 0; r < 9; r++)
                    compares++;
    const sc_op_spec pool = {.kind = SC_OP_POOL, .kernel = {1, 3, 3}, .stride = {1, 1, 1}};
    lane_walk v = lanes_of(&pool, 1, &map);
    assert_true(v.ops == compares && v.reads == 2 * 72 + outs);
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_POOL, .function = "avg", .global = true}, 1, &map);
    assert_true(v.ops == 2 * 72 && v.reads == 2 * (72 + 3));
    /* a broadcast operand is read once from outside */
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_MUL}, 2, (sc_shape[]){map, one});
    assert_true(v.ops == 2 * 72 && v.reads == 2 * (72 + 3 + 72));
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_ADD}, 3, (sc_shape[]){map, map, map});
    assert_true(v.ops == 2 * 2 * 72 && v.reads == 2 * 4 * 72);
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_ACTIVATION, .function = "relu"}, 1, &map);
    assert_true(v.ops == 2 * 2 * 72 && v.reads == 2 * 2 * 72);
    /* movement does nothing but move */
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_CONCAT}, 2, (sc_shape[]){map, map});
    assert_true(v.ops == 0 && v.reads == 2 * 4 * 72);
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_RESHAPE, .shape = {72, 1, 1, 1}}, 1, &map);
    assert_true(v.ops == 0 && v.reads == 2 * 2 * 72);
    /* 10 rows of a table of 1000, 8 channels: the rows are read, not the table */
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_EMBED, .channels = 8, .vocabulary = 1000}, 1,
                 &(sc_shape){1, 1, 10, 1});
    assert_true(v.ops == 0 && v.reads == 2 * 2 * 80);
    /* gates of an LSTM: 4 values in, 1 out; 5 sigmoids and tanh of 4 operations and one exp, 3 more
     */
    v = lanes_of(&(sc_op_spec){.kind = SC_OP_ACTIVATION, .function = "lstm_cell"}, 1,
                 &(sc_shape){12, 1, 5, 1});
    assert_true(v.ops == 2 * 15 * (5 * (4 + 4) + 3) && v.reads == 2 * (60 + 15));
}

/* No kind of op is without a loop that says what it costs. */
static void test_every_kind_was_walked(void **state)
{
    for (int k = 0; k < SC_OP_KINDS; k++)
        if (!seen[k])
            fail_msg("nothing walks %s", sc_op_kind_name((sc_op_kind)k));
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_recurrent_steps_wait),
        cmocka_unit_test(test_softmax_takes_the_cheaper_way),
        cmocka_unit_test(test_long_rows_come_again),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_gru_cell),
        cmocka_unit_test(test_other_vector_ops),
        cmocka_unit_test(test_every_kind_was_walked), /* last: it looks at what the others did */
    };
    return cmocka_run_group_tests_name("net_ops", t, NULL, NULL);
}
