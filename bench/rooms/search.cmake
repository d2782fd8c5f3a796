scantle_bench(search USES core search)
target_sources(bench_search PRIVATE ${PROJECT_SOURCE_DIR}/tests/search_table.c)
target_include_directories(bench_search PRIVATE ${PROJECT_SOURCE_DIR}/tests)
scantle_bench(optimizers USES core workloads store model/arch model/count model/mapper model/net search flow) # bench_optimizers list|run|serve|table
target_sources(bench_optimizers PRIVATE targets.c targets_functions.c targets_held.c)
target_include_directories(bench_optimizers PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
