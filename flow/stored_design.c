#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "core/yaml.h"
#include "scantle/study.h"
#include "store/store.h"

/* The store writes `a=1,b='x'`, a design's spec is `a=1,b=x`: drop the quotes, and of a doubled
 * quote one. Parameter names and labels of templates hold no commas. */
static void put_values(sc_buf *b, const char *parameters)
{
    for (const char *p = parameters; *p; p++) {
        if (*p == '\'' && p[1] == '\'')
            p++;
        else if (*p == '\'')
            continue;
        sc_buf_append(b, p, 1);
    }
}

/* `template:name=value,...`: a whole point, as sc_design_open takes it. */
static sc_status put_spec(sc_buf *b, const char *config, const char *parameters)
{
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_parse(&y, "the study's file", config, strlen(config));
    if (st != SC_OK)
        return st;
    const char *name = sc_map_text_or(sc_yaml_root(y), "template", "");
    if (*name) {
        sc_buf_printf(b, "%s:", name);
        put_values(b, parameters);
    } else {
        st = sc_fail(SC_EINVAL, "its study has a space of its own, whose points are no designs");
    }
    sc_yaml_close(y);
    return st;
}

sc_status sc_study_design_open(sc_design **out, sc_store *store, const char *id)
{
    sc_hash128 study;
    uint64_t index;
    const sc_store_trial *trial = NULL;
    sc_store_info *info = NULL;
    char *spec = NULL;
    sc_buf b;
    sc_buf_init(&b);
    sc_status st = sc_store_find_point(&study, &index, store, id);
    if (st != SC_OK || (st = sc_store_info_open(&info, store, study)) != SC_OK ||
        (st = sc_store_get_trial(&trial, store, study, index)) != SC_OK)
        goto done;
    if (!trial) {
        st = sc_fail(SC_ENOTFOUND, "no trial '%s' is kept", id);
        goto done;
    }
    if ((st = put_spec(&b, info->study.config, trial->parameters)) != SC_OK ||
        (st = sc_buf_take(&b, &spec)) != SC_OK)
        goto done;
    st = sc_design_open(out, spec);
done:
    sc_free(spec);
    sc_buf_clear(&b);
    sc_store_info_close(info);
    return st;
}
