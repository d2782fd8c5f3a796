# Tests of report/: on the study that the store's own tests tell.
scantle_test(report USES report SOURCES store_support.c)
scantle_test(report_page USES report SOURCES store_support.c)
