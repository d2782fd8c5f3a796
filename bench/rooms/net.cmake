scantle_bench(edge_limit USES core workloads model/arch model/count model/mapper model/net) # CONFIGS
scantle_bench(platforms USES core workloads model/arch model/count model/mapper model/net) # CONFIGS
scantle_bench(net USES core workloads model/arch model/count model/mapper model/net) # CONFIGS MODE
scantle_bench(fusion USES core workloads model/arch model/count model/mapper model/net) # CONFIGS NETWORK
