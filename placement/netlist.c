/** Joins nodes to a netlist: names to numbers, pins to blocks, sinks to nets. */
#include "placement/netlist.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/intern.h"
#include "core/mem.h"
#include "placement/netlist_pb.h"

enum { MOST_BYTES = 1 << 30, MOST_NODES = 1 << 28 };

const char *const sc_block_kind_names[SC_BLOCK_KINDS] = {"port", "hard macro", "soft macro",
                                                         "standard cell"};

/* What the types of nodes stand for; those of pins have no kind. */
static const struct {
    const char *type;
    bool pin;
    sc_block_kind kind;
} types[] = {{"PORT", false, SC_BLOCK_PORT},
             {"port", false, SC_BLOCK_PORT},
             {"MACRO", false, SC_BLOCK_HARD},
             {"macro", false, SC_BLOCK_SOFT},
             {"STDCELL", false, SC_BLOCK_CELL},
             {"stdcell", false, SC_BLOCK_CELL},
             {"MACRO_PIN", true, 0},
             {"macro_pin", true, 0}};
enum { TYPES = sizeof types / sizeof *types };

/* Everything the joining needs to look at. */
typedef struct joining {
    sc_netlist *list;
    const sc_pb_nodes *nodes;
    sc_faults *faults;
    sc_intern names;    /* of nodes */
    uint32_t *named;    /* [n_nodes] the first node of each name, by the name's number */
    uint32_t *node_pin; /* [n_nodes] the pin that stands for a node, SC_NO_BLOCK while none does */
    uint8_t *type;      /* [n_nodes] index among types, TYPES if unknown */
} joining;

static void fault(const joining *j, const sc_pb_node *node, const char *what)
{
    sc_faults_add(j->faults, node->line, node->column, "node '%s' %s", node->name, what);
}

/* ---- kinds and names ---- */

/* Enter a node's name. Numbers are those of nodes as long as no name came twice. */
static sc_status add_name(joining *j, uint32_t i)
{
    const sc_pb_node *node = &j->nodes->node[i];
    const size_t before = j->names.n;
    uint32_t number = 0;
    const sc_status st = sc_intern_add(&number, &j->names, node->name, MOST_NODES);

    if (st == SC_ERANGE)
        return sc_fail(st, "%s: more than %d nodes", j->list->name, MOST_NODES);
    if (st == SC_OK && j->names.n == before)
        sc_faults_add(j->faults, node->line, node->column,
                      "a second node '%s'; the first is in line %u", node->name,
                      j->nodes->node[j->named[number]].line);
    else if (st == SC_OK)
        j->named[number] = i;
    return st;
}

static void find_type(joining *j, uint32_t i)
{
    const sc_pb_node *node = &j->nodes->node[i];
    uint8_t t = 0;

    while (t < TYPES && (node->type == NULL || strcmp(node->type, types[t].type) != 0))
        t++;
    j->type[i] = t;
    if (t == TYPES && node->type == NULL)
        fault(j, node, "has no attribute 'type'");
    else if (t == TYPES)
        sc_faults_add(j->faults, node->line, node->column,
                      "node '%s' is of type '%s'; known are PORT, MACRO, MACRO_PIN, macro, "
                      "macro_pin and STDCELL",
                      node->name, node->type);
    else if (types[t].pin)
        j->list->n_pins++;
    else
        j->list->n_of_kind[types[t].kind]++;
}

/* ---- blocks ---- */

static void read_size(const joining *j, sc_block *block, const sc_pb_node *node)
{
    block->width_um = node->value[SC_ATTR_WIDTH];
    block->height_um = node->value[SC_ATTR_HEIGHT];
    if (block->kind == SC_BLOCK_PORT)
        block->width_um = block->height_um = 0;
    else if (!node->has[SC_ATTR_WIDTH] || !node->has[SC_ATTR_HEIGHT])
        fault(j, node, "has no width or no height");
    else if (block->width_um <= 0 || block->height_um <= 0)
        sc_faults_add(j->faults, node->line, node->column,
                      "node '%s' is %g x %g um; both should be positive", node->name,
                      block->width_um, block->height_um);
}

static void add_block(joining *j, size_t i)
{
    sc_netlist *list = j->list;
    const sc_pb_node *node = &j->nodes->node[i];
    sc_block *block = &list->block[list->n_blocks];

    *block = (sc_block){.name = node->name,
                        .kind = types[j->type[i]].kind,
                        .node = (uint32_t)i,
                        .has_spot = node->has[SC_ATTR_X] && node->has[SC_ATTR_Y],
                        .spot = {.x_um = node->value[SC_ATTR_X], .y_um = node->value[SC_ATTR_Y]}};
    block->spot.fixed = block->kind == SC_BLOCK_PORT;
    read_size(j, block, node);
    if (node->orient != NULL && strcmp(node->orient, "") != 0 && strcmp(node->orient, "-") != 0 &&
        !sc_orient_of_name(&block->spot.orient, node->orient))
        sc_faults_add(j->faults, node->line, node->column,
                      "node '%s' has orientation '%s'; known are N S W E FN FS FW FE", node->name,
                      node->orient);
    list->node_block[i] = (uint32_t)list->n_blocks++;
}

/* ---- pins ---- */

/* The pin in the middle of a block that nets meet without a pin of its own. */
static uint32_t centre_pin(joining *j, size_t node)
{
    if (j->node_pin[node] == SC_NO_BLOCK) {
        j->node_pin[node] = (uint32_t)j->list->n_pins;
        j->list->pin[j->list->n_pins++] = (sc_pin){.block = j->list->node_block[node]};
    }
    return j->node_pin[node];
}

static void add_pin(joining *j, size_t i)
{
    const sc_pb_node *node = &j->nodes->node[i];
    const uint32_t owner =
        node->macro != NULL ? sc_intern_find(&j->names, node->macro) : SC_NO_BLOCK;
    sc_netlist *list = j->list;

    if (node->macro == NULL) {
        fault(j, node, "is a pin without an attribute 'macro_name'");
        return;
    }
    if (owner == SC_NO_BLOCK || list->node_block[owner] == SC_NO_BLOCK) {
        sc_faults_add(j->faults, node->line, node->column, "pin '%s' is of '%s', which is no macro",
                      node->name, node->macro);
        return;
    }
    j->node_pin[i] = (uint32_t)list->n_pins;
    list->pin[list->n_pins++] = (sc_pin){.block = list->node_block[owner],
                                         .dx_um = node->value[SC_ATTR_X_OFFSET],
                                         .dy_um = node->value[SC_ATTR_Y_OFFSET]};
}

/* The pin that stands for a node in a net. */
static uint32_t pin_of(joining *j, size_t node)
{
    return j->list->node_block[node] == SC_NO_BLOCK ? j->node_pin[node] : centre_pin(j, node);
}

/* ---- nets ---- */

static double weight_of(const joining *j, const sc_pb_node *node)
{
    const double weight = node->has[SC_ATTR_WEIGHT] ? node->value[SC_ATTR_WEIGHT] : 1;
    if (weight < 0)
        fault(j, node, "has a negative weight");
    return weight;
}

/* The net that a node drives. */
static void add_net(joining *j, size_t i)
{
    const sc_pb_node *node = &j->nodes->node[i];
    sc_netlist *list = j->list;
    uint32_t at = list->net_first[list->n_nets];

    list->net_pin[at++] = pin_of(j, i);
    for (uint32_t s = 0; s < node->n_sinks; s++) {
        const sc_pb_sink *sink = &j->nodes->sink[node->first_sink + s];
        const uint32_t to = sc_intern_find(&j->names, sink->name);
        if (to == SC_NO_BLOCK)
            sc_faults_add(j->faults, sink->line, sink->column,
                          "node '%s' has an input '%s', which is no node", node->name, sink->name);
        else
            list->net_pin[at++] = pin_of(j, to);
    }
    list->net_weight[list->n_nets++] = weight_of(j, node);
    list->net_first[list->n_nets] = at;
}

/* ---- all of it ---- */

static sc_status make_arrays(joining *j)
{
    sc_netlist *list = j->list;
    size_t drivers = 0, blocks = 0;

    for (size_t i = 0; i < j->nodes->n; i++)
        drivers += j->nodes->node[i].n_sinks > 0;
    for (int k = 0; k < SC_BLOCK_KINDS; k++)
        blocks += list->n_of_kind[k];
    list->n_nodes = j->nodes->n;
    list->block = sc_calloc(blocks + 1, sizeof *list->block);
    list->node_block = sc_calloc(list->n_nodes, sizeof *list->node_block);
    list->pin = sc_calloc(list->n_nodes, sizeof *list->pin); /* one a node at the most */
    list->net_first = sc_calloc(drivers + 1, sizeof *list->net_first);
    list->net_pin = sc_calloc(drivers + j->nodes->n_sinks + 1, sizeof *list->net_pin);
    list->net_weight = sc_calloc(drivers + 1, sizeof *list->net_weight);
    if (list->block == NULL || list->node_block == NULL || list->pin == NULL ||
        list->net_first == NULL || list->net_pin == NULL || list->net_weight == NULL)
        return SC_ENOMEM;
    memset(list->node_block, 0xff, list->n_nodes * sizeof *list->node_block);
    memset(j->node_pin, 0xff, list->n_nodes * sizeof *j->node_pin);
    return SC_OK;
}

/* Blocks before pins, pins before nets: each looks up what came before. */
static sc_status join(joining *j)
{
    const size_t n = j->nodes->n;
    sc_status st = SC_OK;

    for (uint32_t i = 0; i < n && st == SC_OK; i++) {
        find_type(j, i);
        st = add_name(j, i);
    }
    if (st != SC_OK || j->faults->count > 0 || (st = make_arrays(j)) != SC_OK)
        return st;
    j->list->n_pins = 0;
    for (size_t i = 0; i < n; i++)
        if (!types[j->type[i]].pin)
            add_block(j, i);
    for (size_t i = 0; i < n; i++)
        if (types[j->type[i]].pin)
            add_pin(j, i);
    for (size_t i = 0; i < n && j->faults->count == 0; i++)
        if (j->nodes->node[i].n_sinks > 0)
            add_net(j, i);
    return SC_OK;
}

sc_status sc_netlist_join(sc_netlist *out, const sc_pb_nodes *nodes, sc_faults *faults)
{
    joining j = {.list = out, .nodes = nodes, .faults = faults};

    j.named = sc_calloc(nodes->n, sizeof *j.named);
    j.node_pin = sc_calloc(nodes->n, sizeof *j.node_pin);
    j.type = sc_calloc(nodes->n, sizeof *j.type);
    const bool ok = j.named != NULL && j.node_pin != NULL && j.type != NULL;
    const sc_status st = ok ? join(&j) : SC_ENOMEM;
    sc_free(j.type);
    sc_free(j.node_pin);
    sc_free(j.named);
    sc_intern_clear(&j.names);
    return st;
}

static sc_status read_text(sc_netlist *list)
{
    sc_pb_nodes nodes = {0};
    sc_faults faults;

    sc_faults_init(&faults, list->name);
    sc_status st = sc_pb_nodes_read(&nodes, list->name, list->text);
    if (st == SC_OK)
        st = sc_netlist_join(list, &nodes, &faults);
    if (st == SC_OK)
        st = sc_faults_status(&faults);
    sc_faults_clear(&faults);
    sc_pb_nodes_clear(&nodes);
    return st;
}

/* A netlist of a text, which is taken over in any case. */
static sc_status take_text(sc_netlist **out, const char *name, char *text, size_t length)
{
    sc_netlist *list = sc_calloc(1, sizeof *list);
    sc_status st = list != NULL ? SC_OK : SC_ENOMEM;

    if (st != SC_OK) {
        sc_free(text);
        return st;
    }
    list->text = text;
    if (strlen(text) != length)
        st = sc_fail(SC_EPARSE, "%s:1:1: error: a NUL byte: this is no text", name);
    else if ((list->name = sc_strdup(name)) == NULL)
        st = SC_ENOMEM;
    if (st == SC_OK)
        st = read_text(list);
    if (st == SC_OK) {
        *out = list;
        list = NULL;
    }
    sc_netlist_destroy(list);
    return st;
}

sc_status sc_netlist_open(sc_netlist **out, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    const sc_status st = sc_file_read(&text, &length, path, MOST_BYTES);
    return st == SC_OK ? take_text(out, path, text, length) : st;
}

sc_status sc_netlist_parse(sc_netlist **out, const char *name, const char *text, size_t n)
{
    char *copy = sc_malloc(n + 1);
    if (copy == NULL)
        return SC_ENOMEM;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return take_text(out, name, copy, n);
}

void sc_netlist_destroy(sc_netlist *list)
{
    if (list == NULL)
        return;
    sc_free(list->net_weight);
    sc_free(list->net_pin);
    sc_free(list->net_first);
    sc_free(list->pin);
    sc_free(list->node_block);
    sc_free(list->block);
    sc_free(list->name);
    sc_free(list->text);
    sc_free(list);
}
