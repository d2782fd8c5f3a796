#ifndef CORE_RUN_H
#define CORE_RUN_H
#include "scantle/run.h"
/** Monotonic seconds. */
double sc_now(void);
#endif
