#include "model/arch/curve.h"

#include <math.h>
#include <string.h>

#include "model/arch/constant.h"

static double value_at(const sc_curve *c, double bytes)
{
    size_t i = 0;
    while (i + 1 < c->n && bytes > c->size[i + 1])
        i++;
    for (size_t k = i; k < c->n && k < i + 2; k++)
        if (bytes == c->size[k])
            return c->value[k]; /* the table's own figure, not one an ulp beside it */
    const bool above = bytes > c->size[c->n - 1];
    if (above && c->flat_above)
        return c->value[c->n - 1];
    return c->value[i] * exp2(c->slope[i] * log2(bytes / c->size[i]));
}

double sc_curve__at(const sc_curve *c, double bytes)
{
    int exponent = 0;
    if (!(bytes > 0))
        return 0;
    if (frexp(bytes, &exponent) == 0.5 && exponent >= 1 && exponent <= SC_CURVE_EXPONENTS)
        return c->at_power[exponent - 1];
    return value_at(c, bytes);
}

static bool has_suffix(const char *text, const char *suffix)
{
    const size_t n = strlen(text), k = strlen(suffix);
    return n > k && strcmp(text + n - k, suffix) == 0;
}

bool sc_curve__is_energy(const char *name)
{
    return has_suffix(name, "_pj");
}

bool sc_curve__is_density(const char *name)
{
    return has_suffix(name, "_mm2_per_mib");
}

static bool read_point(sc_curve *c, sc_arena *arena, const sc_node *point)
{
    static const char *const KEYS[] = {"size", "value", "source"};
    const char *source = NULL;
    double size = 0, value = 0;
    bool ok = sc_map_only(point, KEYS, 3);
    ok = sc_map_text(&source, point, "source") && ok;
    ok = sc_map_number(&size, point, "size", SC_UNIT_BYTES) && ok;
    ok = sc_map_number(&value, point, "value", SC_UNIT_NONE) && ok;
    if (!ok)
        return false;
    if (!(size >= 1) || !(value > 0)) {
        sc_node_error(point, "a point needs a size of a byte or more and a value above 0");
        return false;
    }
    if (c->n > 0 && size <= c->size[c->n - 1]) {
        sc_node_error(sc_node_get(point, "size"), "sizes must ascend");
        return false;
    }
    c->size[c->n] = size;
    c->value[c->n] = value;
    c->source[c->n] = sc_arena__text(arena, point, source);
    return c->source[c->n++] != NULL;
}

/* Larger is never cheaper: neither an access nor, for a density, the whole memory. */
const char *sc_curve__fault(const sc_curve *c, size_t i)
{
    const bool density = sc_curve__is_density(c->name);
    const double factor = density ? c->size[i] / c->size[i - 1] : 1;
    if (c->value[i] * factor >= c->value[i - 1])
        return NULL;
    return density ? "takes less area" : "costs less an access";
}

static bool check_monotone(const sc_curve *c, const sc_node *points)
{
    for (size_t i = 1; i < c->n; i++)
        if (sc_curve__fault(c, i)) {
            sc_node_error(sc_node_item(points, i), "a larger memory %s than the point before",
                          sc_curve__fault(c, i));
            return false;
        }
    return true;
}

void sc_curve__prepare(sc_curve *c)
{
    c->flat_above = sc_curve__is_density(c->name);
    for (size_t i = 0; i + 1 < c->n; i++)
        c->slope[i] = log2(c->value[i + 1] / c->value[i]) / log2(c->size[i + 1] / c->size[i]);
    if (c->n > 1)
        c->slope[c->n - 1] = c->slope[c->n - 2];
    for (int i = 0; i < SC_CURVE_EXPONENTS; i++)
        c->at_power[i] = value_at(c, ldexp(1, i));
}

static bool read_points(sc_curve *c, sc_arena *arena, const sc_node *points)
{
    const size_t n = sc_node_count(points);
    bool ok = true;
    if (n < 1 || n > SC_MAX_CURVE_POINTS) {
        sc_node_error(points, "a curve has 1 to %d points", SC_MAX_CURVE_POINTS);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        ok = read_point(c, arena, sc_node_item(points, i)) && ok;
    return ok;
}

bool sc_curve__read(sc_curve *out, sc_arena *arena, const sc_node *curves, size_t i)
{
    static const char *const KEYS[] = {"unit", "points"};
    const sc_node *entry = sc_node_item(curves, i);
    const char *unit = NULL;
    sc_curve c = {.name = sc_node_key(curves, i)};

    if (!sc_curve__is_density(c.name) && !sc_curve__is_energy(c.name)) {
        sc_node_error(sc_node_key_node(curves, i),
                      "a curve is an energy (name_pj) or a density (name_mm2_per_mib)");
        return false;
    }
    bool ok = sc_map_only(entry, KEYS, 2);
    ok = sc_map_text(&unit, entry, "unit") && ok;
    const sc_node *points = sc_map_sequence(entry, "points");
    ok = points && read_points(&c, arena, points) && ok;
    if (!ok || !check_monotone(&c, points))
        return false;
    c.name = sc_arena__text(arena, entry, c.name);
    c.unit = sc_arena__text(arena, entry, unit);
    if (!c.name || !c.unit)
        return false;
    sc_curve__prepare(&c);
    *out = c;
    return true;
}
