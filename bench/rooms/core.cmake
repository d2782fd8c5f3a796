scantle_bench(core USES core)
