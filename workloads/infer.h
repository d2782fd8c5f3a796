#ifndef WORKLOADS_INFER_H
#define WORKLOADS_INFER_H
/** Shapes and counts of one op from its description. */
#include "core/text.h"
#include "workloads/builder.h"

/** The op being worked out. */
typedef struct sc_infer {
    sc_op *op;
    const sc_op_spec *spec;
    const sc_operand *in; /* [spec->n_inputs] */
    char name[SC_SHOWN_LEN];
} sc_infer;

/**
 * Fill every field of job->op that follows from batch, bits, spec and operands: shapes, GEMM view,
 * counts. The op comes with name, kind, batch, bits, spec and operands set and the rest zeroed.
 * @return as sc_builder_add(); the op is worthless on failure.
 */
sc_status sc_infer__op(sc_infer *job) SC_MUST_USE;

/* The parts of it, by kind of op. */
sc_status sc_infer__conv(sc_infer *job) SC_MUST_USE; /* conv and dwconv */
sc_status sc_infer__tconv(sc_infer *job) SC_MUST_USE;
sc_status sc_infer__pool(sc_infer *job) SC_MUST_USE;
sc_status sc_infer__fc(sc_infer *job) SC_MUST_USE;
sc_status sc_infer__matmul(sc_infer *job) SC_MUST_USE;
sc_status sc_infer__bmm(sc_infer *job) SC_MUST_USE;

/** Product of five counts; pass 1 for those that are not there. @return SC_OK; SC_ERANGE. */
sc_status sc_infer__product(const sc_infer *job, uint64_t *out, const char *what, uint64_t a,
                            uint64_t b, uint64_t c, uint64_t d, uint64_t e) SC_MUST_USE;
/** acc += term. @return SC_OK; SC_ERANGE. */
sc_status sc_infer__sum(const sc_infer *job, uint64_t *acc, const char *what,
                        uint64_t term) SC_MUST_USE;
/** Set cin, d, h, w of the op from its first operand. */
void sc_infer__read(sc_infer *job);
/** Set cout, od, oh, ow. */
void sc_infer__result(sc_infer *job, uint64_t c, uint64_t d, uint64_t h, uint64_t w);
/** Weights k * n * count and the parameters that a spec's flags add. */
sc_status sc_infer__parameters(sc_infer *job) SC_MUST_USE;
#endif
