foreach(name count_golden)
  scantle_test(${name} USES model/count)
endforeach()
