/* Any bytes as an ONNX model: what is accepted has einsums of its own MACs, and survives being
 * written as YAML and read again. The last byte chooses the options. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "workloads/onnx_import.h"
#include "workloads/yaml_form.h"

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_ops(const sc_workload *w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        sc_einsum e;
        uint64_t macs;
        sum += op->macs;
        require(sc_op_is_mac(op) == (sc_op_einsum(&e, op) == SC_OK));
        if (!sc_op_is_mac(op))
            continue;
        require(sc_einsum_check(&e) == SC_OK);
        require(sc_einsum_macs(&macs, &e) == SC_OK && macs == op->macs && macs > 0);
    }
    require(sum == w->macs);
}

static void check_round_trip(const sc_workload *w)
{
    char *text = NULL, first[33], second[33];
    sc_yaml *doc = NULL;
    sc_workload *back = NULL;
    require(sc_workload_yaml(&text, w) == SC_OK);
    require(sc_yaml_parse(&doc, "fuzz", text, strlen(text)) == SC_OK);
    require(sc_workload__yaml_read(&back, doc) == SC_OK);
    require(sc_workload_fingerprint(first, w) == SC_OK);
    require(sc_workload_fingerprint(second, back) == SC_OK);
    require(strcmp(first, second) == 0);
    sc_workload_destroy(back);
    sc_yaml_close(doc);
    sc_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const options[] = {"", "batch=3", "seq=5,bits=8", "N=7,unsupported=refuse"};
    const char *chosen = options[size ? data[size - 1] % 4 : 0];
    sc_onnx_source source = {.name = "fuzz", .bytes = data, .fd = -1, .size = size};
    sc_workload *w = NULL;
    char *report = NULL;
    const sc_status st = sc_onnx_import(&w, &report, &source, chosen);
    require((st == SC_OK) == (report != NULL));
    require(st == SC_OK || w == NULL);
    if (w && w->n_ops < 2000) {
        check_ops(w);
        check_round_trip(w);
    }
    sc_workload_destroy(w);
    sc_release(report);
    return 0;
}
