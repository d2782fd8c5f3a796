scantle_test(mapper USES model/mapper SOURCES model_support.c)
