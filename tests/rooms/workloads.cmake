foreach(name builder einsum networks problem reference yaml)
  scantle_test(workloads_${name} USES workloads)
endforeach()
scantle_fuzz(workload_yaml USES workloads)
