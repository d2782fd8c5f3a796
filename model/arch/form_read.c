/* Levels, compute, vector unit and extra items of a template. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "model/arch/form.h"

static const char *const ROLES[] = {
    [SC_ROLE_INPUT] = "input", [SC_ROLE_WEIGHT] = "weight", [SC_ROLE_OUTPUT] = "output"};

enum { ALL_ROLES = (1 << SC_ROLES) - 1 };

/* An optional formula under a key; absent: what *f already is. */
static void read_slot(sc_formula *f, sc_template *t, const sc_node *map, const char *key,
                      sc_unit unit)
{
    const sc_node *n = sc_node_get(map, key);
    if (n)
        (void)sc_formula__read(f, &t->scope, n, unit);
}

/* A name fit for a report's columns, unlike those of the levels and items before it. */
static void read_name(char out[SC_NAME_LEN], const sc_template *t, const sc_node *map)
{
    static const char *const TAKEN[] = {"vector", "overhead", "clock", "leakage"};
    const sc_node *at = sc_node_get(map, "name");
    const char *name = NULL;
    if (!sc_map_text(&name, map, "name"))
        return;
    if (!sc_name__ok(name)) {
        sc_node_error(at, "a name is a letter or _ followed by letters, digits or _");
        return;
    }
    bool taken = strcmp(name, t->compute.name) == 0;
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++)
        taken = taken || strcmp(name, TAKEN[i]) == 0;
    for (size_t i = 0; i < t->n_levels; i++)
        taken = taken || strcmp(name, t->level[i].name) == 0;
    for (size_t i = 0; i < t->n_extra; i++)
        taken = taken || strcmp(name, t->extra[i].name) == 0;
    if (taken)
        sc_node_error(at, "'%s' is taken: it already names a part of the chip", name);
    else
        (void)sc_text_copy(out, SC_NAME_LEN, name);
}

static void read_size(sc_level_form *l, sc_template *t, const sc_node *level)
{
    const sc_node *size = sc_node_get(level, "size");
    if (!size)
        return;
    if (sc_node_kind_of(size) != SC_NODE_MAP) {
        (void)sc_formula__read(&l->f[SC_SLOT_SIZE], &t->scope, size, SC_UNIT_BYTES);
        return;
    }
    l->by_role = true;
    l->f[SC_SLOT_PARTITIONED] = sc_formula__number(1);
    (void)sc_map_only(size, ROLES, SC_ROLES);
    for (int r = 0; r < SC_ROLES; r++)
        read_slot(&l->f[SC_SLOT_SIZE + r], t, size, ROLES[r], SC_UNIT_BYTES);
}

static void read_partitioned(sc_level_form *l, sc_template *t, const sc_node *level)
{
    const sc_node *n = sc_node_get(level, "partitioned");
    if (n && !l->by_role)
        sc_node_error(n, "'partitioned' needs a size for each role");
    else
        read_slot(&l->f[SC_SLOT_PARTITIONED], t, level, "partitioned", SC_UNIT_NONE);
}

/* {read, write, shared, unit}: read and write, or shared, or all three. @return whether given. */
static bool read_rates(sc_level_form *l, sc_template *t, const sc_node *level, bool peak)
{
    static const char *const KEYS[] = {
        [SC_RATE_READ] = "read", [SC_RATE_WRITE] = "write", [SC_RATE_SHARED] = "shared", "unit"};
    static const char *const UNITS[] = {"B/cycle", "B/s"};
    const char *key = peak ? "peak" : "bandwidth";
    const sc_node *n = sc_node_get(level, key);
    const int slot = peak ? SC_SLOT_PEAK_READ : SC_SLOT_READ;
    size_t unit = 0;
    if (!n)
        return false;
    (void)sc_map_only(n, KEYS, 4);
    if (!sc_map_choice(&unit, n, "unit", UNITS, 2))
        return true;
    l->per_second[peak] = unit == 1;
    for (int r = 0; r < SC_RATES; r++)
        read_slot(&l->f[slot + r], t, n, KEYS[r], unit == 1 ? SC_UNIT_BYTES_PER_S : SC_UNIT_BYTES);
    const bool both = sc_node_get(n, "read") && sc_node_get(n, "write");
    const bool either = sc_node_get(n, "read") || sc_node_get(n, "write");
    if (!sc_node_get(n, "shared") && !both)
        sc_node_error(n, "'%s' gives 'read' and 'write', or 'shared', or all three", key);
    else if (either && !both)
        sc_node_error(n, "'%s' gives both 'read' and 'write' or neither", key);
    return true;
}

static void read_keep(sc_level_form *l, const sc_template *t, const sc_node *level)
{
    static const char *const RULES[] = {"may", "must", "never"};
    const sc_node *n = sc_node_get(level, "keep");
    const bool outermost = t->n_levels == 0;
    l->may_keep = l->storage == SC_STORAGE_NONE ? 0 : ALL_ROLES;
    l->must_keep = outermost ? ALL_ROLES : 0;
    if (!n)
        return;
    if (outermost || l->storage == SC_STORAGE_NONE) {
        sc_node_error(n, outermost ? "the outermost level keeps everything"
                                   : "a level without storage keeps nothing");
        return;
    }
    (void)sc_map_only(n, ROLES, SC_ROLES);
    for (int r = 0; r < SC_ROLES; r++) {
        size_t rule = 0;
        (void)sc_map_choice_or(&rule, n, ROLES[r], RULES, 3, 0);
        if (rule == 1)
            l->must_keep |= (uint8_t)(1u << r);
        if (rule == 2)
            l->may_keep &= (uint8_t) ~(1u << r);
    }
}

/* {input, weight, output}: a formula a role. */
static void read_by_role(sc_level_form *l, sc_template *t, const sc_node *level, const char *key,
                         int slot)
{
    const sc_node *n = sc_node_get(level, key);
    if (!n)
        return;
    (void)sc_map_only(n, ROLES, SC_ROLES);
    for (int r = 0; r < SC_ROLES; r++)
        read_slot(&l->f[slot + r], t, n, ROLES[r], SC_UNIT_NONE);
}

/* {x: P, y: R, tile: S}: names of dimensions as mappings write them. */
static void read_lead(sc_level_form *l, const sc_node *level)
{
    static const char *const PLACES[] = {
        [SC_LEAD_X] = "x", [SC_LEAD_Y] = "y", [SC_LEAD_TILE] = "tile"};
    const sc_node *n = sc_node_get(level, "lead");
    if (!n)
        return;
    (void)sc_map_only(n, PLACES, SC_LEADS);
    for (int i = 0; i < SC_LEADS; i++) {
        const sc_node *at = sc_node_get(n, PLACES[i]);
        const char *name = NULL;
        if (!at || !sc_map_text(&name, n, PLACES[i]))
            continue;
        if (!sc_name__ok(name) || !sc_text_copy(l->lead[i], SC_LEAD_LEN, name))
            sc_node_error(at, "a dimension is named in at most %d letters, digits or _",
                          SC_LEAD_LEN - 1);
    }
}

static void same_energy(sc_level_form *l, double pj)
{
    for (int i = 0; i < SC_ACCESSES; i++)
        l->access_pj[i] = pj;
}

/* The curves of the memory's class; where the class has no energy of its own, that of plain SRAM.
 */
static void read_sram(sc_level_form *l, const sc_template *t, const sc_node *level)
{
    const sc_node *area = sc_node_get(level, "area");
    const char *class = area && sc_node_text(area) ? sc_node_text(area) : "sram";
    const sc_curve *read = sc_tech__optional_curve_of(t->tech, class, "_pj");
    if (!read) {
        class = "sram";
        read = sc_tech__curve(t->tech, level, class, "_pj");
    }
    const sc_curve *write = sc_tech__optional_curve_of(t->tech, class, "_write_pj");
    l->energy[SC_ACCESS_READ] = read;
    l->energy[SC_ACCESS_WRITE] = l->energy[SC_ACCESS_UPDATE] = write ? write : read;
    l->density = sc_tech__curve(t->tech, area ? area : level, area ? sc_node_text(area) : "sram",
                                "_mm2_per_mib");
}

/* What an access costs and how the area is found: by kind of storage. */
static void read_storage(sc_level_form *l, const sc_template *t, const sc_node *level)
{
    const sc_node *area = sc_node_get(level, "area");
    const char *dram = NULL;
    double pj = 0;
    switch (l->storage) {
    case SC_STORAGE_DRAM:
        if (sc_map_text(&dram, level, "dram")) {
            (void)sc_tech__figure(&pj, t->tech, sc_node_get(level, "dram"), dram, "_pj");
            (void)sc_tech__figure(&l->phy_mm2, t->tech, sc_node_get(level, "dram"), dram,
                                  "_phy_mm2");
        }
        break;
    case SC_STORAGE_SRAM: read_sram(l, t, level); break;
    case SC_STORAGE_REGISTER:
        (void)sc_tech__figure(&pj, t->tech, level, "register", "_pj");
        pj *= t->tech->dynamic_scale;
        if (area)
            l->density = sc_tech__curve(t->tech, area, sc_node_text(area), "_mm2_per_mib");
        break;
    case SC_STORAGE_NONE: break;
    }
    same_energy(l, pj);
}

/* The user's own table of this very component goes over the table's figures by kind. */
static void read_measured(sc_level_form *l, const sc_template *t)
{
    const sc_ert_entry *e = sc_tech__measured(t->tech, l->name);
    if (!e || l->storage == SC_STORAGE_NONE)
        return;
    l->measured = true;
    l->access_pj[SC_ACCESS_READ] = sc_ert_energy(e, SC_ERT_READ, SC_ERT_READ);
    l->access_pj[SC_ACCESS_WRITE] = sc_ert_energy(e, SC_ERT_WRITE, SC_ERT_WRITE);
    l->access_pj[SC_ACCESS_UPDATE] = sc_ert_energy(e, SC_ERT_UPDATE, SC_ERT_WRITE);
    l->leaks = e->given[SC_ERT_LEAK];
    l->leak_pj = e->pj[SC_ERT_LEAK];
}

/* Keys that only some kinds of storage have a use for. */
static void check_keys(const sc_level_form *l, const sc_node *level, bool outermost)
{
    static const struct {
        const char *key;
        unsigned storages; /* bit 1 << sc_storage */
    } ONLY[] = {{"dram", 1u << SC_STORAGE_DRAM},
                {"channels", 1u << SC_STORAGE_DRAM},
                {"compression", 1u << SC_STORAGE_DRAM},
                {"overlap", ~(1u << SC_STORAGE_NONE)},
                {"area", 1u << SC_STORAGE_SRAM | 1u << SC_STORAGE_REGISTER},
                {"size", ~(1u << SC_STORAGE_NONE)},
                {"partitioned", ~(1u << SC_STORAGE_NONE)},
                {"banks", 1u << SC_STORAGE_SRAM},
                {"word", 1u << SC_STORAGE_SRAM},
                {"gated", ~(1u << SC_STORAGE_NONE)},
                {"buffers", ~(1u << SC_STORAGE_NONE)},
                {"output_bits", ~(1u << SC_STORAGE_NONE)},
                {"bandwidth", ~(1u << SC_STORAGE_NONE)},
                {"peak", ~(1u << SC_STORAGE_NONE)}};
    for (size_t i = 0; i < sizeof ONLY / sizeof ONLY[0]; i++)
        if (sc_node_get(level, ONLY[i].key) && !(ONLY[i].storages >> l->storage & 1))
            sc_node_error(sc_node_get(level, ONLY[i].key),
                          "'%s' has no use in this kind of storage", ONLY[i].key);
    const bool sized = l->storage == SC_STORAGE_SRAM || l->storage == SC_STORAGE_REGISTER;
    if (sized && !sc_node_get(level, "size"))
        sc_node_error(level, "key 'size' is missing");
    if (outermost && l->storage != SC_STORAGE_DRAM)
        sc_node_error(level, "the outermost level has storage: dram");
    if (outermost && sc_node_get(level, "present"))
        sc_node_error(sc_node_get(level, "present"), "the outermost level is always present");
}

static void read_level(sc_level_form *l, sc_template *t, const sc_node *n)
{
    static const char *const STORAGE[] = {[SC_STORAGE_DRAM] = "dram",
                                          [SC_STORAGE_SRAM] = "sram",
                                          [SC_STORAGE_REGISTER] = "register",
                                          [SC_STORAGE_NONE] = "none"};
    static const char *const KEYS[] = {
        "name",  "about", "present",     "storage",     "dram",        "channels",
        "area",  "size",  "partitioned", "buffers",     "output_bits", "bandwidth",
        "peak",  "keep",  "instances_x", "instances_y", "multicast",   "reduction",
        "banks", "lead",  "overlap",     "compression", "word",        "gated"};
    size_t storage = 0;
    bool multicast = true, reduction = true, overlap = true;

    for (int i = 0; i < SC_SLOTS; i++)
        l->f[i] = sc_formula__number(0);
    l->f[SC_SLOT_PRESENT] = l->f[SC_SLOT_X] = l->f[SC_SLOT_Y] = l->f[SC_SLOT_BUFFERS] =
        l->f[SC_SLOT_BANKS] = l->f[SC_SLOT_CHANNELS] = sc_formula__number(1);
    for (int r = 0; r < SC_ROLES; r++)
        l->f[SC_SLOT_COMPRESSION + r] = sc_formula__number(1);
    l->f[SC_SLOT_WORD] = sc_formula__number(SC_TABLE_WORD);
    (void)sc_map_only(n, KEYS, sizeof KEYS / sizeof KEYS[0]);
    read_name(l->name, t, n);
    if (!sc_map_choice(&storage, n, "storage", STORAGE, 4))
        return;
    l->storage = (sc_storage)storage;
    check_keys(l, n, t->n_levels == 0);
    read_storage(l, t, n);
    read_measured(l, t);
    read_slot(&l->f[SC_SLOT_PRESENT], t, n, "present", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_X], t, n, "instances_x", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_Y], t, n, "instances_y", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_BUFFERS], t, n, "buffers", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_BANKS], t, n, "banks", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_WORD], t, n, "word", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_OUTPUT_BITS], t, n, "output_bits", SC_UNIT_NONE);
    read_slot(&l->f[SC_SLOT_CHANNELS], t, n, "channels", SC_UNIT_NONE);
    read_size(l, t, n);
    read_partitioned(l, t, n);
    read_keep(l, t, n);
    read_by_role(l, t, n, "compression", SC_SLOT_COMPRESSION);
    read_by_role(l, t, n, "gated", SC_SLOT_GATED);
    read_lead(l, n);
    l->bounded = sc_node_get(n, "size") != NULL;
    const bool limited = read_rates(l, t, n, false);
    l->has_peak = read_rates(l, t, n, true);
    if (l->storage != SC_STORAGE_NONE && !limited && !l->has_peak)
        sc_node_error(n, "a level that stores needs a 'bandwidth' or, where there is no limit, the "
                         "'peak' rate its power is counted with");
    (void)sc_map_bool_or(&multicast, n, "multicast", true);
    (void)sc_map_bool_or(&reduction, n, "reduction", true);
    (void)sc_map_bool_or(&overlap, n, "overlap", true);
    l->no_multicast = !multicast;
    l->no_reduction = !reduction;
    l->no_overlap = !overlap;
}

static void read_levels(sc_template *t, const sc_node *list)
{
    if (list && sc_node_count(list) == 0)
        sc_node_error(list, "a chip has one level at least");
    for (size_t i = 0; i < sc_node_count(list); i++) {
        if (i == SC_MAX_LEVELS) {
            sc_node_error(sc_node_item(list, i), "more than %d levels", SC_MAX_LEVELS);
            return;
        }
        read_level(&t->level[i], t, sc_node_item(list, i));
        t->n_levels++;
    }
}

static void read_dataflows(sc_compute_form *c, const sc_node *map)
{
    static const char *const NAMES[SC_DATAFLOWS] = {[SC_OS] = "os", [SC_WS] = "ws", [SC_IS] = "is"};
    const sc_node *list = sc_map_sequence(map, "dataflows");
    for (size_t i = 0; i < sc_node_count(list); i++) {
        size_t flow = 0;
        if (sc_node_choice(&flow, sc_node_item(list, i), NAMES, SC_DATAFLOWS))
            c->dataflows |= (uint8_t)(1u << flow);
    }
    if (list && sc_node_count(list) == 0)
        sc_node_error(list, "an array runs one dataflow at least");
}

static void read_operand_bits(sc_compute_form *c, const sc_node *map)
{
    int64_t bits = 0;
    if (!sc_map_integer_or(&bits, map, "operand_bits", 0))
        return;
    if (bits < 0 || bits > 64)
        sc_node_error(sc_node_get(map, "operand_bits"), "operands have 1 to 64 bits");
    else
        c->operand_bits = (uint32_t)bits;
}

/* "bf16", "int8": the number at the end of a type's name, 0 if there is none that makes sense. */
static uint32_t bits_of_type(const char *type)
{
    const size_t n = strlen(type);
    size_t at = n;
    while (at > 0 && type[at - 1] >= '0' && type[at - 1] <= '9')
        at--;
    const unsigned long bits = n - at <= 2 ? strtoul(type + at, NULL, 10) : 0;
    return bits <= 64 ? (uint32_t)bits : 0;
}

/* Area and energy of a MAC: those of its types, or the user's own measured energy. */
static void read_types(sc_compute_form *c, const sc_template *t, const sc_node *map)
{
    const char *multiply = NULL, *accumulate = NULL;
    double mul_pj = 0, add_pj = 0;
    if (sc_map_text(&multiply, map, "multiply")) {
        const sc_node *at = sc_node_get(map, "multiply");
        (void)sc_tech__figure(&mul_pj, t->tech, at, multiply, "_mul_pj");
        (void)sc_tech__figure(&c->mac_mm2, t->tech, at, multiply, "_mac_mm2");
        c->mac_bits = bits_of_type(multiply);
    }
    if (sc_map_text(&accumulate, map, "accumulate"))
        (void)sc_tech__figure(&add_pj, t->tech, sc_node_get(map, "accumulate"), accumulate,
                              "_add_pj");
    c->mac_pj = (mul_pj + add_pj) * t->tech->dynamic_scale;
    const sc_ert_entry *e = sc_tech__measured(t->tech, c->name);
    if (!e)
        return;
    c->mac_pj = sc_ert_energy(e, SC_ERT_COMPUTE, SC_ERT_COMPUTE);
    c->leaks = e->given[SC_ERT_LEAK];
    c->leak_pj = e->pj[SC_ERT_LEAK];
}

static void read_compute(sc_template *t, const sc_node *map)
{
    static const char *const KEYS[] = {
        "name",      "about",    "instances_x", "instances_y",     "rows",         "cols",
        "dataflows", "multiply", "accumulate",  "double_buffered", "operand_bits", "gated"};
    sc_compute_form *c = &t->compute;
    char name[SC_NAME_LEN] = "";

    c->x = c->y = sc_formula__number(1);
    c->rows = c->cols = c->gated = sc_formula__number(0);
    if (!map)
        return;
    (void)sc_map_only(map, KEYS, sizeof KEYS / sizeof KEYS[0]);
    read_name(name, t, map);
    (void)sc_text_copy(c->name, SC_NAME_LEN, name);
    read_slot(&c->x, t, map, "instances_x", SC_UNIT_NONE);
    read_slot(&c->y, t, map, "instances_y", SC_UNIT_NONE);
    read_slot(&c->rows, t, map, "rows", SC_UNIT_NONE);
    read_slot(&c->cols, t, map, "cols", SC_UNIT_NONE);
    read_slot(&c->gated, t, map, "gated", SC_UNIT_NONE);
    const bool rows = sc_node_get(map, "rows"), cols = sc_node_get(map, "cols");
    if (rows != cols)
        sc_node_error(map, "an array has both 'rows' and 'cols'");
    if (rows && cols)
        read_dataflows(c, map);
    else if (sc_node_get(map, "dataflows"))
        sc_node_error(sc_node_get(map, "dataflows"),
                      "only an array ('rows', 'cols') has dataflows");
    (void)sc_map_bool_or(&c->double_buffered, map, "double_buffered", false);
    read_operand_bits(c, map);
    read_types(c, t, map);
}

static void read_vector(sc_template *t, const sc_node *map)
{
    static const char *const KEYS[] = {"lanes", "in_line", "about"};
    t->lanes = sc_formula__number(0);
    if (!map)
        return;
    (void)sc_map_only(map, KEYS, 3);
    (void)sc_map_bool_or(&t->in_line, map, "in_line", false);
    const sc_node *lanes = sc_map_node(map, "lanes");
    if (lanes)
        (void)sc_formula__read(&t->lanes, &t->scope, lanes, SC_UNIT_NONE);
    (void)sc_tech__figure(&t->lane_mm2, t->tech, map, "vector_lane", "_mm2");
    (void)sc_tech__figure(&t->lane_op_pj, t->tech, map, "vector_op", "_pj");
    (void)sc_tech__figure(&t->lane_special_pj, t->tech, map, "vector_special", "_pj");
    t->lane_op_pj *= t->tech->dynamic_scale;
    t->lane_special_pj *= t->tech->dynamic_scale;
}

static void read_items(sc_template *t, const sc_node *list)
{
    static const char *const KEYS[] = {"name", "about", "area_mm2", "power_w"};
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *n = sc_node_item(list, i);
        sc_item_form *item = &t->extra[t->n_extra];
        if (t->n_extra == SC_MAX_EXTRA) {
            sc_node_error(n, "more than %d items", SC_MAX_EXTRA);
            return;
        }
        item->area_mm2 = item->power_w = sc_formula__number(0);
        (void)sc_map_only(n, KEYS, 4);
        read_name(item->name, t, n);
        read_slot(&item->area_mm2, t, n, "area_mm2", SC_UNIT_NONE);
        read_slot(&item->power_w, t, n, "power_w", SC_UNIT_NONE);
        t->n_extra++;
    }
}

static void read_limits(sc_template *t, const sc_node *map)
{
    static const char *const KEYS[] = {"area_mm2", "about"};
    t->area_limit_mm2 = sc_formula__number(0);
    if (!map)
        return;
    (void)sc_map_only(map, KEYS, 2);
    read_slot(&t->area_limit_mm2, t, map, "area_mm2", SC_UNIT_NONE);
}

void sc_form__read_chain(sc_template *t, const sc_node *root)
{
    const sc_node *items = sc_node_get(root, "items");
    read_levels(t, sc_map_sequence(root, "levels"));
    read_compute(t, sc_map_map(root, "compute"));
    read_vector(t, sc_node_get(root, "vector"));
    read_items(t, items ? sc_map_sequence(root, "items") : NULL);
    read_limits(t, sc_node_get(root, "limits"));
}
