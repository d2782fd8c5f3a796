scantle_bench(store USES core store) # bench_store DATABASE
