#ifndef CORE_LOG_H
#define CORE_LOG_H
#include "scantle/log.h"
/** Hand one line to the sink, if any. The library itself never prints. */
void sc_log(sc_log_level level, const char *fmt, ...) SC_PRINTF(2, 3);
#endif
