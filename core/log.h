#ifndef CORE_LOG_H
#define CORE_LOG_H
#include "scantle/log.h"
/** Hand one line to the sink, if any; cut at 2 KiB. The library itself never prints. Allocates
 *  nothing. Threads: safe if the sink is. */
void sc_log(sc_log_level level, const char *fmt, ...) SC_PRINTF(2, 3);
#endif
