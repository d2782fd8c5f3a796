#include "model/net/tile_search.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/mem.h"

/* ---- prices ---- */

typedef struct entry {
    bool used;
    uint32_t unique;
    uint64_t batch, extent[SC_TILE_AXES];
    sc_tile_cost cost;
} entry;

struct sc_tile_prices {
    size_t n, size; /* size: a power of 2, more than n */
    entry *at;
};

enum { FIRST_SIZE = 1024 };

sc_status sc_tile_prices_create(sc_tile_prices **out)
{
    sc_tile_prices *p = sc_calloc(1, sizeof *p);
    if (!p || !(p->at = sc_calloc(FIRST_SIZE, sizeof *p->at))) {
        sc_tile_prices_destroy(p);
        return SC_ENOMEM;
    }
    p->size = FIRST_SIZE;
    *out = p;
    return SC_OK;
}

void sc_tile_prices_destroy(sc_tile_prices *p)
{
    if (!p)
        return;
    sc_free(p->at);
    sc_free(p);
}

void sc_tile_prices_clear(sc_tile_prices *p)
{
    for (size_t i = 0; i < p->size; i++)
        p->at[i].used = false;
    p->n = 0;
}

uint64_t sc_tile_prices_count(const sc_tile_prices *p)
{
    return p->n;
}

/* Where the key is, or is to go. */
static entry *place(entry *at, size_t size, const entry *key)
{
    const uint64_t word[] = {key->unique, key->batch, key->extent[0], key->extent[1]};
    size_t i = (size_t)sc_hash64_of((const char *)word, sizeof word) & (size - 1);
    while (at[i].used && (at[i].unique != key->unique || at[i].batch != key->batch ||
                          at[i].extent[0] != key->extent[0] || at[i].extent[1] != key->extent[1]))
        i = (i + 1) & (size - 1);
    return &at[i];
}

static sc_status grow(sc_tile_prices *p)
{
    entry *more = sc_calloc(2 * p->size, sizeof *more);
    if (!more)
        return SC_ENOMEM;
    for (size_t i = 0; i < p->size; i++)
        if (p->at[i].used)
            *place(more, 2 * p->size, &p->at[i]) = p->at[i];
    sc_free(p->at);
    p->at = more;
    p->size *= 2;
    return SC_OK;
}

sc_status sc_tile_prices_get(sc_tile_cost *out, sc_tile_prices *p, const sc_tile_group *g,
                             uint32_t member, uint64_t batch, const uint64_t extent[SC_TILE_AXES])
{
    const entry key = {.used = true,
                       .unique = g->unique[member],
                       .batch = batch,
                       .extent = {extent[0], extent[1]}};
    sc_status st = SC_OK;
    if (2 * p->n >= p->size && (st = grow(p)) != SC_OK)
        return st;
    entry *e = place(p->at, p->size, &key);
    if (!e->used) {
        sc_tile_cost cost;
        double times;
        st = sc_tile_call_price(&cost, NULL, &times, g, member, batch, extent);
        if (st != SC_OK)
            return st;
        *e = key;
        e->cost = cost;
        p->n++;
    }
    *out = e->cost;
    return SC_OK;
}

/* ---- front ---- */

int sc_tile_sizes(uint64_t size[SC_TILE_SIZES], uint64_t extent)
{
    int n = 0;
    for (uint64_t parts = 1;; parts *= 2) {
        const uint64_t s = extent / parts + (extent % parts != 0);
        if (n == 0 || s != size[n - 1])
            size[n++] = s;
        if (s == 1)
            return n;
    }
}

static bool beats(const sc_tile_point *a, const sc_tile_point *b)
{
    return a->lines.bytes <= b->lines.bytes && a->lines.chip <= b->lines.chip &&
           a->cycles <= b->cycles && sc_tile_dram_bytes(&a->lines) <= sc_tile_dram_bytes(&b->lines);
}

/* No place left: the slowest goes. */
static void keep(sc_tile_front *f, const sc_tile_point *p)
{
    uint32_t slowest = 0;
    if (f->n < SC_TILE_POINTS) {
        f->point[f->n++] = *p;
        return;
    }
    f->dropped++;
    for (uint32_t i = 1; i < f->n; i++)
        if (f->point[i].cycles > f->point[slowest].cycles)
            slowest = i;
    if (p->cycles < f->point[slowest].cycles)
        f->point[slowest] = *p;
}

static void offer(sc_tile_front *f, const sc_tile_point *p)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (beats(&f->point[i], p))
            return;
    for (uint32_t i = 0; i < f->n; i++)
        if (!beats(p, &f->point[i])) {
            if (left != i)
                f->point[left] = f->point[i];
            left++;
        }
    f->n = left;
    keep(f, p);
}

/* ---- weights ---- */

/* Members up to one, with weights of some of them staying. */
typedef struct label {
    uint32_t stay;
    double bytes, chip, dram;
} label;

enum { LABELS = 1 << SC_TILE_MEMBERS };

static bool label_beats(const label *a, const label *b)
{
    return a->bytes <= b->bytes && a->chip <= b->chip && a->dram <= b->dram;
}

static int drop_beaten(label *at, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++) {
        bool beaten = false;
        for (int j = 0; j < n && !beaten; j++)
            beaten =
                j != i && label_beats(&at[j], &at[i]) && (j < i || !label_beats(&at[i], &at[j]));
        if (!beaten)
            at[left++] = at[i];
    }
    return left;
}

static label joined(const sc_tile_lines *l, uint32_t stay)
{
    return (label){stay, l->weight_bytes, l->chip, l->weight_once + l->weight_again};
}

/* Stay-or-come-again of every member's weights. Small ones stay where that spares traffic. */
static int join_weights(label *at, const sc_tile_group *g, const sc_tile_shape *s,
                        const sc_tile_cost *cost, double small)
{
    sc_tile_lines none, one;
    int n = 1;
    sc_tile_lines_of(&none, g, s, cost, 0);
    at[0] = joined(&none, 0);
    for (uint32_t m = 0; m < g->n; m++) {
        if (g->weights[m] <= 0.0)
            continue;
        sc_tile_lines_of(&one, g, s, cost, 1u << m);
        const label less = joined(&none, 0), more = joined(&one, 1u << m);
        const bool stays = more.bytes - less.bytes <= small && more.dram <= less.dram;
        label *to = stays ? at : at + n;
        for (int i = n - 1; i >= 0; i--)
            to[i] = (label){at[i].stay | more.stay, at[i].bytes + more.bytes - less.bytes,
                            at[i].chip + more.chip - less.chip, at[i].dram + more.dram - less.dram};
        if (!stays)
            n = drop_beaten(at, 2 * n);
    }
    return n;
}

/* ---- the space ---- */

typedef struct search {
    sc_tile_front *front;
    const sc_tile_group *g;
    sc_tile_prices *prices;
    double room, limit;
    label *labels;
    double after[SC_TILE_MEMBERS]; /* cycles of the chip that later members take in any tiles */
    bool halo[SC_TILE_AXES];
    int n[SC_TILE_AXES]; /* sizes along the axis; 1: it cannot be cut */
    uint64_t size[SC_TILE_AXES][SC_TILE_SIZES];
} search;

/* Room before weights and rows: what no choice of weights changes. */
static double least_room(const sc_tile_shape *s, const sc_tile_group *g)
{
    double live = 0.0;
    for (uint32_t m = 0; m < g->n; m++)
        live = s->live_bytes[m] > live ? s->live_bytes[m] : live;
    return s->in_bytes + s->out_bytes + s->kept_bytes + live;
}

static sc_status try_shape(search *s, const sc_tile_choice *w, const sc_tile_shape *shape)
{
    const sc_tile_group *g = s->g;
    sc_tile_cost cost[SC_TILE_MEMBERS];
    double chip = 0.0;
    s->front->priced++;
    for (uint32_t m = 0; m < g->n; m++) {
        uint64_t extent[SC_TILE_AXES];
        sc_tile_call(extent, shape, m);
        const sc_status st = sc_tile_prices_get(&cost[m], s->prices, g, m, shape->batch, extent);
        if (st != SC_OK)
            return st;
        chip += shape->calls[m] * cost[m].chip_cycles;
        if (!cost[m].fits || chip + s->after[m] >= s->limit)
            return SC_OK;
    }
    const int n = join_weights(s->labels, g, shape, cost, s->room / SC_TILE_SMALL);
    for (int i = 0; i < n; i++) {
        sc_tile_point p = {.choice = *w};
        p.choice.stay = s->labels[i].stay;
        sc_tile_lines_of(&p.lines, g, shape, cost, p.choice.stay);
        if (p.lines.bytes > s->room || p.lines.chip >= s->limit)
            continue;
        p.cycles = sc_tile_cycles(&p.lines, g->a);
        s->front->least_chip = fmin(s->front->least_chip, p.lines.chip);
        offer(s->front, &p);
    }
    return SC_OK;
}

/* Every mode of one size of tile. @param[out] fits  some mode's tiles may. */
static sc_status try_size(bool *fits, search *s, sc_tile_choice w)
{
    const sc_op *last = s->g->op[s->g->n - 1];
    sc_status st = SC_OK;
    *fits = false;
    for (int mode = 0; mode < 4 && st == SC_OK; mode++) {
        bool differs = true;
        for (int axis = 0; axis < SC_TILE_AXES; axis++) {
            w.again[axis] = mode >> axis & 1;
            if (w.again[axis] && (w.extent[axis] == sc_tile_out(last, axis) || !s->halo[axis]))
                differs = false;
        }
        sc_tile_shape shape;
        if (!differs)
            continue;
        s->front->choices++;
        if (!sc_tile_shape_of(&shape, s->g, &w) || least_room(&shape, s->g) > s->room)
            continue;
        *fits = true;
        st = try_shape(s, &w, &shape);
    }
    return st;
}

static sc_status try_rows(search *s, uint64_t batch, uint64_t rows)
{
    const sc_op *last = s->g->op[s->g->n - 1];
    bool fits = false;
    sc_status st = SC_OK;
    for (int c = 0; c < s->n[SC_TILE_COLUMNS] && !fits && st == SC_OK; c++) {
        if (c > 0 && (batch > 1 || (rows == last->oh && s->n[SC_TILE_ROWS] > 1)))
            break; /* samples and rows are cut before columns */
        st = try_size(
            &fits, s,
            (sc_tile_choice){.batch = batch, .extent = {rows, s->size[SC_TILE_COLUMNS][c]}});
    }
    return st;
}

sc_status sc_tile_search(sc_tile_front *out, const sc_tile_group *g, sc_tile_prices *p, double room,
                         double limit)
{
    label labels[LABELS];
    search s = {.front = out, .g = g, .prices = p, .room = room, .limit = limit, .labels = labels};
    uint64_t batch[SC_TILE_SIZES];
    const int batches = sc_tile_sizes(batch, g->batch);
    for (uint32_t m = g->n; m-- > 0;)
        s.after[m] = m + 1 < g->n ? s.after[m + 1] + g->least[m + 1] : 0.0;
    for (int axis = 0; axis < SC_TILE_AXES; axis++) {
        s.halo[axis] = sc_tile_has_halo(g, axis);
        s.n[axis] = sc_tile_sizes(s.size[axis], sc_tile_out(g->op[g->n - 1], axis));
        if (!sc_tile_may_cut(g, axis))
            s.n[axis] = 1;
    }
    sc_status st = SC_OK;
    out->n = 0;
    out->least_chip = (double)INFINITY;
    out->choices = out->priced = out->dropped = 0;
    if (g->least[0] + s.after[0] >= limit)
        return SC_OK;
    for (int b = 0; b < batches && st == SC_OK; b++)
        for (int r = 0; r < (batch[b] == 1 ? s.n[SC_TILE_ROWS] : 1) && st == SC_OK; r++)
            st = try_rows(&s, batch[b], s.size[SC_TILE_ROWS][r]);
    return st;
}
