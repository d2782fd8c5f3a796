#include "flow/calibration.h"

#include <math.h>

#include "core/json.h"
#include "core/mem.h"

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
    sc_buf_printf(&b, "version: 1\nname: %s\ndriver: %s\nfactors:\n", c->name,
                  sc_calibration_driver_name(c->driver));
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
