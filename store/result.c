#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "store/bytes.h"
#include "store/study.h"

/* Columns of the table results. */
enum { KEY, DESIGN, WORKLOAD, MODEL, OPTIONS, EVALUATOR, STATE, METRICS, REASONS };

sc_hash128 sc_store_result_key(const sc_store_result *r)
{
    /* Four fields of a fixed size, so that no two sets of fields look alike. */
    const sc_hash128 part[] = {
        r->design,
        r->workload,
        sc_hash128_of(r->model_version, strlen(r->model_version)),
        sc_hash128_of(r->options, strlen(r->options)),
    };
    unsigned char bytes[sizeof part];
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        sc_put_u64(bytes + 16 * i, part[i].hi);
        sc_put_u64(bytes + 16 * i + 8, part[i].lo);
    }
    return sc_hash128_of(bytes, sizeof bytes);
}

/* ---- writing ---- */

static sc_status check_metrics(const sc_store_result *r)
{
    sc_status st;

    if (r->state > SC_STATE_FAILED || r->n_metrics > SC_STORE_MAX_METRICS)
        return sc_fail(SC_EINVAL, "a result has the state %d and %zu metrics", (int)r->state,
                       r->n_metrics);
    for (size_t i = 0; i < r->n_metrics; i++) {
        const sc_store_metric *m = &r->metrics[i];
        if ((st = sc_store__check_text("name of a metric", m->name, true)) != SC_OK)
            return st;
        for (size_t k = 0; k < i; k++)
            if (strcmp(m->name, r->metrics[k].name) == 0)
                return sc_fail(SC_EINVAL, "metric '%.64s' is there twice", m->name);
        if (!sc_store__is_fit(r->state, m->value))
            return sc_fail(SC_EINVAL, "a result is %s with %.64s = %g",
                           sc_store_state_name(r->state), m->name, m->value);
    }
    return SC_OK;
}

static sc_status check_result(const sc_store_result *r)
{
    sc_status st;
    if ((st = sc_store__check_text("model version", r->model_version, true)) != SC_OK ||
        (st = sc_store__check_text("options", r->options, false)) != SC_OK ||
        (st = sc_store__check_text("evaluator", r->evaluator, true)) != SC_OK ||
        (st = check_metrics(r)) != SC_OK)
        return st;
    return sc_store__check_reasons(r->reasons);
}

/* Name, its NUL, the double; one after the other. */
static sc_status encode_metrics(sc_buf *b, const sc_store_result *r)
{
    unsigned char number[8];
    for (size_t i = 0; i < r->n_metrics; i++) {
        sc_put_double(number, r->metrics[i].value);
        sc_buf_append(b, r->metrics[i].name, strlen(r->metrics[i].name) + 1);
        sc_buf_append(b, (const char *)number, sizeof number);
    }
    return b->status;
}

static sc_status insert_result(sc_store *s, const sc_store_result *r, const sc_buf *metrics)
{
    const sc_hash128 hash = sc_store_result_key(r);
    const sc_key key = sc_store__key(hash);
    const sc_key design = sc_store__key(r->design);
    const sc_key workload = sc_store__key(r->workload);
    const sc_cell cells[] = {
        [KEY] = sc_cell_key(&key),
        [DESIGN] = sc_cell_key(&design),
        [WORKLOAD] = sc_cell_key(&workload),
        [MODEL] = sc_cell_text(r->model_version),
        [OPTIONS] = sc_cell_text(r->options),
        [EVALUATOR] = sc_cell_text(r->evaluator),
        [STATE] = sc_cell_int(r->state),
        [METRICS] = sc_cell_blob(metrics->text, metrics->length),
        [REASONS] = sc_cell_text(r->reasons ? r->reasons : ""),
    };
    sc_added how = SC_ADDED;
    sc_status st = sc_store__insert(&how, s, SC_TABLE_RESULTS, cells);
    if (st == SC_OK && how == SC_DIFFERENT)
        st = sc_store__conflict(s, "result", hash);
    return st;
}

sc_status sc_store_put_result(sc_store *s, const sc_store_result *r)
{
    sc_buf metrics;
    sc_status st;

    if (!s->in_batch)
        return sc_fail(SC_EINVAL, "%s: results are written in batches only", s->path);
    if ((st = check_result(r)) != SC_OK)
        return st;
    sc_buf_init(&metrics);
    if ((st = sc_store__lose_batch(s, encode_metrics(&metrics, r))) == SC_OK)
        st = insert_result(s, r, &metrics);
    sc_buf_clear(&metrics);
    return st;
}

/* ---- reading ---- */

/* Append a column and a NUL. @return where it begins: the buffer may move while it grows. */
static size_t keep(sc_buf *b, sqlite3_stmt *row, int column)
{
    const size_t at = b->length;
    const sc_cell c = sc_store__column(row, column);
    sc_buf_append(b, c.bytes, c.n);
    sc_buf_append(b, "", 1);
    return at;
}

static sc_status reserve_metrics(sc_store *s, size_t n)
{
    if (n <= s->metrics_capacity)
        return SC_OK;
    sc_store_metric *metrics = sc_realloc_array(s->metrics, 2 * n, sizeof *metrics);
    if (!metrics)
        return sc_store__lose_batch(s, SC_ENOMEM);
    s->metrics = metrics;
    s->metrics_capacity = 2 * n;
    return SC_OK;
}

/* Metrics out of their encoding, which stays in place under the names. */
static sc_status decode_metrics(sc_store *s, const char *bytes, size_t n)
{
    size_t count = 0;
    sc_status st;

    for (size_t at = 0; at < n; count++) {
        const char *end = memchr(bytes + at, '\0', n - at);
        if (!end || n - at - (size_t)(end + 1 - (bytes + at)) < 8)
            return sc_store__corrupt(s, "a row of table results has no metrics");
        if ((st = reserve_metrics(s, count + 1)) != SC_OK)
            return st;
        s->metrics[count] =
            (sc_store_metric){bytes + at, sc_get_double((const unsigned char *)end + 1)};
        at = (size_t)(end + 1 - bytes) + 8;
    }
    s->result.metrics = s->metrics;
    s->result.n_metrics = count;
    return SC_OK;
}

static sc_status read_result(sc_store *s, sqlite3_stmt *row)
{
    const int64_t state = sqlite3_column_int64(row, STATE);
    sc_buf *b = &s->result_text;

    if (b->status != SC_OK)
        sc_buf_clear(b);
    b->length = 0;
    const size_t model = keep(b, row, MODEL);
    const size_t options = keep(b, row, OPTIONS);
    const size_t evaluator = keep(b, row, EVALUATOR);
    const size_t reasons = keep(b, row, REASONS);
    const size_t metrics = keep(b, row, METRICS);
    if (b->status != SC_OK)
        return sc_store__lose_batch(s, sc_fail(SC_ENOMEM, "no memory for a result"));
    if (state < SC_STATE_FEASIBLE || state > SC_STATE_FAILED)
        return sc_store__corrupt(s, "a row of table results has no state");
    s->result = (sc_store_result){
        .design = sc_store__column_hash(row, DESIGN),
        .workload = sc_store__column_hash(row, WORKLOAD),
        .model_version = b->text + model,
        .options = b->text + options,
        .evaluator = b->text + evaluator,
        .state = (sc_store_state)state,
        .reasons = b->text + reasons,
    };
    return decode_metrics(s, b->text + metrics, b->length - metrics - 1);
}

sc_status sc_store_get_result(const sc_store_result **out, sc_store *s, sc_hash128 key)
{
    const sc_key bytes = sc_store__key(key);
    const sc_cell cell = sc_cell_key(&bytes);
    sqlite3_stmt *row = NULL;
    sc_status st;

    if ((st = sc_store__find(&row, s, SC_TABLE_RESULTS, &cell)) != SC_OK)
        return st;
    if (row)
        st = read_result(s, row);
    if (st == SC_OK)
        *out = row ? &s->result : NULL;
    sc_store__release(row);
    return st;
}
