/* Points as text: `a=1,b=2`. */
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "core/text.h"
#include "search/space_inner.h"

static bool is_bare(const char *label)
{
    const size_t n = strspn(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789_.+-/:");
    return label[n] == '\0';
}

static void put_label(sc_buf *b, const char *label)
{
    if (is_bare(label)) {
        sc_buf_puts(b, label);
        return;
    }
    sc_buf_puts(b, "'");
    for (const char *c = label; *c; c++) {
        if (*c == '\'')
            sc_buf_puts(b, "'");
        sc_buf_append(b, c, 1);
    }
    sc_buf_puts(b, "'");
}

void sc_space_text(const sc_space *s, const uint32_t *index, sc_buf *b)
{
    double values[SC_MAX_PARAMS];
    char number[32];

    sc_space_values(s, index, values);
    for (size_t i = 0; i < s->n; i++) {
        const struct sc_axis *a = &s->axis[i];
        if (i > 0)
            sc_buf_puts(b, ",");
        sc_buf_puts(b, a->name);
        sc_buf_puts(b, "=");
        if (a->labels) {
            put_label(b, a->labels[(size_t)values[i]]);
        } else {
            sc_double_text(number, sizeof number, values[i]);
            sc_buf_puts(b, number);
        }
    }
}

static sc_status find_label(const sc_space_param *p, const char *text, uint32_t *out)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];

    for (size_t k = 0; k < p->n_values; k++) {
        if (strcmp(p->labels[k], text) == 0) {
            *out = (uint32_t)k;
            return SC_OK;
        }
    }
    return sc_fail(SC_EINVAL, "'%s' is no value of %s%s", sc_text_show(shown, text), p->name,
                   sc_did_you_mean(hint, sc_nearest(text, p->labels, p->n_values)));
}

/* The nearest values on both sides stand in the message. */
static sc_status not_a_value(const sc_space_param *p, const char *text, size_t above)
{
    char shown[SC_SHOWN_LEN], low[32] = "", high[32] = "";
    if (above > 0)
        sc_double_text(low, sizeof low, p->values[above - 1]);
    if (above < p->n_values)
        sc_double_text(high, sizeof high, p->values[above]);
    return sc_fail(SC_EINVAL, "%s is no value of %s; the nearest: %s%s%s",
                   sc_text_show(shown, text), p->name, low, *low && *high ? " and " : "", high);
}

sc_status sc_space__value_index(const sc_space_param *p, const char *text, uint32_t *out)
{
    double value = 0.0;
    size_t low = 0, high = p->n_values;

    if (p->labels)
        return find_label(p, text, out);
    const sc_status st = sc_quantity_parse(&value, text, p->unit);
    if (st != SC_OK)
        return st;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == p->n_values || p->values[low] != value)
        return not_a_value(p, text, low);
    *out = (uint32_t)low;
    return SC_OK;
}

/* ---- parsing ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Name before '='; ends blanks. @return what follows '=', NULL if there is none. */
static const char *take_name(const char *at, char *name)
{
    const char *equals = strchr(at, '=');
    if (!equals)
        return NULL;
    size_t n = (size_t)(equals - at);
    while (n > 0 && (at[n - 1] == ' ' || at[n - 1] == '\t'))
        n--;
    memcpy(name, at, n);
    name[n] = '\0';
    return equals + 1;
}

/* Value up to ',' or the end, or in quotes. @return what follows it, NULL if a quote is open or
 * something stands behind it. */
static const char *take_value(const char *at, char *value)
{
    at = skip_blanks(at);
    if (*at != '\'') {
        size_t n = strcspn(at, ",");
        const char *end = at + n;
        while (n > 0 && (at[n - 1] == ' ' || at[n - 1] == '\t'))
            n--;
        memcpy(value, at, n);
        value[n] = '\0';
        return end;
    }
    for (at++; at[0] != '\'' || at[1] == '\''; at++) {
        if (*at == '\0')
            return NULL;
        at += *at == '\'';
        *value++ = *at;
    }
    *value = '\0';
    at = skip_blanks(at + 1);
    return *at == '\0' || *at == ',' ? at : NULL;
}

sc_status sc_space__unknown_name(const sc_space *s, const char *name)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    sc_near near;

    sc_near_begin(&near, name);
    for (size_t i = 0; i < s->n; i++)
        sc_near_offer(&near, s->axis[i].name);
    return sc_fail(SC_EINVAL, "no parameter '%s'%s", sc_text_show(shown, name),
                   sc_did_you_mean(hint, near.best));
}

static sc_status set_one(const sc_space *s, const char *name, const char *value, uint32_t *index,
                         bool *given)
{
    const size_t i = sc_space_find(s, name);
    if (i == SIZE_MAX)
        return sc_space__unknown_name(s, name);
    if (given[i])
        return sc_fail(SC_EINVAL, "parameter %s is given twice", name);
    given[i] = true;
    return sc_space__value_index(&s->axis[i].view, value, &index[i]);
}

sc_status sc_space_parse(const sc_space *s, const char *text, uint32_t *index)
{
    const size_t size = strlen(text) + 1;
    sc_status st = SC_OK;
    uint32_t parsed[SC_MAX_PARAMS];
    bool given[SC_MAX_PARAMS] = {false};
    char *scratch = sc_calloc(2, size); /* a name, and a value */

    if (!scratch)
        return SC_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        parsed[i] = (uint32_t)s->axis[i].view.fallback;
    for (const char *at = skip_blanks(text); *at && st == SC_OK;) {
        const char *next = take_name(at, scratch);
        if (!next || !(next = take_value(next, scratch + size))) {
            st = sc_fail(SC_EINVAL, "a point is written name=value,name=value");
            goto done;
        }
        st = set_one(s, scratch, scratch + size, parsed, given);
        at = skip_blanks(next + (*next == ','));
    }
    if (st == SC_OK) {
        sc_space_canonical(s, parsed, NULL);
        memcpy(index, parsed, s->n * sizeof *index);
    }
done:
    sc_free(scratch);
    return st;
}
