#include "model/count/reference_component.h"

#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum {
    DEFAULT_WORD_BITS = 16, /* of the reference, where none are given */
    MAX_WORD_BITS = 1 << 20
};

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
                                             "vector_access_energy",
                                             "technology",
                                             "type",
                                             "multiplier_width",
                                             "name",
                                             "class"};

static const char *const idle_attributes[] = {"version",
                                              "has_power_gating",
                                              "power_gated_at",
                                              "n_banks",
                                              "num_banks",
                                              "nbanks",
                                              "n_ports",
                                              "num_ports",
                                              "nports",
                                              "n_rdwr_ports",
                                              "n_rw_ports",
                                              "n_rd_ports",
                                              "n_wr_ports",
                                              "min_utilization",
                                              "allow_overbooking",
                                              "latency",
                                              "data_width",
                                              "n_bits",
                                              "size",
                                              "cycle_time",
                                              "global_cycle_seconds",
                                              "reduction_supported",
                                              "update_fifo_depth",
                                              "network_read",
                                              "network_fill",
                                              "network_drain",
                                              "network_update",
                                              "network_word_bits",
                                              "metadata_storage_width",
                                              "metadata_storage_depth",
                                              "metadata_datawidth",
                                              "metadata_word_bits",
                                              "metadata_block_size",
                                              "metadata_counter_width",
                                              "adder_width",
                                              "addr_gen_energy",
                                              "cluster_area",
                                              "action_latency_cycles"};

static void check_attributes(const sc_node *attributes)
{
    const sc_reference_keys keys = {attribute_keys, COUNT_OF(attribute_keys), idle_attributes,
                                    COUNT_OF(idle_attributes), true};
    sc_reference_check_keys(attributes, &keys);
}

/* One component's attributes, and what its containers share. */
typedef struct attributes {
    const sc_node *own;
    const sc_reference_builder *b;
    sc_reference_scope scope; /* with the component's own innermost */
} attributes;

static attributes attributes_of(const sc_reference_builder *b, const sc_node *own)
{
    attributes a = {own, b, b->scope};
    if (a.scope.n < SC_REFERENCE_SCOPES)
        a.scope.map[a.scope.n++] = own;
    return a;
}

static const sc_node *attribute(const attributes *a, const char *const *names, size_t n)
{
    const sc_node *found = sc_reference_get(a->own, names, n);
    for (unsigned k = a->b->scope.n; !found && a->b->inherits && k-- > 1;)
        found = sc_reference_get(a->b->scope.map[k], names, n);
    return found;
}

/* A count under the first of some keys; *out is left alone if there is none. */
static bool read_count(uint64_t *out, const attributes *a, const char *const *names, size_t n,
                       uint64_t least)
{
    const sc_node *v = attribute(a, names, n);
    return v && sc_reference_whole(out, v, &a->scope, least);
}

static void read_rate(double *out, const attributes *a, const char *name)
{
    const sc_node *v = attribute(a, &name, 1);
    double rate;
    if (!v || !sc_reference_value(&rate, v, &a->scope))
        return;
    if (rate > 0)
        *out = rate;
    else
        sc_node_error(v, "'%s' must be more than 0", name);
}

/* Copies of a component and where they stand. */
static void read_mesh(uint64_t *instances, uint64_t *x, uint64_t *y, const attributes *a,
                      sc_reference_place place, const sc_node *at)
{
    static const char *const i_keys[] = {"instances"}, *const x_keys[] = {"meshX"},
                             *const y_keys[] = {"meshY"};
    uint64_t built;
    *instances = place.copies;
    *x = place.x;
    *y = place.y;
    if (place.x > 0)
        return;
    (void)read_count(instances, a, i_keys, 1, 1);
    (void)read_count(x, a, x_keys, 1, 1);
    (void)read_count(y, a, y_keys, 1, 1);
    if (*x == 0)
        *x = *y > 0 && *instances % *y == 0 ? *instances / *y : *instances;
    if (*y == 0)
        *y = *instances % *x == 0 ? *instances / *x : 1;
    if (__builtin_mul_overflow(*x, *y, &built) || built != *instances)
        sc_node_error(at, "%llu instances on a mesh of %llu x %llu", (unsigned long long)*instances,
                      (unsigned long long)*x, (unsigned long long)*y);
}

/* Words of a block, and how many instances share one physical array, from its width in bits, unless
 * the bits of a word are not known. */
static void read_blocks(sc_level *l, const attributes *a, const sc_node *at, bool known)
{
    static const char *const cluster_keys[] = {"cluster_size"};
    uint64_t word = l->word_bits, block = 0, cluster = 0, width = 0;
    l->block_words = l->cluster_size = 1; /* also when refused: later sums divide by them */
    (void)read_count(&block, a, block_keys, COUNT_OF(block_keys), 1);
    (void)read_count(&cluster, a, cluster_keys, 1, 1);
    (void)read_count(&width, a, width_keys, COUNT_OF(width_keys), 1);
    if (block > UINT32_MAX || cluster > UINT32_MAX || width > UINT32_MAX) {
        sc_node_error(at, "a width, block or cluster of more than 2^32 - 1");
        return;
    }
    if (!known)
        return;
    if (cluster > 1 && width > 0 && width == word * (block ? block : 1)) {
        sc_node_warning(attribute(a, width_keys, COUNT_OF(width_keys)),
                        "a width of %llu bits is that of one instance; the cluster of %llu has "
                        "more, as older versions of the tool have it",
                        (unsigned long long)width, (unsigned long long)cluster);
        width = 0;
    }
    if (width > 0 && block == 0)
        block = width / word / (cluster ? cluster : 1);
    if (width > 0 && cluster == 0 && block > 0)
        cluster = width / word / block;
    if (width > 0 && (block == 0 || cluster == 0 || block * word > width / cluster ||
                      block * word * cluster != width))
        sc_node_error(attribute(a, width_keys, COUNT_OF(width_keys)),
                      "a width of %llu bits is not %llu words of %llu bits times a cluster of %llu",
                      (unsigned long long)width, (unsigned long long)block,
                      (unsigned long long)word, (unsigned long long)cluster);
    if (block > 0)
        l->block_words = (uint32_t)block;
    if (cluster > 0)
        l->cluster_size = (uint32_t)cluster;
}

static bool is_infinite(const sc_node *n)
{
    const char *text = sc_node_text(n);
    return strcmp(text, "inf") == 0 || strcmp(text, "INF") == 0 || strcmp(text, ".inf") == 0;
}

/* Names for one thing of which several are given, with other values: the first counts. */
static void warn_of_others(const sc_node *own, const char *const *names, size_t n)
{
    const sc_node *taken = NULL;
    const char *name = "";
    for (size_t k = 0; k < n; k++) {
        const sc_node *v = sc_reference_key(own, names[k]);
        if (!v)
            continue;
        if (taken && strcmp(sc_node_text(v), sc_node_text(taken)) != 0)
            sc_node_warning(v, "'%s' is passed over: '%s' says the same and is taken", names[k],
                            name);
        else if (!taken)
            name = names[k];
        taken = taken ? taken : v;
    }
}

/* A size beside the one that was taken, if it says otherwise. */
static void warn_of_size(const sc_level *l, const attributes *a)
{
    const sc_node *entries = sc_reference_key(a->own, "entries"),
                  *depth = sc_reference_get(a->own, depth_keys, COUNT_OF(depth_keys)),
                  *kb = sc_reference_key(a->own, "sizeKB");
    const unsigned long long words = l->capacity[0];
    uint64_t size, other;
    if (entries && depth && sc_reference_whole(&size, depth, &a->scope, 0) &&
        (__builtin_mul_overflow(size, l->block_words, &other) || other != words))
        sc_node_warning(depth, "the depth is passed over: 'entries' gives %llu words", words);
    if (kb && (entries || depth) && sc_reference_whole(&size, kb, &a->scope, 0) &&
        (__builtin_mul_overflow(size, 8192u, &other) || other / l->word_bits != words))
        sc_node_warning(kb, "'sizeKB' is passed over: '%s' gives %llu words",
                        entries ? "entries" : "depth", words);
}

/* Words one instance holds; not bounded if nothing says so. */
static void read_size(sc_level *l, const attributes *a, const sc_node *at)
{
    static const char *const entry_keys[] = {"entries"}, *const kb_keys[] = {"sizeKB"},
                             *const size_keys[] = {"depth", "memory_depth", "data_storage_depth"};
    uint64_t size = 0;
    l->bounded = !is_infinite(attribute(a, entry_keys, 1)) &&
                 !is_infinite(attribute(a, depth_keys, COUNT_OF(depth_keys)));
    warn_of_others(a->own, size_keys, COUNT_OF(size_keys));
    if (!l->bounded)
        return;
    if (read_count(&size, a, entry_keys, 1, 0)) {
        l->capacity[0] = size;
    } else if (read_count(&size, a, depth_keys, COUNT_OF(depth_keys), 0)) {
        if (__builtin_mul_overflow(size, l->block_words, &l->capacity[0]))
            sc_node_error(at, "more than 2^64 - 1 words");
    } else if (read_count(&size, a, kb_keys, 1, 0)) {
        if (__builtin_mul_overflow(size, 1024u * 8, &size))
            sc_node_error(at, "more than 2^64 - 1 bits");
        l->capacity[0] = size / l->word_bits;
    } else {
        l->bounded = false;
    }
    warn_of_size(l, a);
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

void sc_reference_note_origin(sc_reference_builder *b, const sc_node *own)
{
    const char *technology = sc_node_text(sc_reference_key(own, "technology"));
    const sc_node *cycle = sc_reference_key(own, "global_cycle_seconds");
    int64_t nm;
    const size_t digits = strspn(technology, "0123456789");
    char number[8] = "";
    if (b->origin.node_nm == 0 && digits > 0 && digits < sizeof number &&
        strcmp(technology + digits, "nm") == 0) {
        memcpy(number, technology, digits);
        if (sc_integer_read(&nm, number) == SC_OK)
            b->origin.node_nm = (unsigned)nm;
    }
    if (cycle && b->origin.cycle_seconds == 0)
        (void)sc_reference_value(&b->origin.cycle_seconds, cycle, &b->scope);
}

static sc_level *add_level(sc_reference_builder *b, const sc_node *at, const char *name)
{
    if (b->arch.n_levels == SC_MAX_LEVELS) {
        sc_node_error(at, "more than %d storage levels", SC_MAX_LEVELS);
        return NULL;
    }
    const unsigned i = b->arch.n_levels++;
    b->at[i] = at;
    sc_level *l = &b->arch.level[i];
    (void)sc_text_copy(l->name, sizeof l->name, name);
    l->buffers = 1;
    return l;
}

/* Bits of a word. @return whether they are known: false after recording, the default taken. */
static bool read_word(uint32_t *out, const attributes *a, const sc_node *at)
{
    uint64_t word = DEFAULT_WORD_BITS;
    bool known = !attribute(a, word_keys, COUNT_OF(word_keys)) ||
                 read_count(&word, a, word_keys, COUNT_OF(word_keys), 1);
    if (word > MAX_WORD_BITS) {
        sc_node_error(at, "words of more than %d bits", MAX_WORD_BITS);
        word = DEFAULT_WORD_BITS;
        known = false;
    }
    *out = (uint32_t)word;
    return known;
}

static void read_storage(sc_reference_builder *b, const sc_node *at, const attributes *a,
                         const char *name, const char *class, sc_reference_place place)
{
    const bool dram = strstr(class, "DRAM") != NULL;
    static const char *const energy_keys[] = {"vector_access_energy"};
    double bandwidth = 0, energy;
    sc_level *l = add_level(b, at, name);
    if (!l)
        return;
    const unsigned i = b->arch.n_levels - 1;
    (void)sc_text_copy(b->origin.level_class[i], SC_NAME_LEN, class);
    if (dram)
        (void)sc_text_copy(b->origin.dram_type, SC_NAME_LEN,
                           sc_node_text(sc_reference_key(a->own, "type")));
    const bool known = read_word(&l->word_bits, a, at);
    warn_of_others(a->own, word_keys, COUNT_OF(word_keys));
    warn_of_others(a->own, block_keys, COUNT_OF(block_keys));
    warn_of_others(a->own, width_keys, COUNT_OF(width_keys));
    read_mesh(&l->instances, &b->mesh_x[i], &b->mesh_y[i], a, place, at);
    read_blocks(l, a, at, known);
    read_size(l, a, at);
    read_rate(&l->buffers, a, "multiple_buffering");
    if (l->buffers < 1)
        sc_node_error(at, "multiple_buffering must be at least 1");
    read_rate(&bandwidth, a, "bandwidth");
    l->read_bw = l->write_bw = bandwidth / 2;
    read_rate(&l->read_bw, a, "read_bandwidth");
    read_rate(&l->write_bw, a, "write_bandwidth");
    read_rate(&l->shared_bw, a, "shared_bandwidth");
    l->may_keep = (1 << SC_ROLES) - 1;
    energy = block_pj(l, dram);
    const sc_node *given = attribute(a, energy_keys, 1);
    if (given)
        (void)sc_reference_value(&energy, given, &a->scope);
    l->read_pj = l->write_pj = l->update_pj = energy;
}

static void read_compute(sc_reference_builder *b, const sc_node *at, const attributes *a,
                         const char *name, const char *class, sc_reference_place place)
{
    static const char *const bits_keys[] = {"word_bits", "word_width", "datawidth",
                                            "multiplier_width", "width"};
    int64_t bits;
    if (b->has_compute) {
        sc_node_error(at, "a second compute component; one ends the chain");
        return;
    }
    b->has_compute = true;
    (void)sc_text_copy(b->arch.compute.name, sizeof b->arch.compute.name, name);
    uint32_t word;
    (void)read_word(&word, a, at);
    b->at[SC_MAX_LEVELS] = at;
    read_mesh(&b->arch.compute.instances, &b->mesh_x[SC_MAX_LEVELS], &b->mesh_y[SC_MAX_LEVELS], a,
              place, at);
    b->arch.compute.mac_pj = (double)word * word / 256;
    (void)sc_text_copy(b->origin.compute_class, SC_NAME_LEN, class);
    if (sc_integer_read(&bits, sc_node_text(attribute(a, bits_keys, COUNT_OF(bits_keys)))) ==
            SC_OK &&
        bits > 0 && bits <= MAX_WORD_BITS)
        b->origin.compute_bits = (uint32_t)bits;
}

/* The class that says what a component is: of class and subclass the first that is known. */
static component_kind class_of(const char **class, const sc_node *component)
{
    const char *sub = sc_node_text(sc_reference_key(component, "subclass"));
    component_kind kind = OTHER;
    *class = sub;
    if (sc_reference_key(component, "class") || !*sub) {
        if (!sc_map_text(class, component, "class"))
            return OTHER;
        kind = kind_of(*class);
    }
    if (kind == OTHER && *sub && kind_of(sub) != OTHER) {
        *class = sub;
        kind = kind_of(sub);
    }
    return kind;
}

bool sc_reference_enabled(const sc_node *n)
{
    const sc_node *enabled = sc_reference_key(n, "enabled");
    bool on = true;
    if (!enabled || sc_node_is_null(enabled) || !sc_node_bool(&on, enabled) || on)
        return true;
    sc_node_warning(enabled, "not enabled: left out");
    return false;
}

void sc_reference_component(sc_reference_builder *b, const sc_node *component,
                            sc_reference_place place)
{
    static const char *const used[] = {"name",    "class",       "attributes", "subclass",
                                       "spatial", "constraints", "enabled"};
    static const char *const idle[] = {
        "required_actions", "sparse_optimizations", "component_class", "area_scale",
        "energy_scale",     "max_utilization",      "power_gated_at",  "min_utilization"};
    const sc_reference_keys keys = {used, COUNT_OF(used), idle, COUNT_OF(idle), false};
    char name[SC_NAME_LEN], shown[SC_SHOWN_LEN];
    const char *class;
    uint64_t own;
    if (sc_node_kind_of(component) != SC_NODE_MAP) {
        sc_node_error(component, "a component must be a map with name and class");
        return;
    }
    sc_reference_check_keys(component, &keys);
    if (!sc_reference_enabled(component))
        return;
    const sc_node *name_node = sc_map_node(component, "name");
    if (!name_node || !sc_reference_name(name, sizeof name, &own, name_node))
        return;
    const component_kind kind = class_of(&class, component);
    if (!class)
        return;
    if (__builtin_mul_overflow(place.copies, own, &place.copies) || place.copies > INT64_MAX) {
        sc_node_error(name_node, "more than 2^63 - 1 instances");
        return;
    }
    if (place.x > 0 && own > 1)
        place.x *= own; /* a range behind a name spreads along X */
    if (kind == NETWORK || kind == OTHER) {
        if (kind == OTHER) {
            b->spare = component;
            b->spare_place = place;
            b->spare_scope = b->scope;
        }
        sc_node_warning(component, "class '%s' is neither storage nor compute: '%s' is left out",
                        sc_text_show(shown, class), name);
        return;
    }
    const attributes a = attributes_of(b, sc_reference_key(component, "attributes"));
    if (a.own)
        check_attributes(a.own);
    sc_reference_note_origin(b, a.own);
    if (kind == STORAGE)
        read_storage(b, component, &a, name, class, place);
    else
        read_compute(b, component, &a, name, class, place);
}

void sc_reference_adopt_compute(sc_reference_builder *b)
{
    char name[SC_NAME_LEN];
    uint64_t copies;
    const sc_node *spare = b->spare;
    if (b->has_compute || !spare ||
        !sc_reference_name(name, sizeof name, &copies, sc_reference_key(spare, "name")))
        return;
    b->scope = b->spare_scope;
    const attributes a = attributes_of(b, sc_reference_key(spare, "attributes"));
    sc_node_warning(spare,
                    "no component computes by its class: '%s', the last one left out, is "
                    "taken to",
                    name);
    read_compute(b, spare, &a, name, sc_node_text(sc_reference_key(spare, "class")),
                 b->spare_place);
}

void sc_reference_plain_component(sc_reference_builder *b, const sc_node *component, bool compute)
{
    const sc_node *name_node = sc_reference_key(component, "name");
    const attributes a = attributes_of(b, component);
    char name[SC_NAME_LEN];
    uint64_t own = 1;
    if (sc_node_kind_of(component) != SC_NODE_MAP) {
        sc_node_error(component, "expected a map with name, instances and sizes");
        return;
    }
    check_attributes(component);
    if (!name_node && compute)
        (void)snprintf(name, sizeof name, "MAC");
    else if (!name_node)
        (void)snprintf(name, sizeof name, "level%u", b->arch.n_levels);
    else if (!sc_reference_name(name, sizeof name, &own, name_node))
        return;
    const char *technology = sc_node_text(sc_reference_key(component, "technology"));
    const char *class = sc_node_text(sc_reference_key(component, "class"));
    if (!*class)
        class = compute ? "intmac" : strcmp(technology, "DRAM") == 0 ? technology : "SRAM";
    const sc_reference_place place = {own, 0, 0};
    if (compute)
        read_compute(b, component, &a, name, class, place);
    else
        read_storage(b, component, &a, name, class, place);
}

void sc_reference_fanout(sc_reference_builder *b, const sc_node *at, const char *name, uint64_t x,
                         uint64_t y)
{
    sc_level *l = add_level(b, at, name);
    if (!l)
        return;
    b->mesh_x[b->arch.n_levels - 1] = x;
    b->mesh_y[b->arch.n_levels - 1] = y;
    l->instances = x * y;
    l->word_bits = 1;
    l->block_words = l->cluster_size = 1;
    l->bounded = true;
}
