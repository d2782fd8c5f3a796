/** Placements as chip flows read them: Tcl of OpenROAD and of Innovus, and Bookshelf's .pl. */
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "core/number.h"
#include "placement/placement.h"
#include "scantle/text.h"

/* As OpenROAD and Innovus name what LEF/DEF names N, FN and so on. */
static const char *const openroad_names[SC_ORIENTS] = {"R0",   "MY",    "R180", "MX",
                                                       "R270", "MYR90", "R90",  "MXR90"};
static const char *const innovus_names[SC_ORIENTS] = {"R0",   "MY",   "R180", "MX",
                                                      "R270", "MY90", "R90",  "MX90"};

/* A name as one word of Tcl: braces take all but braces and backslashes as they stand. */
static void put_word(sc_buf *b, const char *name)
{
    if (name[0] != '\0' && strpbrk(name, "{}\\") == NULL) {
        sc_buf_printf(b, "{%s}", name);
        return;
    }
    for (const char *c = name; *c != '\0'; c++) {
        if (strchr("{}[]\\$\"; #", *c) != NULL)
            sc_buf_puts(b, "\\");
        sc_buf_append(b, c, 1);
    }
}

static void put_number(sc_buf *b, double value)
{
    char text[32];
    sc_double_text(text, sizeof text, value);
    sc_buf_puts(b, text);
}

/* The lower left corner of the box that a block takes as it is turned. */
static void put_corner(sc_buf *b, const sc_block *k, const sc_spot *s)
{
    const bool turned = sc_orient_is_turned(s->orient);
    put_number(b, s->x_um - 0.5 * (turned ? k->height_um : k->width_um));
    sc_buf_puts(b, " ");
    put_number(b, s->y_um - 0.5 * (turned ? k->width_um : k->height_um));
}

static void put_block(sc_buf *b, const sc_block *k, const sc_spot *s, sc_flow_format format)
{
    switch (format) {
    case SC_FLOW_OPENROAD:
        sc_buf_puts(b, "place_macro -macro_name ");
        put_word(b, k->name);
        sc_buf_puts(b, " -location {");
        put_corner(b, k, s);
        sc_buf_printf(b, "} -orientation %s -exact\n", openroad_names[s->orient]);
        break;
    case SC_FLOW_INNOVUS:
        sc_buf_puts(b, "placeInstance ");
        put_word(b, k->name);
        sc_buf_puts(b, " ");
        put_corner(b, k, s);
        sc_buf_printf(b, " %s -fixed\n", innovus_names[s->orient]);
        break;
    case SC_FLOW_BOOKSHELF:
        sc_buf_printf(b, "%s ", k->name);
        put_corner(b, k, s);
        sc_buf_printf(b, " : %s%s\n", sc_orient_names[s->orient], s->fixed ? " /FIXED" : "");
        break;
    }
}

/* Whether the format can hold a name: none has a form for line ends, Bookshelf none for blanks and
 * for what it takes as a comment or a separator. */
static sc_status check_name(const sc_block *k, sc_flow_format format)
{
    const bool bookshelf = format == SC_FLOW_BOOKSHELF;
    bool ok = k->name[0] != '\0';
    for (const char *c = k->name; *c != '\0'; c++)
        ok = ok && (unsigned char)*c >= ' ' && !(bookshelf && strchr(" :#", *c) != NULL);
    return ok ? SC_OK
              : sc_fail(SC_EINVAL, "'%s' is no name that %s can hold; rename node %u", k->name,
                        bookshelf ? "a Bookshelf file" : "a Tcl file", k->node);
}

sc_status sc_placement_write_flow(const sc_placement *placement, const sc_netlist *netlist,
                                  sc_flow_format format, const char *path)
{
    const bool all = format == SC_FLOW_BOOKSHELF;
    sc_status st = SC_OK;
    sc_buf b;
    char *text = NULL;

    if (placement->n_blocks != netlist->n_blocks)
        return sc_fail(SC_EINVAL, "a placement of %zu blocks for a netlist of %zu",
                       placement->n_blocks, netlist->n_blocks);
    sc_buf_init(&b);
    sc_buf_puts(&b, all ? "UCLA pl 1.0\n\n" : "# Hard macros, lower left corners in um\n");
    for (size_t i = 0; i < netlist->n_blocks && st == SC_OK; i++) {
        const sc_block *k = &netlist->block[i];
        if (!all && k->kind != SC_BLOCK_HARD)
            continue;
        if ((st = check_name(k, format)) == SC_OK)
            put_block(&b, k, &placement->spot[i], format);
    }
    const size_t n = b.length;
    if (st == SC_OK && (st = sc_buf_take(&b, &text)) == SC_OK)
        st = sc_file_write(path, text, n);
    sc_buf_clear(&b);
    sc_free(text);
    return st;
}
