#include "arch_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/buf.h"
#include "core/rng.h"
#include "model/arch/design_values.h"

const char SMALL_TEMPLATE[] =
    "version: 1\n"
    "name: small\n"
    "technology: 7nm\n"
    "clock: 700 MHz\n"
    "native_batch: 3\n"
    "constants:\n"
    "  port: {value: 5, unit: B per cycle, source: chosen}\n"
    "parameters:\n"
    "  - {name: n, kind: int, min: 1, max: 7, step: 2, default: 3}\n"
    "  - {name: mode, kind: categorical, values: [one, many], default: one}\n"
    "  - {name: extra, kind: ordinal, values: [2, 3, 11], default: 3,\n"
    "     when: \"mode == 'many'\"}\n"
    "let:\n"
    "  ways: \"mode == 'many' ? extra : 1\"\n"
    "levels:\n"
    "  - name: DRAM\n"
    "    storage: dram\n"
    "    dram: ddr4\n"
    "    bandwidth: {shared: 14 GB/s, unit: B/s}\n"
    "  - name: BUF\n"
    "    storage: sram\n"
    "    instances_x: n\n"
    "    instances_y: ways\n"
    "    size: {input: 8 KiB, weight: 32 KiB, output: 1 MiB}\n"
    "    bandwidth: {read: port, write: port * 2, unit: B/cycle}\n"
    "compute:\n"
    "  name: MAC\n"
    "  instances_x: 2\n"
    "  instances_y: 3\n"
    "  multiply: int8\n"
    "  accumulate: int32\n"
    "vector:\n"
    "  lanes: 13\n"
    "items:\n"
    "  - {name: pads, area_mm2: 2 * n, power_w: 0.25}\n";

int use_source_configs(void **state)
{
    (void)state;
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

sc_template *open_template(const char *name)
{
    sc_template *t = NULL;
    if (sc_template_open(&t, name) != SC_OK)
        fail_msg("%s: %s", name, sc_error_message());
    return t;
}

sc_template *parse_template(const char *text)
{
    sc_template *t = NULL;
    if (sc_template__parse(&t, "test.yaml", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return t;
}

size_t param_of(const sc_template *t, const char *name)
{
    for (size_t i = 0; i < sc_template_params(t); i++)
        if (strcmp(sc_template_param(t, i)->name, name) == 0)
            return i;
    fail_msg("no parameter %s", name);
    return 0;
}

void point_of(uint32_t *index, const sc_template *t, const char *assignments)
{
    for (size_t i = 0; i < sc_template_params(t); i++)
        index[i] = (uint32_t)sc_template_param(t, i)->fallback;
    if (assignments && sc_design__assign(index, t, assignments) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_template_canonical(t, index);
}

void random_point(uint32_t *index, const sc_template *t, uint64_t draw)
{
    sc_rng r;
    sc_rng_init(&r, 1, 77, draw);
    for (size_t i = 0; i < sc_template_params(t); i++)
        index[i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, sc_template_param(t, i)->n_values);
}

void assert_near(double value, double wanted, double share)
{
    if (!(fabs(value - wanted) <= share * fabs(wanted)))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

char *replaced(const char *text, const char *from, const char *to)
{
    sc_buf b;
    char *out = NULL;
    const char *at = strstr(text, from);
    assert_non_null(at);
    sc_buf_init(&b);
    for (; at; text = at + strlen(from), at = strstr(text, from)) {
        sc_buf_append(&b, text, (size_t)(at - text));
        sc_buf_puts(&b, to);
    }
    sc_buf_puts(&b, text);
    assert_int_equal(sc_buf_take(&b, &out), SC_OK);
    return out;
}
