# Tests of flow/: studies run, interrupted and resumed; external evaluators; what-if.
foreach(name flow_run flow_ask flow_study flow_ablation flow_roi flow_suite flow_table flow_compare flow_log)
  scantle_test(${name} USES flow SOURCES flow_support.c)
endforeach()
scantle_fuzz(flow_study USES flow)
scantle_fuzz(flow_table USES flow)
# What the optimisers are measured on.
scantle_test(bench_targets USES flow SOURCES ../bench/targets.c ../bench/targets_functions.c ../bench/targets_held.c)
target_include_directories(test_bench_targets PRIVATE ${PROJECT_SOURCE_DIR}/bench)
