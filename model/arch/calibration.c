#include "model/arch/calibration.h"

#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "core/yaml.h"
#include "model/arch/data_dir.h"

static const struct {
    const char *name, *unit;
} free_factors[SC_TILED_FACTORS] = {
    [SC_TILED_HOST_WINDOW] = {"host_window", "cycles a tile"},
    [SC_TILED_HOST_PRODUCT] = {"host_product", "cycles a tile"},
    [SC_TILED_PASS] = {"pass", "cycles"},
    [SC_TILED_PASS_SIDE] = {"pass_side", "cycles a PE of the side"},
    [SC_TILED_ROW] = {"row", "cycles a row"},
    [SC_TILED_ROW_SIDE] = {"row_side", "cycles an element of the row"},
    [SC_TILED_BUS] = {"bus", "bytes a cycle"},
    [SC_TILED_LINE] = {"line", "cycles a line of 64 bytes"},
    [SC_TILED_OVERLAP] = {"overlap", "exponent, 1 = none"},
    [SC_TILED_START] = {"start", "cycles a run"},
};

const char *sc_tiled_factor_name(sc_tiled_factor f)
{
    return free_factors[f].name;
}

const char *sc_tiled_factor_unit(sc_tiled_factor f)
{
    return free_factors[f].unit;
}

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

sc_status sc_calibration_open(sc_calibration *out, const char *reference)
{
    static const char *const folders[] = {"calibrations"};
    static const char *const known[] = {"gemmini-16x16", "gemmini-random"};
    static const sc_data_kind kind = {"calibration", folders, 1, known, 2};
    sc_calibration c;
    char *path = NULL;
    sc_status st = sc_data__find(&path, reference, &kind, NULL);
    if (st == SC_OK)
        st = sc_calibration_read(&c, path);
    sc_free(path);
    if (st != SC_OK)
        return st;
    memset(out, 0, sizeof *out);
    memcpy(out->name, c.name, strlen(c.name));
    out->driver = c.driver;
    memcpy(out->factor, c.factor, sizeof out->factor);
    return SC_OK;
}

sc_hash128 sc_calibration_hash(const sc_calibration *c)
{
    double word[1 + SC_TILED_FACTORS] = {(double)c->driver};
    memcpy(word + 1, c->factor, sizeof c->factor);
    return sc_hash128_of(word, sizeof word);
}
