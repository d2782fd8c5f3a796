#include "core/param.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

static bool reserve(sc_param_form *p, const sc_node *at, size_t n, size_t most)
{
    if (n < 1 || n > most) {
        sc_node_error(at, "a parameter has 1 to %zu values", most);
        return false;
    }
    p->values = sc_calloc(n, sizeof *p->values);
    if (!p->values)
        sc_node_fail(at, SC_ENOMEM);
    return p->values != NULL;
}

static bool read_numbers(sc_param_form *p, const sc_node *list)
{
    bool ok = true;
    for (size_t i = 0; i < sc_node_count(list); i++)
        ok = sc_node_number(&p->values[p->n_values++], sc_node_item(list, i), p->unit) && ok;
    return ok;
}

/* Steps from min to max, whole in number: by a factor of 2 (step 0), or by `step`. */
static bool count_steps(double *steps, const sc_node *n, double min, double max, double step)
{
    *steps = step > 0 ? (max - min) / step : min > 0 ? log2(max / min) : -1;
    if (*steps >= 0 && *steps == floor(*steps))
        return true;
    sc_node_error(n, step > 0 ? "max must lie a whole number of steps above min"
                              : "max must be min, above 0, times a power of two");
    return false;
}

static bool check_int(const sc_node *n, double min, double max, double step)
{
    if (min == floor(min) && step == floor(step) && step >= 1 && fabs(min) <= 0x1p53 &&
        fabs(max) <= 0x1p53)
        return true;
    sc_node_error(n, "an int parameter has whole numbers up to 2^53, and a step of 1 or more");
    return false;
}

static bool read_range(sc_param_form *p, const sc_node *n, size_t most)
{
    const bool doubles = p->kind == SC_PARAM_LOG2;
    const sc_node *first = sc_node_get(n, "first") ? sc_map_sequence(n, "first") : NULL;
    double min = 0, max = 0, step = 1, steps = 0;
    bool ok = sc_map_number(&min, n, "min", p->unit);
    ok = sc_map_number(&max, n, "max", p->unit) && ok;
    ok = (doubles || sc_map_number_or(&step, n, "step", p->unit, 1)) && ok;
    if (!ok || (sc_node_get(n, "first") && !first) || (!doubles && !check_int(n, min, max, step)) ||
        !count_steps(&steps, n, min, max, doubles ? 0 : step))
        return false;
    const size_t n_range = steps < (double)most ? (size_t)steps + 1 : most + 1;
    if (!reserve(p, n, sc_node_count(first) + n_range, most) || (first && !read_numbers(p, first)))
        return false;
    for (size_t i = 0; i < n_range; i++)
        p->values[p->n_values++] = doubles ? ldexp(min, (int)i) : min + (double)i * step;
    return true;
}

static bool read_ordinal(sc_param_form *p, const sc_node *n, size_t most)
{
    const sc_node *list = sc_map_sequence(n, "values");
    return list && reserve(p, list, sc_node_count(list), most) && read_numbers(p, list);
}

static bool add_label(sc_param_form *p, const sc_node *item)
{
    const size_t n = p->n_values;
    if (sc_node_kind_of(item) != SC_NODE_SCALAR) {
        sc_node_error(item, "a label is a text");
        return false;
    }
    for (size_t k = 0; k < n; k++)
        if (strcmp(p->labels[k], sc_node_text(item)) == 0) {
            sc_node_error(item, "'%s' stands twice", p->labels[k]);
            return false;
        }
    p->labels[n] = sc_node_text(item);
    p->values[n] = (double)n;
    p->n_values++;
    return true;
}

static bool read_labels(sc_param_form *p, const sc_node *n, size_t most)
{
    const sc_node *list = sc_map_sequence(n, "values");
    const size_t count = sc_node_count(list);
    if (!list || !reserve(p, list, count, most))
        return false;
    p->labels = sc_calloc(count, sizeof *p->labels);
    if (!p->labels) {
        sc_node_fail(list, SC_ENOMEM);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!add_label(p, sc_node_item(list, i)))
            return false;
    return true;
}

static bool check_ascending(const sc_param_form *p, const sc_node *n)
{
    for (size_t i = 1; i < p->n_values; i++)
        if (!(p->values[i] > p->values[i - 1])) {
            sc_node_error(n, "the values must ascend, those of 'first' before the others");
            return false;
        }
    return true;
}

static bool read_unit(sc_unit *out, const sc_node *n)
{
    static const char *const names[] = {"B", "Hz", "B/s", "W", "J", "s", "m2", "m"};
    static const sc_unit units[] = {SC_UNIT_BYTES,   SC_UNIT_HZ,    SC_UNIT_BYTES_PER_S,
                                    SC_UNIT_WATT,    SC_UNIT_JOULE, SC_UNIT_SECOND,
                                    SC_UNIT_AREA_M2, SC_UNIT_METRE};
    size_t k = 0;
    if (!sc_node_get(n, "unit"))
        return true;
    if (!sc_map_choice(&k, n, "unit", names, sizeof names / sizeof *names))
        return false;
    *out = units[k];
    return true;
}

static bool read_keys(sc_param_form *p, const sc_node *n)
{
    static const char *const kinds[] = {[SC_PARAM_LOG2] = "log2",
                                        [SC_PARAM_INT] = "int",
                                        [SC_PARAM_ORDINAL] = "ordinal",
                                        [SC_PARAM_CATEGORICAL] = "categorical"};
    /* The first five go with every kind. */
    static const char *const keys[][9] = {
        [SC_PARAM_LOG2] = {"name", "kind", "default", "when", "about", "unit", "min", "max",
                           "first"},
        [SC_PARAM_INT] = {"name", "kind", "default", "when", "about", "unit", "min", "max", "step"},
        [SC_PARAM_ORDINAL] = {"name", "kind", "default", "when", "about", "unit", "values"},
        [SC_PARAM_CATEGORICAL] = {"name", "kind", "default", "when", "about", "values"}};
    static const size_t n_keys[] = {9, 9, 7, 6};
    size_t k = 0;

    if (sc_node_kind_of(n) != SC_NODE_MAP) {
        sc_node_error(n, "a parameter is a map of name, kind and values");
        return false;
    }
    bool ok = sc_map_text(&p->name, n, "name");
    ok = sc_map_choice(&k, n, "kind", kinds, sizeof kinds / sizeof *kinds) && ok;
    if (!ok)
        return false;
    p->kind = (sc_param_kind)k;
    return sc_map_only(n, keys[k], n_keys[k]);
}

bool sc_param_form_read(sc_param_form *out, const sc_node *n, size_t most)
{
    *out = (sc_param_form){.unit = SC_UNIT_NONE};
    if (!read_keys(out, n) || !read_unit(&out->unit, n))
        return false;
    bool ok = false;
    switch (out->kind) {
    case SC_PARAM_LOG2:
    case SC_PARAM_INT: ok = read_range(out, n, most); break;
    case SC_PARAM_ORDINAL: ok = read_ordinal(out, n, most); break;
    case SC_PARAM_CATEGORICAL: ok = read_labels(out, n, most); break;
    }
    return ok && check_ascending(out, n);
}

void sc_param_form_clear(sc_param_form *p)
{
    sc_free(p->values);
    sc_free(p->labels);
    *p = (sc_param_form){.unit = SC_UNIT_NONE};
}
