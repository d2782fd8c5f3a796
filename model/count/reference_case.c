#include "model/count/reference_case.h"

#include <string.h>

#include "core/log.h"
#include "core/yaml.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_constraints.h"
#include "model/count/reference_files.h"
#include "model/count/reference_mapping.h"
#include "model/count/reference_node.h"
#include "workloads/reference_problem.h"

enum { ARCHITECTURE, PROBLEM, MAPPING, ERT, MACRO, ROLES };

enum { TENSOR_BITS = 16 }; /* of no account: these levels count words */

static const char *const architecture_names[] = {"architecture", "arch"};
static const char *const problem_names[] = {"problem", "prob"};
static const char *const mapping_names[] = {"mapping", "map"};
static const char *const ert_names[] = {"ERT"};
static const char *const name_sections[] = {"macro", "macros", "variables"};

/* The files of a case and which one each role was asked to be in. */
typedef struct case_files {
    sc_reference_files files;
    size_t role[ROLES]; /* SIZE_MAX: anywhere */
} case_files;

/* A section, its role's own file first. */
static const sc_node *section(const sc_yaml **doc, const case_files *f, unsigned role,
                              const char *const *names, size_t n)
{
    return sc_reference_section(doc, &f->files, f->role[role], names, n, role != MACRO);
}

/* The same where there must be one; recorded in its own file, or in the first, if it is missing. */
static const sc_node *need(const sc_yaml **doc, const case_files *f, unsigned role,
                           const char *const *names, size_t n)
{
    const sc_node *found = section(doc, f, role, names, n);
    size_t at = f->role[role] < f->files.n ? f->role[role] : 0;
    while (at < f->files.n && !f->files.doc[at])
        at++;
    if (!found && at < f->files.n && sc_reference_files_whole(&f->files))
        sc_node_error(sc_yaml_root(f->files.doc[at]), "no '%s' section in %s", names[0],
                      f->files.n == 1 ? "this file" : "these files");
    return found;
}

/* Statuses of the readers are gathered later, a document at a time: `failed` says there is one. */
static void read_sections(sc_reference_case *c, const case_files *f, bool must_map)
{
    const sc_yaml *doc = NULL;
    bool failed = false;
    const sc_node *names = f->role[MACRO] < f->files.n ? need(&doc, f, MACRO, name_sections, 3)
                                                       : section(&doc, f, MACRO, name_sections, 3);
    const sc_node *const architecture = need(&doc, f, ARCHITECTURE, architecture_names, 2);
    const sc_node *n = architecture;
    failed |= !n || sc_reference_arch_read(&c->arch, doc, n, names) != SC_OK;
    n = need(&doc, f, PROBLEM, problem_names, 2);
    failed |= !n || sc_reference_problem_read(&c->problem, doc, n, names, TENSOR_BITS) != SC_OK;
    n = f->role[ERT] < f->files.n ? need(&doc, f, ERT, ert_names, 1)
                                  : section(&doc, f, ERT, ert_names, 1);
    if (n && !failed)
        failed |= sc_reference_ert_read(&c->arch, doc, n) != SC_OK;
    c->ert = n != NULL;
    if (!failed) {
        const sc_reference_dims dims = {&c->problem, names};
        c->n_constraints = sc_reference_constraints_read(&c->constraints, &f->files, architecture,
                                                         &dims, &c->arch);
    }
    n = must_map ? need(&doc, f, MAPPING, mapping_names, 2)
                 : section(&doc, f, MAPPING, mapping_names, 2);
    if (n && !failed && (must_map || sc_node_count(n) > 0))
        c->mapped =
            sc_reference_mapping_read(&c->mapping, doc, n, names, &c->problem, &c->arch) == SC_OK;
    if (c->mapped && c->n_constraints > 0)
        sc_reference_constraints_hold(n, &c->constraints, &c->mapping, &c->problem, &c->arch);
}

/* With the files added: read them and close them. */
static sc_status read_case(sc_reference_case *out, case_files *f, bool must_map)
{
    sc_reference_case c = {.mapped = false};
    sc_reference_files_check(&f->files);
    if (f->files.n > 0)
        read_sections(&c, f, must_map);
    const sc_status st = sc_reference_files_end(&f->files);
    if (st == SC_OK)
        *out = c;
    sc_reference_files_close(&f->files);
    return st;
}

sc_status sc_reference_case_read(sc_reference_case *out, const char *architecture_path,
                                 const char *problem_path, const char *mapping_path,
                                 const sc_reference_options *o)
{
    const sc_reference_options defaults = SC_REFERENCE_OPTIONS_INIT;
    case_files f = {.files.n = 0};
    if (!o)
        o = &defaults;
    const char *const path[ROLES] = {architecture_path, problem_path, mapping_path, o->ert_path,
                                     o->macro_path};
    for (unsigned i = 0; i < ROLES; i++)
        f.role[i] = path[i] ? sc_reference_files_add(&f.files, path[i]) : SIZE_MAX;
    return read_case(out, &f, mapping_path != NULL);
}

sc_status sc_reference_case_read_text(sc_reference_case *out, const char *name, const char *text,
                                      size_t length)
{
    case_files f = {.files.n = 0};
    for (unsigned i = 0; i < ROLES; i++)
        f.role[i] = SIZE_MAX;
    (void)sc_reference_files_add_text(&f.files, name, text, length);
    return read_case(out, &f, false);
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

void sc_reference_case_rules(sc_reference_case *c, sc_count_options *o)
{
    int linked = -1, alone = -1; /* levels whose children may pass words on, and may not */
    for (int l = 0; l < (int)c->arch.n_levels; l++) {
        const sc_level_limits *limits = &c->constraints.level[l];
        sc_level *level = &c->arch.level[l];
        level->no_multicast |= limits->no_multicast;
        level->no_reduction |= limits->no_multicast;
        if (level->fanout_x * level->fanout_y > 1)
            *(limits->no_links ? &alone : &linked) = l;
    }
    if (alone < 0 || o->links == SC_LINKS_NONE)
        return;
    if (linked >= 0)
        sc_log(
            SC_LOG_WARNING,
            "'no_link_transfer' at %s is taken to hold at %s too: links are everywhere or nowhere",
            c->arch.level[alone].name, c->arch.level[linked].name);
    o->links = SC_LINKS_NONE;
}
