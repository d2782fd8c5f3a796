# Tests of placement/: texts, costs, rules of legal placements.
scantle_test(placement_cost USES placement core SOURCES placement_make.c oracle_placement.c)
scantle_test(placement_text USES placement core SOURCES placement_make.c)
scantle_test(placement_legal USES placement core SOURCES placement_make.c)
scantle_test(placement_rules USES placement core SOURCES placement_make.c)
scantle_test(placement_start USES placement core SOURCES placement_make.c)
scantle_test(placement_legalise USES placement core SOURCES placement_make.c)
scantle_test(placement_anneal USES placement core SOURCES placement_make.c oracle_placement.c)
scantle_fuzz(placement_netlist USES placement core)
