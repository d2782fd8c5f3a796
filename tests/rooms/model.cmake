scantle_test(mapper USES model/mapper SOURCES model_support.c)
scantle_test(net USES model/net SOURCES model_support.c)
scantle_test(net_ops USES model/net SOURCES model_support.c)
scantle_test(net_properties USES model/net LABEL slow) # hundreds of random designs
scantle_test(net_rules USES model/net SOURCES model_support.c)
scantle_test(net_calibrated USES model/net SOURCES model_support.c)
scantle_test(net_memory USES model/net SOURCES model_support.c)
scantle_test(net_fusion USES model/net SOURCES fusion_make.c)
scantle_test(net_measured USES model/net)
scantle_test(net_map USES model/net)
scantle_test(net_limits USES model/net)
scantle_test(net_explain USES flow LABEL slow) # a network for each allocation that fails
scantle_fuzz(net_mapping USES model/net SOURCES model_support.c)
target_include_directories(fuzz_net_mapping PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
