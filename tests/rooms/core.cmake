foreach(name core_text core_number core_buf core_file core_units core_mem core_rng
        core_yaml core_yaml_bad core_csv core_rows core_json core_expr
        core_expr_bad core_param)
  scantle_test(${name} USES core)
endforeach()
foreach(name core_yaml core_expr core_csv core_json core_units)
  scantle_fuzz(${name} USES core)
endforeach()
