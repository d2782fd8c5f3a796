scantle_bench(placement USES core placement) # bench_placement NETLIST PLACEMENT
