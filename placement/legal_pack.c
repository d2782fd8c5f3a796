/** Packing into free rectangles, all maximal ones kept, in many orders: the one that placed most
 *  area is changed a little and tried again. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/order.h"
#include "core/rng.h"
#include "placement/legal_state.h"

enum { DOMAIN = 0x5041434b, TRIES = 4000, SORTS = 4, FITS = 3 };
static const double most_steps = 2e9; /* rectangles looked at */
static const double touch_um = 1e-7;  /* what rounding may take of a rectangle */

typedef struct rect {
    double low[2], high[2];
} rect;

typedef struct packing {
    sc_legalising *l;
    rect *blank; /* free rectangles of the canvas without movable macros */
    size_t n_blank;
    rect *free, *next; /* [capacity] */
    size_t n, capacity;
    uint32_t *order, *best, *scratch; /* [n_hard] */
    double *key;                      /* [n_blocks] of an order */
    sc_rng rng;
    double steps;
    sc_status status;
} packing;

/* ---- free rectangles ---- */

static bool within(const rect *a, const rect *b)
{
    return a->low[0] >= b->low[0] - touch_um && a->low[1] >= b->low[1] - touch_um &&
           a->high[0] <= b->high[0] + touch_um && a->high[1] <= b->high[1] + touch_um;
}

static bool meet(const rect *a, const rect *b)
{
    return a->low[0] < b->high[0] - touch_um && b->low[0] < a->high[0] - touch_um &&
           a->low[1] < b->high[1] - touch_um && b->low[1] < a->high[1] - touch_um;
}

static void push(packing *p, size_t *n, rect r)
{
    if (r.high[0] - r.low[0] <= touch_um || r.high[1] - r.low[1] <= touch_um)
        return;
    if (*n == p->capacity) {
        const size_t more = 2 * p->capacity;
        rect *free = sc_realloc_array(p->free, more, sizeof *free);
        if (free != NULL)
            p->free = free;
        rect *next = sc_realloc_array(p->next, more, sizeof *next);
        if (next != NULL)
            p->next = next;
        if (free == NULL || next == NULL) {
            p->status = SC_ENOMEM;
            return;
        }
        p->capacity = more;
    }
    p->next[(*n)++] = r;
}

/* Take a box out: rectangles that meet it become up to four, and those inside others go. */
static void take(packing *p, const rect *box)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < p->n; i++) /* untouched ones stay maximal, and go first */
        if (!meet(&p->free[i], box))
            push(p, &n, p->free[i]);
    const size_t untouched = n;
    for (size_t i = 0; i < p->n; i++) {
        if (!meet(&p->free[i], box))
            continue;
        for (int side = 0; side < 4; side++) {
            rect part = p->free[i];
            const int axis = side / 2;
            if (side % 2 == 0)
                part.high[axis] = fmin(part.high[axis], box->low[axis]);
            else
                part.low[axis] = fmax(part.low[axis], box->high[axis]);
            push(p, &n, part);
        }
    }
    for (size_t i = untouched; i < n; i++) {
        bool inside = false;
        for (size_t k = 0; k < n && !inside; k++)
            inside = k != i && within(&p->next[i], &p->next[k]) &&
                     (k < i || !within(&p->next[k], &p->next[i]));
        p->next[i].low[0] = inside ? (double)NAN : p->next[i].low[0];
    }
    p->steps += (double)p->n + (double)(n - untouched) * (double)n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p->next[i].low[0]))
            p->next[kept++] = p->next[i];
    rect *swap = p->free;
    p->free = p->next;
    p->next = swap;
    p->n = kept;
}

/* ---- one macro ---- */

typedef struct fit {
    double score[2];
    sc_spot spot;
    bool found;
} fit;

/* The lower left place of a macro in a free rectangle, and how well it fits there. */
static void offer(fit *best, const packing *p, const rect *r, uint32_t block, sc_orient orient,
                  int how)
{
    double half[2], low[2], high[2], at[2], spare[2];

    sc_room_reach(half, &p->l->room, block, orient);
    sc_room_bounds(low, high, &p->l->room, block, orient);
    for (int axis = 0; axis < 2; axis++) {
        at[axis] = fmax(r->low[axis] + half[axis], low[axis]);
        if (at[axis] > fmin(r->high[axis] - half[axis], high[axis]) + touch_um)
            return;
        spare[axis] = r->high[axis] - r->low[axis] - 2 * half[axis];
    }
    double score[2] = {fmin(spare[0], spare[1]), fmax(spare[0], spare[1])};
    if (how == 1) { /* lowest, then leftmost */
        score[0] = at[1] + half[1];
        score[1] = at[0];
    } else if (how == 2) {
        score[0] = at[0] + half[0];
        score[1] = at[1];
    }
    if (best->found &&
        (score[0] > best->score[0] || (score[0] == best->score[0] && score[1] >= best->score[1])))
        return;
    *best = (fit){.score = {score[0], score[1]}, .found = true};
    best->spot = (sc_spot){at[0], at[1], orient, false};
}

static bool put_one(packing *p, uint32_t block, int how)
{
    sc_legalising *l = p->l;
    const uint8_t may = sc_rules_orients(l->rules, block, l->want[block].orient);
    fit best = {.found = false};
    bool tried[2] = {false, false};

    for (int o = 0; o < SC_ORIENTS; o++) { /* its own orientation before others of the same sides */
        const sc_orient orient = o == 0                            ? l->spot[block].orient
                                 : o <= (int)l->spot[block].orient ? (sc_orient)(o - 1)
                                                                   : (sc_orient)o;
        const bool turned = sc_orient_is_turned(orient);
        if ((may >> orient & 1) == 0 || tried[turned])
            continue;
        tried[turned] = true;
        for (size_t i = 0; i < p->n; i++)
            offer(&best, p, &p->free[i], block, orient, how);
        p->steps += (double)p->n;
    }
    if (!best.found)
        return false;
    rect box;
    double half[2];
    sc_room_reach(half, &l->room, block, best.spot.orient);
    box.low[0] = best.spot.x_um - half[0];
    box.low[1] = best.spot.y_um - half[1];
    box.high[0] = best.spot.x_um + half[0];
    box.high[1] = best.spot.y_um + half[1];
    take(p, &box);
    l->spot[block] = best.spot;
    return true;
}

/* ---- orders ---- */

static bool has_larger_key(const void *context, uint32_t a, uint32_t b)
{
    const double *key = context;
    return key[a] > key[b];
}

/* Larger ones first, by area, the longer side, width or height. */
static void sort(packing *p, int by)
{
    for (size_t i = 0; i < p->l->n_hard; i++) {
        const uint32_t b = p->l->hard[i];
        double half[2];
        sc_room_reach(half, &p->l->room, b, p->l->spot[b].orient);
        p->key[b] = by == 0   ? half[0] * half[1]
                    : by == 1 ? fmax(half[0], half[1]) + 1e-6 * fmin(half[0], half[1])
                    : by == 2 ? half[0] + 1e-6 * half[1]
                              : half[1] + 1e-6 * half[0];
        p->order[i] = b;
    }
    sc_order_sort(p->order, p->scratch, p->l->n_hard, has_larger_key, p->key);
}

/* Area that an order places; infinite if it places all. */
static double pack(packing *p, int how)
{
    sc_legalising *l = p->l;
    double area = 0;

    memcpy(p->free, p->blank, p->n_blank * sizeof *p->free);
    p->n = p->n_blank;
    bool all = true;
    for (size_t i = 0; i < l->n_hard && p->status == SC_OK; i++) {
        const uint32_t b = p->order[i];
        const sc_block *block = &l->list->block[b];
        if (put_one(p, b, how))
            area += block->width_um * block->height_um;
        else
            all = false;
    }
    return all && p->status == SC_OK ? (double)INFINITY : area;
}

/* Another order: one macro moved to another turn, or two changed. */
static void change(packing *p)
{
    const size_t n = p->l->n_hard;
    const size_t a = (size_t)(gsl_rng_uniform(&p->rng.gsl) * (double)n);
    const size_t b = (size_t)(gsl_rng_uniform(&p->rng.gsl) * (double)n);
    const uint32_t moved = p->order[a];

    if (gsl_rng_uniform(&p->rng.gsl) < 0.5) {
        p->order[a] = p->order[b];
        p->order[b] = moved;
    } else if (a < b) {
        memmove(&p->order[a], &p->order[a + 1], (b - a) * sizeof *p->order);
        p->order[b] = moved;
    } else {
        memmove(&p->order[b + 1], &p->order[b], (a - b) * sizeof *p->order);
        p->order[b] = moved;
    }
}

static bool search(packing *p)
{
    const size_t n = p->l->n_hard;
    double most = -1;
    int best_fit = 0;

    for (int start = 0; start < SORTS * FITS; start++) {
        sort(p, start / FITS);
        const double area = pack(p, start % FITS);
        if (isinf(area))
            return true;
        if (area <= most)
            continue;
        most = area;
        best_fit = start % FITS;
        memcpy(p->best, p->order, n * sizeof *p->best);
    }
    for (int i = 0; i < TRIES && p->steps < most_steps && p->status == SC_OK; i++) {
        memcpy(p->order, p->best, n * sizeof *p->order);
        change(p);
        const double area = pack(p, best_fit);
        if (isinf(area))
            return true;
        if (area < most)
            continue;
        most = area;
        memcpy(p->best, p->order, n * sizeof *p->best);
    }
    return false;
}

/* ---- life ---- */

/* The canvas, wider by what macros keep from each other but not from its edge, without what stands.
 */
static void clear_canvas(packing *p)
{
    const sc_room *r = &p->l->room;
    const double *spacing = p->l->rules != NULL ? p->l->rules->spacing_um : (double[]){0, 0};
    rect all = {.low = {-spacing[0] / 2, -spacing[1] / 2},
                .high = {r->end_um[0] + spacing[0] / 2, r->end_um[1] + spacing[1] / 2}};

    p->free[0] = all;
    p->n = 1;
    for (size_t i = 0; i < r->n; i++) {
        const rect box = {{r->x0[i], r->y0[i]}, {r->x1[i], r->y1[i]}};
        if (isfinite(box.low[0])) /* movable ones are lifted */
            take(p, &box);
    }
}

static sc_status begin(packing *p)
{
    const size_t n = p->l->n_hard + 1;

    p->capacity = 64;
    p->free = sc_calloc(p->capacity, sizeof *p->free);
    p->next = sc_calloc(p->capacity, sizeof *p->next);
    p->order = sc_calloc(3 * n, sizeof *p->order);
    p->key = sc_calloc(p->l->list->n_blocks + 1, sizeof *p->key);
    if (p->free == NULL || p->next == NULL || p->order == NULL || p->key == NULL)
        return SC_ENOMEM;
    p->best = p->order + n;
    p->scratch = p->best + n;
    sc_rng_init(&p->rng, 1, DOMAIN, 0);
    for (size_t i = 0; i < p->l->n_hard; i++)
        sc_room_lift(&p->l->room, p->l->hard[i]);
    clear_canvas(p);
    if (p->status != SC_OK)
        return p->status;
    p->blank = sc_calloc(p->n + 1, sizeof *p->blank);
    if (p->blank == NULL)
        return SC_ENOMEM;
    p->n_blank = p->n;
    memcpy(p->blank, p->free, p->n * sizeof *p->blank);
    return SC_OK;
}

sc_status sc_legal_pack(sc_legalising *l, bool *done)
{
    packing p = {.l = l};
    sc_status st = begin(&p);

    *done = st == SC_OK && search(&p);
    if (st == SC_OK)
        st = p.status;
    if (*done) {
        sc_legal_put_all(l);
        *done = sc_legal_holds(l);
    }
    sc_free(p.blank);
    sc_free(p.free);
    sc_free(p.next);
    sc_free(p.order);
    sc_free(p.key);
    return st;
}
