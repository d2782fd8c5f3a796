# ONNX import: models that the tests write themselves, and the reference files where they are there.
scantle_fuzz(onnx USES workloads)
foreach(name onnx_fuse onnx_graph onnx_mac onnx_networks onnx_ops onnx_reference onnx_shape onnx_signal onnx_vector onnx_wire)
  scantle_test(${name} USES workloads SOURCES onnx_write.c)
endforeach()
scantle_cli_test(unit onnx)
