/* Ensembles as files: a line that names form and version, the bytes, their checksum. */
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/mem.h"
#include "surrogate/ensemble_inner.h"

static const char heading[] = "scantle surrogate 1\n";
enum { HEADING = sizeof heading - 1, CHECK = 8 };
static const size_t MOST_BYTES = (size_t)1 << 31;

static void write_reals(sc_buf *b, const sc_real *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float single = (float)v[i];
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        sc_blob_u32(b, bits);
    }
}

static void write_all(sc_buf *b, const sc_ensemble *e)
{
    const sc_target_scale *s = &e->scale;
    const double numbers[] = {s->mean,   s->deviation, s->low,    s->high,         e->half50,
                              e->half90, e->logit0,    e->logit1, e->spread_limit, e->sure};
    sc_buf_append(b, heading, HEADING);
    sc_blob_text(b, e->target);
    sc_encoder_write(b, e->encoder);
    sc_nn_write(b, e->net);
    sc_blob_u32(b, s->target);
    sc_blob_u32(b, (uint32_t)s->logarithm + 2 * (uint32_t)s->maximise + 4 * (uint32_t)e->always +
                       8 * (uint32_t)e->base_alone + 16 * (uint32_t)(e->base[0] != NULL));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sc_blob_double(b, numbers[i]);
    sc_blob_u64(b, e->members);
    for (size_t i = 0; i < 2 * e->members; i++)
        sc_blob_double(b, e->line[i]);
    for (size_t m = 0; e->base[0] != NULL && m < e->members; m++)
        sc_base_write(b, e->base[m]);
    write_reals(b, e->weights, e->members * e->n_weights);
}

sc_status sc_ensemble_save(const sc_ensemble *e, const char *path)
{
    sc_buf b;
    char *bytes = NULL;
    sc_buf_init(&b);
    write_all(&b, e);
    if (b.status == SC_OK)
        sc_blob_u64(&b, sc_hash64_of(b.text, b.length));
    const size_t n = b.length;
    sc_status st = sc_buf_take(&b, &bytes);
    if (st == SC_OK)
        st = sc_file_write(path, bytes, n);
    sc_free(bytes);
    return st;
}

/* ---- reading ---- */

static sc_status read_numbers(sc_ensemble *e, bool *has_base, sc_blob *b)
{
    sc_target_scale *s = &e->scale;
    double *const numbers[] = {&s->mean,   &s->deviation, &s->low,    &s->high,         &e->half50,
                               &e->half90, &e->logit0,    &e->logit1, &e->spread_limit, &e->sure};
    s->target = sc_blob_read_u32(b);
    const uint32_t flags = sc_blob_read_u32(b);
    s->logarithm = flags & 1;
    s->maximise = flags & 2;
    e->always = flags & 4;
    e->base_alone = flags & 8;
    *has_base = flags & 16;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = sc_blob_read_double(b);
    e->members = sc_blob_read_count(b, 4 * e->n_weights + 16);
    return b->broken || e->members == 0 || e->members > SC_ENSEMBLE_MEMBERS || flags > 31
               ? SC_EPARSE
               : SC_OK;
}

static sc_status read_weights(sc_ensemble *e, bool has_base, sc_blob *b)
{
    const size_t n = e->members * e->n_weights;
    e->line = sc_calloc(e->members, 2 * sizeof *e->line);
    e->weights = sc_calloc(n, sizeof *e->weights);
    e->base = sc_calloc(e->members, sizeof *e->base);
    if (!e->line || !e->weights || !e->base)
        return SC_ENOMEM;
    for (size_t i = 0; i < 2 * e->members; i++)
        e->line[i] = sc_blob_read_double(b);
    for (size_t m = 0; has_base && m < e->members; m++) {
        const sc_status st = sc_base_read(&e->base[m], b);
        if (st != SC_OK)
            return st;
        if (!sc_base_fits(e->base[m], e->encoder))
            return SC_EPARSE;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = sc_blob_read_u32(b);
        float single;
        memcpy(&single, &bits, sizeof single);
        e->weights[i] = (sc_real)single;
    }
    return b->broken || b->left != 0 ? SC_EPARSE : SC_OK;
}

/* The network must take what the encoder gives. */
static bool fits(const sc_ensemble *e)
{
    const size_t codes = sc_encoder_codes(e->encoder);
    return sc_nn_outputs(e->net) == 2 && sc_nn_real_size(e->net, 1) == 0 &&
           sc_nn_code_size(e->net, 1) == 0 &&
           sc_nn_real_size(e->net, 0) == sc_encoder_reals(e->encoder) &&
           sc_nn_code_size(e->net, 0) == codes;
}

static sc_status read_all(sc_ensemble *e, sc_blob *b)
{
    if (!(e->target = sc_blob_read_text(b)))
        return b->broken ? SC_EPARSE : SC_ENOMEM;
    sc_status st = sc_encoder_read(&e->encoder, b);
    if (st == SC_OK)
        st = sc_nn_read(&e->net, b);
    if (st != SC_OK)
        return st;
    e->n_weights = sc_nn_weights(e->net);
    bool has_base = false;
    st = fits(e) ? read_numbers(e, &has_base, b) : SC_EPARSE;
    return st == SC_OK ? read_weights(e, has_base, b) : st;
}

sc_status sc_ensemble_open(sc_ensemble **out, const char *path)
{
    char *bytes = NULL;
    size_t n = 0;
    sc_ensemble *e = NULL;
    sc_status st = sc_file_read(&bytes, &n, path, MOST_BYTES);
    if (st != SC_OK)
        return st;
    if (n < HEADING + CHECK || memcmp(bytes, heading, HEADING) != 0) {
        st = sc_fail(SC_EPARSE, "%s:1:1: error: no surrogate of version 1", path);
        goto done;
    }
    sc_blob check = {.at = (const unsigned char *)bytes + n - CHECK, .left = CHECK};
    if (sc_blob_read_u64(&check) != sc_hash64_of(bytes, n - CHECK)) {
        st = sc_fail(SC_EPARSE, "%s:1:1: error: its checksum does not fit: the file is damaged",
                     path);
        goto done;
    }
    sc_blob b = {.at = (const unsigned char *)bytes + HEADING, .left = n - CHECK - HEADING};
    if (!(e = sc_calloc(1, sizeof *e))) {
        st = SC_ENOMEM;
        goto done;
    }
    if ((st = read_all(e, &b)) != SC_OK) {
        if (st == SC_EPARSE)
            st = sc_fail(SC_EPARSE, "%s:1:1: error: its parts do not fit together", path);
        goto done;
    }
    *out = e;
    e = NULL;
done:
    sc_ensemble_destroy(e);
    sc_free(bytes);
    return st;
}
