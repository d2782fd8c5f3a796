#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>

#include "placement_make.h"

static void put_text(sc_buf *b, const char *key, const char *value)
{
    if (value != NULL)
        sc_buf_printf(b, "  attr { key: \"%s\" value { placeholder: \"%s\" } }\n", key, value);
}

static void put_number(sc_buf *b, const char *key, double value)
{
    if (!isnan(value))
        sc_buf_printf(b, "  attr { key: \"%s\" value { f: %.17g } }\n", key, value);
}

void put_node(sc_buf *b, const node_text *node)
{
    sc_buf_printf(b, "node {\n  name: \"%s\" %s\n", node->name,
                  node->sinks != NULL ? node->sinks : "");
    put_text(b, "type", node->type);
    put_text(b, "macro_name", node->macro);
    put_number(b, "width", node->width);
    put_number(b, "height", node->height);
    put_number(b, "x", node->x);
    put_number(b, "y", node->y);
    put_number(b, "x_offset", node->x_offset);
    put_number(b, "y_offset", node->y_offset);
    put_number(b, "weight", node->weight);
    sc_buf_puts(b, "}\n");
}

uint32_t pick(sc_rng *rng, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(&rng->gsl, n);
}

made make_of_texts(const char *netlist, const char *placement)
{
    made m = {0};
    char *copy = strdup(placement);

    assert_non_null(copy);
    if (sc_netlist_parse(&m.list, "n.pb.txt", netlist, strlen(netlist)) != SC_OK ||
        sc_placement_parse(&m.placement, m.list, "p.plc", copy, strlen(copy)) != SC_OK)
        fail_msg("%s", sc_error_message());
    free(copy);
    return m;
}

void made_clear(made *m)
{
    sc_placement_destroy(m->placement);
    sc_netlist_destroy(m->list);
    *m = (made){0};
}

/* Quarter-micron places from -5 to 105, so that many lie on the edges of cells and of the canvas.
 */
static double some_place(sc_rng *rng)
{
    return pick(rng, 8) == 0 ? 25.0 * pick(rng, 5) : 0.25 * pick(rng, 441) - 5;
}

/* Names of what a net may meet: p0.. for ports, and pins h0/0.. and s0/0.. of macros. */
static void random_pin(char name[32], sc_rng *rng, const made_size *size)
{
    const uint32_t macros = size->hard + size->soft, at = pick(rng, size->ports + macros);
    if (at < size->ports)
        (void)snprintf(name, 32, "p%u", at);
    else
        (void)snprintf(name, 32, "%c%u/%u", at - size->ports < size->hard ? 'h' : 's',
                       at - size->ports, pick(rng, size->pins_each));
}

static void random_sinks(char out[512], sc_rng *rng, const made_size *size)
{
    const uint32_t n = pick(rng, 3) == 0 ? 0 : 1 + pick(rng, pick(rng, 4) == 0 ? 9 : 3);
    int at = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        random_pin(name, rng, size);
        at += snprintf(out + at, 512 - (size_t)at, "input: \"%s\" ", name);
    }
}

static void put_macro(sc_buf *b, sc_rng *rng, const made_size *size, uint32_t number)
{
    const bool hard = number < size->hard;
    char name[32], pin[48], sinks[512];

    (void)snprintf(name, sizeof name, "%c%u", hard ? 'h' : 's', number);
    put_node(b, &(node_text){.name = name,
                             .type = hard ? "MACRO" : "macro",
                             .width = 0.5 * (1 + pick(rng, 60)),
                             .height = 0.5 * (1 + pick(rng, 60)),
                             .x = NODE_NONE,
                             .y = NODE_NONE,
                             .x_offset = NODE_NONE,
                             .y_offset = NODE_NONE,
                             .weight = NODE_NONE});
    for (uint32_t p = 0; p < size->pins_each; p++) {
        (void)snprintf(pin, sizeof pin, "%s/%u", name, p);
        random_sinks(sinks, rng, size);
        put_node(b, &(node_text){.name = pin,
                                 .type = hard ? "MACRO_PIN" : "macro_pin",
                                 .macro = name,
                                 .sinks = sinks,
                                 .width = NODE_NONE,
                                 .height = NODE_NONE,
                                 .x = NODE_NONE,
                                 .y = NODE_NONE,
                                 .x_offset = 0.5 * pick(rng, 20) - 5,
                                 .y_offset = 0.5 * pick(rng, 20) - 5,
                                 .weight = pick(rng, 2) == 0 ? NODE_NONE : 0.25 * pick(rng, 20)});
    }
}

static void put_spots(sc_buf *b, sc_rng *rng, const made_size *size)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < size->ports; i++)
        sc_buf_printf(b, "%u %.17g %.17g - 1\n", node++, some_place(rng), some_place(rng));
    for (uint32_t i = 0; i < size->hard + size->soft; i++, node += 1 + size->pins_each)
        sc_buf_printf(b, "%u %.17g %.17g %s 0\n", node, some_place(rng), some_place(rng),
                      sc_orient_names[pick(rng, SC_ORIENTS)]);
}

made make_random(sc_rng *rng, const made_size *size)
{
    sc_buf netlist, placement;
    char *texts[2] = {NULL, NULL}, name[32], sinks[512];

    sc_buf_init(&netlist);
    sc_buf_init(&placement);
    for (uint32_t i = 0; i < size->ports; i++) {
        (void)snprintf(name, sizeof name, "p%u", i);
        random_sinks(sinks, rng, size);
        sc_buf_printf(&netlist,
                      "node { name: \"%s\" %s attr { key: \"type\" value { placeholder: \"PORT\" } "
                      "} }\n",
                      name, sinks);
    }
    for (uint32_t i = 0; i < size->hard + size->soft; i++)
        put_macro(&netlist, rng, size, i);
    sc_buf_printf(&placement,
                  "# Columns : %u  Rows : %u\n# Width : 100  Height : 100\n"
                  "# Routes per micron, hor : 57.031  ver : 56.818\n"
                  "# Routes used by macros, hor : 39.583  ver : 30.303\n# Smoothing factor : %u\n",
                  size->columns, size->rows, size->smoothing);
    put_spots(&placement, rng, size);
    assert_int_equal(sc_buf_take(&netlist, &texts[0]), SC_OK);
    assert_int_equal(sc_buf_take(&placement, &texts[1]), SC_OK);
    const made m = make_of_texts(texts[0], texts[1]);
    sc_free(texts[0]);
    sc_free(texts[1]);
    return m;
}
