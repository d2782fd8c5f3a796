#include "model/count/reference_node.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

bool sc_reference_same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
            return false;
    return *a == *b;
}

const sc_node *sc_reference_get(const sc_node *map, const char *const *names, size_t n)
{
    if (!map || sc_node_kind_of(map) != SC_NODE_MAP)
        return NULL;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < sc_node_count(map); i++)
            if (sc_reference_same(sc_node_key(map, i), names[k]))
                return sc_node_item(map, i);
    return NULL;
}

const sc_node *sc_reference_key(const sc_node *map, const char *name)
{
    return sc_reference_get(map, &name, 1);
}

static bool among(const char *key, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sc_reference_same(key, names[i]))
            return true;
    return false;
}

void sc_reference_check_keys(const sc_node *map, const sc_reference_keys *keys)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const char *key = sc_node_key(map, i);
        const sc_node *at = sc_node_key_node(map, i);
        if (among(key, keys->used, keys->n_used))
            continue;
        if (among(key, keys->idle, keys->n_idle)) {
            sc_node_warning(at, "'%s' has no effect here", sc_text_show(shown, key));
            continue;
        }
        sc_near near;
        sc_near_begin(&near, key);
        for (size_t k = 0; k < keys->n_used; k++)
            sc_near_offer(&near, keys->used[k]);
        if (keys->open && !near.best)
            sc_node_warning(at, "'%s' is not known here and has no effect",
                            sc_text_show(shown, key));
        else
            sc_node_error(at, "unknown key '%s'%s", sc_text_show(shown, key),
                          sc_did_you_mean(hint, near.best));
    }
}

/* The number at *text, which moves behind it; false if there is none or it is too large. */
static bool take_number(uint64_t *out, const char **text)
{
    uint64_t v = 0;
    const char *p = *text;
    while (isdigit((unsigned char)*p)) {
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
            return false;
        p++;
    }
    const bool any = p != *text;
    *text = p;
    *out = v;
    return any;
}

/* What stands in brackets behind a name: "0..15]" or "8]". */
static bool take_range(uint64_t *copies, const char *text)
{
    uint64_t first, last;
    if (!take_number(&first, &text))
        return false;
    if (*text == ']') {
        *copies = first;
        return text[1] == '\0' && first > 0;
    }
    if (strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (!take_number(&last, &text) || strcmp(text, "]") != 0 || last < first)
        return false;
    return !__builtin_add_overflow(last - first, 1u, copies);
}

bool sc_reference_name(char *name, size_t size, uint64_t *copies, const sc_node *n)
{
    char shown[SC_SHOWN_LEN];
    const char *text = sc_node_text(n), *bracket = strchr(text, '[');
    const size_t length = bracket ? (size_t)(bracket - text) : strlen(text);
    if (sc_node_kind_of(n) != SC_NODE_SCALAR || length == 0 || length >= size) {
        sc_node_error(n, "a name must have 1 to %zu bytes before any [range]", size - 1);
        return false;
    }
    *copies = 1;
    if (bracket && !take_range(copies, bracket + 1)) {
        sc_node_error_at(n, length, "'%s' is no range: write it as [0..15] or [1..16]",
                         sc_text_show(shown, bracket));
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

bool sc_reference_count(uint64_t *out, const sc_node *n, uint64_t least)
{
    int64_t v;
    if (!sc_node_integer(&v, n))
        return false;
    if (v < 0 || (uint64_t)v < least) {
        sc_node_error(n, "%lld, must be at least %llu", (long long)v, (unsigned long long)least);
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

int sc_reference_find(const sc_node *n, const char *what, const char (*names)[SC_NAME_LEN],
                      unsigned n_names)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    const char *text = sc_node_text(n);
    sc_near near;
    sc_near_begin(&near, text);
    for (unsigned i = 0; i < n_names; i++) {
        if (strcmp(names[i], text) == 0)
            return (int)i;
        sc_near_offer(&near, names[i]);
    }
    sc_node_error(n, "'%s' is no %s%s", sc_text_show(shown, text), what,
                  sc_did_you_mean(hint, near.best));
    return -1;
}
