/* Tiles of groups against walks that move rows one by one: what is read, made and held, halos kept
 * or made again; and cases by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "core/rng.h"
#include "model/net/tile_group.h"

/* An op has at most six rows more than it reads: 4 taps two apart, with six rows of padding on
 * either side. */
enum { MOST = 6, TALLEST_INPUT = 64, ROWS = TALLEST_INPUT + 6 * MOST };

/* A chain of windows over rows, one column wide, with sums of two earlier results where these have
 * the same rows. Member 0 reads the input from outside. */
typedef struct chain {
    sc_op op[MOST];
    sc_operand operand[MOST][2];
    sc_arch a;
    sc_tile_group g;
} chain;

static uint64_t draw(sc_rng *r, uint64_t n)
{
    return gsl_rng_uniform_int(&r->gsl, (unsigned long)n);
}

static sc_op blank(sc_op_kind kind, uint64_t h, uint64_t oh)
{
    return (sc_op){.kind = kind,
                   .batch = 1,
                   .d = 1,
                   .od = 1,
                   .t = 1,
                   .r = 1,
                   .s = 1,
                   .w = 1,
                   .ow = 1,
                   .cout = 1,
                   .cin = 1,
                   .h = h,
                   .oh = oh,
                   .stride_h = 1,
                   .stride_w = 1,
                   .dilation_h = 1,
                   .dilation_w = 1,
                   .function = "relu"};
}

/* A window over `from`, or over the input where it is -1. */
static bool add_window(chain *c, uint32_t m, int from, sc_rng *r)
{
    const uint64_t in = from < 0 ? c->g.outside[0].shape.h : c->op[from].oh;
    const uint64_t tap = 1 + draw(r, 4), dilation = 1 + draw(r, 2);
    const uint64_t kernel = (tap - 1) * dilation + 1;
    const uint64_t pad = draw(r, kernel), stride = 1 + draw(r, 2);
    const uint64_t below = draw(r, kernel);
    if (in + pad + below < kernel)
        return false;
    sc_op *op = &c->op[m];
    *op = blank(SC_OP_POOL, in, (in + pad + below - kernel) / stride + 1);
    op->r = tap;
    op->dilation_h = dilation;
    op->stride_h = stride;
    op->pad_top = pad;
    op->n_operands = 1;
    c->operand[m][0] = (sc_operand){from, {1, 1, in, 1}};
    c->g.edge[m][0] = from < 0 ? (sc_tile_edge){false, 0} : (sc_tile_edge){true, (uint8_t)from};
    return op->oh > 1;
}

static void add_sum(chain *c, uint32_t m, uint32_t one, uint32_t two)
{
    const uint32_t from[] = {one, two};
    c->op[m] = blank(SC_OP_ADD, c->op[one].oh, c->op[one].oh);
    c->op[m].n_operands = 2;
    for (int k = 0; k < 2; k++) {
        c->operand[m][k] = (sc_operand){(int32_t)from[k], {1, 1, c->op[one].oh, 1}};
        c->g.edge[m][k] = (sc_tile_edge){true, (uint8_t)from[k]};
    }
}

static bool draw_chain(chain *c, sc_rng *r)
{
    memset(c, 0, sizeof *c);
    const uint32_t n = 2 + (uint32_t)draw(r, MOST - 1);
    c->g.a = &c->a;
    c->a.level[1].buffers = 2.0;
    c->g.batch = 1;
    c->g.n = n;
    c->g.n_outside = 1;
    c->g.outside[0] = (sc_tile_outside){-1, true, {1, 1, 9 + draw(r, TALLEST_INPUT - 9), 1}, 1.0};
    for (uint32_t m = 0; m < n; m++) {
        bool summed = false;
        for (uint32_t k = 0; m > 1 && k + 1 < m && !summed; k++)
            if (c->op[k].oh == c->op[m - 1].oh && draw(r, 2) == 0) {
                add_sum(c, m, k, m - 1);
                summed = true;
            }
        if (!summed && !add_window(c, m, (int)m - 1, r))
            return false;
        c->op[m].operands = c->operand[m];
        c->g.op[m] = &c->op[m];
        c->g.width[m] = 1.0;
        c->g.last_reader[m] = m;
        for (uint32_t k = 0; k < c->op[m].n_operands; k++)
            if (c->g.edge[m][k].inside)
                c->g.last_reader[c->g.edge[m][k].from] = m;
    }
    return true;
}

/* Marks the rows of operand k that a member's rows [lo, hi) touch. */
static void touch(bool *rows, const chain *c, uint32_t m, uint32_t k, int64_t lo, int64_t hi)
{
    const sc_op *op = &c->op[m];
    const int64_t in = (int64_t)c->operand[m][k].read.h;
    for (int64_t y = lo; y < hi; y++)
        for (uint64_t tap = 0; tap < op->r; tap++) {
            const int64_t at =
                y * (int64_t)op->stride_h - (int64_t)op->pad_top + (int64_t)(tap * op->dilation_h);
            if (at >= 0 && at < in)
                rows[at] = true;
        }
}

/* From the first row touched to the last one, which lie in the buffer together. */
static void ends(int64_t *lo, int64_t *hi, const bool *rows)
{
    *lo = *hi = 0;
    bool any = false;
    for (int64_t y = 0; y < ROWS; y++)
        if (rows[y]) {
            *lo = any ? *lo : y;
            *hi = y + 1;
            any = true;
        }
}

static sc_tile_choice rows_of(uint64_t t, bool again)
{
    return (sc_tile_choice){.batch = 1, .extent = {t, 1}, .again = {again, false}};
}

/* Every tile alone: all that its rows need is made or read for it. */
static void walk_again(const chain *c, uint64_t t)
{
    const uint64_t all = c->op[c->g.n - 1].oh, tiles = (all + t - 1) / t;
    const sc_tile_choice w = rows_of(t, true);
    sc_tile_shape s;
    uint64_t read = 0;
    assert_true(sc_tile_shape_of(&s, &c->g, &w));
    for (uint64_t k = 0; k < tiles; k++) {
        bool rows[MOST + 1][ROWS] = {{false}};
        for (uint64_t y = k * t; y < (k + 1) * t && y < all; y++)
            rows[c->g.n - 1][y] = true;
        for (uint32_t m = c->g.n; m-- > 0;) {
            int64_t lo, hi;
            ends(&lo, &hi, rows[m]);
            assert_true((uint64_t)(hi - lo) <= s.inside[m][SC_TILE_ROWS].held);
            for (uint32_t i = 0; i < c->op[m].n_operands; i++)
                touch(rows[c->g.edge[m][i].inside ? c->g.edge[m][i].from : MOST], c, m, i, lo, hi);
        }
        int64_t lo, hi;
        ends(&lo, &hi, rows[MOST]);
        read += (uint64_t)(hi - lo);
        assert_true((uint64_t)(hi - lo) <= s.outside[0][SC_TILE_ROWS].held);
    }
    assert_true(read <= (uint64_t)s.read[0]);
    for (uint32_t m = 0; m < c->g.n; m++)
        assert_true(s.calls[m] == (double)tiles);
}

/* Tile by tile, in the order of execution, each member makes a tile's rows; what its readers need
 * must be there, and rows that no reader will ask for again are given up. What comes from outside
 * is the member MOST. */
typedef struct walk {
    const chain *c;
    const sc_tile_shape *s;
    int64_t until[MOST + 1]; /* rows of the first tile end here */
    int64_t step[MOST + 1];  /* rows of a tile */
    int64_t made[MOST + 1];
    uint64_t calls[MOST + 1];
} walk;

static const sc_tile_span *span_of(const walk *w, uint32_t m)
{
    return m == MOST ? &w->s->outside[0][SC_TILE_ROWS] : &w->s->inside[m][SC_TILE_ROWS];
}

static int64_t rows_in_all(const walk *w, uint32_t m)
{
    return (int64_t)(m == MOST ? w->c->g.outside[0].shape.h : w->c->op[m].oh);
}

static uint32_t maker(const chain *c, uint32_t m, uint32_t k)
{
    return c->g.edge[m][k].inside ? c->g.edge[m][k].from : MOST;
}

static int64_t first_row(const sc_op *op, int64_t y)
{
    return y * (int64_t)op->stride_h - (int64_t)op->pad_top;
}

static int64_t end_row(const sc_op *op, int64_t y)
{
    return first_row(op, y) + (int64_t)((op->r - 1) * op->dilation_h) + 1;
}

/* Rows of m that are there and that some reader's next row, or one behind it, needs. */
static void check_held(const walk *w, uint32_t m)
{
    int64_t low = w->made[m];
    for (uint32_t r = 0; r < w->c->g.n; r++)
        for (uint32_t k = 0; k < w->c->op[r].n_operands; k++)
            if (maker(w->c, r, k) == m && w->made[r] < (int64_t)w->c->op[r].oh) {
                const int64_t at = first_row(&w->c->op[r], w->made[r]);
                low = at < low ? at : low;
            }
    assert_true(w->made[m] - (low > 0 ? low : 0) <= (int64_t)span_of(w, m)->held);
}

/* What a member makes in tile v; before the first tile, rows that are needed ahead. */
static void call(walk *w, uint32_t m, int64_t v)
{
    const int64_t all = rows_in_all(w, m), step = w->step[m];
    int64_t end = w->until[m] + v * step, from = end - step;
    end = end < all ? end : all;
    from = from > 0 ? from : 0;
    if (end <= from)
        return;
    assert_true(w->made[m] == from);
    for (uint32_t k = 0; m != MOST && k < w->c->op[m].n_operands; k++) {
        const uint32_t source = maker(w->c, m, k);
        const int64_t need = end_row(&w->c->op[m], end - 1), there = rows_in_all(w, source);
        assert_true(w->made[source] >= (need < there ? need : there));
    }
    assert_true(m == MOST || end - from <= (int64_t)span_of(w, m)->fresh);
    w->made[m] = end;
    w->calls[m]++;
    if (m + 1 != w->c->g.n)
        check_held(w, m);
}

static void walk_kept(const chain *c, uint64_t t)
{
    const sc_tile_choice choice = rows_of(t, false);
    const uint32_t last = c->g.n - 1;
    sc_tile_shape s;
    walk w = {.c = c, .s = &s};
    assert_true(sc_tile_shape_of(&s, &c->g, &choice));
    for (uint32_t m = 0; m <= MOST; m++)
        w.until[m] = INT64_MIN;
    w.until[last] = w.step[last] = (int64_t)t;
    for (uint32_t m = c->g.n; m-- > 0;)
        for (uint32_t k = 0; k < c->op[m].n_operands; k++) {
            const int64_t end = end_row(&c->op[m], w.until[m] - 1);
            const uint32_t from = maker(c, m, k);
            w.until[from] = end > w.until[from] ? end : w.until[from];
            w.step[from] = w.step[m] * (int64_t)c->op[m].stride_h;
        }
    for (int64_t v = -ROWS; w.made[last] < rows_in_all(&w, last); v++) {
        call(&w, MOST, v);
        for (uint32_t m = 0; m <= last; m++)
            call(&w, m, v);
    }
    assert_true(s.read[0] == (double)c->g.outside[0].shape.h);
    assert_true(s.calls[last] == (double)w.calls[last]);
    for (uint32_t m = 0; m < last; m++) /* rows that nobody needs are made by the model alone */
        assert_true((double)w.calls[m] <= s.calls[m] &&
                    (w.made[m] < rows_in_all(&w, m) || (double)w.calls[m] == s.calls[m]));
}

static void test_walks(void **state)
{
    sc_rng r;
    int drawn = 0;
    sc_rng_init(&r, 7, 0, 0);
    for (int i = 0; i < 4000; i++) {
        chain c;
        sc_tile_shape s;
        if (!draw_chain(&c, &r))
            continue;
        const uint64_t t = 1 + draw(&r, c.op[c.g.n - 1].oh - 1); /* two tiles at least */
        const sc_tile_choice w = rows_of(t, false);
        if (!sc_tile_shape_of(&s, &c.g, &w))
            continue; /* two ways to a sum with different strides */
        walk_again(&c, t);
        walk_kept(&c, t);
        drawn++;
    }
    assert_true(drawn > 1000);
}

/* 3x3 windows of stride 1, 2 rows a tile, 10 rows in all, padding 1: two of them in a row need 6
 * rows of the input for 2 of the result. Kept: 4 of the middle for 2 made, as 4 of the input. */
static void two_windows(chain *c)
{
    memset(c, 0, sizeof *c);
    c->g.a = &c->a;
    c->a.level[1].buffers = 2.0;
    c->g.batch = 1;
    c->g.n = 2;
    c->g.n_outside = 1;
    c->g.outside[0] = (sc_tile_outside){-1, true, {5, 1, 10, 8}, 2.0};
    for (uint32_t m = 0; m < 2; m++) {
        c->op[m] = blank(SC_OP_CONV, 10, 10);
        c->op[m].r = c->op[m].s = 3;
        c->op[m].pad_top = c->op[m].pad_left = 1;
        c->op[m].w = c->op[m].ow = 8;
        c->op[m].cout = m == 0 ? 7 : 3;
        c->op[m].out_elems = c->op[m].cout * 10 * 8;
        c->op[m].n_operands = 1;
        c->operand[m][0] = (sc_operand){(int32_t)m - 1, {m == 0 ? 5 : 7, 1, 10, 8}};
        c->op[m].operands = c->operand[m];
        c->g.op[m] = &c->op[m];
        c->g.width[m] = 2.0;
        c->g.edge[m][0] = (sc_tile_edge){m == 1, 0};
    }
    c->g.last_reader[0] = c->g.last_reader[1] = 1;
}

static void test_two_windows_by_hand(void **state)
{
    chain c;
    sc_tile_shape s;
    two_windows(&c);
    sc_tile_choice w = {.batch = 1, .extent = {2, 8}, .again = {true, false}};
    assert_true(sc_tile_shape_of(&s, &c.g, &w));
    assert_true(s.tiles == 5.0 && s.calls[0] == 5.0 && s.calls[1] == 5.0);
    assert_int_equal(s.inside[0][SC_TILE_ROWS].fresh, 4);
    assert_int_equal(s.outside[0][SC_TILE_ROWS].held, 6);
    /* rows -2..4, 0..6, 2..8, 4..10, 6..12 of which 4, 6, 6, 6, 4 exist */
    assert_true(s.read[0] == 26.0 * 8 * 5 * 2);
    assert_true(s.in_bytes == 6.0 * 8 * 5 * 2 && s.out_bytes == 2.0 * 8 * 3 * 2);
    assert_true(s.kept_bytes == 0.0 && s.live_bytes[1] == 4.0 * 8 * 7 * 2);
    w.again[0] = false;
    assert_true(sc_tile_shape_of(&s, &c.g, &w));
    assert_int_equal(s.inside[0][SC_TILE_ROWS].fresh, 2);
    assert_int_equal(s.inside[0][SC_TILE_ROWS].held, 4);
    assert_true(s.calls[0] == 6.0); /* the first call makes row 0 alone: 1 + 9 / 2, rounded up */
    assert_true(s.read[0] == 10.0 * 8 * 5 * 2);
    assert_true(s.kept_bytes == 2.0 * 8 * 7 * 2 && s.live_bytes[1] == 2.0 * 8 * 7 * 2);
    assert_true(s.in_bytes == 4.0 * 8 * 5 * 2); /* rows 1..5 for rows 1..3 of the middle */
    /* 2 x 4: rows that stay do so over the full width of 8 */
    w.extent[1] = 4;
    assert_true(sc_tile_shape_of(&s, &c.g, &w));
    assert_int_equal(s.inside[0][SC_TILE_COLUMNS].held, 6);
    assert_int_equal(s.inside[0][SC_TILE_COLUMNS].fresh, 4);
    assert_true(s.live_bytes[1] == 2.0 * 4 * 7 * 2);
    assert_true(s.kept_bytes == (4.0 * 6 - 2 * 4 + 2 * (8 - 6)) * 7 * 2);
    assert_true(s.calls[0] == 6.0 * 3 && s.tiles == 5.0 * 2);
}

/* A buffer that is not filled by halves holds one tile more of what comes and goes. */
static void test_whole_buffers_hold_the_next_tile(void **state)
{
    chain c;
    sc_tile_shape halves, wholes;
    two_windows(&c);
    const sc_tile_choice w = {.batch = 1, .extent = {2, 8}, .again = {true, false}};
    assert_true(sc_tile_shape_of(&halves, &c.g, &w));
    c.a.level[1].buffers = 1.0;
    assert_true(sc_tile_shape_of(&wholes, &c.g, &w));
    assert_true(wholes.in_bytes == 2.0 * halves.in_bytes);
    assert_true(wholes.out_bytes == 2.0 * halves.out_bytes);
    assert_true(wholes.live_bytes[1] == halves.live_bytes[1]);
}

/* What needs all of a result that is made inside cannot be cut; what comes from outside can. */
static void test_whole_operands(void **state)
{
    chain c;
    sc_tile_shape s;
    two_windows(&c);
    c.op[1] = blank(SC_OP_MUL, 10, 10);
    c.op[1].ow = c.op[1].w = 8;
    c.op[1].n_operands = 2;
    c.op[1].operands = c.operand[1];
    c.operand[1][1] = (sc_operand){-2, {7, 1, 1, 1}};
    c.g.edge[1][1] = (sc_tile_edge){false, 1};
    c.g.outside[1] = (sc_tile_outside){-2, true, {7, 1, 1, 1}, 2.0};
    c.g.n_outside = 2;
    const sc_tile_choice w = {.batch = 1, .extent = {5, 8}};
    assert_true(sc_tile_shape_of(&s, &c.g, &w));
    assert_true(s.read[1] == 7.0 * 2 && sc_tile_may_cut(&c.g, SC_TILE_ROWS));
    c.op[1].r = 10; /* a pool over all rows in its place */
    c.op[1] = blank(SC_OP_BMM, 10, 10);
    c.op[1].n_operands = 2;
    c.op[1].operands = c.operand[1];
    c.g.edge[1][0] = (sc_tile_edge){false, 1};
    c.g.edge[1][1] = (sc_tile_edge){true, 0};
    assert_false(sc_tile_may_cut(&c.g, SC_TILE_ROWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_two_windows_by_hand),
        cmocka_unit_test(test_whole_buffers_hold_the_next_tile),
        cmocka_unit_test(test_whole_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
