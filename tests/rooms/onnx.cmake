# ONNX import: models that the tests write themselves, and the reference files where they are there.
scantle_fuzz(onnx USES workloads)
