/* Tables made from others: taken over whole, or the figures between two nodes. The rule is on
 * docs/algorithms/area_power.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "model/arch/tech.h"

void sc_tech__inherit(sc_tech *t, const sc_node *at)
{
    const sc_tech *b = t->base[0];
    t->constants.item = sc_arena_calloc(t->arena, SC_MAX_CONSTANTS, sizeof *t->constants.item);
    if (!t->constants.item) {
        sc_node_fail(at, SC_ENOMEM);
        return;
    }
    memcpy(t->constants.item, b->constants.item, b->constants.n * sizeof *b->constants.item);
    t->constants.n = b->constants.n;
    memcpy(t->curve, b->curve, sizeof t->curve);
    t->n_curves = b->n_curves;
    memcpy(t->measured, b->measured, sizeof t->measured);
    t->n_measured = b->n_measured;
    t->ert = b->ert;
}

/* Straight in the logarithms of node and figure; equal figures stay what they are. */
static double between(double a, double b, double share)
{
    if (a == b)
        return a;
    if (!(a > 0 && b > 0))
        return fmax(0, a + (b - a) * share);
    return a * pow(b / a, share);
}

static const char *told(sc_tech *t, const sc_node *at, double a, double b)
{
    char text[160], first[SC_SHOWN_LEN], second[SC_SHOWN_LEN];
    if (a == b)
        (void)snprintf(text, sizeof text, "the same in %s and %s",
                       sc_text_show(first, t->base[0]->name),
                       sc_text_show(second, t->base[1]->name));
    else
        (void)snprintf(text, sizeof text, "scaled from %.6g (%s) and %.6g (%s)", a,
                       sc_text_show(first, t->base[0]->name), b,
                       sc_text_show(second, t->base[1]->name));
    return sc_arena__text(t->arena, at, text);
}

/* DRAM is of a process of its own, and its interface is analogue: what one table alone has of them
 * holds at any node. */
static bool of_dram(const sc_tech *t, const char *name)
{
    char phy[2 * SC_NAME_LEN];
    const size_t n = strlen(name);
    if (n > 8 && strcmp(name + n - 8, "_phy_mm2") == 0)
        return true;
    if (n < 4 || strcmp(name + n - 3, "_pj") != 0)
        return false;
    (void)snprintf(phy, sizeof phy, "%.*s_phy_mm2", (int)(n - 3), name);
    return sc_constants__find(&t->constants, phy) != NULL;
}

static void scale_constants(sc_tech *t, const sc_node *at, double share)
{
    const sc_tech *a = t->base[0], *b = t->base[1];
    for (int from = 0; from < 2; from++) {
        const sc_constants *list = &t->base[from]->constants;
        for (size_t i = 0; i < list->n; i++) {
            sc_constant c = list->item[i];
            const sc_constant *x = sc_constants__find(&a->constants, c.name);
            const sc_constant *y = sc_constants__find(&b->constants, c.name);
            if (x && y && from == 0) {
                c.value = between(x->value, y->value, share);
                c.source = told(t, at, x->value, y->value);
                if (!isfinite(c.value))
                    sc_node_error(at, "constant '%s' comes out as %g", c.name, c.value);
            } else if ((x && y) || !of_dram(t->base[from], c.name)) {
                continue;
            }
            if (t->constants.n == SC_MAX_CONSTANTS) {
                sc_node_error(at, "more than %d constants", SC_MAX_CONSTANTS);
                return;
            }
            t->constants.item[t->constants.n++] = c;
        }
    }
}

/* A point at every size that either curve has one of. */
static bool scale_curve(sc_curve *out, sc_tech *t, const sc_node *at, const sc_curve *a,
                        const sc_curve *b, double share)
{
    size_t i = 0, j = 0;
    *out = (sc_curve){.name = a->name, .unit = a->unit};
    while (i < a->n || j < b->n) {
        const double x = i < a->n ? a->size[i] : HUGE_VAL, y = j < b->n ? b->size[j] : HUGE_VAL;
        const double size = fmin(x, y);
        if (out->n == SC_MAX_CURVE_POINTS) {
            sc_node_error(at, "curve '%s' has more than %d points", a->name, SC_MAX_CURVE_POINTS);
            return false;
        }
        out->size[out->n] = size;
        out->value[out->n] = between(sc_curve__at(a, size), sc_curve__at(b, size), share);
        out->source[out->n] = told(t, at, sc_curve__at(a, size), sc_curve__at(b, size));
        if (!(out->value[out->n] > 0 && isfinite(out->value[out->n]))) {
            sc_node_error(at, "curve '%s' comes out as %g", a->name, out->value[out->n]);
            return false;
        }
        out->n++;
        i += x == size;
        j += y == size;
    }
    sc_curve__prepare(out);
    return true;
}

void sc_tech__scale(sc_tech *t, const sc_node *at)
{
    const sc_tech *a = t->base[0], *b = t->base[1];
    if (a->node_nm == b->node_nm) {
        sc_node_error(sc_node_get(at, "between"), "both tables are of %g nm", a->node_nm);
        return;
    }
    const double share = log(t->node_nm / a->node_nm) / log(b->node_nm / a->node_nm);
    t->constants.item = sc_arena_calloc(t->arena, SC_MAX_CONSTANTS, sizeof *t->constants.item);
    if (!t->constants.item) {
        sc_node_fail(at, SC_ENOMEM);
        return;
    }
    scale_constants(t, at, share);
    for (size_t i = 0; i < a->n_curves; i++) {
        const sc_curve *other = sc_tech__optional_curve(b, a->curve[i].name);
        sc_curve c;
        if (other && scale_curve(&c, t, at, &a->curve[i], other, share))
            t->curve[t->n_curves++] = c;
    }
}
