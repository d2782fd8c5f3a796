scantle_test(net_platforms USES model/net) # platforms run networks; published figures
