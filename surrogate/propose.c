/* The best of a table of candidates, by a cautious score. Page: docs/algorithms/proposing.md. */
#include <math.h>
#include <string.h>

#include "core/csv.h"
#include "core/mem.h"
#include "core/order.h"
#include "core/rows.h"
#include "core/text.h"
#include "surrogate/model.h"

enum {
    STEPS = 50,
    MOST_TOP = 1000000,
    POOL_EACH = 64,
    LEAST_POOL = 8192,
    MOST_DIFFER = SC_DATASET_COLUMNS
};
static const double MOST_CAUTION = 100.0, EVEN = 0.5;
static const sc_rows_form usual_form = {.separator = ','};

const char *sc_propose_options_check(const sc_propose_options *o)
{
    if (o->version != SC_PROPOSE_OPTIONS_VERSION)
        return "propose options: another version of the library";
    if (o->top == 0 || o->top > MOST_TOP)
        return "propose options: 1 to 1000000 proposals";
    if (!(o->feasible >= 0 && o->feasible <= 1))
        return "propose options: the probability of being feasible should be 0 to 1";
    if (!(o->caution >= 0 && o->caution <= MOST_CAUTION))
        return "propose options: caution should be 0 to 100";
    if (o->differ > MOST_DIFFER)
        return "propose options: proposals cannot differ in so many features";
    return NULL;
}

/** A candidate as far as its place among the others goes. */
typedef struct mark {
    double score; /* cautious; higher is better */
    float feasible;
    bool likely, out; /* out: breaks a limit */
} mark;

typedef struct proposing {
    const sc_surrogate *s;
    const sc_propose_options *o;
    const char *path;
    mark *mark; /* [n] */
    size_t n, capacity;
    uint32_t *order, *scratch; /* [n] best first */
    size_t n_pool;
    uint32_t *place; /* [n] of the pool: number in it; UINT32_MAX: not in it */
    sc_buf *line;    /* [n_pool] its cells and forecast */
    uint32_t *cell;  /* [n_pool][features] numbers of their texts */
    sc_intern texts;
    size_t *feature; /* [features] columns of the file */
    size_t n_features;
} proposing;

/* ---- first pass: marks ---- */

static sc_status room(proposing *p, size_t more)
{
    if (p->n + more <= p->capacity)
        return SC_OK;
    size_t capacity = p->capacity + p->capacity / 2;
    capacity = capacity < p->n + more ? p->n + more : capacity;
    if (capacity > UINT32_MAX)
        return sc_fail(SC_ERANGE, "%s: more than 2^32 candidates", p->path);
    mark *larger = sc_realloc_array(p->mark, capacity, sizeof *larger);
    if (larger == NULL)
        return SC_ENOMEM;
    p->mark = larger;
    p->capacity = capacity;
    return SC_OK;
}

static sc_status find_limits(size_t *column, const sc_rows *r, const sc_propose_options *o)
{
    for (size_t i = 0; i < o->n_limits; i++) {
        size_t again = 0;
        char shown[SC_SHOWN_LEN];
        column[i] = sc_rows_find(r, o->limits[i].column, &again);
        if (column[i] == SIZE_MAX)
            return sc_fail(SC_EINVAL, "%s:1:1: error: no column '%s' for a constraint",
                           sc_rows_name(r), sc_text_show(shown, o->limits[i].column));
    }
    return SC_OK;
}

/* Whether the row that stands in r keeps all limits; a missing cell keeps none. */
static sc_status keeps_limits(bool *keeps, const sc_rows *r, const size_t *column,
                              const sc_propose_options *o)
{
    *keeps = true;
    for (size_t i = 0; i < o->n_limits; i++) {
        double v = (double)NAN;
        if (!sc_dataset_is_missing(sc_rows_cell(r, column[i]))) {
            const sc_status st = sc_rows_number(&v, r, column[i]);
            if (st != SC_OK)
                return st;
        }
        *keeps = *keeps && v >= o->limits[i].least && v <= o->limits[i].most;
    }
    return SC_OK;
}

static void put_mark(proposing *p, const sc_forecast *f)
{
    p->mark[p->n++] =
        (mark){.score = f->score - p->o->caution * f->spread, .feasible = (float)f->feasible};
}

/* The limits are read beside the forecasts, from the same rows. */
static sc_status limit_marks(proposing *p)
{
    size_t *column = sc_calloc(p->o->n_limits + 1, sizeof *column);
    sc_rows *r = NULL;
    bool got = true, keeps = true;
    sc_status st = column != NULL ? sc_rows_open(&r, p->path, &usual_form) : SC_ENOMEM;
    if (st == SC_OK)
        st = find_limits(column, r, p->o);
    for (size_t i = 0; st == SC_OK && i < p->n; i++)
        if ((st = sc_rows_next(&got, r)) == SC_OK && got &&
            (st = keeps_limits(&keeps, r, column, p->o)) == SC_OK)
            p->mark[i].out = !keeps;
    sc_rows_close(r);
    sc_free(column);
    return st;
}

static sc_status mark_all(proposing *p)
{
    sc_foretelling f;
    sc_status st = sc_foretelling_begin(&f, p->s, p->path, p->o->threads);
    if (st != SC_OK)
        return st;
    while ((st = sc_foretelling_next(&f)) == SC_OK && f.n > 0 && (st = room(p, f.n)) == SC_OK)
        for (size_t i = 0; i < f.n; i++)
            put_mark(p, &f.said[i]);
    sc_foretelling_end(&f);
    return st == SC_OK && p->o->n_limits > 0 ? limit_marks(p) : st;
}

/* ---- order ---- */

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
    const mark *of = context, *x = &of[a], *y = &of[b];
    if (x->likely != y->likely)
        return x->likely;
    if (!x->likely && x->feasible != y->feasible)
        return x->feasible > y->feasible;
    return x->score > y->score;
}

/* More likely feasible than not, and in a range where hardly a row held out was not. */
static void mark_likely(proposing *p)
{
    const double usual = fmax(EVEN, sc_ensemble_sure(p->s->ensemble));
    const double least = p->o->feasible > 0 ? p->o->feasible : usual;
    const bool all = !sc_ensemble_has_feasibility(p->s->ensemble);
    for (size_t i = 0; i < p->n; i++)
        p->mark[i].likely = all || (double)p->mark[i].feasible >= least;
}

static sc_status order_all(proposing *p)
{
    size_t n = 0;
    p->order = sc_calloc(p->n, sizeof *p->order);
    p->scratch = sc_calloc(p->n, sizeof *p->scratch);
    p->place = sc_calloc(p->n, sizeof *p->place);
    if (p->order == NULL || p->scratch == NULL || p->place == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < p->n; i++) {
        p->place[i] = UINT32_MAX;
        if (!p->mark[i].out)
            p->order[n++] = (uint32_t)i;
    }
    mark_likely(p);
    sc_order_sort(p->order, p->scratch, n, is_before, p->mark);
    const size_t most = p->o->top * POOL_EACH > LEAST_POOL ? p->o->top * POOL_EACH : LEAST_POOL;
    p->n_pool = n < most ? n : most;
    for (size_t i = 0; i < p->n_pool; i++)
        p->place[p->order[i]] = (uint32_t)i;
    return SC_OK;
}

/* ---- second pass: texts of the pool ---- */

static sc_status find_features(proposing *p, const sc_rows *r)
{
    const sc_encoder *e = sc_ensemble_encoder(p->s->ensemble);
    size_t again = 0;
    p->n_features = sc_encoder_features(e);
    p->feature = sc_calloc(p->n_features, sizeof *p->feature);
    p->line = sc_calloc(p->n_pool, sizeof *p->line);
    p->cell = sc_calloc(p->n_pool, p->n_features * sizeof *p->cell);
    if (p->feature == NULL || p->line == NULL || p->cell == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < p->n_features; i++)
        p->feature[i] = sc_rows_find(r, sc_encoder_feature(e, i).name, &again);
    return SC_OK;
}

static sc_status keep_row(proposing *p, const sc_rows *r, uint32_t place, const sc_forecast *f)
{
    sc_buf *b = &p->line[place];
    sc_status st = SC_OK;
    for (size_t i = 0; i < sc_rows_columns(r); i++) {
        sc_csv_quote(b, sc_rows_cell(r, i));
        sc_buf_puts(b, ",");
    }
    sc_forecast_cells(b, p->s, f);
    sc_buf_puts(b, "\n");
    for (size_t i = 0; i < p->n_features && st == SC_OK; i++)
        st = sc_intern_add(&p->cell[place * p->n_features + i], &p->texts,
                           sc_rows_cell(r, p->feature[i]), UINT32_MAX);
    return st == SC_OK ? b->status : st;
}

/* Forecasts again, which is cheaper than to keep those of all candidates. */
static sc_status keep_pool(proposing *p, sc_rows *r)
{
    sc_foretelling f;
    bool got = true;
    size_t at = 0;
    sc_status st = sc_foretelling_begin(&f, p->s, p->path, p->o->threads);
    if (st != SC_OK)
        return st;
    while ((st = sc_foretelling_next(&f)) == SC_OK && f.n > 0)
        for (size_t i = 0; i < f.n && at < p->n; i++, at++)
            if ((st = sc_rows_next(&got, r)) != SC_OK || !got ||
                (p->place[at] != UINT32_MAX &&
                 (st = keep_row(p, r, p->place[at], &f.said[i])) != SC_OK))
                goto done;
done:
    sc_foretelling_end(&f);
    return st;
}

/* ---- choice ---- */

static bool differs(const proposing *p, uint32_t a, uint32_t b)
{
    const uint32_t *x = p->cell + a * p->n_features, *y = p->cell + b * p->n_features;
    const uint32_t enough = p->o->differ > 1 ? p->o->differ : 1;
    uint32_t n = 0;
    for (size_t i = 0; i < p->n_features && n < enough; i++)
        n += x[i] != y[i];
    return n >= enough;
}

static void choose(sc_buf *out, const proposing *p)
{
    uint32_t *chosen = p->scratch;
    size_t n = 0;
    for (uint32_t i = 0; i < p->n_pool && n < p->o->top; i++) {
        bool is_new = true;
        for (size_t k = 0; k < n && is_new; k++)
            is_new = differs(p, i, chosen[k]);
        if (!is_new)
            continue;
        chosen[n++] = i;
        sc_buf_append(out, p->line[i].text, p->line[i].length);
    }
}

static void put_heading(sc_buf *b, const sc_rows *r, const sc_surrogate *s)
{
    for (size_t i = 0; i < sc_rows_columns(r); i++) {
        sc_csv_quote(b, sc_rows_column(r, i));
        sc_buf_puts(b, ",");
    }
    sc_forecast_heading(b, s);
    sc_buf_puts(b, "\n");
}

static void clear(proposing *p)
{
    for (size_t i = 0; p->line != NULL && i < p->n_pool; i++)
        sc_buf_clear(&p->line[i]);
    sc_intern_clear(&p->texts);
    sc_free(p->mark);
    sc_free(p->order);
    sc_free(p->scratch);
    sc_free(p->place);
    sc_free(p->line);
    sc_free(p->cell);
    sc_free(p->feature);
}

sc_status sc_surrogate_propose_table(char **out, size_t *n, const sc_surrogate *s, const char *path,
                                     const sc_propose_options *options)
{
    const char *wrong = sc_propose_options_check(options);
    proposing p = {.s = s, .o = options, .path = path};
    sc_rows *r = NULL;
    sc_buf b;
    if (wrong != NULL)
        return sc_fail(SC_EINVAL, "%s", wrong);
    sc_buf_init(&b);
    sc_status st = mark_all(&p);
    if (st == SC_OK)
        st = order_all(&p);
    if (st == SC_OK)
        st = sc_rows_open(&r, path, &usual_form);
    if (st == SC_OK)
        st = find_features(&p, r);
    if (st == SC_OK)
        st = keep_pool(&p, r);
    if (st == SC_OK) {
        put_heading(&b, r, s);
        choose(&b, &p);
        const size_t length = b.length;
        if ((st = sc_buf_take(&b, out)) == SC_OK)
            *n = length;
    }
    sc_rows_close(r);
    sc_buf_clear(&b);
    clear(&p);
    return st;
}
