#include "model/arch/design_values.h"

#include <string.h>

#include "core/buf.h"
#include "core/text.h"
#include "model/arch/param.h"

/* Index of the parameter of a name, or an error that suggests one. */
static sc_status find_name(size_t *at, const sc_template *t, const char *name)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    sc_near near;
    sc_near_begin(&near, name);
    for (size_t i = 0; i < t->scope.n_params; i++) {
        if (strcmp(name, t->scope.param[i].name) == 0) {
            *at = i;
            return SC_OK;
        }
        sc_near_offer(&near, t->scope.param[i].name);
    }
    return sc_fail(SC_EINVAL, "%s has no parameter '%s'%s", t->name, sc_text_show(shown, name),
                   sc_did_you_mean(hint, near.best));
}

static sc_status assign(uint32_t *index, uint64_t *seen, const sc_template *t, const char *name,
                        const char *value)
{
    size_t at = 0;
    sc_status st = find_name(&at, t, name);
    if (st != SC_OK)
        return st;
    if (*seen >> at & 1)
        return sc_fail(SC_EINVAL, "%s is given twice", name);
    *seen |= UINT64_C(1) << at;
    return sc_param__find(&index[at], &t->scope.param[at], value);
}

static char *trim(char *text)
{
    while (*text == ' ')
        text++;
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    return text;
}

/* One `name=value`; the text is cut up. */
static sc_status assign_text(uint32_t *index, uint64_t *seen, const sc_template *t, char *text)
{
    char shown[SC_SHOWN_LEN];
    char *equals = strchr(text, '=');
    if (!equals)
        return sc_fail(SC_EINVAL, "'%s' is no assignment: write name=value",
                       sc_text_show(shown, text));
    *equals = '\0';
    return assign(index, seen, t, trim(text), trim(equals + 1));
}

sc_status sc_design__assign(uint32_t *index, const sc_template *t, const char *assignments)
{
    sc_status st = SC_OK;
    sc_buf errors;
    uint64_t seen = 0;
    sc_buf_init(&errors);
    char *text = sc_strdup(assignments);
    if (!text)
        return SC_ENOMEM;
    for (char *at = text, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (assign_text(index, &seen, t, at) == SC_OK)
            continue;
        sc_buf_puts(&errors, errors.length ? "\n" : "");
        sc_buf_puts(&errors, sc_error_message());
    }
    st = errors.status;
    if (st == SC_OK && errors.length)
        st = sc_fail(SC_EINVAL, "%s", errors.text);
    sc_buf_clear(&errors);
    sc_free(text);
    return st;
}

void sc_design__assign_map(uint32_t *index, const sc_template *t, const sc_node *values)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < sc_node_count(values); i++) {
        const sc_node *value = sc_node_item(values, i), *key = sc_node_key_node(values, i);
        size_t at = 0;
        if (find_name(&at, t, sc_node_text(key)) != SC_OK)
            sc_node_error(key, "%s", sc_error_message());
        else if (sc_node_kind_of(value) != SC_NODE_SCALAR)
            sc_node_error(value, "a value is a number or a name");
        else if (assign(index, &seen, t, sc_node_text(key), sc_node_text(value)) != SC_OK)
            sc_node_error(value, "%s", sc_error_message());
    }
}

static void put_value(sc_buf *b, const sc_template *t, const uint32_t *index, size_t i)
{
    const sc_param *p = &t->scope.param[i];
    sc_buf_puts(b, p->name);
    sc_buf_puts(b, "=");
    sc_param__text(b, p, index[i]);
}

sc_status sc_design__spec(char **out, const sc_template *t, const uint32_t *index)
{
    sc_buf b;
    char separator = ':';
    sc_buf_init(&b);
    sc_buf_puts(&b, t->spec);
    for (size_t i = 0; i < t->scope.n_params; i++) {
        if (!sc_template_active(t, i, index))
            continue;
        sc_buf_append(&b, &separator, 1);
        put_value(&b, t, index, i);
        separator = ',';
    }
    return sc_buf_take(&b, out);
}

sc_status sc_design__fingerprint(sc_hash128 *out, const sc_template *t, const uint32_t *index)
{
    char hash[SC_HASH_HEX];
    sc_buf b;
    sc_buf_init(&b);
    sc_hash_hex(t->hash, hash);
    sc_buf_puts(&b, hash);
    for (size_t i = 0; i < t->scope.n_params; i++) {
        sc_buf_puts(&b, ",");
        put_value(&b, t, index, i);
    }
    const sc_status st = b.status;
    if (st == SC_OK)
        *out = sc_hash128_of(b.text, b.length);
    sc_buf_clear(&b);
    return st;
}
