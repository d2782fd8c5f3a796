#include "model/count/reference_case.h"

#include <string.h>

#include "core/buf.h"
#include "core/log.h"
#include "core/yaml.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_mapping.h"
#include "model/count/reference_node.h"
#include "workloads/reference_problem.h"

enum { ARCHITECTURE, PROBLEM, MAPPING, ERT, MACRO, FILES };

enum { TENSOR_BITS = 16 }; /* of no account: these levels count words */

/* The files of one case, each opened once, however many roles it has. */
typedef struct case_files {
    const char *path[FILES]; /* NULL: none */
    sc_yaml *doc[FILES];     /* of the first role of each path */
    unsigned of[FILES];      /* which doc a role reads */
    sc_buf errors;
    sc_status status; /* of the first failure */
} case_files;

static void note_failure(case_files *f, sc_status st)
{
    if (st == SC_OK)
        return;
    if (f->errors.length > 0)
        sc_buf_puts(&f->errors, "\n");
    sc_buf_puts(&f->errors, sc_error_message());
    if (f->status == SC_OK || st == SC_ENOMEM)
        f->status = st;
}

static void open_files(case_files *f)
{
    for (unsigned i = 0; i < FILES; i++) {
        f->of[i] = i;
        for (unsigned k = 0; k < i && f->path[i]; k++)
            if (f->path[k] && strcmp(f->path[i], f->path[k]) == 0) {
                f->of[i] = k;
                break;
            }
        if (f->path[i] && f->of[i] == i)
            note_failure(f, sc_yaml_open(&f->doc[i], f->path[i]));
    }
}

static const sc_yaml *doc_of(const case_files *f, unsigned role)
{
    return f->path[role] ? f->doc[f->of[role]] : NULL;
}

/* The section of a role in its own file; recorded there if it is missing. */
static const sc_node *section(const case_files *f, unsigned role, const char *name,
                              const char *other)
{
    const sc_yaml *doc = doc_of(f, role);
    const char *const names[] = {name, other};
    if (!doc)
        return NULL;
    const sc_node *found = sc_reference_get(sc_yaml_root(doc), names, 2);
    if (!found)
        sc_node_error(sc_yaml_root(doc), "no '%s' section in this file", name);
    return found;
}

/* A section that may stand in any file: its own first. */
static const sc_node *find_anywhere(const sc_yaml **doc, const case_files *f, unsigned role,
                                    const char *name)
{
    const unsigned order[] = {role, ARCHITECTURE, PROBLEM, MAPPING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        *doc = doc_of(f, order[i]);
        const sc_node *found = *doc ? sc_node_get(sc_yaml_root(*doc), name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* Statuses of the readers are gathered later, a document at a time: `failed` says there is one. */
static void read_sections(sc_reference_case *c, case_files *f)
{
    const sc_yaml *doc;
    bool failed = false;
    const sc_node *macros = find_anywhere(&doc, f, MACRO, "macro");
    if (!macros && f->path[MACRO])
        (void)section(f, MACRO, "macro", "macros");
    const sc_node *n = section(f, ARCHITECTURE, "architecture", "arch");
    if (n)
        failed |= sc_reference_arch_read(&c->arch, doc_of(f, ARCHITECTURE), n) != SC_OK;
    failed |= !n;
    n = section(f, PROBLEM, "problem", "prob");
    if (n)
        failed |= sc_reference_problem_read(&c->problem, doc_of(f, PROBLEM), n, macros,
                                            TENSOR_BITS) != SC_OK;
    failed |= !n;
    n = find_anywhere(&doc, f, ERT, "ERT");
    if (!n && f->path[ERT])
        (void)section(f, ERT, "ERT", "ert");
    if (n && !failed)
        failed |= sc_reference_ert_read(&c->arch, doc, n) != SC_OK;
    n = f->path[MAPPING] ? section(f, MAPPING, "mapping", "map") : NULL;
    if (n && !failed)
        c->mapped = sc_reference_mapping_read(&c->mapping, doc_of(f, MAPPING), n, macros,
                                              &c->problem, &c->arch) == SC_OK;
}

static void log_warnings(const sc_yaml *doc)
{
    const char *line = sc_yaml_warnings(doc);
    while (*line) {
        const size_t length = strcspn(line, "\n");
        sc_log(SC_LOG_WARNING, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

sc_status sc_reference_case_read(sc_reference_case *out, const char *architecture_path,
                                 const char *problem_path, const char *mapping_path,
                                 const sc_reference_options *o)
{
    const sc_reference_options defaults = SC_REFERENCE_OPTIONS_INIT;
    sc_reference_case c = {.mapped = false};
    case_files f = {.status = SC_OK};
    if (!o)
        o = &defaults;
    f.path[ARCHITECTURE] = architecture_path;
    f.path[PROBLEM] = problem_path;
    f.path[MAPPING] = mapping_path;
    f.path[ERT] = o->ert_path;
    f.path[MACRO] = o->macro_path;
    sc_buf_init(&f.errors);
    open_files(&f);
    read_sections(&c, &f);
    for (unsigned i = 0; i < FILES; i++) {
        if (!f.doc[i])
            continue;
        note_failure(&f, sc_yaml_status(f.doc[i]));
        log_warnings(f.doc[i]);
        sc_yaml_close(f.doc[i]);
    }
    if (f.errors.status != SC_OK)
        f.status = f.errors.status;
    else if (f.status != SC_OK)
        (void)sc_fail(f.status, "%s", f.errors.text);
    else
        *out = c;
    sc_buf_clear(&f.errors);
    return f.status;
}

sc_status sc_reference_count_options(sc_count_options *out, const sc_reference_options *o)
{
    const sc_reference_options defaults = SC_REFERENCE_OPTIONS_INIT;
    static const char *const names[] = {"none", "true", "reference"};
    sc_count_options options = SC_COUNT_OPTIONS_INIT;
    if (!o)
        o = &defaults;
    options.reuse_pre_2025 = o->reuse_pre_2025 != 0;
    options.charge_drain = o->charge_drain != 0;
    options.links = SC_LINKS_REFERENCE;
    if (o->links) {
        unsigned i = 0;
        while (i < 3 && strcmp(o->links, names[i]) != 0)
            i++;
        if (i == 3)
            return sc_fail(SC_EINVAL, "links '%s' is none of none, true, reference", o->links);
        options.links = (sc_links)i;
    }
    *out = options;
    return SC_OK;
}
