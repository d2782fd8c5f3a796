scantle_bench(placement USES core placement) # bench_placement NETLIST PLACEMENT
scantle_bench(anneal USES core placement) # bench_anneal NETLIST PLACEMENT MOVES HOT COLD SEEDS
