#ifndef SURROGATE_SAMPLES_H
#define SURROGATE_SAMPLES_H
/** Rows as a network takes them: encoded once, then gathered into batches. */
#include "surrogate/encoder.h"
#include "surrogate/nn.h"

typedef struct sc_samples {
    size_t n, reals, codes;
    sc_real *real;     /* [n][reals] */
    uint32_t *code;    /* [n][codes] */
    sc_real *y;        /* [n] scaled so that higher is better; NaN: not learned from */
    uint8_t *feasible; /* [n] */
    uint32_t *group;   /* [n] */
    uint8_t *flags;    /* [n] SC_NEW_* */
} sc_samples;

/** How a target becomes y: sign * (x - mean) / deviation, x the target or its log. */
typedef struct sc_target_scale {
    uint32_t target; /* which of the data set's */
    bool logarithm;  /* learn its log */
    bool maximise;   /* more is better */
    double mean, deviation;
    double low, high; /* of the target itself among those learned from */
} sc_target_scale;

/** Mean and deviation of a target over the feasible of n rows that have it.
 *  @return SC_OK; SC_EINVAL: no such row, fewer than three, all equal, or a target that has no
 *          logarithm, naming the row. */
sc_status sc_target_scale_fit(sc_target_scale *s, const sc_dataset *d, const uint32_t *row,
                              size_t n) SC_MUST_USE;
double sc_target_scaled(const sc_target_scale *s, double target);
double sc_target_unscaled(const sc_target_scale *s, double y);

/** Encode n rows. scale NULL: without targets. @return SC_OK; SC_EINVAL as sc_encoder_match();
 *  SC_ENOMEM. Memory: 4 bytes an input, 10 a row. */
sc_status sc_samples_init(sc_samples *out, const sc_encoder *e, const sc_target_scale *scale,
                          const sc_dataset *d, const uint32_t *row, size_t n) SC_MUST_USE;
void sc_samples_clear(sc_samples *s);
/** Copy samples `item` [n] behind each other. real: [n][reals], code: [n][codes]. */
void sc_samples_gather(sc_real *real, uint32_t *code, const sc_samples *s, const uint32_t *item,
                       size_t n);
#endif
