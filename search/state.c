/* Saved states: frame, set of points met, the class's own part, checksum. Layout, all
 * little-endian: magic, form, what (u32 each), 128-bit name of what was created, asked, sweep,
 * number and sum of the told points, count of keys, keys (u64 each), whole saves: told flags (a
 * byte a key), the class's part, 64-bit hash of everything before. */
#include <string.h>

#include "core/hash.h"
#include "core/mem.h"
#include "search/opt.h"

enum {
    MAGIC = 0x504F4353, /* "SCOP" */
    FORM = 1,           /* changes whenever a state would continue differently */
    CHECKSUM = 8
};

static void write_options(const sc_optimizer *o, sc_buf *b)
{
    sc_blob_u32(b, o->options.version);
    sc_blob_u32(b, o->options.population);
    sc_blob_u32(b, o->options.batch);
    sc_blob_u64(b, o->options.n_points);
    for (size_t i = 0; i < o->options.n_points * o->problem.n_params; i++)
        sc_blob_u32(b, o->options.points[i]);
}

/* Name of what the optimiser was created from. */
static sc_status name_of(const sc_optimizer *o, sc_hash128 *out)
{
    const sc_problem *p = &o->problem;
    sc_buf b;

    sc_buf_init(&b);
    sc_buf_append(&b, o->class->name, strlen(o->class->name) + 1);
    sc_blob_u64(&b, o->seed);
    sc_blob_u64(&b, p->n_params);
    sc_blob_u64(&b, p->n_objectives);
    for (size_t i = 0; i < p->n_params; i++) {
        sc_blob_u32(&b, p->cardinality[i]);
        sc_blob_u32(&b, p->categorical[i]);
    }
    write_options(o, &b);
    const sc_status st = b.status;
    if (st == SC_OK)
        *out = sc_hash128_of(b.text, b.length);
    sc_buf_clear(&b);
    return st;
}

static void write_keys(const sc_seen *s, sc_save what, sc_buf *b)
{
    const size_t n = what == SC_SAVE_WHOLE ? s->n : s->n - s->n_told;
    sc_blob_u64(b, s->n_told);
    sc_blob_u64(b, s->told_sum);
    sc_blob_u64(b, n);
    for (size_t i = 0; i < s->n && n > 0; i++)
        if (what == SC_SAVE_WHOLE || !s->told[i])
            sc_blob_u64(b, s->key[i]);
    if (what == SC_SAVE_WHOLE && n > 0)
        sc_buf_append(b, (const char *)s->told, n);
}

sc_status sc_optimizer_save(const sc_optimizer *o, sc_save what, unsigned char **bytes, size_t *n)
{
    sc_hash128 name = {0, 0};
    sc_status st = SC_OK;
    char *text = NULL;
    sc_buf b;

    sc_buf_init(&b);
    if ((st = name_of(o, &name)) != SC_OK)
        goto done;
    sc_blob_u32(&b, MAGIC);
    sc_blob_u32(&b, FORM);
    sc_blob_u32(&b, (uint32_t)what);
    sc_blob_u64(&b, name.hi);
    sc_blob_u64(&b, name.lo);
    sc_blob_u64(&b, o->asked);
    sc_blob_u64(&b, o->sweep);
    write_keys(&o->seen, what, &b);
    if (o->class->save)
        o->class->save(o, &b);
    if (b.status == SC_OK)
        sc_blob_u64(&b, sc_hash64_of(b.text, b.length));
    const size_t length = b.length;
    if ((st = sc_buf_take(&b, &text)) != SC_OK)
        goto done;
    *bytes = (unsigned char *)text;
    *n = length;
done:
    sc_buf_clear(&b);
    return st;
}

static sc_status damaged(const char *what)
{
    return sc_fail(SC_EPARSE, "saved optimizer state: %s", what);
}

/* Frame up to the keys. @return NULL, or what is wrong. */
static const char *read_frame(sc_blob *in, size_t n, sc_hash128 name, uint32_t *what)
{
    sc_blob end = {in->at + n - CHECKSUM, CHECKSUM, false};
    if (n < CHECKSUM + 4 || sc_blob_read_u32(in) != MAGIC)
        return "not one";
    if (sc_blob_read_u64(&end) != sc_hash64_of(in->at - 4, n - CHECKSUM))
        return "damaged (wrong checksum)";
    in->left -= CHECKSUM;
    if (sc_blob_read_u32(in) != FORM)
        return "of another version";
    *what = sc_blob_read_u32(in);
    const uint64_t hi = sc_blob_read_u64(in), lo = sc_blob_read_u64(in);
    if (hi != name.hi || lo != name.lo)
        return "of another optimizer, problem, seed or options";
    return in->broken || *what > SC_SAVE_WHOLE ? "damaged" : NULL;
}

/* The told points of a light save, from the caller. */
static sc_status replay(sc_optimizer *o, const sc_history *h)
{
    for (uint64_t i = 0; h && i < h->n; i++) {
        sc_trial given, t;
        sc_status st = h->get(h->payload, i, &given);
        if (st != SC_OK || (st = sc_opt_check_trials(o, &given, 1)) != SC_OK ||
            (st = sc_seen_reserve(&o->seen, 1)) != SC_OK)
            return st;
        sc_opt_take(o, &given, &t);
    }
    return SC_OK;
}

static sc_status read_keys(sc_optimizer *o, sc_blob *in, sc_save what)
{
    const size_t item = what == SC_SAVE_WHOLE ? 9 : 8;
    const size_t n = sc_blob_read_count(in, item);
    const unsigned char *told = in->at + 8 * n;
    const sc_status st = sc_seen_reserve(&o->seen, n);

    if (st != SC_OK)
        return st;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = sc_blob_read_u64(in);
        if ((o->product && key >= o->product) || (what == SC_SAVE_WHOLE && told[i] > 1) ||
            sc_seen_state_of(&o->seen, key) != SC_SEEN_NEVER)
            return damaged("damaged (points met)");
        sc_seen_add(&o->seen, key, what == SC_SAVE_WHOLE && told[i]);
    }
    if (what == SC_SAVE_WHOLE) {
        in->at += n;
        in->left -= n;
    }
    return SC_OK;
}

static sc_status read_state(sc_optimizer *o, sc_blob *in, sc_save what, const sc_history *history)
{
    sc_status st = SC_OK;

    o->asked = sc_blob_read_u64(in);
    o->sweep = sc_blob_read_u64(in);
    const uint64_t n_told = sc_blob_read_u64(in), told_sum = sc_blob_read_u64(in);
    if (in->broken)
        return damaged("damaged (too short)");
    if ((what == SC_SAVE_LIGHT && (st = replay(o, history)) != SC_OK) ||
        (st = read_keys(o, in, what)) != SC_OK)
        return st;
    if (o->seen.n_told != n_told || o->seen.told_sum != told_sum)
        return damaged(what == SC_SAVE_LIGHT ? "the trials given are not the ones that were told"
                                             : "damaged (points told)");
    if (o->asked > o->seen.n || o->sweep > o->product)
        return damaged("damaged (counters)");
    if ((o->class->load && !o->class->load(o, in)) || in->broken || in->left != 0)
        return damaged("damaged (the optimizer's own part)");
    return SC_OK;
}

sc_status sc_optimizer_load(sc_optimizer *o, const void *bytes, size_t n, const sc_history *history)
{
    sc_blob in = {bytes, n, false};
    sc_hash128 name = {0, 0};
    sc_optimizer *fresh = NULL;
    uint32_t what = SC_SAVE_WHOLE;
    sc_status st = name_of(o, &name);

    if (st != SC_OK)
        goto done;
    const char *wrong = n < CHECKSUM ? "too short" : read_frame(&in, n, name, &what);
    if (wrong) {
        st = damaged(wrong);
        goto done;
    }
    if ((st = sc_optimizer_create(&fresh, o->class->name, &o->problem, o->seed, &o->options)) !=
            SC_OK ||
        (st = read_state(fresh, &in, (sc_save)what, history)) != SC_OK)
        goto done;
    const sc_optimizer old = *o;
    *o = *fresh;
    *fresh = old;
done:
    sc_optimizer_destroy(fresh);
    return st;
}
