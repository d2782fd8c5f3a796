#include "model/arch/param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

enum { VALUE_TEXT = 64 };

/* The largest binary unit that leaves a whole number: exact, and short for the sizes people use. */
static void bytes_text(char out[VALUE_TEXT], double bytes)
{
    static const char *const UNITS[] = {"", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    while (u < 4 && bytes != 0 && fmod(bytes, 1024) == 0) {
        bytes /= 1024;
        u++;
    }
    char number[32];
    sc_double_text(number, sizeof number, bytes);
    snprintf(out, VALUE_TEXT, "%s%s", number, UNITS[u]);
}

static const char *value_text(char out[VALUE_TEXT], const sc_param *p, size_t i)
{
    if (p->labels)
        (void)sc_text_copy(out, VALUE_TEXT, p->labels[i]);
    else if (p->unit == SC_UNIT_BYTES)
        bytes_text(out, p->values[i]);
    else
        sc_double_text(out, VALUE_TEXT, p->values[i]);
    return out;
}

void sc_param__text(sc_buf *out, const sc_param *p, size_t value_index)
{
    char text[VALUE_TEXT];
    sc_buf_puts(out, value_text(text, p, value_index));
}

static sc_status unknown_label(const sc_param *p, const char *text)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN], allowed[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < p->n_values && used + strlen(p->labels[i]) + 3 < sizeof allowed; i++)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", i ? ", " : "",
                                 p->labels[i]);
    return sc_fail(SC_EINVAL, "%s cannot be '%s'%s: it is one of %s", p->name,
                   sc_text_show(shown, text),
                   sc_did_you_mean(hint, sc_nearest(text, p->labels, p->n_values)), allowed);
}

/* Values ascend, so the neighbours of a number are the last below and the first above it. */
static sc_status outside(const sc_param *p, const char *text, double value)
{
    char shown[SC_SHOWN_LEN], low[VALUE_TEXT], high[VALUE_TEXT];
    size_t above = 0;
    while (above < p->n_values && p->values[above] < value)
        above++;
    (void)sc_text_show(shown, text);
    if (above == 0)
        return sc_fail(SC_EINVAL, "%s cannot be %s: the smallest value is %s", p->name, shown,
                       value_text(low, p, 0));
    if (above == p->n_values)
        return sc_fail(SC_EINVAL, "%s cannot be %s: the largest value is %s", p->name, shown,
                       value_text(high, p, p->n_values - 1));
    return sc_fail(SC_EINVAL, "%s cannot be %s: the nearest values are %s and %s", p->name, shown,
                   value_text(low, p, above - 1), value_text(high, p, above));
}

sc_status sc_param__find(uint32_t *index, const sc_param *p, const char *text)
{
    double value = 0;
    if (p->labels) {
        for (size_t i = 0; i < p->n_values; i++)
            if (strcmp(text, p->labels[i]) == 0) {
                *index = (uint32_t)i;
                return SC_OK;
            }
        return unknown_label(p, text);
    }
    if (sc_quantity_parse(&value, text, p->unit) != SC_OK) {
        char why[256];
        (void)sc_text_copy(why, sizeof why, sc_error_message());
        return sc_fail(SC_EINVAL, "%s: %s", p->name, why);
    }
    for (size_t i = 0; i < p->n_values; i++)
        if (p->values[i] == value) {
            *index = (uint32_t)i;
            return SC_OK;
        }
    return outside(p, text, value);
}
