#include "surrogate/samples.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

/* Whether a row is one that targets are learned from. */
static bool has_target(const sc_dataset *d, size_t row, uint32_t target)
{
    return sc_dataset_feasible(d, row) && !isnan(sc_dataset_target(d, row, target));
}

static double on_scale(const sc_target_scale *s, double target)
{
    return s->logarithm ? log(target) : target;
}

sc_status sc_target_scale_fit(sc_target_scale *s, const sc_dataset *d, const uint32_t *row,
                              size_t n)
{
    size_t known = 0;
    double sum = 0.0, squares = 0.0;
    if (s->target >= sc_dataset_targets(d))
        return sc_fail(SC_EINVAL, "surrogate: the data has no target %u", s->target);
    s->low = (double)INFINITY;
    s->high = -(double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double t = sc_dataset_target(d, row[i], s->target);
        if (!has_target(d, row[i], s->target))
            continue;
        if (s->logarithm && t <= 0.0)
            return sc_fail(SC_EINVAL,
                           "surrogate: the target of row %u is %g, which has no "
                           "logarithm: learn it on a linear scale",
                           row[i], t);
        known++;
        sum += on_scale(s, t);
        s->low = fmin(s->low, t);
        s->high = fmax(s->high, t);
    }
    if (known < 3)
        return sc_fail(SC_EINVAL,
                       "surrogate: %zu of %zu rows are feasible and have a target; it "
                       "takes three or more to learn one",
                       known, n);
    s->mean = sum / (double)known;
    for (size_t i = 0; i < n; i++)
        if (has_target(d, row[i], s->target)) {
            const double off = on_scale(s, sc_dataset_target(d, row[i], s->target)) - s->mean;
            squares += off * off;
        }
    s->deviation = sqrt(squares / (double)known);
    if (!(s->low < s->high && s->deviation > 0.0 && isfinite(s->deviation)))
        return sc_fail(SC_EINVAL, "surrogate: the target is %g in all %zu rows that have one",
                       s->low, known);
    return SC_OK;
}

double sc_target_scaled(const sc_target_scale *s, double target)
{
    const double y = (on_scale(s, target) - s->mean) / s->deviation;
    return s->maximise ? y : -y;
}

double sc_target_unscaled(const sc_target_scale *s, double y)
{
    const double x = (s->maximise ? y : -y) * s->deviation + s->mean;
    return s->logarithm ? exp(x) : x;
}

void sc_samples_clear(sc_samples *s)
{
    sc_free(s->real);
    sc_free(s->code);
    sc_free(s->y);
    sc_free(s->feasible);
    sc_free(s->group);
    sc_free(s->flags);
    *s = (sc_samples){0};
}

sc_status sc_samples_init(sc_samples *out, const sc_encoder *e, const sc_target_scale *scale,
                          const sc_dataset *d, const uint32_t *row, size_t n)
{
    sc_samples s = {.n = n, .reals = sc_encoder_reals(e), .codes = sc_encoder_codes(e)};
    size_t *column = sc_calloc(sc_encoder_features(e), sizeof *column);
    sc_status st = column ? sc_encoder_match(column, e, d) : SC_ENOMEM;
    if (st != SC_OK)
        goto done;
    s.real = sc_calloc(n, s.reals * sizeof *s.real);
    s.code = sc_calloc(n, s.codes * sizeof *s.code);
    s.y = sc_calloc(n, sizeof *s.y);
    s.feasible = sc_calloc(n, sizeof *s.feasible);
    s.group = sc_calloc(n, sizeof *s.group);
    s.flags = sc_calloc(n, sizeof *s.flags);
    if (!s.real || !s.code || !s.y || !s.feasible || !s.group || !s.flags) {
        st = SC_ENOMEM;
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        s.flags[i] = (uint8_t)sc_encoder_row(s.real + i * s.reals, s.code + i * s.codes, e, d,
                                             column, row[i]);
        s.feasible[i] = sc_dataset_feasible(d, row[i]);
        s.group[i] = sc_dataset_group(d, row[i]);
        s.y[i] = scale && has_target(d, row[i], scale->target)
                     ? (sc_real)sc_target_scaled(scale, sc_dataset_target(d, row[i], scale->target))
                     : (sc_real)NAN;
    }
    *out = s;
    s = (sc_samples){0};
done:
    sc_samples_clear(&s);
    sc_free(column);
    return st;
}

void sc_samples_gather(sc_real *real, uint32_t *code, const sc_samples *s, const uint32_t *item,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(real + i * s->reals, s->real + item[i] * s->reals, s->reals * sizeof *real);
        memcpy(code + i * s->codes, s->code + item[i] * s->codes, s->codes * sizeof *code);
    }
}
