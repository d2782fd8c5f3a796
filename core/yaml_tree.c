#include "core/yaml_tree.h"

#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/locale.h"
#include "core/text.h"

enum { SHOWN_MESSAGES = 20, MESSAGE_BYTES = 600 };

/* What stands in for an absent node. */
static const sc_node nothing = {.tag = "", .text = "", .kind = SC_NODE_SCALAR, .plain = true};

static const sc_node *some(const sc_node *n)
{
    return n ? n : &nothing;
}

void sc_yaml_close(sc_yaml *y)
{
    if (!y)
        return;
    sc_buf_clear(&y->errors);
    sc_buf_clear(&y->warnings);
    sc_arena_destroy(y->arena);
    sc_free(y->name);
    sc_free(y);
}

const sc_node *sc_yaml_root(const sc_yaml *y)
{
    return y->root;
}

const char *sc_yaml_name(const sc_yaml *y)
{
    return y->name;
}

sc_node_kind sc_node_kind_of(const sc_node *n)
{
    return (sc_node_kind)some(n)->kind;
}

int sc_node_line(const sc_node *n)
{
    return (int)some(n)->line;
}

int sc_node_column(const sc_node *n)
{
    return (int)some(n)->column;
}

const char *sc_node_tag(const sc_node *n)
{
    return some(n)->tag;
}

const char *sc_node_text(const sc_node *n)
{
    return some(n)->kind == SC_NODE_SCALAR ? some(n)->text : "";
}

size_t sc_node_count(const sc_node *n)
{
    return some(n)->kind == SC_NODE_SCALAR ? 0 : n->count;
}

const sc_node *sc_node_item(const sc_node *n, size_t i)
{
    if (i >= sc_node_count(n))
        return NULL;
    return n->kind == SC_NODE_MAP ? n->items[2 * i + 1] : n->items[i];
}

const sc_node *sc_node_key_node(const sc_node *map, size_t i)
{
    const bool is_key = sc_node_kind_of(map) == SC_NODE_MAP && i < map->count;
    return is_key ? map->items[2 * i] : NULL;
}

const char *sc_node_key(const sc_node *map, size_t i)
{
    return sc_node_text(sc_node_key_node(map, i));
}

const char *sc_map_key_at(const void *map, size_t i)
{
    return sc_node_key(map, i);
}

bool sc_node_is_null(const sc_node *n)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (sc_node_kind_of(n) != SC_NODE_SCALAR || !some(n)->plain)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(sc_node_text(n), words[i]) == 0)
            return true;
    return false;
}

size_t sc_slots_for(size_t names)
{
    size_t slots = 2 * SC_SMALL_MAP;
    while (slots < 2 * names)
        slots *= 2;
    return slots;
}

size_t sc_slot_of(const uint32_t *slots, size_t n_slots, const char *name, sc_name_at at,
                  const void *owner)
{
    size_t slot = (size_t)sc_hash64_of(name, strlen(name)) & (n_slots - 1);
    while (slots[slot] && strcmp(at(owner, slots[slot] - 1), name) != 0)
        slot = (slot + 1) & (n_slots - 1);
    return slot;
}

const sc_node *sc_node_get(const sc_node *map, const char *key)
{
    if (sc_node_kind_of(map) != SC_NODE_MAP)
        return NULL;
    if (map->slots) {
        const size_t n_slots = sc_slots_for(map->count);
        const uint32_t found = map->slots[sc_slot_of(map->slots, n_slots, key, sc_map_key_at, map)];
        return found ? sc_node_item(map, found - 1) : NULL;
    }
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(sc_node_key(map, i), key) == 0)
            return sc_node_item(map, i);
    return NULL;
}

bool sc_yaml_is_full(const sc_yaml *y)
{
    return y->n_errors >= SHOWN_MESSAGES;
}

/* An aliased node is read once for every alias, and says the same each time. */
static bool already_there(const sc_buf *lines, const char *line)
{
    const size_t n = strlen(line);
    for (const char *at = lines->text; at && (at = strstr(at, line)); at += n)
        if (at == lines->text || at[-1] == '\n')
            return true;
    return false;
}

/* Add `name:line:column: what: message` to the lines. */
SC_PRINTF(6, 0)
static void record(sc_yaml *y, bool is_error, uint32_t line, uint32_t column, const char *what,
                   const char *fmt, va_list ap)
{
    char message[MESSAGE_BYTES];
    sc_buf *lines = is_error ? &y->errors : &y->warnings;
    size_t *count = is_error ? &y->n_errors : &y->n_warnings;
    if (*count >= SHOWN_MESSAGES) {
        (*count)++;
        return;
    }
    const sc_locale locale = sc_locale_enter_c();
    (void)vsnprintf(message, sizeof message, fmt, ap);
    sc_locale_leave(locale);
    sc_text_defuse(message, "");
    sc_buf one;
    sc_buf_init(&one);
    sc_buf_printf(&one, "%s:%u:%u: %s: %s\n", y->name, line, column, what, message);
    if (one.status != SC_OK) {
        y->failed = one.status;
    } else if (!already_there(lines, one.text)) {
        sc_buf_append(lines, one.text, one.length);
        (*count)++;
    }
    sc_buf_clear(&one);
}

void sc_yaml_error(sc_yaml *y, uint32_t line, uint32_t column, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    record(y, true, line, column, "error", fmt, ap);
    va_end(ap);
}

void sc_node_error(const sc_node *at, const char *fmt, ...)
{
    if (!at)
        return;
    va_list ap;
    va_start(ap, fmt);
    record(at->doc, true, at->line, at->column, "error", fmt, ap);
    va_end(ap);
}

void sc_node_error_at(const sc_node *at, size_t offset, const char *fmt, ...)
{
    if (!at)
        return;
    uint32_t column = at->column;
    if (at->kind == SC_NODE_SCALAR && at->text_column > 0) {
        const size_t n = strlen(at->text);
        const sc_place p = sc_text_place(at->text, offset < n ? offset : n);
        column = at->text_column + (uint32_t)p.column - 1;
    }
    va_list ap;
    va_start(ap, fmt);
    record(at->doc, true, at->line, column, "error", fmt, ap);
    va_end(ap);
}

void sc_node_warning(const sc_node *at, const char *fmt, ...)
{
    if (!at)
        return;
    va_list ap;
    va_start(ap, fmt);
    record(at->doc, false, at->line, at->column, "warning", fmt, ap);
    va_end(ap);
}

void sc_node_fail(const sc_node *at, sc_status s)
{
    if (at && at->doc->failed == SC_OK)
        at->doc->failed = s;
}

sc_status sc_yaml_status(const sc_yaml *y)
{
    const sc_status failed = y->failed != SC_OK ? y->failed : y->errors.status;
    if (failed != SC_OK)
        return sc_fail(failed, "%s: error: %s", y->name, sc_status_name(failed));
    if (y->n_errors == 0)
        return SC_OK;
    if (y->n_errors > SHOWN_MESSAGES)
        return sc_fail(SC_EPARSE, "%s%s: error: %zu more errors", y->errors.text, y->name,
                       y->n_errors - SHOWN_MESSAGES);
    return sc_fail(SC_EPARSE, "%.*s", (int)(y->errors.length - 1), y->errors.text);
}

const char *sc_yaml_warnings(const sc_yaml *y)
{
    return y->warnings.text ? y->warnings.text : "";
}
