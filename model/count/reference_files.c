#include "model/count/reference_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/log.h"
#include "core/mem.h"
#include "core/text.h"
#include "model/count/reference_node.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum {
    MAX_BYTES = 64 << 20,
    MAX_FOLDERS = 8,    /* in one another */
    MAX_ENTRIES = 4096, /* of one folder */
    MAX_DEPTH = 100     /* of nodes: what the parser lets through */
};

static void note_failure(sc_reference_files *f, sc_status st)
{
    if (st == SC_OK)
        return;
    if (f->errors.length > 0)
        sc_buf_puts(&f->errors, "\n");
    sc_buf_puts(&f->errors, sc_error_message());
    if (f->status == SC_OK || st == SC_ENOMEM)
        f->status = st;
}

/* ---- files that are not YAML yet ---- */

/* Whether a byte of the text stands behind a # that begins a comment. */
static bool in_comment(const char *text, const char *at)
{
    const char *line = at;
    while (line > text && line[-1] != '\n')
        line--;
    for (; line < at; line++)
        if (*line == '#' && (line == text || strchr(" \t\n", line[-1])))
            return true;
    return false;
}

/* A file of another language under a YAML name. */
static sc_status check_language(const char *path, const char *text)
{
    static const struct {
        const char *mark, *language;
    } marks[] = {{"{{", "Jinja"}, {"{%", "Jinja"}, {"<%", "ERB or Mako"}, {"${", "Mako or shell"}};
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        for (const char *at = text; (at = strstr(at, marks[i].mark)); at++) {
            if (in_comment(text, at))
                continue;
            const sc_place p = sc_text_place(text, (size_t)(at - text));
            return sc_fail(SC_EPARSE,
                           "%s:%d:%d: error: '%s' begins a template (%s), which is not read: "
                           "expand it first",
                           path, p.line, p.column, marks[i].mark, marks[i].language);
        }
    const char *end = strstr(text, "};");
    if (end && strstr(text, "= {") && !in_comment(text, end)) {
        const sc_place p = sc_text_place(text, (size_t)(end - text));
        return sc_fail(SC_EPARSE,
                       "%s:%d:%d: error: '};' is of the libconfig language, which is not read: "
                       "write the file as YAML",
                       path, p.line, p.column);
    }
    return SC_OK;
}

/* text ends in a NUL behind its n bytes. */
static sc_status parse_document(sc_yaml **out, const char *name, const char *text, size_t n)
{
    sc_yaml *y = NULL;
    sc_status st = check_language(name, text);
    if (st == SC_OK)
        st = sc_yaml_parse(&y, name, text, n);
    if (st == SC_OK && (st = sc_yaml_merge_deep(y, "<<<")) != SC_OK)
        sc_yaml_close(y);
    if (st == SC_OK)
        *out = y;
    return st;
}

static sc_status open_document(sc_yaml **out, const char *path)
{
    char *text = NULL;
    size_t length;
    sc_status st = sc_file_read(&text, &length, path, MAX_BYTES);
    if (st == SC_OK)
        st = parse_document(out, path, text, length);
    sc_free(text);
    return st;
}

/* ---- folders ---- */

static bool is_yaml(const char *name)
{
    static const char *const endings[] = {".yaml", ".yml"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const size_t k = strlen(endings[i]);
        if (n > k && strcmp(name + n - k, endings[i]) == 0)
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static sc_status list_folder(char ***names, size_t *n, const char *path)
{
    DIR *folder = opendir(path);
    sc_status st = SC_OK;
    *n = 0;
    *names = folder ? sc_calloc(MAX_ENTRIES, sizeof **names) : NULL;
    if (!folder)
        return sc_fail(SC_EIO, "%s: %s", path, strerror(errno));
    if (!*names)
        st = SC_ENOMEM;
    for (struct dirent *e; st == SC_OK && (e = readdir(folder));) {
        if (e->d_name[0] == '.')
            continue;
        if (*n == MAX_ENTRIES)
            st = sc_fail(SC_EPARSE, "%s:1:1: error: a folder of more than %d entries", path,
                         MAX_ENTRIES);
        else if (!((*names)[*n] = sc_strdup(e->d_name)))
            st = SC_ENOMEM;
        else
            (*n)++;
    }
    (void)closedir(folder);
    if (*names)
        qsort(*names, *n, sizeof **names, by_name);
    return st;
}

/* Make the next place in the set; s is of the file, NULL for a text. */
static bool take_name(sc_reference_files *f, const char *name, const struct stat *s)
{
    if (f->n == SC_REFERENCE_FILES)
        note_failure(
            f, sc_fail(SC_EPARSE, "%s:1:1: error: more than %d files", name, SC_REFERENCE_FILES));
    else if (!(f->path[f->n] = sc_strdup(name)))
        note_failure(f, SC_ENOMEM);
    else {
        f->doc[f->n] = NULL;
        f->device[f->n] = s ? s->st_dev : 0;
        f->inode[f->n] = s ? s->st_ino : 0;
        return true;
    }
    return false;
}

static size_t add(sc_reference_files *f, const char *path, unsigned depth, bool asked);

static void add_folder(sc_reference_files *f, const char *path, unsigned depth)
{
    char **names = NULL;
    size_t n = 0;
    const size_t before = f->n;
    note_failure(f, list_folder(&names, &n, path));
    for (size_t i = 0; i < n; i++) {
        char *inside = sc_path_join(path, names[i]);
        if (inside)
            (void)add(f, inside, depth + 1, false);
        else
            note_failure(f, SC_ENOMEM);
        sc_free(inside);
        sc_free(names[i]);
    }
    sc_free(names);
    if (depth == 0 && f->n == before && f->status == SC_OK)
        note_failure(f, sc_fail(SC_EPARSE, "%s:1:1: error: no .yaml file in this folder", path));
}

/* What stands in a folder is passed over unless it is YAML; what was asked for must be. */
static size_t add(sc_reference_files *f, const char *path, unsigned depth, bool asked)
{
    struct stat s = {.st_ino = 0};
    const bool there = stat(path, &s) == 0;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->path[i], path) == 0 ||
            (there && s.st_ino == f->inode[i] && s.st_dev == f->device[i]))
            return i;
    if (there && S_ISDIR(s.st_mode)) {
        if (depth < MAX_FOLDERS)
            add_folder(f, path, depth);
        return SIZE_MAX;
    }
    if (!asked && !is_yaml(path))
        return SIZE_MAX;
    if (!take_name(f, path, &s))
        return SIZE_MAX;
    note_failure(f, open_document(&f->doc[f->n], path));
    return f->n++;
}

size_t sc_reference_files_add_text(sc_reference_files *f, const char *name, const char *text,
                                   size_t length)
{
    if (!take_name(f, name, NULL))
        return SIZE_MAX;
    note_failure(f, parse_document(&f->doc[f->n], name, text, length));
    return f->n++;
}

size_t sc_reference_files_add(sc_reference_files *f, const char *path)
{
    return add(f, path, 0, true);
}

/* ---- sections ---- */

static bool is_empty(const sc_node *n)
{
    return n &&
           (sc_node_is_null(n) || (sc_node_kind_of(n) != SC_NODE_SCALAR && sc_node_count(n) == 0));
}

const sc_node *sc_reference_section(const sc_yaml **doc, const sc_reference_files *f, size_t first,
                                    const char *const *names, size_t n, bool once)
{
    const sc_node *found = NULL;
    for (size_t step = 0; step <= f->n; step++) {
        const size_t i = step == 0 ? first : step - 1;
        if (i >= f->n || !f->doc[i] || (step > 0 && i == first))
            continue;
        for (size_t k = 0; k < n && !(found && !once); k++) {
            const sc_node *section = sc_reference_key(sc_yaml_root(f->doc[i]), names[k]);
            if (!section || (once && is_empty(section)))
                continue;
            if (found)
                sc_node_error(section, "a second '%s' section: the first is at %s:%d", names[0],
                              sc_yaml_name(*doc), sc_node_line(found));
            else
                *doc = f->doc[i];
            found = found ? found : section;
        }
        if (found && (!once || i == first))
            break;
    }
    return found;
}

bool sc_reference_files_whole(const sc_reference_files *f)
{
    bool whole = f->status == SC_OK;
    for (size_t i = 0; i < f->n; i++)
        whole = whole && f->doc[i] && sc_node_kind_of(sc_yaml_root(f->doc[i])) == SC_NODE_MAP;
    return whole;
}

static void check_tags(const sc_node *n, unsigned depth)
{
    char shown[SC_SHOWN_LEN];
    const char *tag = sc_node_tag(n);
    if (strncmp(tag, "!include", 8) == 0)
        sc_node_error(n, "'%s' is not read: give the file it names beside this one",
                      sc_text_show(shown, tag));
    for (size_t i = 0; depth < MAX_DEPTH && i < sc_node_count(n); i++)
        check_tags(sc_node_item(n, i), depth + 1);
}

/* Sections that bind names, which no reader asks for a kind of its own. */
static void check_names(const sc_node *root)
{
    static const char *const sections[] = {"macro", "macros", "variables"};
    for (size_t i = 0; i < COUNT_OF(sections); i++) {
        const sc_node *section = sc_reference_key(root, sections[i]);
        if (section && !is_empty(section) && sc_node_kind_of(section) != SC_NODE_MAP)
            sc_node_error(section, "'%s' must be a map of names to numbers", sections[i]);
    }
}

void sc_reference_files_check(const sc_reference_files *f)
{
    static const char *const used[] = {"architecture",
                                       "arch",
                                       "problem",
                                       "prob",
                                       "mapping",
                                       "map",
                                       "ERT",
                                       "ART",
                                       "macro",
                                       "macros",
                                       "variables",
                                       "mapspace",
                                       "mapspace_constraints",
                                       "architecture_constraints",
                                       "arch_constraints",
                                       "constraints",
                                       "sparse_optimizations"};
    static const char *const idle[] = {"compound_components",
                                       "primitive_components",
                                       "mapper",
                                       "globals",
                                       "version",
                                       "dumped_by_timeloop_front_end",
                                       "flattened_architecture",
                                       "ERT_summary",
                                       "ART_summary",
                                       "energy_estimation",
                                       "action_counts",
                                       "model",
                                       "output",
                                       "output_dir",
                                       "out_prefix",
                                       "verbose",
                                       "layout",
                                       "tileflow_mapper",
                                       "check"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), true};
    for (size_t i = 0; i < f->n; i++) {
        const sc_node *root = f->doc[i] ? sc_yaml_root(f->doc[i]) : NULL;
        if (!root)
            continue;
        if (sc_node_kind_of(root) != SC_NODE_MAP)
            sc_node_error(root, "expected a map of sections (architecture, problem, ...)");
        else
            sc_reference_check_keys(root, &keys);
        const sc_node *sparse = sc_reference_key(root, "sparse_optimizations");
        if (sparse && !is_empty(sparse))
            sc_node_warning(sparse, "sparse optimizations are not modelled: tensors are dense");
        check_names(root);
        check_tags(root, 0);
    }
}

/* ---- what was said ---- */

/* Whether the text of a warning, without its place, stands in an earlier line of the document. */
static bool said_before(const char *all, const char *line, size_t length)
{
    const char *text = strstr(line, ": warning: ");
    if (!text || text >= line + length)
        return false;
    const size_t n = (size_t)(line + length - text);
    for (const char *at = all; at < line; at++)
        if (*at == ':' && strncmp(at, text, n) == 0 && (at[n] == '\n' || at[n] == '\0'))
            return true;
    return false;
}

void sc_reference_warnings(const sc_reference_files *f,
                           void (*note)(void *context, const char *line, size_t length),
                           void *context)
{
    for (size_t i = 0; i < f->n; i++) {
        const char *all = f->doc[i] ? sc_yaml_warnings(f->doc[i]) : "", *line = all;
        while (*line) {
            const size_t length = strcspn(line, "\n");
            if (!said_before(all, line, length))
                note(context, line, length);
            line += length + (line[length] == '\n');
        }
    }
}

static void log_warning(void *context, const char *line, size_t length)
{
    (void)context;
    sc_log(SC_LOG_WARNING, "%.*s", (int)length, line);
}

sc_status sc_reference_files_end(sc_reference_files *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->doc[i])
            note_failure(f, sc_yaml_status(f->doc[i]));
    sc_reference_warnings(f, log_warning, NULL);
    if (f->errors.status != SC_OK)
        return f->errors.status;
    return f->status == SC_OK ? SC_OK : sc_fail(f->status, "%s", f->errors.text);
}

void sc_reference_files_close(sc_reference_files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        sc_yaml_close(f->doc[i]);
        sc_free(f->path[i]);
    }
    f->n = 0;
    sc_buf_clear(&f->errors);
}
