# Tests of the validation and of calibration: the model of tiled runs, its fit, the report.
scantle_test(validate_tiled USES model/count)
scantle_test(validate_calibrate USES flow)
scantle_test(validate_report USES flow)
scantle_fuzz(validate_mapping USES model/count)
scantle_cli_test(unit validate)
