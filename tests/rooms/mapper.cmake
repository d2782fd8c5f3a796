# Tests of the exact mapper, against a walk of the whole map space.
set(mapper_oracle count_make.c mapper_make.c oracle_mapspace.c)
scantle_test(mapper_oracle USES model/mapper SOURCES ${mapper_oracle})
scantle_test(mapper_exact USES model/mapper SOURCES ${mapper_oracle})
scantle_test(mapper_fit USES model/mapper SOURCES ${mapper_oracle})
scantle_test(mapper_array USES model/mapper SOURCES count_make.c mapper_make.c oracle_mapspace.c
             oracle_array_space.c array_make.c arch_support.c)
scantle_test(mapper_rules USES model/mapper SOURCES model_support.c)
scantle_test(mapper_limits USES model/mapper SOURCES ${mapper_oracle} model_support.c)
scantle_test(mapper_imperfect USES model/mapper SOURCES ${mapper_oracle} model_support.c)
scantle_test(mapper_size USES model/mapper SOURCES ${mapper_oracle} model_support.c)
scantle_test(mapper_monotone USES model/mapper SOURCES ${mapper_oracle})
scantle_test(reference_find USES model/mapper)
scantle_fuzz(reference_find USES model/mapper)
