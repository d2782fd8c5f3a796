scantle_test(mapper USES model/mapper SOURCES model_support.c)
scantle_test(net USES model/net SOURCES model_support.c)
scantle_fuzz(net_mapping USES model/net SOURCES model_support.c)
target_include_directories(fuzz_net_mapping PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
