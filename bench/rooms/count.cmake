scantle_bench(count USES core workloads model/arch model/count)
scantle_bench(systolic USES core workloads model/arch model/count)
