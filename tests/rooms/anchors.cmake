scantle_test(net_platforms USES model/net LABEL slow) # every platform runs a network; published figures
