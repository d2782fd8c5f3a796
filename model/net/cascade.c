#include "model/net/cascade.h"

#include <math.h>
#include <string.h>

#include "model/count/systolic.h"
#include "model/mapper/array.h"
#include "workloads/builder.h"

enum { IN, WEIGHT, OUT }; /* slots of sc_op_cost */

/* ---- the form ---- */

static bool are_one_attention(const sc_op *qk, const sc_op *softmax, const sc_op *av)
{
    return qk->kind == SC_OP_BMM && av->kind == SC_OP_BMM && softmax->kind == SC_OP_SOFTMAX &&
           qk->spec && qk->spec->transpose && av->spec && !av->spec->transpose &&
           qk->count == av->count && qk->m == av->m && qk->n == av->k &&
           qk->sharing == av->sharing && qk->bits == av->bits && qk->bits == softmax->bits &&
           softmax->ow == qk->n && softmax->out_elems == qk->out_elems && qk->n > 1;
}

/* Every level in bytes; nothing that mappings must keep on the way in; one array or more, or one
 * block of MACs, under each innermost buffer, which takes all three roles. */
static bool is_design(sc_cascade *c, const sc_arch *a)
{
    const uint8_t all = (1u << SC_ROLES) - 1;
    c->inner = sc_inner_buffer(a);
    if (c->inner < 1 || a->vector.lanes == 0 || a->level[0].instances != 1)
        return false;
    for (uint32_t l = 0; l < a->n_levels; l++)
        if (a->level[l].word_bits > 0 || (l > 0 && (int)l < c->inner && a->level[l].must_keep != 0))
            return false;
    const sc_level *inner = &a->level[c->inner];
    const uint64_t units = inner->instances, under = a->compute.instances / units;
    if ((inner->may_keep & all) != all || a->compute.instances % units != 0)
        return false;
    c->units = units;
    c->lanes = (double)a->vector.lanes / (double)units;
    if (sc_array_level(a) >= 0) {
        const uint64_t cells = a->compute.rows * a->compute.cols;
        c->arrays = under / cells;
        c->across_x = a->compute.cols;
        c->across_y = a->compute.rows;
        return c->arrays > 0 && under % cells == 0;
    }
    c->arrays = 1;
    c->across_x = inner->fanout_x;
    c->across_y = inner->fanout_y;
    return c->inner == (int)a->n_levels - 1 && c->across_x * c->across_y == under;
}

static const sc_tensor *of_role(const sc_einsum *e, sc_role role)
{
    for (int t = 0; t < e->n_tensors; t++)
        if (e->tensor[t].role == role)
            return &e->tensor[t];
    return NULL;
}

static bool take_tensors(sc_tensor *in, sc_tensor *weight, sc_tensor *out, const sc_op *op,
                         const sc_arch *a)
{
    sc_einsum e;
    if (sc_op_einsum_on(&e, op, a) != SC_OK)
        return false;
    const sc_tensor *i = of_role(&e, SC_ROLE_INPUT), *w = of_role(&e, SC_ROLE_WEIGHT);
    if (!i || !w)
        return false;
    *in = *i;
    *weight = *w;
    *out = e.tensor[e.output];
    return true;
}

bool sc_cascade_init(sc_cascade *out, const sc_op *qk, const sc_op *softmax, const sc_op *av,
                     const sc_arch *a)
{
    sc_cascade c = {.a = a};
    if (!are_one_attention(qk, softmax, av) || !is_design(&c, a) ||
        !take_tensors(&c.q, &c.k, &c.s, qk, a) || !take_tensors(&c.p, &c.v, &c.o, av, a))
        return false;
    c.heads = qk->count / qk->sharing;
    c.rows = qk->m * qk->sharing;
    c.keys = qk->n;
    c.width = qk->k;
    c.value_width = av->n;
    *out = c;
    return true;
}

/* ---- one tile ---- */

static uint64_t parts(uint64_t whole, uint64_t part)
{
    return whole / part + (whole % part != 0);
}

/* Words at the innermost buffer, all of its arrays together, and cycles of one product. */
typedef struct product {
    double cycles, in, weight, updates;
    double fills, reads, written; /* of the array's registers */
} product;

/* Plain MACs: one or two of rows and columns of the result lie side by side. */
static double plain_cycles(const sc_cascade *c, uint64_t m, uint64_t n, uint64_t k)
{
    const uint64_t x = c->across_x, y = c->across_y;
    const double both =
        fmin((double)parts(m, x) * (double)parts(n, y), (double)parts(m, y) * (double)parts(n, x));
    const double one =
        fmin((double)parts(m, x * y) * (double)n, (double)parts(n, x * y) * (double)m);
    return fmin(both, one) * (double)k;
}

static product plain_product(const sc_cascade *c, uint64_t m, uint64_t n, uint64_t k)
{
    /* operands come for each MAC, and its sum goes back: nothing lies below the buffer */
    const double macs = (double)m * (double)n * (double)k;
    return (product){
        .cycles = plain_cycles(c, m, n, k), .in = macs, .weight = macs, .updates = macs};
}

static product product_of(const sc_cascade *c, uint64_t m, uint64_t n, uint64_t k, sc_dataflow f)
{
    const sc_systolic_options o = {1, c->a->compute.double_buffered, false};
    const uint64_t share = parts(m, c->arrays); /* rows of the tile on one array */
    const double arrays = (double)c->arrays;
    const double macs = arrays * (double)share * (double)n * (double)k;
    sc_systolic_cost s;
    if (sc_array_level(c->a) < 0)
        return plain_product(c, m, n, k);
    const sc_systolic_gemm g = {share, n, k, c->across_y, c->across_x, f};
    if (sc_systolic_evaluate(&s, &g, &o) != SC_OK)
        return (product){.cycles = (double)INFINITY};
    product p = {.cycles = (double)s.cycles,
                 .in = arrays * (double)s.a_reads,
                 .weight = arrays * (double)s.b_reads,
                 .updates = arrays * (double)s.out_writes,
                 .reads = macs};
    if (f == SC_OS)
        p.written = macs;
    else
        p.fills = f == SC_WS ? p.weight : p.in;
    return p;
}

static bool may_run(const sc_cascade *c, sc_dataflow f)
{
    static const sc_role stays[SC_DATAFLOWS] = {
        [SC_OS] = SC_ROLE_OUTPUT, [SC_WS] = SC_ROLE_WEIGHT, [SC_IS] = SC_ROLE_INPUT};
    if (sc_array_level(c->a) < 0)
        return f == SC_OS; /* no choice: one name for it */
    return c->a->compute.dataflows >> f & 1 &&
           c->a->level[c->a->n_levels - 1].may_keep >> stays[f] & 1;
}

int sc_cascade_dataflows(sc_dataflow *flow, const sc_cascade *c)
{
    int n = 0;
    for (int f = 0; f < SC_DATAFLOWS; f++)
        if (may_run(c, (sc_dataflow)f))
            flow[n++] = (sc_dataflow)f;
    return n;
}

/* What the lanes do: of a tile, and of a block of rows once all its tiles are done. An addition, a
 * comparison or a multiplication is one operation, an exp or a division one special function. */
typedef struct lane_work {
    double ops, special, rescale; /* rescale: of ops, those on results */
    double end_ops, end_special;
} lane_work;

static lane_work lanes_of(const sc_cascade *c, uint64_t queries, uint64_t keys)
{
    const double rows = (double)queries, scores = rows * (double)keys;
    const double result = rows * (double)c->value_width;
    const bool again = keys < c->keys;
    return (lane_work){
        /* maximum, difference, sum of each score; of a row with more tiles to come or behind it the
         * new maximum, the difference to it and the sum rescaled, and its results rescaled */
        .ops = 3.0 * scores + (again ? 3.0 * rows + result : 0.0),
        .special = scores + (again ? rows : 0.0),
        .rescale = again ? result : 0.0,
        .end_ops = result,
        .end_special = rows};
}

/* ---- room ---- */

static bool fits_inner(const sc_cascade *c, const sc_cascade_choice *w)
{
    const sc_level *l = &c->a->level[c->inner];
    const uint64_t scores = w->queries * w->keys, stages = (uint64_t)w->stages;
    const double need[SC_ROLES] = {
        [SC_ROLE_INPUT] = (double)sc_level_size(l, &c->q, w->queries * c->width) +
                          (double)sc_level_size(l, &c->p, stages * scores),
        [SC_ROLE_WEIGHT] = (double)sc_level_size(l, &c->k, w->keys * c->width) +
                           (double)sc_level_size(l, &c->v, w->keys * c->value_width),
        [SC_ROLE_OUTPUT] = (double)sc_level_size(l, &c->s, stages * scores) +
                           (double)sc_level_size(l, &c->o, w->queries * c->value_width) +
                           (double)sc_level_size(l, &c->s, 2 * w->queries)};
    if (!l->bounded)
        return true;
    for (unsigned r = 0; l->partitioned && r < SC_ROLES; r++)
        if (need[r] > (double)sc_level_room(l, r))
            return false;
    return l->partitioned || need[0] + need[1] + need[2] <= (double)sc_level_room(l, SC_ROLE_INPUT);
}

/* Sets of keys and values that one instance of a home holds, and instances that hold the same. */
static uint64_t sets_at(const sc_cascade *c, const sc_cascade_choice *w, uint64_t *copies)
{
    const uint64_t under = c->units / c->a->level[w->home].instances;
    *copies = w->beside > under ? w->beside / under : 1;
    return under > w->beside ? under / w->beside : 1;
}

static double set_bytes(const sc_cascade *c, int level)
{
    const sc_level *l = &c->a->level[level];
    return (double)sc_level_size(l, &c->k, c->keys * c->width) +
           (double)sc_level_size(l, &c->v, c->keys * c->value_width);
}

static bool fits_home(const sc_cascade *c, const sc_cascade_choice *w)
{
    const sc_level *l = &c->a->level[w->home];
    uint64_t copies;
    if (w->home == 0)
        return true;
    if (!(l->may_keep >> SC_ROLE_WEIGHT & 1) || c->units % l->instances != 0)
        return false;
    const uint64_t under = c->units / l->instances;
    if (under % w->beside != 0 && w->beside % under != 0)
        return false;
    return !l->bounded || (double)sets_at(c, w, &copies) * set_bytes(c, w->home) <=
                              (double)sc_level_room(l, SC_ROLE_WEIGHT);
}

bool sc_cascade_fits(const sc_cascade *c, const sc_cascade_choice *w)
{
    return fits_inner(c, w) && fits_home(c, w);
}

/* ---- time of the chip ---- */

/* How often a unit, and the whole chip, does what. */
typedef struct repeats {
    double sets, blocks, tiles;   /* of the busiest unit */
    double all_blocks, all_tiles; /* of the chip */
    double rounds;                /* blocks of rows of a set, one after the other */
    double loads, all_loads;      /* of keys and values into a unit; into all */
    bool once;                    /* they stay in the unit from block to block */
} repeats;

static repeats repeats_of(const sc_cascade *c, uint64_t queries, uint64_t keys, uint64_t beside)
{
    const uint64_t blocks = parts(c->rows, queries), tiles = parts(c->keys, keys);
    const uint64_t rounds = parts(blocks, beside), sets = parts(c->heads, c->units / beside);
    repeats r = {.sets = (double)sets, .rounds = (double)rounds, .once = tiles == 1};
    r.blocks = r.sets * r.rounds;
    r.tiles = r.blocks * (double)tiles;
    r.all_blocks = (double)c->heads * (double)blocks;
    r.all_tiles = r.all_blocks * (double)tiles;
    r.loads = r.once ? r.sets : r.blocks;
    r.all_loads =
        r.once ? (double)c->heads * (double)(beside < blocks ? beside : blocks) : r.all_blocks;
    return r;
}

/* Cycles of a tile: both products, the lanes, and the part of the lanes that rescales the result,
 * which waits for the context of the tile before. */
typedef struct tile_time {
    double scores, context, lanes, rescale;
    double end; /* of a block */
} tile_time;

static tile_time time_of(const sc_cascade *c, const lane_work *l, double scores, double context)
{
    return (tile_time){.scores = scores,
                       .context = context,
                       .lanes = ceil((l->ops + l->special) / c->lanes),
                       .rescale = ceil(l->rescale / c->lanes),
                       .end = ceil((l->end_ops + l->end_special) / c->lanes)};
}

/* Two stages: when the lanes begin tile j, the array begins the context of j - 1, then the scores
 * of j + 1 in the same buffer; the lanes rescale once that context is there. */
static double chip_cycles(const repeats *r, const tile_time *t, int stages)
{
    const double array = t->scores + t->context, alone = array + t->lanes;
    const double end = r->blocks * t->end;
    if (stages == 1 || r->tiles < 2.0)
        return r->tiles * alone + end;
    const double last = fmax(t->lanes, t->context + t->rescale);
    return array + fmax(t->lanes, t->scores) + (r->tiles - 2.0) * fmax(array, last) + last + end;
}

double sc_cascade_floor(const sc_cascade *c, uint64_t queries, uint64_t keys, uint64_t beside)
{
    const repeats r = repeats_of(c, queries, keys, beside);
    const lane_work l = lanes_of(c, queries, keys);
    double scores = (double)INFINITY, context = (double)INFINITY;
    for (int f = 0; f < SC_DATAFLOWS; f++) {
        if (!may_run(c, (sc_dataflow)f))
            continue;
        scores = fmin(scores, product_of(c, queries, keys, c->width, (sc_dataflow)f).cycles);
        context =
            fmin(context, product_of(c, queries, c->value_width, keys, (sc_dataflow)f).cycles);
    }
    const tile_time t = time_of(c, &l, scores, context);
    return chip_cycles(&r, &t, 2);
}

/* ---- traffic ---- */

/* Bytes of one level: of the busiest instance, and of all. */
typedef struct moved {
    double read[SC_SLOTS], written[SC_SLOTS];
    double all_read[SC_SLOTS], all_written[SC_SLOTS];
} moved;

static double bytes_at(const sc_cascade *c, int level, const sc_tensor *t)
{
    return sc_level_moved_bits(&c->a->level[level], t) / 8.0;
}

static bool shares(const sc_cascade *c, int from)
{
    for (int l = from; l < c->inner; l++)
        if (c->a->level[l].no_multicast)
            return false;
    return true;
}

/* Bytes of keys and values of one set. */
static double set_moved(const sc_cascade *c, int level)
{
    return (double)c->keys * ((double)c->width * bytes_at(c, level, &c->k) +
                              (double)c->value_width * bytes_at(c, level, &c->v));
}

static void outermost(moved *m, const sc_cascade *c, const sc_cascade_choice *w, const repeats *r)
{
    const double rows = (double)c->heads * (double)c->rows, set = set_moved(c, 0);
    uint64_t copies = 1;
    double loads = (double)c->heads * (r->once ? 1.0 : r->rounds);
    if (w->home > 0) {
        (void)sets_at(c, w, &copies);
        loads = (double)c->heads * (shares(c, 0) ? 1.0 : (double)copies);
    } else if (!shares(c, 0)) {
        loads = r->all_loads;
    }
    m->read[IN] = rows * (double)c->width * bytes_at(c, 0, &c->q);
    m->read[WEIGHT] = loads * set;
    m->written[OUT] = rows * (double)c->value_width * bytes_at(c, 0, &c->o);
    memcpy(m->all_read, m->read, sizeof m->read);
    memcpy(m->all_written, m->written, sizeof m->written);
}

static void at_home(moved *m, const sc_cascade *c, const sc_cascade_choice *w, const repeats *r)
{
    uint64_t copies;
    const double sets = (double)sets_at(c, w, &copies), set = set_moved(c, w->home);
    const uint64_t under = c->units / c->a->level[w->home].instances;
    const double all = (double)c->heads * (double)copies, often = r->once ? 1.0 : r->rounds;
    const bool share = shares(c, w->home);
    m->written[WEIGHT] = r->sets * sets * set;
    m->all_written[WEIGHT] = all * set;
    m->read[WEIGHT] = share ? r->sets * sets * often * set : (double)under * r->loads * set;
    m->all_read[WEIGHT] = share ? all * often * set : r->all_loads * set;
}

/* Of the busiest unit; `blocks`, `tiles` and `loads` are its own. */
static void in_unit(double read[SC_SLOTS], double written[SC_SLOTS], const sc_cascade *c,
                    const sc_cascade_choice *w, const product *p1, const product *p2, double blocks,
                    double tiles, double loads)
{
    const double rows = (double)w->queries, scores = rows * (double)w->keys;
    const double result = rows * (double)c->value_width;
    const double q = bytes_at(c, c->inner, &c->q), p = bytes_at(c, c->inner, &c->p);
    const double s = bytes_at(c, c->inner, &c->s), o = bytes_at(c, c->inner, &c->o);
    const bool again = w->keys < c->keys;
    const double rescale = again ? result : 0.0, statistics = again ? 2.0 * rows : 0.0;
    written[IN] = blocks * rows * (double)c->width * q + tiles * scores * p;
    read[IN] = tiles * (p1->in * q + p2->in * p);
    written[WEIGHT] = loads * set_moved(c, c->inner);
    read[WEIGHT] = tiles * (p1->weight * bytes_at(c, c->inner, &c->k) +
                            p2->weight * bytes_at(c, c->inner, &c->v));
    /* Partial sums come back, those of the result from tile to tile; lanes read scores for the
     * maximum and for the exp. At the end: the division, and the way out. */
    read[OUT] = tiles * ((p1->updates - scores + 2.0 * scores + statistics) * s +
                         (p2->updates - (again ? 0.0 : result) + rescale) * o) +
                blocks * (2.0 * result * o + rows * s);
    written[OUT] = tiles * ((p1->updates + statistics) * s + (p2->updates + rescale) * o) +
                   blocks * (result * o + (again ? 0.0 : 2.0 * rows) * s);
}

static void registers(moved *m, const sc_cascade *c, const sc_cascade_choice *w, const product *p1,
                      const product *p2, double all_tiles)
{
    static const int slot[SC_DATAFLOWS] = {[SC_OS] = OUT, [SC_WS] = WEIGHT, [SC_IS] = IN};
    const int level = (int)c->a->n_levels - 1;
    const sc_tensor *first[SC_SLOTS] = {&c->q, &c->k, &c->s};
    const sc_tensor *second[SC_SLOTS] = {&c->p, &c->v, &c->o};
    const int a = slot[w->scores], b = slot[w->context];
    m->all_read[a] += all_tiles * p1->reads * bytes_at(c, level, first[a]);
    m->all_written[a] += all_tiles * (p1->fills + p1->written) * bytes_at(c, level, first[a]);
    m->all_read[b] += all_tiles * p2->reads * bytes_at(c, level, second[b]);
    m->all_written[b] += all_tiles * (p2->fills + p2->written) * bytes_at(c, level, second[b]);
}

/* ---- cost ---- */

static void charge(sc_op_cost *out, const sc_cascade *c, int level, const moved *m)
{
    static const sc_role role[SC_SLOTS] = {SC_ROLE_INPUT, SC_ROLE_WEIGHT, SC_ROLE_OUTPUT};
    const sc_level *l = &c->a->level[level];
    const double block = l->block_bits > 0 ? l->block_bits / 8.0 : 1.0;
    double read = 0.0, written = 0.0, cycles = 0.0;
    for (int t = 0; t < SC_SLOTS; t++) {
        const double in_pj = t == OUT ? l->update_pj : l->write_pj;
        out->tensor_pj[level][t] =
            ceil(m->all_read[t] / block) * l->read_pj * (1.0 - l->gated[role[t]]) +
            ceil(m->all_written[t] / block) * in_pj;
        out->energy_pj += out->tensor_pj[level][t];
        out->level_bytes[level] += m->all_read[t] + m->all_written[t];
        read += m->read[t];
        written += m->written[t];
        if (level < 2) {
            out->traffic.read[level][t] = m->all_read[t];
            out->traffic.written[level][t] = m->all_written[t];
        }
    }
    if (l->read_bw > 0.0)
        cycles = fmax(cycles, read / l->read_bw);
    if (l->write_bw > 0.0)
        cycles = fmax(cycles, written / l->write_bw);
    if (l->shared_bw > 0.0)
        cycles = fmax(cycles, (read + written) / l->shared_bw);
    out->level_cycles[level] = ceil(cycles);
}

/* What fusion sees of the level under the outermost: what passes it, and what it holds. */
static void note_buffer(sc_op_traffic *t, const sc_cascade *c, const sc_cascade_choice *w,
                        const repeats *r)
{
    const sc_level *l = &c->a->level[1];
    uint64_t copies;
    if (w->home == 1) {
        t->through = 1u << WEIGHT;
        t->filled[WEIGHT] = t->written[1][WEIGHT];
        t->tile[WEIGHT] = (double)sets_at(c, w, &copies) * set_bytes(c, 1);
    }
    if (c->inner != 1)
        return;
    const uint64_t scores = w->queries * w->keys * (uint64_t)w->stages;
    t->through = 1u << IN | 1u << WEIGHT | 1u << OUT;
    t->filled[IN] = r->all_blocks * (double)w->queries * (double)c->width * bytes_at(c, 1, &c->q);
    t->filled[WEIGHT] = t->written[1][WEIGHT];
    t->tile[IN] = (double)sc_level_size(l, &c->q, w->queries * c->width);
    t->tile[WEIGHT] = (double)sc_level_size(l, &c->k, w->keys * c->width) +
                      (double)sc_level_size(l, &c->v, w->keys * c->value_width);
    t->tile[OUT] = (double)sc_level_size(l, &c->o, w->queries * c->value_width);
    t->rows = (double)sc_level_size(l, &c->p, scores) + (double)sc_level_size(l, &c->s, scores) +
              (double)sc_level_size(l, &c->s, 2 * w->queries);
}

/* The first queries and keys of every unit, for which everything waits. */
static double prefill(sc_op_traffic *t, const sc_cascade *c, const sc_cascade_choice *w,
                      const repeats *r)
{
    const sc_level *l = &c->a->level[0];
    const double units = fmin((double)c->units, r->all_blocks);
    double bw = l->read_bw > 0.0 ? l->read_bw : l->shared_bw;
    const uint64_t apart = c->units / w->beside; /* sets at work */
    double sets = fmin((double)c->heads, (double)apart);
    if (l->shared_bw > 0.0)
        bw = fmin(bw, l->shared_bw);
    if (!shares(c, 0))
        sets = units;
    t->first[IN] = fmin(units * (double)w->queries, (double)c->heads * (double)c->rows) *
                   (double)c->width * bytes_at(c, 0, &c->q);
    t->first[WEIGHT] = sets * (double)w->keys * (double)c->width * bytes_at(c, 0, &c->k);
    if (l->no_overlap || bw <= 0.0)
        return 0.0;
    return ceil((t->first[IN] + t->first[WEIGHT]) / bw);
}

static void add_up(sc_op_cost *out, const sc_arch *a)
{
    double longest = out->compute_cycles, serial = 0.0;
    for (int level = 0; level < (int)a->n_levels; level++) {
        const double cycles = out->level_cycles[level];
        out->serial |= (uint32_t)a->level[level].no_overlap << level;
        serial += a->level[level].no_overlap ? cycles : 0.0;
        if (!a->level[level].no_overlap)
            out->cycles = fmax(out->cycles, cycles);
        if (cycles > longest) {
            longest = cycles;
            out->bound = level;
        }
    }
    out->cycles += serial + out->prefill_cycles;
}

void sc_cascade_cost(sc_op_cost *out, const sc_cascade *c, const sc_cascade_choice *w)
{
    const sc_compute *mac = &c->a->compute;
    const repeats r = repeats_of(c, w->queries, w->keys, w->beside);
    const product p1 = product_of(c, w->queries, w->keys, c->width, w->scores);
    const product p2 = product_of(c, w->queries, c->value_width, w->keys, w->context);
    const lane_work l = lanes_of(c, w->queries, w->keys);
    const tile_time t = time_of(c, &l, p1.cycles, p2.cycles);
    const double widths = (double)c->width + (double)c->value_width;
    moved at[SC_MAX_LEVELS];
    memset(out, 0, sizeof *out);
    memset(at, 0, c->a->n_levels * sizeof *at);
    out->compute_cycles = chip_cycles(&r, &t, w->stages);
    out->cycles = out->compute_cycles;
    out->bound = p1.cycles + p2.cycles >= t.lanes ? SC_BOUND_COMPUTE : SC_BOUND_VECTOR;
    out->compute_pj =
        r.all_tiles * (double)w->queries * (double)w->keys * widths * mac->mac_pj *
            (1.0 - mac->gated) +
        (r.all_tiles * l.ops + r.all_blocks * l.end_ops) * c->a->vector.op_pj +
        (r.all_tiles * l.special + r.all_blocks * l.end_special) * c->a->vector.special_pj;
    out->energy_pj = out->compute_pj;
    outermost(&at[0], c, w, &r);
    if (w->home > 0)
        at_home(&at[w->home], c, w, &r);
    moved *in = &at[c->inner];
    in_unit(in->read, in->written, c, w, &p1, &p2, r.blocks, r.tiles, r.loads);
    in_unit(in->all_read, in->all_written, c, w, &p1, &p2, r.all_blocks, r.all_tiles, r.all_loads);
    if (sc_array_level(c->a) >= 0)
        registers(&at[c->a->n_levels - 1], c, w, &p1, &p2, r.all_tiles);
    for (int level = 0; level < (int)c->a->n_levels; level++)
        charge(out, c, level, &at[level]);
    note_buffer(&out->traffic, c, w, &r);
    out->prefill_cycles = prefill(&out->traffic, c, w, &r);
    add_up(out, c->a);
    out->compulsory_bytes =
        (double)c->heads *
        ((double)c->rows * (double)c->width * bytes_at(c, 0, &c->q) + set_moved(c, 0) +
         (double)c->rows * (double)c->value_width * bytes_at(c, 0, &c->o));
    out->lower_bound_cycles =
        (double)c->heads * (double)c->rows * (double)c->keys * widths / (double)mac->instances;
}
