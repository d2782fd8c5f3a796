# Tests of model/arch: technology tables, templates, chains, budgets, designs.
foreach(name curve template chain budget design reject)
  scantle_test(arch_${name} USES model/arch SOURCES arch_support.c)
endforeach()
scantle_fuzz(arch_template USES model/arch)
