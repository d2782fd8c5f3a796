#ifndef MODEL_MAPPER_FACTOR_H
#define MODEL_MAPPER_FACTOR_H
/** How a dimension's steps are shared out. */
#include <stdbool.h>
#include <stdint.h>

/** Rounds of `room` >= 1 that cover so many steps: steps / room, rounded up. */
static inline uint64_t sc_factor_rounds(uint64_t steps, uint64_t room)
{
    return steps / room + (steps % room != 0);
}

/**
 * How many of so many steps run side by side in so much room. Evenly: 40 in 32 are two rounds of
 * 20, not of 32 and 8; 41 are two of 21, and one of 42 places is padding.
 * @param steps, room  >= 1.
 * @param divisors     the factor divides the steps, so that nothing is padded: 41 in 32 are 41
 *                     rounds of 1.
 * @return 1 to min(steps, room). Cost: with divisors, O(min(sqrt(steps), room)).
 */
uint64_t sc_factor_even(uint64_t steps, uint64_t room, bool divisors);

/** Least divisor above 1 of steps >= 2: itself if it is prime. Cost: O(sqrt(steps)). */
uint64_t sc_factor_least(uint64_t steps);
#endif
