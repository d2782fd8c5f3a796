/* A user's own figures: the memory compiler's CSV and energy reference tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "model/arch/data_dir.h"
#include "model/arch/tech.h"

static const double MIB = 1048576;
enum { MAX_MACROS = 4096 };

/* Where the figures of a file go. */
typedef struct import {
    sc_tech *t;
    const sc_node *at;        /* takes the errors */
    const char *memory_class; /* of a memory compiler's table: "sram", "ported" */
} import;

/* One row of a memory compiler's table. */
typedef struct macro {
    double size, width_bits, read_pj, write_pj, area_mm2; /* area 0: not given */
    size_t row;
} macro;

/* Where the columns stand; SIZE_MAX: not there. */
typedef struct columns {
    size_t size, width, read, write, area;
    double mm2; /* per unit of the area column */
} columns;

static sc_status find_columns(columns *c, const sc_csv *t)
{
    static const char *const names[] = {"size",     "width",    "read_pj", "energy_pj",
                                        "write_pj", "area_mm2", "area_um2"};
    const sc_status st = sc_csv_once(t, names, sizeof names / sizeof *names);
    if (st != SC_OK)
        return st;
    c->size = sc_csv_find(t, "size");
    c->width = sc_csv_find(t, "width");
    c->read = sc_csv_find(t, "read_pj");
    c->write = sc_csv_find(t, "write_pj");
    c->area = sc_csv_find(t, "area_mm2");
    c->mm2 = 1;
    if (c->read == SIZE_MAX)
        c->read = sc_csv_find(t, "energy_pj");
    if (c->write == SIZE_MAX)
        c->write = c->read;
    if (c->area == SIZE_MAX && (c->area = sc_csv_find(t, "area_um2")) != SIZE_MAX)
        c->mm2 = 1e-6;
    if (c->size == SIZE_MAX || c->width == SIZE_MAX || c->read == SIZE_MAX)
        return sc_csv_fail(t, 0, 0,
                           "columns needed: size (bytes, or with a unit), width (bits), energy_pj "
                           "or read_pj; others: write_pj, area_mm2 or area_um2");
    return SC_OK;
}

static sc_status above_zero(double *out, const sc_csv *t, size_t row, size_t column)
{
    const sc_status st = sc_csv_number(out, t, row, column);
    if (st != SC_OK)
        return st;
    return *out > 0 ? SC_OK : sc_csv_fail(t, row, column, "a figure above 0");
}

static sc_status read_macro(macro *m, const sc_csv *t, const columns *c, size_t row)
{
    sc_status st = SC_OK;
    m->row = row;
    m->area_mm2 = 0;
    if (sc_quantity_parse(&m->size, sc_csv_cell(t, row, c->size), SC_UNIT_BYTES) != SC_OK)
        return sc_csv_fail(t, row, c->size, "%s", sc_error_message());
    if (!(m->size >= 1))
        return sc_csv_fail(t, row, c->size, "a memory has a byte or more");
    if ((st = above_zero(&m->width_bits, t, row, c->width)) != SC_OK ||
        (st = above_zero(&m->read_pj, t, row, c->read)) != SC_OK ||
        (st = above_zero(&m->write_pj, t, row, c->write)) != SC_OK)
        return st;
    if (c->area != SIZE_MAX) {
        if ((st = above_zero(&m->area_mm2, t, row, c->area)) != SC_OK)
            return st;
        m->area_mm2 *= c->mm2;
    }
    return SC_OK;
}

/* By size; of one size the one whose width is nearest to 64 bits first, then by row. */
static int order(const void *a, const void *b)
{
    const macro *x = a, *y = b;
    const double dx = fabs(log2(x->width_bits / 64)), dy = fabs(log2(y->width_bits / 64));
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (dx != dy)
        return dx < dy ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static sc_status read_macros(macro **out, size_t *n, const sc_csv *t)
{
    columns c;
    sc_status st = find_columns(&c, t);
    const size_t rows = sc_csv_rows(t);
    if (st != SC_OK)
        return st;
    if (rows < 2 || rows - 1 > MAX_MACROS)
        return sc_csv_fail(t, 0, 0, "a table of memories has 1 to %d rows", MAX_MACROS);
    macro *m = sc_calloc(rows - 1, sizeof *m);
    if (!m)
        return SC_ENOMEM;
    for (size_t i = 0; i + 1 < rows && st == SC_OK; i++)
        st = read_macro(&m[i], t, &c, i + 1);
    if (st != SC_OK) {
        sc_free(m);
        return st;
    }
    qsort(m, rows - 1, sizeof *m, order);
    size_t kept = 1;
    for (size_t i = 1; i + 1 < rows; i++)
        if (m[i].size != m[kept - 1].size)
            m[kept++] = m[i];
    *out = m;
    *n = kept;
    return SC_OK;
}

/* One curve over the memories. Values: which figure of a memory it is. */
typedef double figure_of(const macro *m);
static double read_of(const macro *m)
{
    return m->read_pj * 64 / m->width_bits;
}
static double write_of(const macro *m)
{
    return m->write_pj * 64 / m->width_bits;
}
static double density_of(const macro *m)
{
    return m->area_mm2 / (m->size / MIB);
}

static sc_status set_curve(const import *to, const sc_csv *csv, const char *suffix,
                           const char *unit, figure_of *figure, const macro *m, size_t n)
{
    char where[192], shown[SC_SHOWN_LEN], name[2 * SC_NAME_LEN];
    sc_tech *t = to->t;
    const sc_node *at = to->at;
    (void)snprintf(name, sizeof name, "%s%s", to->memory_class, suffix);
    sc_curve c = {.name = sc_arena__text(t->arena, at, name), .unit = unit};
    if (n > SC_MAX_CURVE_POINTS)
        return sc_csv_fail(csv, 0, 0, "at most %d sizes", SC_MAX_CURVE_POINTS);
    for (size_t i = 0; i < n; i++) {
        c.size[i] = m[i].size;
        c.value[i] = figure(&m[i]);
        (void)snprintf(where, sizeof where, "%s:%d", sc_text_show(shown, sc_csv_name(csv)),
                       sc_csv_line(csv, m[i].row));
        c.source[i] = sc_arena__text(t->arena, at, where);
        c.n = i + 1;
        if (!(c.value[i] > 0 && isfinite(c.value[i])))
            return sc_csv_fail(csv, m[i].row, 0, "%s comes out as %g", name, c.value[i]);
        if (i > 0 && sc_curve__fault(&c, i))
            return sc_csv_fail(csv, m[i].row, 0, "a larger memory %s than that of line %d",
                               sc_curve__fault(&c, i), sc_csv_line(csv, m[i - 1].row));
    }
    sc_curve__prepare(&c);
    sc_curve *slot = c.name ? sc_tech__slot(t, at, c.name) : NULL;
    if (slot)
        *slot = c;
    return SC_OK;
}

static sc_status import_csv(const import *to, const char *path)
{
    sc_csv *csv = NULL;
    macro *m = NULL;
    size_t n = 0;
    sc_status st = sc_csv_open(&csv, path);
    if (st != SC_OK || (st = read_macros(&m, &n, csv)) != SC_OK)
        goto done;
    if ((st = set_curve(to, csv, "_pj", "pJ per 64 bits", read_of, m, n)) != SC_OK ||
        (st = set_curve(to, csv, "_write_pj", "pJ per 64 bits", write_of, m, n)) != SC_OK)
        goto done;
    if (m && m[0].area_mm2 > 0)
        st = set_curve(to, csv, "_mm2_per_mib", "mm2 per MiB", density_of, m, n);
done:
    sc_free(m);
    sc_csv_close(csv);
    return st;
}

/* What sc_ert_tables hands over goes into the table; one component too many is recorded once. */
typedef struct taking {
    sc_tech *t;
    const sc_node *at;
    double to_64_bits; /* times an energy of theirs */
} taking;

static void take(void *context, const sc_ert_entry *e)
{
    const taking *to = context;
    sc_tech *t = to->t;
    size_t i = 0;
    while (i < t->n_measured && strcmp(t->measured[i].name, e->name) != 0)
        i++;
    if (i == SC_MAX_MEASURED) {
        if (i == t->n_measured++)
            sc_node_error(to->at, "more than %d components", SC_MAX_MEASURED);
        return;
    }
    if (i == t->n_measured)
        t->n_measured++;
    t->measured[i] = *e;
    for (int action = 0; action < SC_ERT_ACTIONS; action++)
        if (action != SC_ERT_COMPUTE && action != SC_ERT_LEAK)
            t->measured[i].pj[action] *= to->to_64_bits;
    t->measured[i].largest *= to->to_64_bits;
}

static sc_status import_ert(const import *to, const char *path)
{
    sc_tech *t = to->t;
    const sc_node *at = to->at;
    double width_bits = 0;
    sc_yaml *y = NULL;
    if (!sc_map_number(&width_bits, at, "width_bits", SC_UNIT_NONE))
        return SC_OK; /* recorded where it stands */
    if (!(width_bits >= 1)) {
        sc_node_error(sc_node_get(at, "width_bits"), "an access moves a bit or more");
        return SC_OK;
    }
    sc_status st = sc_yaml_open(&y, path);
    if (st != SC_OK)
        return st;
    const sc_node *root = sc_yaml_root(y);
    const sc_node *ert = sc_node_get(root, "ERT");
    const sc_node *tables = sc_node_get(ert ? ert : root, "tables");
    if (tables && sc_node_count(tables) == 0)
        sc_node_error(tables, "no entry in this table");
    sc_ert_tables(ert ? ert : root, take, &(taking){t, root, 64 / width_bits});
    if (t->n_measured > SC_MAX_MEASURED)
        t->n_measured = SC_MAX_MEASURED;
    t->ert = sc_arena__text(t->arena, at, path);
    st = sc_yaml_status(y);
    sc_yaml_close(y);
    return st;
}

/* Errors of an imported file come at their own places, behind that of the node that names it. */
static void import_file(const import *to, sc_buf *text, const char *name, const char *path,
                        sc_status (*take_file)(const import *, const char *))
{
    char *folder = sc_path_folder(path), *full = folder ? sc_path_join(folder, name) : NULL;
    char *bytes = NULL;
    size_t n = 0;
    const sc_node *at = to->at;
    sc_status st = full ? take_file(to, full) : SC_ENOMEM;
    if (st == SC_OK && (st = sc_file_read(&bytes, &n, full, (size_t)1 << 28)) == SC_OK)
        sc_buf_append(text, bytes, n);
    if (st == SC_ENOMEM)
        sc_node_fail(at, st);
    else if (st != SC_OK)
        sc_node_error(at, "%s", sc_error_message());
    sc_free(bytes);
    sc_free(full);
    sc_free(folder);
}

/* {CLASS: file}: memories of classes that the table has densities of. */
static void import_classes(sc_tech *t, sc_buf *text, const sc_node *map, const char *path)
{
    for (size_t i = 0; i < sc_node_count(map); i++) {
        const import to = {t, sc_node_key_node(map, i), sc_node_key(map, i)};
        const char *name = NULL;
        if (sc_tech__curve(t, to.at, to.memory_class, "_mm2_per_mib") &&
            sc_map_text(&name, map, to.memory_class))
            import_file(&to, text, name, path, import_csv);
    }
}

void sc_tech__import(sc_tech *t, sc_buf *text, const sc_node *map, const char *path)
{
    static const char *const KEYS[] = {"file", "width_bits"};
    const sc_node *sram = sc_node_get(map, "sram"), *ert = sc_node_get(map, "ert");
    const char *name = NULL;
    if (sram && sc_node_kind_of(sram) == SC_NODE_MAP)
        import_classes(t, text, sram, path);
    else if (sram && sc_map_text(&name, map, "sram"))
        import_file(&(import){t, sram, "sram"}, text, name, path, import_csv);
    if (!ert)
        return;
    (void)sc_map_only(ert, KEYS, 2);
    if (sc_map_text(&name, ert, "file"))
        import_file(&(import){t, ert, NULL}, text, name, path, import_ert);
}
