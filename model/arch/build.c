/* A point of a template becomes a chain of levels. */
#include <math.h>
#include <string.h>

#include "model/arch/form.h"

/* Beyond these a clock is a slip of the pen, and times and powers leave the doubles. */
static const double SLOWEST_HZ = 1, FASTEST_HZ = 1e15;

static const double EXACT =
    9007199254740992.0; /* 2^53: up to here doubles hold every whole number */

sc_status sc_form__point(sc_point *out, const sc_template *t, const uint32_t *index)
{
    for (size_t i = 0; i < t->scope.n_params; i++)
        if (index[i] >= t->scope.param[i].n_values)
            return sc_fail(SC_EINVAL, "%s has %zu values, there is none of index %u",
                           t->scope.param[i].name, t->scope.param[i].n_values, (unsigned)index[i]);
    out->scope = &t->scope;
    out->index = index;
    out->filled = false;
    return SC_OK;
}

static sc_status whole(uint64_t *out, const sc_formula *f, sc_point *p, double least,
                       const char *needed)
{
    const double v = sc_formula__value(f, p);
    if (!(v >= least) || v > EXACT || v != floor(v))
        return sc_formula__fail(f, v, needed);
    *out = (uint64_t)v;
    return SC_OK;
}

/* *io times a count; the formula answers for the product. */
static sc_status times(uint64_t *io, const sc_formula *f, sc_point *p)
{
    uint64_t by = 0;
    const sc_status st = whole(&by, f, p, 1, "a whole number of 1 or more");
    if (st != SC_OK)
        return st;
    if (__builtin_mul_overflow(*io, by, io) || *io > (uint64_t)EXACT)
        return sc_formula__fail(f, (double)by, "so few that the chip has at most 2^53 of it");
    return SC_OK;
}

/* Bytes a cycle: 0 would count as no limit, and with less no time is finite. */
static const double LEAST_RATE = 1e-12;

/* Bytes a cycle of the three rates from `slot` on; 0 = none given. */
static sc_status rates(double out[SC_RATES], const sc_level_form *l, bool peak, double clock_hz,
                       sc_point *p)
{
    const int slot = peak ? SC_SLOT_PEAK_READ : SC_SLOT_READ;
    for (int r = 0; r < SC_RATES; r++) {
        const double v = sc_formula__value(&l->f[slot + r], p);
        if (!(v >= 0) || isinf(v))
            return sc_formula__fail(&l->f[slot + r], v, "a rate of 0 or more");
        out[r] = l->per_second[peak] ? v / clock_hz : v;
        if (!peak && l->f[slot + r].line > 0 && out[r] < LEAST_RATE)
            return sc_formula__fail(&l->f[slot + r], v,
                                    "a rate above 0 (1e-12 B/cycle or more); leave it out where "
                                    "there is no limit");
    }
    return SC_OK;
}

static sc_status capacity(sc_level *a, const sc_level_form *l, sc_point *p)
{
    uint64_t size[SC_ROLES] = {0};
    sc_status st = SC_OK;
    const int n = l->by_role ? SC_ROLES : 1;
    for (int r = 0; r < n; r++)
        if ((st = whole(&size[r], &l->f[SC_SLOT_SIZE + r], p, 0, "a whole number of bytes")) !=
            SC_OK)
            return st;
    a->bounded = l->bounded || l->storage == SC_STORAGE_NONE;
    a->partitioned = l->by_role && sc_formula__value(&l->f[SC_SLOT_PARTITIONED], p) != 0;
    if (a->partitioned)
        memcpy(a->capacity, size, sizeof a->capacity);
    else
        a->capacity[0] = size[0] + size[1] + size[2];
    a->buffers = sc_formula__value(&l->f[SC_SLOT_BUFFERS], p);
    if (!(a->buffers >= 1) || isinf(a->buffers))
        return sc_formula__fail(&l->f[SC_SLOT_BUFFERS], a->buffers, "a number of 1 or more");
    return SC_OK;
}

/* One access of 64 bits, to one bank. A partitioned level has one figure for its buffers: their
 * mean, as if each served a third of the accesses.
 * @param scale  of the table's curves: supply and width. */
static double access_pj(const sc_level *a, const sc_level_form *l, double banks, double scale,
                        int access)
{
    double sum = 0;
    int n = 0;
    if (l->storage != SC_STORAGE_SRAM || l->measured)
        return l->access_pj[access];
    if (!a->partitioned)
        return scale * sc_curve__at(l->energy[access], (double)a->capacity[0] / banks);
    for (int r = 0; r < SC_ROLES; r++)
        if (a->capacity[r] > 0) {
            sum += sc_curve__at(l->energy[access], (double)a->capacity[r] / banks);
            n++;
        }
    return n ? scale * sum / n : 0;
}

static sc_status compression(double out[SC_ROLES], const sc_level_form *l, sc_point *p)
{
    for (int r = 0; r < SC_ROLES; r++) {
        const sc_formula *f = &l->f[SC_SLOT_COMPRESSION + r];
        out[r] = sc_formula__value(f, p);
        if (!(out[r] >= 1) || isinf(out[r]))
            return sc_formula__fail(f, out[r], "a number of 1 or more");
    }
    return SC_OK;
}

static sc_status share(double *out, const sc_formula *f, sc_point *p)
{
    *out = sc_formula__value(f, p);
    return *out >= 0 && *out < 1 ? SC_OK
                                 : sc_formula__fail(f, *out, "a share of 0 or more and below 1");
}

/* What 64 bits cost over the table's figure, which is of words of 64 bits: wider ones share decoder
 * and word line, narrower ones pay them more often. */
static sc_status width_scale(double *out, const sc_level_form *l, const sc_tech *t, sc_point *p)
{
    const double word = sc_formula__value(&l->f[SC_SLOT_WORD], p);
    if (!(word >= 1) || isinf(word))
        return sc_formula__fail(&l->f[SC_SLOT_WORD], word, "a number of bits, 1 or more");
    *out = 1 - t->fixed_share + t->fixed_share * SC_TABLE_WORD / word;
    return SC_OK;
}

static sc_status build_level(sc_built *b, uint32_t i, const sc_level_form *l, const sc_tech *t,
                             sc_point *p)
{
    sc_level *a = &b->arch.level[i];
    double bw[SC_RATES] = {0}, scale = 1;
    sc_status st = SC_OK;
    uint64_t output_bits = 0;

    if ((st = capacity(a, l, p)) != SC_OK || (st = compression(a->compression, l, p)) != SC_OK ||
        (st = width_scale(&scale, l, t, p)) != SC_OK ||
        (st = rates(bw, l, false, b->arch.clock_hz, p)) != SC_OK ||
        (st = whole(&output_bits, &l->f[SC_SLOT_OUTPUT_BITS], p, 0, "a whole number of bits")) !=
            SC_OK)
        return st;
    if (output_bits > 1024)
        return sc_formula__fail(&l->f[SC_SLOT_OUTPUT_BITS], (double)output_bits, "at most 1024");
    memcpy(a->name, l->name, sizeof a->name);
    memcpy(b->peak[i], bw, sizeof bw);
    if (l->has_peak && (st = rates(b->peak[i], l, true, b->arch.clock_hz, p)) != SC_OK)
        return st;
    b->channels[i] = sc_formula__value(&l->f[SC_SLOT_CHANNELS], p);
    if (!(b->channels[i] > 0) || isinf(b->channels[i]))
        return sc_formula__fail(&l->f[SC_SLOT_CHANNELS], b->channels[i], "a number above 0");
    a->read_bw = bw[SC_RATE_READ];
    a->write_bw = bw[SC_RATE_WRITE];
    a->shared_bw = bw[SC_RATE_SHARED];
    a->block_bits = 64;
    a->cluster_size = 1;
    a->output_bits = (uint32_t)output_bits;
    a->may_keep = l->may_keep;
    a->must_keep = l->must_keep;
    a->no_multicast = l->no_multicast;
    a->no_reduction = l->no_reduction;
    a->no_overlap = l->no_overlap;
    memcpy(a->lead, l->lead, sizeof a->lead);
    for (int r = 0; r < SC_ROLES; r++)
        if ((st = share(&a->gated[r], &l->f[SC_SLOT_GATED + r], p)) != SC_OK)
            return st;
    b->banks[i] = sc_formula__value(&l->f[SC_SLOT_BANKS], p);
    if (!(b->banks[i] >= 1) || isinf(b->banks[i]))
        return sc_formula__fail(&l->f[SC_SLOT_BANKS], b->banks[i], "a number of 1 or more");
    scale *= t->dynamic_scale;
    a->read_pj = access_pj(a, l, b->banks[i], scale, SC_ACCESS_READ);
    a->write_pj = access_pj(a, l, b->banks[i], scale, SC_ACCESS_WRITE);
    a->update_pj = access_pj(a, l, b->banks[i], scale, SC_ACCESS_UPDATE);
    b->form[i] = l;
    return SC_OK;
}

/* Fan-out along X and Y gathered since the last level that is present, and the number of instances
 * of what comes next. */
typedef struct fanout {
    uint64_t x, y, instances;
} fanout;

static sc_status widen(fanout *fan, const sc_formula *x, const sc_formula *y, sc_point *p)
{
    sc_status st = SC_OK;
    if ((st = times(&fan->x, x, p)) != SC_OK || (st = times(&fan->y, y, p)) != SC_OK ||
        (st = times(&fan->instances, x, p)) != SC_OK)
        return st;
    return times(&fan->instances, y, p);
}

/* What was gathered is the fan-out of the last level present. */
static void close_fanout(sc_arch *a, fanout *fan)
{
    if (a->n_levels > 0) {
        a->level[a->n_levels - 1].fanout_x = fan->x;
        a->level[a->n_levels - 1].fanout_y = fan->y;
    }
    fan->x = fan->y = 1;
}

static sc_status build_levels(sc_built *b, const sc_template *t, fanout *fan, sc_point *p)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < t->n_levels; i++) {
        const sc_level_form *l = &t->level[i];
        if ((st = widen(fan, &l->f[SC_SLOT_X], &l->f[SC_SLOT_Y], p)) != SC_OK)
            return st;
        const double present = sc_formula__value(&l->f[SC_SLOT_PRESENT], p);
        if (isnan(present))
            return sc_formula__fail(&l->f[SC_SLOT_PRESENT], present, "a number");
        if (present == 0)
            continue; /* its fan-out passes to the next level inside it */
        close_fanout(&b->arch, fan);
        if ((st = build_level(b, b->arch.n_levels, l, t->tech, p)) != SC_OK)
            return st;
        b->arch.level[b->arch.n_levels++].instances = fan->instances;
    }
    return SC_OK;
}

/* The array's rows and columns must be a fan-out of the chain: of the last level, or of the one
 * above it where the last holds a MAC's registers. */
static sc_status check_array(const sc_arch *a, const sc_formula *rows)
{
    const sc_compute *c = &a->compute;
    if (c->rows == 0)
        return SC_OK;
    for (uint32_t i = a->n_levels; i-- > 0 && i + 2 >= a->n_levels;)
        if (a->level[i].fanout_x == c->cols && a->level[i].fanout_y == c->rows)
            return SC_OK;
    return sc_formula__fail(rows, (double)c->rows,
                            "the children along Y, with 'cols' those along X, of the innermost "
                            "level or the one above it");
}

static sc_status build_compute(sc_built *b, const sc_template *t, fanout *fan, sc_point *p)
{
    sc_compute *c = &b->arch.compute;
    const sc_compute_form *f = &t->compute;
    sc_status st = SC_OK;
    if ((st = widen(fan, &f->x, &f->y, p)) != SC_OK ||
        (st = whole(&c->rows, &f->rows, p, 0, "a whole number of rows")) != SC_OK ||
        (st = whole(&c->cols, &f->cols, p, 0, "a whole number of columns")) != SC_OK ||
        (st = share(&c->gated, &f->gated, p)) != SC_OK ||
        (st = whole(&b->arch.vector.lanes, &t->lanes, p, 0, "a whole number of lanes")) != SC_OK)
        return st;
    close_fanout(&b->arch, fan);
    c->instances = fan->instances;
    memcpy(c->name, f->name, sizeof c->name);
    c->mac_pj = f->mac_pj;
    c->operand_bits = f->operand_bits;
    c->mac_bits = f->mac_bits;
    c->dataflows = f->dataflows;
    c->double_buffered = f->double_buffered;
    b->arch.vector.op_pj = t->lane_op_pj;
    b->arch.vector.special_pj = t->lane_special_pj;
    b->arch.vector.in_line = t->in_line;
    return check_array(&b->arch, &f->rows);
}

sc_status sc_form__build(sc_built *out, const sc_template *t, sc_point *p)
{
    sc_status st = SC_OK;
    fanout fan = {1, 1, 1};
    memset(&out->arch, 0, sizeof out->arch); /* padding too: callers compare and hash it */
    out->arch.native_batch = 1;
    out->arch.clock_hz = sc_formula__value(&t->clock_hz, p);
    if (!(out->arch.clock_hz >= SLOWEST_HZ && out->arch.clock_hz <= FASTEST_HZ))
        return sc_formula__fail(&t->clock_hz, out->arch.clock_hz,
                                "a frequency from 1 Hz to 1000 THz");
    if ((st = times(&out->arch.native_batch, &t->native_batch, p)) != SC_OK ||
        (st = build_levels(out, t, &fan, p)) != SC_OK ||
        (st = build_compute(out, t, &fan, p)) != SC_OK)
        return st;
    sc_form__wires(out, t);
    return SC_OK;
}

sc_status sc_template_arch(sc_arch *out, const sc_template *t, const uint32_t *index)
{
    sc_built b;
    sc_point p;
    sc_status st = sc_form__point(&p, t, index);
    if (st == SC_OK && (st = sc_form__build(&b, t, &p)) == SC_OK)
        memcpy(out, &b.arch, sizeof *out); /* padding too */
    return st;
}
