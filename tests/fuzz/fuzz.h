#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
/**
 * What a fuzz target defines: feed the bytes to one parser, release everything, return 0. Whether
 * the input is accepted does not matter; a crash, a leak, a hang or a broken assertion does.
 */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#endif
