#include "model/count/reference_arch.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "model/count/reference_node.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum {
    DEFAULT_WORD_BITS = 16, /* of the reference, where none are given */
    MAX_WORD_BITS = 1 << 20
};

/* The architecture while components come in. */
typedef struct arch_reader {
    sc_arch arch;
    uint64_t mesh_x[SC_MAX_LEVELS + 1], mesh_y[SC_MAX_LEVELS + 1]; /* last: the MACs' */
    const sc_node *at[SC_MAX_LEVELS + 1];
    bool has_compute;
} arch_reader;

typedef enum component_kind { STORAGE, COMPUTE, NETWORK, OTHER } component_kind;

/* The reference goes by parts of the class name, in this order. */
static component_kind kind_of(const char *class)
{
    static const struct {
        const char *part;
        component_kind kind;
    } parts[] = {{"DRAM", STORAGE},          {"SRAM", STORAGE},           {"regfile", STORAGE},
                 {"smartbuffer", STORAGE},   {"storage", STORAGE},        {"mac", COMPUTE},
                 {"compute", COMPUTE},       {"XY_NoC", NETWORK},         {"Legacy", NETWORK},
                 {"ReductionTree", NETWORK}, {"SimpleMulticast", NETWORK}};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strstr(class, parts[i].part))
            return parts[i].kind;
    return OTHER;
}

static const char *const word_keys[] = {"word_bits", "word_width", "datawidth"};
static const char *const block_keys[] = {"block_size", "n_words"};
static const char *const width_keys[] = {"width", "memory_width", "data_storage_width"};
static const char *const depth_keys[] = {"depth", "memory_depth", "data_storage_depth"};

static const char *const attribute_keys[] = {"word_bits",
                                             "word_width",
                                             "datawidth",
                                             "block_size",
                                             "n_words",
                                             "width",
                                             "memory_width",
                                             "data_storage_width",
                                             "depth",
                                             "memory_depth",
                                             "entries",
                                             "sizeKB",
                                             "data_storage_depth",
                                             "cluster_size",
                                             "instances",
                                             "meshX",
                                             "meshY",
                                             "bandwidth",
                                             "read_bandwidth",
                                             "write_bandwidth",
                                             "shared_bandwidth",
                                             "multiple_buffering",
                                             "vector_access_energy"};

static void check_attributes(const sc_node *attributes)
{
    static const char *const idle[] = {"technology",
                                       "has_power_gating",
                                       "power_gated_at",
                                       "n_banks",
                                       "num_banks",
                                       "n_ports",
                                       "num_ports",
                                       "n_rdwr_ports",
                                       "n_rd_ports",
                                       "n_wr_ports",
                                       "type",
                                       "min_utilization",
                                       "allow_overbooking",
                                       "latency",
                                       "cycle_time",
                                       "global_cycle_seconds",
                                       "reduction_supported",
                                       "update_fifo_depth",
                                       "network_read",
                                       "network_fill",
                                       "network_drain",
                                       "network_update",
                                       "network_word_bits",
                                       "multiplier_width",
                                       "adder_width",
                                       "addr_gen_energy",
                                       "cluster_area",
                                       "action_latency_cycles"};
    const sc_reference_keys keys = {attribute_keys, COUNT_OF(attribute_keys), idle, COUNT_OF(idle),
                                    true};
    sc_reference_check_keys(attributes, &keys);
}

/* Attributes of a subtree are shared by whoever estimates energies; levels do not inherit them. */
static void check_shared(const sc_node *attributes)
{
    for (size_t i = 0; i < sc_node_count(attributes); i++)
        for (size_t k = 0; k < COUNT_OF(attribute_keys); k++)
            if (sc_reference_same(sc_node_key(attributes, i), attribute_keys[k]))
                sc_node_warning(sc_node_key_node(attributes, i),
                                "'%s' of a subtree is not inherited: give it to each component",
                                attribute_keys[k]);
}

/* A count under the first of some keys; *out is left alone if there is none. */
static bool read_count(uint64_t *out, const sc_node *attributes, const char *const *names, size_t n,
                       uint64_t least)
{
    const sc_node *v = sc_reference_get(attributes, names, n);
    return v && sc_reference_count(out, v, least);
}

static void read_rate(double *out, const sc_node *attributes, const char *name)
{
    const sc_node *v = sc_reference_key(attributes, name);
    double rate;
    if (!v || !sc_node_number(&rate, v, SC_UNIT_NONE))
        return;
    if (rate > 0)
        *out = rate;
    else
        sc_node_error(v, "'%s' must be more than 0", name);
}

/* Copies of a component and where they stand. */
static void read_mesh(uint64_t *instances, uint64_t *x, uint64_t *y, const sc_node *attributes,
                      uint64_t copies, const sc_node *at)
{
    static const char *const i_keys[] = {"instances"}, *const x_keys[] = {"meshX"},
                             *const y_keys[] = {"meshY"};
    uint64_t built;
    *instances = copies;
    *x = *y = 0;
    (void)read_count(instances, attributes, i_keys, 1, 1);
    (void)read_count(x, attributes, x_keys, 1, 1);
    (void)read_count(y, attributes, y_keys, 1, 1);
    if (*x == 0)
        *x = *y > 0 && *instances % *y == 0 ? *instances / *y : *instances;
    if (*y == 0)
        *y = *instances % *x == 0 ? *instances / *x : 1;
    if (__builtin_mul_overflow(*x, *y, &built) || built != *instances)
        sc_node_error(at, "%llu instances on a mesh of %llu x %llu", (unsigned long long)*instances,
                      (unsigned long long)*x, (unsigned long long)*y);
}

/* Words of a block, and how many instances share one physical array, from its width in bits. */
static void read_blocks(sc_level *l, const sc_node *attributes)
{
    static const char *const cluster_keys[] = {"cluster_size"};
    uint64_t word = l->word_bits, block = 0, cluster = 0, width = 0;
    (void)read_count(&block, attributes, block_keys, COUNT_OF(block_keys), 1);
    (void)read_count(&cluster, attributes, cluster_keys, 1, 1);
    (void)read_count(&width, attributes, width_keys, COUNT_OF(width_keys), 1);
    if (block > UINT32_MAX || cluster > UINT32_MAX || width > UINT32_MAX) {
        sc_node_error(attributes, "a width, block or cluster of more than 2^32 - 1");
        return;
    }
    if (width > 0 && block == 0)
        block = width / word / (cluster ? cluster : 1);
    if (width > 0 && cluster == 0 && block > 0)
        cluster = width / word / block;
    if (width > 0 && (block == 0 || cluster == 0 || block * word > width / cluster ||
                      block * word * cluster != width))
        sc_node_error(sc_reference_get(attributes, width_keys, COUNT_OF(width_keys)),
                      "a width of %llu bits is not %llu words of %llu bits times a cluster of %llu",
                      (unsigned long long)width, (unsigned long long)block,
                      (unsigned long long)word, (unsigned long long)cluster);
    l->block_words = block ? (uint32_t)block : 1;
    l->cluster_size = cluster ? (uint32_t)cluster : 1;
}

/* Words one instance holds; not bounded if nothing says so. */
static void read_size(sc_level *l, const sc_node *attributes)
{
    static const char *const entry_keys[] = {"entries"}, *const kb_keys[] = {"sizeKB"};
    uint64_t size = 0;
    l->bounded = true;
    if (read_count(&size, attributes, entry_keys, 1, 0)) {
        l->capacity[0] = size;
    } else if (read_count(&size, attributes, depth_keys, COUNT_OF(depth_keys), 0)) {
        if (__builtin_mul_overflow(size, l->block_words, &l->capacity[0]))
            sc_node_error(attributes, "more than 2^64 - 1 words");
    } else if (read_count(&size, attributes, kb_keys, 1, 0)) {
        if (__builtin_mul_overflow(size, 1024u * 8, &size))
            sc_node_error(attributes, "more than 2^64 - 1 bits");
        l->capacity[0] = size / l->word_bits;
    } else {
        l->bounded = false;
    }
}

/* The reference's built-in table: SRAM pJ = width / 16 * (1 + (KB - 0.5) * 5 / 99.5), DRAM pJ =
 * 200 * width / 16. An access of a cluster is shared by its instances. */
static double block_pj(const sc_level *l, bool dram)
{
    const double width = (double)l->word_bits * l->block_words;
    if (dram)
        return 200 * width / 16;
    if (!l->bounded || l->capacity[0] == 0)
        return 0;
    const uint64_t rows = (l->capacity[0] - 1) / l->block_words + 1;
    const double cluster = l->cluster_size, kb = width * cluster * (double)rows / 8192;
    return width * cluster / 16 * (1 + (kb - 0.5) * 5 / 99.5) / cluster;
}

static void read_storage(arch_reader *r, const sc_node *component, const char *name,
                         const char *class, uint64_t copies)
{
    const sc_node *attributes = sc_node_get(component, "attributes");
    static const char *const energy_keys[] = {"vector_access_energy"};
    uint64_t word = DEFAULT_WORD_BITS;
    double bandwidth = 0, energy;
    if (r->arch.n_levels == SC_MAX_LEVELS) {
        sc_node_error(component, "more than %d storage levels", SC_MAX_LEVELS);
        return;
    }
    const unsigned i = r->arch.n_levels++;
    r->at[i] = component;
    sc_level *l = &r->arch.level[i];
    (void)sc_text_copy(l->name, sizeof l->name, name);
    (void)read_count(&word, attributes, word_keys, COUNT_OF(word_keys), 1);
    if (word > MAX_WORD_BITS) {
        sc_node_error(attributes, "words of more than %d bits", MAX_WORD_BITS);
        word = DEFAULT_WORD_BITS;
    }
    l->word_bits = (uint32_t)word;
    read_mesh(&l->instances, &r->mesh_x[i], &r->mesh_y[i], attributes, copies, component);
    read_blocks(l, attributes);
    read_size(l, attributes);
    l->buffers = 1;
    read_rate(&l->buffers, attributes, "multiple_buffering");
    if (l->buffers < 1)
        sc_node_error(attributes, "multiple_buffering must be at least 1");
    read_rate(&bandwidth, attributes, "bandwidth");
    l->read_bw = l->write_bw = bandwidth / 2;
    read_rate(&l->read_bw, attributes, "read_bandwidth");
    read_rate(&l->write_bw, attributes, "write_bandwidth");
    read_rate(&l->shared_bw, attributes, "shared_bandwidth");
    l->may_keep = (1 << SC_ROLES) - 1;
    energy = block_pj(l, strstr(class, "DRAM") != NULL);
    const sc_node *given = sc_reference_get(attributes, energy_keys, 1);
    if (given)
        (void)sc_node_number(&energy, given, SC_UNIT_NONE);
    l->read_pj = l->write_pj = l->update_pj = energy;
}

static void read_compute(arch_reader *r, const sc_node *component, const char *name,
                         uint64_t copies)
{
    const sc_node *attributes = sc_node_get(component, "attributes");
    uint64_t word = DEFAULT_WORD_BITS;
    if (r->has_compute) {
        sc_node_error(component, "a second compute component; one ends the chain");
        return;
    }
    r->has_compute = true;
    (void)sc_text_copy(r->arch.compute.name, sizeof r->arch.compute.name, name);
    (void)read_count(&word, attributes, word_keys, COUNT_OF(word_keys), 1);
    r->at[SC_MAX_LEVELS] = component;
    read_mesh(&r->arch.compute.instances, &r->mesh_x[SC_MAX_LEVELS], &r->mesh_y[SC_MAX_LEVELS],
              attributes, copies, component);
    r->arch.compute.mac_pj = (double)word * (double)word / 256;
}

static void read_component(arch_reader *r, const sc_node *component, uint64_t copies)
{
    static const char *const used[] = {"name", "class", "attributes"};
    static const char *const idle[] = {"subclass",    "required_actions",     "enabled",
                                       "constraints", "sparse_optimizations", "component_class"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    char name[SC_NAME_LEN], shown[SC_SHOWN_LEN];
    const char *class;
    uint64_t own;
    if (sc_node_kind_of(component) != SC_NODE_MAP) {
        sc_node_error(component, "a component must be a map with name and class");
        return;
    }
    sc_reference_check_keys(component, &keys);
    const sc_node *name_node = sc_map_node(component, "name");
    if (!name_node || !sc_reference_name(name, sizeof name, &own, name_node) ||
        !sc_map_text(&class, component, "class"))
        return;
    if (__builtin_mul_overflow(copies, own, &copies) || copies > INT64_MAX) {
        sc_node_error(name_node, "more than 2^63 - 1 instances");
        return;
    }
    const sc_node *attributes = sc_node_get(component, "attributes");
    const component_kind kind = kind_of(class);
    if (kind == NETWORK || kind == OTHER) {
        sc_node_warning(component, "class '%s' is neither storage nor compute: '%s' is left out",
                        sc_text_show(shown, class), name);
        return;
    }
    if (attributes)
        check_attributes(attributes);
    if (kind == STORAGE)
        read_storage(r, component, name, class, copies);
    else
        read_compute(r, component, name, copies);
}

static void read_locals(arch_reader *r, const sc_node *node, uint64_t copies)
{
    const sc_node *local = sc_node_get(node, "local");
    if (!local || sc_node_is_null(local))
        return;
    if (sc_node_kind_of(local) != SC_NODE_SEQUENCE) {
        sc_node_error(local, "local must be a list of components");
        return;
    }
    for (size_t i = 0; i < sc_node_count(local); i++)
        read_component(r, sc_node_item(local, i), copies);
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

static void read_tree(arch_reader *r, const sc_node *node)
{
    static const char *const used[] = {"name", "local", "subtree", "attributes", "version"};
    const sc_reference_keys keys = {used, COUNT_OF(used), NULL, 0, false};
    uint64_t copies = 1;
    if (sc_node_get(node, "nodes")) {
        sc_node_error(sc_node_get(node, "nodes"),
                      "the form with nodes is not read: give the file that the reference's front "
                      "end makes of it, with subtree and local");
        return;
    }
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
            check_shared(sc_node_get(node, "attributes"));
        if (name_node && sc_reference_name(name, sizeof name, &own, name_node) &&
            __builtin_mul_overflow(copies, own, &copies))
            sc_node_error(name_node, "more than 2^64 - 1 copies");
        read_locals(r, node, copies);
    }
}

/* Children under one instance: the mesh of the level inside over that of this one. */
static void read_fanouts(arch_reader *r)
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

static void check_names(const arch_reader *r)
{
    for (unsigned l = 0; l < r->arch.n_levels; l++)
        for (unsigned other = 0; other < l; other++)
            if (strcmp(r->arch.level[l].name, r->arch.level[other].name) == 0)
                sc_node_error(r->at[l], "a second component named '%s'", r->arch.level[l].name);
}

sc_status sc_reference_arch_read(sc_arch *out, const sc_yaml *doc, const sc_node *architecture)
{
    arch_reader r = {.arch = {.clock_hz = 1e9, .native_batch = 1}};
    if (sc_node_kind_of(architecture) != SC_NODE_MAP)
        sc_node_error(architecture, "the architecture must be a map");
    else
        read_tree(&r, architecture);
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
    if ((st = sc_yaml_status(doc)) == SC_OK)
        *out = r.arch;
    return st;
}
