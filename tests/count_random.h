#ifndef TESTS_COUNT_RANDOM_H
#define TESTS_COUNT_RANDOM_H
#include <stdint.h>

/** Next number of a fixed sequence (splitmix64), below n. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}
#endif
