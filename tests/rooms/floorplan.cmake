# Tests of floorplan/: designs as macros and buses.
scantle_test(floorplan USES floorplan SOURCES arch_support.c)
