#include "store/params.h"

#include <string.h>

#include "core/text.h"

static sc_status malformed(const char *text)
{
    char shown[SC_SHOWN_LEN];
    return sc_fail(SC_EINVAL, "no assignment `name=value` at '%s'", sc_text_show(shown, text));
}

/* Length of a quoted value with both quotes; 0 if it does not end. */
static size_t quoted_length(const char *text)
{
    for (const char *p = text + 1; *p; p++) {
        if (*p != '\'')
            continue;
        if (p[1] != '\'')
            return (size_t)(p + 1 - text);
        p++;
    }
    return 0;
}

sc_status sc_param__next(sc_param *out, const char **text)
{
    const char *name = *text;
    const size_t name_length = strcspn(name, "=,'");
    if (name_length == 0 || name[name_length] != '=')
        return malformed(name);
    const char *value = name + name_length + 1;
    const bool quoted = *value == '\'';
    const size_t length = quoted ? quoted_length(value) : strcspn(value, ",'");
    const char *end = value + length;
    if (length == 0 || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0'))
        return malformed(name);
    *out = (sc_param){name, value, name_length, length, quoted};
    *text = *end == ',' ? end + 1 : end;
    return SC_OK;
}

bool sc_param__is(const sc_param *p, const char *name)
{
    return strlen(name) == p->name_length && memcmp(name, p->name, p->name_length) == 0;
}

void sc_param__value(const sc_param *p, sc_buf *b)
{
    if (!p->quoted) {
        sc_buf_append(b, p->value, p->value_length);
        return;
    }
    for (size_t i = 1; i + 1 < p->value_length; i++) {
        sc_buf_append(b, p->value + i, 1);
        if (p->value[i] == '\'')
            i++; /* the second of a pair */
    }
}

sc_status sc_params__check(const char *text, const char *const *names, size_t n)
{
    size_t next = 0;
    sc_param p;
    sc_status st;

    while (*text) {
        if ((st = sc_param__next(&p, &text)) != SC_OK)
            return st;
        while (next < n && !sc_param__is(&p, names[next]))
            next++;
        if (next == n)
            return sc_fail(SC_EINVAL,
                           "parameter '%.*s' is not one of the study's, or stands out of order",
                           (int)(p.name_length < 64 ? p.name_length : 64), p.name);
        next++;
    }
    return SC_OK;
}
