scantle_bench(count USES core workloads model/arch model/count)
