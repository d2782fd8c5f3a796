#ifndef BENCH_COUNT_CLOCK_H
#define BENCH_COUNT_CLOCK_H
#include <time.h>

/** Seconds of processor time of this process: what one core works, whoever else uses the machine.
 */
static inline double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#endif
