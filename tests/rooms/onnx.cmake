# ONNX import: models that the tests write themselves, and the reference files where they are there.
scantle_fuzz(onnx USES workloads)
foreach(name onnx_mac onnx_shape onnx_vector)
  scantle_test(${name} USES workloads SOURCES onnx_write.c)
endforeach()
