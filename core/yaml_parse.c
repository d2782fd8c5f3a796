#include <string.h>
#include <yaml.h>

#include "core/file.h"
#include "core/text.h"
#include "core/yaml_tree.h"

enum {
    MAX_BYTES = 64 << 20,
    MAX_DEPTH = 64,
    MAX_NODES = 4 << 20,
    MAX_ALIASED = 1000000, /* nodes that all aliases together stand for */
    MAX_TAG_LINES = 64,    /* libyaml compares each %TAG with all others */
    POOL_BYTES = 1 << 16,
    NO_ANCHOR = -1
};

typedef struct anchor {
    const char *name;
    const sc_node *node;
    uint64_t expanded; /* nodes under it with aliases followed, itself included */
    uint32_t height;   /* sequences and maps from it down to its deepest scalar */
    bool open;         /* its node has not ended: an alias to it would be a cycle */
} anchor;

/* A sequence or map that has begun and not ended. */
typedef struct frame {
    sc_node *node;
    size_t first; /* of its children in builder.pending */
    long anchor;  /* index in builder.anchors, or NO_ANCHOR */
    uint64_t expanded;
    uint32_t height; /* greatest of its children */
} frame;

typedef struct builder {
    sc_yaml *doc;
    yaml_parser_t parser;
    const sc_node **pending; /* children of all open frames, innermost last */
    size_t n_pending, pending_capacity;
    anchor *anchors; /* by order of appearance; the newest of a name is the one in slots */
    size_t n_anchors, anchor_capacity;
    uint32_t *anchor_slots;
    size_t n_anchor_slots;
    uint64_t aliased;
    size_t nodes;
    char *pool; /* where short texts go, unpadded */
    size_t pool_left;
    size_t depth;
    frame stack[MAX_DEPTH];
} builder;

static sc_status error_at(builder *b, const yaml_mark_t *mark, const char *what)
{
    sc_yaml_error(b->doc, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1, "%s", what);
    return SC_EPARSE;
}

static sc_status grow(void **array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return SC_OK;
    const size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = sc_realloc_array(*array, wanted, size);
    if (!grown)
        return SC_ENOMEM;
    *array = grown;
    *capacity = wanted;
    return SC_OK;
}

static const char *keep_text(builder *b, const char *text, size_t n)
{
    if (n == 0)
        return "";
    if (n >= POOL_BYTES / 4)
        return sc_arena_strndup(b->doc->arena, text, n);
    if (b->pool_left < n + 1) {
        b->pool = sc_arena_calloc(b->doc->arena, POOL_BYTES, 1);
        if (!b->pool)
            return NULL;
        b->pool_left = POOL_BYTES;
    }
    char *copy = b->pool;
    memcpy(copy, text, n);
    copy[n] = '\0';
    b->pool += n + 1;
    b->pool_left -= n + 1;
    return copy;
}

static sc_status new_node(sc_node **out, builder *b, sc_node_kind kind, const yaml_event_t *event,
                          const yaml_char_t *tag)
{
    if (++b->nodes > MAX_NODES)
        return error_at(b, &event->start_mark, "too many values in one file");
    sc_node *n = sc_arena_calloc(b->doc->arena, 1, sizeof *n);
    if (!n)
        return SC_ENOMEM;
    n->doc = b->doc;
    n->kind = (uint8_t)kind;
    n->line = (uint32_t)event->start_mark.line + 1;
    n->column = (uint32_t)event->start_mark.column + 1;
    n->tag = tag ? keep_text(b, (const char *)tag, strlen((const char *)tag)) : "";
    *out = n;
    return n->tag ? SC_OK : SC_ENOMEM;
}

static const char *anchor_name_at(const void *owner, size_t i)
{
    return ((const anchor *)owner)[i].name;
}

static sc_status index_anchors(builder *b, size_t n_slots)
{
    uint32_t *slots = sc_calloc(n_slots, sizeof *slots);
    if (!slots)
        return SC_ENOMEM;
    for (size_t i = 0; i < b->n_anchors; i++)
        slots[sc_slot_of(slots, n_slots, b->anchors[i].name, anchor_name_at, b->anchors)] =
            (uint32_t)i + 1;
    sc_free(b->anchor_slots);
    b->anchor_slots = slots;
    b->n_anchor_slots = n_slots;
    return SC_OK;
}

static sc_status add_anchor(long *index, builder *b, const yaml_char_t *name, const sc_node *node,
                            bool open)
{
    sc_status st;
    *index = NO_ANCHOR;
    if (!name)
        return SC_OK;
    const char *text = (const char *)name;
    const size_t n_slots = sc_slots_for(b->n_anchors + 1);
    if ((st = grow((void **)&b->anchors, &b->anchor_capacity, b->n_anchors + 1,
                   sizeof *b->anchors)) != SC_OK ||
        (n_slots != b->n_anchor_slots && (st = index_anchors(b, n_slots)) != SC_OK))
        return st;
    anchor *a = &b->anchors[b->n_anchors];
    *a = (anchor){.name = keep_text(b, text, strlen(text)), .node = node, .expanded = 1};
    if (!a->name)
        return SC_ENOMEM;
    a->open = open;
    *index = (long)b->n_anchors++;
    b->anchor_slots[sc_slot_of(b->anchor_slots, n_slots, a->name, anchor_name_at, b->anchors)] =
        (uint32_t)b->n_anchors;
    return SC_OK;
}

/* A key is text: that is what readers look up. */
static sc_status check_key(builder *b, const sc_node *key, const yaml_mark_t *mark)
{
    if (key->kind != SC_NODE_SCALAR)
        return error_at(b, mark, "a key must be text, not a map or a sequence");
    if (key->plain && key->text[0] == '\0')
        return error_at(b, mark, "a key is missing here");
    return SC_OK;
}

/* Put a finished or beginning node where it belongs: under the innermost open frame. */
static sc_status attach(builder *b, const sc_node *node, const yaml_mark_t *mark)
{
    sc_status st;
    if (b->depth == 0) {
        b->doc->root = node;
        return SC_OK;
    }
    const frame *f = &b->stack[b->depth - 1];
    const bool is_key = f->node->kind == SC_NODE_MAP && (b->n_pending - f->first) % 2 == 0;
    if ((is_key && (st = check_key(b, node, mark)) != SC_OK) ||
        (st = grow((void **)&b->pending, &b->pending_capacity, b->n_pending + 1,
                   sizeof(sc_node *))) != SC_OK)
        return st;
    b->pending[b->n_pending++] = node;
    return SC_OK;
}

/* Tell the enclosing frame how much a finished child holds. */
static void account(builder *b, uint32_t height, uint64_t expanded)
{
    if (b->depth == 0)
        return;
    frame *f = &b->stack[b->depth - 1];
    f->expanded += expanded;
    f->height = f->height > height ? f->height : height;
}

static size_t characters(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Where the text of a scalar begins, if every character of it stands in the source as it is: on one
 * line, and if quoted then without escapes. 0 otherwise. */
static uint32_t text_column(const yaml_event_t *event, size_t n_characters, bool plain)
{
    const yaml_mark_t *start = &event->start_mark, *end = &event->end_mark;
    if (start->line != end->line)
        return 0;
    if (plain) /* counted from the end: a tag or an anchor may stand before the text */
        return end->column >= n_characters ? (uint32_t)(end->column - n_characters) + 1 : 0;
    return end->column - start->column == n_characters + 2 ? (uint32_t)start->column + 2 : 0;
}

static sc_status on_scalar(builder *b, const yaml_event_t *event)
{
    sc_status st;
    sc_node *n = NULL;
    long unused;
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;

    if ((st = new_node(&n, b, SC_NODE_SCALAR, event, event->data.scalar.tag)) != SC_OK)
        return st;
    if (memchr(text, '\0', length)) /* only an escape can bring it in */
        return error_at(b, &event->start_mark, "a NUL character in a text");
    n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    n->text_column = text_column(event, characters(text, length), n->plain);
    if (!(n->text = keep_text(b, text, length)))
        return SC_ENOMEM;
    if ((st = add_anchor(&unused, b, event->data.scalar.anchor, n, false)) != SC_OK ||
        (st = attach(b, n, &event->start_mark)) != SC_OK)
        return st;
    account(b, 0, 1);
    return SC_OK;
}

static sc_status on_begin(builder *b, const yaml_event_t *event, sc_node_kind kind,
                          const yaml_char_t *anchor_name, const yaml_char_t *tag)
{
    sc_status st;
    sc_node *n = NULL;
    long index = NO_ANCHOR;

    if (b->depth == MAX_DEPTH)
        return error_at(b, &event->start_mark, "nested more than 64 deep");
    if ((st = new_node(&n, b, kind, event, tag)) != SC_OK ||
        (st = add_anchor(&index, b, anchor_name, n, true)) != SC_OK ||
        (st = attach(b, n, &event->start_mark)) != SC_OK)
        return st;
    b->stack[b->depth++] =
        (frame){.node = n, .first = b->n_pending, .anchor = index, .expanded = 1};
    return SC_OK;
}

static void duplicate_key(builder *b, const sc_node *again, const sc_node *first)
{
    char shown[SC_SHOWN_LEN];
    sc_yaml_error(b->doc, again->line, again->column,
                  "duplicate key '%s' (first at line %u, column %u)",
                  sc_text_show(shown, again->text), first->line, first->column);
}

static void find_duplicates_small(builder *b, const sc_node *map)
{
    for (size_t i = 1; i < map->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(sc_node_key(map, i), sc_node_key(map, j)) == 0) {
                duplicate_key(b, map->items[2 * i], map->items[2 * j]);
                break;
            }
}

/* The index of a large map; what it finds twice while being filled is a duplicate. */
static sc_status index_map(builder *b, sc_node *map)
{
    const size_t n_slots = sc_slots_for(map->count);
    uint32_t *slots = sc_arena_calloc(b->doc->arena, n_slots, sizeof *slots);
    if (!slots)
        return SC_ENOMEM;
    for (size_t i = 0; i < map->count; i++) {
        const size_t slot = sc_slot_of(slots, n_slots, sc_node_key(map, i), sc_map_key_at, map);
        if (slots[slot])
            duplicate_key(b, map->items[2 * i], map->items[2 * (slots[slot] - 1)]);
        else
            slots[slot] = (uint32_t)i + 1;
    }
    map->slots = slots;
    return SC_OK;
}

/* Duplicates are told of the keys as written; then those that << brings in are added. */
static sc_status finish_map(builder *b, sc_node *map)
{
    sc_status st = SC_OK;
    const sc_node *const *written = map->items;
    if (map->count <= SC_SMALL_MAP)
        find_duplicates_small(b, map);
    else
        st = index_map(b, map);
    if (st != SC_OK || (st = sc_yaml_merge(map)) != SC_OK || map->items == written)
        return st;
    map->slots = NULL;
    return map->count > SC_SMALL_MAP ? index_map(b, map) : SC_OK;
}

static sc_status on_end(builder *b)
{
    sc_status st = SC_OK;
    const frame f = b->stack[--b->depth];
    const size_t n = b->n_pending - f.first;
    const sc_node **items = sc_arena_calloc(b->doc->arena, n, sizeof(sc_node *));
    if (!items)
        return SC_ENOMEM;
    if (n > 0)
        memcpy(items, b->pending + f.first, n * sizeof(sc_node *));
    b->n_pending = f.first;
    f.node->items = items;
    f.node->count = (uint32_t)(f.node->kind == SC_NODE_MAP ? n / 2 : n);
    if (f.node->kind == SC_NODE_MAP)
        st = finish_map(b, f.node);
    if (f.anchor != NO_ANCHOR) {
        anchor *a = &b->anchors[f.anchor];
        a->open = false;
        a->height = f.height + 1;
        a->expanded = f.expanded;
    }
    account(b, f.height + 1, f.expanded);
    return st;
}

/* An alias is the anchored node itself, by reference; what it would cost to walk it is counted, so
 * that no reader meets a tree larger or deeper than the caps. */
static sc_status on_alias(builder *b, const yaml_event_t *event)
{
    char shown[SC_SHOWN_LEN];
    const char *name = (const char *)event->data.alias.anchor;
    const yaml_mark_t *mark = &event->start_mark;
    const uint32_t line = (uint32_t)mark->line + 1, column = (uint32_t)mark->column + 1;
    const uint32_t found = b->n_anchors == 0
                               ? 0
                               : b->anchor_slots[sc_slot_of(b->anchor_slots, b->n_anchor_slots,
                                                            name, anchor_name_at, b->anchors)];
    (void)sc_text_show(shown, name);
    if (!found) {
        sc_yaml_error(b->doc, line, column, "no anchor '&%s' stands before this alias", shown);
        return SC_EPARSE;
    }
    const anchor *a = &b->anchors[found - 1];
    if (a->open) {
        sc_yaml_error(b->doc, line, column, "the alias '*%s' stands inside what it refers to",
                      shown);
        return SC_EPARSE;
    }
    b->aliased += a->expanded;
    if (b->aliased > MAX_ALIASED) {
        sc_yaml_error(b->doc, line, column, "alias bomb: aliases stand for more than %d values",
                      MAX_ALIASED);
        return SC_EPARSE;
    }
    if (b->depth + a->height > MAX_DEPTH)
        return error_at(b, mark, "nested more than 64 deep through this alias");
    const sc_status st = attach(b, a->node, mark);
    if (st == SC_OK)
        account(b, a->height, a->expanded);
    return st;
}

/* Byte of the index-th character, n if there are fewer. */
static size_t byte_of_character(const char *text, size_t n, size_t index)
{
    size_t i = 0;
    for (; i < n && index > 0; index--)
        i += sc_utf8_span(text + i, n - i);
    return i < n ? i : n;
}

/* What libyaml found wrong, with the place it gives, in our words where its own mislead. */
static sc_status syntax_error(builder *b, const char *text, size_t n)
{
    const yaml_parser_t *p = &b->parser;
    const yaml_mark_t *at = &p->problem_mark;
    if (p->error == YAML_MEMORY_ERROR)
        return sc_fail(SC_ENOMEM, "no memory to parse %s", b->doc->name);
    if (p->error == YAML_READER_ERROR) { /* knows bytes, not lines */
        const sc_place place = sc_text_place(text, p->problem_offset < n ? p->problem_offset : n);
        sc_yaml_error(b->doc, (uint32_t)place.line, (uint32_t)place.column, "%s", p->problem);
        return SC_EPARSE;
    }
    const size_t byte = byte_of_character(text, n, at->index);
    if (p->error == YAML_SCANNER_ERROR && byte < n && text[byte] == '\t')
        return error_at(b, at, "a tab where YAML takes spaces only");
    if (!p->context || p->context_mark.line == at->line)
        return error_at(b, at, p->problem ? p->problem : "not YAML");
    sc_yaml_error(b->doc, (uint32_t)at->line + 1, (uint32_t)at->column + 1,
                  "%s (%s that begins at line %zu)", p->problem, p->context,
                  p->context_mark.line + 1);
    return SC_EPARSE;
}

static sc_status on_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT: return on_scalar(b, event);
    case YAML_ALIAS_EVENT: return on_alias(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_begin(b, event, SC_NODE_SEQUENCE, event->data.sequence_start.anchor,
                        event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return on_begin(b, event, SC_NODE_MAP, event->data.mapping_start.anchor,
                        event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_end(b);
    case YAML_DOCUMENT_START_EVENT:
        return b->doc->root ? error_at(b, &event->start_mark,
                                       "a second document begins here; one file holds one")
                            : SC_OK;
    case YAML_STREAM_END_EVENT:
        return b->doc->root ? SC_OK : error_at(b, &event->start_mark, "the file holds no value");
    default: return SC_OK;
    }
}

static sc_status build(builder *b, const char *text, size_t n)
{
    sc_status st = SC_OK;
    bool more = true;
    if (!yaml_parser_initialize(&b->parser))
        return sc_fail(SC_ENOMEM, "no memory to parse %s", b->doc->name);
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, n);
    while (st == SC_OK && more) {
        yaml_event_t event;
        if (!yaml_parser_parse(&b->parser, &event)) {
            st = syntax_error(b, text, n);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        st = on_event(b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&b->parser);
    sc_free(b->pending);
    sc_free(b->anchors);
    sc_free(b->anchor_slots);
    return st;
}

static size_t count_tag_lines(const char *text, size_t n)
{
    static const char word[] = "%TAG";
    const size_t length = sizeof word - 1;
    size_t count = 0;
    const char *end = text + n;
    for (const char *at = text; (at = memchr(at, '%', (size_t)(end - at))); at++)
        count += (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
    return count;
}

/* What can be told before libyaml sees the text. */
static sc_status check_text(sc_yaml *y, const char *text, size_t n)
{
    if (n > MAX_BYTES) {
        sc_yaml_error(y, 1, 1, "over the limit of %d MiB", MAX_BYTES >> 20);
        return SC_EPARSE;
    }
    if (n == 0) {
        sc_yaml_error(y, 1, 1, "the file is empty");
        return SC_EPARSE;
    }
    const size_t bad = sc_text_bad_byte(text, n);
    if (bad < n) {
        const sc_place p = sc_text_place(text, bad);
        sc_yaml_error(y, (uint32_t)p.line, (uint32_t)p.column, "%s",
                      text[bad] ? "not UTF-8 text" : "a NUL byte: this is no text file");
        return SC_EPARSE;
    }
    if (count_tag_lines(text, n) > MAX_TAG_LINES) {
        sc_yaml_error(y, 1, 1, "more than %d %%TAG directives", MAX_TAG_LINES);
        return SC_EPARSE;
    }
    return SC_OK;
}

static sc_status create(sc_yaml **out, const char *name)
{
    sc_yaml *y = sc_calloc(1, sizeof *y);
    if (!y)
        return SC_ENOMEM;
    sc_buf_init(&y->errors);
    sc_buf_init(&y->warnings);
    if (!(y->name = sc_strdup(name)) || sc_arena_create(&y->arena, 0) != SC_OK) {
        sc_yaml_close(y);
        return SC_ENOMEM;
    }
    *out = y;
    return SC_OK;
}

sc_status sc_yaml_parse(sc_yaml **out, const char *name, const char *text, size_t n)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* that UTF-8 follows; some editors write it */
    sc_status st = SC_OK;
    sc_yaml *y = NULL;

    if ((st = create(&y, name)) != SC_OK)
        goto done;
    const size_t skip = n >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    builder b = {.doc = y};
    if ((st = check_text(y, text + skip, n - skip)) == SC_OK)
        st = build(&b, text + skip, n - skip);
    if (st == SC_OK || st == SC_EPARSE)
        st = sc_yaml_status(y);
    if (st != SC_OK)
        goto done;
    *out = y;
    y = NULL;
done:
    sc_yaml_close(y);
    return st;
}

sc_status sc_yaml_open(sc_yaml **out, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    sc_status st = sc_file_read(&text, &n, path, MAX_BYTES);
    if (st == SC_OK)
        st = sc_yaml_parse(out, path, text, n);
    sc_free(text);
    return st;
}
