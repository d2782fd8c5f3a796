# The networks in double, where finite differences tell a wrong derivative from rounding.
set(SURROGATE_NN_SOURCES
    ${PROJECT_SOURCE_DIR}/surrogate/adam.c ${PROJECT_SOURCE_DIR}/surrogate/blas.c
    ${PROJECT_SOURCE_DIR}/surrogate/nn.c ${PROJECT_SOURCE_DIR}/surrogate/nn_attention.c
    ${PROJECT_SOURCE_DIR}/surrogate/nn_layers.c ${PROJECT_SOURCE_DIR}/surrogate/nn_pass.c)
scantle_test(surrogate_gradients USES core SOURCES ${SURROGATE_NN_SOURCES})
target_compile_definitions(test_surrogate_gradients PRIVATE SC_REAL_DOUBLE)
target_link_libraries(test_surrogate_gradients PRIVATE PkgConfig::OPENBLAS)
scantle_test(surrogate_loss USES core SOURCES ${PROJECT_SOURCE_DIR}/surrogate/loss.c)
target_compile_definitions(test_surrogate_loss PRIVATE SC_REAL_DOUBLE)
scantle_test(surrogate_metrics USES surrogate)
scantle_test(surrogate_data USES surrogate)
scantle_test(surrogate_fit USES surrogate)
scantle_test(surrogate_ensemble USES surrogate)
scantle_fuzz(surrogate_model USES surrogate)
scantle_test(surrogate_reference USES surrogate LABEL slow)
