#ifndef WORKLOADS_SCALESIM_H
#define WORKLOADS_SCALESIM_H
/** What the two readers of the systolic simulator's input share. */
#include "core/buf.h"
#include "workloads/builder.h"

enum { SC_SCALESIM_NOTES = 24 };

/** Errors of one file as lines, and sentences on what was assumed. */
typedef struct sc_scalesim_log {
    sc_buf errors;
    size_t n_errors;
    size_t n_notes;
    char *note[SC_SCALESIM_NOTES];
    sc_status status; /* of a failure that is not the file's */
} sc_scalesim_log;

void sc_scalesim_error(sc_scalesim_log *log, const char *path, int line, int column,
                       const char *fmt, ...) SC_PRINTF(5, 6);
void sc_scalesim_note(sc_scalesim_log *log, const char *fmt, ...) SC_PRINTF(2, 3);
/** SC_OK, or the failure with every error as its message. */
sc_status sc_scalesim_status(const sc_scalesim_log *log) SC_MUST_USE;

/** The configuration. */
typedef struct sc_scalesim_config {
    uint64_t rows, cols;
    uint64_t input_kb, weight_kb, output_kb;
    double bandwidth; /* words a cycle; 0: the simulator works it out */
    char dataflow[3]; /* "os", "ws", "is" */
} sc_scalesim_config;

/** Read a .cfg; errors and notes go to the log. */
void sc_scalesim_read_config(sc_scalesim_config *out, sc_scalesim_log *log, const char *path,
                             const char *text);

/** Write it as a platform. */
void sc_scalesim_platform(sc_buf *b, const sc_scalesim_config *c);

/** Add the layers of a topology to a network. */
void sc_scalesim_read_topology(sc_builder *b, sc_scalesim_log *log, const char *path,
                               const char *text);
#endif
