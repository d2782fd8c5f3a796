foreach(part parts write open)
  scantle_test(store_${part} USES store core SOURCES test_store_support.c)
endforeach()
