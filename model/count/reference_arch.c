#include "model/count/reference_arch.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "model/count/reference_component.h"
#include "model/count/reference_walk.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static void read_locals(sc_reference_builder *r, const sc_node *node, uint64_t copies)
{
    const sc_node *local = sc_node_get(node, "local");
    if (!local || sc_node_is_null(local))
        return;
    if (sc_node_kind_of(local) != SC_NODE_SEQUENCE) {
        sc_node_error(local, "local must be a list of components");
        return;
    }
    for (size_t i = 0; i < sc_node_count(local); i++)
        sc_reference_component(r, sc_node_item(local, i), (sc_reference_place){copies, 0, 0});
}

/* Attributes of a subtree are shared by whoever estimates energies; levels do not inherit them. */
static void read_shared(sc_reference_builder *r, const sc_node *attributes)
{
    static const char *const own[] = {"word_bits", "word_width", "datawidth", "block_size",
                                      "width",     "depth",      "entries",   "cluster_size",
                                      "instances", "meshX",      "meshY"};
    for (size_t i = 0; i < sc_node_count(attributes); i++)
        for (size_t k = 0; k < COUNT_OF(own); k++)
            if (sc_reference_same(sc_node_key(attributes, i), own[k]))
                sc_node_warning(sc_node_key_node(attributes, i),
                                "'%s' of a subtree is not inherited: give it to each component",
                                own[k]);
    sc_reference_note_origin(r, attributes);
}

/* The one subtree under a node; NULL if none, or after recording. */
static const sc_node *subtree_of(const sc_node *node)
{
    const sc_node *list = sc_node_get(node, "subtree");
    if (!list || sc_node_is_null(list))
        return NULL;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE || sc_node_count(list) != 1) {
        sc_node_error(list, "subtree must be a list of one: levels form a chain");
        return NULL;
    }
    return sc_node_item(list, 0);
}

/* Nothing is read in another way for it: files are told apart by their keys. */
static void check_version(const sc_node *arch)
{
    static const char *const known[] = {"0.1", "0.2", "0.3", "0.4"};
    char shown[SC_SHOWN_LEN];
    const sc_node *version = sc_reference_key(arch, "version");
    if (!version || sc_node_is_null(version))
        return;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strncmp(sc_node_text(version), known[i], strlen(known[i])) == 0)
            return;
    sc_node_warning(version, "version '%s' is not known here: the file is read as 0.4 is",
                    sc_text_show(shown, sc_node_text(version)));
}

static void read_tree(sc_reference_builder *r, const sc_node *node)
{
    static const char *const used[] = {"name", "local", "subtree", "attributes", "version"};
    const sc_reference_keys keys = {used, COUNT_OF(used), NULL, 0, true};
    uint64_t copies = 1;
    for (; node; node = subtree_of(node)) {
        char name[SC_NAME_LEN];
        uint64_t own;
        const sc_node *name_node = sc_node_get(node, "name");
        if (sc_node_kind_of(node) != SC_NODE_MAP) {
            sc_node_error(node, "a subtree must be a map");
            return;
        }
        sc_reference_check_keys(node, &keys);
        if (sc_node_kind_of(sc_node_get(node, "attributes")) == SC_NODE_MAP)
            read_shared(r, sc_node_get(node, "attributes"));
        if (name_node && sc_reference_name(name, sizeof name, &own, name_node) &&
            __builtin_mul_overflow(copies, own, &copies))
            sc_node_error(name_node, "more than 2^64 - 1 copies");
        read_locals(r, node, copies);
    }
}

/* The oldest form: {arithmetic: {...}, storage: [innermost first]}. */
static void read_plain(sc_reference_builder *r, const sc_node *arch)
{
    static const char *const used[] = {"arithmetic", "storage", "version"};
    const sc_reference_keys keys = {used, COUNT_OF(used), NULL, 0, false};
    const sc_node *storage = sc_map_sequence(arch, "storage");
    sc_reference_check_keys(arch, &keys);
    for (size_t i = sc_node_count(storage); i-- > 0;)
        sc_reference_plain_component(r, sc_node_item(storage, i), false);
    if (sc_node_get(arch, "arithmetic"))
        sc_reference_plain_component(r, sc_node_get(arch, "arithmetic"), true);
}

/* Children under one instance: the mesh of the level inside over that of this one. */
static void read_fanouts(sc_reference_builder *r)
{
    for (unsigned l = 0; l < r->arch.n_levels; l++) {
        const unsigned child = l + 1 < r->arch.n_levels ? l + 1 : SC_MAX_LEVELS;
        if (r->mesh_x[child] % r->mesh_x[l] || r->mesh_y[child] % r->mesh_y[l]) {
            sc_node_error(r->at[child],
                          "a mesh of %llu x %llu does not divide evenly over the %llu x %llu of "
                          "'%s' outside it",
                          (unsigned long long)r->mesh_x[child],
                          (unsigned long long)r->mesh_y[child], (unsigned long long)r->mesh_x[l],
                          (unsigned long long)r->mesh_y[l], r->arch.level[l].name);
            continue;
        }
        r->arch.level[l].fanout_x = r->mesh_x[child] / r->mesh_x[l];
        r->arch.level[l].fanout_y = r->mesh_y[child] / r->mesh_y[l];
    }
}

static void check_names(const sc_reference_builder *r)
{
    for (unsigned l = 0; l < r->arch.n_levels; l++)
        for (unsigned other = 0; other < l; other++)
            if (strcmp(r->arch.level[l].name, r->arch.level[other].name) == 0)
                sc_node_error(r->at[l], "a second component named '%s'", r->arch.level[l].name);
}

/* A level by its number, the innermost being 0; -1 if the text is none. */
static int level_by_number(const sc_arch *a, const char *text)
{
    int64_t number;
    if (!isdigit((unsigned char)text[0]) || sc_integer_read(&number, text) != SC_OK ||
        number >= a->n_levels)
        return -1;
    return (int)(a->n_levels - 1 - number);
}

int sc_reference_target(const sc_arch *a, const sc_node *target, bool spatial)
{
    char names[SC_MAX_LEVELS][SC_NAME_LEN], between[SC_NAME_LEN + 16];
    const char *text = sc_node_text(target);
    int found = -1;
    (void)snprintf(between, sizeof between, "inter_%.*s_spatial", SC_NAME_LEN - 1, text);
    for (unsigned l = 0; l < a->n_levels; l++) {
        memcpy(names[l], a->level[l].name, sizeof names[l]);
        if (strcmp(names[l], text) == 0 && found < 0)
            found = (int)l;
    }
    for (unsigned l = 0; l < a->n_levels && (found < 0 || spatial); l++)
        if (strcmp(names[l], between) == 0)
            return (int)l;
    if (found < 0)
        found = level_by_number(a, text);
    return found >= 0 ? found
                      : sc_reference_position(target, "storage level of the architecture",
                                              (const char(*)[SC_NAME_LEN])names, a->n_levels);
}

bool sc_reference_is_fanout(const sc_level *l)
{
    return l->bounded && l->capacity[0] == 0 && l->may_keep == 0;
}

sc_status sc_reference_arch_read(sc_arch *out, const sc_yaml *doc, const sc_node *architecture,
                                 const sc_node *names)
{
    sc_reference_origin origin;
    return sc_reference_arch_describe(out, &origin, doc, architecture, names);
}

sc_status sc_reference_arch_describe(sc_arch *out, sc_reference_origin *origin, const sc_yaml *doc,
                                     const sc_node *architecture, const sc_node *names)
{
    sc_reference_builder r = {.arch = {.clock_hz = 1e9, .native_batch = 1}};
    r.scope.map[r.scope.n++] = names;
    check_version(architecture);
    if (sc_node_kind_of(architecture) != SC_NODE_MAP)
        sc_node_error(architecture, "the architecture must be a map");
    else if (sc_node_get(architecture, "nodes"))
        sc_reference_walk(&r, architecture);
    else if (sc_node_get(architecture, "storage") || sc_node_get(architecture, "arithmetic"))
        read_plain(&r, architecture);
    else
        read_tree(&r, architecture);
    sc_reference_adopt_compute(&r);
    sc_status st = sc_yaml_status(doc);
    if (st != SC_OK)
        return st;
    if (r.arch.n_levels == 0)
        sc_node_error(architecture, "the architecture has no storage");
    else if (!r.has_compute)
        sc_node_error(architecture, "the architecture has no compute component (a class such as "
                                    "intmac): nothing could be computed on it");
    else
        read_fanouts(&r);
    check_names(&r);
    if ((st = sc_yaml_status(doc)) == SC_OK) {
        *out = r.arch;
        *origin = r.origin;
    }
    return st;
}
