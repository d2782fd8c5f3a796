#include "placement/legal.h"

#include <math.h>
#include <stdlib.h>

#include "core/mem.h"

const char *const sc_violation_names[SC_VIOLATION_KINDS] = {"outside", "overlap", "blocked",
                                                            "soft_outside"};

/* A hard macro where it stands. */
typedef struct box {
    double x0, y0, x1, y1;
    uint32_t block;
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

static double common_area(const box *b, double x0, double y0, double x1, double y1)
{
    return common(b->x0, b->x1, x0, x1) * common(b->y0, b->y1, y0, y1);
}

static box box_of(const sc_block *block, const sc_spot *spot, uint32_t number)
{
    const bool turned = sc_orient_is_turned(spot->orient);
    const double w = (turned ? block->height_um : block->width_um) / 2;
    const double h = (turned ? block->width_um : block->height_um) / 2;
    return (box){spot->x_um - w, spot->y_um - h, spot->x_um + w, spot->y_um + h, number};
}

/* What one hard macro does alone: with the canvas and with blockages. */
static void check_hard(checking *c, const box *b, const sc_canvas *canvas)
{
    const double area = (b->x1 - b->x0) * (b->y1 - b->y0);
    const double inside = common_area(b, 0, 0, canvas->width_um, canvas->height_um);

    note(c, (sc_violation){SC_VIOLATION_OUTSIDE, b->block, 0, area - inside}, c->threshold_um2);
    for (size_t i = 0; i < canvas->n_blockages; i++) {
        const sc_blockage *k = &canvas->blockage[i];
        if (k->rate < 1)
            continue;
        const double on = common_area(b, k->x0_um, k->y0_um, k->x1_um, k->y1_um);
        note(c, (sc_violation){SC_VIOLATION_BLOCKED, b->block, (uint32_t)i, on}, c->threshold_um2);
    }
}

static void check_soft(checking *c, const sc_spot *spot, uint32_t block, const sc_canvas *canvas)
{
    const double dx = fmax(0, fmax(-spot->x_um, spot->x_um - canvas->width_um));
    const double dy = fmax(0, fmax(-spot->y_um, spot->y_um - canvas->height_um));
    note(c, (sc_violation){SC_VIOLATION_SOFT_OUTSIDE, block, 0, hypot(dx, dy)}, 0);
}

static int by_left(const void *a, const void *b)
{
    const box *p = a, *q = b;
    if (p->x0 != q->x0)
        return p->x0 < q->x0 ? -1 : 1;
    return p->block < q->block ? -1 : 1;
}

/* Pairs of hard macros, from left to right. */
static void check_pairs(checking *c, box *boxes, size_t n)
{
    qsort(boxes, n, sizeof *boxes, by_left);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n && boxes[k].x0 < boxes[i].x1; k++) {
            const box *a = &boxes[i], *b = &boxes[k];
            const double on = common_area(a, b->x0, b->y0, b->x1, b->y1);
            const uint32_t low = a->block < b->block ? a->block : b->block;
            note(c, (sc_violation){SC_VIOLATION_OVERLAP, low, a->block + b->block - low, on},
                 c->threshold_um2);
        }
    }
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
                         const sc_canvas *canvas, const sc_spot *spot)
{
    checking c = {.threshold_um2 = canvas->overlap_um2};
    box *boxes = sc_calloc(list->n_of_kind[SC_BLOCK_HARD] + 1, sizeof *boxes);
    size_t n_boxes = 0;

    if (boxes == NULL)
        return SC_ENOMEM;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        if (list->block[b].kind == SC_BLOCK_SOFT)
            check_soft(&c, &spot[b], b, canvas);
        if (list->block[b].kind != SC_BLOCK_HARD)
            continue;
        boxes[n_boxes] = box_of(&list->block[b], &spot[b], b);
        check_hard(&c, &boxes[n_boxes++], canvas);
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
