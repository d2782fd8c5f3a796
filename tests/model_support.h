#ifndef TESTS_MODEL_SUPPORT_H
#define TESTS_MODEL_SUPPORT_H
/** Small ops and designs for the tests of model/mapper and model/net, written out in full so that
 * expected values can be worked out by hand. */
#include "model/arch/arch.h"
#include "workloads/einsum.h"

/** out[m][n] += in[m][k] * weight[k][n], 16 bits. Dimensions M N K are 0 1 2. */
sc_einsum gemm_einsum(uint64_t m, uint64_t n, uint64_t k);

/** Depthwise conv, 16 bits, stride 1. Dimensions G P Q R S are 0 1 2 3 4. */
sc_einsum depthwise_einsum(uint64_t g, uint64_t p, uint64_t q, uint64_t r, uint64_t s);

/** DRAM, one buffer of so many bytes, and an array rows x cols with one word a MAC; no bandwidth
 * limits. */
sc_arch array_arch(uint64_t rows, uint64_t cols, uint64_t buffer_bytes);

/** DRAM and per-PE buffers under a grid x * y, plain MACs; bw: bytes a cycle of the DRAM, 0 =
 * unlimited. */
sc_arch grid_arch(uint64_t x, uint64_t y, uint64_t buffer_bytes, double bw);

/** One PE with a buffer of 1 MiB, and between it and the DRAM a global buffer of so many bytes that
 * mappings pass by; bytes a cycle of the DRAM and of the buffer's port; an access moves a byte, for
 * 100 and 1 pJ. */
sc_arch buffered_arch(double capacity, double dram_bw, double port_bw);
#endif
