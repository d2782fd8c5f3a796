/* Saved states of CMA-ES. */
#include <math.h>
#include <string.h>

#include "search/opt_cmaes.h"

static void put_doubles(sc_buf *b, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sc_blob_double(b, v[i]);
}

static bool get_doubles(sc_blob *in, double *v, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        v[i] = sc_blob_read_double(in);
        good &= isfinite(v[i]) != 0;
    }
    return good && !in->broken;
}

static bool get_indices(sc_blob *in, uint32_t *v, const uint32_t *below, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        v[i] = sc_blob_read_u32(in);
        good &= v[i] < below[i];
    }
    return good && !in->broken;
}

void sc_cmaes_save_rows(const struct cmaes *s, sc_buf *b)
{
    sc_blob_u64(b, s->best->n_rows);
    sc_pool_save(s->best, 0, b);
    sc_blob_u64(b, s->row->n_rows);
    sc_pool_save(s->row, 0, b);
    put_doubles(b, s->x, s->row->n_rows * s->n_ordered);
    for (size_t i = 0; i < s->row->n_rows * s->n_labels; i++)
        sc_blob_u32(b, s->category[i]);
}

static bool load_pool(sc_pool *p, const sc_optimizer *o, sc_blob *in)
{
    const size_t n = sc_blob_read_count(in, sc_pool_row_bytes(p));
    return !in->broken && sc_pool_load(p, n, o, in);
}

bool sc_cmaes_load_rows(const sc_optimizer *o, sc_blob *in)
{
    const struct cmaes *s = o->state;
    if (!load_pool(s->best, o, in) || s->best->n_rows > SC_CMAES_BEST ||
        !load_pool(s->row, o, in) || !get_doubles(in, s->x, s->row->n_rows * s->n_ordered))
        return false;
    for (size_t i = 0; i < s->row->n_rows; i++)
        if (!get_indices(in, s->category + i * s->n_labels, s->label_count, s->n_labels))
            return false;
    return true;
}

void sc_cmaes_save_pending(const struct cmaes_pending *p, sc_buf *b)
{
    sc_blob_u64(b, p->n);
    for (size_t k = 0; k < p->n; k++) {
        const size_t slot = p->place[k];
        sc_blob_u64(b, p->key[slot]);
        sc_blob_u64(b, p->run[slot]);
        put_doubles(b, p->x + slot * p->n_ordered, p->n_ordered);
        for (size_t j = 0; j < p->n_labels; j++)
            sc_blob_u32(b, p->label[slot * p->n_labels + j]);
    }
}

bool sc_cmaes_load_pending(struct cmaes *s, sc_blob *in)
{
    struct cmaes_pending *p = &s->pending;
    p->n = sc_blob_read_count(in, 16 + 8 * p->n_ordered + 4 * p->n_labels);
    if (in->broken || p->n > SC_CMAES_PENDING) {
        p->n = 0;
        return false;
    }
    for (size_t k = 0; k < p->n; k++) {
        p->key[k] = sc_blob_read_u64(in);
        p->run[k] = sc_blob_read_u64(in);
        if (p->run[k] == 0 || p->run[k] > s->runs ||
            !get_doubles(in, p->x + k * p->n_ordered, p->n_ordered) ||
            !get_indices(in, p->label + k * p->n_labels, s->label_count, p->n_labels))
            return false;
    }
    return true;
}

void sc_cmaes_save_gauss(const sc_gauss *g, sc_buf *b)
{
    const size_t n = g->n;
    sc_blob_double(b, g->sigma);
    sc_blob_u64(b, g->generation);
    put_doubles(b, g->mean, n);
    put_doubles(b, g->scale, n);
    put_doubles(b, g->path_sigma, n);
    put_doubles(b, g->path_c, n);
    for (size_t j = 0; j < n; j++)
        put_doubles(b, g->c + j * n, j + 1);
}

/* Far wider than a run can get, so that no draw is infinite. */
static bool is_sane(const sc_gauss *g, size_t j)
{
    return fabs(g->mean[j]) < 1e3 && g->scale[j] > 1e-9 &&
           g->scale[j] * g->sigma * sqrt(g->c[j * g->n + j]) < 1e3;
}

bool sc_cmaes_load_gauss(sc_gauss *g, sc_blob *in)
{
    const size_t n = g->n;
    g->sigma = sc_blob_read_double(in);
    g->generation = sc_blob_read_u64(in);
    bool good = g->sigma > 0.0 && isfinite(g->sigma);
    good &= get_doubles(in, g->mean, n) && get_doubles(in, g->scale, n) &&
            get_doubles(in, g->path_sigma, n) && get_doubles(in, g->path_c, n);
    for (size_t j = 0; good && j < n; j++) {
        good = get_doubles(in, g->c + j * n, j + 1) && is_sane(g, j);
        for (size_t k = 0; k < j; k++)
            g->c[k * n + j] = g->c[j * n + k];
    }
    return good && sc_gauss_factor(g);
}

void sc_cmaes_save_categories(const sc_categories *c, sc_buf *b)
{
    sc_blob_double(b, c->delta);
    sc_blob_double(b, c->gamma);
    put_doubles(b, c->q, c->n_all);
    put_doubles(b, c->path, c->n_all);
}

bool sc_cmaes_load_categories(sc_categories *c, sc_blob *in)
{
    c->delta = sc_blob_read_double(in);
    c->gamma = sc_blob_read_double(in);
    bool good = c->delta > 0.0 && isfinite(c->delta) && isfinite(c->gamma) &&
                get_doubles(in, c->q, c->n_all) && get_doubles(in, c->path, c->n_all);
    for (size_t i = 0; i < c->n_all && good; i++)
        good = c->q[i] > 0.0 && c->q[i] <= 1.0;
    return good;
}
