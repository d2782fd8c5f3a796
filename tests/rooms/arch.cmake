# Tests of model/arch: technology tables, templates, chains, budgets, designs.
foreach(name arch_curve arch_template arch_chain arch_budget arch_design arch_reject arch_tech
             arch_platforms arch_rules)
  scantle_test(${name} USES model/arch SOURCES arch_support.c)
endforeach()
scantle_fuzz(arch_template USES model/arch)
