# The networks in double, where finite differences tell a wrong derivative from rounding.
set(SURROGATE_NET_SOURCES
    ${PROJECT_SOURCE_DIR}/surrogate/adam.c ${PROJECT_SOURCE_DIR}/surrogate/blas.c
    ${PROJECT_SOURCE_DIR}/surrogate/net.c ${PROJECT_SOURCE_DIR}/surrogate/net_attention.c
    ${PROJECT_SOURCE_DIR}/surrogate/net_layers.c ${PROJECT_SOURCE_DIR}/surrogate/net_pass.c)
scantle_test(surrogate_gradients USES core SOURCES ${SURROGATE_NET_SOURCES})
target_compile_definitions(test_surrogate_gradients PRIVATE SC_REAL_DOUBLE)
target_link_libraries(test_surrogate_gradients PRIVATE PkgConfig::OPENBLAS)
scantle_test(surrogate_loss USES core SOURCES ${PROJECT_SOURCE_DIR}/surrogate/loss.c)
target_compile_definitions(test_surrogate_loss PRIVATE SC_REAL_DOUBLE)
scantle_test(surrogate_metrics USES surrogate)
scantle_test(surrogate_data USES surrogate)
