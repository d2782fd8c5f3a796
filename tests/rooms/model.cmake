scantle_test(mapper USES model/mapper SOURCES model_support.c)
scantle_test(net USES model/net SOURCES model_support.c)
