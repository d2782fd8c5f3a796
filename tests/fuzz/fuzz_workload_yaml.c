/* Any bytes as a network file: what is accepted must survive being written and read again. The same
 * document is offered as a problem of the reference tool. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "workloads/reference_problem.h"
#include "workloads/yaml_form.h"

static void require(int condition)
{
    if (!condition)
        abort();
}

static sc_workload *read_network(const char *text, size_t n)
{
    sc_yaml *doc = NULL;
    sc_workload *w = NULL;
    if (sc_yaml_parse(&doc, "fuzz", text, n) == SC_OK && sc_workload__yaml_read(&w, doc) != SC_OK)
        require(w == NULL);
    sc_yaml_close(doc);
    return w;
}

static void check_round_trip(const sc_workload *w)
{
    char *text = NULL, first[33], second[33];
    require(sc_workload_yaml(&text, w) == SC_OK);
    sc_workload *back = read_network(text, strlen(text));
    require(back != NULL);
    require(sc_workload_fingerprint(first, w) == SC_OK);
    require(sc_workload_fingerprint(second, back) == SC_OK);
    require(strcmp(first, second) == 0);
    sc_workload_destroy(back);
    sc_release(text);
}

static void check_ops(const sc_workload *w)
{
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        sc_einsum e;
        uint64_t macs;
        require(sc_op_is_mac(op) == (sc_op_einsum(&e, op) == SC_OK));
        if (!sc_op_is_mac(op))
            continue;
        require(sc_einsum_check(&e) == SC_OK);
        require(sc_einsum_macs(&macs, &e) == SC_OK && macs == op->macs && macs > 0);
    }
}

static void try_problem(const char *text, size_t n)
{
    sc_yaml *doc = NULL;
    sc_einsum e;
    if (sc_yaml_parse(&doc, "fuzz", text, n) == SC_OK &&
        sc_reference_problem_read(&e, doc, sc_node_get(sc_yaml_root(doc), "problem"),
                                  sc_node_get(sc_yaml_root(doc), "macro"), 8) == SC_OK)
        require(sc_einsum_check(&e) == SC_OK);
    sc_yaml_close(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    sc_workload *w = read_network(text, size);
    if (w) {
        check_round_trip(w);
        check_ops(w);
    }
    sc_workload_destroy(w);
    try_problem(text, size);
    return 0;
}
