/* Rows a second of the systolic batch kernel on one core. */
#include <stdio.h>

#include "count_clock.h"
#include "model/count/systolic.h"

enum { ROWS = 1 << 16 };

int main(void)
{
    static uint32_t column[5][ROWS];
    static uint8_t flow[ROWS];
    static uint64_t cycles[ROWS];
    const sc_systolic_table t = {column[0], column[1], column[2], column[3], column[4], flow};
    uint64_t state = 1, sum = 0, rows = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        for (unsigned k = 0; k < 5; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            column[k][i] = 1 + (uint32_t)(state >> 33) % (k < 3 ? 1u << 20 : 256);
        }
        flow[i] = (uint8_t)(state >> 60) % 3;
    }
    const double start = cpu_seconds();
    while (cpu_seconds() - start < 2) {
        if (sc_systolic_batch(cycles, ROWS, &t, NULL) != SC_OK) {
            puts(sc_error_message());
            return 1;
        }
        sum += cycles[rows % ROWS];
        rows += ROWS;
    }
    printf("systolic: %.0f rows/s (check %llu)\n", (double)rows / (cpu_seconds() - start),
           (unsigned long long)sum);
    return 0;
}
