foreach(name count_golden count_systolic count_share)
  scantle_test(${name} USES model/count)
endforeach()
