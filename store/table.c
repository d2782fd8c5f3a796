#include "store/private.h"

static const sc_table_info tables[SC_TABLES] = {
    [SC_TABLE_STUDIES] = {"studies",
                          1,
                          10,
                          {"id", "name", "config", "config_hash", "seed", "model", "keep",
                           "parameters", "outputs", "sum"}},
    [SC_TABLE_PROGRESS] = {"progress",
                           1,
                           10,
                           {"study", "status", "trials", "feasible", "infeasible", "failed", "kept",
                            "checkpoint", "told", "sum"}},
    [SC_TABLE_CHECKPOINTS] = {"checkpoints", 1, 4, {"study", "trials", "state", "sum"}},
    [SC_TABLE_TRIALS] = {"trials",
                         2,
                         11,
                         {"study", "idx", "point", "parameters", "state", "numbers", "reasons",
                          "evaluator", "model", "flags", "sum"}},
    [SC_TABLE_RUNS] = {"runs",
                       2,
                       8,
                       {"study", "number", "started_ms", "elapsed_ms", "first_trial", "trials",
                        "threads", "sum"}},
    [SC_TABLE_RESULTS] = {"results",
                          1,
                          10,
                          {"key", "design", "workload", "model", "options", "evaluator", "state",
                           "metrics", "reasons", "sum"}},
    [SC_TABLE_DETAILS] = {"details", 2, 6, {"key", "kind", "codec", "bytes", "data", "sum"}},
    [SC_TABLE_LEDGER] = {"ledger", 1, 4, {"name", "rows", "total", "sum"}},
};

const sc_table_info *sc_store__table(sc_table t)
{
    return &tables[t];
}
