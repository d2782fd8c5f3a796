/* Tables forecast piece by piece. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "surrogate/model.h"

enum { PIECE = 1 << 16 };

static sc_status features_of(sc_dataset **out, const sc_encoder *e)
{
    const size_t n = sc_encoder_features(e);
    sc_column *column = sc_calloc(n, sizeof *column);
    if (column == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        column[i] = sc_encoder_feature(e, i);
    const sc_status st = sc_dataset_create(out, column, n, 0);
    sc_free(column);
    return st;
}

sc_status sc_foretelling_begin(sc_foretelling *f, const sc_surrogate *s, const char *path,
                               int threads)
{
    memset(f, 0, sizeof *f);
    f->s = s;
    f->threads = threads;
    f->row = sc_calloc(PIECE, sizeof *f->row);
    f->said = sc_calloc(PIECE, sizeof *f->said);
    sc_status st = f->row != NULL && f->said != NULL
                       ? features_of(&f->d, sc_ensemble_encoder(s->ensemble))
                       : SC_ENOMEM;
    for (uint32_t i = 0; f->row != NULL && i < PIECE; i++)
        f->row[i] = i;
    if (st == SC_OK)
        st = sc_dataset_file_open(&f->file, f->d, path);
    if (st != SC_OK)
        sc_foretelling_end(f);
    return st;
}

sc_status sc_foretelling_next(sc_foretelling *f)
{
    sc_dataset_empty(f->d);
    sc_status st = sc_dataset_read_some(f->d, f->file, PIECE);
    f->n = sc_dataset_rows(f->d);
    return st == SC_OK && f->n > 0
               ? sc_ensemble_predict(f->said, f->s->ensemble, f->d, f->row, f->n, f->threads)
               : st;
}

void sc_foretelling_end(sc_foretelling *f)
{
    sc_dataset_file_close(f->file);
    sc_dataset_destroy(f->d);
    sc_free(f->row);
    sc_free(f->said);
    memset(f, 0, sizeof *f);
}

/* ---- as text ---- */

void sc_forecast_heading(sc_buf *b, const sc_surrogate *s)
{
    sc_buf_puts(b, "prediction,lower,upper");
    if (sc_ensemble_has_feasibility(s->ensemble))
        sc_buf_puts(b, ",p_feasible");
    sc_buf_puts(b, ",note");
}

static void put_number(sc_buf *b, double v)
{
    char text[32];
    sc_double_text(text, sizeof text, v);
    sc_buf_puts(b, text);
}

void sc_forecast_cells(sc_buf *b, const sc_surrogate *s, const sc_forecast *f)
{
    static const struct {
        uint64_t flag;
        const char *name;
    } notes[] = {{SC_NEW_VALUE, "value"},
                 {SC_NEW_LABEL, "label"},
                 {SC_NEW_MISSING, "missing"},
                 {SC_NEW_CONSTANT, "constant"},
                 {SC_DOUBT_SPREAD, "spread"}};
    const char *between = ",";
    put_number(b, f->value);
    sc_buf_puts(b, ",");
    put_number(b, fmin(f->low90, f->high90));
    sc_buf_puts(b, ",");
    put_number(b, fmax(f->low90, f->high90));
    if (sc_ensemble_has_feasibility(s->ensemble)) {
        sc_buf_puts(b, ",");
        put_number(b, f->feasible);
    }
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (f->flags & notes[i].flag) {
            sc_buf_puts(b, between);
            sc_buf_puts(b, notes[i].name);
            between = " ";
        }
    if (*between == ',')
        sc_buf_puts(b, ",");
}

sc_status sc_surrogate_predict_table(char **out, size_t *n, const sc_surrogate *s, const char *path,
                                     int threads)
{
    sc_foretelling f;
    sc_buf b;
    sc_status st = sc_foretelling_begin(&f, s, path, threads);
    if (st != SC_OK)
        return st;
    sc_buf_init(&b);
    sc_forecast_heading(&b, s);
    sc_buf_puts(&b, "\n");
    while ((st = sc_foretelling_next(&f)) == SC_OK && f.n > 0 && b.status == SC_OK)
        for (size_t i = 0; i < f.n; i++) {
            sc_forecast_cells(&b, s, &f.said[i]);
            sc_buf_puts(&b, "\n");
        }
    sc_foretelling_end(&f);
    const size_t length = b.length;
    if (st == SC_OK && (st = sc_buf_take(&b, out)) == SC_OK)
        *n = length;
    sc_buf_clear(&b);
    return st;
}
