#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "core/text.h"
#include "core/yaml_tree.h"

static const char *kind_name(const sc_node *n)
{
    if (sc_node_is_null(n))
        return "nothing";
    switch (sc_node_kind_of(n)) {
    case SC_NODE_SCALAR: return "a text";
    case SC_NODE_SEQUENCE: return "a sequence";
    case SC_NODE_MAP: return "a map";
    }
    return "nothing";
}

static bool expect_scalar(const sc_node *n, const char *what)
{
    if (sc_node_kind_of(n) == SC_NODE_SCALAR && !sc_node_is_null(n))
        return true;
    sc_node_error(n, "expected %s, found %s", what, kind_name(n));
    return false;
}

/* Hand on a failure of a reader below, which knows the text but not its place. */
static bool blame(const sc_node *n, sc_status st)
{
    if (st == SC_ENOMEM)
        sc_node_fail(n, st);
    else if (st != SC_OK)
        sc_node_error(n, "%s", sc_error_message());
    return st == SC_OK;
}

bool sc_node_number(double *out, const sc_node *n, sc_unit unit)
{
    return expect_scalar(n, "a number") && blame(n, sc_quantity_parse(out, sc_node_text(n), unit));
}

bool sc_node_integer(int64_t *out, const sc_node *n)
{
    return expect_scalar(n, "a whole number") && blame(n, sc_integer_read(out, sc_node_text(n)));
}

bool sc_node_bool(bool *out, const sc_node *n)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    char shown[SC_SHOWN_LEN];
    if (!expect_scalar(n, "true or false"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(sc_node_text(n), words[i]) == 0) {
            *out = i % 2 == 1;
            return true;
        }
    }
    sc_node_error(n, "expected true or false, found '%s'", sc_text_show(shown, sc_node_text(n)));
    return false;
}

bool sc_node_choice(size_t *out, const sc_node *n, const char *const *names, size_t n_names)
{
    char shown[SC_SHOWN_LEN], suggestion[SC_SUGGEST_LEN], list[200] = "";
    if (!expect_scalar(n, "a name"))
        return false;
    const char *text = sc_node_text(n);
    for (size_t i = 0; i < n_names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    for (size_t i = 0, used = 0; i < n_names && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    sc_node_error(n, "'%s' is none of: %s%s", sc_text_show(shown, text), list,
                  sc_did_you_mean(suggestion, sc_nearest(text, names, n_names)));
    return false;
}

static bool expect_map(const sc_node *n)
{
    if (sc_node_kind_of(n) == SC_NODE_MAP)
        return true;
    sc_node_error(n, "expected a map, found %s", kind_name(n));
    return false;
}

const sc_node *sc_map_node(const sc_node *map, const char *key)
{
    const sc_node *n = sc_node_get(map, key);
    if (!n && map && expect_map(map))
        sc_node_error(map, "missing key '%s'", key);
    return n;
}

bool sc_map_number(double *out, const sc_node *map, const char *key, sc_unit unit)
{
    const sc_node *n = sc_map_node(map, key);
    return n && sc_node_number(out, n, unit);
}

/* Whether a reader with a fallback shall use it. A map that is none, or was none already, is an
 * error and not an absent key. */
static bool absent(const sc_node *map, const char *key, bool *broken)
{
    *broken = !map || !expect_map(map);
    return !*broken && !sc_node_get(map, key);
}

bool sc_map_number_or(double *out, const sc_node *map, const char *key, sc_unit unit,
                      double fallback)
{
    bool broken;
    if (absent(map, key, &broken)) {
        *out = fallback;
        return true;
    }
    return !broken && sc_node_number(out, sc_node_get(map, key), unit);
}

bool sc_map_integer(int64_t *out, const sc_node *map, const char *key)
{
    const sc_node *n = sc_map_node(map, key);
    return n && sc_node_integer(out, n);
}

bool sc_map_integer_or(int64_t *out, const sc_node *map, const char *key, int64_t fallback)
{
    bool broken;
    if (absent(map, key, &broken)) {
        *out = fallback;
        return true;
    }
    return !broken && sc_node_integer(out, sc_node_get(map, key));
}

bool sc_map_bool(bool *out, const sc_node *map, const char *key)
{
    const sc_node *n = sc_map_node(map, key);
    return n && sc_node_bool(out, n);
}

bool sc_map_bool_or(bool *out, const sc_node *map, const char *key, bool fallback)
{
    bool broken;
    if (absent(map, key, &broken)) {
        *out = fallback;
        return true;
    }
    return !broken && sc_node_bool(out, sc_node_get(map, key));
}

bool sc_map_text(const char **out, const sc_node *map, const char *key)
{
    const sc_node *n = sc_map_node(map, key);
    if (!n || !expect_scalar(n, "a text"))
        return false;
    *out = sc_node_text(n);
    return true;
}

const char *sc_map_text_or(const sc_node *map, const char *key, const char *fallback)
{
    const char *text = fallback;
    bool broken;
    if (absent(map, key, &broken) || broken || !sc_map_text(&text, map, key))
        return fallback;
    return text;
}

bool sc_map_choice(size_t *out, const sc_node *map, const char *key, const char *const *names,
                   size_t n_names)
{
    const sc_node *n = sc_map_node(map, key);
    return n && sc_node_choice(out, n, names, n_names);
}

bool sc_map_choice_or(size_t *out, const sc_node *map, const char *key, const char *const *names,
                      size_t n_names, size_t fallback)
{
    bool broken;
    if (absent(map, key, &broken)) {
        *out = fallback;
        return true;
    }
    return !broken && sc_node_choice(out, sc_node_get(map, key), names, n_names);
}

const sc_node *sc_map_sequence(const sc_node *map, const char *key)
{
    const sc_node *n = sc_map_node(map, key);
    if (!n || sc_node_kind_of(n) == SC_NODE_SEQUENCE)
        return n;
    sc_node_error(n, "'%s' must be a sequence, found %s", key, kind_name(n));
    return NULL;
}

const sc_node *sc_map_map(const sc_node *map, const char *key)
{
    const sc_node *n = sc_map_node(map, key);
    if (!n || sc_node_kind_of(n) == SC_NODE_MAP)
        return n;
    sc_node_error(n, "'%s' must be a map, found %s", key, kind_name(n));
    return NULL;
}

bool sc_map_only(const sc_node *map, const char *const *allowed, size_t n_allowed)
{
    char shown[SC_SHOWN_LEN], suggestion[SC_SUGGEST_LEN];
    bool ok = map && expect_map(map);
    const size_t n = ok ? sc_node_count(map) : 0;
    for (size_t i = 0; i < n; i++) {
        const char *key = sc_node_key(map, i);
        bool known = false;
        for (size_t k = 0; k < n_allowed && !known; k++)
            known = strcmp(key, allowed[k]) == 0;
        if (known)
            continue;
        /* a search for near names among millions of wrong ones would take minutes */
        const bool seen = !sc_yaml_is_full(map->doc);
        const char *near = seen ? sc_nearest(key, allowed, n_allowed) : NULL;
        sc_node_error(sc_node_key_node(map, i), "unknown key '%s'%s", sc_text_show(shown, key),
                      sc_did_you_mean(suggestion, near));
        ok = false;
    }
    return ok;
}

bool sc_map_version(const sc_node *root, int64_t wanted)
{
    int64_t found = 0;
    if (!sc_map_integer(&found, root, "version"))
        return false;
    if (found == wanted)
        return true;
    sc_node_error(sc_node_get(root, "version"),
                  "version %lld is not known here; this program reads version %lld",
                  (long long)found, (long long)wanted);
    return false;
}
