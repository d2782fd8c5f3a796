#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "core/text.h"
#include "workloads/scalesim.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { MAX_WORD = 64, MAX_SIDE = 1 << 20, MAX_KB = 1 << 30 };

typedef enum config_key {
    ROWS,
    COLS,
    INPUT_KB,
    WEIGHT_KB,
    OUTPUT_KB,
    DATAFLOW,
    BANDWIDTH,
    CONFIG_KEYS
} config_key;

/* Names of both versions of the simulator. */
static const struct {
    const char *name;
    config_key key;
} used[] = {{"ArrayHeight", ROWS},         {"ArrayWidth", COLS},
            {"IfmapSramSzkB", INPUT_KB},   {"IfmapSramSz", INPUT_KB},
            {"FilterSramSzkB", WEIGHT_KB}, {"FilterSramSz", WEIGHT_KB},
            {"OfmapSramSzkB", OUTPUT_KB},  {"OfmapSramSz", OUTPUT_KB},
            {"Dataflow", DATAFLOW},        {"Bandwidth", BANDWIDTH}};

static const char *const idle[] = {"run_name",
                                   "IfmapOffset",
                                   "FilterOffset",
                                   "OfmapOffset",
                                   "MemoryBanks",
                                   "OnChipMemoryBanks",
                                   "OnChipMemoryBankPorts",
                                   "IfmapCustomLayout",
                                   "FilterCustomLayout",
                                   "IfmapSRAMBankBandwidth",
                                   "IfmapSRAMBankNum",
                                   "IfmapSRAMBankPort",
                                   "FilterSRAMBankBandwidth",
                                   "FilterSRAMBankNum",
                                   "FilterSRAMBankPort",
                                   "ReadRequestBuffer",
                                   "WriteRequestBuffer",
                                   "SparsitySupport",
                                   "SparseRep",
                                   "OptimizedMapping",
                                   "BlockSize",
                                   "RandomNumberGeneratorSeed",
                                   "InterfaceBandwidth",
                                   "UseRamulatorTrace",
                                   "topology"};

/* One line "name : value", or "name = value". */
typedef struct config_line {
    char name[MAX_WORD], value[MAX_WORD];
    int number, value_column;
} config_line;

static void copy_word(char out[MAX_WORD], const char *from, const char *to)
{
    size_t n = 0;
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    for (; from < to && n + 1 < MAX_WORD; from++)
        if (*from != '"' && *from != '\'')
            out[n++] = *from;
    out[n] = '\0';
}

static void read_number(uint64_t *out, sc_scalesim_log *log, const char *path, const config_line *l,
                        int64_t most)
{
    int64_t v;
    if (sc_integer_read(&v, l->value) != SC_OK || v < 1 || v > most)
        sc_scalesim_error(log, path, l->number, l->value_column,
                          "%s must be a whole number from 1 to %lld", l->name, (long long)most);
    else
        *out = (uint64_t)v;
}

/* Words a cycle; a list has one for each memory, of which the first is taken. */
static void read_bandwidth(sc_scalesim_config *c, sc_scalesim_log *log, const char *path,
                           config_line *l)
{
    char *comma = strchr(l->value, ',');
    if (comma) {
        sc_scalesim_note(log, "of several bandwidths the first is taken");
        *comma = '\0';
    }
    const size_t span = sc_number_span(l->value);
    if (span == 0 || l->value[span] != '\0' ||
        sc_number_read(&c->bandwidth, l->value, span, 0) != SC_OK || c->bandwidth <= 0)
        sc_scalesim_error(log, path, l->number, l->value_column,
                          "Bandwidth must be a number above 0");
}

static void read_dataflow(sc_scalesim_config *c, sc_scalesim_log *log, const char *path,
                          const config_line *l)
{
    static const char *const names[] = {"os", "ws", "is"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcasecmp(l->value, names[i]) == 0) {
            memcpy(c->dataflow, names[i], sizeof c->dataflow);
            return;
        }
    sc_scalesim_error(log, path, l->number, l->value_column, "Dataflow must be os, ws or is");
}

static void unknown_key(sc_scalesim_log *log, const char *path, const config_line *l)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    sc_near near;
    for (size_t i = 0; i < COUNT_OF(idle); i++)
        if (strcasecmp(idle[i], l->name) == 0) {
            if (strcasecmp(l->name, "SparsitySupport") == 0 && strcasecmp(l->value, "true") == 0)
                sc_scalesim_note(log, "%s:%d: sparsity is not modelled: layers are dense", path,
                                 l->number);
            return;
        }
    sc_near_begin(&near, l->name);
    for (size_t i = 0; i < COUNT_OF(used); i++)
        sc_near_offer(&near, used[i].name);
    if (near.best)
        sc_scalesim_error(log, path, l->number, 1, "unknown key '%s'%s",
                          sc_text_show(shown, l->name), sc_did_you_mean(hint, near.best));
    else
        sc_scalesim_note(log, "%s:%d: '%s' is not known here and has no effect", path, l->number,
                         sc_text_show(shown, l->name));
}

static void read_entry(sc_scalesim_config *c, bool *seen, sc_scalesim_log *log, const char *path,
                       config_line *l)
{
    uint64_t *const counts[CONFIG_KEYS] = {&c->rows, &c->cols, &c->input_kb, &c->weight_kb,
                                           &c->output_kb};
    size_t i = 0;
    while (i < COUNT_OF(used) && strcasecmp(used[i].name, l->name) != 0)
        i++;
    if (i == COUNT_OF(used)) {
        unknown_key(log, path, l);
        return;
    }
    const config_key key = used[i].key;
    if (seen[key])
        sc_scalesim_error(log, path, l->number, 1, "a second %s", l->name);
    seen[key] = true;
    if (key == DATAFLOW)
        read_dataflow(c, log, path, l);
    else if (key == BANDWIDTH)
        read_bandwidth(c, log, path, l);
    else
        read_number(counts[key], log, path, l, key <= COLS ? MAX_SIDE : MAX_KB);
}

void sc_scalesim_read_config(sc_scalesim_config *out, sc_scalesim_log *log, const char *path,
                             const char *text)
{
    static const config_key needed[] = {ROWS, COLS, INPUT_KB, WEIGHT_KB, OUTPUT_KB, DATAFLOW};
    bool seen[CONFIG_KEYS] = {false};
    config_line l = {.number = 0};
    *out = (sc_scalesim_config){.rows = 1, .cols = 1};
    while (*text) {
        const char *end = text + strcspn(text, "\n"), *mark = text + strcspn(text, ":=\n");
        const char *first = text + strspn(text, " \t\r");
        l.number++;
        if (*mark == ':' || *mark == '=') {
            copy_word(l.name, text, mark);
            copy_word(l.value, mark + 1, end);
            l.value_column = (int)(mark - text) + 2;
        }
        if (strchr("[#;", *first) == NULL && first < end) {
            if (mark < end)
                read_entry(out, seen, log, path, &l);
            else
                sc_scalesim_error(log, path, l.number, 1, "expected 'name : value'");
        }
        text = *end ? end + 1 : end;
    }
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (!seen[needed[i]])
            for (size_t k = 0; k < COUNT_OF(used); k++)
                if (used[k].key == needed[i]) {
                    sc_scalesim_error(log, path, 1, 1, "no %s in this file", used[k].name);
                    break;
                }
    if (!seen[BANDWIDTH])
        sc_scalesim_note(log, "no Bandwidth in the configuration: the DRAM is no limit");
}

void sc_scalesim_platform(sc_buf *b, const sc_scalesim_config *c)
{
    const unsigned long long rows = c->rows, cols = c->cols;
    char rate[32];
    sc_double_text(rate, sizeof rate, c->bandwidth > 0 ? c->bandwidth : 0x1p30);
    sc_buf_printf(b,
                  "version: 1\nname: imported\nabout: Read from a configuration of the systolic "
                  "simulator; words of one byte\ntechnology: 45nm # assumed\n"
                  "clock: 1 GHz # assumed\nnative_batch: 1\n\nlevels:\n"
                  "  - name: DRAM\n    storage: dram\n    dram: ddr4\n"
                  "    bandwidth: {shared: %s, unit: B/cycle}%s\n",
                  rate, c->bandwidth > 0 ? "" : " # no limit in the file");
    sc_buf_printf(b,
                  "  - name: SRAM\n    storage: sram\n"
                  "    size: {input: %llu KiB, weight: %llu KiB, output: %llu KiB}\n"
                  "    buffers: 2 # the simulator works on one half and fills the other\n"
                  "    bandwidth: {read: %llu, write: %llu, unit: B/cycle} # one word an edge\n",
                  (unsigned long long)c->input_kb, (unsigned long long)c->weight_kb,
                  (unsigned long long)c->output_kb, rows + cols, rows + cols);
    sc_buf_printf(b,
                  "  - name: REG\n    storage: register\n    instances_x: %llu\n"
                  "    instances_y: %llu\n    size: {input: 1, weight: 1, output: 1}\n"
                  "    peak: {read: 3, write: 1, unit: B/cycle}\n\n"
                  "compute:\n  name: MAC\n  rows: %llu\n  cols: %llu\n  dataflows: [%s]\n"
                  "  multiply: int8\n  accumulate: int32\n  operand_bits: 8\n",
                  cols, rows, rows, cols, c->dataflow);
}
