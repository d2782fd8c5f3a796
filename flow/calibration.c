#include "flow/calibration.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "core/text.h"
#include "core/yaml.h"

static const char *const drivers[] = {[SC_TILED_PLAIN] = "plain", [SC_TILED_GEMMINI] = "gemmini"};
enum { N_DRIVERS = sizeof drivers / sizeof *drivers };

const char *sc_calibration_driver_name(sc_tiled_driver driver)
{
    return drivers[driver];
}

sc_status sc_calibration_driver(sc_tiled_driver *out, const char *name)
{
    sc_near near;
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    sc_near_begin(&near, name);
    for (unsigned i = 0; i < N_DRIVERS; i++) {
        if (strcmp(drivers[i], name) == 0) {
            *out = (sc_tiled_driver)i;
            return SC_OK;
        }
        sc_near_offer(&near, drivers[i]);
    }
    return sc_fail(SC_EINVAL, "no driver '%s'%s", sc_text_show(shown, name),
                   sc_did_you_mean(hint, near.best));
}

sc_status sc_calibration_check_name(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const size_t n = strlen(name);
    if (n > 0 && n < SC_CALIBRATION_NAME && strspn(name, allowed) == n)
        return SC_OK;
    return sc_fail(SC_EINVAL, "a calibration's name is 1 to 64 letters, digits, '-', '_' and '.'");
}

/* ---- writing ---- */

/* A text as a JSON string, which YAML reads too. */
static sc_status put_text(sc_buf *b, const char *key, const char *text)
{
    char *quoted = NULL;
    json_t *value = json_string(text);
    const sc_status st = sc_json_write(&quoted, value, 0);
    if (st == SC_OK)
        sc_buf_printf(b, "  %s: %s\n", key, quoted);
    json_decref(value);
    sc_free(quoted);
    return st;
}

static void put_share(sc_buf *b, const char *key, double v, const char *after)
{
    if (isfinite(v))
        sc_buf_printf(b, "%s: %.4f%s", key, v, after);
    else
        sc_buf_printf(b, "%s: ~%s", key, after);
}

static void put_quality(sc_buf *b, const char *key, const sc_fit_quality *q)
{
    sc_buf_printf(b, "  %s: {", key);
    put_share(b, "mape", q->mape, ", ");
    put_share(b, "median", q->median, ", ");
    put_share(b, "within_20", q->within_20, ", ");
    put_share(b, "spearman", q->spearman, "}\n");
}

sc_status sc_calibration_write(char **yaml, const sc_calibration *c, const sc_measured *m,
                               const sc_calibration_record *r)
{
    sc_buf b;
    char hash[SC_HASH_HEX], number[32];
    sc_buf_init(&b);
    sc_buf_printf(&b, "version: 1\nname: %s\ndriver: %s\nfactors:\n", c->name, drivers[c->driver]);
    for (int f = 0; f < SC_TILED_FACTORS; f++) {
        sc_double_text(number, sizeof number, c->factor[f]);
        sc_buf_printf(&b, "  %s: %s # %s\n", sc_tiled_factor_name((sc_tiled_factor)f), number,
                      sc_tiled_factor_unit((sc_tiled_factor)f));
    }
    sc_hash_hex(m->data_hash, hash);
    sc_buf_printf(&b, "provenance:\n  data: \"%s\" # XXH3 over the tables\n  rows: %zu\n", hash,
                  m->n);
    sc_buf_printf(&b, "  groups: %zu\n  folds: %u\n", m->n_groups, r->folds);
    sc_status st = put_text(&b, "target", r->target);
    if (st == SC_OK)
        st = put_text(&b, "group", r->group);
    sc_buf_puts(&b, "errors: # shares of 1; held_out: of fits that saw no row of the group\n");
    put_quality(&b, "uncalibrated", &r->uncalibrated);
    put_quality(&b, "fitted", &r->fitted);
    put_quality(&b, "held_out", &r->held_out);
    if (st == SC_OK)
        return sc_buf_take(&b, yaml);
    sc_buf_clear(&b);
    return st;
}

/* ---- reading ---- */

static void read_factors(double *factor, const sc_node *map)
{
    const char *names[SC_TILED_FACTORS];
    for (int f = 0; f < SC_TILED_FACTORS; f++) {
        names[f] = sc_tiled_factor_name((sc_tiled_factor)f);
        if (!sc_map_number(&factor[f], map, names[f], SC_UNIT_NONE))
            continue;
        const sc_node *at = sc_node_get(map, names[f]);
        if (factor[f] < 0 || factor[f] > 1e15)
            sc_node_error(at, "%s is 0 to 1e15", names[f]);
        else if (f == SC_TILED_BUS && factor[f] == 0)
            sc_node_error(at, "bus is above 0");
        else if (f == SC_TILED_OVERLAP && factor[f] < 1)
            sc_node_error(at, "overlap is 1 or more");
    }
    (void)sc_map_only(map, names, SC_TILED_FACTORS);
}

sc_status sc_calibration_read(sc_calibration *out, const char *path)
{
    static const char *const keys[] = {"version", "name",       "driver",
                                       "factors", "provenance", "errors"};
    sc_yaml *y = NULL;
    sc_calibration c = {.driver = SC_TILED_PLAIN};
    const char *name = NULL;
    size_t driver = 0;
    sc_status st = sc_yaml_open(&y, path);
    if (st != SC_OK)
        return st;
    const sc_node *root = sc_yaml_root(y);
    (void)sc_map_version(root, 1);
    (void)sc_map_only(root, keys, sizeof keys / sizeof *keys);
    if (sc_map_text(&name, root, "name")) {
        if (sc_calibration_check_name(name) == SC_OK)
            (void)sc_text_copy(c.name, sizeof c.name, name);
        else
            sc_node_error(sc_node_get(root, "name"), "%s", sc_error_message());
    }
    if (sc_map_choice(&driver, root, "driver", drivers, N_DRIVERS))
        c.driver = (sc_tiled_driver)driver;
    const sc_node *factors = sc_map_map(root, "factors");
    if (factors)
        read_factors(c.factor, factors);
    if ((st = sc_yaml_status(y)) == SC_OK)
        *out = c;
    sc_yaml_close(y);
    return st;
}
