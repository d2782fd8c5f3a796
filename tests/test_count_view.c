#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "count_make.h"
#include "model/count/view.h"
#include "model_support.h"
#include "xml_support.h"

/* A mapping with what is counted of it. */
typedef struct drawn {
    sc_einsum e;
    sc_arch a;
    sc_mapping m;
    sc_counts counts;
    sc_cost cost;
    sc_certificate certificate;
    sc_mapping_view v;
} drawn;

static void count(drawn *d, const char *op)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    if (sc_mapping_check(&d->m, &d->e, &d->a) != SC_OK ||
        sc_count(&d->counts, &d->e, &d->a, &d->m, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    const double compute = (double)d->counts.compute_cycles;
    sc_cost_of(&d->cost, &d->counts, compute, &d->e, &d->a);
    d->certificate = (sc_certificate){.goal = "cycles", .value = 3, .bound = 2, .seconds = 0.5};
    d->v = (sc_mapping_view){.op = op,
                             .design = "design",
                             .einsum = &d->e,
                             .arch = &d->a,
                             .mapping = &d->m,
                             .counts = &d->counts,
                             .cost = &d->cost,
                             .cycles = d->cost.cycles,
                             .compute_cycles = compute,
                             .utilization = (double)d->counts.macs / d->cost.cycles /
                                            (double)d->a.compute.instances,
                             .certificate = &d->certificate};
}

static void loop(sc_loops *loops, int dim, uint64_t factor)
{
    loops->dim[loops->n] = (uint8_t)dim;
    loops->factor[loops->n++] = factor;
}

/* A product of 3 x 7 and 7 x 10 on two units, each with a buffer of 64 bytes. Outermost first: M 3,
 * N 5 in the memory, N 2 over the units, K 7 in the buffers. */
static void product(drawn *d)
{
    memset(d, 0, sizeof *d);
    d->e = gemm_einsum(3, 10, 7);
    d->a = grid_arch(2, 1, 64, 0.0);
    d->m.n_levels = 2;
    d->m.level[0].keep = d->m.level[1].keep = 7;
    loop(&d->m.level[0].temporal, 1, 5);
    loop(&d->m.level[0].temporal, 0, 3);
    loop(&d->m.level[0].spatial, 1, 2);
    d->m.level[0].split = 1;
    loop(&d->m.level[1].temporal, 2, 7);
    count(d, "product");
}

static void check_tile(const drawn *d, int level, int tensor, const sc_tile_view *wanted)
{
    sc_tile_view t;
    sc_tile_view_of(&t, &d->v, level, tensor);
    assert_int_equal(t.words, wanted->words);
    assert_int_equal(t.bytes, wanted->bytes);
    assert_int_equal(t.loads, wanted->loads);
    assert_int_equal(t.moved, wanted->moved);
    assert_int_equal(t.served, wanted->served);
    assert_true(t.reuse == wanted->reuse);
    assert_true(isnan(wanted->share) ? isnan(t.share) : t.share == wanted->share);
}

/* Rows of the input stand still over the 5 steps of N; nothing else does. */
static void test_tiles_by_hand(void **state)
{
    const double none = (double)NAN;
    static drawn d;
    product(&d);
    check_tile(&d, 1, 0, &(sc_tile_view){7, 14, 14.0 / 64, 3, 21, 105, 5.0});
    check_tile(&d, 1, 1, &(sc_tile_view){7, 14, 14.0 / 64, 15, 105, 105, 1.0});
    check_tile(&d, 1, 2, &(sc_tile_view){1, 2, 2.0 / 64, 15, 15, 105, 7.0});
    check_tile(&d, 0, 0, &(sc_tile_view){21, 42, none, 1, 21, 21, 1.0});
    check_tile(&d, 0, 1, &(sc_tile_view){70, 140, none, 1, 70, 210, 3.0});
    check_tile(&d, 0, 2, &(sc_tile_view){30, 60, none, 1, 30, 30, 1.0});
}

static void check_link(const drawn *d, int level, int tensor, const sc_link_view *wanted)
{
    sc_link_view l;
    sc_link_view_of(&l, &d->v, level, tensor);
    assert_int_equal(l.to, wanted->to);
    assert_true(l.outer == wanted->outer);
    assert_true(l.inner == wanted->inner);
    assert_true(l.back == wanted->back);
}

/* Both units take each word of the input; a level that keeps nothing is passed by. */
static void test_links_by_hand(void **state)
{
    static drawn d;
    product(&d);
    check_link(&d, 0, 0, &(sc_link_view){1, 21, 42, 0});
    check_link(&d, 0, 1, &(sc_link_view){1, 210, 210, 0});
    check_link(&d, 0, 2, &(sc_link_view){1, 30, 30, 0});
    check_link(&d, 1, 1, &(sc_link_view){2, 210, 210, 0});
    check_link(&d, 1, 2, &(sc_link_view){2, 210, 210, 0});
    d.m.level[1].keep = 2;
    count(&d, "product");
    check_link(&d, 0, 0, &(sc_link_view){2, 105, 210, 0});
    check_link(&d, 0, 2, &(sc_link_view){2, 210, 210, 0});
}

/* What the engine counts as fills of tensors without halos are whole tiles, as often as said; what
 * children hand on is at least what arrives, and just that where nothing is added on the way. */
static void test_loads_agree_with_the_engine(void **state)
{
    uint64_t seed = 7;
    static drawn d;
    int checked = 0;
    for (int i = 0; i < 400; i++) {
        sc_link_view l;
        memset(&d, 0, sizeof d);
        d.e = gemm_einsum(6, 8, 12);
        d.a = count_random_arch(&seed, 3, 4);
        for (uint32_t level = 0; level < d.a.n_levels; level++)
            d.a.level[level].no_reduction = i % 2;
        d.m = count_random_mapping(&seed, &d.e, &d.a);
        count(&d, "random");
        for (int t = 0; t < 3; t++)
            for (int level = sc_next_keeper(&d.v, -1, t); level < 3;
                 level = sc_next_keeper(&d.v, level, t)) {
                sc_tile_view tile;
                sc_tile_view_of(&tile, &d.v, level, t);
                sc_link_view_of(&l, &d.v, level, t);
                if (t < 2 && level != sc_next_keeper(&d.v, -1, t))
                    assert_int_equal(d.counts.at[level][t].fills, tile.loads * tile.words);
                if (t == 2 && i % 2)
                    assert_true(l.inner == l.outer);
                assert_true(l.inner >= l.outer);
                checked++;
            }
    }
    assert_true(checked > 1200);
}

static void test_text_of_numbers(void **state)
{
    static const struct {
        double value;
        const char *count, *factor, *share;
    } table[] = {{0, "0", "0", "0 %"},
                 {0.0005, "0", "0.0005", "< 0.1 %"},
                 {0.006531, "0", "0.00653", "0.65 %"},
                 {0.125, "0", "0.125", "12.5 %"},
                 {1, "1", "1", "100 %"},
                 {2.25, "2", "2.25", "225 %"},
                 {99999, "99999", "99999", NULL},
                 {1e6, "1.00 M", "1.00 M", NULL},
                 {999499, "999 k", "999 k", NULL},
                 {999500, "1.00 M", "1.00 M", NULL},
                 {12340000, "12.3 M", "12.3 M", NULL},
                 {0x1p60, "1.15 E", "1.15 E", NULL}};
    char text[32];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_string_equal(sc_factor_text(text, table[i].value), table[i].factor);
        if (table[i].value == round(table[i].value))
            assert_string_equal(sc_count_text(text, table[i].value), table[i].count);
        if (table[i].share)
            assert_string_equal(sc_share_text(text, table[i].value), table[i].share);
    }
    sc_certificate c = {.value = 3, .bound = 2};
    assert_string_equal(sc_certificate_text(text, &c), "gap 50.0 %");
    c.optimal = true;
    assert_string_equal(sc_certificate_text(text, &c), "optimal");
    assert_true(sc_certificate_gap(&c) == 0.0);
}

static void test_loops_by_hand(void **state)
{
    static drawn d;
    char *text = NULL;
    sc_buf b;
    product(&d);
    sc_buf_init(&b);
    sc_view_loops(&b, &d.v);
    assert_int_equal(sc_buf_take(&b, &text), SC_OK);
    const char *lines[] = {
        "    in: tile 21 words, 42 B; held from the start; reuse 1\n",
        "  for M in 0..3\n    for N in 0..5\n      parallel-for N in 0..2 on X\n        [",
        "          in: tile 7 words, 14 B, 21.9 % of capacity; loaded 3 times, 21 words; reuse 5\n",
        "out: tile 1 word, 2 B, 3.12 % of capacity; handed on 15 times, 15 words; reuse 7\n",
        "        for K in 0..7\n          [",
        "2 of 2 used, 105 cycles",
        "210 multiply-accumulates\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no '%s' in\n%s", lines[i], text);
    sc_free(text);
}

/* Six levels and seven dimensions, a loop of every dimension in time at every level and in space
 * under two of them; names that XML must not take as they are. */
static void large(drawn *d)
{
    memset(d, 0, sizeof *d);
    d->e = count_einsum("N256 K256 C256 P256 Q256 R256 S256", "I N,C,P+R,Q+S", "W K,C,R,S",
                        "O N,K,P,Q");
    uint64_t seed = 1;
    d->a = count_random_arch(&seed, 6, 2);
    strcpy(d->e.dim_name[6], "seven<&\"dimension");
    strcpy(d->e.tensor[0].name, "in<p>&'ut");
    strcpy(d->a.level[3].name, "level<3>&\"with a long name\"");
    d->m.n_levels = 6;
    for (int level = 0; level < 6; level++) {
        sc_block *b = &d->m.level[level];
        sc_level *l = &d->a.level[level];
        b->keep = level == 0 ? 7 : (uint8_t)(level + 2);
        for (int dim = 0; dim < 7; dim++)
            loop(&b->temporal, dim, 2);
        for (int dim = 0; dim < 7 && level % 3 == 2; dim++)
            loop(&b->spatial, dim, 2);
        b->split = (uint8_t)(b->spatial.n / 2);
        b->diagonal = b->spatial.n > 0;
        l->fanout_x = l->fanout_y = 256;
        l->bounded = true;
        l->capacity[0] = (uint64_t)1 << 60;
    }
    count(d, "<op> & \"more\"");
}

/* A text in the drawing, as wide as its letters may be. */
typedef struct box {
    double left, right, top, bottom;
    const char *text;
} box;

static box text_box(const xml_element *e)
{
    const double size = xml_number(e, "font-size"), width = 0.6 * size * (double)strlen(e->text);
    const double x = xml_number(e, "x"), y = xml_number(e, "y");
    const char *anchor = xml_attribute(e, "text-anchor");
    const double left = strcmp(anchor, "start") == 0    ? x
                        : strcmp(anchor, "middle") == 0 ? x - width / 2
                                                        : x - width;
    return (box){left, left + width, y - 0.8 * size, y + 0.2 * size, e->text};
}

static void check_no_overlap(const xml_element *e, size_t n)
{
    box *boxes = calloc(n, sizeof *boxes);
    size_t n_boxes = 0;
    assert_non_null(boxes);
    const double width = xml_number(&e[0], "width"), height = xml_number(&e[0], "height");
    assert_true(width == 1000.0);
    for (size_t i = 0; i < n; i++)
        if (strcmp(e[i].name, "text") == 0)
            boxes[n_boxes++] = text_box(&e[i]);
    for (size_t i = 0; i < n_boxes; i++) {
        const box *a = &boxes[i];
        if (a->left < 0 || a->right > width || a->top < 0 || a->bottom > height)
            fail_msg("'%s' leaves the picture", a->text);
        for (size_t j = 0; j < i; j++) {
            const box *b = &boxes[j];
            if (a->left < b->right && b->left < a->right && a->top < b->bottom &&
                b->top < a->bottom)
                fail_msg("'%s' covers '%s'", a->text, b->text);
        }
    }
    free(boxes);
}

/* How many groups have a tooltip that begins with the text. */
SC_PRINTF(3, 4)
static int tips(const xml_element *e, size_t n, const char *fmt, ...)
{
    char wanted[256];
    int found = 0;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(wanted, sizeof wanted, fmt, args);
    va_end(args);
    for (size_t i = 0; i < n; i++)
        found += strcmp(e[i].name, "title") == 0 && strncmp(e[i].text, wanted, strlen(wanted)) == 0;
    return found;
}

static void check_loops(const xml_element *e, size_t n, const drawn *d)
{
    for (int dim = 0; dim < d->e.n_dims; dim++) {
        int in_time = 0, in_space = 0;
        for (int level = 0; level < d->m.n_levels; level++) {
            const sc_block *b = &d->m.level[level];
            for (int i = 0; i < b->temporal.n; i++)
                in_time += b->temporal.dim[i] == dim;
            for (int i = 0; i < b->spatial.n; i++)
                in_space += b->spatial.dim[i] == dim;
        }
        assert_int_equal(tips(e, n, "for %s in 0..2", d->e.dim_name[dim]), in_time);
        assert_int_equal(tips(e, n, "parallel-for %s in 0..2 on ", d->e.dim_name[dim]), in_space);
    }
}

static void check_numbers(const xml_element *e, size_t n, const drawn *d)
{
    for (int level = 0; level < d->m.n_levels; level++) {
        const char *name = d->a.level[level].name;
        const double used = (double)d->counts.used_instances[level];
        assert_int_equal(tips(e, n, "%s: %.0f of %.0f used, %.0f cycles, ", name, used,
                              (double)d->a.level[level].instances, d->cost.level_cycles[level]),
                         1);
        for (int t = 0; t < d->e.n_tensors; t++) {
            const sc_access *at = &d->counts.at[level][t];
            const char *tensor = d->e.tensor[t].name;
            const int kept = d->m.level[level].keep >> t & 1;
            assert_int_equal(
                tips(e, n, "%s at %s: tile %.0f words, ", tensor, name, (double)at->tile), kept);
            assert_int_equal(tips(e, n, "%s, %s %s ", tensor, name, t == 2 ? "from" : "to"), kept);
            if (kept && sc_next_keeper(&d->v, level, t) < d->m.n_levels)
                assert_int_equal(tips(e, n, "%s, %s %s %s: %.0f words ", tensor, name,
                                      t == 2 ? "from" : "to",
                                      d->a.level[sc_next_keeper(&d->v, level, t)].name,
                                      (double)(t == 2 ? at->updates : at->reads) * used),
                                 1);
        }
    }
    assert_int_equal(tips(e, n, "%llu multiply-accumulates", (unsigned long long)d->counts.macs),
                     1);
}

static void test_picture_of_many_loops(void **state)
{
    static drawn d;
    char *svg = NULL;
    size_t n;
    large(&d);
    assert_int_equal(sc_view_picture(&svg, &d.v), SC_OK);
    xml_element *e = xml_read(&n, svg);
    assert_string_equal(e[0].name, "svg");
    assert_string_equal(e[1].text, "Mapping of <op> & \"more\" on design");
    check_no_overlap(e, n);
    check_loops(e, n, &d);
    check_numbers(e, n, &d);
    free(e);
    sc_free(svg);
}

static void test_picture_by_hand(void **state)
{
    static drawn d;
    char *svg = NULL;
    size_t n;
    product(&d);
    assert_int_equal(sc_view_picture(&svg, &d.v), SC_OK);
    xml_element *e = xml_read(&n, svg);
    check_no_overlap(e, n);
    check_numbers(e, n, &d);
    assert_int_equal(tips(e, n, "for "), 3);
    assert_int_equal(tips(e, n, "parallel-for N in 0..2 on X"), 1);
    const char *name = d.a.level[1].name;
    assert_int_equal(tips(e, n,
                          "in at %s: tile 7 words, 14 bytes, of capacity 21.9 %%; 3 tiles, 21 "
                          "words moved, 105 served, reuse 5",
                          name),
                     1);
    assert_int_equal(
        tips(e, n, "in, DRAM to %s: 21 words read, 42 taken in, 0 partial sums back", name), 1);
    free(e);
    sc_free(svg);
}

static void test_picture_without_memory(void **state)
{
    static drawn d;
    product(&d);
    int failed = 0;
    for (long i = 0;; i++) {
        char *svg = NULL;
        sc_mem_fail_after(i);
        const sc_status st = sc_view_picture(&svg, &d.v);
        sc_mem_fail_after(-1);
        if (st == SC_OK) {
            sc_free(svg);
            break;
        }
        assert_int_equal(st, SC_ENOMEM);
        assert_null(svg);
        failed++;
    }
    assert_true(failed > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles_by_hand),
                                       cmocka_unit_test(test_links_by_hand),
                                       cmocka_unit_test(test_loads_agree_with_the_engine),
                                       cmocka_unit_test(test_text_of_numbers),
                                       cmocka_unit_test(test_loops_by_hand),
                                       cmocka_unit_test(test_picture_of_many_loops),
                                       cmocka_unit_test(test_picture_by_hand),
                                       cmocka_unit_test(test_picture_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
