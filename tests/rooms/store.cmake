foreach(part parts write open export damage memory)
  scantle_test(store_${part} USES store core SOURCES test_store_support.c)
endforeach()
scantle_test(store_faults USES store core SOURCES test_store_support.c test_store_vfs.c)
