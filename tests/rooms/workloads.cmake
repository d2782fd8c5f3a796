foreach(name workloads_builder workloads_einsum workloads_features workloads_networks workloads_problem
        workloads_reference workloads_yaml)
  scantle_test(${name} USES workloads)
endforeach()
scantle_test(scalesim USES workloads)
scantle_fuzz(scalesim USES workloads)
scantle_fuzz(workload_yaml USES workloads)
