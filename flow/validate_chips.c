/* Chips whose figures are published. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "flow/validate.h"
#include "model/arch/template.h"
#include "model/net/anchor.h"

/* ---- TPUv1 ---- */

/* Jouppi et al., ISCA'17 (doi:10.1145/3079856.3080246): tables 1 and 3. The layers of these
 * networks are not public: operations are multiply-accumulates a byte of weights, which for the
 * perceptrons and LSTMs is the batch. */
static const struct {
    const char *name;
    double macs_per_byte, batch, active;
} tpu_v1_loads[] = {{"MLP0", 200, 200, 12.7}, {"MLP1", 168, 168, 10.6}, {"LSTM0", 64, 64, 8.2},
                    {"LSTM1", 96, 96, 10.5},  {"CNN0", 2888, 8, 78.2},  {"CNN1", 1750, 32, 46.2}};

void sc_validate_tpu_v1(sc_validation *v)
{
    sc_design *d = NULL;
    sc_validation_begin(
        v, "TPUv1: share of cycles in which the array is active",
        "The layers of these six networks are not public, so this is a bound from their multiply-"
        "accumulates a weight byte and batch: the array is active for the share of time that "
        "weights "
        "arrive fast enough, at most 100 %.");
    if (sc_design_open(&d, "tpu-v1") != SC_OK) {
        sc_validation_absent(v, "TPUv1", "not there: no platform of that name");
        return;
    }
    const sc_arch *a = sc_design_arch(d);
    const sc_level *dram = &a->level[0];
    const double bytes_a_cycle = dram->read_bw > 0 ? dram->read_bw : dram->shared_bw;
    for (size_t i = 0; i < sizeof tpu_v1_loads / sizeof *tpu_v1_loads; i++) {
        char what[96];
        (void)snprintf(what, sizeof what, "%s (batch %.0f, %.0f MACs a byte)", tpu_v1_loads[i].name,
                       tpu_v1_loads[i].batch, tpu_v1_loads[i].macs_per_byte);
        sc_validation_row r = SC_VALIDATION_ROW(what);
        const double macs_a_cycle = bytes_a_cycle * tpu_v1_loads[i].macs_per_byte;
        r.published = tpu_v1_loads[i].active;
        r.modelled = 100 * fmin(1, macs_a_cycle / (double)a->compute.instances);
        r.unit = "% of cycles";
        r.error = r.modelled - r.published;
        r.points = true;
        r.use = "held-out";
        r.source = "Jouppi et al., ISCA'17, table 3; batch and intensity, table 1, recalled";
        sc_validation_add(v, &r);
    }
    sc_design_destroy(d);
}

/* ---- Eyeriss, layer by layer ---- */

/* Chen et al., JSSC'17, table V, batch of 4; as recalled: the sums match the published totals. */
static const struct {
    const char *op;
    double total_ms, dram_mb;
} eyeriss_layers[] = {{"conv1", 20.9, 5.0},
                      {"conv2", 41.9, 4.0},
                      {"conv3", 23.6, 3.0},
                      {"conv4", 18.4, 2.1},
                      {"conv5", 10.5, 1.3}};

static void add_layer_row(sc_validation *v, const char *op, const char *of, double published,
                          double modelled, const char *unit)
{
    char what[64];
    (void)snprintf(what, sizeof what, "AlexNet %s%s", op, of);
    sc_validation_row r = SC_VALIDATION_ROW(what);
    r.published = published;
    r.modelled = modelled;
    r.unit = unit;
    r.error = 100 * (r.modelled / r.published - 1);
    r.use = "held-out";
    r.source = "Chen et al., JSSC'17, table V, recalled";
    sc_validation_add(v, &r);
}

static void add_layers(sc_validation *v, const sc_evaluation *e)
{
    for (size_t i = 0; i < sizeof eyeriss_layers / sizeof *eyeriss_layers; i++) {
        char what[64];
        const sc_op_result *op = NULL;
        (void)snprintf(what, sizeof what, "AlexNet %s", eyeriss_layers[i].op);
        for (size_t j = 0; (op = sc_evaluation_op(e, j)) != NULL; j++)
            if (strcmp(op->name, eyeriss_layers[i].op) == 0)
                break;
        if (!op) {
            sc_validation_absent(v, what, "not there: the network has no op of that name");
            continue;
        }
        add_layer_row(v, eyeriss_layers[i].op, "", eyeriss_layers[i].total_ms, 1e3 * op->time_s,
                      "ms a batch of 4");
        add_layer_row(v, eyeriss_layers[i].op, " DRAM", eyeriss_layers[i].dram_mb,
                      op->dram_bytes / 1e6, "MB a batch of 4");
    }
}

void sc_validate_eyeriss(sc_validation *v)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.threads = v->options.threads;
    o.batch = 4;
    sc_validation_begin(v, "Eyeriss: AlexNet layer by layer",
                        "Reported only: the published per-layer figures are recalled. Times are of "
                        "the whole layer, "
                        "with the transfers that its processing does not hide.");
    if (sc_design_open(&d, "eyeriss") != SC_OK || sc_workload_open(&w, "alexnet") != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK)
        sc_validation_absent(v, "AlexNet", sc_error_message());
    else if (!sc_evaluation_feasible(e))
        sc_validation_absent(v, "AlexNet", "the model finds no mapping for it");
    else
        add_layers(v, e);
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    sc_design_destroy(d);
}

/* ---- the list of anchors ---- */

static void add_anchor(sc_validation *v, const sc_anchor *a)
{
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_validation_row r = SC_VALIDATION_ROW(a->name);
    o.threads = v->options.threads;
    r.published = a->published;
    r.unit = a->unit;
    r.use = a->tuned ? "tuned" : "held-out";
    r.source = a->source;
    r.points = a->metric == SC_ANCHOR_AREA_SHARE;
    if (a->aim > 0)
        r.aim = a->aim;
    if (sc_anchor_measure(&r.modelled, a, &o) == SC_OK)
        r.error = sc_anchor_error(a, r.modelled);
    else
        r.note = sc_error_message();
    sc_validation_add(v, &r);
}

/* Two cores of two 128 x 128 arrays at 940 MHz: 123 TFLOP/s. */
static void add_tpu_v3_peak(sc_validation *v)
{
    sc_design *d = NULL;
    sc_validation_row r = SC_VALIDATION_ROW("TPU-v3 peak");
    if (sc_design_open(&d, "tpu-v3") != SC_OK) {
        sc_validation_absent(v, r.what, "not there: no platform of that name");
        return;
    }
    const sc_arch *a = sc_design_arch(d);
    r.published = 123;
    r.modelled = 2e-12 * (double)a->compute.instances * a->clock_hz;
    r.unit = "TFLOP/s";
    r.error = 100 * (r.modelled / r.published - 1);
    r.use = "held-out";
    r.source = "Jouppi et al., CACM 2020";
    sc_validation_add(v, &r);
    sc_design_destroy(d);
}

void sc_validate_anchors(sc_validation *v)
{
    sc_anchors *list = NULL;
    sc_validation_begin(v, "Chips: area, power, speed",
                        "The list configs/validation/silicon.yaml (form: docs/formats/anchors.md). "
                        "What was tuned, and how: docs/algorithms/area_power.md.");
    char *path = sc_path_join(sc_data_dir(), "validation/silicon.yaml");
    if (!path)
        v->ok = false;
    else if (sc_anchors_open(&list, path) != SC_OK)
        sc_validation_absent(v, "Chips", sc_error_message());
    add_tpu_v3_peak(v);
    for (size_t i = 0; list && i < sc_anchors_count(list); i++)
        add_anchor(v, sc_anchors_get(list, i));
    sc_anchors_close(list);
    sc_free(path);
}
