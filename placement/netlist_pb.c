/** Nodes of a Circuit Training netlist: one message `node` an object, whose attributes say what it
 *  is. Fields and attributes that say nothing of placement are passed over. */
#include "placement/netlist_pb.h"

#include <string.h>

#include "core/mem.h"
#include "placement/pbtext.h"

static const char *const attr_names[SC_ATTRS] = {"width",    "height",   "x",     "y",
                                                 "x_offset", "y_offset", "weight"};

void sc_pb_nodes_clear(sc_pb_nodes *nodes)
{
    sc_free(nodes->node);
    sc_free(nodes->sink);
    *nodes = (sc_pb_nodes){0};
}

/* Room for one more entry of an array that doubles. */
static sc_status reserve(void **array, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return SC_OK;
    const size_t more = *capacity == 0 ? 256 : 2 * *capacity;
    void *grown = sc_realloc_array(*array, more, size);
    if (grown == NULL)
        return SC_ENOMEM;
    *array = grown;
    *capacity = more;
    return SC_OK;
}

static sc_status add_sink(sc_pb_nodes *nodes, sc_pb_node *node, const sc_pb *p)
{
    sc_status st =
        reserve((void **)&nodes->sink, nodes->n_sinks, &nodes->sinks_capacity, sizeof *nodes->sink);
    if (st != SC_OK)
        return st;
    nodes->sink[nodes->n_sinks++] = (sc_pb_sink){p->text, p->item_line, p->item_column};
    node->n_sinks++;
    return SC_OK;
}

/* What the value of an attribute held. */
typedef struct attr_value {
    const char *text;
    bool is_number;
    double number;
} attr_value;

/* A message `value`, just opened, up to its end. */
static sc_status read_value(attr_value *out, sc_pb *p)
{
    sc_status st = SC_OK;
    while ((st = sc_pb_next(p)) == SC_OK && p->kind != SC_PB_CLOSE) {
        if (p->kind == SC_PB_OPEN) {
            st = sc_pb_skip(p);
        } else if (strcmp(p->name, "f") == 0 || strcmp(p->name, "i") == 0) {
            out->is_number = true;
            st = sc_pb_number(&out->number, p);
        } else if (p->quoted &&
                   (strcmp(p->name, "placeholder") == 0 || strcmp(p->name, "s") == 0)) {
            out->text = p->text;
        }
        if (st != SC_OK)
            return st;
    }
    return st;
}

/* Note an attribute that placement knows. */
static sc_status take_attr(sc_pb_node *node, const char *key, const attr_value *value,
                           const sc_pb *p)
{
    const struct {
        const char *key;
        const char **to;
    } texts[] = {
        {"type", &node->type}, {"macro_name", &node->macro}, {"orientation", &node->orient}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) != 0)
            continue;
        if (value->text == NULL)
            return sc_fail(SC_EPARSE, "%s:%u:%u: error: attribute '%s' should be a placeholder",
                           p->file, p->item_line, p->item_column, key);
        *texts[i].to = value->text;
    }
    for (size_t i = 0; i < SC_ATTRS; i++) {
        if (strcmp(key, attr_names[i]) != 0)
            continue;
        if (!value->is_number)
            return sc_fail(SC_EPARSE, "%s:%u:%u: error: attribute '%s' should be a number f",
                           p->file, p->item_line, p->item_column, key);
        node->value[i] = value->number;
        node->has[i] = true;
    }
    return SC_OK;
}

/* A message `attr`, just opened, up to its end. */
static sc_status read_attr(sc_pb_node *node, sc_pb *p)
{
    sc_status st = SC_OK;
    attr_value value = {0};
    const char *key = "";

    while ((st = sc_pb_next(p)) == SC_OK && p->kind != SC_PB_CLOSE) {
        if (p->kind == SC_PB_OPEN)
            st = strcmp(p->name, "value") == 0 ? read_value(&value, p) : sc_pb_skip(p);
        else if (p->quoted && strcmp(p->name, "key") == 0)
            key = p->text;
        if (st != SC_OK)
            return st;
    }
    return st == SC_OK ? take_attr(node, key, &value, p) : st;
}

/* A message `node`, just opened, up to its end. */
static sc_status read_node(sc_pb_nodes *nodes, sc_pb_node *node, sc_pb *p)
{
    sc_status st = SC_OK;
    while ((st = sc_pb_next(p)) == SC_OK && p->kind != SC_PB_CLOSE) {
        if (p->kind == SC_PB_OPEN)
            st = strcmp(p->name, "attr") == 0 ? read_attr(node, p) : sc_pb_skip(p);
        else if (p->quoted && strcmp(p->name, "name") == 0)
            node->name = p->text;
        else if (p->quoted && strcmp(p->name, "input") == 0)
            st = add_sink(nodes, node, p);
        if (st != SC_OK)
            return st;
    }
    return st;
}

static sc_status add_node(sc_pb_nodes *nodes, sc_pb *p)
{
    sc_status st = reserve((void **)&nodes->node, nodes->n, &nodes->capacity, sizeof *nodes->node);
    if (st != SC_OK)
        return st;
    sc_pb_node *node = &nodes->node[nodes->n];
    *node = (sc_pb_node){
        .line = p->item_line, .column = p->item_column, .first_sink = (uint32_t)nodes->n_sinks};
    if ((st = read_node(nodes, node, p)) != SC_OK)
        return st;
    if (node->name == NULL)
        return sc_fail(SC_EPARSE, "%s:%u:%u: error: a node without a name", p->file, node->line,
                       node->column);
    if (strcmp(node->name, "__metadata__") != 0)
        nodes->n++; /* indices do not count it */
    return SC_OK;
}

sc_status sc_pb_nodes_read(sc_pb_nodes *out, const char *file, char *text)
{
    sc_status st = SC_OK;
    sc_pb p;

    sc_pb_begin(&p, file, text);
    while ((st = sc_pb_next(&p)) == SC_OK && p.kind != SC_PB_END) {
        if (p.kind != SC_PB_OPEN)
            continue;
        st = strcmp(p.name, "node") == 0 ? add_node(out, &p) : sc_pb_skip(&p);
        if (st != SC_OK)
            break;
    }
    if (st == SC_OK && out->n == 0)
        st =
            sc_fail(SC_EPARSE, "%s:1:1: error: no node: this is no netlist in text protobuf", file);
    return st;
}
