/* A template from YAML; what is accepted must keep its promises on a few points. */
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "fuzz.h"
#include "model/arch/form.h"

enum { POINTS = 8 };

/* Holds in every build, other than assert(). */
static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_budget(const sc_template *t, const uint32_t *index)
{
    sc_budget b;
    sc_arch a;
    double area = 0, tdp = 0;
    const sc_status st = sc_template_budget(&b, t, index);
    must(st == SC_OK || st == SC_ERANGE);
    if (st != SC_OK)
        return;
    for (uint32_t i = 0; i < b.n_items; i++) {
        area += b.item[i].area_mm2;
        tdp += b.item[i].tdp_w;
    }
    must(area == b.area_mm2 && tdp == b.tdp_w);
    must(sc_template_arch(&a, t, index) == SC_OK);
    must(a.n_levels >= 1 && a.n_levels <= SC_MAX_LEVELS && a.compute.instances >= 1);
}

static void check_design(const sc_template *t, const uint32_t *index)
{
    sc_design *d = NULL;
    char *json = NULL;
    if (sc_design_create(&d, t, index) != SC_OK)
        return;
    must(sc_design_json(&json, d) == SC_OK);
    sc_release(json);
    sc_design_destroy(d);
}

static void use(const sc_template *t)
{
    const size_t n = sc_template_params(t);
    uint32_t index[SC_TEMPLATE_PARAMS] = {0}, again[SC_TEMPLATE_PARAMS];
    for (uint64_t draw = 0; draw < POINTS; draw++) {
        sc_rng r;
        sc_rng_init(&r, 1, 1, draw);
        for (size_t i = 0; i < n; i++)
            index[i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, sc_template_param(t, i)->n_values);
        sc_template_canonical(t, index);
        memcpy(again, index, sizeof again);
        sc_template_canonical(t, again);
        must(memcmp(index, again, n * sizeof index[0]) == 0);
        check_budget(t, index);
    }
    check_design(t, index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_template *t = NULL;
    must(sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK);
    if (sc_template__parse(&t, "fuzz.yaml", (const char *)data, size) == SC_OK)
        use(t);
    sc_template_destroy(t);
    must(sc_mem_live() == 0);
    return 0;
}
