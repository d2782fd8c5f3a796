/** A user of the installed library: install.sh builds and runs it by CMake and by pkg-config. It
 * goes the whole way once, so that the installed data files are found and read too. */
#include <stdio.h>

#include <scantle/evaluate.h>

/* argv[1]: the data folder, for a static library; a shared one finds it from where it lies itself.
 */
int main(int argc, char **argv)
{
    sc_design *design = NULL;
    sc_workload *network = NULL;
    sc_evaluation *evaluation = NULL;
    const sc_evaluate_options options = SC_EVALUATE_OPTIONS_INIT;
    int failed = 1;

    if ((argc > 1 && sc_data_dir_set(argv[1]) != SC_OK) ||
        sc_design_open(&design, "tpu-v3-7nm") != SC_OK ||
        sc_workload_open(&network, "mobilenet-v2") != SC_OK ||
        sc_evaluate(&evaluation, design, network, &options) != SC_OK) {
        fprintf(stderr, "%s\n", sc_error_message());
        goto done;
    }
    const double rate = sc_evaluation_metrics(evaluation)->throughput_per_s;
    printf("%s on %s: %.3g samples/s\n", sc_workload_name(network), sc_design_name(design), rate);
    failed = !(sc_evaluation_feasible(evaluation) && rate > 0.0);
done:
    sc_evaluation_destroy(evaluation);
    sc_workload_destroy(network);
    sc_design_destroy(design);
    return failed;
}
