#ifndef SURROGATE_MODEL_H
#define SURROGATE_MODEL_H
/** The public surrogate: an ensemble, and forecasts of tables that do not fit into memory. */
#include "core/buf.h"
#include "scantle/surrogate.h"
#include "surrogate/ensemble.h"

struct sc_surrogate {
    sc_ensemble *ensemble;
};

/** A table of features under a surrogate, read and forecast in pieces. */
typedef struct sc_foretelling {
    const sc_surrogate *s;
    sc_dataset *d;
    sc_dataset_file *file;
    uint32_t *row;     /* [PIECE] 0, 1, 2, ... */
    sc_forecast *said; /* [PIECE] of the piece read last */
    size_t n;          /* rows of it */
    int threads;
} sc_foretelling;

/** @return as sc_surrogate_predict_table(). */
sc_status sc_foretelling_begin(sc_foretelling *f, const sc_surrogate *s, const char *path,
                               int threads) SC_MUST_USE;
/** Forecast the next piece: f->said [f->n]; f->n = 0 past the last row. */
sc_status sc_foretelling_next(sc_foretelling *f) SC_MUST_USE;
void sc_foretelling_end(sc_foretelling *f);

/** Names of the columns of a forecast, and its cells, with commas between and none at the ends. */
void sc_forecast_heading(sc_buf *b, const sc_surrogate *s);
void sc_forecast_cells(sc_buf *b, const sc_surrogate *s, const sc_forecast *f);
#endif
