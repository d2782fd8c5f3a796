scantle_bench(surrogate USES core surrogate)
