#include "model/mapper/factor.h"

static uint64_t largest_divisor(uint64_t steps, uint64_t most)
{
    uint64_t best = 1;
    for (uint64_t d = 1; d <= most && d <= steps / d; d++) {
        if (steps % d != 0)
            continue;
        if (steps / d <= most)
            return steps / d; /* the first of these is the largest */
        best = d;
    }
    return best;
}

uint64_t sc_factor_even(uint64_t steps, uint64_t room, bool divisors)
{
    if (divisors)
        return largest_divisor(steps, room);
    const uint64_t rounds = sc_factor_rounds(steps, room);
    return sc_factor_rounds(steps, rounds);
}

uint64_t sc_factor_least(uint64_t steps)
{
    for (uint64_t d = 2; d <= steps / d; d++)
        if (steps % d == 0)
            return d;
    return steps;
}
