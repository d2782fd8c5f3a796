#include "placement/legal.h"

#include <math.h>
#include <stdlib.h>

#include "core/mem.h"

const char *const sc_violation_names[SC_VIOLATION_KINDS] = {
    "outside", "overlap", "blocked", "soft_outside", "halo", "region", "orientation", "moved"};

/* A hard macro where it stands, and what it keeps clear of others: low and high along x and y. */
typedef struct box {
    double low[2], high[2], clear_low[2], clear_high[2];
    uint32_t block;
    bool fixed;
} box;

typedef struct checking {
    sc_violation *found;
    size_t n, capacity;
    sc_status status;
    double threshold_um2;
} checking;

static void note(checking *c, sc_violation v, double threshold)
{
    if (!(v.amount > threshold) || c->status != SC_OK)
        return;
    if (c->n == c->capacity) {
        const size_t more = c->capacity == 0 ? 16 : 2 * c->capacity;
        sc_violation *grown = sc_realloc_array(c->found, more, sizeof *grown);
        if (grown == NULL) {
            c->status = SC_ENOMEM;
            return;
        }
        c->found = grown;
        c->capacity = more;
    }
    c->found[c->n++] = v;
}

static double common(double a0, double a1, double b0, double b1)
{
    return fmax(0, fmin(a1, b1) - fmax(a0, b0));
}

/* Area of two boxes in common. */
static double common_area(const double low[2], const double high[2], const double other_low[2],
                          const double other_high[2])
{
    return common(low[0], high[0], other_low[0], other_high[0]) *
           common(low[1], high[1], other_low[1], other_high[1]);
}

/* By how much two boxes must go apart along one axis so that they do not meet. */
static double shortfall(const double low[2], const double high[2], const double other_low[2],
                        const double other_high[2])
{
    return fmin(common(low[0], high[0], other_low[0], other_high[0]),
                common(low[1], high[1], other_low[1], other_high[1]));
}

static box box_of(const sc_block *block, const sc_place_rules *rules, const sc_spot *spot,
                  uint32_t number)
{
    const bool turned = sc_orient_is_turned(spot->orient);
    const double size[2] = {turned ? block->height_um : block->width_um,
                            turned ? block->width_um : block->height_um};
    const double at[2] = {spot->x_um, spot->y_um};
    box b = {.block = number, .fixed = spot->fixed};
    double margin[2];

    sc_rules_margin(margin, rules, number, spot->orient);
    for (int axis = 0; axis < 2; axis++) {
        b.low[axis] = at[axis] - size[axis] / 2;
        b.high[axis] = at[axis] + size[axis] / 2;
        b.clear_low[axis] = b.low[axis] - margin[axis];
        b.clear_high[axis] = b.high[axis] + margin[axis];
    }
    return b;
}

/* With the canvas's edges; a halo lies inside too, but for what is fixed: that keeps others off. */
static void check_edges(checking *c, const box *b, const sc_canvas *canvas,
                        const sc_place_rules *rules, sc_orient orient)
{
    const double end[2] = {canvas->width_um, canvas->height_um};
    const double area = (b->high[0] - b->low[0]) * (b->high[1] - b->low[1]);
    const double out = area - common_area(b->low, b->high, (double[]){0, 0}, end);
    double halo[2], deepest = 0, strip = 0;

    note(c, (sc_violation){SC_VIOLATION_OUTSIDE, b->block, 0, out}, c->threshold_um2);
    sc_rules_halo(halo, rules, b->block, orient);
    for (int axis = 0; axis < 2; axis++) {
        const double over = fmax(halo[axis] - b->low[axis], b->high[axis] + halo[axis] - end[axis]);
        deepest = fmax(deepest, over);
        strip = fmax(strip, over * (b->high[!axis] - b->low[!axis]));
    }
    if (!b->fixed && !(out > c->threshold_um2) && strip > c->threshold_um2)
        note(c, (sc_violation){SC_VIOLATION_HALO, b->block, SC_NO_BLOCK, deepest}, 0);
}

/* With a blockage. */
static void check_blocked(checking *c, const box *b, const sc_blockage *k, uint32_t number)
{
    const double low[2] = {k->x0_um, k->y0_um}, high[2] = {k->x1_um, k->y1_um};
    const double on = common_area(b->low, b->high, low, high);

    note(c, (sc_violation){SC_VIOLATION_BLOCKED, b->block, number, on}, c->threshold_um2);
    if (!b->fixed && !(on > c->threshold_um2) &&
        common_area(b->clear_low, b->clear_high, low, high) > c->threshold_um2)
        note(c,
             (sc_violation){SC_VIOLATION_HALO, b->block, SC_NO_BLOCK,
                            shortfall(b->clear_low, b->clear_high, low, high)},
             0);
}

/* How far [low, high] reaches out of [from, to]. */
static double beyond(double low, double high, double from, double to)
{
    return fmax(0, fmax(from - low, high - to));
}

/* With its region; of a soft macro low and high are its centre. */
static void check_region(checking *c, const double low[2], const double high[2], uint32_t block,
                         const sc_place_rules *rules)
{
    static const double rounding_um = 1e-6;
    const sc_rect *r = sc_rules_region(rules, block);
    if (r == NULL)
        return;
    const double out = hypot(beyond(low[0], high[0], r->x0_um, r->x1_um),
                             beyond(low[1], high[1], r->y0_um, r->y1_um));
    note(c, (sc_violation){SC_VIOLATION_REGION, block, 0, out}, rounding_um);
}

/* With where the rules fix it. */
static void check_place(checking *c, const sc_spot *spot, uint32_t block,
                        const sc_place_rules *rules)
{
    static const double rounding_um = 1e-6;
    const sc_rule *rule = rules != NULL ? &rules->of[block] : NULL;
    if (rule == NULL || !rule->has_at || rule->fixed != 1)
        return;
    const double away = hypot(spot->x_um - rule->at_um[0], spot->y_um - rule->at_um[1]);
    note(c, (sc_violation){SC_VIOLATION_MOVED, block, 0, away}, rounding_um);
}

/* What one hard macro does alone. */
static void check_hard(checking *c, const box *b, const sc_canvas *canvas,
                       const sc_place_rules *rules, sc_orient orient)
{
    check_edges(c, b, canvas, rules, orient);
    for (size_t i = 0; i < canvas->n_blockages; i++)
        if (canvas->blockage[i].rate >= 1)
            check_blocked(c, b, &canvas->blockage[i], (uint32_t)i);
    for (size_t i = 0; rules != NULL && i < rules->n_blockages; i++)
        if (!sc_rules_on_canvas(rules, i, canvas))
            check_blocked(c, b, &rules->blockage[i], (uint32_t)(canvas->n_blockages + i));
    check_region(c, b->low, b->high, b->block, rules);
    if ((sc_rules_orients(rules, b->block, orient) >> orient & 1) == 0)
        note(c, (sc_violation){SC_VIOLATION_ORIENTATION, b->block, 0, 1}, 0);
}

static void check_soft(checking *c, const sc_spot *spot, uint32_t block, const sc_canvas *canvas,
                       const sc_place_rules *rules)
{
    const double dx = fmax(0, fmax(-spot->x_um, spot->x_um - canvas->width_um));
    const double dy = fmax(0, fmax(-spot->y_um, spot->y_um - canvas->height_um));
    const double at[2] = {spot->x_um, spot->y_um};
    note(c, (sc_violation){SC_VIOLATION_SOFT_OUTSIDE, block, 0, hypot(dx, dy)}, 0);
    check_region(c, at, at, block, rules);
}

static int by_left(const void *a, const void *b)
{
    const box *p = a, *q = b;
    if (p->clear_low[0] != q->clear_low[0])
        return p->clear_low[0] < q->clear_low[0] ? -1 : 1;
    return p->block < q->block ? -1 : 1;
}

/* Two hard macros: on each other, or nearer than they keep clear. */
static void check_pair(checking *c, const box *a, const box *b)
{
    const double on = common_area(a->low, a->high, b->low, b->high);
    const uint32_t low = a->block < b->block ? a->block : b->block;
    const uint32_t high = a->block + b->block - low;

    note(c, (sc_violation){SC_VIOLATION_OVERLAP, low, high, on}, c->threshold_um2);
    if (!(a->fixed && b->fixed) && !(on > c->threshold_um2) &&
        common_area(a->clear_low, a->clear_high, b->clear_low, b->clear_high) > c->threshold_um2)
        note(c,
             (sc_violation){SC_VIOLATION_HALO, low, high,
                            shortfall(a->clear_low, a->clear_high, b->clear_low, b->clear_high)},
             0);
}

/* Pairs of hard macros, from left to right. */
static void check_pairs(checking *c, box *boxes, size_t n)
{
    qsort(boxes, n, sizeof *boxes, by_left);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && boxes[k].clear_low[0] < boxes[i].clear_high[0]; k++)
            check_pair(c, &boxes[i], &boxes[k]);
}

static int by_kind(const void *a, const void *b)
{
    const sc_violation *p = a, *q = b;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->block != q->block)
        return p->block < q->block ? -1 : 1;
    return (p->other > q->other) - (p->other < q->other);
}

sc_status sc_legal_check(sc_violation **out, size_t *n, const sc_netlist *list,
                         const sc_canvas *canvas, const sc_place_rules *rules, const sc_spot *spot)
{
    checking c = {.threshold_um2 = canvas->overlap_um2};
    box *boxes = sc_calloc(list->n_of_kind[SC_BLOCK_HARD] + 1, sizeof *boxes);
    size_t n_boxes = 0;

    if (boxes == NULL)
        return SC_ENOMEM;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        check_place(&c, &spot[b], b, rules);
        if (list->block[b].kind == SC_BLOCK_SOFT)
            check_soft(&c, &spot[b], b, canvas, rules);
        if (list->block[b].kind != SC_BLOCK_HARD)
            continue;
        boxes[n_boxes] = box_of(&list->block[b], rules, &spot[b], b);
        check_hard(&c, &boxes[n_boxes++], canvas, rules, spot[b].orient);
    }
    check_pairs(&c, boxes, n_boxes);
    sc_free(boxes);
    if (c.status != SC_OK) {
        sc_free(c.found);
        return c.status;
    }
    if (c.n > 0)
        qsort(c.found, c.n, sizeof *c.found, by_kind);
    *out = c.found;
    *n = c.n;
    return SC_OK;
}
