scantle_bench(workloads USES workloads core)
