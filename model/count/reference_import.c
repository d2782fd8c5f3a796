#include "model/count/reference_import.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "core/text.h"
#include "model/arch/ert.h"
#include "model/count/reference_constraints.h"
#include "model/count/reference_mapping.h"
#include "workloads/reference_problem.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { TENSOR_BITS = 16, MAX_NOTE = 512 };

void sc_reference_note(sc_reference_notes *notes, const char *fmt, ...)
{
    char text[MAX_NOTE];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sc_text_defuse(text, "");
    if (notes->n == SC_REFERENCE_NOTES)
        return;
    if ((notes->text[notes->n] = sc_strdup(text)))
        notes->n++;
    else
        notes->status = SC_ENOMEM;
}

void sc_reference_notes_clear(sc_reference_notes *notes)
{
    while (notes->n > 0)
        sc_free(notes->text[--notes->n]);
}

/* ---- reading ---- */

static const sc_node *find(const sc_yaml **doc, const sc_reference_files *f, const char *name,
                           const char *other)
{
    const char *const names[] = {name, other};
    return sc_reference_section(doc, f, SIZE_MAX, names, other ? 2 : 1, true);
}

/* Area tables: {tables: [{name, area}]}, in square micrometres. */
static void read_areas(sc_reference_input *in, const sc_node *art)
{
    const sc_node *tables = sc_map_sequence(art, "tables");
    for (size_t i = 0; i < sc_node_count(tables); i++) {
        const sc_node *table = sc_node_item(tables, i);
        char name[SC_NAME_LEN];
        const char *path;
        double area;
        if (!sc_map_text(&path, table, "name") ||
            !sc_map_number(&area, table, "area", SC_UNIT_NONE))
            continue;
        if (area < 0) {
            sc_node_error(sc_node_get(table, "area"), "an area must not be negative");
            continue;
        }
        sc_ert_component(name, sizeof name, path);
        for (unsigned l = 0; l < in->c.arch.n_levels; l++)
            if (strcmp(in->c.arch.level[l].name, name) == 0)
                in->area_um2[l] = area;
        if (strcmp(in->c.arch.compute.name, name) == 0)
            in->area_um2[SC_MAX_LEVELS] = area;
    }
}

/* Tables and directives that need an architecture, those on loops a problem too. */
static void read_rest(sc_reference_input *in, const sc_reference_files *f,
                      const sc_node *architecture, const sc_node *names)
{
    const sc_yaml *doc;
    const sc_node *ert = find(&doc, f, "ERT", NULL);
    if (ert)
        in->c.ert = sc_reference_ert_read(&in->c.arch, doc, ert) == SC_OK;
    const sc_node *art = find(&doc, f, "ART", NULL);
    if (art)
        read_areas(in, art);
    if (!in->has_problem)
        return;
    const sc_reference_dims dims = {&in->c.problem, names};
    in->c.n_constraints =
        sc_reference_constraints_read(&in->c.constraints, f, architecture, &dims, &in->c.arch);
    const sc_node *mapping = find(&doc, f, "mapping", "map");
    if (sc_node_count(mapping) > 0)
        in->c.mapped = sc_reference_mapping_read(&in->c.mapping, doc, mapping, names,
                                                 &in->c.problem, &in->c.arch) == SC_OK;
    if (in->c.mapped && in->c.n_constraints > 0)
        sc_reference_constraints_hold(mapping, &in->c.constraints, &in->c.mapping, &in->c.problem,
                                      &in->c.arch);
}

static void read_input(sc_reference_input *in, const sc_reference_files *f)
{
    static const char *const name_sections[] = {"macro", "macros", "variables"};
    const sc_yaml *doc = NULL;
    const sc_node *names = sc_reference_section(&doc, f, SIZE_MAX, name_sections, 3, false);
    sc_reference_files_check(f);
    const sc_node *architecture = find(&doc, f, "architecture", "arch");
    if (architecture)
        in->has_architecture =
            sc_reference_arch_describe(&in->c.arch, &in->origin, doc, architecture, names) == SC_OK;
    const sc_node *problem = find(&doc, f, "problem", "prob");
    if (problem)
        in->has_problem =
            sc_reference_problem_read(&in->c.problem, doc, problem, names, TENSOR_BITS) == SC_OK;
    const bool nothing = !architecture && !problem && sc_reference_files_whole(f);
    for (size_t i = 0; i < f->n && nothing; i++)
        if (f->doc[i]) {
            sc_node_error(sc_yaml_root(f->doc[i]),
                          "neither an 'architecture' nor a 'problem' section in these files");
            break;
        }
    if (in->has_architecture)
        read_rest(in, f, architecture, names);
}

/* ---- the report ---- */

static sc_status report_problem(json_t *report, const sc_einsum *e, bool *ok)
{
    static const char *const roles[SC_ROLES] = {"input", "weight", "output"};
    json_t *dims = json_array(), *tensors = json_array();
    uint64_t macs = 0, words;
    sc_status st = sc_einsum_macs(&macs, e);
    for (unsigned d = 0; d < e->n_dims; d++) {
        json_t *o = json_object();
        sc_json_set(o, "name", json_string(e->dim_name[d]), ok);
        sc_json_set(o, "bound", sc_json_count(e->bound[d]), ok);
        sc_json_append(dims, o, ok);
    }
    for (unsigned t = 0; st == SC_OK && t < e->n_tensors; t++) {
        json_t *o = json_object();
        st = sc_einsum_volume(&words, e, t, e->bound);
        sc_json_set(o, "name", json_string(e->tensor[t].name), ok);
        sc_json_set(o, "role", json_string(roles[e->tensor[t].role]), ok);
        sc_json_set(o, "elements", sc_json_count(st == SC_OK ? words : 0), ok);
        sc_json_append(tensors, o, ok);
    }
    sc_json_set(report, "problem", json_string(e->name), ok);
    sc_json_set(report, "macs", sc_json_count(macs), ok);
    sc_json_set(report, "dimensions", dims, ok);
    sc_json_set(report, "tensors", tensors, ok);
    return st;
}

/* Of all instances together. */
static json_t *total_words(const sc_level *l)
{
    uint64_t total;
    return __builtin_mul_overflow(l->capacity[0], l->instances, &total)
               ? sc_json_real((double)l->capacity[0] * (double)l->instances)
               : sc_json_count(total);
}

static void report_architecture(json_t *report, const sc_arch *a, bool *ok)
{
    json_t *levels = json_array(), *compute = json_object();
    for (unsigned l = 0; l < a->n_levels; l++) {
        const sc_level *v = &a->level[l];
        json_t *o = json_object();
        sc_json_set(o, "name", json_string(v->name), ok);
        sc_json_set(o, "instances", sc_json_count(v->instances), ok);
        sc_json_set(o, "capacity_words", v->bounded ? sc_json_count(v->capacity[0]) : json_null(),
                    ok);
        sc_json_set(o, "total_words", v->bounded ? total_words(v) : json_null(), ok);
        sc_json_set(o, "word_bits", sc_json_count(v->word_bits), ok);
        sc_json_set(o, "block_words", sc_json_count(v->block_words), ok);
        sc_json_set(o, "cluster_size", sc_json_count(v->cluster_size), ok);
        sc_json_set(o, "fanout_x", sc_json_count(v->fanout_x), ok);
        sc_json_set(o, "fanout_y", sc_json_count(v->fanout_y), ok);
        sc_json_append(levels, o, ok);
    }
    sc_json_set(compute, "name", json_string(a->compute.name), ok);
    sc_json_set(compute, "instances", sc_json_count(a->compute.instances), ok);
    sc_json_set(report, "levels", levels, ok);
    sc_json_set(report, "compute", compute, ok);
}

/* A list of JSON that warnings are added to. */
typedef struct warning_list {
    json_t *list;
    bool *ok;
} warning_list;

static void add_warning(void *context, const char *line, size_t length)
{
    const warning_list *w = context;
    sc_json_append(w->list, json_stringn(line, length), w->ok);
}

static sc_status count_mapping(json_t *report, const sc_reference_input *in, bool *ok)
{
    sc_count_options options;
    json_t *counts = NULL;
    bool fits;
    sc_status st = sc_reference_count_options(&options, NULL);
    if (st == SC_OK)
        st = sc_reference_report(&counts, &fits, &in->c, &in->c.mapping, &options);
    if (st == SC_OK)
        sc_json_set(report, "counts", counts, ok);
    return st;
}

static sc_status make_report(char **out, const sc_reference_input *in, const sc_reference_files *f,
                             const sc_reference_notes *notes)
{
    json_t *report = json_object(), *files = json_array(), *assumptions = json_array();
    bool ok = true;
    sc_status st = SC_OK;
    const warning_list warnings = {json_array(), &ok};
    for (size_t i = 0; i < f->n; i++)
        sc_json_append(files, json_string(f->path[i]), &ok);
    for (size_t i = 0; i < notes->n; i++)
        sc_json_append(assumptions, json_string(notes->text[i]), &ok);
    sc_reference_warnings(f, add_warning, (void *)&warnings);
    sc_json_set(report, "files", files, &ok);
    if (in->has_problem)
        st = report_problem(report, &in->c.problem, &ok);
    if (in->has_architecture)
        report_architecture(report, &in->c.arch, &ok);
    sc_json_set(report, "constraints", sc_json_count(in->c.n_constraints), &ok);
    sc_json_set(report, "mapping", json_boolean(in->c.mapped), &ok);
    sc_json_set(report, "energy_table", json_boolean(in->c.ert), &ok);
    if (st == SC_OK && in->c.mapped)
        st = count_mapping(report, in, &ok);
    sc_json_set(report, "assumptions", assumptions, &ok);
    sc_json_set(report, "warnings", warnings.list, &ok);
    if (st == SC_OK && !ok)
        st = sc_fail(SC_ENOMEM, "out of memory for the report");
    if (st == SC_OK)
        st = sc_json_write(out, report, 1);
    json_decref(report);
    return st;
}

/* ---- the texts ---- */

/* What was assumed, as comments behind a text. */
static void put_comments(sc_buf *b, const sc_reference_notes *notes)
{
    if (notes->n > 0)
        sc_buf_puts(b, "\n# Assumed, or not said in this form:\n");
    for (size_t i = 0; i < notes->n; i++)
        sc_buf_printf(b, "# - %s\n", notes->text[i]);
}

static sc_status take(char **out, sc_buf *b, bool made)
{
    if (made)
        return sc_buf_take(b, out);
    sc_buf_clear(b);
    return SC_OK;
}

static sc_status write_texts(sc_reference_export *e, const sc_reference_input *in,
                             sc_reference_notes *notes)
{
    sc_buf platform, energies, network, mapping, constraints;
    bool has_platform = false, has_network = false;
    sc_buf_init(&platform);
    sc_buf_init(&energies);
    sc_buf_init(&network);
    sc_buf_init(&mapping);
    sc_buf_init(&constraints);
    if (in->has_architecture)
        has_platform = sc_reference_write_platform(&platform, &energies, in, notes);
    if (in->c.mapped && !in->c.ert)
        sc_reference_note(notes, "no energy table: the reference tool's built-in energies, of no "
                                 "node, in the counts; those of our table in the platform");
    if (in->has_problem)
        has_network = sc_reference_write_network(&network, &mapping, &constraints, in, notes);
    put_comments(&platform, notes);
    put_comments(&network, notes);
    sc_status st = take(&e->platform, &platform, has_platform);
    const sc_status others[] = {
        take(&e->energies, &energies, has_platform && in->c.ert),
        take(&e->network, &network, has_network), take(&e->mapping, &mapping, mapping.length > 0),
        take(&e->constraints, &constraints, constraints.length > 0), notes->status};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (st == SC_OK)
            st = others[i];
    return st;
}

sc_status sc_reference_import_files(sc_reference_export *out, sc_reference_files *f)
{
    sc_reference_notes notes = {.n = 0};
    sc_reference_export e = {NULL, NULL, NULL, NULL, NULL, NULL};
    sc_reference_input *in = sc_calloc(1, sizeof *in);
    if (!in)
        return SC_ENOMEM;
    read_input(in, f);
    sc_status st = sc_reference_files_end(f);
    if (st == SC_OK)
        st = write_texts(&e, in, &notes);
    if (st == SC_OK)
        st = make_report(&e.report, in, f, &notes);
    if (st == SC_OK)
        *out = e;
    else
        sc_reference_export_clear(&e);
    sc_reference_notes_clear(&notes);
    sc_free(in);
    return st;
}

sc_status sc_reference_import(sc_reference_export *out, const char *const *paths, size_t n_paths)
{
    sc_reference_files f = {.n = 0};
    if (n_paths == 0)
        return sc_fail(SC_EINVAL, "no file to import");
    for (size_t i = 0; i < n_paths; i++)
        (void)sc_reference_files_add(&f, paths[i]);
    const sc_status st = sc_reference_import_files(out, &f);
    sc_reference_files_close(&f);
    return st;
}

void sc_reference_export_clear(sc_reference_export *e)
{
    if (!e)
        return;
    char *const texts[] = {e->report,  e->platform, e->energies,
                           e->network, e->mapping,  e->constraints};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        sc_free(texts[i]);
    *e = (sc_reference_export){NULL, NULL, NULL, NULL, NULL, NULL};
}
