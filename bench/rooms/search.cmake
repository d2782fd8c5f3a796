scantle_bench(search USES core search)
target_sources(bench_search PRIVATE ${PROJECT_SOURCE_DIR}/tests/search_table.c)
target_include_directories(bench_search PRIVATE ${PROJECT_SOURCE_DIR}/tests)
