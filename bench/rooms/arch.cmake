scantle_bench(arch USES core workloads model/arch) # bench_arch CONFIGS-FOLDER
