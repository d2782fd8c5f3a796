scantle_test(search_pareto USES search)
scantle_test(search_space USES search)
scantle_test(search_space_io USES search)
