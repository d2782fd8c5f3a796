# Tests of flow/: studies run, interrupted and resumed; external evaluators; what-if.
foreach(name run ask study)
  scantle_test(flow_${name} USES flow SOURCES flow_support.c)
endforeach()
scantle_fuzz(flow_study USES flow)
