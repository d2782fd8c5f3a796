#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "model/count/reference_import.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

void sc_reference_plain_name(char out[SC_NAME_LEN], const char *name)
{
    size_t i = 0;
    for (; name[i] && i + 1 < SC_NAME_LEN; i++)
        out[i] = isalnum((unsigned char)name[i]) || name[i] == '-' ? name[i] : '_';
    out[i] = '\0';
    if (!isalpha((unsigned char)out[0]))
        out[0] = 'L';
}

uint32_t sc_reference_precision(const sc_reference_input *in)
{
    const uint32_t bits = in->origin.compute_bits;
    return bits > 0 && bits <= 64 ? bits : 16;
}

/* The technology table nearest to the file's node, by ratio. */
static unsigned node_of(unsigned nm)
{
    static const unsigned nodes[] = {7, 12, 16, 28, 45, 65};
    unsigned best = 45;
    for (size_t i = 0; i < COUNT_OF(nodes) && nm > 0; i++)
        if (fabs(log((double)nodes[i] / nm)) < fabs(log((double)best / nm)))
            best = nodes[i];
    return best;
}

static void put_number(sc_buf *b, double v)
{
    char text[32];
    sc_double_text(text, sizeof text, v);
    sc_buf_puts(b, text);
}

static double bytes_of(const sc_level *l, double words)
{
    return words * l->word_bits / 8;
}

static bool stores(const sc_level *l)
{
    return !l->bounded || l->capacity[0] > 0;
}

/* A rate in bytes a cycle; where the file has none for one way only, one that is no limit. */
static void put_bandwidth(sc_buf *b, const sc_level *l, sc_reference_notes *notes)
{
    const double block = bytes_of(l, l->block_words);
    if (l->read_bw <= 0 && l->write_bw <= 0 && l->shared_bw <= 0) {
        sc_buf_puts(b, "    peak: {read: ");
        put_number(b, block);
        sc_buf_puts(b, ", write: ");
        put_number(b, block);
        sc_buf_puts(
            b, ", unit: B/cycle} # no limit in the file; power is charged one block a cycle\n");
        return;
    }
    sc_buf_puts(b, "    bandwidth: {");
    if (l->read_bw > 0 || l->write_bw > 0) {
        sc_buf_puts(b, "read: ");
        put_number(b, bytes_of(l, l->read_bw > 0 ? l->read_bw : 0x1p30));
        sc_buf_puts(b, ", write: ");
        put_number(b, bytes_of(l, l->write_bw > 0 ? l->write_bw : 0x1p30));
        sc_buf_puts(b, ", ");
        if (l->read_bw <= 0 || l->write_bw <= 0)
            sc_reference_note(notes, "level %s: no limit one way: written as 2^30 words a cycle",
                              l->name);
    }
    if (l->shared_bw > 0) {
        sc_buf_puts(b, "shared: ");
        put_number(b, bytes_of(l, l->shared_bw));
        sc_buf_puts(b, ", ");
    }
    sc_buf_puts(b, "unit: B/cycle}\n");
    if (l->shared_bw <= 0 && (l->read_bw <= 0 || l->write_bw <= 0)) {
        sc_buf_puts(b, "    peak: {read: ");
        put_number(b, l->read_bw > 0 ? bytes_of(l, l->read_bw) : block);
        sc_buf_puts(b, ", write: ");
        put_number(b, l->write_bw > 0 ? bytes_of(l, l->write_bw) : block);
        sc_buf_puts(b, ", unit: B/cycle} # power is charged one block a cycle where no limit is\n");
    }
}

/* What constraints say a level keeps, by role. */
static void put_keep(sc_buf *b, const sc_reference_input *in, unsigned level,
                     sc_reference_notes *notes)
{
    static const char *const roles[SC_ROLES] = {"input", "weight", "output"};
    const char *comma = "    keep: {";
    const sc_level_limits *limits = &in->c.constraints.level[level];
    if (!in->has_problem || !(limits->must_keep | limits->must_bypass))
        return;
    if (level == 0) {
        if (limits->must_bypass)
            sc_reference_note(notes,
                              "level %s: the file bypasses it; our outermost level keeps all",
                              in->c.arch.level[0].name);
        return;
    }
    for (unsigned role = 0; role < SC_ROLES; role++) {
        unsigned keep = 0, bypass = 0;
        for (unsigned t = 0; t < in->c.problem.n_tensors; t++)
            if (in->c.problem.tensor[t].role == role) {
                keep += limits->must_keep >> t & 1;
                bypass += limits->must_bypass >> t & 1;
            }
        if (keep > 0 && bypass > 0)
            sc_reference_note(notes,
                              "level %s: tensors of one role are kept and bypassed; the "
                              "role is left open",
                              in->c.arch.level[level].name);
        else if (keep > 0 || bypass > 0) {
            sc_buf_printf(b, "%s%s: %s", comma, roles[role], keep > 0 ? "must" : "never");
            comma = ", ";
        }
    }
    if (comma[0] == ',')
        sc_buf_puts(b, "}\n");
}

static void put_storage(sc_buf *b, const sc_reference_input *in, unsigned i,
                        sc_reference_notes *notes)
{
    const sc_level *l = &in->c.arch.level[i];
    const char *class = in->origin.level_class[i], *type = in->origin.dram_type;
    if (i == 0) {
        const bool low_power = strstr(type, "LPDDR") || strstr(type, "lpddr");
        sc_buf_printf(b, "    storage: dram\n    dram: %s\n", low_power ? "lpddr4" : "ddr4");
        if (!low_power)
            sc_reference_note(notes, "level %s: taken to be DDR4, one channel", l->name);
    } else {
        sc_buf_printf(b, "    storage: %s\n", strstr(class, "reg") ? "register" : "sram");
    }
    if (l->bounded) {
        const double bytes = floor(bytes_of(l, (double)l->capacity[0]));
        sc_buf_puts(b, "    size: ");
        put_number(b, bytes > 1 ? bytes : 1);
        sc_buf_printf(b, " # %llu words of %u bits\n", (unsigned long long)l->capacity[0],
                      l->word_bits);
    }
    if (l->buffers > 1) {
        sc_buf_puts(b, "    buffers: ");
        put_number(b, l->buffers);
        sc_buf_puts(b, "\n");
    }
    if (l->word_bits != sc_reference_precision(in) && l->word_bits <= 64) {
        sc_buf_printf(b, "    output_bits: %u\n", l->word_bits);
        sc_reference_note(notes,
                          "level %s: every word has %u bits in the file; here outputs have, other "
                          "tensors have the network's %u",
                          l->name, l->word_bits, sc_reference_precision(in));
    }
    put_bandwidth(b, l, notes);
    put_keep(b, in, i, notes);
    if (in->area_um2[i] > 0) {
        sc_buf_puts(b, "    # by the file's area table one instance has ");
        put_number(b, in->area_um2[i]);
        sc_buf_puts(b, " um2; the area here is that of the technology table\n");
    }
}

static void put_levels(sc_buf *b, sc_reference_names names, const sc_reference_input *in,
                       sc_reference_notes *notes)
{
    const sc_arch *a = &in->c.arch;
    sc_buf_puts(b, "\nlevels:\n");
    for (unsigned i = 0; i < a->n_levels; i++) {
        sc_buf_printf(b, "  - name: %s\n", names[i]);
        const uint64_t x = i ? a->level[i - 1].fanout_x : 1, y = i ? a->level[i - 1].fanout_y : 1;
        if (i == 0 || stores(&a->level[i]))
            put_storage(b, in, i, notes);
        else
            sc_buf_puts(b, "    storage: none # stores nothing in the file\n");
        if (x > 1)
            sc_buf_printf(b, "    instances_x: %llu\n", (unsigned long long)x);
        if (y > 1)
            sc_buf_printf(b, "    instances_y: %llu\n", (unsigned long long)y);
    }
}

static void put_compute(sc_buf *b, sc_reference_names names, const sc_reference_input *in,
                        sc_reference_notes *notes)
{
    const sc_arch *a = &in->c.arch;
    const sc_level *inner = &a->level[a->n_levels - 1];
    const uint32_t bits = sc_reference_precision(in);
    sc_buf_printf(b,
                  "\ncompute:\n  name: %s\n  instances_x: %llu\n  instances_y: %llu\n"
                  "  multiply: %s\n  accumulate: int32\n",
                  names[SC_MAX_LEVELS], (unsigned long long)inner->fanout_x,
                  (unsigned long long)inner->fanout_y, bits <= 8 ? "int8" : "int16");
    if (bits != 8 && bits != 16)
        sc_reference_note(notes, "compute: %u-bit operands have the energy and area of int%d", bits,
                          bits <= 8 ? 8 : 16);
    if (strstr(in->origin.compute_class, "fp"))
        sc_reference_note(notes, "compute: class %s has the energy and area of integers",
                          in->origin.compute_class);
    if (in->origin.compute_bits == 0)
        sc_reference_note(notes, "compute: no operand width in the file, taken as %u bits", bits);
}

/* What our platforms cannot be. */
static bool can_hold(const sc_arch *a, sc_reference_notes *notes)
{
    for (unsigned i = 1; i < a->n_levels; i++)
        if (!a->level[i].bounded) {
            sc_reference_note(notes,
                              "no platform: level %s has no size, and only our outermost "
                              "level may have none",
                              a->level[i].name);
            return false;
        }
    if (a->level[0].instances != 1) {
        sc_reference_note(notes,
                          "no platform: %llu instances of the outermost level %s, ours is one",
                          (unsigned long long)a->level[0].instances, a->level[0].name);
        return false;
    }
    return true;
}

void sc_reference_level_names(sc_reference_names names, const sc_arch *a)
{
    static const char *const taken[] = {"vector", "overhead", "clock", "leakage"};
    for (unsigned i = 0; i <= a->n_levels; i++) {
        const unsigned at = i < a->n_levels ? i : SC_MAX_LEVELS;
        sc_reference_plain_name(names[at], i < a->n_levels ? a->level[i].name : a->compute.name);
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again |= strcmp(names[k], names[at]) == 0;
        for (size_t k = 0; k < COUNT_OF(taken); k++)
            again |= strcmp(taken[k], names[at]) == 0;
        if (again)
            (void)snprintf(names[at], SC_NAME_LEN, "L%u", i);
    }
}

/* Energies as those of 64-bit accesses, which our table's form wants for all components alike. */
static void put_energies(sc_buf *b, sc_reference_names names, const sc_arch *a)
{
    sc_buf_puts(b, "ERT:\n  tables:\n");
    for (unsigned i = 0; i < a->n_levels; i++) {
        const sc_level *l = &a->level[i];
        const double scale = 64.0 / ((double)l->word_bits * l->block_words);
        if (!stores(l))
            continue;
        sc_buf_printf(b, "  - name: %s\n    actions: [{name: read, energy: ", names[i]);
        put_number(b, l->read_pj * scale);
        sc_buf_puts(b, "}, {name: write, energy: ");
        put_number(b, l->write_pj * scale);
        sc_buf_puts(b, "}, {name: update, energy: ");
        put_number(b, l->update_pj * scale);
        sc_buf_puts(b, "}]\n");
    }
    sc_buf_printf(b, "  - name: %s\n    actions: [{name: compute, energy: ", names[SC_MAX_LEVELS]);
    put_number(b, a->compute.mac_pj);
    sc_buf_puts(b, "}]\n");
}

bool sc_reference_write_platform(sc_buf *platform, sc_buf *energies, const sc_reference_input *in,
                                 sc_reference_notes *notes)
{
    const sc_arch *a = &in->c.arch;
    const unsigned node = node_of(in->origin.node_nm);
    sc_reference_names names;
    if (!can_hold(a, notes))
        return false;
    sc_reference_level_names(names, a);
    if (in->origin.node_nm == 0)
        sc_reference_note(notes, "no technology in the file: taken as %u nm", node);
    else if (in->origin.node_nm != node)
        sc_reference_note(notes, "technology %u nm: the nearest table is that of %u nm",
                          in->origin.node_nm, node);
    if (in->origin.cycle_seconds <= 0)
        sc_reference_note(notes, "no cycle time in the file: taken as 1 GHz");
    sc_buf_puts(platform,
                "version: 1\nname: imported\nabout: Read from files of the reference tool\n"
                "technology:");
    if (in->c.ert)
        sc_buf_printf(platform, "\n  extends: %unm\n  ert: {file: energies.yaml, width_bits: 64}\n",
                      node);
    else
        sc_buf_printf(platform, " %unm\n", node);
    sc_buf_puts(platform, "clock: ");
    put_number(platform, in->origin.cycle_seconds > 0 ? 1 / in->origin.cycle_seconds : 1e9);
    sc_buf_puts(platform, "\nnative_batch: 1\n");
    put_levels(platform, names, in, notes);
    put_compute(platform, names, in, notes);
    if (in->c.ert)
        put_energies(energies, names, a);
    return true;
}
