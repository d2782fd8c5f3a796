foreach(name core_text core_number core_buf core_file core_units core_mem core_rng)
  scantle_test(${name} USES core)
endforeach()
