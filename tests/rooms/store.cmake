foreach(part parts write open export damage)
  scantle_test(store_${part} USES store core SOURCES test_store_support.c)
endforeach()
