/* A design becomes a floorplan: parts, plan, pieces, and the netlist that stands for them. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "floorplan/floorplan.h"
#include "placement/placement.h"
#include "scantle/text.h"

enum { LEAST_MACROS = 2, MOST_MACROS = 100000 };
static const double MOST_CANVAS_ASPECT = 16;

static bool is_positive(double v)
{
    return v > 0 && isfinite(v);
}

const char *sc_floorplan_options_check(const sc_floorplan_options *o)
{
    if (o->version != SC_FLOORPLAN_OPTIONS_VERSION)
        return "floorplan options: another version of the library";
    if (!(o->utilization > 0 && o->utilization <= 1))
        return "floorplan options: the utilization should be above 0 and at most 1";
    if (!(o->aspect >= 1 / MOST_CANVAS_ASPECT && o->aspect <= MOST_CANVAS_ASPECT))
        return "floorplan options: the canvas should be at most 16 times as wide as high, or as "
               "high as wide";
    if (o->macros < LEAST_MACROS || o->macros > MOST_MACROS)
        return "floorplan options: the number of macros should be 2 to 100000";
    if (o->bank_bytes == 0)
        return "floorplan options: a bank should have at least a byte";
    if (!is_positive(o->h_routes_per_um) || !is_positive(o->v_routes_per_um) ||
        !(o->h_routes_macro >= 0) || !(o->v_routes_macro >= 0) || isinf(o->h_routes_macro) ||
        isinf(o->v_routes_macro))
        return "floorplan options: tracks should be above 0, those a macro takes at least 0";
    return NULL;
}

static sc_status make_netlist(sc_floorplan *f)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_floorplan_put_netlist(&b, &f->pieces);
    f->length = b.length;
    const sc_status st = sc_buf_take(&b, &f->text);
    return st == SC_OK ? sc_netlist_parse(&f->netlist, f->spec, f->text, f->length) : st;
}

sc_status sc_floorplan_create(sc_floorplan **out, const sc_design *design,
                              const sc_floorplan_options *options)
{
    const char *wrong = sc_floorplan_options_check(options);
    sc_status st = SC_OK;
    if (wrong != NULL)
        return sc_fail(SC_EINVAL, "%s", wrong);
    sc_floorplan *f = sc_calloc(1, sizeof *f);
    if (f == NULL)
        return SC_ENOMEM;
    f->options = *options;
    f->spec = sc_strdup(sc_design_spec(design));
    if (f->spec == NULL)
        st = SC_ENOMEM;
    if (st == SC_OK)
        st = sc_design_parts(&f->parts, design);
    if (st == SC_OK) {
        sc_plan_make(&f->plan, &f->parts, options);
        st = sc_pieces_make(&f->pieces, &f->plan, &f->parts, options);
    }
    if (st == SC_OK)
        st = make_netlist(f);
    if (st == SC_OK) {
        *out = f;
        return SC_OK;
    }
    sc_floorplan_destroy(f);
    return st;
}

void sc_floorplan_destroy(sc_floorplan *f)
{
    if (f == NULL)
        return;
    sc_netlist_destroy(f->netlist);
    sc_pieces_clear(&f->pieces);
    sc_free(f->text);
    sc_free(f->spec);
    sc_free(f);
}

const sc_netlist *sc_floorplan_netlist(const sc_floorplan *plan)
{
    return plan->netlist;
}

sc_status sc_floorplan_start(sc_placement **out, const sc_floorplan *plan)
{
    sc_buf b;
    char *text = NULL;
    sc_buf_init(&b);
    sc_floorplan_put_start(&b, plan);
    const size_t n = b.length;
    sc_status st = sc_buf_take(&b, &text);
    if (st == SC_OK)
        st = sc_placement_parse(out, plan->netlist, plan->spec, text, n);
    sc_free(text);
    return st;
}

sc_status sc_floorplan_write(const sc_floorplan *plan, const char *path)
{
    return sc_file_write(path, plan->text, plan->length);
}
