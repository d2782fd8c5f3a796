#ifndef PLACEMENT_FAULTS_H
#define PLACEMENT_FAULTS_H
/** What is wrong with an input file, gathered so that one run reports every fault of it. */
#include <stdint.h>

#include "core/buf.h"

typedef struct sc_faults {
    const char *file; /* stands in messages */
    sc_buf text;      /* one line each, the first SC_FAULTS_SHOWN */
    size_t count;
} sc_faults;

enum { SC_FAULTS_SHOWN = 20 };

void sc_faults_init(sc_faults *f, const char *file);
void sc_faults_clear(sc_faults *f);
/** Add `file:line:column: error: ...`; a column of 0 is left out. */
void sc_faults_add(sc_faults *f, uint32_t line, uint32_t column, const char *fmt, ...)
    SC_PRINTF(4, 5);
/** SC_OK if there is none; SC_EPARSE with the first ones and a count of the rest; SC_ENOMEM. */
sc_status sc_faults_status(const sc_faults *f) SC_MUST_USE;
#endif
