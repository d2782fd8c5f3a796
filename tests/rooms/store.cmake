foreach(name store_parts store_write store_results store_open store_export store_damage store_memory)
  scantle_test(${name} USES store core SOURCES store_support.c)
endforeach()
scantle_test(store_faults USES store core SOURCES store_support.c store_vfs.c)
