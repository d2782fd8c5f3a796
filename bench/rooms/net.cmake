scantle_bench(net USES core workloads model/arch model/count model/mapper model/net)
