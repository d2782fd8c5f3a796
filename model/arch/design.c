/* Designs: opened from a spec, copied with changes, asked for their chain and budget. */
#include <string.h>

#include "core/file.h"
#include "core/text.h"
#include "model/arch/data_dir.h"
#include "model/arch/design_values.h"

void sc_design_destroy(sc_design *d)
{
    if (!d)
        return;
    sc_template_destroy(d->t);
    sc_free(d->name);
    sc_free(d->spec);
    sc_free(d->index);
    sc_free(d);
}

/* The chain and the budget of d->index. */
static sc_status build(sc_design *d)
{
    sc_built b;
    sc_point p;
    sc_status st = SC_OK;
    if ((st = sc_form__point(&p, d->t, d->index)) != SC_OK)
        return st;
    sc_template_canonical(d->t, d->index);
    if ((st = sc_form__build(&b, d->t, &p)) != SC_OK ||
        (st = sc_form__budget(&d->budget, d->t, &b, &p)) != SC_OK)
        return st;
    memcpy(&d->arch, &b.arch, sizeof d->arch); /* padding too */
    return SC_OK;
}

static sc_status create(sc_design **out, const sc_template *t, const uint32_t *index,
                        const char *name)
{
    sc_status st = SC_OK;
    const size_t n = t->scope.n_params;
    sc_design *d = sc_calloc(1, sizeof *d);
    if (!d)
        return SC_ENOMEM;
    d->t = sc_template__ref(t);
    d->name = sc_strdup(name);
    d->index = sc_calloc(n, sizeof *d->index);
    if (!d->name || !d->index) {
        st = SC_ENOMEM;
        goto done;
    }
    memcpy(d->index, index, n * sizeof *index);
    if ((st = build(d)) != SC_OK || (st = sc_design__spec(&d->spec, t, d->index)) != SC_OK ||
        (st = sc_design__fingerprint(&d->fingerprint, t, d->index)) != SC_OK)
        goto done;
    *out = d;
    d = NULL;
done:
    sc_design_destroy(d);
    return st;
}

sc_status sc_design_create(sc_design **out, const sc_template *t, const uint32_t *index)
{
    return create(out, t, index, t->name);
}

static void defaults(uint32_t *index, const sc_template *t)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who calls has opened it without a fault
    for (size_t i = 0; i < t->scope.n_params; i++)
        index[i] = (uint32_t)t->scope.param[i].fallback;
}

/* A design file names its template, as seen from where it lies, and gives values. */
static sc_status read_file(sc_template **out_t, uint32_t *index, char **name, const sc_yaml *y)
{
    static const char *const KEYS[] = {"version", "name", "about", "template", "values"};
    const sc_node *root = sc_yaml_root(y);
    const char *reference = NULL;
    char *path = NULL;
    sc_status st = SC_OK;
    sc_template *t = NULL;

    (void)sc_map_only(root, KEYS, 5);
    (void)sc_map_version(root, 1);
    if (!sc_map_text(&reference, root, "template"))
        return sc_yaml_status(y);
    /* a built-in stays a name, so that the spec does not tell where the data folder is */
    if (!sc_data__is_path(reference))
        st = sc_template_open(&t, reference);
    else if ((st = sc_data__find(&path, reference, &(sc_data_kind){0}, sc_yaml_name(y))) == SC_OK)
        st = sc_template_open(&t, path);
    if (st == SC_ENOTFOUND) {
        sc_node_error(sc_node_get(root, "template"), "%s", sc_error_message());
        st = sc_yaml_status(y);
    }
    if (st != SC_OK)
        goto done;
    defaults(index, t);
    if (sc_node_get(root, "values"))
        sc_design__assign_map(index, t, sc_map_map(root, "values"));
    if ((st = sc_yaml_status(y)) != SC_OK)
        goto done;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above
    if (!(*name = sc_strdup(sc_map_text_or(root, "name", t->name)))) {
        st = SC_ENOMEM;
        goto done;
    }
    *out_t = t;
    t = NULL;
done:
    sc_template_destroy(t);
    sc_free(path);
    return st;
}

/* The template and the values of a reference without assignments: a built-in, a template's or
 * platform's file, or a design's file. *name stays NULL unless the file names the design. */
static sc_status open_reference(sc_template **t, uint32_t *index, char **name,
                                const char *reference)
{
    sc_status st = SC_OK;
    sc_yaml *y = NULL;
    if (sc_data__is_path(reference)) {
        if ((st = sc_yaml_open(&y, reference)) != SC_OK)
            return st;
        if (sc_node_get(sc_yaml_root(y), "template")) {
            st = read_file(t, index, name, y);
            sc_yaml_close(y);
            return st;
        }
        sc_yaml_close(y);
    }
    if ((st = sc_template_open(t, reference)) == SC_OK)
        defaults(index, *t);
    return st;
}

sc_status sc_design_open(sc_design **out, const char *spec)
{
    sc_status st = SC_OK;
    sc_template *t = NULL;
    char *name = NULL;
    uint32_t index[SC_TEMPLATE_PARAMS];
    char *reference = sc_strdup(spec);
    if (!reference)
        return SC_ENOMEM;
    /* the last ':' begins the assignments, unless it belongs to the name of a file */
    char *colon = sc_file_exists(spec) ? NULL : strrchr(reference, ':');
    if (colon)
        *colon = '\0';

    if ((st = open_reference(&t, index, &name, reference)) != SC_OK)
        goto done;
    if (colon && (st = sc_design__assign(index, t, colon + 1)) != SC_OK)
        goto done;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above
    st = create(out, t, index, name ? name : t->name);
done:
    sc_template_destroy(t);
    sc_free(name);
    sc_free(reference);
    return st;
}

sc_status sc_design_with(sc_design **out, const sc_design *d, const char *assignments)
{
    uint32_t index[SC_TEMPLATE_PARAMS];
    memcpy(index, d->index, d->t->scope.n_params * sizeof index[0]);
    sc_status st = sc_design__assign(index, d->t, assignments);
    if (st == SC_OK && (st = create(out, d->t, index, d->t->name)) == SC_OK)
        (*out)->arch.calibration = d->arch.calibration;
    return st;
}

sc_status sc_design_use_calibration(sc_design *d, const sc_calibration *c)
{
    const sc_compute *u = &d->arch.compute;
    if (!sc_arch_is_one_square(&d->arch))
        return sc_fail(
            SC_EINVAL,
            "calibration '%s' is of one square array; %s has %llu MAC units in arrays of "
            "%llu x %llu",
            c->name, d->name, (unsigned long long)u->instances, (unsigned long long)u->rows,
            (unsigned long long)u->cols);
    d->arch.calibration = *c;
    return SC_OK;
}

sc_status sc_design_calibrate(sc_design *d, const char *reference)
{
    sc_calibration c;
    const sc_status st = sc_calibration_open(&c, reference);
    return st == SC_OK ? sc_design_use_calibration(d, &c) : st;
}

const char *sc_design_name(const sc_design *d)
{
    return d->name;
}

const char *sc_design_spec(const sc_design *d)
{
    return d->spec;
}

sc_status sc_design_fingerprint(char out[33], const sc_design *d)
{
    sc_hash_hex(d->fingerprint, out);
    return SC_OK;
}

double sc_design_area_mm2(const sc_design *d)
{
    return d->budget.area_mm2;
}

double sc_design_tdp_w(const sc_design *d)
{
    return d->budget.tdp_w;
}

const sc_arch *sc_design_arch(const sc_design *d)
{
    return &d->arch;
}

const sc_template *sc_design_template(const sc_design *d)
{
    return d->t;
}

const uint32_t *sc_design_index(const sc_design *d)
{
    return d->index;
}

const sc_budget *sc_design_budget(const sc_design *d)
{
    return &d->budget;
}
