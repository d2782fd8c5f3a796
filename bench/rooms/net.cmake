scantle_bench(edge_limit USES core workloads model/arch model/count model/mapper model/net) # CONFIGS
scantle_bench(platforms USES core workloads model/arch model/count model/mapper model/net) # CONFIGS
scantle_bench(net USES core workloads model/arch model/count model/mapper model/net) # CONFIGS MODE
scantle_bench(fusion USES core workloads model/arch model/count model/mapper model/net) # CONFIGS NETWORK
scantle_bench(tiles USES core workloads model/arch model/count model/mapper model/net)
target_sources(bench_fusion PRIVATE ${PROJECT_SOURCE_DIR}/tests/fusion_glpk.c)
target_include_directories(bench_fusion PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bench_fusion PRIVATE ${GLPK_LIBRARY})
